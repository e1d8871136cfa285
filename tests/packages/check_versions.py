#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""All files contain the version of project() in CMakeLists.txt.

check_versions.py [ROOT]
"""

import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else \
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def first_match(path, pattern):
    """Returns the group of the first match of the pattern, or None."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        match = re.search(pattern, file.read(), re.MULTILINE)
    return match[1] if match else None


def main():
    release = first_match("CMakeLists.txt", r"^project\(\S+ VERSION (\S+)")
    interface = first_match("tests/abi/symbols.tsv",
                            r"\(rdma-core (\d+\.\d+)\)")
    packages = f"{interface}+anyverbs{release}"
    wanted = {
        ("CHANGELOG.md", r"^## (\S+)"): release,
        ("debian/changelog", r"^anyverbs \(([^)]*)\)"): packages,
        ("debian/README.source", r"^(\d\S*\+anyverbs[^:]*):"): packages,
        ("redhat/anyverbs.spec", r"^Version:\s*(\S+)"): packages,
        ("redhat/anyverbs.spec", r"^%changelog\n\* .* (\S+)-\d+$"): packages,
    }
    bad = 0
    for (path, pattern), version in wanted.items():
        has = first_match(path, pattern)
        if has != version:
            print(f"{path}: {has} instead of {version}")
            bad = 1
    return bad


sys.exit(main())
