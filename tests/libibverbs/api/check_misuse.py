#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Check that a test of misuse calls every function that applications can misuse.

Tests of misuse are the files misuse_*_test.c, for all verbs at once, and the
functions misuse_*() in the test of one object. One of them must call every
exported function that takes a pointer, and every inline function of the control
path, with an invalid argument. The exceptions are listed here, with the reason.
"""

import argparse
import pathlib
import re
import sys

# Exported functions that have no invalid pointer argument.
NOT_EXPORTED_MISUSE = {
    "ibv_get_device_list": "NULL is allowed and means no count",
    "ibv_register_driver": "aborts its caller: only modules of releases"
                           " that are not supported call it",
}

# Inline functions that call the provider without a check by the library.
DATA_PATH = re.compile(
    r"ibv_(wr_\w+|wc_read_\w+|start_poll|next_poll|end_poll|poll_cq"
    r"|req_notify_cq|post_\w+|bind_mw|memcpy_(to|from)_dm)")
PURE = re.compile(
    r"ibv_(inc_rkey|is_qpt_supported|flow_label_to_udp_sport|cq_ex_to_cq)"
    r"|htonll|ntohll|verbs_get_ctx|__\w+")

# Inline functions with one argument, the object. The inline code dereferences it
# before it calls the library.
OBJECT_ONLY = re.compile(
    r"ibv_(dealloc_(td|mw)|close_xrcd|free_dm|alloc_null_mr|destroy_\w+)")


def exported_names(path):
    """Return names in symbols.tsv whose prototype has a pointer argument."""
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
    """Return the names in a list: one per line, # begins a comment."""
    lines = (line.split("#")[0].strip()
             for line in path.read_text().splitlines())
    return {line for line in lines if line}


def misuse_text(path):
    """Return the file if it is a test of misuse, or its functions misuse_*()."""
    text = path.read_text()
    if path.name.startswith("misuse_"):
        return text
    return "\n".join(re.findall(r"^static void\s+misuse_\w+\(.*?^\}", text,
                                re.DOTALL | re.MULTILINE))


def called_names(paths):
    """Return all names that are called, including (name)(...) without macro."""
    text = "\n".join(misuse_text(path) for path in paths)
    return set(re.findall(r"\(?\b(\w+)\)?\s*\(", text)) | set(
        re.findall(r"vctx->(\w+)\(", text))


def main():
    """Print functions that no test calls; return 1 if there are any."""
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
    # A macro of the name without _ calls these with the size of a struct.
    called |= {f"_{name}" for name in called}
    wanted = (exported | inlines) - set(NOT_EXPORTED_MISUSE)
    wrong = [f"no misuse test calls: {name}"
             for name in sorted(wanted - called)]
    wrong += [f"no longer exported: {name}"
              for name in sorted(set(NOT_EXPORTED_MISUSE) - exported)]
    print("\n".join(wrong) or f"{len(wanted)} functions are called with invalid arguments")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
