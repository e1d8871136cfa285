#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Check that a test calls every inline function that reads the op table.

Such a function handles contexts that lack the verb, and inline_lacks_test.c
calls it on such contexts. Prints the functions that the test does not call.
"""

import argparse
import pathlib
import re
import sys

# The function looks up a member of the table, or calls one that always exists.
LOOKS = re.compile(r"verbs_get_ctx(_op)?\(|->ops\.alloc_mw")

FUNCTION = re.compile(
    r"^static inline[^;{}]*?\b(\w+)\s*\([^;{}]*\)\s*\{(.*?)^\}",
    re.DOTALL | re.MULTILINE)

# The look-up function itself, and internal functions of the header.
HELPERS = re.compile(r"verbs_get_ctx|_verbs_\w+")


def table_readers(header):
    """Return names of the inline functions of a header that read the table."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    return {name for name, body in FUNCTION.findall(text)
            if LOOKS.search(body) and not HELPERS.fullmatch(name)}


def main():
    """Print functions that are not called; return 1 if there are any."""
    here = pathlib.Path(__file__).resolve()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--headers", type=pathlib.Path,
                        default=here.parents[3] / "include/infiniband")
    parser.add_argument("test", type=pathlib.Path)
    args = parser.parse_args()

    names = set()
    for header in sorted(args.headers.glob("*.h")):
        names |= table_readers(header)
    called = set(re.findall(r"\b(\w+)\(", args.test.read_text()))
    missing = sorted(names - called)
    print("\n".join(f"not called: {name}" for name in missing)
          or f"{len(names)} inline functions on contexts that lack the verb")
    return 1 if missing or not names else 0


if __name__ == "__main__":
    sys.exit(main())
