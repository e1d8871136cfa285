#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Rules on names and texts: language_rules.py RULE [PATH...].

wording     comments and documents avoid the expressions of wording.txt
duplicates  a function name has one definition in the libraries and the providers
test_names  test functions are named <unit>_<condition>_<result>
commits     subjects of commits: "area: verb in the imperative", 72 columns

Without PATH, each rule takes the whole tree.
"""

import collections
import os
import re
import subprocess
import sys
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# They quote what the rules forbid, or are data.
QUOTING = ("tests/check/wording.txt", "tests/check/language_rules.py",
           "Documentation/style.md", "LICENSES/", "tests/data/",
           "tests/fuzz/corpus/", "debian/changelog", "debian/copyright")
TEXT_SUFFIXES = (".md", ".1", ".3", ".7")
HASH_SUFFIXES = (".sh", ".cmake", ".txt", ".tsv", ".yml", ".yaml")
SUBJECT_AREA = re.compile(r"[A-Za-z0-9_./+-]+(, [A-Za-z0-9_./+-]+)*: ")
# Commits from this date on follow the rule.
FIRST_COMMIT_DATE = "2026-11-22 15:30:00 +0000"
NO_VERB = re.compile(
    r"^(who|what|whose|how|whether|why|one|nobody|that|there|this|it|its|a|an|"
    r"the|no|not|each|every|all|some|more|less|if|when|where|as|so|two|three)\b")
BAD_TEST_WORDS = {"who", "what", "whose", "it", "its", "nobody", "others",
                  "other", "nor", "so", "also", "a", "an", "they",
                  "theirs", "one", "everybody", "somebody"}


def tracked():
    """Paths of the tree; without git, as in a release archive, all files."""
    result = subprocess.run(["git", "ls-files"], cwd=ROOT, check=False,
                            capture_output=True, text=True)
    if result.returncode == 0 and result.stdout:
        return result.stdout.splitlines()
    paths = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in (".git", "build")]
        paths += [os.path.relpath(os.path.join(folder, name), ROOT)
                  for name in names]
    return paths


def chosen(prefixes):
    for path in sorted(tracked()):
        if prefixes and not path.startswith(tuple(prefixes)):
            continue
        if os.path.isfile(os.path.join(ROOT, path)):
            yield path


def content(path):
    with open(os.path.join(ROOT, path), encoding="utf-8",
              errors="replace") as file:
        return file.read()


def c_comments(text):
    """Yields (line number, text) of the comments of C source."""
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|'
                       r'/\*.*?\*/|//[^\n]*', re.DOTALL)
    for match in token.finditer(text):
        if match[0].startswith("/"):
            line = text.count("\n", 0, match.start()) + 1
            body = re.sub(r"^\s*/?\*+/?|\*/$|^//", "", match[0],
                          flags=re.MULTILINE)
            yield line, body


def python_comments(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        last = None
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string[1:]
            elif token.type == tokenize.STRING and \
                    token.string.lstrip("rbuRBU").startswith('"""') and \
                    last in (None, tokenize.NEWLINE, tokenize.INDENT,
                             tokenize.NL, tokenize.ENCODING, tokenize.COMMENT):
                yield token.start[0], token.string
            last = token.type


def hash_comments(text):
    """Adjacent comment lines are one text, so that sentences stay whole."""
    block, start = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        match = re.match(r"\s*#(?!!)\s?(.*)", line)
        if match:
            start = start or number
            block.append(match[1])
        elif block:
            yield start, "\n".join(block)
            block, start = [], 0


def is_script(path):
    return re.match(r"#!.*\b(bash|sh)\b", content(path)[:80]) is not None


def texts(path):
    if path.endswith((".c", ".h")):
        return c_comments(content(path))
    if path.endswith(".py"):
        return python_comments(path)
    if path.endswith(".md"):
        # Names in code spans are not words of the text.
        return [(1, re.sub(r"`[^`\n]*`", "``", content(path)))]
    if path.endswith(TEXT_SUFFIXES):
        return [(1, content(path))]
    name = os.path.basename(path)
    if path.endswith(HASH_SUFFIXES) or "." not in name:
        if path.endswith(HASH_SUFFIXES) or is_script(path):
            return hash_comments(content(path))
    return []


def wording(prefixes):
    table = []
    for line in content("tests/check/wording.txt").splitlines():
        if line and not line.startswith("#"):
            pattern, instead = line.split("\t")
            table.append((re.compile(pattern, re.MULTILINE), instead))
    for path in chosen(prefixes):
        if path.startswith(QUOTING):
            continue
        for line, text in texts(path):
            flat = re.sub(r"\s*\n\s*", " ", text)
            starts = [0]
            for part in text.split("\n"):
                starts.append(starts[-1] + len(part) + 1)
            for pattern, instead in table:
                for match in pattern.finditer(text):
                    at = line + text.count("\n", 0, match.start())
                    yield (f"{path}:{at}: \"{match[0].strip()}\": {instead}")
                # An expression that a line end divides.
                if " " in pattern.pattern and pattern.search(flat) and \
                        not pattern.search(text):
                    found = pattern.search(flat)[0].strip()
                    yield f"{path}:{line}: \"{found}\": {instead}"


