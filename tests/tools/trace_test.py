#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ibv_trace and the layer trace: counts, formats, files, damaged input.

trace_test.py BUILD
"""
import json
import os
import re
import signal
import stat
import struct
import subprocess
import tempfile
import protobuf_reader as protobuf
import tool_harness as tools

TRACE = tools.ours("ibv_trace")
PINGPONG = tools.ours("ibv_rc_pingpong")
OPTIONS = ("-d", "uroce_lo", "-g", "1", "-n", "300", "-s", "1000")


def traced_pingpong(*options, **env):
    """Runs a pingpong whose client is traced."""
    pair = tools.Pair(PINGPONG, TRACE, (), server_only=OPTIONS,
                      client_only=(*options, PINGPONG, *OPTIONS), **env)
    tools.check(pair.client_code == 0, "traced pingpong", pair.client_out,
                pair.server_out)
    return pair.client


def summary(path):
    return json.loads(tools.run(TRACE, "--json", "summary", path).stdout)


def check_counts(document, what):
    """The numbers of a pingpong with 300 messages of 1000 bytes."""
    qps = document["qps"]
    tools.check(len(qps) == 1, f"{what}: one QP", qps)
    qp = qps[0]
    tools.check(qp["opcodes"] == [{"opcode": "SEND", "requests": 300,
                                   "bytes": 300000}], f"{what}: sends", qp)
    tools.check(qp["recv_completions"] == 300 and
                qp["recv_bytes"] == 300000 and
                qp["send_completions"] == 300 and
                qp["unmatched"] == 0 and qp["errors"] == {},
                f"{what}: completions", qp)
    tools.check(qp["type"] == "RC" and qp["device"] == "uroce_lo" and
                qp["peer_gid"] == "::ffff:127.0.0.1" and qp["peer_qp_num"],
                f"{what}: peer", qp)
    tools.check(0 < qp["p50_ns"] <= qp["p99_ns"] <= qp["max_ns"],
                f"{what}: percentiles", qp)


def check_dump(path):
    dump = json.loads(tools.run(TRACE, "--json", "dump", path).stdout)
    records = dump["records"]
    kinds = [one["kind"] for one in records]
    tools.check(kinds.count("send") == 300, "dump: sends")
    tools.check(kinds.count("completion") == 600, "dump: completions")
    latencies = [one["latency_ns"] for one in records
                 if one["kind"] == "completion"]
    tools.check(all(latencies), "dump: latencies")
    functions = [one["function"] for one in records if one["kind"] == "call"]
    tools.check(functions.count("ibv_create_qp") == 1 and
                functions.count("ibv_modify_qp") == 3 and
                functions.count("ibv_dereg_mr") == 1, "dump: calls", functions)
    lines = tools.run(TRACE, "dump", path).stdout.splitlines()
    tools.check(len(lines) == len(records), "dump: lines")
    return records


def check_perfetto(path, folder):
    output = os.path.join(folder, "out.perfetto")
    done = tools.run(TRACE, "perfetto", path, output)
    tools.check(done.returncode == 0, "perfetto", done.stderr)
    with open(output, "rb") as file:
        packets = [dict(protobuf.fields(packet)) for number, packet in
                   protobuf.fields(file.read()) if number == 1]
    tracks = {dict(protobuf.fields(one[60]))[1] for one in packets
              if 60 in one}
    events = [(one[8], dict(protobuf.fields(one[11]))) for one in packets
              if 11 in one]
    tools.check(all(event[11] in tracks for _, event in events),
                "perfetto: each event has a track")
    begins = [event[23] for _, event in events if event[9] == 1]
    tools.check(begins.count(b"SEND") == 300 and begins.count(b"RECV") == 300,
                "perfetto: requests")
    for track in tracks:
        depth, last = 0, 0
        for time, event in events:
            if event[11] != track or event[9] == 3 or track < 1 << 41:
                continue
            depth += 1 if event[9] == 1 else -1
            tools.check(0 <= depth <= 1 and time >= last,
                        "perfetto: slices of a queue do not overlap")
            last = time
        tools.check(depth == 0, "perfetto: each slice ends")


def check_damaged(path, folder):
    """No damaged file is accepted, or read beyond its end."""
    with open(path, "rb") as file:
        head = file.read(4096)
    size = os.stat(path).st_size
    damaged = os.path.join(folder, "damaged")

    def rejected(content, length, message):
        with open(damaged, "wb") as file:
            file.write(content)
            file.truncate(length)
        for command in ("summary", "dump"):
            done = tools.run(TRACE, command, damaged)
            tools.check(done.returncode == 1 and message in done.stderr and
                        done.stdout == "", f"damaged file: {message}",
                        done.returncode, done.stderr)

    rejected(b"", 0, "is not a trace file")
    rejected(b"text", 4, "is not a trace file")
    rejected(head, size - 1, "is damaged or truncated")
    rejected(head, 4096, "is damaged or truncated")
    rejected(head[7::-1] + head[8:], size, "another byte order")
    for at in range(8, 84, 4):
        if at not in (48, 52):  # the process
            rejected(head[:at] + struct.pack("=I", 0xfffffff0) +
                     head[at + 4:], size, "")
    done = tools.run(TRACE, "summary", folder)
    tools.check(done.returncode == 1, "a folder is no trace", done.stderr)
    done = tools.run(TRACE, "summary", os.path.join(folder, "missing"))
    tools.check(done.returncode == 1 and "No such file" in done.stderr,
                "missing file", done.stderr)


def test_file(folder):
    path = os.path.join(folder, "run.trace")
    done = traced_pingpong("-o", path)
    tools.check(re.search(r"^ +SEND +300 requests +300000 bytes",
                          done.stderr, re.MULTILINE), "summary at the end",
                done.stderr)
    tools.check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "mode 0600")
    check_counts(summary(path), "file")
    check_dump(path)
    check_perfetto(path, folder)
    check_damaged(path, folder)
    done = tools.run(TRACE, "-o", path, "true")
    tools.check(done.returncode == 126 and "File exists" in done.stderr,
                "an existing file is kept", done.stderr)


def test_layer_refuses_files(folder):
    """The program runs, with one warning and without a trace."""
    existing = os.path.join(folder, "existing")
    with open(existing, "w", encoding="ascii") as file:
        file.write("text")
    link = os.path.join(folder, "link")
    os.symlink(os.path.join(folder, "target"), link)
    for settings in (f"file={existing}", f"file={link}", "size=3",
                     "nothing=1"):
        done = tools.run(tools.ours("ibv_devinfo"),
                         VERBS_LAYERS="trace", VERBS_TRACE=settings)
        tools.check(done.returncode == 0 and
                    done.stderr.count("VERBS_TRACE") == 1,
                    f"VERBS_TRACE={settings}", done.stderr)
    with open(existing, encoding="ascii") as file:
        tools.check(file.read() == "text", "an existing file is unchanged")
    tools.check(not os.path.exists(os.path.join(folder, "target")),
                "a symbolic link is not followed")


def test_unknown_layer():
    done = tools.run(tools.ours("ibv_devinfo"), VERBS_LAYERS="nothing")
    tools.check(done.returncode == 0 and
                done.stderr == 'libibverbs: VERBS_LAYERS: there is no layer '
                '"nothing"\n', "unknown layer", done.stderr)


def test_both_layers(folder):
    path = os.path.join(folder, "both.%p.trace")
    done = tools.run(PINGPONG, "-d", "uroce_lo", "127.0.0.1",
                     VERBS_LAYERS="explain,trace",
                     VERBS_TRACE=f"file={path},size=4K")
    tools.check(done.returncode != 0, "no server listens", done.stderr)
    files = [name for name in os.listdir(folder) if name.startswith("both.")]
    tools.check(len(files) == 1 and re.fullmatch(r"both\.\d+\.trace",
                                                 files[0]), "%p", files)


def test_killed(folder):
    """A file of a killed program has all records."""
    path = os.path.join(folder, "killed.trace")
    with subprocess.Popen(
            [PINGPONG, *OPTIONS], stdout=subprocess.PIPE, text=True,
            env=tools.environment(VERBS_LAYERS="trace",
                                  VERBS_TRACE=f"file={path}")) as process:
        process.stdout.readline()  # its queues exist
        process.send_signal(signal.SIGKILL)
    document = summary(path)
    tools.check([one["calls"] for one in document["calls"]
                 if one["function"] == "ibv_create_qp"] == [1],
                "killed: calls", document)
    tools.check(len(document["qps"]) == 1, "killed: QP", document)


def test_events(folder):
    """Sets the link of lo down and up; a trace has each event."""
    path = os.path.join(folder, "events.trace")
    with subprocess.Popen([tools.ours("ibv_asyncwatch"), "-d", "uroce_lo"],
                          stdout=subprocess.PIPE, text=True,
                          env=tools.environment(
                              VERBS_LAYERS="trace",
                              VERBS_TRACE=f"file={path}")) as watcher:
        lines = [watcher.stdout.readline()]
        for state, event in (("down", "PORT_ERR"), ("up", "PORT_ACTIVE")):
            subprocess.run(["ip", "link", "set", "lo", state], check=True)
            while event not in lines[-1] and len(lines) < 40:
                lines.append(watcher.stdout.readline())
        watcher.kill()
    printed = re.findall(r"IBV_EVENT_(\w+) .*, port 1$", "".join(lines),
                         re.MULTILINE)
    dump = json.loads(tools.run(TRACE, "--json", "dump", path).stdout)
    events = [one["event"] for one in dump["records"]
              if one["kind"] == "event" and one["key"] == 1]
    tools.check(events[:len(printed)] == printed and "PORT_ERR" in events,
                "events", lines, dump)
    text = tools.run(TRACE, "dump", path).stdout
    tools.check(re.search(r"^[0-9.]+ \[\d+\] ibv_get_async_event: PORT_ERR, "
                          r"0x1", text, re.MULTILINE), "event as text", text)
    calls = [one["calls"] for one in summary(path)["calls"]
             if one["function"] == "ibv_get_async_event"]
    tools.check(calls == [len(events)], "events are counted", calls)


def test_exit_codes():
    for command, code in ((["sh", "-c", "exit 7"], 7),
                          (["sh", "-c", "kill -9 $$"], 137),
                          (["./missing"], 127), ([], 2), (["dump"], 2)):
        done = tools.run(TRACE, *command)
        tools.check(done.returncode == code, f"exit code of {command}",
                    done.returncode, done.stderr)
    done = tools.run(TRACE, "true")
    tools.check("opened no RDMA device" in done.stderr, "no device",
                done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        test_file(folder)
        done = traced_pingpong("--json", TMPDIR=folder)
        check_counts(json.loads(done.stderr), "temporary file")
        tools.check(not [name for name in os.listdir(folder)
                         if name.startswith("ibv_trace.")],
                    "the temporary folder is removed")
        test_layer_refuses_files(folder)
        test_unknown_layer()
        test_both_layers(folder)
        test_killed(folder)
        test_events(folder)
        test_exit_codes()
    tools.finish()


main()
