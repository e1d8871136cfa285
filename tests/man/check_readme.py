#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the README says of the tree is so: links and paths lead somewhere, and
the programs of its table are in the test cases that their line names.
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
import man_page as man  # noqa: E402 pylint: disable=wrong-import-position

LISTS = {"tests/uroce/cases": "tests/uroce/cases.txt",
         "tests/kernel/cases": "tests/kernel/cases.txt"}
# Where scripts look for what they source.
FOLDERS = {"here": "", "guest": "tests/kernel/guest",
           "world": "tests/uroce/world"}
LINK = r"\[[^]]*\]\(([^)#]+)\)"
MIN_PROGRAMS = 20


def exists(path):
    return os.path.exists(os.path.join(man.ROOT, path))


def links(readme):
    for path in re.findall(LINK, readme) + re.findall(r'src="([^"]+)"', readme):
        if "://" not in path and not exists(path):
            yield f"{path} is not there"
    # In prose and tables; X stands for any name.
    folders = tuple(name + "/" for name in os.listdir(man.ROOT)
                    if os.path.isdir(os.path.join(man.ROOT, name)) and
                    not name.startswith((".", "build")))
    for path in re.findall(r"`([\w./-]+)`", readme):
        if path.startswith(folders) and "_X" not in path and not exists(path):
            yield f"{path} is not there"


def sourced(path, seen):
    """The text of a script, and of those that it sources or runs as a part."""
    if path in seen or not exists(path):
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
    return "\n".join([text, *(sourced(part, seen) for part in parts)])


def runs(program, text):
    """A case runs a program: by its name, or by that of its kind."""
    if re.search(rf"(?<![\w/-]){re.escape(program)}\b", text):
        return True
    kind = re.fullmatch(r"ibv_(\w+)_pingpong", program)
    return kind and re.search(r'ibv_\$\{?\w+\}?_pingpong', text) and \
        re.search(rf"\b{kind[1]}\b", text)


def listed(path):
    """Is a case among those that run?"""
    table = LISTS.get(os.path.dirname(path))
    return table and os.path.basename(path)[:-3] in \
        {row[0] for row in man.rows(man.ROOT, table)}


def programs(readme):
    rows = re.findall(r"^\| (.*tests/(?:uroce|kernel)/cases/.*) \|$", readme,
                      re.MULTILINE)
    names = set()
    for row in rows:
        cells = row.split(" | ")
        of_row = re.findall(r"`([^`]+)`", cells[0])
        names |= set(of_row)
        for cell in cells[1:]:
            # A cell that does not have them all names those that it has.
            wanted = re.findall(r"`([^`]+)`", cell) or of_row
            for path in re.findall(LINK, cell):
                if not listed(path):
                    yield f"{path} is no case that runs"
                text = sourced(path, set())
                for program in wanted:
                    if program not in of_row:
                        yield f"{program} is not in the first cell of {path}"
                    if not runs(program, text):
                        yield f"{path} does not run {program}"
    if len(names) < MIN_PROGRAMS:
        yield f"the table has {len(names)} programs"


def main():
    readme = man.read(man.ROOT, "README.md")
    findings = [*links(readme), *programs(readme)]
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
