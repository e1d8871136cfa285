#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""capture_icrc.py FILE

Computes the ICRC of each packet of a RoCEv2 capture that begins with the IP header, as the device
in user space writes them (UROCE_PCAP), and prints the numbers of correct and wrong ones. The result
proves little for received IPv4 packets: sockets do not return the IP identification, so the device
writes one that matches the ICRC.
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
    """Fields that routers may change are ones (IBTA A17.3.4)."""
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
        raise ValueError("not a capture of the device in user space")
    offset = FILE_HEADER.size
    while offset < len(data):
        _, _, captured, length = RECORD.unpack_from(data, offset)
        offset += RECORD.size
        packet = data[offset : offset + captured]
        if len(packet) != length:
            raise ValueError("a packet is truncated")
        yield packet
        offset += captured


def main():
    with open(sys.argv[1], "rb") as file:
        right = [icrc_of(p) == p[-4:] for p in packets(file.read())]
    print(f"{sum(right)} right, {len(right) - sum(right)} wrong")


main()
