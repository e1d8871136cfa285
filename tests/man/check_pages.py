#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Rules of the manual pages: check_pages.py RULE.

names      each public name has a page, and each page names what there is
sections   sections are all there and in order, and the title is right
synopses   each name of a page is in its SYNOPSIS, and only those
links      pages that are referred to exist
lint       groff and mandoc have nothing to say
"""
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
import man_page as man  # noqa: E402 pylint: disable=wrong-import-position

REQUIRED = ["NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "ERRORS",
            "THREADS", "EXAMPLE", "SEE ALSO"]
ORDER = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "RETURN VALUE",
         "EXIT STATUS", "FILES", "ENVIRONMENT", "VERSIONS", "ERRORS", "THREADS",
         "NOTES", "EXAMPLE", "SEE ALSO"]
# What a page of another volume cannot do without.
REQUIRED_ELSEWHERE = {
    "1": ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ERRORS",
          "EXAMPLE", "SEE ALSO"],
    "7": ["NAME", "DESCRIPTION", "ERRORS", "THREADS", "SEE ALSO"],
}
# How our names begin; all other pages are the system's.
OURS = re.compile(r"_?ibv_|mult_to|mbps_to|verbs_|vext_|libibverbs|uroce")


def unwritten():
    return {row[0] for row in man.rows(man.HERE, "unwritten.txt")}


def names():
    public, missing, seen = man.public(), unwritten(), {}
    for file, described, topics in man.table():
        for name in described:
            if name not in public:
                yield f"pages.txt: {name} is no public name"
        for name in topics:
            if name in public:
                yield f"pages.txt: {name} is a name, it needs no +"
        for name in described + topics:
            if name in seen:
                yield f"pages.txt: {name} is in {seen[name]} and {file}"
            seen[name] = file
    for name in sorted(public - set(seen)):
        yield f"pages.txt: no page for {name}"
    files = {page.file for page in man.pages()}
    listed = {row[0] for row in man.table()}
    for file in sorted(files - listed):
        yield f"{file}: not in pages.txt"
    for file in sorted(listed - files - missing):
        yield f"{file}: neither written nor in unwritten.txt"
    for file in sorted(files & missing):
        yield f"{file}: written, but in unwritten.txt"
    for file in sorted(missing - listed):
        yield f"unwritten.txt: {file} is not in pages.txt"


def title_findings(page):
    head = man.read(page.path).splitlines()
    if head[0] != '.\\" SPDX-License-Identifier: ' \
                  'GPL-2.0-only OR BSD-2-Clause':
        yield f"{page.file}: no SPDX line"
    if not head[1].startswith(
            f".TH {page.title.upper()} {page.volume} 2"):
        yield f"{page.file}: its .TH line is of another page"
    listed = re.split(r"\s-\s", page.text("NAME"))[0].replace(",", " ").split()
    expected = page.names or [page.title]
    if sorted(listed) != sorted(expected):
        odd = sorted(set(listed) ^ set(expected))
        yield f"{page.file}: NAME and pages.txt differ in {odd}"


def sections():
    for page in man.pages():
        there = list(page.sections)
        required = REQUIRED_ELSEWHERE.get(page.volume, REQUIRED)
        for name in required:
            if not page.text(name).strip():
                yield f"{page.file}: no {name}"
        if there != [name for name in ORDER if name in there]:
            yield f"{page.file}: sections in another order, or unknown: {there}"
        yield from title_findings(page)


def synopses():
    for page in man.pages():
        if page.volume != "3":
            continue
        text = "\n".join(code for _, code in page.code("SYNOPSIS"))
        declared = set(re.findall(r"\b(\w+)\s*\(", text))
        for name in page.names:
            if name not in declared:
                yield f"{page.file}: {name} is not in the SYNOPSIS"
        for name in sorted(declared & man.public() - set(page.names)):
            yield f"{page.file}: {name} is in the SYNOPSIS, not in pages.txt"


def links():
    ours = set()
    for file, described, topics in man.table():
        ours |= {file.rsplit(".", 1)[0], *described, *topics}
    for page in man.pages():
        for section in page.sections:
            text = re.sub(r"(\w) \((\d)\)", r"\1(\2)", page.text(section))
            for name in re.findall(r"([\w.]+)\([1-8]\)", text):
                if OURS.match(name) and name not in ours:
                    yield f"{page.file}: {section} refers to {name}"
        see = re.findall(r"([\w.]+) \(", page.text("SEE ALSO"))
        if set(see) & ({page.title} | set(page.names)):
            yield f"{page.file}: SEE ALSO refers to the page itself"


def run(page, *command):
    """One line for each that the tool says."""
    result = subprocess.run([*command, page.path], check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    yield from (f"{page.file}: {line}" for line in
                result.stdout.splitlines() if line.strip())
    if result.returncode and not result.stdout.strip():
        yield f"{page.file}: {command[0]} ended with {result.returncode}"


def lint():
    for page in man.pages():
        yield from run(page, "groff", "-man", "-Tutf8", "-ww", "-z")
        # Of its remarks on style, one is on pages of other systems.
        for line in run(page, "mandoc", "-Tlint", "-Wstyle"):
            if "referenced manual not found" not in line:
                yield line
        for number, line in enumerate(man.read(page.path).splitlines(), 1):
            if line != line.rstrip() or "\t" in line and \
               not line.startswith("\t"):
                yield f"{page.file}:{number}: blanks at the end, or a tab"


RULES = {rule.__name__: rule for rule in
         (names, sections, synopses, links, lint)}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in RULES:
        sys.exit(__doc__)
    if not man.pages():
        sys.exit("there are no pages")
    findings = list(RULES[sys.argv[1]]())
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
