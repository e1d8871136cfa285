#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Turn the ABI tables into assertions about our headers.

Reads struct-layouts.tsv, enums.tsv and symbols.tsv and writes a C file, and
optionally a C++ file, that compile only if the headers agree with every row:

  struct rows    offset, size and type of the member
  enum rows      value; the C++ file adds that the constant belongs to the
                 named enum
  macro rows     value and size, or the text it expands to, or its parameters
  symbol rows    the exact type of the exported function

own-names.tsv lists constants that have another name in this tree. Kernel rows
(sections B and K) refer to the installed kernel headers, except where
libibverbs/kernel/uapi_newer.h defines the constant or struct under its own name.

No row is skipped: each gets an assertion or an entry in deferred-rows.txt with
a reason, and the counts must add up. Offsets and sizes hold on 64-bit machines.
machine_layouts.py computes those of structs with POSIX mutexes on arm64, and all
of them on i386. On other machines, only the remaining assertions are compiled.
"""

import argparse
import pathlib
import re
import sys

from machine_layouts import (ARM64, I386, LP64, REFERENCE, Layouts,
                             TableError, is_anonymous)

# Where a header is given by --include, these are left out.
INCLUDES = """
#define RDMA_STATIC_PROVIDERS none
#include <infiniband/verbs.h>
#include <infiniband/arch.h>
#include <infiniband/opcode.h>
#include <infiniband/sa-kern-abi.h>
#include <infiniband/sa.h>
#include <infiniband/tm_types.h>
#include <provider/compat_port_attr.h>
#include <provider/log.h>
#include <provider/objects.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_sa.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include "api/marshall.h"
#include "api/sysfs.h"
#include "compat/compat_1_0.h"
#include "foreign/foreign_abi.h"
#include "foreign/foreign_cmd.h"
#include "foreign/foreign_helpers.h"
#include "kernel/uapi_newer.h"
"""


class Deferred:
    """deferred-rows.txt: the rows that need no assertion."""

    def __init__(self, path):
        self.entries = {}
        self.used = set()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.split(None, 3)
            if len(fields) != 4:
                raise TableError(f"{path}:{number}: four fields expected")
            if tuple(fields[:3]) in self.entries:
                raise TableError(f"{path}:{number}: entered twice")
            self.entries[tuple(fields[:3])] = fields[3]

    def has(self, table, section, name):
        """Is this row deferred? Marks its entry as used."""
        for key in ((table, section, name), (table, section, "*")):
            if key in self.entries:
                self.used.add(key)
                return True
        return False

    def unused(self):
        """Entries that matched no row."""
        return sorted(set(self.entries) - self.used)


class Output:
    """The generated text, and the number of rows in it."""

    def __init__(self, newer, own, headers, includes):
        self.newer = newer
        self.own = own
        self.headers = headers
        self.includes = includes
        self.always = []
        self.guarded = {}
        self.runtime = []
        self.cxx = []
        self.rows = {}
        self.asserted = {}
        self.deferred = {}

    def check(self, condition, text, guard=None):
        """Add one static assertion."""
        lines = self.guarded.setdefault(guard, []) if guard else self.always
        lines.append(f'_Static_assert({condition},\n\t       "{text}");')

    def count(self, where, table, section):
        """Count a row as read, asserted or deferred."""
        key = (table, section)
        where[key] = where.get(key, 0) + 1


def read_table(path, columns):
    """The data rows of a table: no comments, no heading."""
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if fields[0] in ("section", "symbol", "function", "name"):
            continue
        fields += [""] * (columns - len(fields))
        if len(fields) != columns:
            raise TableError(f"{path}:{number}: {columns} columns expected")
        rows.append(fields)
    return rows


def anonymous_extent(struct, rows, index):
    """Is the unnamed member as large as the members in it make it?

    Returns the first of those members, declarations, and the condition.
    """
    start, size = int(rows[index][4]), int(rows[index][5])
    inside = []
    for row in rows[index + 1:]:
        if row[2] != rows[index][2] or \
                not start <= int(row[4]) < start + size:
            break
        if not is_anonymous(row[3]):
            inside.append(row[3])
    if not inside:
        raise TableError(f"{struct}: unnamed member at {start} is empty")
    # one enum constant per member: nested MAX()s would grow exponentially
    tag = re.sub(r"\W", "_", f"{struct}_{index}").upper()
    lines = ["enum {", f"\t{tag}_END_0 = {start},", f"\t{tag}_ALIGN_0 = 1,"]
    for number, name in enumerate(inside):
        lines += [
            f"\t{tag}_END_{number + 1} = MAX({tag}_END_{number}, "
            f"END({struct}, {name})),",
            f"\t{tag}_ALIGN_{number + 1} = MAX({tag}_ALIGN_{number}, "
            f"ALIGN({struct}, {name})),"
        ]
    last = len(inside)
    lines.append("};")
    return inside[0], "\n".join(lines), (
        f"ROUND_UP({tag}_END_{last} - {start}, {tag}_ALIGN_{last}) == {size}")


def pthread_structs(rows):
    """Structs whose layout depends on the size of pthread_mutex_t."""
    found = set()
    while True:
        more = {
            row[2] for row in rows
            if row[2] not in found and row[3] != "<size>" and
            (row[6].startswith("pthread_") or row[6] in found)
        }
        if not more:
            return found
        found |= more


def gen_struct_row(out, rows, index, struct, guard):
    """Offset and size of one row, where the guard is true."""
    _, _, name, member, offset, size, kind = rows[index]
    text = f"{name}: {member}"
    if member == "<size>":
        out.check(f"sizeof({struct}) == {size}", text, guard)
    elif is_anonymous(member):
        first, lines, extent = anonymous_extent(struct, rows, index)
        out.check(f"offsetof({struct}, {first}) == {offset}", text, guard)
        out.guarded[guard].append(lines)
        out.check(extent, text, guard)
    else:
        out.check(f"offsetof({struct}, {member}) == {offset}", text, guard)
        if not kind.endswith("[]"):
            out.check(f"SIZE({struct}, {member}) == {size}", text, guard)


def machine_tables(rows, known):
    """[guard, rows, which structs]: the table on each machine.

    The rows of known are types that members have, without assertions here.
    """
    posix = pthread_structs(rows)
    every = {row[2] for row in rows}
    layouts = {machine: Layouts(machine, known + rows).table()[len(known):]
               for machine in (REFERENCE, ARM64, I386)}
    for row, ours, arm64 in zip(rows, layouts[REFERENCE], layouts[ARM64]):
        if ours != row:
            raise TableError(f"{row[2]}: {row[3]} is at {ours[4]} by the "
                             f"rules, with {ours[5]} bytes")
        if arm64 != row and row[2] not in posix:
            raise TableError(f"{row[2]}: {row[3]} differs on arm64")
    return [(LP64, rows, every - posix),
            (REFERENCE.condition, rows, posix),
            (ARM64.condition, layouts[ARM64], posix),
            (I386.condition, layouts[I386], every)]


def gen_structs(out, deferred, rows, known):
    """Offset, size and type of every member; size of every struct."""
    tables = machine_tables(rows, known)
    for index, (section, _, name, member, _, _, kind) in enumerate(rows):
        out.count(out.rows, "struct-layouts", section)
        if deferred.has("struct-layouts", section, name):
            out.count(out.deferred, "struct-layouts", section)
            continue
        struct = name
        newer = name.replace("struct ", "struct verbs_uapi_", 1)
        if section == "B" and newer in out.newer:
            struct = newer
        for guard, table, structs in tables:
            if name in structs:
                gen_struct_row(out, table, index, struct, guard)
        if member != "<size>" and not is_anonymous(member) and \
                kind not in ("struct {...}", "union {...}"):
            if section == "B" and struct == newer:
                kind = kind.replace(name, newer)
            out.check(f"HAS_TYPE({struct}, {member}, {kind})",
                      f"{name}: {member}")
        out.count(out.asserted, "struct-layouts", section)


def gen_macro_text(out, row):
    """An object-like macro that is not a number: what it expands to."""
    _, header, _, name, text = row[:5]
    if name == "__attribute_const":
        # undefined again at the end of the header: look at the source
        pattern = r"#define __attribute_const __attribute__\(\(const\)\)"
        if not re.search(pattern, out.headers):
            raise TableError(f"{header}: {name} is not defined")
        return
    out.runtime.append(f'\tEXPANDS({name}, "{text}");')


def gen_macro_parameters(out, row):
    """A function-like macro: it exists and takes that many arguments."""
    _, header, _, prototype = row[:4]
    name, parameters = re.fullmatch(r"(\w+)\((.*)\)", prototype).groups()
    wanted = len(parameters.split(","))
    source = out.headers.replace("\\\n", " ")
    found = re.findall(rf"#define {name}\(([^)]*)\)", source)
    if not found:
        raise TableError(f"{header}: no macro {name}()")
    if any(len(text.split(",")) != wanted for text in found):
        raise TableError(f"{header}: {name}() has other parameters")
    out.always.append(
        f'#ifndef {name}\n#error "no macro {name}()"\n#endif')


def gen_enum_constant(out, row):
    """A constant of an enum: its value, and which enum it belongs to."""
    section, _, enum, name, value = row[:5]
    constant = name
    if section == "K" and "VERBS_UAPI_" + name in out.newer:
        constant = "VERBS_UAPI_" + name
        enum = "(unnamed)"
    elif section == "P":
        constant = out.own.pop(name, name)
    out.check(f"{constant} == {value}", name)
    if section != "A":
        return
    if enum == "(unnamed)":
        out.cxx.append(f"IN_SOME_ENUM({name});")
    else:
        out.cxx.append(f"IN_ENUM({name}, {enum});")


def gen_macro_constant(out, row):
    """A macro with an integer value (a pointer is checked at run time)."""
    section, _, _, name, value, _, note = row
    if section == "K" and "VERBS_UAPI_" + name in out.newer:
        name = "VERBS_UAPI_" + name
    size = re.fullmatch(r"sizeof=(\d+)", note)
    if size and value == "-1":
        out.runtime.append(f"\tIS_ALL_ONES({name});")
        out.check(f"sizeof({name}) == sizeof(void *)", name)
        return
    unsigned = "u" if int(value) > 0x7fffffffffffffff else ""
    out.check(f"{name} == {value}{unsigned}", name)
    if size:
        out.check(f"sizeof({name}) == {size.group(1)}", name)


def gen_enums(out, deferred, rows):
    """Every enum constant and every macro."""
    for row in rows:
        section, enum, name = row[0], row[2], row[3]
        out.count(out.rows, "enums", section)
        # deferred-rows.txt has only the name of a macro with parameters
        if section == "F":
            name = name.partition("(")[0]
        if deferred.has("enums", section, name):
            out.count(out.deferred, "enums", section)
            continue
        if section == "N":
            gen_macro_text(out, row)
        elif section == "F":
            gen_macro_parameters(out, row)
        elif enum == "(macro)":
            gen_macro_constant(out, row)
        else:
            gen_enum_constant(out, row)
        out.count(out.asserted, "enums", section)


def function_type(name, prototype):
    """'int f(char * a, int)' -> 'int (char *, int)', names taken out."""
    match = re.fullmatch(rf"(.*?)\s*\b{name}\((.*)\)", prototype)
    if not match:
        raise TableError(f"{name}: cannot read '{prototype}'")
    result, arguments = match.groups()
    kinds = []
    for argument in arguments.split(","):
        argument = argument.strip()
        if argument != "void":
            argument = re.sub(r"(\W)\w+$", r"\1", argument).strip()
        kinds.append(argument)
    return f"{result} ({', '.join(kinds)})"


def gen_symbols(out, deferred, rows):
    """The type of every function that can be linked against."""
    for name, node, binding, _, _, prototype in rows:
        section = node if binding == "@@" else node + binding
        out.count(out.rows, "symbols", section)
        if deferred.has("symbols", section, name):
            out.count(out.deferred, "symbols", section)
            continue
        kind = function_type(name, prototype)
        ours = f"compat_{name}" if section == "IBVERBS_1.0@" else name
        out.check(
            f"__builtin_types_compatible_p(__typeof__(({ours})), {kind})",
            name)
        out.count(out.asserted, "symbols", section)


C_HELPERS = """
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MEMBER(s, m) (((s *)0)->m)
#define SIZE(s, m) sizeof(MEMBER(s, m))
#define ALIGN(s, m) _Alignof(__typeof__(MEMBER(s, m)))
#define END(s, m) (offsetof(s, m) + SIZE(s, m))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define ROUND_UP(n, to) (((n) + (to) - 1) / (to) * (to))
#define HAS_TYPE(s, m, t) \\
	__builtin_types_compatible_p(__typeof__(MEMBER(s, m)), t)

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)
"""

C_MAIN = """
static int failed;

