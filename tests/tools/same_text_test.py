#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The text of our ibv_devices and ibv_devinfo is that of Debian's, byte for byte:
of the user-space device, and of devices of all kinds (odd_device.c).
"""
import difflib
import tool_world as world

SEEDS = 60


def difference(their, mine):
    return "\n".join(difflib.unified_diff(
        their.splitlines(), mine.splitlines(), "Debian's", "ours",
        lineterm="", n=1))


def same(name, *options, **env):
    their = world.run(world.theirs(name), *options, **env)
    mine = world.run(world.ours(name), *options, **env)
    what = " ".join([name, *options, str(env or "")])
    world.check(their.stdout == mine.stdout, what,
                difference(their.stdout, mine.stdout), mine.stderr)
    world.check((their.returncode == 0) == (mine.returncode == 0),
                f"{what}: exit codes", their.returncode, mine.returncode)
    return mine.stdout


def main():
    world.need_debian("ibv_devices", "ibv_devinfo", "ibv_asyncwatch")
    same("ibv_devices")
    for options in ([], ["-v"], ["-l"], ["--list"], ["-d", "uroce_lo"],
                    ["--ib-dev=uroce_lo", "--verbose"], ["-i", "1"],
                    ["--ib-port=1", "-v"], ["-d", "uroce_lo", "-l"],
                    ["-d", "nothing"], ["-i", "2"]):
        same("ibv_devinfo", *options)
    for name in ("ibv_devices", "ibv_devinfo"):
        same(name, UROCE_DEVICES="none")
    same("ibv_devinfo", "-d", "uroce_lo", UROCE_DEVICES="none")
    same("ibv_asyncwatch", "-d", "nothing")
    texts = set()
    for seed in range(SEEDS):
        texts.add(same("ibv_devinfo", "-v", LD_PRELOAD=world.ODD_DEVICE,
                       ODD_SEED=str(seed)))
    world.check(len(texts) == SEEDS, "each seed is another device")
    world.finish()


main()
