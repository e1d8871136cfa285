#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Rules of the tree that no compiler knows: tree_rules.py RULE [ROOT].

floors     includes go down only (floors.txt)
basenames  no two .c files share a basename
sizes      no source file above 800 lines
spdx       the first lines of each source file name the licence
format     clang-format agrees
spelling   codespell agrees
shell      shellcheck agrees
cppcheck   cppcheck has no finding in the libraries and the providers
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else \
    os.path.dirname(os.path.dirname(HERE))
MAX_LINES = 800
SIZE_EXEMPT = ("include/infiniband/",)
LIBRARY_DIRS = ("libibverbs", "librdmacm", "providers")
SOURCE_DIRS = ("include", *LIBRARY_DIRS, "tests", "cmake")


def files(*suffixes, dirs=SOURCE_DIRS):
    """Paths, relative to ROOT, with one of the suffixes."""
    for top in dirs:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def read_floors():
    restricted, floors = [], {}
    with open(os.path.join(HERE, "floors.txt"), encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            if not line:
                continue
            folder, prefixes = line.split(":")
            if folder == "restricted":
                restricted = prefixes.split()
            else:
                floors[folder] = prefixes.split()
    return restricted, floors


def floors():
    restricted, allowed = read_floors()
    used = set()
    for path in files(".c", ".h", dirs=("include", *LIBRARY_DIRS)):
        folder = os.path.dirname(path)
        while folder and folder not in allowed:
            folder = os.path.dirname(folder)
        if not folder:
            yield f"{path}: its folder is not in floors.txt"
            continue
        used.add(folder)
        for name in re.findall(r'^#\s*include\s*[<"]([^>"]+)[>"]', text(path),
                               re.MULTILINE):
            if name.startswith(tuple(restricted)) and \
               not name.startswith(tuple(allowed[folder])):
                yield f"{path}: may not include {name}"
    for folder in sorted(set(allowed) - used):
        yield f"floors.txt: no source in {folder}"


def basenames():
    seen = {}
    for path in files(".c"):
        name = os.path.basename(path)
        if name in seen:
            yield f"{path}: {seen[name]} has the same name"
        seen[name] = path


def sizes():
    for path in files(".c", ".h", ".py", ".sh"):
        lines = text(path).count("\n")
        if lines > MAX_LINES and not path.startswith(SIZE_EXEMPT):
            yield f"{path}: {lines} lines"


def spdx():
    for path in files(".c", ".h", ".py", ".sh", ".txt", ".cmake", ".map"):
        head = text(path).splitlines()[:3]
        if not any("SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"
                   in line for line in head) and \
           not path.startswith(("tests/data/", "tests/fuzz/corpus/")):
            yield f"{path}: no SPDX line"


def run(*command):
    result = subprocess.run(command, cwd=ROOT, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)
    if result.returncode:
        yield from result.stdout.splitlines()[:40]
        yield f"{command[0]} ended with {result.returncode}"


def format():  # pylint: disable=redefined-builtin
    tool = shutil.which("clang-format-14") or "clang-format"
    yield from run(tool, "--dry-run", "-Werror", *files(".c", ".h"))


def spelling():
    yield from run("codespell", "-q", "3", "--ignore-words-list",
                   "wqs,ue,inout,ot,ths,ser,deque,rto,ba,nd,fo,wth,iif,ect",
                   *files(".c", ".h", ".py", ".sh", ".md", ".cmake"),
                   "README.md")


def is_shell(path):
    if not os.path.isfile(os.path.join(ROOT, path)):
        return False
    with open(os.path.join(ROOT, path), "rb") as file:
        return re.match(rb"#!\s*/\S*(bash|sh)\b|#!/usr/bin/env (bash|sh)\b",
                        file.readline()) is not None


def shell():
    scripts = [path for path in files("") if is_shell(path)]
    scripts += [p for p in ("check", "demo", ".ci/run") if is_shell(p)]
    yield from run("shellcheck", "-x", "-e", "SC2317", "--source-path=SCRIPTDIR", *scripts)


def cppcheck():
    yield from run("cppcheck", "-q", "--std=c11", "--library=gnu",
                   "--enable=warning,performance,portability",
                   "--inline-suppr", "--error-exitcode=1",
                   "-D__GNUC__=12", "-D__x86_64__", "-D__SIZEOF_POINTER__=8",
                   "-Iinclude", "-Ilibibverbs", "-Ilibrdmacm", "-Iproviders",
                   *LIBRARY_DIRS)


RULES = {rule.__name__: rule for rule in
         (floors, basenames, sizes, spdx, format, spelling, shell, cppcheck)}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in RULES:
        sys.exit(__doc__)
    findings = list(RULES[sys.argv[1]]())
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
