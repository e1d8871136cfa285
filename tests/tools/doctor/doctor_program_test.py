#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tests of the whole program ibv_doctor, in a private network namespace
(tests/support/on_loopback).

doctor_program_test.py BUILD MAN SHIM OTHER

BUILD is the build tree, MAN the manual page, SHIM the source folder of
uverbs_shim, OTHER the folder of another libibverbs.so.1. SHIM and OTHER are
"-" in a sanitizer build, because the sanitizer runtime must be loaded first.
"""
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

BUILD, MAN, SHIM, OTHER = sys.argv[1:]
LIB = os.path.join(BUILD, "lib")
PROGRAM = os.path.join(BUILD, "bin", "ibv_doctor")
PRELOAD = os.path.join(BUILD, "tests/support/uverbs_shim/uverbs_shim.so")
MEMLOCK = 4 << 20  # enough for the tests, below the limit of memlock-limited
KEYS = {"schema", "verdict", "exit_status", "library", "kernel", "container",
        "limits", "devices", "findings"}
FINDING_KEYS = {"id", "severity", "device", "port", "text", "reason", "cures"}

findings = []
count = 0  # pylint: disable=invalid-name


def check(good, what, detail=""):
    global count  # pylint: disable=global-statement
    count += 1
    if not good:
        findings.append(what)
        print(f"FAIL {what}\n{detail}")


def run(*options, before=(), stdout=subprocess.PIPE, **env):
    kept = {name: os.environ[name] for name in
            ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
            if name in os.environ}
    env = {"LC_ALL": "C", "LD_LIBRARY_PATH":
           f"{LIB}:{os.path.join(LIB, 'libibverbs')}", **kept, **env}
    return subprocess.run([*before, PROGRAM, *options], check=False, env=env,
                          text=True, timeout=300, stdout=stdout,
                          stderr=subprocess.PIPE)


class Report:
    """Runs ibv_doctor twice, for the text and the JSON report; checks both."""

    def __init__(self, what, *options, before=(), **env):
        self.what = what
        self.text = run(*options, before=before, **env).stdout
        result = run("--json", *options, before=before, **env)
        self.status = result.returncode
        check(result.stderr == "", f"{what}: nothing on standard error",
              result.stderr)
        try:
            self.json = json.loads(result.stdout)
        except ValueError:
            check(False, f"{what}: is JSON", result.stdout)
            self.json = {"findings": [], "devices": []}
            return
        check(set(self.json) == KEYS, f"{what}: members", str(self.json))
        check(self.json["exit_status"] == self.status,
              f"{what}: the exit status is that of the document")
        for finding in self.json["findings"]:
            check(set(finding) == FINDING_KEYS and finding["cures"] and
                  finding["id"] in KNOWN, f"{what}: a finding", str(finding))
        self.check_text()

    def check_text(self):
        check(self.text.isascii(), f"{self.what}: ASCII", self.text)
        for finding in self.json["findings"]:
            check(f"{finding['severity']}: {finding['id']}" in self.text,
                  f"{self.what}: {finding['id']} is in the text", self.text)
        for line in self.text.splitlines():
            is_sentence = line.startswith("  ") and " " in line.strip() and \
                not re.match(r"  (fix:|     ) ", line)
            check(len(line) < 80 or not is_sentence,
                  f"{self.what}: 80 columns", line)

    def expect(self, name, status, *words):
        """The report has the finding, with @words in its text or fixes."""
        found = [f for f in self.json["findings"] if f["id"] == name]
        text = " ".join(f["text"] + " " + " ".join(f["cures"]) for f in found)
        check(found and self.status == status and
              all(word in text for word in words),
              f"{self.what}: {name}, {words}, status {status}",
              f"{self.status}\n{self.text}")

    def expect_no(self, *names):
        """The report has none of the findings."""
        there = {f["id"] for f in self.json["findings"]} & set(names)
        check(not there, f"{self.what}: unexpected {there}", self.text)

    def expect_usable(self, name, status):
        """The device is usable."""
        devices = [d for d in self.json["devices"] if d["name"] == name]
        check(devices and devices[0]["usable"] and self.status == status,
              f"{self.what}: {name} can be used, status {status}",
              f"{self.status}\n{self.text}")


class Shim:
    """A folder with devices of uverbs_shim, and the environment for them."""

    def __init__(self, *devices, discovery="netlink"):
        self.dir = tempfile.mkdtemp()
        subprocess.run([os.path.join(SHIM, "make_devices.py"), "--discovery",
                        discovery, self.dir, *devices], check=True)
        os.makedirs(self.path("dev"), exist_ok=True)
        os.symlink("/dev/null", self.path("dev/rdma_cm"))
        self.env = {"UVERBS_SHIM": f"{self.dir}/shim.conf",
                    "SYSFS_PATH": f"{self.dir}/sys", "LD_PRELOAD": PRELOAD,
                    "RDMAV_DRIVERS": "rxe"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def report(self, what, *options, before=(), **env):
        return Report(what, *options, before=before, **{**self.env, **env})


def in_userns(*command):
    """Runs as root of a user namespace, where CAP_IPC_LOCK has no effect."""
    return ("unshare", "--user", "--map-root-user", *command)


# ---------------------------------------------------------------------------

def test_options():
    for wrong in (["-x"], ["-i", "0"], ["-i", "256"], ["-i", "1x"], ["-d"],
                  ["-m", "0"], ["-m", "-1"], ["-m", "1T"], ["-m", "1kk"],
                  ["-m", "99999999999999999999"], ["-m", "9999999999G"],
                  ["argument"], ["--jso=1"]):
        result = run(*wrong)
        check(result.returncode == 64 and result.stderr and not result.stdout,
              f"usage: {wrong}", result)
    result = run("--help")
    check(result.returncode == 0 and "--memory" in result.stdout, "--help")
    result = run("--quiet", UROCE_DEVICES="lo")
    check((result.returncode, result.stdout, result.stderr) == (0, "", ""),
          "--quiet", result)
    with open("/dev/full", "w", encoding="ascii") as full:
        for option in ("--json", "--list"):
            check(run(option, stdout=full).returncode == 74,
                  f"{option} into a full disk")
        check("cannot write" in run("--json", stdout=full).stderr,
              "the error appears on the original standard error")
    reader, writer = os.pipe()
    os.close(reader)
    result = run(UROCE_DEVICES="lo", stdout=writer)
    os.close(writer)
    check((result.returncode, result.stderr) == (-signal.SIGPIPE, ""),
          "a pipe without a reader", result)
    result = run(UROCE_DEVICES="lo", before=("sh", "-c", 'exec "$0" 2>&-'))
    check(result.returncode == 0 and "uroce_lo" in result.stdout,
          "closed standard error", result)


def test_manual_page():
    with open(MAN, encoding="utf-8") as file:
        page = file.read().replace("\\-", "-")
    section = re.search(r"^\.SH ERRORS\n(.*?)^\.SH ", page, re.M | re.S)
    described = re.findall(r"^\.TP\n\.B ([a-z0-9-]+)$", section[1], re.M)
    check(sorted(described) == sorted(KNOWN),
          "the page has each finding once", set(described) ^ set(KNOWN))
    section = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH ", page, re.M | re.S)
    options = re.findall(r"^\.TP\n(.*)", re.sub(r"\\f.", "", section[1]), re.M)
    listed = re.findall(r"^  (-\w, --[\w-]+(?:=\w+)?) ", run("--help").stdout,
                        re.M)
    check(options == listed and len(listed) == 8,
          "options in the page and in --help", f"{options}\n{listed}")


def test_coverage():
    """A unit test or this script causes each finding."""
    here = os.path.dirname(os.path.abspath(__file__))
    tested = set()
    for name in os.listdir(here):
        if name.endswith(("_test.c", "_test.py")):
            with open(os.path.join(here, name), encoding="utf-8") as file:
                tested |= {found[0].lower().replace("_", "-") or found[1]
                           for found in re.findall(
                             r'\bDOCTOR_(\w+)|\.expect\("([a-z-]+)"',
                             file.read())}
    check(set(KNOWN) <= tested, "each finding has a test",
          set(KNOWN) - tested)


def test_this_machine():
    """The report fits this machine, with or without RDMA devices."""
    folder = "/sys/class/infiniband_verbs"
    devices = os.path.isdir(folder) and \
        [name for name in os.listdir(folder) if name.startswith("uverbs")]
    report = Report("this machine", UROCE_DEVICES="none")
    if devices:
        check(report.json["devices"], "devices of this machine", report.text)
        return
    check(report.status == 1 and not report.json["devices"] and
          {f["id"] for f in report.json["findings"]} &
          {"kernel-no-rdma", "module-not-loaded", "no-device"},
          "no RDMA on this machine", report.text)


def test_user_space():
    report = Report("uroce", UROCE_DEVICES="lo")
    report.expect_usable("uroce_lo", 0)
    missing = [d["missing_features"] for d in report.json["devices"]]
    check(missing == [[]] and "not supported:" not in report.text,
          "uroce: no missing features", report.text)
    report.expect_no("kernel-no-rdma", "no-device", "memlock-low")
    report = Report("uroce, interface", UROCE_DEVICES="lo,none_such")
    report.expect_usable("uroce_lo", 2)
    report.expect("uroce-interface", 2, "none_such", "UROCE_DEVICES=auto")
    report = Report("uroce, unknown", "-d", "other", UROCE_DEVICES="lo")
    report.expect("device-unknown", 1, "Available devices: uroce_lo.")
    report = Report("uroce, port 2", "-i", "2", UROCE_DEVICES="lo")
    report.expect("unexplained", 1, "no such port")
    report = Report("uroce, little memory", "-m", "1G", UROCE_DEVICES="lo",
                    before=in_userns("prlimit", "--memlock=65536"))
    report.expect_usable("uroce_lo", 0)
    report = Report("uroce, few files", UROCE_DEVICES="lo",
                    before=("prlimit", "--nofile=64"))
    report.expect("nofile-low", 2, "open 64 files")
    report = Report("unknown variable", UROCE_DEVICES="lo", RDMAV_FORKSAFE="1")
    report.expect("env-unknown", 0, "RDMAV_FORKSAFE")


def test_udp_port_taken():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as taken:
        taken.bind(("::", 4791))
        report = Report("UDP port taken", UROCE_DEVICES="lo")
        report.expect("uroce-port-taken", 1, "ss -lunp")
    Report("UDP port free", UROCE_DEVICES="lo").expect_usable("uroce_lo", 0)


def test_interface_down():
    subprocess.run(["ip", "link", "set", "lo", "down"], check=True)
    report = Report("lo down", UROCE_DEVICES="lo")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    report.expect("uroce-interface", 1, "ip link set lo up")


def test_run():
    """The program of --run is observed, and its end is reported."""
    program = os.path.join(BUILD, "tests/tools/doctor/invalid_region")
    report = Report("invalid region", "--run", program, UROCE_DEVICES="lo")
    report.expect("run-failure", 2, "IBV_ACCESS_LOCAL_WRITE")
    report.expect("run-rule", 2, "AV-KY-008", "man")
    report.expect("run-ended", 2, "status 1")
    report.expect_no("run-unobserved")
    result = run("--json", "--run", "sh", "-c", "echo output; echo error >&2",
                 UROCE_DEVICES="lo")
    check(result.stderr == "output\nerror\n" and json.loads(result.stdout),
          "the output is on standard error", str(result))
    report = Report("no device is opened", "--run", "true", UROCE_DEVICES="lo")
    report.expect("run-unobserved", 2, "ldd")
    Report("a signal ends the program", "--run", "sh", "-c", "kill -9 $$",
           UROCE_DEVICES="lo").expect("run-ended", 2, "signal 9")
    many = "yes 'verbs-explain: again' | head -n 103 >&2"
    Report("many messages", "--run", "sh", "-c", many,
           UROCE_DEVICES="lo").expect("run-dropped", 2, "3 more messages")
    result = run("--run", "/nonexistent", UROCE_DEVICES="lo")
    check("status 127" in result.stdout and "/nonexistent" in result.stderr,
          "a program that does not exist", str(result))


def test_no_rdma():
    """Applies the fix of uroce-available."""
    with Shim(discovery="sysfs") as shim:
        shim.report("no device").expect("no-device", 1)
        shutil.rmtree(shim.path("sys/class/infiniband_verbs"))
        report = shim.report("no RDMA")
        # module-not-loaded: this machine has the module
        check({f["id"] for f in report.json["findings"]} &
              {"kernel-no-rdma", "module-not-loaded"}, "no RDMA", report.text)
        report.expect("uroce-available", 1, "UROCE_DEVICES=auto")
        fixed = shim.report("no RDMA, fixed", UROCE_DEVICES="auto")
        fixed.expect_usable("uroce_lo", 0)
        shutil.rmtree(shim.path("sys"))
        shim.report("no sysfs").expect("sysfs-missing", 1, "unset SYSFS_PATH")


def test_device():
    with Shim("rxe") as shim:
        report = shim.report("one device")
        report.expect_usable("rxe0", STATUS_FINE)
        report.expect_no("cm-node-missing", "port-down", "node-missing")
        report.expect("gid-index", STATUS_FINE, "-g 1")
        os.unlink(shim.path("dev/rdma_cm"))
        shim.report("no rdma_cm").expect("cm-node-missing", STATUS_FINE)
        os.mkdir(shim.path("dev/rdma_cm"))
        shim.report("wrong rdma_cm").expect("cm-node-wrong", 2)
        os.rmdir(shim.path("dev/rdma_cm"))

        low = in_userns("prlimit", "--memlock=65536")
        report = shim.report("memlock 64 kB", before=low)
        report.expect("memlock-low", 2, "64 kB", "needs 1284 kB", "memlock")
        if MEMLOCK_IS_LOW:  # and cannot be raised
            return
        enough = in_userns("prlimit", f"--memlock={MEMLOCK}")
        shim.report("memlock 4 MB", before=enough).expect("memlock-limited", 0)
        report = shim.report("memlock 4 MB, -m 1G", "-m", "1G", before=enough)
        report.expect("memlock-low", 2, "needs 1048836 kB")


def test_nodes():
    with Shim("rxe", "rxe:name=rxe1") as shim:
        os.unlink(shim.path("dev/uverbs1"))
        report = shim.report("one node of two")
        report.expect("node-missing", 2, "mknod -m 666", "231 193")
        report.expect_usable("rxe0", 2)
        report = shim.report("device without node", "-d", "rxe1")
        report.expect("node-missing", 1)
        report = shim.report("device with node", "-d", "rxe0")
        report.expect_usable("rxe0", STATUS_FINE)
        report.expect_no("node-missing")
        shutil.rmtree(shim.path("dev"))
        report = shim.report("no folder")
        report.expect("nodes-no-folder", 1, "/dev/infiniband")


def test_providers():
    with Shim("rxe:driver_id=3:name=foo0") as shim:
        shim.report("no provider").expect("provider-missing", 1, "install")
    with Shim("rxe:abi=9") as shim:
        report = shim.report("other ABI")
        report.expect("provider-abi", 1)
        check("ABI 9" in report.text, "library message", report.text)
        report = shim.report("no such driver", RDMAV_DRIVERS="none_such:rxe")
        report.expect("env-driver-missing", 1, "none_such")


def test_kernel_abi():
    with Shim("rxe") as shim:
        with open(shim.path("sys/class/infiniband_verbs/abi_version"), "w",
                  encoding="ascii") as file:
            file.write("9\n")
        shim.report("kernel ABI").expect("kernel-abi", 2, "version 9")


def test_other_library():
    path = f"{OTHER}:{LIB}"
    report = Report("other library", LD_LIBRARY_PATH=path, UROCE_DEVICES="lo")
    report.expect("library-other", 1, OTHER, "unset LD_LIBRARY_PATH")
    report.expect("object-failed", 1, "a memory region", "not permitted")
    report.expect("env-ignored", 1, "UROCE_DEVICES")
    with Shim("rxe") as shim:
        report = shim.report("a library that crashes", LD_LIBRARY_PATH=path,
                             OTHER_LIBRARY_CRASHES="1")
        report.expect("library-crashed", 1, OTHER, "Segmentation fault")
        report.expect("library-other", 1, OTHER)
        report.expect_no("unexplained", "list-failed", "provider-missing")


def test_random_sysfs():
    """Random bytes in sysfs files do not crash the program."""
    dice = random.Random(4791)
    with Shim("rxe", "rxe:name=rxe1") as shim:
        files = [os.path.join(folder, name)
                 for folder, _, names in os.walk(shim.path("sys"))
                 for name in names]
        for round_ in range(25):
            for file in dice.sample(files, len(files) // 3):
                with open(file, "wb") as target:
                    target.write(dice.randbytes(dice.choice(
                        (0, 1, 7, 64, 5000))))
            result = run("--json", **shim.env)
            check(result.returncode in (0, 1, 2) and json.loads(result.stdout),
                  f"random sysfs {round_}", result)
            check(run(**shim.env).stdout.isascii(), f"ASCII {round_}")


KNOWN = [line.split()[0] for line in run("--list").stdout.splitlines()]

# On a host with a low memlock limit, kernel devices have errors.
limits = json.loads(run("--json").stdout)["limits"]
MEMLOCK_IS_LOW = limits["memlock"] is not None and limits["memlock"] < MEMLOCK
STATUS_FINE = 2 if MEMLOCK_IS_LOW and limits["memlock_applies"] else 0

tests = [test_options, test_manual_page, test_coverage, test_this_machine,
         test_user_space, test_run, test_udp_port_taken,
         test_interface_down]
if SHIM != "-":
    tests += [test_no_rdma, test_device, test_nodes, test_providers,
              test_kernel_abi, test_other_library, test_random_sysfs]
for test in tests:
    test()
print(f"{count} checked, {len(findings)} wrong")
sys.exit(1 if findings or not count else 0)
