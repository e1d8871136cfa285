#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The C code of the manual pages: check_examples.py COMPILER LIBDIR [PAGE...].

Compiles each SYNOPSIS, which so agrees with the headers, and each EXAMPLE, and
runs those examples that say so, on the user-space device over a loopback
interface of their own. LIBDIR has libibverbs.so and the folder of providers;
without it (-) nothing is linked and run. README.md tells how to mark an example.
"""
import concurrent.futures
import ctypes
import fcntl
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays as it is
import man_page as man  # noqa: E402 pylint: disable=wrong-import-position

FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror",
         "-Wno-unused-parameter", "-I", os.path.join(man.ROOT, "include"),
         "-I", man.HERE]
TIMEOUT = 90

# What a macro makes of a call, where the function of that name differs.
MACROS = {"ibv_query_port": "___ibv_query_port"}

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


def own_loopback():
    """In the child: port 4791 of this machine may be somebody else's."""
    libc = ctypes.CDLL(None, use_errno=True)
    user = 0 if os.geteuid() == 0 else CLONE_NEWUSER
    if libc.unshare(user | CLONE_NEWNET) != 0:
        return  # a machine without namespaces: its own loopback will do
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


def run(command, **options):
    return subprocess.run(command, check=False, text=True, timeout=TIMEOUT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)


def synopsis_source(code):
    """Prototypes again, once more without the macros that hide functions."""
    includes = "".join(re.findall(r"^#include.*\n", code, re.MULTILINE))
    body = re.sub(r"^#include.*\n", "", code, flags=re.MULTILINE)
    for name, function in MACROS.items():
        body = re.sub(rf"\b{name}\b", function, body)
    names = re.findall(r"\b(\w+)\s*\(", body)
    undefs = "".join(f"#undef {name}\n" for name in sorted(set(names)))
    prototypes = "".join(part + ";\n" for part in body.split(";")
                         if part.strip() and "#define" not in part)
    return f"{includes}#include <infiniband/verbs.h>\n" \
           f"#include <stddef.h>\n{undefs}{prototypes}int main(void);\n"


def example_source(code):
    if re.search(r"^int main\(", code, re.MULTILINE):
        return code
    return '#include "example_world.h"\n\n' \
           f"static int example(void)\n{{\n{code}return 0;\n}}\n"


class Example:
    def __init__(self, page, number, kind, source):
        self.name = f"{page.title}_{number}"
        self.where = f"{page.file}: example {number}"
        self.kind, self.source = kind, source

    def check(self, compiler, libdir, folder):
        """What is wrong, as text, or nothing."""
        source = os.path.join(folder, self.name + ".c")
        binary = os.path.join(folder, self.name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(self.source)
        links = ["-o", binary, source, "-L", libdir, "-libverbs", "-pthread"]
        if self.kind == "synopsis" or libdir == "-":
            # An obsolete header says so itself.
            links = ["-Wno-error=cpp", "-c", "-o", binary + ".o", source]
        made = run([compiler, *FLAGS, *links])
        if made.returncode:
            return f"{self.where} does not compile\n{made.stdout}"
        if self.kind != "run" or libdir == "-":
            return None
        env = {"PATH": os.environ["PATH"], "UROCE_DEVICES": "lo",
               "IBV_SHOW_WARNINGS": "1", "LD_LIBRARY_PATH": libdir}
        ran = run([binary], env=env, cwd=folder, preexec_fn=own_loopback)
        if ran.returncode or ran.stdout.count("libibverbs:"):
            return f"{self.where} ended with {ran.returncode}\n{ran.stdout}"
        return None


def examples(page):
    for number, (_, code) in enumerate(page.code("SYNOPSIS"), 1):
        if page.volume == "3":
            yield Example(page, f"synopsis_{number}", "synopsis",
                          synopsis_source(code))
    for number, (kind, code) in enumerate(page.code("EXAMPLE"), 1):
        if kind not in ("run", "compile", "shell"):
            sys.exit(f"{page.file}: example {number} has no kind")
        if kind != "shell":
            yield Example(page, number, kind, example_source(code))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    compiler, libdir, *wanted = sys.argv[1:]
    todo = [example for page in man.pages()
            if not wanted or page.file in wanted
            for example in examples(page)]
    if not todo:
        sys.exit("there are no examples")
    with tempfile.TemporaryDirectory() as folder, \
         concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(
            lambda example: example.check(compiler, libdir, folder), todo)
        findings = [text for text in results if text]
    print("\n".join(findings))
    ran = sum(example.kind == "run" for example in todo)
    print(f"{len(todo)} pieces of code, {ran} of them to be run, "
          f"{len(findings)} wrong")
    sys.exit(1 if findings else 0)


main()
