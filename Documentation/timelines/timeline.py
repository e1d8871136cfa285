#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Draws a part of a Perfetto trace that ibv_trace(1) wrote.

timeline.py cut TRACE MESSAGES TITLE   so many consecutive messages, as text:
                                       the fastest ones of which each thread
                                       sends and receives equally many
timeline.py --all                      *.tsv -> *.svg
timeline.py --check                    compare *.svg with what --all would make

The text has the tracks, slices and flows of a window of time; README.md
describes it. Receive requests that only wait are left out.
"""
import os
import sys
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("bench", "tools"):
    sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", folder))
# pylint: disable=wrong-import-position
import protobuf_reader as protobuf  # noqa: E402
from plot import STYLE  # noqa: E402

# Fields of the messages: trace_perfetto.c.
TIMESTAMP, TRACK_EVENT, DESCRIPTOR = 8, 11, 60
UUID, NAME, PROCESS, THREAD, PARENT = 1, 2, 3, 4, 5
EVENT_TYPE, EVENT_TRACK, EVENT_NAME, FLOW, LAST_FLOW = 9, 11, 23, 47, 48
BEGIN, END, INSTANT = 1, 2, 3

WIDTH, LEFT, RIGHT = 1000, 190, 985
ROW, TOP = 20, 78
MARGIN = 0.06  # of the window, on both sides


def fields(data):
    return dict(protobuf.fields(data))


def packets(path):
    with open(path, "rb") as file:
        return [fields(packet) for _, packet in protobuf.fields(file.read())]


class Trace:
    """Tracks: {uuid: (process, name)}; slices: [(track, begin, end, name)];
    flows: [((track, time), (track, time))], in the order of their begin."""

    def __init__(self, path):
        self.tracks, self.slices = {}, []
        processes, open_slices, sent, received = {}, {}, {}, {}
        for packet in packets(path):
            if DESCRIPTOR in packet:
                track = fields(packet[DESCRIPTOR])
                if PROCESS in track:
                    process = fields(track[PROCESS])
                    processes[track[UUID]] = \
                        f"{process[6].decode()} {process[1]}"
                else:
                    name = track[NAME].decode() if NAME in track else \
                        f"thread {fields(track[THREAD])[2]}"
                    self.tracks[track[UUID]] = (processes[track[PARENT]], name)
            if TRACK_EVENT not in packet:
                continue
            time, event = packet[TIMESTAMP], fields(packet[TRACK_EVENT])
            track = event[EVENT_TRACK]
            if FLOW in event:
                sent[event[FLOW]] = (track, time)
            if LAST_FLOW in event:
                received[event[LAST_FLOW]] = (track, time)
            if event[EVENT_TYPE] == END:
                begin, name = open_slices[track].pop()
                self.slices.append((track, begin, time, name))
                continue
            name = event[EVENT_NAME].decode()
            if event[EVENT_TYPE] == BEGIN:
                open_slices.setdefault(track, []).append((time, name))
            else:
                self.slices.append((track, time, time, name))
        self.flows = sorted(((sent[one], received[one]) for one in sent
                             if one in received),
                            key=lambda flow: (flow[0][1], flow[1][1]))


def is_balanced(flows, trace):
    """Whether each process sends as many messages as it receives."""
    sent = sorted(trace.tracks[begin[0]] for begin, _ in flows)
    return sent == sorted(trace.tracks[end[0]] for _, end in flows) and \
        len({sent.count(one) for one in sent}) == 1


def cut(path, nr, title):
    """Prints the window of the messages that took the least time."""
    trace = Trace(path)
    windows = [trace.flows[i:i + nr] for i in range(len(trace.flows) - nr + 1)]
    span, flows = min(
        (max(end[1] for _, end in flows) - flows[0][0][1], flows)
        for flows in windows if is_balanced(flows, trace))
    begin = flows[0][0][1] - int(span * MARGIN)
    end = flows[0][0][1] + int(span * (1 + MARGIN))
    slices = [(track, max(start, begin), min(stop, end), name)
              for track, start, stop, name in trace.slices
              if stop >= begin and start <= end and
              not trace.tracks[track][1].endswith("receives")]
    used = sorted({one[0] for one in slices})
    print("# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause")
    print(f"# title: {title}")
    print(f"# length: {end - begin}")
    for number, track in enumerate(used):
        print("track", number, *trace.tracks[track], sep="\t")
    for track, start, stop, name in sorted(slices, key=lambda one: (
            one[0], one[1], -one[2], one[3])):
        print("slice", used.index(track), start - begin, stop - begin, name,
              sep="\t")
    for (left, start), (right, stop) in flows:
        print("flow", used.index(left), start - begin, used.index(right),
              stop - begin, sep="\t")


def read(path):
    notes, rows = {}, {"track": [], "slice": [], "flow": []}
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("# "):
                key, value = line[2:].split(": ", 1)
                notes[key] = value
            else:
                kind, *words = line.split("\t")
                rows[kind].append(words)
    return notes, rows


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" ' \
           f'text-anchor="{anchor}">{escape(words)}</text>'


class Picture:
    def __init__(self, notes, rows):
        self.notes, self.rows = notes, rows
        self.length = int(notes["length"])
        self.parts, self.y, self.heights = [], TOP, {}

    def x(self, time):
        return LEFT + (RIGHT - LEFT) * int(time) / self.length

    def draw_axis(self):
        step = next(one for one in (1000 * digit * 10 ** power
                                    for power in range(9)
                                    for digit in (1, 2, 5))
                    if one * 12 > self.length)
        for time in range(0, self.length, step):
            x = self.x(time)
            self.parts.append(f'<path class="grid" d="M{x:.1f} {TOP - 18}'
                              f'V{self.y}"/>')
            self.parts.append(text(x, TOP - 22, f"{time // 1000} us", "small",
                                   "middle"))

    def draw_slice(self, start, stop, name, kind):
        left, right = self.x(start), self.x(stop)
        if left == right:
            self.parts.append(f'<path class="instant" d="M{left:.1f} '
                              f'{self.y + 3}l3.5 5l-3.5 5l-3.5 -5z">'
                              f'<title>{escape(name)}</title></path>')
            return
        self.parts.append(f'<rect class="{kind}" x="{left:.1f}" '
                          f'y="{self.y + 2}" width="{max(right - left, 1):.1f}"'
                          f' height="{ROW - 4}" rx="2"><title>{escape(name)}, '
                          f'{int(stop) - int(start)} ns</title></rect>')
        if right - left > 6.2 * len(name):
            self.parts.append(text((left + right) / 2, self.y + 14, name,
                                   "on", "middle"))

    def draw_tracks(self):
        process = previous = None
        for number, (owner, name) in enumerate(
                words[1:] for words in self.rows["track"]):
            if owner != process:
                self.y += 8
                self.parts.append(text(14, self.y + 14, owner, "head"))
                self.y += ROW
            label = name if (owner, name) != (process, previous) else ""
            process, previous = owner, name
            self.parts.append(text(26, self.y + 14, label, "small"))
            kind = "ours" if name.startswith("QP ") else "other"
            for track, start, stop, what in self.rows["slice"]:
                if int(track) == number:
                    self.draw_slice(start, stop, what, kind)
            self.heights[number] = self.y + ROW / 2
            self.y += ROW

    def draw_flows(self):
        for left, start, right, stop in self.rows["flow"]:
            x, y = self.x(start), self.heights[int(left)]
            to_x, to_y = self.x(stop), self.heights[int(right)]
            middle = (x + to_x) / 2
            self.parts.append(
                f'<path class="flow" marker-end="url(#head)" d="M{x:.1f} '
                f'{y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} '
                f'{to_x - 4:.1f} {to_y:.1f}"/>')

    def svg(self):
        self.draw_tracks()
        tracks, self.parts = self.parts, []
        self.draw_axis()
        self.parts += tracks
        self.draw_flows()
        height = self.y + 16
        title = escape(self.notes["title"])
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>{title}</title>", "<style>" + STYLE.rstrip(),
            ".grid { stroke: #8c959f; stroke-width: 0.4 }",
            ".on { font-size: 11px; fill: #ffffff }",
            ".instant { fill: #bc4c00 }",
            ".flow { fill: none; stroke: #bc4c00; stroke-width: 1.3 }",
            "</style>",
            '<defs><marker id="head" markerWidth="7" markerHeight="6" refX="3"'
            ' refY="3" orient="auto"><path class="instant" '
            'd="M0 0L7 3L0 6z"/></marker></defs>',
            f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" '
            f'height="{height - 1}" rx="6"/>',
            text(14, 28, self.notes["title"], "title"), *self.parts,
            "</svg>", ""])


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "cut":
        cut(sys.argv[2], int(sys.argv[3]), sys.argv[4])
        return
    if sys.argv[1:] not in (["--all"], ["--check"]):
        sys.exit(__doc__)
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".tsv"):
            continue
        drawn = Picture(*read(os.path.join(HERE, name))).svg()
        path = os.path.join(HERE, name[:-3] + "svg")
        if sys.argv[1] == "--all":
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawn)
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != drawn:
                sys.exit(f"{path}: make it again with timeline.py --all")


if __name__ == "__main__":
    main()
