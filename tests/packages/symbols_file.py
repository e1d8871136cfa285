#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""debian/libibverbs1.symbols: the release that brought each exported name.

symbols_file.py LIBRARY FILE           compares FILE with the library's names
symbols_file.py --write LIBRARY FILE   writes FILE
symbols_file.py --against DEBIAN FILE  compares the releases of public names with
                                       a symbols file of the distribution

A line "(symver)NODE RELEASE" covers all names of a version node; a name of another
release has a line of its own. The release of a public name is the first release of
rdma-core that exports it (tests/abi/symbols.tsv). A program built with these headers
then depends on no newer libibverbs1 than one built with the distribution's. Only
modules of this project use the private names, so those have its own version.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "..", "abi", "symbols.tsv")
OURS = "65.0+anyverbs"
HEAD = ["libibverbs.so.1 libibverbs1 #MINVER#",
        "* Build-Depends-Package: libibverbs-dev"]

# These nodes are older than rdma-core, so the table does not date them.
OLD_NODES = ("IBVERBS_1.0", "IBVERBS_1.1")
OLDEST = "1.1.6"
OLDER = {"ibv_rate_to_mbps": "1.1.8", "mbps_to_ibv_rate": "1.1.8",
         "ibv_resolve_eth_l2_from_gid": "1.2.0", "ibv_rereg_mr": "1.2.1"}


def release_key(version):
    """Releases before rdma-core begin with 1., so they sort first."""
    return [int(part) for part in version.split(".")]


def table_versions():
    """Returns {(name, node): version} of public names; a node: (node, node)."""
    versions = {}
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            field = line.rstrip("\n").split("\t")
            if len(field) < 5 or not field[1].startswith("IBVERBS_"):
                continue
            name, node, release = field[0], field[1], field[4]
            release = re.sub(r"\.0$", "", release.split()[0])
            if node in OLD_NODES:
                release = OLDER.get(name, OLDEST)
            versions[name, node] = release
            versions[node, node] = min(release, versions.get(
                (node, node), release), key=release_key)
    return versions


def exported_symbols(library):
    """Returns the set of (name, node); a node itself is (node, node)."""
    names = set()
    text = subprocess.run(["readelf", "--dyn-syms", "-W", library], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        field = line.split()
        if len(field) < 8 or field[6] == "UND" or "@" not in field[7]:
            continue
        name, node = re.split("@+", field[7])
        names |= {(name, node), (node, node)}
    text = subprocess.run(["readelf", "-V", "-W", library], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    for node in re.findall(r"Name: ((?:IBVERBS|ANYVERBS)_\w[\w.]*)", text):
        names.add((node, node))
    return names


def expected_lines(library):
    """Returns the lines of the file."""
    versions = table_versions()
    rows = []
    for name, node in sorted(exported_symbols(library)):
        version = versions.get((name, node), OURS)
        if name == node:
            rows.append(f" (symver){node} {version}")
        elif version != versions.get((node, node), OURS):
            rows.append(f" {name}@{node} {version}")
    return HEAD + sorted(rows)


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def symbol_versions(path):
    """Returns {name@node or (symver)node: version}."""
    return dict(line.split()[:2] for line in read_lines(path)
                if line.startswith(" "))


def version_differences(theirs, path):
    """Yields the public names whose release differs from the distribution."""
    ours = symbol_versions(path)
    for symbol, version in symbol_versions(theirs).items():
        if "IBVERBS_PRIVATE_" in symbol or "@" not in symbol:
            continue
        node = symbol.split("@")[1]
        mine = ours.get(symbol, ours.get(f"(symver){node}"))
        if mine != version:
            yield f"{symbol}: {mine}, in the distribution {version}"


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[0] == "--write":
        with open(arguments[2], "w", encoding="utf-8") as file:
            file.write("\n".join(expected_lines(arguments[1])) + "\n")
        return 0
    if len(arguments) == 3 and arguments[0] == "--against":
        findings = list(version_differences(*arguments[1:]))
    elif len(arguments) == 2:
        want, have = expected_lines(arguments[0]), read_lines(arguments[1])
        findings = [f"missing: {row}" for row in want if row not in have]
        findings += [f"unexpected: {row}" for row in have if row not in want]
    else:
        sys.exit(__doc__)
    print("\n".join(findings))
    return 1 if findings else 0


sys.exit(main())
