#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Check the README against the tree: links and paths exist, and each test case
that a row of the program table names runs the programs of that row.
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # write nothing to the source tree
import man_page as man  # noqa: E402 pylint: disable=wrong-import-position

CASE_LISTS = {"tests/uroce/cases": ("tests/uroce/cases.txt",
                                    "tests/uroce/cases_more.txt"),
              "tests/kernel/cases": ("tests/kernel/cases.txt",)}
# Where scripts look for what they source.
FOLDERS = {"here": "", "guest": "tests/kernel/guest",
           "world": "tests/uroce/world"}
LINK = r"\[[^]]*\]\(([^)#]+)\)"
MIN_PROGRAMS = 20


def path_exists(path):
    return os.path.exists(os.path.join(man.ROOT, path))


def link_findings(readme):
    for path in re.findall(LINK, readme) + re.findall(r'src="([^"]+)"', readme):
        if "://" not in path and not path_exists(path):
            yield f"{path} does not exist"
    # Paths in prose and tables; X is a placeholder.
    folders = tuple(name + "/" for name in os.listdir(man.ROOT)
                    if os.path.isdir(os.path.join(man.ROOT, name)) and
                    not name.startswith((".", "build")))
    for path in re.findall(r"`([\w./-]+)`", readme):
        if path.startswith(folders) and "_X" not in path and \
           not path_exists(path):
            yield f"{path} does not exist"


def script_text(path, seen):
    """The text of a script and of the scripts that it sources or runs."""
    if path in seen or not path_exists(path):
        return ""
    seen.add(path)
    text = man.read(man.ROOT, path)
    text = re.sub(r"^\s*#.*", "", text, flags=re.MULTILINE)
    folder = os.path.dirname(path)
    parts = [os.path.normpath(os.path.join(FOLDERS[where] or folder, name))
             for where, name in
             re.findall(r'^\. "\$(here|guest|world)/([\w./]+)"', text,
                        re.MULTILINE)]
    parts += [f"tests/kernel/cases/{name}.sh" for name in
              re.findall(r'\bsubcase "[^"]*" (\w+)', text)]
    return "\n".join([text, *(script_text(part, seen) for part in parts)])


def script_runs(program, text):
    """Whether a script runs a program, by its name or by its type in a loop."""
    if re.search(rf"(?<![\w/-]){re.escape(program)}\b", text):
        return True
    transport = re.fullmatch(r"ibv_(\w+)_pingpong", program)
    return transport and re.search(r'ibv_\$\{?\w+\}?_pingpong', text) and \
        re.search(rf"\b{transport[1]}\b", text)


def case_is_listed(path):
    """Whether a list of the folder contains the test case."""
    return os.path.basename(path)[:-3] in \
        {row[0] for table in CASE_LISTS.get(os.path.dirname(path), ())
         for row in man.rows(man.ROOT, table)}


def program_findings(readme):
    rows = re.findall(r"^\| (.*tests/(?:uroce|kernel)/cases/.*) \|$", readme,
                      re.MULTILINE)
    names = set()
    for row in rows:
        cells = row.split(" | ")
        row_programs = re.findall(r"`([^`]+)`", cells[0])
        names |= set(row_programs)
        for cell in cells[1:]:
            # A cell without program names stands for all programs of the row.
            programs = re.findall(r"`([^`]+)`", cell) or row_programs
            for path in re.findall(LINK, cell):
                if not case_is_listed(path):
                    yield f"{path} is not in a list of its folder"
                text = script_text(path, set())
                for program in programs:
                    if program not in row_programs:
                        yield f"{program}: named for {path}, " \
                              "but not in the first cell"
                    if not script_runs(program, text):
                        yield f"{path} does not run {program}"
    if len(names) < MIN_PROGRAMS:
        yield f"the table has only {len(names)} programs"


def main():
    readme = man.read(man.ROOT, "README.md")
    findings = [*link_findings(readme), *program_findings(readme)]
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