static void expect(int holds, const char *what)
{{
	if (holds)
		return;
	fprintf(stderr, "not as in the tables: %s\\n", what);
	failed = 1;
}}

#define EXPANDS(m, text) expect(!strcmp(TEXT(m), text), #m)
#define IS_ALL_ONES(m) expect((uintptr_t)(m) == ~(uintptr_t)0, #m)

int main(void)
{{
{runtime}
	puts("{summary}");
	return failed;
}}
"""

CXX_INCLUDES = ("infiniband/verbs.h", "infiniband/opcode.h",
                "infiniband/tm_types.h")

CXX_HELPERS = """
#include <type_traits>

#define IN_ENUM(c, e) \\
	static_assert(std::is_same<decltype(c), e>::value, #c)
#define IN_SOME_ENUM(c) \\
	static_assert(std::is_enum<decltype(c)>::value, #c)
"""


def summarize(out):
    """One line per section; an error if the numbers do not add up."""
    lines = []
    for key, rows in sorted(out.rows.items()):
        asserted = out.asserted.get(key, 0)
        deferred = out.deferred.get(key, 0)
        lines.append(f"{' '.join(key)}: {rows} rows, {asserted} asserted, "
                     f"{deferred} deferred")
        if asserted + deferred != rows:
            raise TableError(lines[-1])
    return lines


def include_lines(headers):
    """The text that includes these headers."""
    return "\n".join(f"#include <{header}>" for header in headers)


def c_text(out, summary):
    """The C file."""
    parts = ["/* Generated by gen_layout_test.py; do not edit. */",
             include_lines(out.includes) if out.includes else INCLUDES,
             C_HELPERS]
    parts += out.always
    for guard, lines in out.guarded.items():
        parts += [f"\n#if {guard}"] + lines + ["#endif"]
    parts.append(C_MAIN.format(runtime="\n".join(out.runtime),
                               summary="\\n".join(summary)))
    return "\n".join(parts)


def cxx_text(out):
    """The C++ file, in which an enum constant has its enum's type."""
    return "\n".join(
        ["/* Generated by gen_layout_test.py; do not edit. */",
         include_lines(out.includes or CXX_INCLUDES),
         CXX_HELPERS] + out.cxx + [""])


def parse_arguments():
    """The command line."""
    here = pathlib.Path(__file__).resolve().parent
    root = here.parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=pathlib.Path, default=here)
    parser.add_argument("--deferred", type=pathlib.Path,
                        default=here / "deferred-rows.txt")
    parser.add_argument("--own-names", type=pathlib.Path,
                        default=here / "own-names.tsv")
    parser.add_argument("--headers", type=pathlib.Path,
                        default=root / "include" / "infiniband")
    parser.add_argument(
        "--newer", type=pathlib.Path,
        default=root / "libibverbs" / "kernel" / "uapi_newer.h")
    parser.add_argument("--include", action="append", default=[],
                        help="a header with the names of the tables")
    parser.add_argument("--types", type=pathlib.Path,
                        help="a table with the types of members")
    parser.add_argument("--c", type=pathlib.Path, required=True,
                        help="the C file to write")
    parser.add_argument("--cxx", type=pathlib.Path,
                        help="the C++ file to write")
    return parser.parse_args()


def main():
    """Generate; 1 and a message if a row has no assertion."""
    args = parse_arguments()
    headers = "\n".join(path.read_text()
                        for path in sorted(args.headers.glob("*.h")))
    newer = set(re.findall(r"VERBS_UAPI_\w+|struct verbs_uapi_\w+",
                           args.newer.read_text()))
    try:
        out = Output(newer, dict(read_table(args.own_names, 2)), headers,
                     args.include)
        known = read_table(args.types, 7) if args.types else []
        deferred = Deferred(args.deferred)
        gen_structs(out, deferred,
                    read_table(args.tables / "struct-layouts.tsv", 7), known)
        gen_enums(out, deferred, read_table(args.tables / "enums.tsv", 7))
        gen_symbols(out, deferred, read_table(args.tables / "symbols.tsv", 6))
        for entry in deferred.unused():
            raise TableError(f"{args.deferred}: matches no row: "
                             f"{' '.join(entry)}")
        for name in out.own:
            raise TableError(f"{args.own_names}: matches no row: {name}")
        summary = summarize(out)
    except (OSError, TableError) as error:
        print(error, file=sys.stderr)
        return 1
    args.c.write_text(c_text(out, summary))
    if args.cxx:
        args.cxx.write_text(cxx_text(out))
    print("\n".join(summary))
    return 0


if __name__ == "__main__":
    sys.exit(main())
