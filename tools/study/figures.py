"""Figures of reports of the program sparrowhall: pooled over seeds, tested together, as text."""

import json
import math
import os
import subprocess
from collections import namedtuple
from decimal import Decimal
from functools import cache

from scipy import stats

PROGRAM = os.environ.get("SPARROWHALL", "sparrowhall")
NORMAL = stats.norm.ppf(0.975)
SHARE, GAP, RANK, POINTS = "share", "difference of shares", "rank", "points"


# Numbers are written as by package internal/digits and internal/analysis/stats/text.go.


def places(err):
    if not 0 < err < math.inf:
        return 2
    size = math.floor(math.log10(err))
    return min(max(-size + (err < 3.55 * 10.0**size), 0), 6)


def fixed(x, n, sign=""):
    text = f"{x:{sign}.{n}f}"
    return text.lstrip("+-") if not text.strip("+-0.") else text


def significant(x):
    if x:
        scale = 10.0 ** min(max(0, 2 - math.floor(math.log10(abs(x)))), 12)
        x = math.copysign(math.floor(abs(x) * scale + 0.5) / scale, x)
    return format(Decimal(repr(float(x))).normalize() + 0, "f")


def scale(unit):
    return {SHARE: (100, "%"), GAP: (100, " pp")}.get(unit, (1, ""))


class Estimate(namedtuple("Estimate", "value error low high count unit", defaults=(1, GAP))):
    def text(self):
        k, sign = scale(self.unit)
        if not self.count:
            return "-"
        if self.low is None:
            return significant(k * self.value) + sign
        n = places(k * (self.error or (self.high - self.low) / 4))
        ends = f" [{fixed(k * self.low, n)}, {fixed(k * self.high, n)}]"
        return fixed(k * self.value, n) + sign + ends

    def rounded(self):
        k, sign = scale(self.unit)
        return fixed(k * self.value, places(k * self.error)) + sign


class Difference:
    """The difference of two estimates; Holm's method corrects p for others (adjust)."""

    def __init__(self, value, error):
        self.value, self.error = value, error
        self.p = self.adjusted = 2 * stats.norm.sf(abs(value) / error) if error > 0 else 1

    def clear(self):
        return bool(self.adjusted < 0.05)

    def text(self, unit):
        k, sign = scale(GAP if unit == SHARE else unit)
        n, half = places(k * self.error), NORMAL * self.error
        low, high = (fixed(k * x, n, "+") for x in (self.value - half, self.value + half))
        return fixed(k * self.value, n, "+") + sign + f" [{low}, {high}]" + " *" * self.clear()


def adjust(differences):
    least = 0
    for i, d in enumerate(sorted(differences, key=lambda d: d.p)):
        d.adjusted = least = max(least, min(1, d.p * (len(differences) - i)))


def around(value, error, clusters, count, unit):
    """An estimate with its interval: Clopper and Pearson's for a share, else the normal one."""
    low, high = value - NORMAL * error, value + NORMAL * error
    if unit == SHARE and error > 0:
        n = value * (1 - value) * (NORMAL / stats.t.ppf(0.975, clusters - 1) / error) ** 2
        low = stats.beta.ppf(0.025, value * n, (1 - value) * n + 1) if value > 0 else 0
        high = stats.beta.ppf(0.975, value * n + 1, (1 - value) * n) if value < 1 else 1
    return Estimate(value, error, low, high, count, unit)


def shown(e):
    """A figure that is the same in all matches has no interval."""
    return (e if e.error else e._replace(low=None)).text()


def subtract(a, b=None):
    return Difference(a.value - b.value, math.hypot(a.error, b.error)) if b else Difference(a.value, a.error)


# A series is the report of the same play for each seed.


@cache
def report(*dirs):
    r = json.loads(subprocess.run([PROGRAM, "report", "--json", *map(str, dirs)], check=True, stdout=subprocess.PIPE).stdout)
    key = lambda f: ".".join(filter(None, (f["section"], f["name"], f.get("of"))))
    for d in r["datasets"]:
        d["figures"] = {key(f): f for f in d["figures"]}
    r["comparisons"] = {(c["dataset"], key(c)): c for c in r.get("comparisons") or []}
    return r


def figure(s, i, key):
    found = [f for r in s if (f := r["datasets"][i]["figures"].get(key)) and f["count"]]
    if not found:
        return Estimate(0, 0, 0, 0, 0)
    count = sum(f["count"] for f in found)
    error = math.hypot(*(f["error"] * f["count"] for f in found)) / count
    clusters = sum(f["clusters"] for f in found)
    return around(sum(f["sum"] for f in found) / count, error, clusters, count, found[0]["unit"])


def difference(s, i, key):
    found = [c for r in s if (c := r["comparisons"].get((i, key))) and c["p"] is not None]
    if found:
        n = len(found)
        return Difference(sum(c["value"] for c in found) / n, math.hypot(*(c["error"] for c in found)) / n)


def heterogeneity(s, i, key):
    """The probability that the seeds differ as much by chance (Cochran's Q)."""
    found = [r["datasets"][i]["figures"].get(key) for r in s]
    if len(found) < 2 or not all(f and f["error"] for f in found):
        return None
    weights = [f["error"] ** -2 for f in found]
    mean = sum(w * f["value"] for w, f in zip(weights, found)) / sum(weights)
    return stats.chi2.sf(sum(w * (f["value"] - mean) ** 2 for w, f in zip(weights, found)), len(found) - 1)


def component(s, i=0, part="skill", by="skill_by_rank"):
    found = [r["datasets"][i][by][part] for r in s]
    n = len(found)
    error = math.hypot(*((c["high"] - c["low"]) / 4 / n for c in found))
    return around(sum(c["share"] for c in found) / n, error, n, 1, GAP)._replace(unit=SHARE)


def pair(s, i, a, b):
    """By how many ranks a is better than b, and how many matches show it."""
    found = [(1 if (p["a"], p["b"]) == (a, b) else -1, p) for r in s
             for p in r["datasets"][i]["skill_by_rank"]["pairs"] if {p["a"], p["b"]} == {a, b}]
    n = len(s)
    d = Difference(sum(k * p["difference"]["value"] for k, p in found) / n,
                   math.hypot(*(p["difference"]["error"] for _, p in found)) / n)
    deviation = sum(p["paired_deviation"] for _, p in found) / n
    # Two-sided at 5 % with a power of 80 %.
    needed = lambda x: f"{math.ceil(((1.959964 + 0.841621) * deviation / x) ** 2)}"
    least, most = abs(d.value) - 1.96 * d.error, abs(d.value) + 1.96 * d.error
    if least <= 0:
        return d, "at least " + needed(most)
    return d, f"{needed(d.value)} [{needed(most)}, {needed(least)}]"


def letters(values, differ):
    """Letters as in tables of experiments: two that share one are not shown to differ."""
    n = len(values)
    alike = lambda g: not any(differ(i, j) for j in g for i in g if i < j)
    groups = [g for m in range(1, 1 << n) if alike(g := frozenset(i for i in range(n) if m >> i & 1))]
    groups = [g for g in groups if not any(g < o for o in groups)]
    groups.sort(key=lambda g: (min(values[i] for i in g), sum(1 << i for i in g)))
    return ["".join(chr(ord("a") + k) for k, g in enumerate(groups) if i in g) for i in range(n)]
