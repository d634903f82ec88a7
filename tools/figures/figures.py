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
COLORS = ["#00796b", "#b25d00", "#2a7d2a"]


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
    """Return the points of three runs of ppo over the decisions that they have learned from."""
    runs = [rows("research/training.md", start) for start in ("`ppo --ruleset zung_jung --width 64", "`ppo --ruleset zung_jung --reward luck_adjusted --decisions 16", "`ppo --ruleset zung_jung --reward luck_adjusted --decisions 48")]
    curves = []
    for run in runs:
        curves.append([(float(r[1]), *map(float, re.findall(r"-?\d+\.\d", r[2].replace("−", "-")))) for r in run])
    left, right, top, bottom = 48, WIDTH - 12, 84, 254

    def x(decisions):
        return left + (right - left) * decisions / 50

    def y(points):
        return top + (bottom - top) * (30 - points) / 70

    parts = [text(12, 24, "Points a match against three greedy, Zung Jung", size=16)]
    for points in (-40, -30, -20, -10, 0, 10, 20, 30):
        parts.append(line(left, y(points), right, y(points), "#222" if points == 0 else "#ddd"))
        parts.append(text(left - 6, y(points) + 5, points, "end", "#555"))
    for decisions in (0, 10, 20, 30, 40, 50):
        parts.append(text(x(decisions), bottom + 18, decisions, "middle", "#555"))
    parts.append(text((left + right) / 2, bottom + 36, "millions of decisions; bars are 95 % intervals", "middle", "#555"))
    for name, curve, color, at, shift in zip(("small network", "usual network, reward luck_adjusted", "the same, a longer run"), curves, COLORS, ((12, 46), (140, 46), (12, 66)), (-1, 1, 0)):
        parts.append(text(*at, "● " + name, color=color))
        points = " ".join(f"{x(c[0]) + shift:.1f},{y(c[1]):.1f}" for c in curve)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        for decisions, mean, low, high in curve:
            parts.append(line(x(decisions) + shift, y(low), x(decisions) + shift, y(high), color, 1.5))
            parts.append(f'<circle cx="{x(decisions) + shift:.1f}" cy="{y(mean):.1f}" r="3.5" fill="{color}"/>')
    return picture(bottom + 46, "Points of three runs of ppo from random weights over decisions learned from", parts)


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
