# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Common code of the test scripts of the utilities: runs programs of a build
tree on the user-space device over lo, and counts the checks.
"""
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = sys.argv[1]
LIB = os.path.join(BUILD, "lib")
RANDOM_DEVICE = os.path.join(BUILD, "tests", "tools", "random_device.so")
FEATURE_DEVICE = os.path.join(BUILD, "tests", "tools", "feature_device.so")
DEBIAN = "/usr/bin"
TIMEOUT = 150
SKIPPED = 77
PORT = 18515

if [name for _, name in socket.if_nameindex() if name != "lo"]:
    sys.exit("run this with tests/support/on_loopback: it changes the network")

findings = []
count = 0  # pylint: disable=invalid-name


def ours(name):
    return os.path.join(BUILD, "bin", name)


def theirs(name):
    return os.path.join(DEBIAN, name)


def need_debian(*names):
    """Exits with SKIPPED unless Debian's programs are installed."""
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
    # gcc's sanitizer runtime rejects a preload that precedes it.
    env["ASAN_OPTIONS"] = ":".join(filter(None, [
        env.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]))
    env.update(more)
    return env


def run(program, *options, **env):
    return subprocess.run([program, *options], check=False, text=True,
                          timeout=TIMEOUT, env=environment(**env),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def listens(port):
    """Whether a process of this network namespace listens on a TCP port."""
    for name in ("tcp", "tcp6"):
        with open(f"/proc/self/net/{name}", encoding="ascii") as file:
            for line in file.read().splitlines()[1:]:
                words = line.split()
                if words[1].endswith(f":{port:04X}") and words[3] == "0A":
                    return True
    return False


class Pair:
    """Runs a server and its client; has the output and exit code of both."""

    def __init__(self, server, client, options, server_only=(),
                 client_only=(), host="127.0.0.1", **env):
        with tempfile.TemporaryFile("w+") as out:
            with subprocess.Popen([server, *options, *server_only], text=True,
                                  env=environment(**env), stdout=out,
                                  stderr=subprocess.STDOUT) as process:
                self.wait_until_listening(process)
                self.client = run(client, *options, *client_only, host, **env)
                try:
                    process.wait(TIMEOUT)
                except subprocess.TimeoutExpired:
                    process.kill()
            out.seek(0)
            self.server_out = out.read()
        self.server_code = process.returncode
        self.client_out = self.client.stdout + self.client.stderr
        self.client_code = self.client.returncode

    @staticmethod
    def wait_until_listening(process):
        """Polls, because neither listening nor an exit causes an event."""
        deadline = time.monotonic() + TIMEOUT
        while not listens(PORT) and process.poll() is None and \
                time.monotonic() < deadline:
            time.sleep(0.005)

    def check_both(self, what, pattern, code=0):
        """Checks the exit code and the output of both programs."""
        for side, out, ended in (
                ("server", self.server_out, self.server_code),
                ("client", self.client_out, self.client_code)):
            check(ended == code and re.search(pattern, out, re.MULTILINE),
                  f"{what}: {side}", f"exit code {ended}", self.server_out,
                  self.client_out)


def check(good, what, *details):
    """Counts a check; prints the details if it fails."""
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
