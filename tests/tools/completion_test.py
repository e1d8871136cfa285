#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Completion of the last word of a command line: options from --help, devices,
ports, GIDs and hosts. Runs real shells. The completion files have the names of
an installation and are in a folder that the shell searches.

completion_test.py BUILD SOURCE bash|zsh|fish
"""
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import tool_harness as tools

SOURCE, SHELL = sys.argv[2:]
FILES = os.path.join(SOURCE, "libibverbs", "tools", "completion")
PROGRAMS = sorted(os.path.basename(name)[:-2] for name in
                  os.listdir(os.path.join(SOURCE, "man"))
                  if name.endswith(".1"))
TEMP = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
FOLDER = TEMP.name
FILE_NAMES = {"bash": {name: "ibv_tools" for name in PROGRAMS},
              "zsh": {"_ibv_tools": "_ibv_tools"},
              "fish": {f"{name}.fish": "ibv_tools.fish" for name in PROGRAMS}}
# bash splits a word with "=" into three words.
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
# Inserts all matches into the command line; only the line editor has them.
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


def bash_command(words):
    env = tools.environment(FOLDER=FOLDER)
    return ["bash", "--norc", "-c", BASH, "bash", *words], env


def zsh_command(words):
    with open(os.path.join(FOLDER, ".zshrc"), "w", encoding="ascii") as file:
        file.write(ZSH)
    env = tools.environment(FOLDER=FOLDER, ZDOTDIR=FOLDER, TERM="dumb",
                            LINE_BEGUN=" ".join(words),
                            RESULT=os.path.join(FOLDER, "result"))
    return ["zsh", "-d", "-i"], env


def fish_command(words):
    env = tools.environment(FOLDER=FOLDER, HOME=FOLDER,
                            LINE_BEGUN=" ".join(words))
    return ["fish", "--no-config", "-c", FISH], env


def run_on_terminal(command, env):
    """Runs a command on a terminal, because line editors need one."""
    main, terminal = pty.openpty()
    with subprocess.Popen(command, env=env, stdin=terminal, stdout=terminal,
                          stderr=terminal, start_new_session=True) as process:
        os.close(terminal)
        shown = b""
        try:
            while data := os.read(main, 4096):
                shown += data
        except OSError:
            pass  # end of file on a terminal
    os.close(main)
    return shown


def offered_words(words):
    """Returns the offered words, and error messages."""
    command, env = {
        "bash": bash_command, "zsh": zsh_command,
        "fish": fish_command}[SHELL](words)
    env["PATH"] = os.path.join(tools.BUILD, "bin") + ":" + env["PATH"]
    if SHELL != "zsh":
        result = subprocess.run(command, check=False, text=True, env=env,
                                timeout=tools.TIMEOUT, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        return {line.split("\t")[0] for line in result.stdout.splitlines()}, \
            result.stderr
    shown = run_on_terminal(["timeout", str(tools.TIMEOUT), *command], env)
    if not os.path.exists(env["RESULT"]):
        return set(), shown
    with open(env["RESULT"], encoding="utf-8") as file:
        line = file.read()
    os.remove(env["RESULT"])
    # Without a match, the line is unchanged.
    begun = len(words) - 1
    return set(line.split()[begun:]) - {words[-1]}, ""


def completions(*words):
    """Returns the offered words without the "=" that some shells append."""
    got, wrong = offered_words(words)
    tools.check(not wrong, f"completion of {words}", wrong)
    head = re.match("--.*?=|", words[-1]).group()
    return {word.removeprefix(head).rstrip("=") for word in got} - {""}


def check_completion(line, *expected):
    got = completions(*line.split(" "))
    tools.check(got == set(expected), f"completion of {line}", got)


def test_option_values():
    for name in ("ibv_devinfo", "ibv_asyncwatch", "ibv_ud_pingpong",
                 "ibv_doctor"):
        check_completion(f"{name} -d ", "uroce_lo")
        check_completion(f"{name} --ib-dev=uro", "uroce_lo")
        check_completion(f"{name} --ib-dev=", "uroce_lo")
        check_completion(f"{name} -d x")
    check_completion("ibv_devinfo -i ", "1")
    check_completion("ibv_devinfo -d uroce_lo -v -i ", "1")
    check_completion("ibv_devinfo --ib-dev=none -i ")
    check_completion("ibv_doctor --ib-dev=uroce_lo --ib-port=", "1")
    check_completion("ibv_doctor -m 1", "1G", "1M", "16G")
    check_completion("ibv_doctor --memory=6", "64M")
    check_completion("ibv_rc_pingpong --gid-idx=", "0", "1")
    check_completion("ibv_rc_pingpong -m 2", "256", "2048")
    check_completion("ibv_rc_pingpong --mtu=4", "4096")
    check_completion("ibv_rc_pingpong -n ")
    check_completion("ibv_rc_pingpong -e --nu")
    check_completion("ibv_srq_pingpong -e --nu", "--num-qp")
    hosts = completions("ibv_rc_pingpong", "-e", "localh")
    tools.check("localhost" in hosts, "completion of a host", hosts)


def main():
    if not shutil.which(SHELL):
        print(f"not installed: {SHELL}")
        sys.exit(tools.SKIPPED)
    for name, file in FILE_NAMES[SHELL].items():
        shutil.copyfile(os.path.join(FILES, file), os.path.join(FOLDER, name))
    tools.check(len(PROGRAMS) >= 9, "pages of programs", PROGRAMS)
    for name in PROGRAMS:
        help_text = tools.run(tools.ours(name), "--help").stdout
        options = re.findall(r"(?:^  |^      |, )(-\w(?=,)|--[\w-]+)",
                             help_text,
                             re.MULTILINE)
        tools.check(len(options) >= 3, f"options of {name}", help_text)
        check_completion(f"{name} -", *options)
    test_option_values()
    tools.finish()


main()
