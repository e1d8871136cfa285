#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Variables of the environment that the library and its providers read are
those that their pages, the README and ibv_doctor tell of, and no others.
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
import man_page as man  # noqa: E402 pylint: disable=wrong-import-position

# Not of the library: programs, and an example that is not installed.
LEFT_OUT = ("libibverbs/tools", "providers/template")
# The one file that reads what its caller names.
READER = "libibverbs/util/env.c"
PAGES = ("libibverbs.7", "uroce.7", "ibv_provider.7")
DOCTOR = ("libibverbs", "tools", "doctor", "doctor_environment.c")
NAME = r"[A-Z][A-Z0-9]*_[A-Z0-9_]+"


def sources():
    """(path, text) of each file."""
    for top in ("libibverbs", "providers"):
        for folder, _, names in os.walk(os.path.join(man.ROOT, top)):
            path = os.path.relpath(folder, man.ROOT)
            if path.startswith(LEFT_OUT):
                continue
            for name in names:
                if name.endswith((".c", ".h")) or name == "CMakeLists.txt":
                    yield os.path.join(path, name), man.read(folder, name)


def of_code(findings):
    """{variable: file that reads it}"""
    macros, calls, found = {}, [], {}
    for path, text in sources():
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
        # What was given to OPT_IN, and prototypes.
        elif name != "opt_in->variable" and not name.startswith("const "):
            findings.append(f"{path}: what does it read with {argument}?")
    return found


def of_pages():
    found = set()
    for page in man.pages():
        if page.file in PAGES:
            lines = page.sections.get("ENVIRONMENT", [])
            for before, line in zip(lines, lines[1:]):
                if before == ".TP":
                    found |= set(re.findall(NAME, man.plain(line)))
    return found


def of_readme():
    section = man.read(man.ROOT, "README.md").split("## Environment")[1]
    rows = re.findall(r"^\|([^|]*)\|", section.split("\n## ")[0], re.MULTILINE)
    return set(re.findall(NAME, "\n".join(rows)))


def of_doctor():
    """What it knows, and how the names begin at which it looks."""
    text = man.read(man.ROOT, *DOCTOR)
    tables = {name: re.findall(r'"(\w+)"', body) for name, body in
              re.findall(r"(prefixes|known)\[\] = \{(.*?)\}", text,
                         re.DOTALL)}
    return set(tables["known"]), tuple(tables["prefixes"])


def main():
    findings = []
    read = of_code(findings)
    known, beginnings = of_doctor()
    if len(read) < 10:
        findings.append(f"only these are read: {sorted(read)}")
    for where, told, expected in (
            ("section 7", of_pages(), set(read)),
            ("README.md", of_readme(), set(read)),
            (os.path.join(*DOCTOR), known,
             {name for name in read if name.startswith(beginnings)})):
        findings += [f"{where}: no {name} ({read[name]} reads it)"
                     for name in sorted(expected - told)]
        findings += [f"{where}: {name}, which nobody reads"
                     for name in sorted(told - expected)]
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
