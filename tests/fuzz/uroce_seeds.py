#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Writes the seeds of the uroce fuzz targets: uroce_seeds.py FOLDER

Makes FOLDER/fuzz_uroce_packet and so on. The head of each target describes its format.
"""
import pathlib
import struct
import sys

RC, UC, UD, XRC = 0x00, 0x20, 0x60, 0xA0
PSN, UNA, KEY, VA, LENGTH, QKEY = 0x04, 0x08, 0x10, 0x20, 0x40, 0x80
RIGHT = KEY | VA | LENGTH

RETH = struct.pack(">QII", 0x10040, 0x100, 0)
ATOMIC = struct.pack(">QIQQ", 0x10040, 0x100, 7, 9)
ACK, RNR, NAK = 0x1F000001, 0x21000001, 0x60000001


def reth(length):
    return struct.pack(">QII", 0x10040, 0x100, length)


def aeth(word=ACK):
    return struct.pack(">I", word)


def packet(opcode, headers=b"", payload=b"", ack=True, psn=0xFFFFFC, qpn=2):
    pad = -len(payload) % 4
    return struct.pack(">BBHII", opcode, pad << 4, 0xFFFF, qpn,
                       (0x80000000 if ack else 0) | psn) + headers + payload + bytes(pad)


def requests(transport):
    """Return name and packet of each request of a connection."""
    full = bytes(1024)
    yield "send_only", packet(transport | 4, b"", b"hello")
    yield "send_first", packet(transport | 0, b"", full)
    yield "send_middle", packet(transport | 1, b"", full)
    yield "send_last_imm", packet(transport | 3, b"imm!", b"abc")
    yield "write_only", packet(transport | 0x0A, reth(6), b"abcdef")
    yield "write_first", packet(transport | 6, reth(0), full)
    yield "write_last", packet(transport | 8, b"", b"ab")
    yield "write_only_imm", packet(transport | 0x0B, reth(4) + b"imm!", b"abcd")


def rc_requests():
    yield from requests(RC)
    yield "read", packet(RC | 0x0C, reth(2))
    yield "cmp_swap", packet(RC | 0x13, ATOMIC)
    yield "fetch_add", packet(RC | 0x14, ATOMIC)
    yield "send_inv", packet(RC | 0x17, b"\0\0\1\0", b"abcd")
    yield "flush", packet(RC | 0x1C, struct.pack(">I", 1) + reth(8))
    yield "atomic_write", packet(RC | 0x1D, reth(8), b"12345678")


def xrc_requests():
    """Yield the requests that XRC has too, with an XRCETH after the BTH."""
    for name, text in rc_requests():
        if text[0] < 0x17:
            for srq in (0, 1):
                yield (f"{name}_xrc{srq}", bytes([text[0] | XRC]) + text[1:12] +
                       struct.pack(">I", srq) + text[12:])


def responses():
    yield "ack", packet(RC | 0x11, aeth())
    yield "rnr", packet(RC | 0x11, aeth(RNR))
    yield "nak_seq", packet(RC | 0x11, aeth(NAK))
    yield "nak_access", packet(RC | 0x11, aeth(NAK | 0x02000000))
    yield "read_first", packet(RC | 0x0D, aeth(), bytes(1024))
    yield "read_middle", packet(RC | 0x0E, b"", bytes(1024))
    yield "read_last", packet(RC | 0x0F, aeth(), bytes(952))
    yield "read_only", packet(RC | 0x10, aeth())
    yield "atomic_ack", packet(RC | 0x12, aeth() + bytes(8))


def datagrams():
    deth = struct.pack(">II", 0x1EE7, 0x123)
    yield "ud_send", packet(UD | 4, deth, b"hello")
    yield "ud_send_imm", packet(UD | 5, deth + b"imm!", b"hello")


def step(qp, kind, text, distance=0):
    return struct.pack("<BbH", qp | kind, distance, len(text)) + text


def packet_seeds():
    for name, text in (*rc_requests(), *xrc_requests(), *requests(UC), *responses(),
                       *datagrams()):
        for mode in (2, 3, 6, 11, 0):
            yield f"{name}_{text[0]:02x}_{mode}", bytes([mode]) + text + bytes(4)
    yield "empty", b""
    yield "short", bytes(9)
    yield "long", bytes([2]) + packet(RC | 1, b"", bytes(4096)) + bytes(4)


def engine_seeds():
    for name, text in rc_requests():
        yield "rc_" + name, step(0, PSN | RIGHT, text)
        # again, then after a gap, then the next one
        yield "rc_again_" + name, (step(0, PSN | RIGHT, text) + step(0, PSN | RIGHT, text, -1) +
                                   step(0, PSN | RIGHT, text, 2) + step(0, PSN | RIGHT, text))
        yield "rc_wrong_" + name, step(0, PSN, text)
    xrc = dict(xrc_requests())
    for name, text in xrc.items():
        yield name, step(3, PSN | RIGHT | QKEY, text) + step(3, PSN | RIGHT | QKEY, text, -1)
        yield name + "_wrong", step(3, PSN | RIGHT, text)
    yield "xrc_two_srqs", b"".join(step(3, PSN | RIGHT | QKEY, xrc[n]) for n in (
        "send_first_xrc0", "send_last_imm_xrc0", "send_only_xrc1", "write_first_xrc0",
        "write_last_xrc0", "read_xrc0", "send_first_xrc1", "send_last_imm_xrc0"))
    for name, text in requests(UC):
        yield "uc_" + name, step(1, PSN | RIGHT, text) + step(1, PSN | RIGHT, text, 3)
    for name, text in datagrams():
        yield name, step(2, QKEY, text) + step(2, 0, text)
    for name, text in responses():
        for distance in (0, 1, 3, 8, -1):
            yield f"{name}_{distance}", step(0, UNA, text, distance)
    texts = dict((*rc_requests(), *responses()))
    yield "send_in_three", b"".join(step(0, PSN | RIGHT, texts[n])
                                    for n in ("send_first", "send_middle", "send_last_imm"))
    yield "responses", b"".join((
        step(0, UNA, texts["ack"], 5), step(0, UNA, texts["read_first"]),
        step(0, UNA, texts["read_middle"]), step(0, UNA, texts["read_last"]),
        step(0, UNA, texts["atomic_ack"]), step(0, UNA, texts["atomic_ack"]),
        step(0, UNA, texts["read_only"]), step(0, UNA, texts["read_only"])))


def entry(text, headers, place=0, source=None):
    """Return an entry without its sequence number: headers, then the payload if it fits; or
    source, the number of bytes and packets that are elsewhere."""
    length = len(text) - headers
    inline = text if len(text) <= 48 else text[:headers]
    if source is not None:
        length, inline = 0, text[:headers] + struct.pack("<QII", 0x1000, *source)
    return (struct.pack("<HHIBBH", length, place, 0, headers, source is not None, 0) +
            inline.ljust(48, b"\0"))


def ring_seeds():
    entries = []
    for name, text in (*rc_requests(), *requests(UC), *responses(), *datagrams()):
        payload = len(text) - 12
        # header lengths that the opcode may have, up to the whole packet
        for headers in sorted({12, 16, 20, 28, 32, 36, 40} & set(range(len(text) + 1))):
            yield f"{name}_{text[0]:02x}_{headers}", b"\0" + entry(text, headers, payload)
        entries.append(entry(text[:12], 12))
    full = bytes(1024)
    for source in ((8192, 1), (524288, 64), (524289, 64), (0, 1), (8192, 0), (1, 0xFFFFFFFF)):
        yield f"absent_{source[0]}_{source[1]}", b"\0" + b"".join((
            entry(packet(RC | 0, b"", full), 12, 0, source),
            entry(packet(RC | 0x0B, reth(1024) + b"imm!", full), 32, 0, source),
            entry(packet(RC | 0x0D, aeth(), full), 16, 0, source)))
    yield "absent_uc", b"\0" + entry(packet(UC | 0, b"", full), 12, 0, (8192, 1))
    yield "absent_none", b"\0" + entry(packet(RC | 0x13, ATOMIC), 40, 0, (8192, 1))
    yield "entries", b"\0" + b"".join(entries)
    yield "laps", b"\0" + 600 * entry(packet(RC | 4, b"", b"hello"), 12)
    for place in (0, 4032, 3968, 4096, 65535):
        yield f"place_{place}", b"\0" + entry(packet(RC | 4, b"", bytes(4096)), 12, place)
    yield "sent", b"\1" + 40 * struct.pack("<BH", 100, 100)
    yield "sent_large", b"\1" + 40 * struct.pack("<BH", 255, 31)
    yield "sent_small", b"\1" + 700 * struct.pack("<BH", 1, 1)
    yield "claims_more", b"\1" + struct.pack("<BHBH", 9, 10, 9, 0)
    yield "claims_less", b"\1" + struct.pack("<BHBHBHBH", 200, 3, 200, 200, 200, 0xFFFF, 255, 0xFFF0)


# Of hostile_flow.c: other events, and corrected header fields.
POST, LATE, CHANGE, CLAIM, RAW, ABSENT, TURN = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40
RIGHT_PSN, RIGHT_UNA, RIGHT_ETH, WITH_ACK = 0x21, 0x22, 0x3C, 0x40


def flow_step(opcode, payload, headers=b"", kind=RIGHT_PSN, what=0, place=0, source=None, turn=b""):
    """With source: a number of packets without payload, which is to be copied."""
    text = packet(opcode, headers)[:48]
    what |= (ABSENT if source is not None else 0) | (TURN if turn else 0)
    return (bytes([what]) + turn +
            struct.pack("<BbHHB", kind, 0, payload, place, len(text)) + text.ljust(48, b"\0") +
            (bytes([abs(source), source > 0]) if source is not None else b"") +
            (struct.pack("<H", 3) if what & CLAIM else b""))


def flow_steps(**how):
    yield flow_step(RC | 4, 8, **how)
    yield flow_step(RC | 4, 3000, place=7, **how)
    yield flow_step(RC | 5, 20, b"imm!", **how)
    yield flow_step(RC | 0x0A, 8, reth(0), RIGHT_PSN | RIGHT_ETH, **how)
    yield flow_step(RC | 0x0A, 8000, reth(0), RIGHT_PSN | RIGHT_ETH, **how)
    yield flow_step(RC | 0x14, 0, ATOMIC, RIGHT_PSN | RIGHT_ETH & ~0x10, **how)
    yield flow_step(RC | 0x13, 0, ATOMIC, RIGHT_PSN | RIGHT_ETH & ~0x10, **how)
    yield flow_step(RC | 0x0C, 0, reth(9), RIGHT_PSN | RIGHT_ETH, **how)
    yield flow_step(RC | 0x11, 0, aeth(), RIGHT_UNA, **how)
    yield flow_step(RC | 0x12, 0, aeth() + bytes(8), RIGHT_UNA, **how)


def row_step(sequence=2, key=0, access=7, beyond=0, published=0x80000000):
    qp = struct.pack("<IIIIIIQ", sequence, 0, 0x55, 1, access, 1, 0)
    qp += 2 * struct.pack("<IIQ", published and published | 5, 1 << 20, 0x7F0000000000)
    region = struct.pack("<IIIIQQQQQ", key, 1, access, 0, 0x10000, 0x2000, 4096, 1, 8192)
    return qp + region + struct.pack("<QBBBBBBB", 5, 0, 0, 0, beyond, beyond, 2, 0)


# Of hostile_rndv.c.
OPEN, RNDV, PUSHES, PULLS, COPIES, DENIED, READS, ENDS = (1 << bit for bit in range(8))
ALL = OPEN | RNDV | PUSHES | PULLS | COPIES


def turn(how=ALL, distance=0, kilobytes=1024):
    return struct.pack("<BbH", how, distance, kilobytes)


def long_message(first, last, kind, length, headers=b"", end=b"", **how):
    """Return a whole message: its first packet, parts of 8 to be copied and to be found in
    turn, the last packet."""
    yield flow_step(first, 8192, headers, kind, **how)
    left, taken = length - 8192, True
    while left > 8192:
        nr = min(8, (left - 1) // 8192)
        yield flow_step(first + 1, 0, b"", kind, source=nr if taken else -nr, **how)
        left, taken = left - nr * 8192, not taken
    yield flow_step(last, left, end, kind, **how)


def rndv_flows():
    """Return name and steps of each."""
    key_va = RIGHT_ETH & ~0x10
    write = reth(300000)
    read_what = aeth()
    ack = flow_step(RC | 0x11, 0, aeth(), RIGHT_UNA)
    yield "send", b"".join(long_message(RC | 0, RC | 2, RIGHT_PSN, 300000))
    yield "send_twice", 2 * b"".join(long_message(RC | 0, RC | 2, RIGHT_PSN, 300000, what=POST))
    yield "write", b"".join(long_message(RC | 6, RC | 8, RIGHT_PSN | key_va, 300000, write))
    response = b"".join(long_message(RC | 0x0D, RC | 0x0F, RIGHT_UNA, 300000, read_what, aeth()))
    yield "response", response
    yield "answer_denied", flow_step(RC | 0x0D, 8192, aeth(), RIGHT_UNA, source=8,
                                     turn=turn(ALL & ~COPIES)) + response
    yield "lost", flow_step(RC | 0, 8192, source=8, turn=turn(ALL & ~PULLS)) + 3 * flow_step(RC | 1, 8192)
    lost_write = flow_step(RC | 6, 8192, write, RIGHT_PSN | key_va, source=8, turn=turn(ALL & ~PULLS))
    yield "lost_write", lost_write + 3 * flow_step(RC | 7, 8192, source=-8)
    # responses and sends of this process: a few ACKs make room for more
    acks = b"".join(struct.pack("<BBb", 0, RIGHT_UNA, n) + ack[3:] for n in (37, 20, 20, 20, 40, 20, 20))
    for how in (ALL, ALL & ~OPEN, ALL & ~PUSHES, ALL & ~PUSHES | DENIED, OPEN, ALL & ~COPIES, ALL | ENDS):
        for kilobytes in (1024, 300, 0):
            asked = flow_step(RC | 0x0C, 0, reth(600000), RIGHT_PSN | key_va,
                              turn=turn(how | READS, 0, kilobytes))
            start = flow_step(RC | 4, 8, turn=turn(how, 0, kilobytes), what=POST)
            yield f"asked_{how:02x}_{kilobytes}", 2 * asked
            yield f"sent_{how:02x}_{kilobytes}", start + response + acks + start + acks
    far = flow_step(RC | 0x0C, 0, reth(600000), RIGHT_PSN | key_va, turn=turn(ALL | READS, 20))
    yield "no_poll", flow_step(RC | 4, 8, turn=turn(ALL, -128), what=POST) + response + acks
    message = list(long_message(RC | 0, RC | 2, RIGHT_PSN, 300000))
    gone = flow_step(RC | 1, 0, source=-8, turn=turn(ALL, 127))
    yield "gone", b"".join(message[:2]) + gone + b"".join(message[3:])
    for nr, how in ((0, 1), (63, 1), (64, 1), (65, 1), (255, 1), (8, 2), (8, 3), (8, 255)):
        odd = flow_step(RC | 1, 0, source=1)[:-2] + bytes([nr, how])
        yield f"odd_{nr}_{how}", message[0] + odd + message[-1]
    # the response may be shorter or longer than requested
    for nr in (35, 36, 37, 64):
        yield f"whole_{nr}", flow_step(RC | 0x0D, 0, aeth(), RIGHT_UNA, source=nr)
    yield "too_long", b"".join(long_message(RC | 0, RC | 2, RIGHT_PSN, 310000))
    yield "asked_far", 2 * far
    nak = flow_step(RC | 0x11, 0, aeth(NAK), RIGHT_UNA)
    yield "nak", response + acks[:57] + nak + acks
    yield "fails", response + flow_step(RC | 0x11, 0, aeth(NAK | 0x02000000), RIGHT_UNA) + acks
    # in the middle of a message
    for opcode in (0x04, 0x0A):
        yield f"bad_{opcode}", (b"".join(list(long_message(RC | 0, RC | 2, RIGHT_PSN, 300000))[:5]) +
                                flow_step(RC | opcode, 8, reth(8)))


def peer(what, number, text=b""):
    return bytes([what + 10 * number]) + text


def peer_steps():
    connect, hello, say, byte, listen, write, share, use, show, hang_up = range(10)
    entry_of = bytes(4) + struct.pack("<HHIB", 8, 0, 0, 12) + bytes(3)
    right = peer(hello, 1, b"\2\0\1\0")
    yield "pair", (peer(connect, 1) + right + peer(listen, 1) + peer(byte, 1, b"\1") +
                   peer(listen, 1) + peer(hang_up, 1))
    for at in (0, 8, 12, 16, 20, 24, 32):
        yield f"hello_{at}", peer(connect, 1) + peer(hello, 1, bytes([2, 0, 1, at or 48, 1, 0]))
    # with a slot of its own
    yield "another", (peer(connect, 1) + peer(hello, 1, b"\2\0\1\x14\7\0") + peer(listen, 1) +
                      peer(byte, 1, b"\1") + peer(byte, 1, b"\2"))
    for nr in range(6):
        yield f"passes_{nr}", peer(connect, 1) + peer(hello, 1, bytes([2, nr, 5 - nr, 20, 7, 0]))
    yield "says", peer(connect, 2) + peer(say, 2, b"\x08nonsense\1")
    yield "rings", 5 * peer(byte, 0, b"\2") + peer(byte, 0, b"\3")
    sends = peer(write, 0, b"\0\0\x01" + entry_of + packet(RC | 4).ljust(48, b"\0"))
    yield "sends", 5 * sends + peer(hang_up, 0)
    writes = peer(write, 0, b"\0\0\x1d" + entry_of + packet(RC | 0x0A, reth(0)).ljust(48, b"\0"))
    yield "writes", 5 * writes
    unknown = peer(write, 0, b"\0\0\x01" + entry_of + packet(RC | 0x15).ljust(48, b"\0"))
    yield "protocol_error", sends + unknown + 3 * sends
    for consumed in (3, 600, 0xFFFFFFFF):
        own = peer(write, 0, b"\0\0\x40" + struct.pack("<I", consumed).ljust(64, b"\0"))
        yield f"claims_{consumed}", writes + own + writes + own
    ask, give, gone = 0, 1 + 4 * 6, 2 + 4 * 7
    want = peer(use, 0, b"\5\0\0")
    given = want + peer(share, 0, bytes([give, 5])) + want
    yield "given", given + peer(share, 0, bytes([gone, 5])) + want
    yield "requested", peer(share, 0, bytes([ask + 4 * 7, 0])) + peer(share, 0, bytes([ask + 4 * 7, 9]))
    yield "asks_twice", 2 * peer(share, 0, bytes([ask + 4 * 7, 0]))
    yield "unasked", peer(share, 0, bytes([give, 5]))
    for nr in range(8):
        yield f"gives_{nr}", want + peer(share, 0, bytes([1 + 4 * nr, 5])) + want
    yield "shows", peer(show, 0, b"\x1f\0\x40") + 3 * sends
    yield "scribbles", b"".join(peer(write, 0, struct.pack("<HB", 61 * i, 0x80) + bytes([i]) * 64)
                                for i in range(40))


def rndv_peer_steps():
    write, show = 5, 8

    def put(kind, opcode, headers, payload=8192, source=None):
        text = packet(opcode, headers)
        where = b""
        if source is not None:
            where = struct.pack("<QII", source > 0, abs(source) * 8192, abs(source))
        return peer(write, 0, struct.pack("<HB", 0, kind) + bytes(4) +
                     struct.pack("<HHIBBH", payload, 0, 0, len(text), source is not None, 0) +
                     (text + where).ljust(48, b"\0"))

    # the READ that comes before the SEND has 37 packets
    for how in (0x1F, 0x1B, 0x1E, 0x1D, 0x5F, 0x0F, 0):
        for distance in (0, 37, 200):
            yield f"sent_{how:02x}_{distance}", 4 * peer(show, 0, bytes([how, distance, 64]))
        asked = put(0x0D, RC | 0x0C, reth(600000), 0)
        yield f"asked_{how:02x}", peer(show, 0, bytes([how, 0, 64])) + asked + asked
        start = peer(show, 0, bytes([how, 0, 64]))
        rest = [put(1, RC | 1, b"", 0, nr) for nr in (8, -8, 8, -8)]
        yield f"pulled_{how:02x}", start + put(1, RC | 0, b"") + b"".join(rest)
        rest = [put(1, RC | 7, b"", 0, nr) for nr in (8, -8, 8, -8)]
        yield f"written_{how:02x}", start + put(0x0D, RC | 6, reth(300000)) + b"".join(rest)
        rest = [put(2, RC | 0x0E, b"", 0, nr) for nr in (8, -8, 8, -8)]
        yield f"answered_{how:02x}", start + put(2, RC | 0x0D, aeth()) + b"".join(rest)
    yield "short", peer(show, 0, bytes([0x1F, 37, 20])) + peer(show, 0, bytes([0x1F, 0, 20]))


def hostile_seeds():
    flow, directory, peers, rndv = 2, 4, 6, 7
    for how in (0, POST, LATE, CHANGE, CLAIM, RAW, POST | LATE | CHANGE):
        steps = list(flow_steps(what=how))
        for scribbled in (0, 1):
            yield f"flow_{how}_{scribbled}", bytes([flow + scribbled]) + b"".join(steps)
    with_ack = flow_step(RC | 4, 8, kind=RIGHT_PSN | WITH_ACK, what=POST)
    yield "flow_ack", bytes([flow]) + 20 * with_ack
    late = flow_step(RC | 4, 8, kind=RIGHT_PSN | WITH_ACK, what=POST | LATE)
    yield "flow_ack_late", bytes([flow]) + 20 * late + with_ack
    for scribbled in (0, 1):
        start = bytes([directory + scribbled])
        yield f"directory_{scribbled}", start + row_step()
        yield f"directory_withdrawn_{scribbled}", start + row_step(3) + row_step(2, 1) + row_step(2, 0, 0)
        yield f"directory_many_{scribbled}", start + 60 * row_step() + 60 * row_step(beyond=9)
    for name, steps in rndv_flows():
        for scribbled in (0, 1):
            yield f"rndv_{name}_{scribbled}", bytes([rndv + scribbled, 0]) + steps
        for first in (1, 2, 3, 0x51, 0x99):
            yield f"rndv_{name}_from_{first}", bytes([rndv, first]) + steps
    for name, text in peer_steps():
        yield "peers_" + name, bytes([peers]) + text
    for name, text in rndv_peer_steps():
        for first in (0, 1, 2):
            yield f"rndv_peers_{name}_{first}", bytes([9, first]) + text


def fast_step(kind, opcode, payload, headers=b"", distance=0):
    text = packet(opcode, headers)
    return struct.pack("<BbHB", kind, distance, payload, len(text)) + text


def fast_seeds():
    right_psn, right_una, right, with_ack, and_post = 0x21, 0x22, 0x1C, 0x40, 0x80
    steps = {
        "send": fast_step(right_psn, RC | 4, 8),
        "send_imm": fast_step(right_psn, RC | 5, 100, b"imm!"),
        "send_with_ack": fast_step(right_psn | with_ack | and_post, RC | 4, 8),
        "write_8": fast_step(right_psn | right, RC | 0x0A, 8, reth(0)),
        "write_1000": fast_step(right_psn | right, RC | 0x0A, 1000, reth(0)),
        "write_first": fast_step(right_psn | right, RC | 6, 1024, reth(0)),
        "read": fast_step(right_psn | right, RC | 0x0C, 0, reth(0)),
        "fetch_add": fast_step(right_psn | 0x0C, RC | 0x14, 0, ATOMIC),
        "cmp_swap": fast_step(right_psn | 0x0C, RC | 0x13, 0, ATOMIC),
        "ack": fast_step(right_una, RC | 0x11, 0, aeth()),
        "nak": fast_step(right_una, RC | 0x11, 0, aeth(NAK)),
        "atomic_ack": fast_step(right_una, RC | 0x12, 0, aeth() + bytes(8), 1),
    }
    yield from steps.items()
    for name, text in steps.items():
        yield "twice_" + name, text + text
    yield "all", b"".join(steps.values())
    yield "many", 40 * steps["send"]


def config_seeds():
    yield "names", b"eth0\0# one\ndevices = eth0, lo\n"
    yield "addresses", b"eth1\0devices=192.0.2.1 2001:db8::1"
    yield "auto", b"lo\0\t devices\t=\tauto # all\r\n\ndevices = none\n"
    yield "other", b"eth0\0device = eth0\ndevices eth0\n=\ndevices a = b = c\n"
    yield "long", b"eth0\0devices = " + 300 * b"eth0,"


def bootstrap_seeds():
    """Messages at the bootstrap sockets; integers have the order of the host."""
    udp, slot, magic = 0x20, 0x40, 0x75726F32
    for kind, name in enumerate(("give", "count", "take", "block")):
        message = struct.pack("=III", magic, kind, 16)
        yield name, bytes([slot, 2]) + message
        yield f"{name}_sockets", bytes([slot | udp | 16, 0]) + message
        yield f"{name}_files", bytes([slot | 16, 16]) + message
    yield "give_all", bytes([slot, 16]) + struct.pack("=III", magic, 0, 0)
    yield "slot_number", bytes([slot, 2]) + struct.pack("=III", magic, 0, 17)
    yield "slot_magic", bytes([slot, 1]) + struct.pack("=III", 1, 0, 0)
    yield "slot_empty", bytes([slot, 1])
    mad = struct.pack("=I", 30306) + bytes(40) + bytes(range(256))
    yield "mad", bytes(2) + mad
    yield "mad_files", bytes([16, 0]) + mad
    yield "mad_short", bytes(2) + mad[:-1]
    yield "mad_long", bytes(2) + mad + b"x"
    yield "mad_magic", bytes(2) + bytes(300)
    yield "mad_empty", bytes(2)


def main():
    folder = pathlib.Path(sys.argv[1])
    for target, seeds in (("fuzz_uroce_bootstrap", bootstrap_seeds()),
                          ("fuzz_uroce_config", config_seeds()),
                          ("fuzz_uroce_packet", packet_seeds()),
                          ("fuzz_uroce_engine", engine_seeds()),
                          ("fuzz_uroce_fast", fast_seeds()),
                          ("fuzz_uroce_shm_ring", (*ring_seeds(), *hostile_seeds()))):
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, seed in seeds:
            (folder / target / name).write_bytes(seed)


main()
