#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the user-space device cannot do, on one that can (able_device.c): XRC,
device memory, on-demand paging.

able_test.py BUILD ours|debian: both ends are ours, or one of them is Debian's
"""
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tool_world as world

XSRQ = "ibv_xsrq_pingpong"
LINE = re.compile(r"^ *(local|remote): (LID [0-9a-f]{4}, QPN RECV [0-9a-f]{6} "
                  r"SEND [0-9a-f]{6}, PSN [0-9a-f]{6}, SRQN 0005e7, "
                  r"GID ::ffff:127\.0\.0\.1)$", re.MULTILINE)


def able(what):
    return {"LD_PRELOAD": world.ABLE_DEVICE, "ABLE": what}


def makers():
    if sys.argv[2] == "debian":
        world.need_debian(XSRQ, "ibv_rc_pingpong")
        return [(world.ours, world.theirs), (world.theirs, world.ours)]
    return [(world.ours, world.ours)]


def addresses(pair, what):
    """What one side calls local is what the other calls remote."""
    mine, other = dict(LINE.findall(pair.server_out)), \
        dict(LINE.findall(pair.client_out))
    world.check(len(mine) == 2 and mine["local"] == other.get("remote") and
                mine["remote"] == other.get("local"),
                f"{what}: addresses", pair.server_out, pair.client_out)


def xrc(server, client):
    for options in ([], ["-e"], ["-n", "100"], ["-s", "1"],
                    ["-s", "50000", "-m", "4096"], ["-o", "-n", "10"]):
        pair = world.Pair(server(XSRQ), client(XSRQ), ["-g", "1", *options],
                          **able("xrc odp"))
        pair.both(f"XRC {' '.join(options)}", "^success$")
        addresses(pair, f"XRC {' '.join(options)}")


def several(server, client, count=5):
    """One server, several clients at the same time."""
    options, env = ["-g", "1", "-n", "50"], able("xrc")
    with tempfile.TemporaryFile("w+") as out:
        with subprocess.Popen([server(XSRQ), *options, "-c", str(count)],
                              env=world.environment(**env), stdout=out,
                              stderr=subprocess.STDOUT, text=True) as process:
            world.Pair.wait(process)
            results = [None] * count

            def one(number):
                results[number] = world.run(client(XSRQ), *options,
                                            "127.0.0.1", **env)
            threads = [threading.Thread(target=one, args=(number,))
                       for number in range(count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            process.wait(world.TIMEOUT)
        out.seek(0)
        text = out.read()
    world.check(process.returncode == 0 and text.endswith("success\n") and
                len(LINE.findall(text)) == 2 * count, "server of several", text)
    for result in results:
        world.check(result.returncode == 0 and "success" in result.stdout,
                    "one of several clients", result)


def memory(server, client):
    for kind, options, what in (
            ("rc", ["-j"], "dm"), ("rc", ["-j", "-N"], "dm"),
            ("rc", ["-j", "-s", "9000"], "dm"), ("rc", ["-o"], "odp"),
            ("rc", ["-o", "-P"], "odp"), ("srq", ["-o"], "odp")):
        name = f"ibv_{kind}_pingpong"
        pair = world.Pair(server(name), client(name),
                          ["-g", "1", "-c", "-n", "50", *options], **able(what))
        pair.both(f"{kind} {' '.join(options)}", " iters in ")


def refused(name, options, sentence, what="xrc"):
    result = world.run(world.ours(name), *options, **able(what))
    world.check(result.returncode == 1 and sentence in result.stderr and
                not result.stdout, f"{name} {options} is refused", result)


def refusals():
    for option, low, high in (("p", 1, 65535), ("i", 1, 255),
                              ("s", 1, 1 << 31), ("c", 1, 1024),
                              ("n", 1, (1 << 31) - 1), ("l", 0, 15)):
        for value in (str(low - 1), str(high + 1), "x"):
            refused(XSRQ, ["-" + option, value],
                    f"use a number from {low} to {high}, not '{value}'")
    refused(XSRQ, ["--num-tests=0"], "use a number from 1")
    refused(XSRQ, ["-m", "3000"], "--mtu: use 256, 512")
    refused(XSRQ, ["-g", "1"], "Couldn't open the XRC domain", "nothing")
    refused(XSRQ, ["-g", "1", "-o"], "does not support XRC send, receive and "
            "srq with ODP")
    refused(XSRQ, ["-d", "x"], "IB device x not found")
    refused(XSRQ, ["-i", "2"], "Failed to get port info")
    refused(XSRQ, ["-g", "999"], "can't read sgid of index 999")
    refused(XSRQ, [], "choose a GID with --gid-idx")
    refused(XSRQ, ["-g", "1", "127.0.0.1"], "Couldn't connect to")
    refused("ibv_rc_pingpong", ["-g", "1", "-j", "-s", "2000000"],
            "Device memory is insufficient", "dm")
    refused("ibv_rc_pingpong", ["-g", "1", "-O"],
            "The device doesn't support implicit ODP", "odp")


def no_advice():
    name = "ibv_rc_pingpong"
    pair = world.Pair(world.ours(name), world.ours(name),
                      ["-g", "1", "-n", "5", "-o"], client_only=["-P"],
                      **able("odp noadvice"))
    pair.both("a prefetch that fails", " iters in ")
    world.check("Couldn't prefetch MR(95). Continue anyway" in pair.client_out,
                "it is told", pair.client_out)


def late():
    """A message may be there before it is known that the last one left."""
    pair = world.Pair(world.ours(XSRQ), world.ours(XSRQ),
                      ["-g", "1", "-n", "20"], **able("xrc late"))
    pair.both("XRC with late completions", "^success$")
    for kind in ("rc", "uc", "ud", "srq"):
        name = f"ibv_{kind}_pingpong"
        pair = world.Pair(world.ours(name), world.ours(name),
                          ["-g", "1", "-c", "-n", "20"], **able("late"))
        pair.both(f"{kind} with late completions", " iters in ")


def strangers():
    """A client that says something else, or leaves."""
    good = b"0000:000001:000002:000003:000004:00000000000000000000ffff7f000001"
    for text, sentence in ((good, "Connection reset"),
                           (b"x" * 66, "Run the same program on both sides"),
                           (good + b"0", "Run the same program on both sides")):
        with tempfile.TemporaryFile("w+") as out:
            with subprocess.Popen([world.ours(XSRQ), "-g", "1"], stdout=out,
                                  env=world.environment(**able("xrc")),
                                  stderr=subprocess.STDOUT) as process:
                world.Pair.wait(process)
                with socket.create_connection(("::1", world.PORT)) as client:
                    client.sendall(text)
                process.wait(world.TIMEOUT)
            out.seek(0)
            said = out.read()
        world.check(process.returncode == 1 and sentence in said,
                    f"a client that says {text!r}", said)


def main():
    start = time.monotonic()
    for server, client in makers():
        xrc(server, client)
        several(server, client)
        memory(server, client)
    if sys.argv[2] == "ours":
        refusals()
        no_advice()
        late()
        strangers()
    print(f"{time.monotonic() - start:.1f} s")
    world.finish()


main()
