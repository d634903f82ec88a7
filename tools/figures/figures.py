#!/usr/bin/env python3
"""Draws the charts of speed and of learning from the tables of the documentation.

Usage: figures.py [--check]. Writes docs/img/speed.svg and docs/img/learning.svg, or with --check
fails where they are not what the tables say. The tables have the commands that measure.
"""

import math
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
WIDTH = 480
COLORS = ["#00796b", "#b25d00", "#5e35b1", "#c2185b"]


def rows(page, heading):
    """Return the cells of the first table below a line that begins with a text."""
    lines = (DOCS / page).read_text().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(heading))
    found = []
    for line in lines[start + 1 :]:
        if line.startswith("|"):
            found.append([cell.strip() for cell in line.strip("|").split("|")])
        elif found:
            return found[2:]  # after the head and its rule
    return found[2:]


def text(x, y, words, anchor="start", color="#222", size=14):
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}" fill="{color}">{words}</text>'


def line(x1, y1, x2, y2, color, width=1):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{color}" stroke-width="{width}"/>'


def picture(height, title, parts):
    """Return a picture with a background of its own, which reads on dark pages too."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" role="img">'
    return "\n".join([head, f"<title>{title}</title>", '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>\n"])


def speed():
    """Return bars of hands of riichi a second, on a logarithmic axis."""
    bars = []
    for _, engine, rate, _ in rows("benchmarks.md", "`python benchmarks/engines.py")[:3]:
        bars.append((re.split(", | \\(", engine)[0], float(rate.replace(",", ""))))
    title = "Hands of riichi a second: " + ", ".join(f"{name} {rate:,.0f}" for name, rate in bars)
    parts = [text(12, 24, "Hands of riichi a second", size=16), text(12, 44, "four players, any legal answer, one core; logarithmic", color="#555")]
    for i, (name, rate) in enumerate(bars):
        y, length = 60 + 36 * i, 220 * math.log10(rate / 10) / math.log10(6000)
        parts.append(text(138, y + 18, name, "end"))
        parts.append(f'<rect x="146" y="{y}" width="{length:.1f}" height="26" fill="{COLORS[i > 0]}"/>')
        parts.append(text(152 + length, y + 18, f"{rate:,.0f}"))
    return picture(60 + 36 * len(bars) + 4, title, parts)


def learning():
    """Return the points of four runs of ppo after minutes of CPU time, on a logarithmic axis."""
    table = rows("research/training.md", "### An hour of learning")
    left, right, top, bottom = 56, WIDTH - 14, 64, 304
    most, least = 260, -235

    def x(minutes):
        return left + 8 + (right - left - 16) * math.log(minutes / 0.9) / math.log(60 / 0.9)

    def y(share):
        return top + (bottom - top) * (most - share) / (most - least)

    parts = [text(12, 24, "From raw tiles: points against three greedy", size=16)]
    for share in range(-200, 201, 100):
        parts.append(line(left, y(share), right, y(share), "#222" if share in (0, 100) else "#ddd"))
        parts.append(text(left - 6, y(share) + 5, {0: "greedy", 100: "value"}.get(share, f"{share} %"), "end", "#555", 12))
    times = [int(re.search(r"\d+", r[0])[0]) for r in table]  # at the end that of the first run
    for minutes in times:
        parts.append(text(x(minutes), bottom + 18, minutes, "middle", "#555"))
    parts.append(text((left + right) / 2, bottom + 36, "minutes of CPU time; bars are 95 % intervals", "middle", "#555"))
    # The points of greedy and value in the same seat.
    runs = ("EMA 2016", 30000, 33177), ("Zung Jung", 0, 46.8), ("Hong Kong", 0, 238), ("MCR", 0, 52)
    for k, (name, least_points, most_points) in enumerate(runs):
        color = COLORS[k]
        parts.append(text(12 + 96 * k, 46, "● " + name, color=color))
        shift, curve = 3 * k - 4.5, []
        for minutes, r in zip(times, table, strict=True):
            points = [float(n.replace(",", "")) for n in re.findall(r"-?\d[\d,]*\b(?:\.\d+)?", r[1 + k])]
            curve.append((x(minutes) + shift, *(y(100 * (p - least_points) / (most_points - least_points)) for p in points)))
        line_points = " ".join(f"{c[0]:.1f},{c[1]:.1f}" for c in curve)
        parts.append(f'<polyline points="{line_points}" fill="none" stroke="{color}" stroke-width="2"/>')
        for at_x, mean, low, high in curve:
            parts.append(line(at_x, low, at_x, high, color, 1.5))
            parts.append(f'<circle cx="{at_x:.1f}" cy="{mean:.1f}" r="3.5" fill="{color}"/>')
    return picture(bottom + 46, "Points of four runs of ppo from random weights over minutes of CPU time", parts)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    for name, draw in {"speed": speed, "learning": learning}.items():
        path = DOCS / "img" / f"{name}.svg"
        if not sys.argv[1:]:
            path.write_text(draw())
        elif path.read_text() != draw():
            sys.exit(f"{path} is not what the tables say; run tools/figures/figures.py")


main()
