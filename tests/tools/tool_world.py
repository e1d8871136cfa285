# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the test scripts of the utilities share: programs of a build tree on the
user-space device over lo, and a count of what was checked.
"""
import os
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = sys.argv[1]
LIB = os.path.join(BUILD, "lib")
ODD_DEVICE = os.path.join(BUILD, "tests", "tools", "odd_device.so")
DEBIAN = "/usr/bin"
TIMEOUT = 60
SKIPPED = 77

if [name for _, name in socket.if_nameindex() if name != "lo"]:
    sys.exit("run it with tests/support/on_loopback: it changes the network")

findings = []
count = 0  # pylint: disable=invalid-name


def ours(name):
    return os.path.join(BUILD, "bin", name)


def theirs(name):
    return os.path.join(DEBIAN, name)


def need_debian(*names):
    """Ends the script if there is nothing to compare with."""
    missing = [name for name in names if not os.access(theirs(name), os.X_OK)]
    if missing:
        print(f"not installed: {' '.join(missing)} (ibverbs-utils)")
        sys.exit(SKIPPED)


def environment(**more):
    env = {"PATH": os.environ["PATH"], "UROCE_DEVICES": "lo",
           "LC_ALL": "C.UTF-8",
           "LD_LIBRARY_PATH": f"{LIB}:{os.path.join(LIB, 'libibverbs')}"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            env[name] = os.environ[name]
    # The library of gcc's sanitizer wants to be first, and a preload is.
    env["ASAN_OPTIONS"] = ":".join(filter(None, [
        env.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]))
    env.update(more)
    return env


def run(program, *options, **env):
    return subprocess.run([program, *options], check=False, text=True,
                          timeout=TIMEOUT, env=environment(**env),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check(good, what, *details):
    """One thing that has to be so."""
    global count  # pylint: disable=global-statement
    count += 1
    if not good:
        findings.append(what)
        print(f"FAIL {what}")
        for detail in details:
            print("     " + str(detail).replace("\n", "\n     "))


def finish():
    print(f"{count} checked, {len(findings)} wrong")
    sys.exit(1 if findings or not count else 0)
