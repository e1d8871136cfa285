#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Calls between the files of a folder contain no cycle: call_cycles.py BUILD.

A file uses another one if its object refers to a symbol that the object of the
other file defines. The rule covers each folder of the library and of the
providers. Between the folders of providers/uroce there is no cycle either; the
files outside of its folders count as a folder each.
"""

import collections
import os
import re
import subprocess
import sys

OBJECT = re.compile(r"^(.*)/CMakeFiles/([\w.+-]+)\.dir/(.*)\.c\.o$")
# The same sources a second time: with versioned names, or as one module.
SECOND_BUILDS = ("_versioned", "_as_one")
UROCE = "providers/uroce"


def objects(build):
    """{folder: {file: path of its object}}"""
    folders = collections.defaultdict(dict)
    for top in ("libibverbs", "librdmacm", "providers"):
        for folder, _, names in os.walk(os.path.join(build, top)):
            for name in names:
                path = os.path.join(folder, name)
                match = OBJECT.match(os.path.relpath(path, build))
                if not match or match[2].endswith(SECOND_BUILDS):
                    continue
                source = os.path.normpath(os.path.join(match[1], match[3]))
                where = os.path.dirname(source)
                # A helper of another folder, compiled into a provider; the
                # user-space device is built a second time for its module.
                if ".." in match[3] or match[3].startswith("uroce/"):
                    continue
                folders[where][os.path.basename(source) + ".c"] = path
    return folders


def read_symbols(paths):
    """{path: two sets, the names that an object defines and those it uses}"""
    text = subprocess.run(["nm", "-A", *paths], check=True, capture_output=True,
                          text=True).stdout
    tables = {path: (set(), set()) for path in paths}
    for line in text.splitlines():
        path, rest = line.split(":", 1)
        fields = rest.split()
        kind, name = fields[-2:]
        defined, used = tables[path]
        if kind in "UwWvV" and len(fields) == 2:
            used.add(name)
        elif kind in "TDBRWV":
            defined.add(name)
    return tables


def calls(files, symbols):
    """{file: the files that it uses}"""
    tables = {name: symbols[path] for name, path in files.items()}
    return {name: {other for other, (defined, _) in tables.items()
                   if other != name and used & defined}
            for name, (_, used) in tables.items()}


def folder_calls(folders, symbols):
    """{folder of uroce: the folders that it uses}"""
    groups = {}
    for folder, files in folders.items():
        if folder == UROCE:
            groups.update((name, [path]) for name, path in files.items())
        elif folder.startswith(UROCE + "/"):
            groups[folder] = list(files.values())
    tables = {}
    for group, paths in groups.items():
        both = [symbols[path] for path in paths]
        tables[group] = (set().union(*(defined for defined, _ in both)),
                         set().union(*(used for _, used in both)))
    return {group: {other for other, (defined, _) in tables.items()
                    if other != group and used & defined}
            for group, (_, used) in tables.items()}


def cycles(graph):
    """The strongly connected components of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folders = objects(sys.argv[1])
    if len(folders) < 10:
        sys.exit(f"only these folders have objects: {sorted(folders)}")
    symbols = read_symbols([path for files in folders.values()
                            for path in files.values()])
    findings = [f"{folder}: these files call each other: {', '.join(cycle)}"
                for folder, files in sorted(folders.items())
                for cycle in cycles(calls(files, symbols))]
    findings += [f"these folders call each other: {', '.join(cycle)}"
                 for cycle in cycles(folder_calls(folders, symbols))]
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
