# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads messages in the binary form of Protocol Buffers."""
import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if not byte & 128:
            return value, at


def fields(data):
    """Decodes a protobuf message: [(number, value)]."""
    found, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found.append((key >> 3, value))
    return found
