#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Draws the slowdown of flows by scenario: plot_slowdown.py TABLES PICTURE.svg

TABLES is a file with tables of net_sim, each below a line "# name of the
variant". A bar ends at the 99th percentile, the line in it is the median. Rows
of flows beside those of a scenario are left out.
"""
import math
import os
import sys
from html import escape

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "bench"))
# pylint: disable=wrong-import-position
from plot import STYLE  # noqa: E402

WIDTH, LEFT, RIGHT = 800, 270, 640
LINE, TOP = 20, 92
DECADES = 4


def read(path):
    """{scenario: [(variant, median, 99th percentile)]}"""
    variant, rows = "", {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if line.startswith("# "):
                variant = line[2:].strip()
            elif words and words[0] not in ("scenario", "beside"):
                rows.setdefault(words[0], []).append(
                    (variant, float(words[3]), float(words[5])))
    return rows


def position(slowdown):
    return LEFT + (RIGHT - LEFT) * math.log10(max(slowdown, 1)) / DECADES


def text(x, y, words, kind="", anchor="start"):
    mark = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y}"{mark} text-anchor="{anchor}">' \
           f'{escape(words)}</text>'


def draw(rows):
    y, lines = TOP, []
    for scenario, variants in rows.items():
        lines.append(text(16, y + 12, scenario, "head"))
        for number, (variant, median, most) in enumerate(variants):
            kind = "other" if number else "ours"
            end = max(position(most) - LEFT, 1)
            lines += [
                text(LEFT - 8, y + 12, variant, "small", "end"),
                f'<rect class="{kind}" x="{LEFT}" y="{y}" rx="2" '
                f'width="{end:.1f}" height="{LINE - 6}"/>',
                f'<path class="yard" d="M{position(median):.1f} {y}'
                f'v{LINE - 6}"/>',
                text(RIGHT + 8, y + 12, f"{median:.2f} / {most:.2f}"),
            ]
            y += LINE
        y += 10
    axis = [text(position(10 ** i), TOP - 10, str(10 ** i), "small", "middle")
            for i in range(DECADES + 1)]
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
        f'{y + 10}" width="{WIDTH}" height="{y + 10}">',
        f"<style>{STYLE}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" '
        f'height="{y + 9}" rx="6"/>',
        text(16, 28, "Slowdown of flows in simulated networks", "title"),
        text(16, 48, "time of a flow / time in an empty network, logarithmic; "
             "bar: 99th percentile, line: median", "small"),
        *axis, *lines, "</svg>",
    ]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(draw(read(sys.argv[1]))) + "\n")


main()
