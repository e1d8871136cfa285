#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compare the inline functions of the public headers with lists.

The lists, inlines.txt and rdmacm/inlines.txt, are the ABI's: an application that
calls one of these functions has it compiled in. Each must be in the headers,
nothing else may be there except helpers with a name that begins with _verbs_ or
_rdma_, and each must occur in a test.
"""

import argparse
import pathlib
import re
import sys


def inline_names(text):
    """Names of the static inline functions that a header defines."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"__attribute__\(\(.*?\)\)", "", text)
    return re.findall(r"static inline\s+[^(){};]*?(\w+)\s*\(", text)


def listed_names(path):
    """The names in the list: one to a line, # begins a comment."""
    lines = (line.split("#")[0].strip()
             for line in path.read_text().splitlines())
    return [line for line in lines if line]


def main():
    """Print what differs; 1 if anything does."""
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", type=pathlib.Path, action="append",
                        dest="lists", help="instead of the two lists")
    parser.add_argument("--headers", type=pathlib.Path,
                        default=here.parent.parent / "include")
    parser.add_argument("tests", type=pathlib.Path, nargs="+")
    args = parser.parse_args()

    lists = args.lists or [here / "inlines.txt", here / "rdmacm/inlines.txt"]
    listed = [name for path in lists for name in listed_names(path)]
    found = [name for folder in ("infiniband", "rdma")
             for path in sorted((args.headers / folder).glob("*.h"))
             for name in inline_names(path.read_text())]
    used = set(re.findall(r"\w+", "\n".join(path.read_text()
                                            for path in args.tests)))
    wrong = [f"listed twice: {name}" for name in sorted(set(listed))
             if listed.count(name) > 1]
    wrong += [f"not in the headers: {name}"
              for name in sorted(set(listed) - set(found))]
    wrong += [f"not in the list: {name}"
              for name in sorted(set(found) - set(listed))
              if not name.startswith(("_verbs_", "_rdma_"))]
    wrong += [f"in no test: {name}" for name in sorted(set(listed) - used)]
    print("\n".join(wrong) or f"{len(listed)} inline functions as listed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
