#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""debian/PACKAGE.symbols: the release that brought each exported name.

symbols_file.py LIBRARY FILE           compares FILE with the library's names
symbols_file.py --write LIBRARY FILE   writes FILE
symbols_file.py --against DEBIAN FILE  compares the releases of public names with
                                       a symbols file of the distribution

FILE is libibverbs1.symbols or librdmacm1.symbols, and its name selects the table.
A line "(symver)NODE RELEASE" covers all names of a version node; a name of another
release has a line of its own. The release of a public name is the first release of
rdma-core that exports it (symbols.tsv in tests/abi/). A program built with these
headers then depends on no newer package than one built with the distribution's. Only
parts of this project use the private names, so those have its own version.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ABI = os.path.join(HERE, "..", "abi")
OURS = "65.0+anyverbs"


class Library:
    """What the symbols files of the two libraries differ in."""

    def __init__(self, package, table, prefix, old_nodes, oldest, older):
        self.package = package
        self.soname = package.rstrip("1") + ".so.1"
        self.table = os.path.join(ABI, table)
        self.prefix = prefix
        # The table does not date the names of these nodes, which are older than
        # rdma-core: the release of all, and of those that came later.
        self.old_nodes, self.oldest, self.older = old_nodes, oldest, older

    def head(self):
        """Returns the first lines of the file."""
        dev = self.package.replace("1", "-dev")
        return [f"{self.soname} {self.package} #MINVER#",
                f"* Build-Depends-Package: {dev}"]


LIBRARIES = {
    "libibverbs1.symbols": Library(
        "libibverbs1", "symbols.tsv", "IBVERBS_",
        ("IBVERBS_1.0", "IBVERBS_1.1"), "1.1.6",
        {"ibv_rate_to_mbps": "1.1.8", "mbps_to_ibv_rate": "1.1.8",
         "ibv_resolve_eth_l2_from_gid": "1.2.0", "ibv_rereg_mr": "1.2.1"}),
    "librdmacm1.symbols": Library(
        "librdmacm1", "rdmacm/symbols.tsv", "RDMACM_", (), None, {}),
}


def release_key(version):
    """Releases before rdma-core begin with 1., so they sort first."""
    return [int(part) for part in version.split(".")]


def table_versions(library):
    """Returns {(name, node): version} of public names; a node: (node, node)."""
    versions = {}
    with open(library.table, encoding="utf-8") as file:
        for line in file:
            field = line.rstrip("\n").split("\t")
            if len(field) < 5 or not field[1].startswith(library.prefix):
                continue
            name, node, release = field[0], field[1], field[4]
            release = re.sub(r"\.0$", "", release.split()[0]).lstrip("v")
            if node in library.old_nodes:
                release = library.older.get(name, library.oldest)
            versions[name, node] = release
            versions[node, node] = min(release, versions.get(
                (node, node), release), key=release_key)
    return versions


def exported_symbols(path):
    """Returns the set of (name, node); a node itself is (node, node)."""
    names = set()
    text = subprocess.run(["readelf", "--dyn-syms", "-W", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        field = line.split()
        if len(field) < 8 or field[6] == "UND" or "@" not in field[7]:
            continue
        name, node = re.split("@+", field[7])
        names |= {(name, node), (node, node)}
    text = subprocess.run(["readelf", "-V", "-W", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    # "Cnt:" is in definitions; the nodes of other libraries follow without it.
    for node in re.findall(
            r"Cnt: \d+ +Name: ((?:IBVERBS|RDMACM|ANYVERBS)_\w[\w.]*)", text):
        names.add((node, node))
    return names


def expected_lines(library, path):
    """Returns the lines of the file for the library at the path."""
    versions = table_versions(library)
    rows = []
    for name, node in sorted(exported_symbols(path)):
        version = versions.get((name, node), OURS)
        if name == node:
            rows.append(f" (symver){node} {version}")
        elif version != versions.get((node, node), OURS):
            rows.append(f" {name}@{node} {version}")
    return library.head() + sorted(rows)


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
    mode = arguments.pop(0) if arguments[:1] in (["--write"], ["--against"]) \
        else None
    if len(arguments) != 2 or os.path.basename(arguments[1]) not in LIBRARIES:
        sys.exit(__doc__)
    path, file = arguments
    library = LIBRARIES[os.path.basename(file)]
    findings = []
    if mode == "--write":
        with open(file, "w", encoding="utf-8") as out:
            out.write("\n".join(expected_lines(library, path)) + "\n")
    elif mode == "--against":
        findings = list(version_differences(path, file))
    else:
        want, have = expected_lines(library, path), read_lines(file)
        findings = [f"missing: {row}" for row in want if row not in have]
        findings += [f"unexpected: {row}" for row in have if row not in want]
    if findings:
        print("\n".join(findings))
    return 1 if findings else 0


sys.exit(main())
