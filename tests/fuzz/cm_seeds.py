#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Writes the seeds of the fuzz targets of librdmacm: cm_seeds.py FOLDER

Makes FOLDER/fuzz_cm_mad, and FOLDER/fuzz_uroce_mad of the user-space device,
from the captured MADs in tests/data/rdmacm, and FOLDER/fuzz_cm_engine and
FOLDER/fuzz_ucm_response, whose formats the heads of the targets describe.
"""
import pathlib
import struct
import sys

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / \
    "data/rdmacm/sample_mads.txt"


def samples():
    """Yields name and bytes of each captured MAD."""
    name = ""
    for line in SAMPLES.read_text().splitlines():
        kind, _, text = line.partition(" ")
        if kind == "name":
            name = text
        elif kind == "mad":
            yield name, bytes.fromhex(text)


REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP, TIME, CONNECT, \
    ACCEPT, CONFIRM, REJECT, DISCONNECT, REMOVE = range(16)
BOTH_IDS, ALL_RIGHT = 3, 7


def mad_step(kind, conn, ids, text=b""):
    """A message; text is its bytes after the MAD header."""
    return bytes([kind << 4 | conn, ids, len(text)]) + text


def req(comm_id, qpn):
    """A REQ of the CA GUID 5, for service id 0."""
    text = bytearray(56)
    struct.pack_into(">I", text, 0, comm_id)
    struct.pack_into(">Q", text, 16, 5)
    struct.pack_into(">I", text, 32, qpn << 8)
    text[43] = text[47] = 20 << 3
    text[51] = 2 << 4
    return mad_step(REQ, 0, 0, bytes(text))


def rep(conn, comm_id, qpn):
    """A REP of the CA GUID 6 for the connection."""
    text = bytearray(36)
    struct.pack_into(">I", text, 0, comm_id)
    struct.pack_into(">I", text, 12, qpn << 8)
    struct.pack_into(">Q", text, 28, 6)
    return mad_step(REP, conn, 1, bytes(text))


def call(kind, conn, qpn=9):
    return bytes([kind << 4 | conn, qpn])


def wait(exponent):
    return bytes([TIME << 4, exponent])


def engine_seeds():
    """Name and steps; the first request becomes connection 0."""
    passive = req(77, 8) + call(ACCEPT, 0)
    active = call(CONNECT, 3) + rep(3, 99, 4) + call(CONFIRM, 3)
    rtu = mad_step(RTU, 0, BOTH_IDS)
    rej_timeout = bytearray(20)
    struct.pack_into(">I", rej_timeout, 0, 77)
    rej_timeout[8:12] = 0x80, 8 << 1, 0, 4
    struct.pack_into(">Q", rej_timeout, 12, 5)
    yield "passive", passive + rtu + call(DISCONNECT, 0) + \
        mad_step(DREP, 0, BOTH_IDS) + wait(12)
    yield "active", active + mad_step(DREQ, 3, ALL_RIGHT) + \
        call(DISCONNECT, 3) + mad_step(DREQ, 3, ALL_RIGHT) + wait(12)
    yield "crossing", active + call(DISCONNECT, 3) + \
        mad_step(DREQ, 3, ALL_RIGHT) + mad_step(DREP, 3, BOTH_IDS)
    yield "mra", req(77, 8) * 2 + call(ACCEPT, 0) + \
        mad_step(MRA, 0, BOTH_IDS, bytes(8) + b"\x40\xc0") + wait(15) * 4
    yield "mra_of_rep", call(CONNECT, 3) + rep(3, 99, 4) * 2 + \
        call(CONFIRM, 3) + rep(3, 99, 4)
    yield "no_response", call(CONNECT, 1) + wait(13) * 6
    yield "stale", passive + rtu + req(78, 8) + wait(15) * 4
    yield "stale_reply", active + call(CONNECT, 4) + rep(4, 98, 4)
    yield "backlog", b"".join(req(i, i) for i in range(1, 9)) + \
        call(REJECT, 1) + call(REMOVE, 2) + req(20, 20)
    yield "reject", req(77, 8) + call(REJECT, 0) + req(77, 8)
    yield "rejected", call(CONNECT, 3) + \
        mad_step(REJ, 3, 1, bytes(11) + b"\x0a") + wait(14)
    yield "gives_up", req(77, 8) + mad_step(REJ, 0, 0, bytes(rej_timeout))
    yield "remove", active + call(REMOVE, 3) + mad_step(DREQ, 3, 1)
    yield "notify", passive + call(CONFIRM, 0)
    yield "sidr", mad_step(SIDR_REQ, 0, 0, b"\0\0\0\1") + call(REJECT, 0) + \
        mad_step(SIDR_REP, 0, 0, b"\0\0\0\1")


def response_seeds():
    """Yields name and bytes: the selector of a command, and its response."""
    uid_id = struct.pack("=QIIi", 5, 1, 4, 0)
    conn = struct.pack("=II256s8B", 17, 0, b"data", 56, 0, 3, 2, 1, 7, 7, 0)
    yield "event_conn", bytes([0]) + uid_id + conn.ljust(304, b"\0") + bytes(12)
    yield "event_longest", bytes([0]) + uid_id + b"\xff" * 316
    yield "event_old", bytes([0]) + uid_id + bytes(304)
    for family, size in (2, 16), (10, 28), (27, 48):
        for selector in 1, 2:
            head = struct.pack("=QBBHHH", 9, 1, 0, 0, size, size)
            addr = struct.pack("=H126s", family, b"\1\2\3\4")
            yield f"addr_{family}_{selector}", \
                bytes([selector]) + head + addr * 2 + bytes(8)
            yield f"addr_without_index_{family}_{selector}", \
                bytes([selector]) + head + addr * 2
    path = struct.pack("=II", 0x2b, 0) + bytes(range(64))
    for claimed in 0, 1, 2, 6, 0xfffffffe:
        yield f"paths_{claimed}", \
            bytes([3]) + struct.pack("=II", claimed, 0) + path * 6
        yield f"paths_short_{claimed}", \
            bytes([3]) + struct.pack("=II", claimed, 0) + path
        yield f"services_{claimed}", \
            bytes([4]) + struct.pack("=II", claimed, 0) + bytes(range(176)) * 16
    yield "qp_attr", bytes([5]) + bytes(range(144))
    attrs = struct.pack("=HHQHHQHH8s", 12, 72, 0x100a04, 12, 71, 4, 12, 70,
                        b"rdma_cm")
    yield "chardev", bytes([6]) + \
        struct.pack("=IHHII", 16 + len(attrs), 0x140f, 0, 1, 0) + attrs
    yield "chardev_error", bytes([6]) + \
        struct.pack("=IHHIIi", 20, 2, 0, 1, 0, -2)
    yield "numbers", bytes([7]) + bytes(16)
    for selector in range(8):
        yield f"empty_{selector}", bytes([selector])
        yield f"ones_{selector}", bytes([selector]) + b"\xff" * 4000


def main():
    folder = pathlib.Path(sys.argv[1]) / "fuzz_ucm_response"
    folder.mkdir(parents=True, exist_ok=True)
    for name, response in response_seeds():
        (folder / name).write_bytes(response)
    folder = pathlib.Path(sys.argv[1]) / "fuzz_cm_engine"
    folder.mkdir(parents=True, exist_ok=True)
    for name, steps in engine_seeds():
        (folder / name).write_bytes(steps)
    for target in "fuzz_cm_mad", "fuzz_uroce_mad":
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, mad in samples():
            (folder / name).write_bytes(mad)
            # All reserved bits are set, all fields have their largest value.
            (folder / f"ones_{name}").write_bytes(mad[:24] + b"\xff" * 232)


main()
