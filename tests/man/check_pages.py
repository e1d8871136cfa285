#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Check a rule of the manual pages: check_pages.py RULE.

names      each public name has a page, and pages describe only public names
sections   required sections exist in the right order, and the title is right
synopses   a SYNOPSIS declares exactly the names of its page
links      pages that other pages refer to exist
lint       groff and mandoc print no warnings
"""
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # write nothing to the source tree
import man_page as man  # noqa: E402 pylint: disable=wrong-import-position

REQUIRED = ["NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "ERRORS",
            "THREADS", "EXAMPLE", "SEE ALSO"]
ORDER = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "RETURN VALUE",
         "EXIT STATUS", "FILES", "ENVIRONMENT", "VERSIONS", "ERRORS", "THREADS",
         "NOTES", "EXAMPLE", "SEE ALSO"]
# Required sections of pages in other volumes.
REQUIRED_ELSEWHERE = {
    "1": ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ERRORS",
          "EXAMPLE", "SEE ALSO"],
    "7": ["NAME", "DESCRIPTION", "ERRORS", "THREADS", "SEE ALSO"],
}
# The names of our pages and functions; all other pages are the system's.
PROJECT_NAMES = re.compile(
    r"_?ibv_|mult_to|mbps_to|verbs_|vext_|libibverbs|uroce|"
    r"rdma_|rsocket|repoll_")


def names():
    public, seen = man.public(), {}
    for page in man.pages():
        for name in page.names:
            if page.volume == "3" and name not in public:
                yield f"{page.file}: {name} is not a public name"
        for name in page.aliases:
            if name in public:
                yield f"{page.file}: {name} is a public name, not an alias"
        for name in page.names + page.aliases:
            key = (name, page.volume)
            if key in seen:
                yield f"{page.file}: {name} is also in {seen[key]}"
            seen[key] = page.file
    for name in sorted(public - {name for name, volume in seen
                                 if volume == "3"}):
        yield f"no page describes {name}"


def title_findings(page):
    head = man.read(page.path).splitlines()
    if head[0] != '.\\" SPDX-License-Identifier: ' \
                  'GPL-2.0-only OR BSD-2-Clause':
        yield f"{page.file}: the SPDX line is missing"
    if not head[1].startswith(
            f".TH {page.title.upper()} {page.volume} 2"):
        yield f"{page.file}: the .TH line has another title or volume"
    if page.volume != "3" and page.names != [page.title]:
        yield f"{page.file}: NAME has another name than the title"


def sections():
    for page in man.pages():
        found = list(page.sections)
        required = REQUIRED_ELSEWHERE.get(page.volume, REQUIRED)
        for name in required:
            if not page.text(name).strip():
                yield f"{page.file}: {name} is missing or empty"
        if found != [name for name in ORDER if name in found]:
            yield f"{page.file}: unknown section or wrong order: {found}"
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
            yield f"{page.file}: {name} is in the SYNOPSIS, not in NAME"


def links():
    pages = man.pages()
    known = {(name, page.volume) for page in pages
             for name in (page.title, *page.names, *page.aliases)}
    for page in pages:
        for section in page.sections:
            text = page.text(section)
            if section != "EXAMPLE":  # where f(4) can be a function call
                text = re.sub(r"(\w)\((\d)\)", r"\1 (\2)", text)
            for name, volume in re.findall(r"([\w.]+) \(([1-8])\)", text):
                if PROJECT_NAMES.match(name) and (name, volume) not in known:
                    yield f"{page.file}: {section} refers to " \
                          f"{name}({volume}), which has no page"
        see = re.findall(r"([\w.]+) \((\d)\)", page.text("SEE ALSO"))
        if {(name, page.volume) for name in (page.title, *page.names)} & \
           set(see):
            yield f"{page.file}: SEE ALSO refers to the page itself"


def tool_messages(page, *command):
    """Run a tool on the page and yield each line of its output."""
    result = subprocess.run([*command, page.path], check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    yield from (f"{page.file}: {line}" for line in
                result.stdout.splitlines() if line.strip())
    if result.returncode and not result.stdout.strip():
        yield f"{page.file}: {command[0]} exits with {result.returncode}"


def lint():
    for page in man.pages():
        yield from tool_messages(page, "groff", "-man", "-Tutf8", "-ww", "-z")
        # mandoc does not find the pages of packages that are not installed.
        for line in tool_messages(page, "mandoc", "-Tlint", "-Wstyle"):
            if "referenced manual not found" not in line:
                yield line
        for number, line in enumerate(man.read(page.path).splitlines(), 1):
            if line != line.rstrip() or "\t" in line and \
               not line.startswith("\t"):
                yield f"{page.file}:{number}: trailing blank, or tab in text"


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
