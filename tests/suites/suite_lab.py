# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Runs programs of a Debian suite, in its root, under uverbs_shim.so.

Used by run_providers, run_mixes, run_vendor and run_broken. A Lab is a
working folder, seen as /mnt inside every root, with the tools that
build_suite_tools compiled, the library under test in ours/ and one
folder for each set of devices.
"""

import glob
import os
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MAKE_DEVICES = os.path.join(HERE, "..", "support", "uverbs_shim",
                            "make_devices.py")
LIBDIR_OF = os.path.join(HERE, "..", "kernel", "lane_libdir")
SUITES = ("bookworm", "trixie", "sid")
TIMEOUT = 150


class Suite:
    """An unpacked root and its rdma-core files."""

    def __init__(self, name):
        self.name = name
        made = subprocess.run([os.path.join(HERE, "suite_root"), name],
                              check=False, stdout=subprocess.PIPE, text=True)
        if made.returncode:
            raise SystemExit(f"no root of {name}")
        self.root = made.stdout.strip()
        with open(os.path.join(self.root, ".packages"),
                  encoding="ascii") as file:
            packages = file.read()
        self.release = re.search(r"^ibverbs-providers_([^_]*)_", packages,
                                 re.MULTILINE).group(1)
        pattern = os.path.join(self.root, "usr/lib/*/libibverbs/*-rdmav*.so")
        self.modules = {}  # mlx5: path of libmlx5-rdmav34.so, as in the root
        for path in sorted(glob.glob(pattern)):
            name = re.match(r"lib(.*)-rdmav\d+\.so", os.path.basename(path))
            self.modules[name.group(1)] = path[len(self.root):]

    def stem(self, provider):
        """Return the name that selects a module, such as mlx5-rdmav34."""
        return os.path.basename(self.modules[provider])[3:-3]

    def private_abi(self):
        return int(re.search(r"rdmav(\d+)", self.stem("rxe")).group(1))


class Run:
    """The output, log and exit code of one program."""

    def __init__(self, result, log):
        self.code = result.returncode
        self.output = result.stdout
        self.errors = result.stderr
        self.log = log

    def lines(self):
        return self.output.splitlines()


class Lab:
    def __init__(self, libdir, oldest):
        self.work = tempfile.mkdtemp(prefix="anyverbs-lab.")
        try:
            os.chmod(self.work, 0o755)
            subprocess.run([os.path.join(HERE, "build_suite_tools"),
                            oldest.root, self.work], check=True)
            os.mkdir(self.path("ours"))
            if libdir:
                self._copy_library(libdir)
        except BaseException:
            shutil.rmtree(self.work)
            raise

    def _copy_library(self, libdir):
        """Copy the libraries, under their sonames, and the providers; they
        may be in an install tree."""
        libdir = subprocess.run([LIBDIR_OF, libdir], check=True,
                                stdout=subprocess.PIPE,
                                text=True).stdout.strip()
        for name in ("libibverbs.so.1", "librdmacm.so.1"):
            if os.path.exists(os.path.join(libdir, name)):
                shutil.copy(os.path.join(libdir, name),
                            self.path(f"ours/{name}"))
        folder = os.path.join(libdir, "libibverbs")
        if os.path.isdir(folder):
            shutil.copytree(folder, self.path("ours/libibverbs"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.work)

    def path(self, name):
        return os.path.join(self.work, name)

    def require(self, suite):
        """End the run if programs do not run in the suite's root, or not
        with the expected library: two failures would look equal."""
        for ours in (False, True) if self.has_ours() else (False,):
            run = self.run(suite, ["/mnt/provider_walk"], ours=ours,
                           env={"LD_TRACE_LOADED_OBJECTS": "1"})
            path = "/mnt/ours/libibverbs.so.1" if ours else "/lib/"
            if not re.search(f"libibverbs.so.1 => {path}", run.output):
                raise SystemExit(f"{suite.name}: programs do not run as they "
                                 f"should: {run.output}{run.errors}")

    def has_ours(self):
        return os.path.exists(self.path("ours/libibverbs.so.1"))

    def make_devices(self, name, providers, mode="ioctl",
                     discovery="netlink"):
        """Make a folder of devices of that name; return its path in the
        roots."""
        subprocess.run([MAKE_DEVICES, "--mode", mode, "--discovery",
                        discovery, "--seen-as", f"/mnt/{name}",
                        self.path(name), *providers], check=True)
        return f"/mnt/{name}"

    def run(self, suite, command, devices=None, ours=False, env=None):
        """Run a command in a suite's root; devices are of make_devices()."""
        variables = dict(env or {})
        log = None
        if devices:
            variables["UVERBS_SHIM"] = f"{devices}/shim.conf"
            variables["SYSFS_PATH"] = f"{devices}/sys"
            variables["LD_PRELOAD"] = "/mnt/uverbs_shim.so"
            log = self.path(os.path.basename(devices) + "/log")
            if os.path.exists(log):
                os.remove(log)
        if ours:
            path = "/mnt/ours:/mnt/ours/libibverbs"
            if "LD_LIBRARY_PATH" in variables:
                path = f"{variables['LD_LIBRARY_PATH']}:{path}"
            variables["LD_LIBRARY_PATH"] = path
        words = [f"{key}={value}" for key, value in variables.items()]
        result = subprocess.run(
            [os.path.join(HERE, "suite_run"), suite.root, self.work,
             "timeout", str(TIMEOUT), "env", *words, *command],
            check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace")
        return Run(result, read_log(log))


def read_log(path):
    if not path or not os.path.exists(path):
        return []
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read().splitlines()


class Score:
    """Counts and prints passed and failed tests."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, name, problems):
        """Count one test, which passes if there are no problems."""
        if not problems:
            self.passed += 1
            return True
        self.failed += 1
        print(f"FAIL {name}")
        for problem in problems[:8]:
            print(f"     {problem}")
        if len(problems) > 8:
            print(f"     ... and {len(problems) - 8} more")
        return False

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
