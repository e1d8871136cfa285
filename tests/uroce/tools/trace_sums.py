#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""trace_sums.py IBV_TRACE FOLDER: the numbers of all trace files of a folder.

Prints a line for each number, with the sum over the QPs of each process, in
increasing order: "requests 0 1000".
"""
import json
import os
import subprocess
import sys


def totals(program, path):
    done = subprocess.run([program, "--json", "summary", path], check=True,
                          stdout=subprocess.PIPE)
    qps = json.loads(done.stdout)["qps"]
    found = {name: sum(qp[name] for qp in qps) for name in
             ("requests", "send_completions", "recv_requests", "recv_bytes",
              "recv_completions", "unmatched")}
    found["bytes"] = sum(one["bytes"] for qp in qps for one in qp["opcodes"])
    found["errors"] = sum(sum(qp["errors"].values()) for qp in qps)
    return found


def main():
    program, folder = sys.argv[1:]
    processes = [totals(program, os.path.join(folder, name))
                 for name in os.listdir(folder)]
    for name in processes[0]:
        print(name, *sorted(one[name] for one in processes))


main()
