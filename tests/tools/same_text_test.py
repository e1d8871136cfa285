#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Our ibv_devices and ibv_devinfo print the same text as Debian's, byte for
byte. Devices: the user-space device, and devices with random attributes
(random_device.c).
"""
import difflib
import tool_harness as tools

SEEDS = 60


def text_difference(their, mine):
    return "\n".join(difflib.unified_diff(
        their.splitlines(), mine.splitlines(), "Debian's", "ours",
        lineterm="", n=1))


def check_same_text(name, *options, **env):
    their = tools.run(tools.theirs(name), *options, **env)
    mine = tools.run(tools.ours(name), *options, **env)
    what = " ".join([name, *options, str(env or "")])
    tools.check(their.stdout == mine.stdout, what,
                text_difference(their.stdout, mine.stdout), mine.stderr)
    tools.check((their.returncode == 0) == (mine.returncode == 0),
                f"{what}: exit codes", their.returncode, mine.returncode)
    return mine.stdout


def main():
    tools.need_debian("ibv_devices", "ibv_devinfo", "ibv_asyncwatch")
    check_same_text("ibv_devices")
    for options in ([], ["-v"], ["-l"], ["--list"], ["-d", "uroce_lo"],
                    ["--ib-dev=uroce_lo", "--verbose"], ["-i", "1"],
                    ["--ib-port=1", "-v"], ["-d", "uroce_lo", "-l"],
                    ["-d", "nothing"], ["-i", "2"]):
        check_same_text("ibv_devinfo", *options)
    for name in ("ibv_devices", "ibv_devinfo"):
        check_same_text(name, UROCE_DEVICES="none")
    check_same_text("ibv_devinfo", "-d", "uroce_lo", UROCE_DEVICES="none")
    check_same_text("ibv_asyncwatch", "-d", "nothing")
    texts = set()
    for seed in range(SEEDS):
        texts.add(check_same_text("ibv_devinfo", "-v",
                                  LD_PRELOAD=tools.RANDOM_DEVICE,
                                  DEVICE_SEED=str(seed)))
    tools.check(len(texts) == SEEDS, "each seed yields a different device")
    tools.finish()


main()
