#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The options of each program: --help and its page tell the same.

options_test.py BUILD SOURCE
"""
import os
import re
import sys
import tool_world as world

SOURCE = sys.argv[2]
MAN = os.path.join(SOURCE, "man")
# Its help has another form; tests/tools/doctor/ compares it with the page.
ELSEWHERE = {"ibv_doctor"}


def of_help(name):
    """{long form: (letter, argument)} of what --help prints."""
    text = world.run(world.ours(name), "--help").stdout
    return {long: (letter, argument) for letter, long, argument in
            re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?:=(\w+))? ", text,
                       re.MULTILINE)}


def of_page(name):
    with open(os.path.join(MAN, name + ".1"), encoding="utf-8") as file:
        text = file.read()
    section = re.search(r'^\.SH OPTIONS\n(.*?)^\.SH ', text,
                        re.MULTILINE | re.DOTALL).group(1)
    heads = [re.sub(r"\\f.", "", head).replace("\\-", "-") for head in
             re.findall(r"^\.TP\n(.*)", section, re.MULTILINE)]
    found = [re.fullmatch(r"(?:-(\w), )?--([\w-]+)(?:=(\w+))?", head)
             for head in heads]
    world.check(all(found), f"{name}.1: form of OPTIONS", heads)
    return {one[2]: (one[1] or "", one[3] or "") for one in found if one}


def main():
    programs = sorted(name[:-2] for name in os.listdir(MAN)
                      if name.endswith(".1"))
    world.check(len(programs) >= 8, "pages of programs", programs)
    for name in programs:
        if name in ELSEWHERE:
            continue
        told, page = of_help(name), of_page(name)
        world.check(told and told == page, f"{name}.1: options",
                    sorted(set(told.items()) ^ set(page.items())))
    world.finish()


main()
