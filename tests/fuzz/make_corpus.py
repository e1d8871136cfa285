#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Writes the seeds of the fuzz targets: make_corpus.py FOLDER

Makes FOLDER/fuzz_netlink, FOLDER/fuzz_sysfs, FOLDER/fuzz_fault_rules and
FOLDER/fuzz_uroce_wire_rules. The head of each target describes its format. Seeds are generated because netlink uses the byte order of the machine, and because a
script can explain the purpose of a seed.
"""
import pathlib
import struct
import sys

GET, GET_CHARDEV, DONE, ERROR, NOOP, OVERRUN = 0x1401, 0x140F, 3, 2, 1, 4
INDEX, NAME, PORTS, CAPS, GUID, NODE_TYPE = 1, 2, 3, 4, 6, 14
CHARDEV_NAME, CHARDEV_ABI, CHARDEV, DRIVER_ID = 70, 71, 72, 73
DUMP_INTR, MULTI = 0x10, 2


def attr(kind, payload):
    text = struct.pack("=HH", 4 + len(payload), kind) + payload
    return text + bytes(-len(text) % 4)


def u8(kind, number):
    return attr(kind, struct.pack("=B", number))


def u32(kind, number):
    return attr(kind, struct.pack("=I", number))


def u64(kind, number):
    return attr(kind, struct.pack("=Q", number))


def text_attr(kind, text):
    return attr(kind, text.encode() + b"\0")


def msg(kind, number, payload=b"", flags=0):
    return struct.pack("=IHHII", 16 + len(payload), kind, flags, number, 9) + payload


def device(index, name=None, number=1, flags=MULTI):
    return msg(GET, number, u32(INDEX, index) + text_attr(NAME, name or f"rxe{index}") +
               u32(PORTS, 1) + u64(CAPS, 7) + u64(GUID, index) + u8(NODE_TYPE, 1), flags)


def chardev(number, index, name=None):
    return msg(GET_CHARDEV, number, u32(DRIVER_ID, 14) + u64(CHARDEV, 0xE7C0 + index) +
               u64(CHARDEV_ABI, 2) + text_attr(CHARDEV_NAME, name or f"uverbs{index}"))


def done(code=0):
    return msg(DONE, 1, struct.pack("=i", code), MULTI)


def error(number, code):
    return msg(ERROR, number, struct.pack("=i", code) + bytes(16))


def datagram(*messages):
    payload = b"".join(messages)
    return struct.pack("<H", len(payload)) + payload


def special(number):
    return struct.pack("<H", number)


END, STRANGER, ERRNO = special(0xFF00), special(0xFF01), 0xFF80


def netlink_seeds():
    parser, scan = bytes([3]), bytes([0x80])
    first = datagram(device(0)) + datagram(device(1)) + datagram(done())
    responses = datagram(chardev(2, 0)) + datagram(chardev(3, 1))

    yield "parse_dump", parser + first
    yield "parse_answers", bytes([0x0B]) + responses + datagram(error(4, -22))
    yield "parse_one_datagram", parser + datagram(device(0), chardev(2, 0), device(1),
                                                  error(3, -22), done())
    yield "parse_interrupted", parser + datagram(device(0, flags=MULTI | DUMP_INTR))
    yield "parse_overrun", parser + datagram(msg(NOOP, 1), msg(OVERRUN, 1))
    yield "parse_refused", parser + datagram(error(1, -1))
    yield "parse_busy", parser + datagram(error(1, -16))
    yield "parse_done_without_code", parser + datagram(msg(DONE, 1))
    yield "parse_done_with_error", parser + datagram(done(-90))
    yield "parse_bad_name", parser + datagram(device(0, "../x"), device(1, "."),
                                              device(2, "x" * 64))
    yield "parse_twice", parser + datagram(device(0), device(0))
    yield "parse_bad_chardev", bytes([0x0B]) + datagram(chardev(2, 0, "a/b"))
    yield "parse_no_attributes", parser + datagram(msg(GET, 1), msg(GET_CHARDEV, 2))
    yield "parse_short", parser + datagram(device(0)[:20])
    yield "scan_none", scan + datagram(done()) + END + datagram(done())
    yield "scan_two", scan + first + END + responses + END + first + responses
    yield "scan_stranger", scan + STRANGER + datagram(device(9)) + first + END + responses
    yield "scan_overrun", (scan + first + END + datagram(chardev(2, 0)) + END +
                           special(ERRNO | 105) + END + datagram(chardev(3, 1)))
    yield "scan_timeout", scan + first
    yield "scan_receive_fails", scan + special(ERRNO | 38)
    yield "scan_truncated", scan + datagram(*[device(i) for i in range(20)]) + END + first
    # regression: responses for known devices, all of which are missing in the
    # dump
    yield "regression_known_but_left_out", (scan + first + END + responses + END +
                                            datagram(device(0, "a/b")) +
                                            datagram(chardev(2, 0)) +
                                            datagram(chardev(3, 1)) + datagram(done()))


def text(content):
    if content is None:
        return b"\xff"
    if isinstance(content, str):
        content = content.encode()
    return bytes([len(content)]) + content


def entry(name="uverbs0", kind=4, ibdev="rxe0\n", dev="231:192\n", abi="2\n", node="1: CA\n"):
    return text(name) + bytes([kind]) + b"".join(map(text, (ibdev, dev, abi, node)))


def sysfs_seeds():
    def tree(*entries, flags=0, abi="6\n"):
        return bytes([flags]) + text(abi) + b"".join(entries)

    abi_file = entry("abi_version", 8, None, None, None, None)
    second = entry("uverbs1", 4, "rxe1\n", "231:193\n", "1\n", None)
    yield "empty", tree()
    yield "one", tree(entry(), abi_file)
    yield "two", tree(entry(), abi_file, second)
    yield "no_class", tree(entry(), flags=1)
    yield "no_parent", tree(entry(), flags=2)
    yield "no_nodes", tree(entry(), second, flags=4)
    yield "no_stat", tree(entry(), flags=8)
    yield "moving", tree(entry(), second, flags=16)
    yield "link", tree(entry(kind=10), second)
    yield "no_abi", tree(entry(), abi=None)
    yield "old_abi", tree(entry(), abi="2\n")
    yield "bad_names", tree(entry(".."), entry("a/b"), entry("x" * 64), entry("x" * 250),
                            entry(ibdev="../x\n"), entry(ibdev=b"a\0b"), entry(ibdev="x" * 200))
    yield "bad_numbers", tree(entry(dev="4096:1"), entry(dev="1:1048576"), entry(dev="99999999999:1"),
                              entry(dev="1"), entry(dev=":"), entry(abi="-1"), entry(node="x"))


def fault_seeds():
    """Settings of the layer fault."""
    calls = ("reg_mr", "ibv_post_send", "poll_cq", "create_cq", "req_notify_cq")
    for call in calls:
        yield "errno_" + call, f"errno=ENOMEM @ call={call},nth=1".encode()
        yield "delay_" + call, f"delay=50us..2ms@call={call},every=7,limit=3".encode()
    yield "wc", b"seed=7; wc=RETRY_EXC_ERR @ op=RDMA_WRITE,nth=100 ; log=/tmp/x"
    yield "all", (b"errno=EAGAIN @ call=post_send,op=SEND,qp=5,dev=mlx5_0,bytes=1-4096,"
                  b"nth=3,every=2,p=12.5%,after=10ms,limit=7")
    yield "event", b"event=DEVICE_FATAL @ call=poll_cq,cq=any,nth=5; event=PORT_ERR @ after=1s,port=2"
    yield "timed", b"event=QP_FATAL @ qp=3,after=1s,dev=a; event=SRQ_ERR@call=post_srq_recv,srq=1,before=2s"
    yield "late", b"wc=REM_OP_ERR,late @ nth=1; shuffle @ cq=any"
    yield "hold", b"hold=recv,1ms..2ms @ qp=1"
    yield "status", b"delay=1s @ cq=2, call=poll_cq,status=WR_FLUSH_ERR"
    yield "lines", b"# a comment; seed=1\nshort=1 @ p=0.5 # short\r\n\ndisarm @ cq=1\ncqe=4@dev=a"
    yield "many", 65 * b"short=1 @ nth=1;"
    yield "numbers", b"seed=18446744073709551616; delay=99999999999999999s @ call=poll_cq"
    yield "empty", b" ;; = @ , \n"
    rules = b"replay=/tmp/x; short=1 @ cq=1; wc=REM_OP_ERR @ qp=2,p=1%"
    yield "replay", (rules + b"\0other output\n"
                     b"verbs-fault: rule 1, ibv_poll_cq, CQ 1, event 7: short=1 @ cq=1\n"
                     b"verbs-fault: rule 2, ibv_post_send, QP 2, event 3: wc=REM_OP_ERR @ qp=2,p=1%\n"
                     b"verbs-fault: rule 1, ibv_poll_cq, CQ 1, event 7: short=1 @ cq=1\n"
                     b"verbs-fault: rule 2 has never acted: wc=REM_OP_ERR @ qp=2,p=1%\n"
                     b"verbs-fault: rule 3, ibv_post_send, PD 2, event 0: x")


def wire_seeds():
    """Rules of UROCE_WIRE_FAULTS."""
    yield "actions", b"seed=7; drop @ p=1%; dup @ every=5; corrupt @ nth=3; reorder=3 @ limit=2"
    yield "selectors", b"delay=100us..1ms @ qpn=18,bytes=20-4200,after=1s,before=2s"
    yield "mistakes", b"drop\ndelay=1 @ nth=1\nreorder=0 @ nth=1 # none"
    yield "many", 65 * b"drop @ nth=1;"
    yield "links", b"link=200mbit+5ms; link=1gbit @ p=100%; link=+5ms @ after=1s"
    yield "addresses", b"link=9kbit @ from=10.0.0.0/7,to=192.0.2.1; drop @ from=2001:db8::/33,to=::1"
    yield "bad_links", b"link=0kbit+1s; link=+; link=1001gbit"
    yield "bad_addresses", b"drop @ from=10.0.0.0/33; drop @ to=::/129"
    yield "file", b"seed=7; @/rules; drop @ to=::\0# comment\nlink=1mbit\ndrop @ p=1%; dup @ to=::"
    yield "files", b"@a; @b\0drop @ nth=1\n" + 300 * b"#" + b"\n"
    yield "nested", b"@a\0\n@b"


def main():
    folder = pathlib.Path(sys.argv[1])
    for target, seeds in (("fuzz_netlink", netlink_seeds()), ("fuzz_sysfs", sysfs_seeds()),
                          ("fuzz_fault_rules", fault_seeds()),
                          ("fuzz_uroce_wire_rules", wire_seeds())):
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, seed in seeds:
            (folder / target / name).write_bytes(seed)


main()
