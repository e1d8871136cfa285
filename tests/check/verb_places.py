#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""CONTRIBUTING.md lists every file that a new verb touches: verb_places.py [ROOT].

The files that contain the name of one verb are compared with the section "Add a
verb". Its lists under "Sources" and "Tests" are complete, and not longer than
the limits below: each entry stands for one file of the verb, and each file of
the verb is in one entry. Entries under "Facts" and "Some verbs only" may stand
for none.
"""

import os
import re
import sys

VERB = "alloc_dmah"
LIMITS = {"Sources": 13, "Tests": 6, "Some verbs only": 4}
OPTIONAL = ("Facts", "Some verbs only")

FOLDERS = ("include", "libibverbs", "providers", "cmake", "man", "debian",
           "redhat", "tests")
# The names of one verb in the parts of the tree.
NAME = re.compile(
    rb"(?<!\w)(ibv_|ibv_cmd_|verbs_cmd_|verbs_api_|foreign_cmd_|foreign_adapt_"
    rb"|op_default_|fake_|kernel_cap_)?" + VERB.encode() + rb"(?!\w)", re.I)


def files_with_verb(root):
    """Return the set of paths below root whose text contains the verb."""
    found = set()
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            if "__pycache__" in folder:
                continue
            for name in names:
                path = os.path.join(folder, name)
                if os.path.samefile(path, __file__):
                    continue
                with open(path, "rb") as file:
                    if NAME.search(file.read()):
                        found.add(os.path.relpath(path, root))
    return found


def listed_places(root):
    """Return {title: [pattern of paths]} of the section "Add a verb"."""
    with open(os.path.join(root, "CONTRIBUTING.md"), encoding="utf-8") as file:
        section = re.search(r"^## Add a verb\n(.*?)^## ", file.read(),
                            re.DOTALL | re.MULTILINE)[1]
    places = {}
    for part in re.split(r"^### ", section, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        places[title] = re.findall(r"^(?:\d+\.|-) +`([^`]+)`", text,
                                   re.MULTILINE)
    return places


def entries_of(path, entries):
    """Return the entries for a path; <object> stands for a part of a name."""
    if path in entries:
        return [path]
    return [entry for entry in entries
            if re.fullmatch(r"\w+".join(map(re.escape,
                                            re.split(r"<\w+>", entry))), path)]


def main():
    """Print the differences; return 1 if there are any."""
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    places = listed_places(root)
    titles = {entry: title for title, entries in places.items()
              for entry in entries}
    owned = {entry: [] for entry in titles}
    wrong = [f"CONTRIBUTING.md: no section {title}"
             for title in sorted({*LIMITS, *OPTIONAL}) if title not in places]
    for path in sorted(files_with_verb(root)):
        found = entries_of(path, titles)
        if len(found) == 1:
            owned[found[0]].append(path)
        else:
            wrong.append(f"{path}: in {len(found)} entries of CONTRIBUTING.md")
    for entry, paths in owned.items():
        if titles[entry] not in OPTIONAL and len(paths) != 1:
            wrong.append(f"{entry}: stands for {len(paths)} files of {VERB}")
    for title, limit in LIMITS.items():
        number = sum(len(owned[entry]) for entry in places.get(title, []))
        print(f"{title}: {number} files, at most {limit}")
        if number > limit:
            wrong.append(f"{title}: more than {limit} files")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
