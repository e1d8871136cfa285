#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ibv_trace top: a running program, one that waits, one that was killed, and
processes without a trace.

trace_top_test.py BUILD
"""
import atexit
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import tool_harness as tools

TRACE = tools.ours("ibv_trace")
PINGPONG = tools.ours("ibv_rc_pingpong")
# RC gives up a peer that is stopped; UC waits for its message without end.
UNRELIABLE = tools.ours("ibv_uc_pingpong")
OPTIONS = ("-d", "uroce_lo", "-g", "1", "-n", "100000000", "-s", "1000")
FORK = os.path.join(tools.BUILD, "tests", "tools", "trace_fork")


def start(program, *options, folder, **more):
    process = subprocess.Popen(
        [program, *options], text=True, stdout=subprocess.PIPE, **more,
        env=tools.environment(VERBS_LAYERS="trace", VERBS_TRACE=f"file={folder}/%p.trace"))
    # An exception must not leave it running: ctest waits for its output.
    atexit.register(process.kill)
    return process


def stop(*processes):
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def documents(done):
    """The JSON documents of a run."""
    tools.check(done.returncode == 0 and not done.stderr, "top --json",
                done.returncode, done.stderr)
    text, decoder, found = done.stdout.strip(), json.JSONDecoder(), []
    while text:
        one, end = decoder.raw_decode(text)
        found.append(one)
        text = text[end:].lstrip()
    return found


def top(target, *options):
    return documents(tools.run(TRACE, "top", "--json", *options, str(target)))


def calls(document):
    return {one["function"]: one for one in document["calls"]}


def check_refused(target, message, what):
    done = tools.run(TRACE, "top", "--once", str(target))
    tools.check(done.returncode == 1 and not done.stdout and
                re.fullmatch(f"ibv_trace: .*{message}.*\n", done.stderr), what,
                done.returncode, done.stdout, done.stderr)


def test_server_that_waits(server):
    server.stdout.readline()  # its queues exist
    documents_once = top(server.pid, "--once")
    tools.check(len(documents_once) == 1, "--once")
    qps = documents_once[0]["qps"]
    tools.check(len(qps) == 1 and qps[0]["state"] == "INIT" and
                qps[0]["recv"]["in_flight"] == 500 and
                qps[0]["recv"]["oldest_bytes"] == 1000 and
                qps[0]["recv"]["oldest_age_ns"] > 0 and
                qps[0]["send"] == {"in_flight": 0} and
                qps[0]["waits_for"] == "ibv_modify_qp(RTR)",
                "a server without a client", qps)
    tools.check(calls(documents_once[0])["ibv_post_recv"]["calls"] == 500,
                "calls of a server", documents_once)


def test_shared_queue(folder):
    """Receive requests of an SRQ, before and during the traffic."""
    program = tools.ours("ibv_srq_pingpong")
    options = ("-d", "uroce_lo", "-g", "1", "-n", "100000000", "-q", "3", "-r",
               "300")
    server = start(program, *options, folder=folder)
    server.stdout.readline()  # its queues exist
    document = top(server.pid, "--once")[0]
    srqs = document["srqs"]
    tools.check(len(srqs) == 1 and srqs[0]["device"] == "uroce_lo" and
                srqs[0]["recv_requests"] == 300 and
                srqs[0]["recv"]["in_flight"] == 300 and
                srqs[0]["recv"]["oldest_age_ns"] > 0 and
                srqs[0]["recv_completions"] == 0, "an SRQ", srqs)
    tools.check([qp["srq"] for qp in document["qps"]] ==
                [srqs[0]["handle"]] * 3, "SRQ of the QPs", document)
    client = start(program, *options, "127.0.0.1", folder=folder)
    wait_until_connected(client)
    before = top(server.pid, "--once")[0]["srqs"][0]
    deadline = time.monotonic() + tools.TIMEOUT
    while True:
        now = top(server.pid, "-n", "2", "-d", "0.2")[1]["srqs"][0]
        # The server posts many receive requests at once.
        if now["recv_requests"] > before["recv_requests"] or \
                time.monotonic() > deadline:
            break
    tools.check(now["recv_completions"] > before["recv_completions"] and
                now["recv_requests"] > before["recv_requests"] and
                now["recv_completions_per_second"] > 0 and
                now["recv"]["in_flight"] <= 300, "traffic of an SRQ", before,
                now)
    text = tools.run(TRACE, "top", "--once", str(server.pid)).stdout
    tools.check(re.search(r"\n\nSRQ +device +posts/s .*\n0x[0-9a-f]{6} uroce_lo"
                          r" +[1-9]", text), "table of SRQs", text)
    stop(server, client)
    summary = json.loads(tools.run(
        TRACE, "--json", "summary",
        os.path.join(folder, f"{server.pid}.trace")).stdout)
    srq = summary["srqs"][0]
    tools.check(srq["recv_completions"] >= now["recv_completions"] and
                # It was killed between the two counters, possibly.
                abs(srq["recv_completions"] - sum(
                    qp["recv_completions"] for qp in summary["qps"])) <= 1 and
                srq["recv_requests"] >= srq["recv_completions"],
                "summary of an SRQ", summary)


def wait_until_connected(client):
    """Polls, because the connection causes no event."""
    client.stdout.readline()  # its queues exist
    for _ in range(1000):
        if top(client.pid, "--once")[0]["qps"][0]["requests"]:
            return
    tools.check(False, "the client is connected")


def test_traffic(client):
    first, second, third = top(client.pid, "-n", "3", "-d", "0.2")
    tools.check(first["process"] == client.pid and
                first["program"] == "ibv_rc_pingpong" and
                not first["ended"], "process", first)
    tools.check(second["interval_ns"] >= 200000000, "delay", second)
    for before, now in ((first, second), (second, third)):
        old, new = before["qps"][0], now["qps"][0]
        seconds = now["interval_ns"] / 1e9
        requests = new["requests"] - old["requests"]
        tools.check(requests > 0 and new["bytes"] > old["bytes"] and
                    new["recv_completions"] > old["recv_completions"],
                    "numbers increase", old, new)
        tools.check(abs(new["requests_per_second"] - requests / seconds) <= 1,
                    "rate", new, requests, seconds)
    qp = third["qps"][0]
    tools.check(qp["state"] == "RTS" and qp["peer_qp_num"] and
                qp["peer_gid"] == "::ffff:127.0.0.1" and
                qp["device"] == "uroce_lo" and qp["type"] == "RC" and
                qp["recv"]["in_flight"] <= 500 and
                qp["send"]["in_flight"] <= 1, "queue pair", qp)
    tools.check(calls(third)["ibv_poll_cq"]["empty"] > 0, "empty polls")


def test_text(client):
    done = tools.run(TRACE, "top", "-n", "2", "-d", "0.1", str(client.pid))
    tables = done.stdout.split("\n\nibv_rc_pingpong")
    tools.check(done.returncode == 0 and len(tables) == 2, "two tables",
                done.stdout)
    tools.check(re.search(rf"^ibv_rc_pingpong \(process {client.pid}\), traced "
                          r"for .* m?s, 1 QPs\n +calls/s +calls +errors +mean  "
                          r"function\n +[1-9]", done.stdout),
                "table of functions", done.stdout)
    tools.check(re.search(r"^QP +type .*\n0x[0-9a-f]{6} RC   RTS   uroce_lo +"
                          r"0x[0-9a-f]{6} ::ffff:127\.0\.0\.1 +[1-9]",
                          tables[1], re.MULTILINE), "table of QPs", tables)


def test_stopped_peer(folder):
    """The client gets no message any more; the age of the oldest grows."""
    server = start(UNRELIABLE, *OPTIONS, folder=folder)
    server.stdout.readline()  # its queues exist
    client = start(UNRELIABLE, *OPTIONS, "127.0.0.1", folder=folder)
    wait_until_connected(client)
    server.send_signal(signal.SIGSTOP)
    for _ in range(100):
        *_, last = top(client.pid, "-n", "2", "-d", "0.2")
        if last["qps"][0]["recv_completions_per_second"] == 0:
            break
    qp = last["qps"][0]
    tools.check(qp["recv"]["oldest_age_ns"] > 200000000, "age", qp)
    tools.check(qp["waits_for"] == "message of the peer", "waits for", qp)
    stop(server, client)


def test_killed(client, folder):
    path = os.path.join(folder, f"{client.pid}.trace")
    running = top(path, "--once")[0]
    tools.check(not running["ended"], "the file of a running program")
    with subprocess.Popen([TRACE, "top", "--json", "-d", "100",
                           str(client.pid)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=tools.environment()) as process:
        process.stdout.readline()  # the first document
        stop(client)
        out, err = process.communicate(timeout=tools.TIMEOUT)
    tools.check(re.search(r'"ended": true', out) and not err and
                process.returncode == 0, "top ends with the process", err)
    ended = top(path)
    tools.check(len(ended) == 1 and ended[0]["ended"] and
                ended[0]["qps"][0]["requests"] >=
                running["qps"][0]["requests"],
                "the file of a killed program", ended)
    check_refused(client.pid, "does not exist", "a process that has ended")


def test_processes_without_trace(folder):
    check_refused(os.getpid(), "has no trace: it was not started with "
                  "VERBS_LAYERS=trace, or has opened no device", "no layer")
    check_refused(f"{folder}/missing", "No such file", "no file")
    try:
        with open("/proc/1/maps", encoding="ascii"):
            pass
    except PermissionError:
        check_refused(1, "it belongs to another user", "another user")
    with subprocess.Popen(["true"]) as process:
        # It is a zombie until wait() below.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        check_refused(process.pid, "has ended", "a zombie")


def started_children(mode, folder):
    process = start(FORK, mode, folder=folder, stdin=subprocess.PIPE)
    pids = dict(process.stdout.readline().split() for _ in range(2))
    return process, pids


def test_forked(folder):
    process, pids = started_children("inherit", folder)
    check_refused(pids["child"], f"of its own, only that of process "
                  f"{pids['parent']}, which forked it", "a child")
    tools.check(top(pids["parent"], "--once")[0]["process"] ==
                int(pids["parent"]), "the parent of a child")
    process.communicate()
    tools.check(process.returncode == 0, "child without device")
    process, pids = started_children("open", folder)
    for who in ("parent", "child"):
        document = top(pids[who], "--once")[0]
        tools.check(document["process"] == int(pids[who]) and
                    calls(document)["ibv_create_cq"]["calls"] == 1,
                    f"{who}: the trace of its own", document)
    process.communicate()
    tools.check(process.returncode == 0, "child with device")
    for who, nr in (("parent", 2), ("child", 1)):
        document = top(f"{folder}/{pids[who]}.trace")[0]
        tools.check(document["ended"] and
                    calls(document)["ibv_create_cq"]["calls"] == nr,
                    f"{who}: calls at the end", document)


def test_options(client):
    for options in (("-d", "0"), ("-d", "x"), ("-n", "0"), ("-n", "-1"),
                    ("-d", "nan"), ("-d", "1e9"), ("--unknown",)):
        done = tools.run(TRACE, "top", *options, str(client.pid))
        tools.check(done.returncode == 2, f"options {options}", done.stderr)
    done = tools.run(TRACE, "top")
    tools.check(done.returncode == 2, "no process", done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = start(PINGPONG, *OPTIONS, folder=folder)
        test_server_that_waits(server)
        client = start(PINGPONG, *OPTIONS, "127.0.0.1", folder=folder)
        wait_until_connected(client)
        test_traffic(client)
        test_text(client)
        test_options(client)
        test_killed(client, folder)
        stop(server)
        test_stopped_peer(folder)
        test_shared_queue(folder)
        test_processes_without_trace(folder)
        test_forked(folder)
    tools.finish()


main()
