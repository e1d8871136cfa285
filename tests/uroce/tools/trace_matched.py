#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""trace_matched.py IBV_TRACE FOLDER QPS SENT RECEIVED: the two trace files of
a folder have so many connections, whose messages are all matched, in one
direction SENT and in the other one RECEIVED, with one-way times above 0.
"""
import json
import os
import subprocess
import sys


def main():
    program, folder, *numbers = sys.argv[1:]
    nr_qps, *expected = map(int, numbers)
    done = subprocess.run(
        [program, "--json", "match", *(os.path.join(folder, name) for name in
                                       sorted(os.listdir(folder)))],
        check=True, stdout=subprocess.PIPE)
    pairs = json.loads(done.stdout)["pairs"]
    found = [[pair[side] for pair in pairs] for side in ("to_right", "to_left")]
    good = len(pairs) == nr_qps and all(
        one["matched"] == one["sent"] == one["received"] and
        one.get("min_ns", 1) > 0 for side in found for one in side)
    if not good or sorted(sum(one["sent"] for one in side)
                          for side in found) != sorted(expected):
        sys.exit(json.dumps(pairs, indent=1))


main()
