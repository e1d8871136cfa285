#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ibv_trace metrics: the text is OpenMetrics 1.0 for the strict parser of the
Prometheus client, and its numbers are those of the summary.

trace_metrics_test.py BUILD
"""
import json
import os
import struct
import sys
import tempfile
import tool_harness as tools
# Debian's package, also if this is not Debian's Python
sys.path.append("/usr/lib/python3/dist-packages")
try:
    from prometheus_client.openmetrics.parser import \
        text_string_to_metric_families
except ImportError:
    print("not installed: python3-prometheus-client")
    sys.exit(tools.SKIPPED)

TRACE = tools.ours("ibv_trace")
PINGPONG = tools.ours("ibv_rc_pingpong")
OPTIONS = ("-d", "uroce_lo", "-g", "1", "-n", "300", "-s", "1000")


def samples(target):
    """{name: [(labels, value)]} of the metrics of a process or file."""
    done = tools.run(TRACE, "metrics", str(target))
    tools.check(done.returncode == 0 and not done.stderr and
                done.stdout.endswith("# EOF\n"), "metrics", done.stderr)
    found = {}
    try:
        for family in text_string_to_metric_families(done.stdout):
            tools.check(family.documentation.endswith("."), "help",
                        family.name)
            for sample in family.samples:
                found.setdefault(sample.name, []).append(
                    (sample.labels, sample.value))
    except ValueError as error:
        tools.check(False, "OpenMetrics", error, done.stdout)
    return found


def one(found, name, **labels):
    """The value of the only sample with these labels."""
    values = [value for has, value in found.get(name, [])
              if labels.items() <= has.items()]
    tools.check(len(values) == 1, f"{name} {labels}", found.get(name))
    return values[0] if values else None


def check_pingpong(found, summary):
    for call in summary["calls"]:
        name = call["function"]
        tools.check(one(found, "verbs_call_duration_seconds_count",
                        function=name) == call["calls"] and
                    one(found, "verbs_call_errors_total", function=name) ==
                    call["errors"] and
                    one(found, "verbs_empty_polls_total", function=name) ==
                    call["empty"], f"numbers of {name}", call)
        tools.check(abs(one(found, "verbs_call_duration_seconds_sum",
                            function=name) - call["total_ns"] / 1e9) < 1e-9,
                    f"time of {name}", call)
    qp = summary["qps"][0]
    label = {"qp_num": str(qp["qp_num"]), "device": "uroce_lo", "qp": "0"}
    tools.check(one(found, "verbs_qp_info", **label, type="RC",
                    peer_gid="::ffff:127.0.0.1",
                    peer_qp_num=str(qp["peer_qp_num"])) == 1, "peer", found)
    for name, value in (("requests_total", 300),
                        ("request_bytes_total", 300000)):
        tools.check(one(found, f"verbs_qp_{name}", **label,
                        opcode="SEND") == value, name, found)
    for queue in ("send", "receive"):
        tools.check(one(found, "verbs_qp_completions_total", **label,
                        queue=queue) == 300, f"completions: {queue}")
    tools.check(one(found, "verbs_qp_received_bytes_total", **label) ==
                300000, "received bytes")
    buckets = [(has["le"], value) for has, value in
               found["verbs_qp_send_latency_seconds_bucket"]]
    tools.check(buckets[-1] == ("+Inf", 300) and
                [value for _, value in buckets] ==
                sorted(value for _, value in buckets), "latencies", buckets)
    # The 99th percentile is in a bucket with at most 99 % of the times.
    below = [value for bound, value in buckets[:-1]
             if float(bound) < qp["p99_ns"] / 1e9]
    tools.check(not below or below[-1] <= 297, "percentile", qp, buckets)


def test_file(folder):
    path = os.path.join(folder, "run.trace")
    pair = tools.Pair(PINGPONG, TRACE, (), server_only=OPTIONS,
                      client_only=("-o", path, PINGPONG, *OPTIONS))
    tools.check(pair.client_code == 0, "traced pingpong", pair.client_out)
    check_pingpong(samples(path), json.loads(
        tools.run(TRACE, "--json", "summary", path).stdout))
    return path


def test_names_are_escaped(path):
    """The header has the name of the program at its end."""
    with open(path, "r+b") as file:
        header = struct.unpack("=I", file.read(12)[8:])[0]
        file.seek(header - 64)
        file.write(b'a"b\\c\nd\xff\0')
    tools.check(one(samples(path), "verbs_trace_info",
                    program='a"b\\c?d?') == 1, "escaped name")


def test_program_that_runs(folder):
    with tools.subprocess.Popen(
            [PINGPONG, *OPTIONS], text=True, stdout=tools.subprocess.PIPE,
            env=tools.environment(
                VERBS_LAYERS="trace",
                VERBS_TRACE=f"file={folder}/%p.trace")) as process:
        process.stdout.readline()  # its queues exist
        found = samples(process.pid)
        tools.check(one(found, "verbs_qp_requests_in_flight",
                        queue="receive") == 500, "receives in flight")
        tools.check(one(found, "verbs_trace_info",
                        process=str(process.pid)) == 1, "process")
        process.kill()


def test_shared_queue(folder):
    """A server with an SRQ, before its client connects."""
    with tools.subprocess.Popen(
            [tools.ours("ibv_srq_pingpong"), "-d", "uroce_lo", "-g", "1", "-q",
             "2", "-r", "100"], text=True, stdout=tools.subprocess.PIPE,
            env=tools.environment(
                VERBS_LAYERS="trace",
                VERBS_TRACE=f"file={folder}/%p.trace")) as process:
        process.stdout.readline()  # its queues exist
        found = samples(process.pid)
        for name, value in (("receive_requests_total", 100),
                            ("completions_total", 0),
                            ("requests_in_flight", 100)):
            tools.check(one(found, f"verbs_srq_{name}", device="uroce_lo") ==
                        value, f"SRQ: {name}", found)
        process.kill()


def test_errors(folder):
    for target, message in ((f"{folder}/missing", "No such file"),
                            (os.getpid(), "has no trace")):
        done = tools.run(TRACE, "metrics", str(target))
        tools.check(done.returncode == 1 and not done.stdout and
                    message in done.stderr, message, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = test_file(folder)
        test_names_are_escaped(path)
        test_program_that_runs(folder)
        test_shared_queue(folder)
        test_errors(folder)
    tools.finish()


main()
