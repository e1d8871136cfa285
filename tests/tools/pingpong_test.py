#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ibv_*_pingpong on the user-space device: each transport with its options,
invalid options and peers, and Debian's programs on either side.

pingpong_test.py BUILD ours      both sides are our programs
pingpong_test.py BUILD debian    one side is Debian's program
"""
import re
import socket
import sys
import threading
import tool_harness as tools

ADDRESS = r"LID 0x[0-9a-f]{4}, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}"
GID = "::ffff:127.0.0.1"
CHECKED = ["-g", "1", "-c"]

# kind, options of both sides
RUNS = [
    *((kind, [*CHECKED, *options])
      for kind in ("rc", "uc", "ud", "srq")
      for options in (["-n", "200"], ["-n", "100", "-e"], ["-n", "1"],
                      ["-n", "50", "-s", "1"], ["-n", "20", "-r", "17"],
                      ["-n", "20", "-l", "3"])),
    *((kind, [*CHECKED, *options])
      for kind in ("rc", "uc", "srq")
      for options in (["-n", "20", "-s", "100000"],
                      ["-n", "20", "-m", "256", "-s", "9000"],
                      ["-n", "20", "-m", "4096", "-s", "9000"])),
    ("ud", [*CHECKED, "-n", "20", "-s", "4096"]),
    ("rc", ["-g", "0", "-n", "20"]),
    ("rc", [*CHECKED, "-n", "200", "-t"]),
    ("rc", [*CHECKED, "-n", "50", "-t", "-e"]),
    ("rc", [*CHECKED, "-n", "200", "-N"]),
    ("rc", [*CHECKED, "-n", "50", "-N", "-e", "-t", "-s", "16"]),
    ("rc", [*CHECKED, "-n", "50", "-r", "1"]),
    ("rc", [*CHECKED, "-n", "50", "-j"]),
    ("rc", [*CHECKED, "-n", "50", "-j", "-N", "-e", "-s", "100"]),
    ("rc", [*CHECKED, "-n", "20", "-o"]),
    ("rc", [*CHECKED, "-n", "20", "-O", "-e"]),
    ("rc", [*CHECKED, "-n", "20", "-o", "-P", "-N"]),
    ("srq", [*CHECKED, "-n", "20", "-o"]),
    ("srq", [*CHECKED, "-n", "100", "-q", "1"]),
    ("srq", [*CHECKED, "-n", "100", "-q", "7", "-r", "7"]),
    ("srq", [*CHECKED, "-n", "300", "-q", "200", "-e"]),
    ("srq", [*CHECKED, "-n", "5", "-q", "16"]),
    ("rc", ["--ib-dev=uroce_lo", "--ib-port=1", "--size=300", "--mtu=512",
            "--rx-depth=10", "--iters=30", "--sl=1", "--events",
            "--gid-idx=1", "--chk"]),
]


def program(maker, kind):
    return maker(f"ibv_{kind}_pingpong")


def run_pair(server, client, kind, options):
    what = f"{kind} {' '.join(options)}"
    pair = tools.Pair(program(server, kind), program(client, kind), options)
    pair.check_both(what,
                    r"^\d+ iters in \d+\.\d\d seconds = \d+\.\d\d usec/iter$")
    return pair


def test_against_debian():
    tools.need_debian(*(f"ibv_{kind}_pingpong"
                        for kind in ("rc", "uc", "ud", "srq")))
    for kind, options in RUNS:
        # A CQ event may arrive when its completion has been polled already.
        # With timestamps, Debian's program treats the empty CQ as an error.
        if {"-t", "-e"} <= set(options):
            continue
        one = run_pair(tools.ours, tools.theirs, kind, options)
        other = run_pair(tools.theirs, tools.ours, kind, options)
        # Compare the text without numbers; a rate may be "inf Mbit/sec".
        for mine, their in ((one.server_out, other.server_out),
                            (other.client_out, one.client_out)):
            shapes = [re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?|\binf\b", "#", text)
                      for text in (mine, their)]
            tools.check(shapes[0] == shapes[1], f"words of {kind} {options}",
                        mine, their)


def test_output():
    """Addresses, sizes and statistics in the output are correct."""
    pair = run_pair(tools.ours, tools.ours, "rc",
                    [*CHECKED, "-n", "7", "-s", "9"])
    for mine, other in ((pair.server_out, pair.client_out),
                        (pair.client_out, pair.server_out)):
        lines = mine.splitlines()
        tools.check(re.fullmatch(f"  local address:  {ADDRESS}, GID {GID}",
                                 lines[0]), "local address", mine)
        tools.check(lines[1][17:] == other.splitlines()[0][17:],
                    "the remote address is the peer's local address",
                    mine, other)
        tools.check(lines[2].startswith("126 bytes in "),
                    "7 messages of 9 bytes each way", mine)
    pair = run_pair(tools.ours, tools.ours, "rc",
                    ["-g", "1", "-t", "-n", "20"])
    for word in ("Max", "Min", "Average"):
        tools.check(re.search(f"^{word} receive completion clock cycles = "
                              r"\d", pair.client_out, re.MULTILINE),
                    f"{word} of the time stamps", pair.client_out)


def test_message_check():
    """-c detects a message without the pattern."""
    for kind in ("rc", "uc", "ud", "srq"):
        pair = tools.Pair(*2 * [program(tools.ours, kind)],
                          ["-g", "1", "-n", "3"], server_only=["-c"])
        tools.check(pair.server_code == 1 and
                    "invalid data in page 0" in pair.server_out,
                    f"{kind}: the server detects a missing pattern",
                    pair.server_out)
        tools.check(pair.client_code == 0, f"{kind}: the client succeeds")


def test_ipv6():
    pair = tools.Pair(*2 * [program(tools.ours, "rc")],
                      ["-g", "0", "-n", "5"], host="::1")
    pair.check_both("address exchange over IPv6", " iters in ")


def test_size_mismatch():
    pair = tools.Pair(*2 * [program(tools.ours, "rc")], ["-g", "1", "-n", "3"],
                      server_only=["-s", "100"])
    tools.check(pair.server_code == 1 and
                "Failed status local length error (1) for wr_id 1" in
                pair.server_out, "message longer than the receive",
                pair.server_out)
    tools.check(pair.client_code == 1 and "for wr_id 2" in pair.client_out,
                "the sender gets an error", pair.client_out)


def check_rejected(kind, options, sentence):
    result = tools.run(program(tools.ours, kind), *options)
    tools.check(result.returncode == 1 and sentence in result.stderr and
                not result.stdout,
                f"{kind} {' '.join(options)} is rejected", result)


def test_invalid_options():
    for kind in ("rc", "uc", "ud", "srq"):
        name = f"ibv_{kind}_pingpong"
        gid = ["-g", "1"]
        for option, low, high in (("p", 1, 65535), ("i", 1, 255),
                                  ("s", 1, 1 << 31), ("r", 1, 1 << 24),
                                  ("n", 1, (1 << 31) - 1), ("l", 0, 15),
                                  ("g", 0, (1 << 31) - 1)):
            for value in (str(low - 1), str(high + 1), "x", "", "1x", "-1"):
                check_rejected(kind, [f"-{option}{value}"] if value else
                               [f"-{option}", ""],
                               f"use a number from {low} to {high}, "
                               f"not '{value}'")
        check_rejected(kind, ["--nonsense"], f"Try '{name} --help'.")
        check_rejected(kind, ["host", "other"], "unexpected argument 'other'")
        check_rejected(kind, ["-d", "x", *gid], "IB device x not found")
        check_rejected(kind, ["-i", "9", *gid], "Couldn't get port info")
        check_rejected(kind, ["-g", "999"], "can't read sgid of index 999")
        check_rejected(kind, [], "choose a GID with --gid-idx")
        result = tools.run(program(tools.ours, kind), "--help")
        tools.check(result.returncode == 0 and not result.stderr and
                    result.stdout.startswith(f"Usage: {name} "),
                    f"{name} --help", result)
    for value in ("128", "255", "257", "8192", "3000"):
        check_rejected("rc", ["-m", value], "--mtu: use ")
    check_rejected("ud", ["-m", "1024"], "invalid option -- 'm'")
    check_rejected("uc", ["-t"], "invalid option -- 't'")
    check_rejected("rc", ["-q", "2"], "invalid option -- 'q'")
    check_rejected("ud", ["-g", "1", "-s", "4097"],
                   "Requested size larger than port MTU (4096)")
    check_rejected("srq", ["-g", "1", "-q", "8", "-r", "7"],
                   "rx_depth 7 is too small for 8 QPs")
    check_rejected("srq", ["-q", "257"], "use a number from 1 to 256")
    check_rejected("rc", ["-P"], "prefetch is valid only with on-demand")
    check_rejected("rc", ["-o", "-j"], "DM memory region can't be on demand")


def test_no_server():
    result = tools.run(program(tools.ours, "rc"), "-g", "1", "127.0.0.1")
    tools.check(result.returncode == 1 and "Couldn't connect to "
                "127.0.0.1:18515: Connection refused" in result.stderr,
                "no server", result)
    result = tools.run(program(tools.ours, "rc"), "-g", "1", "no.invalid")
    tools.check(result.returncode == 1 and
                " for no.invalid:18515" in result.stderr, "unknown host name",
                result)
    with socket.create_server(("", tools.PORT)):
        result = tools.run(program(tools.ours, "rc"), "-g", "1")
        tools.check(result.returncode == 1 and "Couldn't listen to port 18515:"
                    " Address already in use" in result.stderr,
                    "TCP port in use", result)


def send_response(listener, text):
    with listener.accept()[0] as client:
        client.recv(52, socket.MSG_WAITALL)
        client.sendall(text)


def test_invalid_servers():
    """A server may send an address in an invalid format."""
    good = b"0000:000001:000002:00000000000000000000ffff7f000001\0"
    advice = "Run the same program on both sides"
    for text, sentence in (
            (b"", "Connection reset"), (good[:-1], "Connection reset"),
            (b"x" * 52, advice),
            (good.replace(b":", b" "), advice),
            (good.replace(b"7f", b"0x"), advice),
            (good.replace(b"7f", b"+7"), advice),
            (good[:19] + bytes(33), advice),
            (good[:-1] + b"1", advice),
            (b"\0" * 52, advice)):
        with socket.create_server(("", tools.PORT)) as listener:
            thread = threading.Thread(target=send_response,
                                      args=(listener, text))
            thread.start()
            result = tools.run(program(tools.ours, "rc"), "-g", "1",
                               "127.0.0.1")
            thread.join()
        tools.check(result.returncode == 1 and sentence in result.stderr,
                    f"server sends {text!r}", result)


def main():
    if sys.argv[2] == "debian":
        test_against_debian()
    else:
        for kind, options in RUNS:
            run_pair(tools.ours, tools.ours, kind, options)
        test_output()
        test_message_check()
        test_ipv6()
        test_size_mismatch()
        test_invalid_options()
        test_no_server()
        test_invalid_servers()
    tools.finish()


main()
