#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the symbols of a library with symbols.tsv and private-symbols.tsv.

check_symbols.py LIBRARY TABLE [PRIVATE-TABLE]

Every exported name of a node IBVERBS_1.x (RDMACM_1.x) must stand in TABLE with
that node and the same binding, and every row of TABLE must be exported. All nodes
of the table must exist, each with its predecessor. Without PRIVATE-TABLE, no name
of another node, and none without a node, is exported.

The nodes IBVERBS_PRIVATE_<n> must have exactly the names of PRIVATE-TABLE that
are as old as the node, none of them as a default version, and no predecessor.
A function that has changed must not be the same in nodes of different forms.
"""

import itertools
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
        match = re.fullmatch(r"(\w+)(@@?)((?:IBVERBS|RDMACM)_1\.\d+)",
                             field[7])
        if match:
            found[match[1], match[3]] = match[2]
    return found


def table_rows(path):
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            field = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(field) > 3 and \
               field[1].startswith(("IBVERBS_", "RDMACM_")):
                rows[field[0], field[1]] = field[2]
    return rows


def node_findings(library, nodes):
    text = run("readelf", "-V", "-W", library)
    defined = re.findall(r"Name: (\w+_1\.\d+)", text)
    parents = dict(re.findall(
        r"Name: (\w+_1\.\d+)\n[^\n]*Parent 1: (\w+_1\.\d+)", text))
    for node in nodes:
        if node not in defined:
            yield f"node {node} is missing"
    for older, newer in zip(nodes, nodes[1:]):
        if parents.get(newer) != older:
            yield f"node {newer} does not follow {older}"


# Not every node brought a name.
PRIVATE_NODES = {34, 57, 59, 64, 65}


def exported_private(library):
    """{(name, node): (binding, kind, address)}"""
    found = {}
    for line in run("readelf", "--dyn-syms", "-W", library).splitlines():
        field = line.split()
        if len(field) < 8 or field[6] == "UND":
            continue
        match = re.fullmatch(r"(\w+)(@@?)IBVERBS_PRIVATE_(\d+)", field[7])
        if match:
            found[match[1], int(match[3])] = match[2], field[3], field[1]
    return found


def private_rows(path):
    """{(name, node): the node in which it took its present form}"""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            field = line.rstrip("\n").split("\t")
            forms = [int(node) for node in field[1:2] +
                     (field[2].split(",") if len(field) > 2 else [])]
            for node in PRIVATE_NODES:
                if node >= forms[0]:
                    rows[field[0].replace("<n>", str(node)), node] = \
                        max(form for form in forms if form <= node)
    return rows


def private_findings(library, table):
    found, rows = exported_private(library), private_rows(table)
    for name, node in sorted(set(rows) - set(found)):
        yield f"{name}@IBVERBS_PRIVATE_{node} is not exported"
    for name, node in sorted(set(found) - set(rows)):
        yield f"{name}@IBVERBS_PRIVATE_{node} is in no row of the table"
    for (name, node), (binding, kind, _) in sorted(found.items()):
        wanted = "OBJECT" if name == "verbs_allow_disassociate_destroy" \
            else "FUNC"
        if binding != "@":
            yield f"{name}@IBVERBS_PRIVATE_{node} is a default version"
        if kind != wanted:
            yield f"{name}@IBVERBS_PRIVATE_{node} is not of type {wanted}"
    for key, other in itertools.combinations(sorted(set(found) & set(rows)), 2):
        if key[0] == other[0] and rows[key] != rows[other] and \
           found[key][2] == found[other][2]:
            yield f"{key[0]} is the same in {key[1]} and {other[1]}"
    if len({address for (name, _), (_, _, address) in found.items()
            if name == "verbs_allow_disassociate_destroy"}) > 1:
        yield "verbs_allow_disassociate_destroy is more than one object"
    for node in re.findall(r"Name: IBVERBS_PRIVATE_(\d+)\n[^\n]*Parent",
                           run("readelf", "-V", "-W", library)):
        yield f"node IBVERBS_PRIVATE_{node} follows another one"
    for node in sorted(PRIVATE_NODES):
        count = len([1 for key in found if key[1] == node])
        print(f"{count} names of IBVERBS_PRIVATE_{node}")


def names_elsewhere(library, found):
    """Exported names that are neither of the table nor private (ANYVERBS_1)."""
    for line in run("readelf", "--dyn-syms", "-W", library).splitlines():
        field = line.split()
        if len(field) < 8 or field[4] not in ("GLOBAL", "WEAK") or \
                field[6] in ("UND", "ABS"):
            continue
        name, _, node = field[7].partition("@@")
        if node != "ANYVERBS_1" and not any(name == key[0] for key in found):
            yield f"{field[7]} is of no node of the table"


def main():
    library, table, *private = sys.argv[1:]
    found, rows = exported(library), table_rows(table)
    findings = []
    for key, binding in sorted(found.items()):
        if rows.get(key) != binding:
            findings.append(f"{key[0]}{binding}{key[1]} is not in the table")
    for key in sorted(set(rows) - set(found)):
        findings.append(f"{key[0]}@{key[1]} is not exported")
    nodes = sorted({node for _, node in rows},
                   key=lambda node: int(node.split(".")[1]))
    findings += node_findings(library, nodes)
    findings += private_findings(library, private[0]) if private else \
        names_elsewhere(library, found)
    print("\n".join(findings))
    print(f"{len(found)} of {len(rows)} names")
    sys.exit(1 if findings else 0)


main()
