"""Scores hands with the PyMahjongGB package.

Reads one hand a line, a JSON list of the arguments of MahjongFanCalculator, and
answers each with a JSON list of [points, count, name]. A last line gives the
seconds that the calls took.
"""

import json
import sys
import time

from MahjongGB import MahjongFanCalculator


def arguments(line):
    pack, hand, *rest = json.loads(line)
    return (tuple(tuple(p) for p in pack), tuple(hand), *rest, True)


hands = [arguments(line) for line in sys.stdin]
start = time.perf_counter()
answers = [MahjongFanCalculator(*hand) for hand in hands]
seconds = time.perf_counter() - start
for answer in answers:
    print(json.dumps([fan[:3] for fan in answer], ensure_ascii=False))
print(json.dumps(seconds))
