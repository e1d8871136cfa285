#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Failures of public issue threads, rebuilt as small programs: VERBS_EXPLAIN=1
and ibv_doctor --run print the cause. Prints a line for each: the thread, what
the program printed, the cause, and the time from the start of the program.

issue_threads_test.py BUILD
"""
import json
import os
import re
import time
import tool_harness as tools

PROGRAM = os.path.join(tools.BUILD, "tests", "tools", "issue_threads")
DOCTOR = tools.ours("ibv_doctor")
# name: (threads, what the program printed, the cause)
CASES = {
    "old_lkey": ("spdk#3807, async-rdma#43",
                 "WC status 4 (local protection error)",
                 "its lkey is wrong or deregistered"),
    "lost_peer": ("nccl#1405, nccl#1664, ucx#5199",
                  "WC status 12 (transport retry counter exceeded)",
                  "Cause: the packet with PSN 0x000000 was not acknowledged "
                  "after 7 retransmissions"),
    "lkey_as_rkey": ("rdma-example#4, libevpl#89, ompi#1101",
                     "WC status 10 (remote access error)",
                     "an lkey that is used as rkey"),
    "flushed_only": ("ompi#95, spdk#1387",
                     "WC status 5 (Work Request Flushed Error)",
                     "Cause: the peer responded to the packet with PSN "
                     "0x000000 with the NAK code 2 (remote access error)"),
    "too_many": ("spdk#3195, brpc#3132",
                 "ibv_post_send: Cannot allocate memory",
                 "the send queue is full (max_send_wr is 8); poll completions "
                 "first"),
}


def words(text):
    return re.sub(r"\s+", " ", text)


def main():
    for name, (threads, printed, cause) in CASES.items():
        begin = time.monotonic()
        done = tools.run(PROGRAM, name, VERBS_EXPLAIN="1")
        seconds = time.monotonic() - begin
        tools.check(done.returncode == 1 and printed in done.stdout,
                    f"{name} fails as in the thread", done.returncode,
                    done.stdout, done.stderr)
        tools.check(done.stderr.count("verbs-explain: ") == 1 and
                    cause in done.stderr, f"{name}: VERBS_EXPLAIN=1",
                    done.stderr)
        report = tools.run(DOCTOR, "--json", "--run", PROGRAM, name)
        texts = [one["text"] for one in
                 json.loads(report.stdout)["findings"]]
        tools.check(any(cause in words(text) for text in texts),
                    f"{name}: ibv_doctor --run", report.stdout, report.stderr)
        print(f"{threads}: {printed} -> {cause} ({seconds:.2f} s)")
    tools.finish()


main()
