# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The rows of struct-layouts.tsv on machines whose types have other sizes.

The table has the values of x86-64. Its rows are also a list of members with
their types, from which the rules of a machine's ABI yield offsets and sizes. The
rules applied to x86-64 must reproduce the table, which detects a mistake in
them. Used by gen_layout_test.py.
"""

import re

# Size and alignment where they are the same everywhere.
FIXED = {1: "char int8_t uint8_t __u8", 2: "int16_t uint16_t __u16 __be16",
         4: "int int32_t uint32_t __u32 __s32 __be32 unsigned"}
SOCKET = {"struct sockaddr": (16, 2), "struct sockaddr_in": (16, 4),
          "struct sockaddr_in6": (28, 4), "socklen_t": (4, 4)}
WIDE = "int64_t uint64_t __u64 __s64 __be64".split()
ALIGNED = "__aligned_u64"  # what a __u64 is in the kernel's newer headers
POINTER_SIZED = "size_t long".split()


class TableError(Exception):
    """The tables or the list of deferred rows are wrong."""


class Machine:
    """The sizes and alignments that differ between machines."""

    def __init__(self, condition, word, align_wide, mutex):
        self.condition = condition
        self.types = {name: (size, size) for size, names in FIXED.items()
                      for name in names.split()}
        self.types["unsigned int"] = (4, 4)
        self.types["unsigned short"] = (2, 2)
        self.types.update(SOCKET)
        self.types["struct sockaddr_storage"] = (128, word)
        self.types["enum"] = (4, 4)
        self.types["*"] = (word, word)
        self.types.update({name: (8, align_wide) for name in WIDE})
        self.types[ALIGNED] = (8, 8)
        self.types.update({name: (word, word) for name in POINTER_SIZED})
        self.types["struct timespec"] = (2 * word, word)
        self.types["pthread_mutex_t"] = (mutex, word)
        self.types["pthread_cond_t"] = (48, align_wide)


LP64 = "defined(__LP64__)"
X86_64 = "defined(__x86_64__) && defined(__LP64__)"

# Those with the table's own numbers are one.
REFERENCE = Machine(
    f"({X86_64}) || defined(__s390x__) || "
    "(defined(__riscv) && defined(__LP64__))", 8, 8, 40)
ARM64 = Machine("defined(__aarch64__) && defined(__LP64__)", 8, 8, 48)
I386 = Machine("defined(__i386__)", 4, 4, 24)


def is_anonymous(member):
    """A member without a name of its own, as in union { ... };"""
    return member.endswith(("<anon union>", "<anon struct>"))


def round_up(number, to):
    """The next multiple."""
    return (number + to - 1) // to * to


class Member:
    """A row, and the members of its unnamed type if it has one."""

    def __init__(self, index, kind):
        self.index = index
        self.kind = kind
        self.members = []
        self.offset = 0  # in what it is a member of


class Layouts:
    """Offsets and sizes of all rows on one machine."""

    def __init__(self, machine, rows):
        self.machine = machine
        self.rows = rows
        self.structs = {}
        self.extents = {}
        self.placed = [("", "")] * len(rows)
        for index, row in enumerate(rows):
            if row[3] == "<size>":
                self.structs[row[2]] = Member(index, row[2].split()[0])
                self.read(self.structs[row[2]], index + 1, "", None)
        for name, struct in self.structs.items():
            self.place(struct, 0, self.type(name))

    def table(self):
        """The rows, with the offsets and sizes of the machine."""
        return [row[:4] + [str(offset), str(size)] + row[6:]
                for row, (offset, size) in zip(self.rows, self.placed)]

    def read(self, outer, index, prefix, extent):
        """Find the members of a type, from a row on; returns the next row.

        The names identify them. In a type without a name (extent is its first
        and last byte) the offsets do: members of a union are all at its start,
        members of a struct follow each other.
        """
        begin, end = extent or (0, 0)
        done = begin
        while index < len(self.rows):
            row = self.rows[index]
            offset, size, kind = int(row[4]), int(row[5]), row[6]
            if row[2] != self.rows[outer.index][2] or \
                    row[3] == "<size>" or not row[3].startswith(prefix):
                break
            if extent and (offset != begin if outer.kind == "union"
                           else not done <= offset < end):
                break
            done = offset + size
            member = Member(index, kind.split()[0])
            outer.members.append(member)
            index += 1
            if is_anonymous(row[3]):
                index = self.read(member, index, row[3][:row[3].index("<")],
                                  (offset, done))
            elif kind.endswith("{...}"):
                index = self.read(member, index, row[3] + ".", None)
        return index

    def extent(self, outer):
        """Size and alignment of a type with these members; sets their offsets."""
        end, align = 0, 1
        for member in outer.members:
            size, its_align = self.member_extent(member)
            if outer.kind == "union":
                member.offset = 0
            else:
                member.offset = round_up(end, its_align)
            end = max(end, member.offset + size)
            align = max(align, its_align)
        return round_up(end, align), align

    def member_extent(self, member):
        """Size and alignment of one member."""
        if member.members:
            return self.extent(member)
        kind = self.rows[member.index][6]
        if "ib_user_ioctl" in self.rows[member.index][1]:
            kind = kind.replace("__u64", ALIGNED)
        array = re.fullmatch(r"([\w ]+)\[(\d*)\]", kind)
        if array:
            size, align = self.type(array[1])
            return size * int(array[2] or 0), align
        return self.type(kind)

    def type(self, kind):
        """Size and alignment of a type that has a name."""
        if kind.endswith("*") or "(*" in kind:
            kind = "*"
        elif kind.startswith("enum "):
            kind = "enum"
        if kind in self.machine.types:
            return self.machine.types[kind]
        if kind not in self.extents:
            if kind not in self.structs:
                raise TableError(f"the size of {kind} is not known")
            self.extents[kind] = self.extent(self.structs[kind])
        return self.extents[kind]

    def place(self, member, offset, extent):
        """Record the offset of a member, and of all members in it."""
        self.placed[member.index] = (offset, extent[0])
        for inner in member.members:
            self.place(inner, offset + inner.offset, self.member_extent(inner))
