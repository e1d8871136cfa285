#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""--help and the manual page of each program list the same options.

options_test.py BUILD SOURCE
"""
import os
import re
import sys
import tool_harness as tools

SOURCE = sys.argv[2]
MAN = os.path.join(SOURCE, "man")
# Its help has a different format; tests/tools/doctor/ checks it.
ELSEWHERE = {"ibv_doctor"}


def options_of_help(name):
    """Returns {long form: (letter, argument)} from the output of --help."""
    text = tools.run(tools.ours(name), "--help").stdout
    return {long: (letter, argument) for letter, long, argument in
            re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?:=(\w+))? ", text,
                       re.MULTILINE)}


def options_of_page(name):
    with open(os.path.join(MAN, name + ".1"), encoding="utf-8") as file:
        text = file.read()
    section = re.search(r'^\.SH OPTIONS\n(.*?)^\.SH ', text,
                        re.MULTILINE | re.DOTALL).group(1)
    heads = [re.sub(r"\\f.", "", head).replace("\\-", "-") for head in
             re.findall(r"^\.TP\n(.*)", section, re.MULTILINE)]
    found = [re.fullmatch(r"(?:-(\w), )?--([\w-]+)(?:=(\w+))?", head)
             for head in heads]
    tools.check(all(found), f"{name}.1: form of OPTIONS", heads)
    return {one[2]: (one[1] or "", one[3] or "") for one in found if one}


def main():
    programs = sorted(name[:-2] for name in os.listdir(MAN)
                      if name.endswith(".1"))
    tools.check(len(programs) >= 8, "pages of programs", programs)
    for name in programs:
        if name in ELSEWHERE:
            continue
        listed, page = options_of_help(name), options_of_page(name)
        tools.check(listed and listed == page, f"{name}.1: options",
                    sorted(set(listed.items()) ^ set(page.items())))
    tools.finish()


main()
