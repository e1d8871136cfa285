#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Pingpongs with special features: XRC, on-demand paging, and device memory,
which feature_device.c emulates.

features_test.py BUILD ours      both sides are our programs
features_test.py BUILD debian    one side is Debian's program
"""
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tool_harness as tools

XSRQ = "ibv_xsrq_pingpong"
LINE = re.compile(r"^ *(local|remote): (LID [0-9a-f]{4}, QPN RECV [0-9a-f]{6} "
                  r"SEND [0-9a-f]{6}, PSN [0-9a-f]{6}, SRQN [0-9a-f]{6}, "
                  r"GID ::ffff:127\.0\.0\.1)$", re.MULTILINE)


def feature_env(what):
    return {"LD_PRELOAD": tools.FEATURE_DEVICE, "FEATURES": what}


def program_pairs():
    if sys.argv[2] == "debian":
        tools.need_debian(XSRQ, "ibv_rc_pingpong")
        return [(tools.ours, tools.theirs), (tools.theirs, tools.ours)]
    return [(tools.ours, tools.ours)]


def check_addresses(pair, what):
    """The local address of each side is the remote address of its peer."""
    mine, other = dict(LINE.findall(pair.server_out)), \
        dict(LINE.findall(pair.client_out))
    tools.check(len(mine) == 2 and mine["local"] == other.get("remote") and
                mine["remote"] == other.get("local"),
                f"{what}: addresses", pair.server_out, pair.client_out)


def test_xrc(server, client):
    for options in ([], ["-e"], ["-n", "100"], ["-s", "1"],
                    ["-s", "50000", "-m", "4096"], ["-o", "-n", "10"]):
        pair = tools.Pair(server(XSRQ), client(XSRQ), ["-g", "1", *options],
                          **feature_env(""))
        pair.check_both(f"XRC {' '.join(options)}", "^success$")
        check_addresses(pair, f"XRC {' '.join(options)}")


def test_xrc_several_clients(server, client, count=5):
    """One server and several concurrent clients."""
    options, env = ["-g", "1", "-n", "50"], {}
    with tempfile.TemporaryFile("w+") as out:
        with subprocess.Popen([server(XSRQ), *options, "-c", str(count)],
                              env=tools.environment(**env), stdout=out,
                              stderr=subprocess.STDOUT, text=True) as process:
            tools.Pair.wait_until_listening(process)
            results = [None] * count

            def one(number):
                results[number] = tools.run(client(XSRQ), *options,
                                            "127.0.0.1", **env)
            threads = [threading.Thread(target=one, args=(number,))
                       for number in range(count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            process.wait(tools.TIMEOUT)
        out.seek(0)
        text = out.read()
    tools.check(process.returncode == 0 and text.endswith("success\n") and
                len(LINE.findall(text)) == 2 * count,
                "server with several clients", text)
    for result in results:
        tools.check(result.returncode == 0 and "success" in result.stdout,
                    "one of several clients", result)


def test_device_memory_and_odp(server, client):
    for kind, options, what in (
            ("rc", ["-j"], "dm"), ("rc", ["-j", "-N"], "dm"),
            ("rc", ["-j", "-s", "9000"], "dm"), ("rc", ["-o"], ""),
            ("rc", ["-o", "-P"], ""), ("rc", ["-O"], ""),
            ("srq", ["-o"], "")):
        name = f"ibv_{kind}_pingpong"
        pair = tools.Pair(server(name), client(name),
                          ["-g", "1", "-c", "-n", "50", *options],
                          **feature_env(what))
        pair.check_both(f"{kind} {' '.join(options)}", " iters in ")


def check_rejected(name, options, sentence, what=""):
    result = tools.run(tools.ours(name), *options, **feature_env(what))
    tools.check(result.returncode == 1 and sentence in result.stderr and
                not result.stdout, f"{name} {options} is rejected", result)


def test_invalid_options():
    for option, low, high in (("p", 1, 65535), ("i", 1, 255),
                              ("s", 1, 1 << 31), ("c", 1, 1024),
                              ("n", 1, (1 << 31) - 1), ("l", 0, 15)):
        for value in (str(low - 1), str(high + 1), "x"):
            check_rejected(XSRQ, ["-" + option, value],
                           f"use a number from {low} to {high}, not '{value}'")
    check_rejected(XSRQ, ["--num-tests=0"], "use a number from 1")
    check_rejected(XSRQ, ["-m", "3000"], "--mtu: use 256, 512")
    check_rejected(XSRQ, ["-g", "1"], "Couldn't open the XRC domain",
                   "noxrc")
    check_rejected(XSRQ, ["-g", "1", "-o"],
                   "does not support XRC send, receive and "
                   "srq with ODP", "noodp")
    check_rejected(XSRQ, ["-d", "x"], "IB device x not found")
    check_rejected(XSRQ, ["-i", "2"], "Failed to get port info")
    check_rejected(XSRQ, ["-g", "999"], "can't read sgid of index 999")
    check_rejected(XSRQ, [], "choose a GID with --gid-idx")
    check_rejected(XSRQ, ["-g", "1", "127.0.0.1"], "Couldn't connect to")
    check_rejected("ibv_rc_pingpong", ["-g", "1", "-j", "-s", "2000000"],
                   "Device memory is insufficient", "dm")
    check_rejected("ibv_rc_pingpong", ["-g", "1", "-O"],
                   "The device doesn't support implicit ODP", "noimplicit")
    for options in (["-o"], ["-O"]):
        check_rejected("ibv_rc_pingpong", ["-g", "1", *options],
                       "does not support RC send and receive with ODP",
                       "noodp")
    check_rejected("ibv_srq_pingpong", ["-g", "1", "-o"],
                   "does not support RC send, receive and srq with ODP",
                   "noodp")


def test_failing_prefetch():
    name = "ibv_rc_pingpong"
    pair = tools.Pair(tools.ours(name), tools.ours(name),
                      ["-g", "1", "-n", "5", "-o"], client_only=["-P"],
                      **feature_env("noadvice"))
    pair.check_both("failing prefetch", " iters in ")
    tools.check("Couldn't prefetch MR(95). Continue anyway" in pair.client_out,
                "the failure is reported", pair.client_out)


def test_late_send_completions():
    """A receive may complete before the previous send does."""
    pair = tools.Pair(tools.ours(XSRQ), tools.ours(XSRQ),
                      ["-g", "1", "-n", "20"], **feature_env("late"))
    pair.check_both("XRC with late completions", "^success$")
    for kind in ("rc", "uc", "ud", "srq"):
        name = f"ibv_{kind}_pingpong"
        pair = tools.Pair(tools.ours(name), tools.ours(name),
                          ["-g", "1", "-c", "-n", "20"], **feature_env("late"))
        pair.check_both(f"{kind} with late completions", " iters in ")


def test_invalid_clients():
    """A client sends an invalid address, or disconnects."""
    good = b"0000:000001:000002:000003:000004:00000000000000000000ffff7f000001"
    advice = "Run the same program on both sides"
    for text, sentence in ((good, "Connection reset"),
                           (b"x" * 66, advice),
                           (good + b"0", advice)):
        with tempfile.TemporaryFile("w+") as out:
            with subprocess.Popen([tools.ours(XSRQ), "-g", "1"], stdout=out,
                                  env=tools.environment(),
                                  stderr=subprocess.STDOUT) as process:
                tools.Pair.wait_until_listening(process)
                with socket.create_connection(("::1", tools.PORT)) as client:
                    client.sendall(text)
                process.wait(tools.TIMEOUT)
            out.seek(0)
            output = out.read()
        tools.check(process.returncode == 1 and sentence in output,
                    f"client sends {text!r}", output)


def main():
    start = time.monotonic()
    for server, client in program_pairs():
        test_xrc(server, client)
        test_xrc_several_clients(server, client)
        test_device_memory_and_odp(server, client)
    if sys.argv[2] == "ours":
        test_invalid_options()
        test_failing_prefetch()
        test_late_send_completions()
        test_invalid_clients()
    print(f"{time.monotonic() - start:.1f} s")
    tools.finish()


main()
