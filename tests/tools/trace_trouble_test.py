#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The layer trace without space for its file: one warning, and the program
runs. It never writes to a file of the program.

trace_trouble_test.py BUILD
"""
import json
import os
import subprocess
import tempfile
import tool_harness as tools

TRACE = tools.ours("ibv_trace")
DEVINFO = tools.ours("ibv_devinfo")
PINGPONG = tools.ours("ibv_rc_pingpong")
OPTIONS = ("-d", "uroce_lo", "-g", "1", "-n", "100", "-s", "1000")
CLOSED = os.path.join(tools.BUILD, "tests", "tools", "trace_closed")
# A file system of one page: sh -c MOUNTED sh FOLDER COMMAND.
MOUNTED = 'mount -t tmpfs -o size=4096 none "$1" && eval "$2"'


def warnings(done):
    return [line for line in done.stderr.splitlines()
            if line.startswith("libibverbs: VERBS_TRACE: ")]


def check_one_warning(done, reason, what):
    """The program succeeds, and prints the reason once."""
    found = warnings(done)
    tools.check(done.returncode == 0 and len(found) == 1 and
                reason in found[0], what, done.returncode, done.stderr)


def run_with_limit(kilobytes, path):
    return tools.run("bash", "-c", f"ulimit -f {kilobytes}; exec {DEVINFO}",
                     VERBS_LAYERS="trace", VERBS_TRACE=f"file={path}")


def test_no_file(folder):
    path = os.path.join(folder, "limit.trace")
    check_one_warning(run_with_limit(102400, path), "File too large",
                      "a file above the limit")
    tools.check(not os.path.exists(path), "no file is left")
    done = tools.run(DEVINFO, VERBS_LAYERS="trace",
                     VERBS_TRACE=f"file={folder}/missing/file")
    check_one_warning(done, "No such file", "no folder")


def on_small_disk(folder, command):
    return tools.run("unshare", "--mount", "sh", "-c", MOUNTED, "sh", folder,
                     command, VERBS_LAYERS="trace",
                     VERBS_TRACE=f"file={folder}/full.trace")


def test_full_disk(folder):
    """Without a page there is no file; with one page it has a header."""
    done = on_small_disk(folder, f'head -c 4096 /dev/zero >"$1/fill" && '
                         f'{DEVINFO} >/dev/null && ls "$1"')
    check_one_warning(done, "No space left", "a full disk")
    tools.check(done.stdout == "fill\n", "no file is left", done.stdout)
    done = on_small_disk(folder, f"{DEVINFO} >/dev/null && "
                         f'{TRACE} --json summary "$1/full.trace"')
    check_one_warning(done, "No space left", "no space for a ring")
    document = json.loads(done.stdout)
    tools.check(document["lost_threads"] == 1 and not document["calls"],
                "a lost thread is counted", document)


def test_full_disk_with_traffic(folder):
    with subprocess.Popen([PINGPONG, *OPTIONS], stdout=subprocess.DEVNULL,
                          env=tools.environment()) as server:
        tools.Pair.wait_until_listening(server)
        done = on_small_disk(folder, f"{PINGPONG} {' '.join(OPTIONS)} "
                             '127.0.0.1 >/dev/null && '
                             f'{TRACE} --json summary "$1/full.trace"')
        server.wait(tools.TIMEOUT)
    check_one_warning(done, "No space left", "traffic on a full disk")
    document = json.loads(done.stdout)
    tools.check(document["lost_qps"] == 1 and not document["qps"] and
                server.returncode == 0, "a lost QP is counted", document)


def test_closed_descriptor(folder):
    path = os.path.join(folder, "closed.trace")
    victim = os.path.join(folder, "victim")
    done = tools.run(CLOSED, victim, VERBS_LAYERS="trace",
                     VERBS_TRACE=f"file={path}")
    check_one_warning(done, "the program closed", "a closed descriptor")
    tools.check(os.stat(victim).st_size == 0,
                "a file with the same descriptor is unchanged")
    document = json.loads(tools.run(TRACE, "--json", "summary", path).stdout)
    tools.check(document["lost_threads"] == 1, "a lost thread is counted",
                document)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_no_file(folder)
        small = os.path.join(folder, "small")
        os.mkdir(small)
        test_full_disk(small)
        test_full_disk_with_traffic(small)
        test_closed_descriptor(folder)
    tools.finish()


main()
