#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compare what the library offers with what misuse_*_test.c calls.

Every exported function that takes a pointer, and every inline function of the
control path, must be called in one of those tests with something wrong. What
is left out is listed here, with the reason.
"""

import argparse
import pathlib
import re
import sys

# Exported functions without a pointer to leave out.
NOT_EXPORTED_MISUSE = {
    "ibv_get_device_list": "NULL is allowed, and asks for no count",
    "ibv_register_driver": "aborts whoever calls it: it is for modules of"
                           " releases that are not supported",
}

# Inline functions that an application calls without the library's help.
DATA_PATH = re.compile(
    r"ibv_(wr_\w+|wc_read_\w+|start_poll|next_poll|end_poll|poll_cq"
    r"|req_notify_cq|post_\w+|bind_mw|memcpy_(to|from)_dm)")
PURE = re.compile(
    r"ibv_(inc_rkey|is_qpt_supported|flow_label_to_udp_sport|cq_ex_to_cq)"
    r"|htonll|ntohll|verbs_get_ctx|__\w+")

# Inline functions with one argument, the object itself, which the application
# follows before the library is asked.
OBJECT_ONLY = re.compile(
    r"ibv_(dealloc_(td|mw)|close_xrcd|free_dm|alloc_null_mr|destroy_\w+)")


def exported_names(path):
    """Names in symbols.tsv whose prototype has a pointer among its arguments."""
    names = set()
    for line in path.read_text().splitlines():
        fields = line.split("\t")
        if line.startswith("#") or fields[0] == "symbol":
            continue
        arguments = re.search(r"\((.*)\)", fields[-1])
        if arguments and "*" in arguments.group(1):
            names.add(fields[0])
    return names


def listed_names(path):
    """The names in a list: one to a line, # begins a comment."""
    lines = (line.split("#")[0].strip()
             for line in path.read_text().splitlines())
    return {line for line in lines if line}


def called_names(paths):
    """Every name that is called, also as (name)(...) past a macro."""
    text = "\n".join(path.read_text() for path in paths)
    return set(re.findall(r"\(?\b(\w+)\)?\s*\(", text)) | set(
        re.findall(r"vctx->(\w+)\(", text))


def main():
    """Print what is in no test; 1 if anything is."""
    abi = pathlib.Path(__file__).resolve().parents[2] / "abi"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--symbols", type=pathlib.Path,
                        default=abi / "symbols.tsv")
    parser.add_argument("--inlines", type=pathlib.Path,
                        default=abi / "inlines.txt")
    parser.add_argument("tests", type=pathlib.Path, nargs="+")
    args = parser.parse_args()

    exported = exported_names(args.symbols)
    inlines = {name for name in listed_names(args.inlines)
               if not (DATA_PATH.fullmatch(name) or PURE.fullmatch(name)
                       or OBJECT_ONLY.fullmatch(name))}
    called = called_names(args.tests)
    # A macro with the size of a struct stands for each of these.
    called |= {f"_{name}" for name in called}
    wanted = (exported | inlines) - set(NOT_EXPORTED_MISUSE)
    wrong = [f"in no test of misuse: {name}"
             for name in sorted(wanted - called)]
    wrong += [f"not exported any more: {name}"
              for name in sorted(set(NOT_EXPORTED_MISUSE) - exported)]
    print("\n".join(wrong) or f"{len(wanted)} functions with something wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
