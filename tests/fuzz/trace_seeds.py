#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""trace_seeds.py FOLDER

Makes FOLDER/fuzz_trace_file. The head of the target describes its input. The
offsets are those of a 64-bit machine; on others, the seeds are less valid.
"""
import pathlib
import struct
import sys

HEADER, QP, CALL, RING, RECORD, ENTRY, SRQ = range(7)
HUGE = (1 << 64) - 1
TRUNCATED, TEXT = 0x80, 0x40


def change(part, index, offset, data):
    return struct.pack("<BBHB", part, index, offset, len(data)) + data


def numbers(code, *values):
    return struct.pack("<" + code, *values)


def queue_pair(index=0, send=(0, 0, 0, 0), recv=(0, 0, 0, 0), kind=2,
               number=0x11, peer=0x12):
    """Queues are (offset of the entries, size, head, tail)."""
    return (change(QP, index, 0, numbers("10IQ", number, kind, peer, 3, 0, 0, 0, 0, 0,
                                         0, 0)) +
            change(QP, index, 48, numbers("Q4IQ4I", *send, 0, *recv, 0)) +
            change(QP, index, 96, b"\xff" * 32) +
            change(QP, index, 128, b"uroce_lo"))


def ring(index=0, thread=7, written=2):
    return change(RING, index, 0, numbers("2IQ", thread, 0, written))


def record(index, kind, **more):
    return change(RECORD, index, 0, numbers(
        "5Q3IiI4B", more.get("sequence", index + 1), 10, 1,
        more.get("bytes", 4096),
        more.get("value", 5), 100, 7, more.get("qp", 0), 0, 9, kind,
        more.get("op", 0), more.get("opcode", 0), more.get("status", 0)))


def entry(index, state=1):
    return change(ENTRY, index, 0, numbers("2QI2B", index, 5, 64, 2, state))


def entries_of(size_power):
    """The offset of the entries in a file with 2^size_power records a ring.

    It is in the header, so a queue that has another one is not in the file.
    """
    ring_bytes = 102400 + (64 << size_power)
    return 4096 + 256 * 256 + 1024 * 12288 + 87 * 12288 + 64 * ring_bytes


def seeds():
    def file(*changes, flags=2):
        return bytes([flags]) + b"".join(changes)

    records = b"".join(record(index, index + 1, op=index)
                       for index in range(4))
    start = entries_of(2)
    yield "empty", b""
    yield "no_objects", file()
    yield "truncated", file(flags=2 | TRUNCATED)
    yield "text", file(b"no trace", flags=TEXT)
    yield "records", file(ring(written=4), records, queue_pair())
    yield "records_replaced", file(ring(written=400), records)
    yield "ring_never_ends", file(ring(written=HUGE), records)
    yield "ring_of_no_thread", file(ring(thread=0), records)
    yield "torn_records", file(ring(written=4), record(0, 1, sequence=9),
                               record(1, 1, sequence=HUGE))
    yield "bad_numbers", file(ring(written=4), record(0, 255, op=255),
                              record(1, 4, qp=5000, status=255, opcode=255,
                                     value=HUGE),
                              record(2, 4, value=11, opcode=128),
                              record(3, 5, opcode=200), queue_pair(kind=77))
    for name, queue in (
            ("in_flight", (start, 4, 1, 3)), ("wraps", (start, 4, (1 << 32) - 1, 1)),
            ("not_in_file", (0, 4, 0, 2)), ("before", (8, 4, 0, 2)),
            ("behind", (HUGE, 4, 0, 2)), ("at_end", (start + (64 << 20) - 8, 4, 0, 2)),
            ("no_size", (start, 0, 0, 2)), ("odd_size", (start, 3, 0, 2)),
            ("huge_size", (start, 1 << 31, 0, 1 << 31)),
            ("too_many", (start, 4, 0, 1000)), ("backwards", (start, 4, 3, 1))):
        yield f"queue_{name}", file(*(entry(i) for i in range(4)),
                                    queue_pair(send=queue, recv=queue),
                                    queue_pair(index=1, recv=queue),
                                    change(SRQ, 0, 0, numbers(
                                        "2I2Q4I", 1, 7, 0, *queue, 0)))
    for name, received in (("connected", 4096), ("sizes_differ", 4095)):
        yield name, file(
            ring(written=4), record(0, 2, opcode=2),
            record(1, 4, opcode=128, qp=1, bytes=received),
            record(2, 4, opcode=2), record(3, 1, op=2, value=9),
            queue_pair(), queue_pair(index=1, number=0x12, peer=0x11),
            change(QP, 0, 208 + 16, numbers("Q", 1)),
            change(QP, 1, 480, numbers("Q", 1)))
    yield "huge_counters", file(change(CALL, 0, 0, b"\xff" * 60),
                                change(CALL, 86, 0, b"\xff" * 255),
                                ring(), change(RING, 0, 16, b"\xff" * 255),
                                queue_pair(), change(QP, 0, 192, b"\xff" * 255),
                                change(QP, 0, 447, b"\xff" * 255))
    for offset in range(0, 112, 4):
        yield f"header_{offset}", file(change(HEADER, 0, offset, b"\xff" * 4))
    yield "long_names", file(change(HEADER, 0, 160, b"x" * 104),
                             queue_pair(), change(QP, 0, 128, b"\"\\\n\xff" * 16))


def main():
    folder = pathlib.Path(sys.argv[1]) / "fuzz_trace_file"
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed in seeds():
        (folder / name).write_bytes(seed)


main()
