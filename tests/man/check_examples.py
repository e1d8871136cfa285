#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Check the C code of the manual pages.

check_examples.py COMPILER LIBDIR [PAGE...]

Compile each SYNOPSIS together with the headers, so that their prototypes must
agree, and compile each EXAMPLE. Run the examples that are marked for it on the
user-space device, over a private loopback interface. LIBDIR contains
libibverbs.so, librdmacm.so and the directory of the providers. If LIBDIR is -,
nothing is linked or run. README.md describes how to mark an example.
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

sys.dont_write_bytecode = True  # write nothing to the source tree
import man_page as man  # noqa: E402 pylint: disable=wrong-import-position

FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror",
         "-Wno-unused-parameter", "-I", os.path.join(man.ROOT, "include"),
         "-I", man.HERE]
TIMEOUT = 90

# Functions that a macro calls, if their prototype differs from the macro's.
MACRO_FUNCTIONS = {"ibv_query_port": "___ibv_query_port"}

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1


def enter_private_network():
    """Enter a network namespace in the child: UDP port 4791 may be in use."""
    libc = ctypes.CDLL(None, use_errno=True)
    user = 0 if os.geteuid() == 0 else CLONE_NEWUSER
    if libc.unshare(user | CLONE_NEWNET) != 0:
        return  # no namespaces: use the loopback interface of the machine
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


def run_command(command, **options):
    return subprocess.run(command, check=False, text=True, timeout=TIMEOUT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)


def synopsis_source(code):
    """Source that declares the functions again, with their macros undefined."""
    includes = "".join(re.findall(r"^#include.*\n", code, re.MULTILINE))
    body = re.sub(r"^#include.*\n", "", code, flags=re.MULTILINE)
    for name, function in MACRO_FUNCTIONS.items():
        body = re.sub(rf"\b{name}\b", function, body)
    names = re.findall(r"\b(\w+)\s*\(", body)
    undefs = "".join(f"#undef {name}\n" for name in sorted(set(names)))
    prototypes = "".join(part + ";\n" for part in body.split(";")
                         if part.strip() and "#define" not in part)
    return f"{includes}#include <infiniband/verbs.h>\n" \
           f"#include <stddef.h>\n{undefs}{prototypes}int main(void);\n"


def example_source(page, code):
    if re.search(r"^int main\(", code, re.MULTILINE):
        return code
    setup = "example_cm_setup.h" if page.is_rdmacm else "example_setup.h"
    return f'#include "{setup}"\n\n' \
           f"static int example(void)\n{{\n{code}return 0;\n}}\n"


class Example:
    def __init__(self, page, number, kind, source):
        self.name = f"{page.title}_{number}"
        self.where = f"{page.file}: example {number}"
        self.kind, self.source = kind, source
        self.is_rdmacm = page.is_rdmacm

    def check(self, compiler, libdir, folder):
        """Compile and run; return a description of the error, or None."""
        source = os.path.join(folder, self.name + ".c")
        binary = os.path.join(folder, self.name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(self.source)
        links = ["-o", binary, source, "-L", libdir, "-libverbs", "-pthread"]
        if self.is_rdmacm:
            links.append("-lrdmacm")
        if self.kind == "synopsis" or libdir == "-":
            # Obsolete headers contain #warning.
            links = ["-Wno-error=cpp", "-c", "-o", binary + ".o", source]
        result = run_command([compiler, *FLAGS, *links])
        if result.returncode:
            return f"{self.where} does not compile\n{result.stdout}"
        if self.kind != "run" or libdir == "-":
            return None
        env = {"PATH": os.environ["PATH"], "UROCE_DEVICES": "lo",
               "IBV_SHOW_WARNINGS": "1",
               "LD_LIBRARY_PATH": libdir}
        result = run_command([binary], env=env, cwd=folder,
                             preexec_fn=enter_private_network)
        if result.returncode or "libibverbs:" in result.stdout:
            return f"{self.where} exits with {result.returncode}\n" \
                   f"{result.stdout}"
        return None


def page_examples(page):
    for number, (_, code) in enumerate(page.code("SYNOPSIS"), 1):
        if page.volume == "3":
            yield Example(page, f"synopsis_{number}", "synopsis",
                          synopsis_source(code))
    for number, (kind, code) in enumerate(page.code("EXAMPLE"), 1):
        if kind not in ("run", "compile", "shell"):
            sys.exit(f"{page.file}: example {number} has no valid mark")
        if kind != "shell":
            yield Example(page, number, kind, example_source(page, code))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    compiler, libdir, *selected = sys.argv[1:]
    examples = [example for page in man.pages()
                if not selected or page.file in selected
                for example in page_examples(page)]
    if not examples:
        sys.exit("there are no examples")
    with tempfile.TemporaryDirectory() as folder, \
         concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(
            lambda example: example.check(compiler, libdir, folder), examples)
        findings = [text for text in results if text]
    print("\n".join(findings))
    nr_run = sum(example.kind == "run" for example in examples)
    print(f"{len(examples)} examples compiled, {nr_run} of them run, "
          f"{len(findings)} failed")
    sys.exit(1 if findings else 0)


main()