def definitions(path):
    """Names of the functions that a C file of the tree's style defines."""
    lines = content(path).split("\n")
    for number, line in enumerate(lines):
        if line != "{":
            continue
        first = number
        while first > 0 and lines[first - 1] and \
                not re.search(r"[;}]\s*$|\*/\s*$|^#|^\S.*:$", lines[first - 1]):
            first -= 1
        head = " ".join(lines[first:number])
        head = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head)
        if re.match(r"\s*(struct|union|enum)\s+\w+\s*$|.*=\s*$", head):
            continue
        match = re.search(r"(\w+)\s*\(", head)
        if match and not match[1].isupper():
            yield match[1], number + 1
        elif match:
            match = re.search(r"(?<![A-Z_])\b([a-z]\w*)\s*\(", head)
            if match:
                yield match[1], number + 1


def duplicates(prefixes):
    places = collections.defaultdict(list)
    for path in chosen(()):
        if path.startswith(("libibverbs/", "librdmacm/", "providers/",
                            "include/")) and \
                path.endswith((".c", ".h")):
            for name, line in definitions(path):
                places[name].append(f"{path}:{line}")
    for name, where in sorted(places.items()):
        # A program has one main(); the loader has a form for static programs.
        if name in ("main", "verbs_layer_module_load") or \
                name.startswith("verbs_provider_load_"):
            continue
        if len(where) > 1 and (not prefixes or any(
                place.startswith(tuple(prefixes)) for place in where)):
            yield f"{name}: defined {len(where)} times: {', '.join(where)}"


def test_names(prefixes):
    places = collections.defaultdict(set)
    sources = {path: content(path) for path in chosen(("tests/",))
               if path.endswith((".c", ".h"))}
    # A macro of the tests that passes its argument on as the test function.
    macro = re.compile(r"#define (\w+)\((\w+)[^)]*\)(?:\s|\\\n)*"
                       r"cmocka_unit_test\w*\((?:\s|\\\n)*\2\b")
    macros = {match[1] for text in sources.values()
              for match in macro.finditer(text)}
    pattern = re.compile(r"\b(?:cmocka_unit_test\w*|%s)\(\s*([a-z]\w*)" %
                         "|".join(sorted(macros) or ["cmocka_unit_test"]))
    for path, text in sources.items():
        text = re.sub(r"#define(?:.*\\\n)*.*", "", text)
        for match in pattern.finditer(text):
            places[match[1]].add(path)
    for name, where in sorted(places.items()):
        if prefixes and not any(p.startswith(tuple(prefixes)) for p in where):
            continue
        words = name.split("_")
        bad = BAD_TEST_WORDS.intersection(words)
        if words[-1] == "too":
            bad.add("too")
        if words[0] == "the" or words[0] in BAD_TEST_WORDS:
            yield f"{min(where)}: {name}: begin with the unit under test"
        elif bad:
            yield f"{min(where)}: {name}: avoid \"{min(bad)}\""
        elif len(words) < 3:
            yield f"{min(where)}: {name}: <unit>_<condition>_<result>"
        if len(where) > 1:
            yield f"{name}: in {len(where)} files: {', '.join(sorted(where))}"
    yield from left_out_names(sources)


def left_out_names(sources):
    """The tests that a run on another machine leaves out exist."""
    words = set(re.findall(r"\w+", "\n".join(sources.values())))
    for line in content("tests/cross/left_out.txt").splitlines():
        field = line.split("#")[0].split()
        if len(field) > 2 and field[2] != "*" and field[2] not in words:
            yield f"tests/cross/left_out.txt: no test {field[2]}"


def commits(prefixes):
    result = subprocess.run(
        ["git", "log", "--no-merges", f"--since={FIRST_COMMIT_DATE}",
         "--format=%h %s"] + prefixes, cwd=ROOT, check=False,
        capture_output=True, text=True)
    for line in result.stdout.splitlines():
        commit, subject = line.split(" ", 1)
        area = SUBJECT_AREA.match(subject)
        if not area:
            yield f"{commit}: no \"area: \" in \"{subject}\""
        elif NO_VERB.match(subject[area.end():].lower()):
            yield f"{commit}: no verb in the imperative: \"{subject}\""
        if len(subject) > 72:
            yield f"{commit}: {len(subject)} columns: \"{subject}\""
        if subject.endswith("."):
            yield f"{commit}: ends with a full stop: \"{subject}\""


RULES = {rule.__name__: rule
         for rule in (wording, duplicates, test_names, commits)}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in RULES:
        sys.exit(__doc__)
    findings = list(RULES[sys.argv[1]](sys.argv[2:]))
    print("\n".join(findings))
    sys.exit(1 if findings else 0)


main()
