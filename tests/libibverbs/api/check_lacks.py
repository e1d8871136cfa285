#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Every inline function that looks into a table of the context is in a test.

Such a function answers for contexts that lack the verb: inline_lacks_test.c
calls it on some. Prints those that it does not call.
"""

import argparse
import pathlib
import re
import sys

# They ask the table whether a slot is there, or call one that always is.
LOOKS = re.compile(r"verbs_get_ctx(_op)?\(|->ops\.alloc_mw")

FUNCTION = re.compile(
    r"^static inline[^;{}]*?\b(\w+)\s*\([^;{}]*\)\s*\{(.*?)^\}",
    re.DOTALL | re.MULTILINE)

# The question itself; others have names of the header's own.
HELPERS = re.compile(r"verbs_get_ctx|_verbs_\w+")


def looking(header):
    """Names of the inline functions of a header that look into the table."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    return {name for name, body in FUNCTION.findall(text)
            if LOOKS.search(body) and not HELPERS.fullmatch(name)}


def main():
    """Print what is not called; 1 if anything is."""
    here = pathlib.Path(__file__).resolve()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--headers", type=pathlib.Path,
                        default=here.parents[3] / "include/infiniband")
    parser.add_argument("test", type=pathlib.Path)
    args = parser.parse_args()

    names = set()
    for header in sorted(args.headers.glob("*.h")):
        names |= looking(header)
    called = set(re.findall(r"\b(\w+)\(", args.test.read_text()))
    missing = sorted(names - called)
    print("\n".join(f"not called: {name}" for name in missing)
          or f"{len(names)} inline functions on contexts that lack the verb")
    return 1 if missing or not names else 0


if __name__ == "__main__":
    sys.exit(main())
