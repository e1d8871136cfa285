#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The options of each program: --help, its page and the completion of bash tell
the same.

options_test.py BUILD SOURCE
"""
import os
import re
import subprocess
import sys
import tool_world as world

SOURCE = sys.argv[2]
MAN = os.path.join(SOURCE, "man")
COMPLETION = os.path.join(SOURCE, "libibverbs", "tools", "completion",
                          "ibv_tools")
# Has a page and a completion of its own, with a test.
ELSEWHERE = {"ibv_doctor"}
COMPLETE = """
. "$1" && shift
function=$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMPREPLY=()
"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


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


def complete(*words):
    env = world.environment()
    env["PATH"] = os.path.join(world.BUILD, "bin") + ":" + env["PATH"]
    result = subprocess.run(
        ["bash", "--norc", "-c", COMPLETE, "bash", COMPLETION, *words],
        check=False, text=True, env=env, timeout=world.TIMEOUT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    world.check(not result.stderr, f"completion of {words}", result.stderr)
    return set(result.stdout.split())


def completed(words, expected):
    got = complete(*words)
    world.check(got == set(expected), f"completion of {' '.join(words)}", got)


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
        forms = {f"--{long}" for long in told} | \
            {f"-{letter}" for letter, _ in told.values() if letter}
        completed([name, "-"], forms)
    for name in ("ibv_devinfo", "ibv_asyncwatch", "ibv_ud_pingpong"):
        completed([name, "-d", ""], ["uroce_lo"])
        completed([name, "--ib-dev", "=", "uro"], ["uroce_lo"])
        completed([name, "--ib-dev", "="], ["uroce_lo"])
        completed([name, "-d", "x"], [])
    completed(["ibv_devinfo", "-i", ""], ["1"])
    completed(["ibv_devinfo", "-d", "uroce_lo", "-v", "-i", ""], ["1"])
    completed(["ibv_devinfo", "--ib-dev", "=", "none", "-i", ""], [])
    completed(["ibv_rc_pingpong", "--gid-idx", "=", ""], ["0", "1"])
    completed(["ibv_rc_pingpong", "-m", "2"], ["256", "2048"])
    completed(["ibv_rc_pingpong", "-n", ""], [])
    completed(["ibv_rc_pingpong", "-e", "--nu"], [])
    completed(["ibv_srq_pingpong", "-e", "--nu"], ["--num-qp"])
    completed(["ibv_devices", ""], [])
    hosts = complete("ibv_rc_pingpong", "-e", "localh")
    world.check("localhost" in hosts, "completion of a host", hosts)
    world.finish()


main()
