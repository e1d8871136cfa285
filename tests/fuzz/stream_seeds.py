#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Seeds of the fuzz targets of rsockets: stream_seeds.py FOLDER"""

import pathlib
import struct
import sys

SETUP = struct.pack(">BBHxxxBQIIQII", 1, 2, 16, 0, 0x1000, 7, 2, 0x2000, 8, 4096)
RECEIVE, ENTRIES, SEND, DONE, CONSUME, SHUTDOWN = range(6)
DATA, SGL, CTRL = 0, 4, 7


def message(op, value, length):
    return struct.pack("<BBHH", RECEIVE, op, value, length)


def entries(length):
    entry = struct.pack("<QII", 0x3000, 8, length)
    return bytes([ENTRIES]) + entry * 2


def call(step, value):
    return struct.pack("<BH", step, value)


def seeds():
    grant = entries(4096) + message(SGL, 32, 16)
    yield "data", SETUP + message(DATA, 100, 100) + call(CONSUME, 50) + \
        call(SEND, 9000) + grant + bytes([DONE]) + call(SEND, 9000)
    yield "halves", SETUP + call(SEND, 1) + (
        message(DATA, 4096, 4096) + call(CONSUME, 4096) +
        bytes([DONE]) + call(SEND, 1)) * 4
    yield "credits", SETUP + message(DATA, 1, 1) * 17 + call(CONSUME, 9) + \
        call(SEND, 0)
    yield "grants", SETUP + grant * 3 + message(SGL, 40, 0)
    yield "shutdown", SETUP + message(CTRL, 2, 0) + bytes([SHUTDOWN, 2]) + \
        call(SEND, 5) + message(CTRL, 0, 0)


def datagram_seeds():
    begin = struct.pack(">I", 0x55555555)
    yield "udp4", begin + struct.pack(">BBBBI", 4, 0, 16, 0, 17) + bytes(4) + b"x"
    yield "udp6", begin + struct.pack(">BBBBI", 6, 7, 28, 0, 17) + bytes(16)
    yield "ud4", struct.pack(">BBH", 4, 8, 7174) + bytes(4) + b"x"
    yield "ud6", struct.pack(">BBHI", 6, 24, 7174, 0) + bytes(16)


def write(target, inputs):
    folder = pathlib.Path(sys.argv[1]) / target
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in inputs:
        (folder / name).write_bytes(content)


def main():
    write("fuzz_stream_flow", seeds())
    write("fuzz_datagram_wire", datagram_seeds())


main()
