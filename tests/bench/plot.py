#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes plots of benchmark results, readable in light and dark mode.

plot.py RESULT.tsv PICTURE.svg   one result
plot.py --all                    results/*.tsv -> plots/*.svg
plot.py --check                  compare the plots with what --all would make

README.md describes the results. Lines of one quantity share a scale,
because they are compared. Results of two programs in many quantities
become one line each, and only the ratio is drawn.
"""
import os
import sys
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results")
PLOTS = os.path.join(HERE, "plots")
OURS = {"AnyVerbs", "uroce", "ring"}
MANY = 20  # quantities, above which only ratios are drawn

WIDTH = 800
LEFT = 230  # where bars begin
RIGHT = 590  # where the longest ends
LINE = 20  # from bar to bar
THIN = 15  # the same if there are many
TOP = 64

# The card has a background of its own, so that it does not depend on the
# page's background, nor on support for the second set of colours.
STYLE = """
.card { fill: #ffffff; stroke: #d0d7de }
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 }
.small { font-size: 11px; fill: #59636e }
.head { font-weight: 600 }
.ours { fill: #0969da }
.other { fill: #8c959f }
.yard { stroke: #1f2328; stroke-width: 2 }
.must { stroke: #bc4c00; stroke-width: 2; stroke-dasharray: 3 2 }
@media (prefers-color-scheme: dark) {
.card { fill: #0d1117; stroke: #3d444d }
text { fill: #f0f6fc }
.small { fill: #9198a1 }
.ours { fill: #4493f8 }
.other { fill: #656c76 }
.yard { stroke: #f0f6fc }
.must { stroke: #f0883e }
}
"""


class Bad(Exception):
    """A result that cannot be drawn."""


def number(text):
    return None if text in ("-", "", None) else float(text)


def read(path):
    """Return the comments, and the lines that have a value."""
    notes, lines = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("# ") and ": " in line:
                key, value = line[2:].split(": ", 1)
                notes[key] = value
            elif line and not line.startswith("#"):
                lines.append(line.split("\t"))
    if not lines or not {"quantity", "who", "value", "unit"} <= set(lines[0]):
        raise Bad(f"{path}: no columns quantity, who, value and unit")
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    for row in rows:
        for key in ("value", "yardstick", "ratio", "must"):
            row[key] = number(row.get(key))
    rows = [row for row in rows if row["value"] is not None]
    if not rows:
        raise Bad(f"{path}: no values")
    return notes, rows


def by_quantity(rows):
    """Return {quantity: its rows}, in the table's order of first
    appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(row["quantity"], []).append(row)
    return groups


def is_ours(row):
    who = row["who"]
    return who.split(",")[0] in OURS or who.endswith(" on uroce")


def short(value):
    """Format a number with three digits or more."""
    if value >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def text(x, y, words, kind="", anchor="start"):
    mark = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{mark} text-anchor="{anchor}">' \
           f'{escape(words)}</text>'


def bar(y, height, length, kind):
    return f'<rect class="{kind}" x="{LEFT}" y="{y}" rx="2" ' \
           f'width="{max(length, 1):.1f}" height="{height}"/>'


def mark(x, y, height, kind):
    return f'<path class="{kind}" d="M{x:.1f} {y}v{height}"/>'


def limit(row):
    """Return the required value; a yardstick multiplies the required ratio."""
    if row["must"] is None:
        return None
    return row["must"] * (1 if row["yardstick"] is None else row["yardstick"])


def label(row):
    words = f"{short(row['value'])} {row['unit']}"
    if row["ratio"] is not None:
        words += f" · {row['ratio']:.2f}"
    return words


def draw_bars(rows):
    """Return bars below the name of each quantity, and their height."""
    parts, y = [], TOP
    for quantity, group in by_quantity(rows).items():
        most = max(value for row in group for value in
                   (row["value"], row["yardstick"], limit(row)) if
                   value is not None) or 1
        scale = (RIGHT - LEFT) / most
        parts.append(text(16, y + 12, quantity, "head"))
        y += LINE
        for row in group:
            kind = "ours" if is_ours(row) else "other"
            parts.append(text(LEFT - 10, y + 12, row["who"], "", "end"))
            parts.append(bar(y + 2, LINE - 6, row["value"] * scale, kind))
            ends = [row["value"]]
            for value, line in ((row["yardstick"], "yard"),
                                (limit(row), "must")):
                if value is not None:
                    ends.append(value)
                    parts.append(mark(LEFT + value * scale, y, LINE - 2, line))
            parts.append(text(round(LEFT + max(ends) * scale + 8), y + 12,
                              label(row)))
            y += LINE
        y += 8
    legend = []
    if any(row["yardstick"] is not None for row in rows):
        legend.append("line: the yardstick of the same run, "
                      "to which the last number is the ratio")
    if any(row["must"] is not None for row in rows):
        legend.append("dashes: what was promised")
    return parts, y, "; ".join(legend)


def draw_ratios(rows):
    """Return a line for each quantity: the ratio of ours to the other's."""
    parts, y = [], TOP
    pairs = []
    for quantity, group in by_quantity(rows).items():
        values = {is_ours(row): row["value"] for row in group}
        if len(values) == 2 and values[False]:
            pairs.append((quantity, values[True], values[False]))
    most = max([1.0] + [ours / theirs for _, ours, theirs in pairs])
    scale = (RIGHT - LEFT) / most
    for quantity, ours, theirs in pairs:
        parts.append(text(LEFT - 10, y + 11, quantity, "small", "end"))
        parts.append(bar(y + 1, THIN - 3, ours / theirs * scale, "ours"))
        parts.append(text(RIGHT + 12, y + 11,
                          f"{short(ours)} of {short(theirs)}", "small"))
        y += THIN
    parts.append(mark(LEFT + scale, TOP - 4, y - TOP + 8, "yard"))
    unit, other = rows[0]["unit"], next(
        row["who"] for row in rows if not is_ours(row))
    return parts, y + 8, f"line: as many as {other} takes; numbers: {unit}"


def picture(path):
    """Return the SVG of a result."""
    notes, rows = read(path)
    draw = draw_ratios if len(by_quantity(rows)) > MANY and \
        len({row["who"] for row in rows}) == 2 else draw_bars
    parts, y, legend = draw(rows)
    title = notes.get("title", os.path.basename(path))
    foot = [line for line in (legend, notes.get("on"), notes.get("by")) if
            line]
    height = y + 16 * len(foot) + 12
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" '
        f'height="{height - 1}" rx="6"/>',
        text(16, 28, title, "title"),
        text(16, 46, notes.get("what", ""), "small"),
        *parts,
        *(text(16, y + 14 + 16 * i, line, "small")
          for i, line in enumerate(foot)),
        "</svg>", ""])


def both():
    """Return (result, picture) of each file."""
    for name in sorted(os.listdir(RESULTS)):
        if name.endswith(".tsv"):
            yield os.path.join(RESULTS, name), \
                os.path.join(PLOTS, name[:-4] + ".svg")


def write(path, words):
    with open(path, "w", encoding="utf-8") as file:
        file.write(words)


def check():
    """Return the differences to what --all would make."""
    expected = dict(both())
    if not expected:
        yield "no results"
    for result, plot in expected.items():
        if not os.path.exists(plot):
            yield f"{plot} is missing"
            continue
        with open(plot, encoding="utf-8") as file:
            if file.read() != picture(result):
                yield f"{plot} is not the plot of {result}"
    for name in sorted(os.listdir(PLOTS)):
        if os.path.join(PLOTS, name) not in expected.values():
            yield f"{name} is a plot without a result"


def main():
    if sys.argv[1:] == ["--all"]:
        for result, plot in both():
            write(plot, picture(result))
    elif sys.argv[1:] == ["--check"]:
        findings = list(check())
        print("\n".join(findings))
        sys.exit(1 if findings else 0)
    elif len(sys.argv) == 3:
        write(sys.argv[2], picture(sys.argv[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main()
    except Bad as bad:
        sys.exit(str(bad))
