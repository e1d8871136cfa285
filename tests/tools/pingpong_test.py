#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ibv_*_pingpong on the user-space device: each kind, its options, with Debian's
programs at either end, and everything that has to be refused.

pingpong_test.py BUILD ours      both ends are ours
pingpong_test.py BUILD debian    one of them is Debian's
"""
import re
import socket
import sys
import threading
import tool_world as world

ADDRESS = r"LID 0x[0-9a-f]{4}, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}"
GID = "::ffff:127.0.0.1"
CHECKED = ["-g", "1", "-c"]

# kind, options of both ends
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


def play(server, client, kind, options):
    what = f"{kind} {' '.join(options)}"
    pair = world.Pair(program(server, kind), program(client, kind), options)
    pair.both(what, r"^\d+ iters in \d+\.\d\d seconds = \d+\.\d\d usec/iter$")
    return pair


def against_debian():
    world.need_debian(*(f"ibv_{kind}_pingpong"
                        for kind in ("rc", "uc", "ud", "srq")))
    for kind, options in RUNS:
        # Debian's takes an event for which there is no completion any more, as
        # there may be, for an error when it reads time stamps.
        if {"-t", "-e"} <= set(options):
            continue
        one = play(world.ours, world.theirs, kind, options)
        other = play(world.theirs, world.ours, kind, options)
        # the same words, whatever the numbers: at once is "inf Mbit/sec"
        for mine, their in ((one.server_out, other.server_out),
                            (other.client_out, one.client_out)):
            shapes = [re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?|\binf\b", "#", text)
                      for text in (mine, their)]
            world.check(shapes[0] == shapes[1], f"words of {kind} {options}",
                        mine, their)


def printed():
    """What is printed is true."""
    pair = play(world.ours, world.ours, "rc", [*CHECKED, "-n", "7", "-s", "9"])
    for mine, other in ((pair.server_out, pair.client_out),
                        (pair.client_out, pair.server_out)):
        lines = mine.splitlines()
        world.check(re.fullmatch(f"  local address:  {ADDRESS}, GID {GID}",
                                 lines[0]), "local address", mine)
        world.check(lines[1][17:] == other.splitlines()[0][17:],
                    "the remote address is the other's local one", mine, other)
        world.check(lines[2].startswith("126 bytes in "),
                    "7 messages of 9 bytes each way", mine)
    pair = play(world.ours, world.ours, "rc", ["-g", "1", "-t", "-n", "20"])
    for word in ("Max", "Min", "Average"):
        world.check(re.search(f"^{word} receive completion clock cycles = "
                              r"\d", pair.client_out, re.MULTILINE),
                    f"{word} of the time stamps", pair.client_out)


def contents():
    """-c finds out that the message is another."""
    for kind in ("rc", "uc", "ud", "srq"):
        pair = world.Pair(*2 * [program(world.ours, kind)],
                          ["-g", "1", "-n", "3"], server_only=["-c"])
        world.check(pair.server_code == 1 and
                    "invalid data in page 0" in pair.server_out,
                    f"{kind}: a message without the pattern is found",
                    pair.server_out)
        world.check(pair.client_code == 0, f"{kind}: only by the server")


def over_ipv6():
    pair = world.Pair(*2 * [program(world.ours, "rc")],
                      ["-g", "0", "-n", "5"], host="::1")
    pair.both("two that meet over IPv6", " iters in ")


def sizes_differ():
    pair = world.Pair(*2 * [program(world.ours, "rc")], ["-g", "1", "-n", "3"],
                      server_only=["-s", "100"])
    world.check(pair.server_code == 1 and
                "Failed status local length error (1) for wr_id 1" in
                pair.server_out, "a message that is too long",
                pair.server_out)
    world.check(pair.client_code == 1 and "for wr_id 2" in pair.client_out,
                "the sender is told", pair.client_out)


def refused(kind, options, sentence):
    result = world.run(program(world.ours, kind), *options)
    world.check(result.returncode == 1 and sentence in result.stderr and
                not result.stdout,
                f"{kind} {' '.join(options)} is refused", result)


def refusals():
    for kind in ("rc", "uc", "ud", "srq"):
        name = f"ibv_{kind}_pingpong"
        gid = ["-g", "1"]
        for option, low, high in (("p", 1, 65535), ("i", 1, 255),
                                  ("s", 1, 1 << 31), ("r", 1, 1 << 24),
                                  ("n", 1, (1 << 31) - 1), ("l", 0, 15),
                                  ("g", 0, (1 << 31) - 1)):
            for value in (str(low - 1), str(high + 1), "x", "", "1x", "-1"):
                refused(kind, [f"-{option}{value}"] if value else
                        [f"-{option}", ""],
                        f"use a number from {low} to {high}, not '{value}'")
        refused(kind, ["--nonsense"], f"Try '{name} --help'.")
        refused(kind, ["host", "other"], "unexpected argument 'other'")
        refused(kind, ["-d", "x", *gid], "IB device x not found")
        refused(kind, ["-i", "9", *gid], "Couldn't get port info")
        refused(kind, ["-g", "999"], "can't read sgid of index 999")
        refused(kind, [], "choose a GID with --gid-idx")
        result = world.run(program(world.ours, kind), "--help")
        world.check(result.returncode == 0 and not result.stderr and
                    result.stdout.startswith(f"Usage: {name} "),
                    f"{name} --help", result)
    for value in ("128", "255", "257", "8192", "3000"):
        refused("rc", ["-m", value], "--mtu: use ")
    refused("ud", ["-m", "1024"], "invalid option -- 'm'")
    refused("uc", ["-t"], "invalid option -- 't'")
    refused("rc", ["-q", "2"], "invalid option -- 'q'")
    refused("ud", ["-g", "1", "-s", "4097"],
            "Requested size larger than port MTU (4096)")
    refused("srq", ["-g", "1", "-q", "8", "-r", "7"],
            "rx_depth 7 is too small for 8 QPs")
    refused("srq", ["-q", "257"], "use a number from 1 to 256")
    refused("rc", ["-P"], "prefetch is valid only with on-demand")
    refused("rc", ["-o", "-j"], "DM memory region can't be on demand")
    for options in (["-o"], ["-O"]):
        refused("rc", options, "does not support RC send and receive with ODP")
    refused("srq", ["-o"],
            "does not support RC send, receive and srq with ODP")
    refused("rc", ["-j"], "Device doesn't support dm allocation")


def nobody_there():
    result = world.run(program(world.ours, "rc"), "-g", "1", "127.0.0.1")
    world.check(result.returncode == 1 and "Couldn't connect to "
                "127.0.0.1:18515: Connection refused" in result.stderr,
                "nobody there", result)
    result = world.run(program(world.ours, "rc"), "-g", "1", "no.invalid")
    world.check(result.returncode == 1 and
                " for no.invalid:18515" in result.stderr, "no such name",
                result)
    with socket.create_server(("", world.PORT)):
        result = world.run(program(world.ours, "rc"), "-g", "1")
        world.check(result.returncode == 1 and "Couldn't listen to port 18515:"
                    " Address already in use" in result.stderr,
                    "the port is taken", result)


def answer(listener, text):
    with listener.accept()[0] as client:
        client.recv(52, socket.MSG_WAITALL)
        client.sendall(text)


def strangers():
    """What comes from the other side need not be a pingpong's."""
    good = b"0000:000001:000002:00000000000000000000ffff7f000001\0"
    for text, sentence in (
            (b"", "Connection reset"), (good[:-1], "Connection reset"),
            (b"x" * 52, "Run the same program on both sides"),
            (good.replace(b":", b" "), "Run the same program on both sides"),
            (good.replace(b"7f", b"0x"), "Run the same program on both sides"),
            (good.replace(b"7f", b"+7"), "Run the same program on both sides"),
            (good[:19] + bytes(33), "Run the same program on both sides"),
            (good[:-1] + b"1", "Run the same program on both sides"),
            (b"\0" * 52, "Run the same program on both sides")):
        with socket.create_server(("", world.PORT)) as listener:
            thread = threading.Thread(target=answer, args=(listener, text))
            thread.start()
            result = world.run(program(world.ours, "rc"), "-g", "1",
                               "127.0.0.1")
            thread.join()
        world.check(result.returncode == 1 and sentence in result.stderr,
                    f"an answer of {text!r}", result)


def main():
    if sys.argv[2] == "debian":
        against_debian()
    else:
        for kind, options in RUNS:
            play(world.ours, world.ours, kind, options)
        printed()
        contents()
        over_ipv6()
        sizes_differ()
        refusals()
        nobody_there()
        strangers()
    world.finish()


main()
