#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
capture_icrc.py FILE

Computes the ICRC of each packet of a capture of RoCEv2 that begins with the IP
header, as the device in user space writes them (UROCE_PCAP), and prints how many
have the right one and how many a wrong one. Of the received packets of IPv4 it
says little: sockets do not show their identification, and the device writes the
one that fits the ICRC.
"""

import struct
import sys
import zlib

FILE_HEADER = struct.Struct("=IHHIIII")
RECORD = struct.Struct("=IIII")
MAGIC = 0xA1B23C4D  # with nanoseconds
RAW = 101  # link type
UDP_LEN = 8


def icrc_of(packet):
    """IBTA A17.3.4: ones where routers may change something."""
    if packet[0] >> 4 == 4:
        ip = bytearray(packet[:20])
        ip[1] = ip[8] = 0xFF
        ip[10:12] = b"\xff\xff"
    else:
        ip = bytearray(packet[:40])
        ip[0:4] = struct.pack(">I", struct.unpack(">I", ip[0:4])[0] | 0x0FFFFFFF)
        ip[7] = 0xFF
    rest = bytearray(packet[len(ip) : -4])
    rest[6:8] = b"\xff\xff"
    rest[UDP_LEN + 4] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + ip + rest))


def packets(data):
    magic, _, _, _, _, _, link = FILE_HEADER.unpack_from(data)
    if (magic, link) != (MAGIC, RAW):
        raise ValueError("no capture of the device in user space")
    offset = FILE_HEADER.size
    while offset < len(data):
        _, _, captured, length = RECORD.unpack_from(data, offset)
        offset += RECORD.size
        packet = data[offset : offset + captured]
        if len(packet) != length:
            raise ValueError("a packet is cut off")
        yield packet
        offset += captured


def main():
    with open(sys.argv[1], "rb") as file:
        right = [icrc_of(p) == p[-4:] for p in packets(file.read())]
    print(f"{sum(right)} right, {len(right) - sum(right)} wrong")


main()
