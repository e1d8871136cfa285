# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Read the manual pages: their names, their sections and their C code.

Used by the check_*.py scripts. The parser supports only the part of man(7) that
the pages use: a .SH line begins a section, and C code is between .EX and .EE.
The folder man/rdmacm contains the pages of librdmacm.
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
MAN = os.path.join(ROOT, "man")
HERE = os.path.join(ROOT, "tests", "man")
RDMACM = "rdmacm"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def rows(*path):
    """The rows of a table without comments, as lists of words."""
    lines = (line.split("#")[0].split() for line in
             read(*path).splitlines())
    return [line for line in lines if line]


class Page:
    """A page in man/, file in it; names: what its section NAME lists."""

    def __init__(self, file):
        self.file = file
        self.path = os.path.join(MAN, file)
        self.is_rdmacm = os.path.dirname(file) == RDMACM
        self.title, self.volume = os.path.basename(file).rsplit(".", 1)
        self.aliases = re.findall(r'^\.\\" alias: (\w+)$', read(self.path),
                                  re.MULTILINE)
        self.sections = {}
        current = None
        for line in read(self.path).splitlines():
            if line.startswith(".SH "):
                current = line[4:].strip('"')
                self.sections[current] = []
            elif current is not None:
                self.sections[current].append(line)
        self.names = re.split(r"\s-\s", self.text("NAME"))[0].replace(
            ",", " ").split()

    def text(self, section):
        """The text of a section, without macros and fonts."""
        lines = (re.sub(r"^\.(?:[BIR]{1,2}|TP|IP|PP|SS)\s*", "", line)
                 for line in self.sections.get(section, [])
                 if not line.startswith('.\\"'))
        return plain("\n".join(lines))

    def code(self, section):
        """(kind, text) of each code block; kind is the word in its mark."""
        kind, block = None, None
        for line in self.sections.get(section, []):
            mark = re.match(r'^\.\\" example: (\w+)$', line)
            if mark:
                kind = mark.group(1)
            elif line == ".EX":
                block = []
            elif line == ".EE":
                yield kind, plain("\n".join(block)) + "\n"
                kind, block = None, None
            elif block is not None:
                block.append(line)


def plain(text):
    """Text without escape sequences, as the formatted page shows it."""
    text = re.sub(r"\\f(?:\[\w*\]|\w)", "", text)
    text = re.sub(r"\\&", "", text)
    return text.replace("\\-", "-").replace("\\e", "\\")


def pages():
    files = [os.path.join(folder, name) for folder in ("", RDMACM)
             for name in sorted(os.listdir(os.path.join(MAN, folder)))]
    return [Page(file) for file in files
            if re.fullmatch(r".*\.[1-8]", file)]


def exported():
    """Exported functions with a default symbol version."""
    return {row[0] for row in rows(ROOT, "tests", "abi", "symbols.tsv")
            if len(row) > 2 and row[2] == "@@"}


def rdmacm():
    """Public names of librdmacm, and inline functions of its headers."""
    version_script = "\n".join(
        " ".join(row) for row in rows(ROOT, "librdmacm", "librdmacm.map"))
    version_script = version_script.split("ANYVERBS_1 {")[0]
    names = set(re.findall(r"^(\w+);", version_script, re.MULTILINE))
    return names | {row[0] for row in
                    rows(ROOT, "tests", "abi", "rdmacm", "inlines.txt")}


def declared():
    """Functions that verbs.h declares."""
    header = read(ROOT, "include", "infiniband", "verbs.h")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    header = re.sub(r"^#.*(?:\\\n.*)*", "", header, flags=re.MULTILINE)
    return set(re.findall(r"\b(_?ibv_\w+|\w+_to_ibv_\w+)\s*\(", header))


def inlines():
    """Inline functions and macros of the public headers for applications."""
    names = {row[0] for row in rows(ROOT, "tests", "abi", "inlines.txt")}
    header = read(ROOT, "include", "infiniband", "verbs_inline.h")
    names |= set(re.findall(r"^#define (\w+)\(", header, re.MULTILINE))
    return {name for name in names if not name.startswith("_")}


def public():
    return exported() | declared() | inlines() | rdmacm()
