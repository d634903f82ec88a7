"""Tests of the study, and of the page that study.py has made of a few matches.

    .ci/full study
"""

import math
import os
import re
import unittest
from pathlib import Path

import figures

PUBLISHED = Path(__file__).parents[2] / "docs"


def form(page):
    """What of a page is the same however many matches were played: the names of its tables with
    their heads and first columns. Rows of patterns by rank differ."""
    for name, text in re.findall(r"(?s)<!-- (table [a-z0-9_-]+|facts) -->\n(.*?)<!-- end -->", page):
        yield name
        for line in text.splitlines():
            if line.startswith("|"):
                yield line if line.startswith("| ruleset") else line.split(" | ")[0]


class Test(unittest.TestCase):
    def test_letters(self):
        for values, apart, want in (
            ([1, 2, 3], [], ["a", "a", "a"]),
            ([3, 1, 2], [(0, 1)], ["b", "a", "ab"]),
            ([1, 2, 3], [(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]),
        ):
            self.assertEqual(figures.letters(values, lambda i, j, apart=apart: (i, j) in apart), want)

    def test_text(self):
        for (x, n), want in {(-0.4, 0): "0", (-0.6, 0): "-1", (-0.004, 2): "0.00", (-10, 0): "-10"}.items():
            self.assertEqual(figures.fixed(x, n), want)
        self.assertEqual(figures.Estimate(0.1234, 0.01, 0.1, 0.15, 1, figures.SHARE).text(), "12.3% [10.0, 15.0]")
        self.assertEqual([figures.significant(x) for x in (0, 16, 1234.5, 0.01234)], ["0", "16", "1235", "0.0123"])

    def test_holm(self):
        list_ = [figures.Difference(d, 1) for d in (3, 0, 2)]
        figures.adjust(list_)
        p = [d.p for d in list_]
        for got, want in zip((d.adjusted for d in list_), (3 * p[0], 1, 2 * p[2])):
            self.assertTrue(math.isclose(got, want))

    def test_share(self):
        e = figures.around(0.1, math.sqrt(0.1 * 0.9 / 100), 10**9, 100, figures.SHARE)
        self.assertTrue(abs(e.low - 0.0490) < 5e-5 and abs(e.high - 0.1762) < 5e-5, e)

    def test_form(self):
        docs = Path(os.environ["DOCS"])
        page = (PUBLISHED / "research" / "study.md").read_text()
        self.assertEqual(list(form(page)), list(form((docs / "research" / "study.md").read_text())))
        for p in PUBLISHED.glob("study/*.png"):
            self.assertIn(f"](../study/{p.name})", page)
