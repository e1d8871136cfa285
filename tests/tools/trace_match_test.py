#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ibv_trace match and ibv_trace perfetto with several files: connections,
messages and clocks. The clock of another machine is that of this one after a
change of the file.

trace_match_test.py BUILD
"""
import json
import os
import re
import struct
import tempfile
import protobuf_reader as protobuf
import tool_harness as tools

TRACE = tools.ours("ibv_trace")
MESSAGES = os.path.join(tools.BUILD, "tests", "tools", "trace_messages")
OPTIONS = ("-d", "uroce_lo", "-g", "1", "-n", "300", "-s", "1000")
# trace_format.h
RING_OFFSET, RING_BYTES, START, BOOT_ID = 72, 80, 88, 160
RECORDS_OFFSET, RECORD_BYTES, COMPLETION = 102400, 64, 4
SHIFT = 123456789012345


def match(*paths):
    done = tools.run(TRACE, "--json", "match", *paths)
    tools.check(done.returncode == 0 and not done.stderr, "match",
                done.returncode, done.stderr)
    return json.loads(done.stdout)


def traced_pair(folder, name, program="ibv_rc_pingpong", options=OPTIONS):
    """Runs a pingpong with a trace of both processes; returns the files."""
    paths = [os.path.join(folder, f"{name}.{side}")
             for side in ("server", "client")]
    pair = tools.Pair(TRACE, TRACE, (), server_only=(
        "-o", paths[0], tools.ours(program), *options), client_only=(
            "-o", paths[1], tools.ours(program), *options))
    tools.check(pair.client_code == 0 and pair.server_code == 0,
                f"traced {program}", pair.client_out, pair.server_out)
    return paths


def check_direction(direction, sent, what):
    tools.check(direction["sent"] == sent and direction["received"] == sent and
                direction["matched"] == sent and direction["problem"] is None,
                f"{what}: messages", direction)
    if sent:
        tools.check(0 <= direction["min_ns"] <= direction["p50_ns"] <=
                    direction["p99_ns"] <= direction["max_ns"],
                    f"{what}: times", direction)


class OtherMachine:
    """Changes a file as if another machine had written it."""

    def __init__(self, path, folder, name):
        self.path = os.path.join(folder, name)
        with open(path, "rb") as file:
            self.data = bytearray(file.read())

    def number(self, offset):
        return struct.unpack_from("=Q", self.data, offset)[0]

    def shift(self, nanoseconds):
        """Its monotonic clock is ahead; the real-time clocks are equal."""
        struct.pack_into("=Q", self.data, START,
                         self.number(START) + nanoseconds)
        self.data[BOOT_ID:BOOT_ID + 8] = b"another-"

    def records(self):
        """The offsets of all records."""
        first, size = self.number(RING_OFFSET), self.number(RING_BYTES)
        for ring in range(64):
            begin = first + ring * size
            nr = (size - RECORDS_OFFSET) // RECORD_BYTES
            for at in range(min(nr, self.number(begin + 8))):
                yield begin + RECORDS_OFFSET + at * RECORD_BYTES

    def stretch(self, rate):
        """Its clock runs faster."""
        for at in self.records():
            for field in (at + 8, at + 32):
                value = self.number(field)
                if value < 1 << 62 and (field == at + 8 or
                                        self.data[at + 60] == COMPLETION):
                    struct.pack_into("=Q", self.data, field,
                                     int(value * rate))

    def save(self):
        with open(self.path, "wb") as file:
            file.write(self.data)
        return self.path


def check_pair(document, nr, what):
    tools.check(len(document["pairs"]) == 1 and not document["not_matched"],
                f"{what}: one pair", document)
    pair = document["pairs"][0]
    tools.check(pair["left"]["file"] == 1 and pair["right"]["file"] == 2,
                f"{what}: files", pair)
    check_direction(pair["to_right"], nr, what)
    check_direction(pair["to_left"], nr, what)
    return pair


def test_one_machine(paths):
    document = match(*paths)
    first, second = document["files"]
    tools.check(first["clock"] == "first" and second["clock"] == "same" and
                second["path"] == paths[1], "clocks of one machine", document)
    check_pair(document, 300, "one machine")
    text = tools.run(TRACE, "match", *paths).stdout
    tools.check(re.search(r"^  -> 300 messages sent, 300 received, 300 "
                          r"matched\n     post to remote completion .*: +\d",
                          text, re.MULTILINE), "text", text)


def test_two_machines(paths, folder):
    other = OtherMachine(paths[1], folder, "shifted")
    other.shift(SHIFT)
    path = other.save()
    document = match(paths[0], path)
    clock = document["files"][1]
    tools.check(clock["clock"] == "messages" and
                clock["clock_drift_ppb"] == 0, "clock by messages", clock)
    check_pair(document, 300, "two machines")
    truth = match(*paths)
    # The counters of both processes were measured with some error.
    error = clock["clock_error_ns"] + 100000
    tools.check(abs(clock["clock_offset_ns"] - SHIFT -
                    truth["files"][1]["clock_offset_ns"]) <= error,
                "offset", clock, truth)
    back = match(path, paths[0])["files"][1]
    tools.check(abs(back["clock_offset_ns"] + SHIFT) <= error, "other order",
                back)
    text = tools.run(TRACE, "match", paths[0], path).stdout
    tools.check(re.search(r", clock \S+ s ahead of that of the first, \+- "
                          r"\S+ [nu]s by its messages$", text, re.MULTILINE),
                "clock in the text", text)


def test_rates(folder):
    """A clock that runs 500 ppm faster contradicts each single offset."""
    paths = traced_pair(folder, "long", options=(*OPTIONS, "-n", "4000"))
    other = OtherMachine(paths[1], folder, "stretched")
    other.shift(SHIFT)
    other.stretch(1.0005)
    document = match(paths[0], other.save())
    clock = document["files"][1]
    tools.check(clock["clock"] == "messages" and
                abs(clock["clock_drift_ppb"] - 500000) < 250000,
                "rate of the clock", clock)
    check_pair(document, 4000, "another rate")


def test_strangers(paths, folder):
    """Files without a connection, and with the GID of another machine."""
    others = traced_pair(folder, "others")
    document = match(paths[0], others[0])
    tools.check(not document["pairs"] and
                [one["reason"] for one in document["not_matched"]] ==
                ["its peer is in none of the files"] * 2, "strangers",
                document)
    other = OtherMachine(others[0], folder, "stranger")
    other.shift(SHIFT)
    document = match(paths[0], other.save())
    tools.check(document["files"][1]["clock"] == "time of day",
                "clock of a stranger", document)
    document = match(*paths, *others)
    tools.check(len(document["pairs"]) == 2, "four files", document)
    document = match(paths[0], paths[1], paths[1])
    tools.check(not document["pairs"] and "several queue pairs of the files "
                "could be its peer" in
                [one["reason"] for one in document["not_matched"]],
                "a file that is given twice", document)


def test_kinds(folder):
    """All kinds of messages, requests that were not posted, and a reset."""
    paths = [os.path.join(folder, f"kinds.{i}") for i in range(2)]
    for path in paths:
        done = tools.run(TRACE, "-o", path, MESSAGES)
        tools.check(done.returncode == 0, "trace_messages", done.stderr)
    document = match(*paths)
    pairs = [one for one in document["pairs"] if one["left"]["file"] == 1]
    tools.check(len(pairs) == 3 and len(document["pairs"]) == 6, "pairs",
                document)
    check_direction(pairs[0]["to_right"], 4, "all kinds")
    check_direction(pairs[0]["to_left"], 1, "other direction")
    check_direction(pairs[1]["to_right"], 2, "built requests")
    check_direction(pairs[1]["to_left"], 0, "no messages")
    tools.check(pairs[2]["to_right"]["matched"] == 0 and
                "was reset" in pairs[2]["to_right"]["problem"], "reset",
                pairs[2])
    reasons = [one["reason"] for one in document["not_matched"]]
    tools.check(reasons == ["no message names one queue pair of the files"] * 2,
                "UD", reasons)


def test_lost_records(folder):
    """A ring of 64 records has the last messages of a thousand."""
    path = os.path.join(folder, "lost")
    done = tools.run(MESSAGES, "1000", VERBS_LAYERS="trace",
                     VERBS_TRACE=f"file={path},size=4K")
    tools.check(done.returncode == 0, "trace_messages 1000", done.stderr)
    document = match(path, os.path.join(folder, "kinds.0"))
    direction = document["pairs"][0]["to_right"]
    tools.check(direction["sent"] == direction["received"] == 1000 and
                0 < direction["matched"] < 32 and
                direction["problem"] is None, "the last messages", direction)


def test_uc(folder):
    paths = traced_pair(folder, "uc", "ibv_uc_pingpong",
                        ("-d", "uroce_lo", "-g", "1", "-n", "50"))
    check_pair(match(*paths), 50, "UC")


def test_ud(folder):
    """Each message names the number of both queue pairs."""
    paths = traced_pair(folder, "ud", "ibv_ud_pingpong",
                        ("-d", "uroce_lo", "-g", "1", "-n", "50"))
    check_pair(match(*paths), 50, "UD")
    other = OtherMachine(paths[1], folder, "ud.shifted")
    other.shift(SHIFT)
    document = match(paths[0], other.save())
    check_pair(document, 50, "UD on two machines")
    tools.check(document["files"][1]["clock"] == "messages", "clock by UD",
                document["files"])
    dump = tools.run(TRACE, "dump", paths[0]).stdout
    tools.check(re.search(r"ibv_post_send\(qp 0x\w+, .*, to qp 0x\w+\)", dump) and
                re.search(r"ibv_poll_cq: qp .*, SUCCESS, from qp 0x\w+", dump),
                "dump of UD", dump)
    return paths


def test_ud_lost(paths, folder):
    """A receive that is missing makes the order unknown."""
    other = OtherMachine(paths[1], folder, "ud.lost")
    last = [at for at in other.records()
            if other.data[at + 60] == COMPLETION and
            other.data[at + 62] & 128][-1]
    struct.pack_into("=I", other.data, last + 56, 0)
    direction = match(paths[0], other.save())["pairs"][0]["to_right"]
    tools.check(direction["sent"] == 50 and direction["received"] == 49 and
                direction["matched"] == 0 and
                "possibly lost" in direction["problem"], "UD lost", direction)


def test_perfetto(paths, folder):
    """Each message is a flow from a post to a later completion."""
    other = OtherMachine(paths[1], folder, "perfetto.client")
    other.shift(SHIFT)
    output = os.path.join(folder, "two.perfetto")
    done = tools.run(TRACE, "perfetto", paths[0], other.save(), output)
    tools.check(done.returncode == 0, "perfetto", done.stderr)
    with open(output, "rb") as file:
        packets = [dict(protobuf.fields(packet))
                   for _, packet in protobuf.fields(file.read())]
    tracks = [dict(protobuf.fields(one[60])) for one in packets if 60 in one]
    tools.check(len({one[1] for one in tracks}) == len(tracks),
                "tracks have numbers of their own")
    processes = [dict(protobuf.fields(one[3]))[1] for one in tracks
                 if 3 in one]
    tools.check(len(set(processes)) == 2, "two processes", processes)
    events = [(one[8], dict(protobuf.fields(one[11]))) for one in packets
              if 11 in one]
    begins = {event[47]: (time, event) for time, event in events
              if 47 in event}
    ends = {event[48]: (time, event) for time, event in events if 48 in event}
    tools.check(len(begins) == 600 and begins.keys() == ends.keys(),
                "each message is a flow", len(begins), len(ends))
    for flow, (time, event) in begins.items():
        tools.check(event[23] == b"ibv_post_send" and
                    ends[flow][1][23] == b"ibv_poll_cq" and
                    ends[flow][0] >= time and
                    event[11] >> 48 != ends[flow][1][11] >> 48,
                    "direction of a flow", flow, time, ends[flow])


def test_command_line(paths):
    for command in (["match"], ["match", paths[0]], ["perfetto", paths[0]],
                    ["match", *[paths[0]] * 65]):
        tools.check(tools.run(TRACE, *command).returncode == 2,
                    f"{command[0]} with {len(command) - 1} words")
    done = tools.run(TRACE, "match", paths[0], "missing")
    tools.check(done.returncode == 1 and not done.stdout and
                "missing No such file" in done.stderr, "missing file",
                done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = traced_pair(folder, "run")
        test_one_machine(paths)
        test_two_machines(paths, folder)
        test_rates(folder)
        test_strangers(paths, folder)
        test_kinds(folder)
        test_lost_records(folder)
        test_uc(folder)
        test_ud_lost(test_ud(folder), folder)
        test_perfetto(paths, folder)
        test_command_line(paths)
    tools.finish()


main()
