#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Check the environment variables: the manual pages, the README and ibv_doctor
list exactly those that the library and its providers read.
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # write nothing to the source tree
import man_page as man  # noqa: E402 pylint: disable=wrong-import-position

# Not part of the library: programs, and an example that is not installed.
EXCLUDED = ("libibverbs/tools", "providers/template")
# This file reads the variable that its caller specifies.
READER = "libibverbs/util/env.c"
PAGES = ("libibverbs.7", "uroce.7", "ibv_provider.7")
DOCTOR = ("libibverbs", "tools", "doctor", "doctor_environment.c")
NAME = r"[A-Z][A-Z0-9]*_[A-Z0-9_]+"


def source_files():
    """(path, text) of each source file."""
    for top in ("libibverbs", "providers"):
        for folder, _, names in os.walk(os.path.join(man.ROOT, top)):
            path = os.path.relpath(folder, man.ROOT)
            if path.startswith(EXCLUDED):
                continue
            for name in names:
                if name.endswith((".c", ".h")) or name == "CMakeLists.txt":
                    yield os.path.join(path, name), man.read(folder, name)


def variables_in_code(findings):
    """{variable: the file that reads it}"""
    macros, calls, found = {}, [], {}
    for path, text in source_files():
        macros.update(re.findall(r'^#define (\w+)\s+"(\w+)"$', text,
                                 re.MULTILINE))
        for name in re.findall(rf"\bOPT_IN ({NAME})", text):
            found[name] = path
        if path != READER:
            calls += [(path, argument) for argument in re.findall(
                r"\b(?:secure_getenv|getenv|env_path|env_on|env_long)"
                r"\(\s*([^,)]+)", text)]
    for path, argument in calls:
        name = macros.get(argument, argument.strip('"'))
        if re.fullmatch(NAME, name):
            found[name] = path
        # OPT_IN variables are known already; prototypes read nothing.
        elif name != "opt_in->variable" and not name.startswith("const "):
            findings.append(f"{path}: cannot resolve variable {argument}")
    return found


def variables_in_pages():
    found = set()
    for page in man.pages():
        if page.file in PAGES:
            lines = page.sections.get("ENVIRONMENT", [])
            for before, line in zip(lines, lines[1:]):
                if before == ".TP":
                    found |= set(re.findall(NAME, man.plain(line)))
    return found


def variables_in_readme():
    section = man.read(man.ROOT, "README.md").split("## Environment")[1]
    rows = re.findall(r"^\|([^|]*)\|", section.split("\n## ")[0], re.MULTILINE)
    return set(re.findall(NAME, "\n".join(rows)))


def variables_in_doctor():
    """The variables that it knows, and the prefixes that it examines."""
    text = man.read(man.ROOT, *DOCTOR)
    tables = {name: re.findall(r'"(\w+)"', body) for name, body in
              re.findall(r"(prefixes|known)\[\] = \{(.*?)\}", text,
                         re.DOTALL)}
    return set(tables["known"]), tuple(tables["prefixes"])


def main():
    findings = []
    read = variables_in_code(findings)
    known, prefixes = variables_in_doctor()
    if len(read) < 10:
        findings.append(f"too few variables found: {sorted(read)}")
    for place, listed, expected in (
            ("section 7", variables_in_pages(), set(read)),
            ("README.md", variables_in_readme(), set(read)),
            (os.path.join(*DOCTOR), known,
             {name for name in read if name.startswith(prefixes)})):
        findings += [f"{place}: {name} is missing ({read[name]} reads it)"
                     for name in sorted(expected - listed)]
        findings += [f"{place}: the code does not read {name}"
                     for name in sorted(listed - expected)]
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
