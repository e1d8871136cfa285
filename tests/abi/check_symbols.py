#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the public symbols of a library with symbols.tsv.

check_symbols.py LIBRARY TABLE ABSENT

Every exported name of a node IBVERBS_1.x must stand in TABLE with that node and
the same binding, and every row of TABLE must be exported, but for the rows of
ABSENT (name@node, one a line), which must not be. All nodes of the table must
exist, each with its predecessor.
"""

import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def exported(library):
    """{(name, node): binding} of the dynamic symbol table."""
    found = {}
    for line in run("readelf", "--dyn-syms", "-W", library).splitlines():
        field = line.split()
        if len(field) < 8 or field[6] == "UND":
            continue
        match = re.fullmatch(r"(\w+)(@@?)(IBVERBS_1\.\d+)", field[7])
        if match:
            found[match[1], match[3]] = match[2]
    return found


def table_rows(path):
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            field = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(field) > 3 and \
               field[1].startswith("IBVERBS_"):
                rows[field[0], field[1]] = field[2]
    return rows


def absent_rows(path):
    with open(path, encoding="utf-8") as file:
        lines = (line.split("#")[0].strip() for line in file)
        return {tuple(line.split("@")) for line in lines if line}


def node_findings(library, nodes):
    text = run("readelf", "-V", "-W", library)
    defined = re.findall(r"Name: (IBVERBS_1\.\d+)", text)
    parents = dict(re.findall(
        r"Name: (IBVERBS_1\.\d+)\n[^\n]*Parent 1: (IBVERBS_1\.\d+)", text))
    for node in nodes:
        if node not in defined:
            yield f"node {node} is missing"
    for older, newer in zip(nodes, nodes[1:]):
        if parents.get(newer) != older:
            yield f"node {newer} does not follow {older}"


def main():
    library, table, absent = sys.argv[1:4]
    found, rows, missing = exported(library), table_rows(table), \
        absent_rows(absent)
    findings = []
    for key, binding in sorted(found.items()):
        if rows.get(key) != binding:
            findings.append(f"{key[0]}{binding}{key[1]} is not in the table")
        if key in missing:
            findings.append(f"{key[0]}@{key[1]} is exported: not absent")
    for key in sorted(set(rows) - set(found) - missing):
        findings.append(f"{key[0]}@{key[1]} is not exported")
    for key in sorted(missing - set(rows)):
        findings.append(f"{key[0]}@{key[1]} is in no row of the table")
    nodes = sorted({node for _, node in rows},
                   key=lambda node: int(node.split(".")[1]))
    findings += node_findings(library, nodes)
    print("\n".join(findings))
    print(f"{len(found)} of {len(rows)} names")
    sys.exit(1 if findings else 0)


main()
