#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a shell offers for the last word of a command: the options that --help
tells, devices, ports, GIDs and hosts. The shells are real ones; the files are
where they look for them, under the names that they are installed with.

completion_test.py BUILD SOURCE bash|zsh|fish
"""
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import tool_world as world

SOURCE, SHELL = sys.argv[2:]
FILES = os.path.join(SOURCE, "libibverbs", "tools", "completion")
PROGRAMS = sorted(os.path.basename(name)[:-2] for name in
                  os.listdir(os.path.join(SOURCE, "man"))
                  if name.endswith(".1"))
KEPT = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
FOLDER = KEPT.name
FILE_NAMES = {"bash": {name: "ibv_tools" for name in PROGRAMS},
              "zsh": {"_ibv_tools": "_ibv_tools"},
              "fish": {f"{name}.fish": "ibv_tools.fish" for name in PROGRAMS}}
# A word that has a "=" in it is three for bash.
BASH = r"""
. "$FOLDER/$1"
[[ $(complete -p "$1") =~ -F\ ([^ ]*) ]]
COMP_WORDS=()
for word; do
	if [[ $word == --*=* ]]; then
		COMP_WORDS+=("${word%%=*}" =)
		word=${word#*=}
		[ -n "$word" ] || continue
	fi
	COMP_WORDS+=("$word")
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMPREPLY=()
"${BASH_REMATCH[1]}" "$1" "${COMP_WORDS[COMP_CWORD]}" \
	"${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""
# Puts all that would be offered into the line, which only the editor can do.
ZSH = r"""
fpath=($FOLDER $fpath)
autoload -Uz compinit && compinit -u
insert_all() { _main_complete; compstate[insert]=all }
zle -C insert_all complete-word insert_all
zle-line-init() {
	BUFFER=$LINE_BEGUN
	CURSOR=$#BUFFER
	zle insert_all
	print -r -- "$BUFFER" >$RESULT
	exit
}
zle -N zle-line-init
"""
FISH = r"""
set fish_complete_path $FOLDER $fish_complete_path
complete -C $LINE_BEGUN
"""


def bash(words):
    env = world.environment(FOLDER=FOLDER)
    return ["bash", "--norc", "-c", BASH, "bash", *words], env


def zsh(words):
    with open(os.path.join(FOLDER, ".zshrc"), "w", encoding="ascii") as file:
        file.write(ZSH)
    env = world.environment(FOLDER=FOLDER, ZDOTDIR=FOLDER, TERM="dumb",
                            LINE_BEGUN=" ".join(words),
                            RESULT=os.path.join(FOLDER, "result"))
    return ["zsh", "-d", "-i"], env


def fish(words):
    env = world.environment(FOLDER=FOLDER, HOME=FOLDER,
                            LINE_BEGUN=" ".join(words))
    return ["fish", "--no-config", "-c", FISH], env


def on_terminal(command, env):
    """The editor of a shell wants one; what it draws there does not matter."""
    main, terminal = pty.openpty()
    with subprocess.Popen(command, env=env, stdin=terminal, stdout=terminal,
                          stderr=terminal, start_new_session=True) as process:
        os.close(terminal)
        shown = b""
        try:
            while piece := os.read(main, 4096):
                shown += piece
        except OSError:
            pass  # the end, on a terminal
    os.close(main)
    return shown


def ask(words):
    """The words that are offered, and what went wrong."""
    command, env = {"bash": bash, "zsh": zsh, "fish": fish}[SHELL](words)
    env["PATH"] = os.path.join(world.BUILD, "bin") + ":" + env["PATH"]
    if SHELL != "zsh":
        result = subprocess.run(command, check=False, text=True, env=env,
                                timeout=world.TIMEOUT, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        return {line.split("\t")[0] for line in result.stdout.splitlines()}, \
            result.stderr
    shown = on_terminal(["timeout", str(world.TIMEOUT), *command], env)
    if not os.path.exists(env["RESULT"]):
        return set(), shown
    with open(env["RESULT"], encoding="utf-8") as file:
        line = file.read()
    os.remove(env["RESULT"])
    # Where nothing fits, the line is as it was.
    begun = len(words) - 1
    return set(line.split()[begun:]) - {words[-1]}, ""


def complete(*words):
    """The values, or options without the "=" that some shells put there."""
    got, wrong = ask(words)
    world.check(not wrong, f"completion of {words}", wrong)
    head = re.match("--.*?=|", words[-1]).group()
    return {word.removeprefix(head).rstrip("=") for word in got} - {""}


def completed(line, *expected):
    got = complete(*line.split(" "))
    world.check(got == set(expected), f"completion of {line}", got)


def check_values():
    for name in ("ibv_devinfo", "ibv_asyncwatch", "ibv_ud_pingpong",
                 "ibv_doctor"):
        completed(f"{name} -d ", "uroce_lo")
        completed(f"{name} --ib-dev=uro", "uroce_lo")
        completed(f"{name} --ib-dev=", "uroce_lo")
        completed(f"{name} -d x")
    completed("ibv_devinfo -i ", "1")
    completed("ibv_devinfo -d uroce_lo -v -i ", "1")
    completed("ibv_devinfo --ib-dev=none -i ")
    completed("ibv_doctor --ib-dev=uroce_lo --ib-port=", "1")
    completed("ibv_doctor -m 1", "1G", "1M", "16G")
    completed("ibv_doctor --memory=6", "64M")
    completed("ibv_rc_pingpong --gid-idx=", "0", "1")
    completed("ibv_rc_pingpong -m 2", "256", "2048")
    completed("ibv_rc_pingpong --mtu=4", "4096")
    completed("ibv_rc_pingpong -n ")
    completed("ibv_rc_pingpong -e --nu")
    completed("ibv_srq_pingpong -e --nu", "--num-qp")
    hosts = complete("ibv_rc_pingpong", "-e", "localh")
    world.check("localhost" in hosts, "completion of a host", hosts)


def main():
    if not shutil.which(SHELL):
        print(f"not installed: {SHELL}")
        sys.exit(world.SKIPPED)
    for name, file in FILE_NAMES[SHELL].items():
        shutil.copyfile(os.path.join(FILES, file), os.path.join(FOLDER, name))
    world.check(len(PROGRAMS) >= 9, "pages of programs", PROGRAMS)
    for name in PROGRAMS:
        told = world.run(world.ours(name), "--help").stdout
        options = re.findall(r"(?:^  |^      |, )(-\w(?=,)|--[\w-]+)", told,
                             re.MULTILINE)
        world.check(len(options) >= 3, f"options of {name}", told)
        completed(f"{name} -", *options)
    check_values()
    world.finish()


main()
