"""Looks for texts that take more time than they are long.

Usage: growth.py SPARROWHALL [SAMPLE]. Gives the program texts of the kinds that parsers dislike:
records of all forms, rulesets, hands to score, seal files, keys, names on pages. SAMPLE is
a match in mjai's form. Prints the processor seconds of the slowest for sizes that double,
and fails if one of them takes more than its length explains: what is quadratic takes 64
times as long for eight times the length, where 24 are allowed.
"""

import gzip
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

SIZES = [1 << 17, 1 << 18, 1 << 19, 1 << 20]
ENOUGH = 0.5  # seconds below which nothing is told from starting the program
SHOWN = 12


def repeat(unit, before="", after=""):
    return lambda n: (before + unit * (n // len(unit)) + after).encode()


def lines(unit):
    """Lines that differ, each with its number for the %d in it."""
    return lambda n: "".join(unit % i for i in range(n // len(unit))).encode()


RECORDS = {
    "braces": repeat("{"),
    "brackets": repeat("["),
    "braces and brackets": repeat('{"a":['),
    "broken off": repeat('{"type":\n'),
    "broken off within arrays": repeat('{"log":[\n1,\n'),
    "quotes": repeat('"'),
    "a long string": repeat("x", '{"a":"', '"}'),
    "escapes": repeat("\\\\", '{"a":"', '"}'),
    "numbers": repeat("1,", '{"log":[', "1]}"),
    "digits": repeat("1", '{"defen":[', "]}"),
    "members": lines('"a%d":1,\n'),
    "commas": repeat(","),
    "blanks": repeat(" "),
    "lines": repeat("<a\n"),
    "words": repeat("Match 1\n"),
    "begun": repeat("<mjloggm "),
    "ended": repeat("</mjloggm>"),
    "tags": repeat("<T0/>", "<mjloggm>", "</mjloggm>"),
    "attributes": repeat('a="b" ', "<mjloggm ", "/>"),
    "links": repeat("https://tenhou.net/6/#json=%7B\n"),
    "starts": repeat('{"type":"start_game"}\n'),
    "events": repeat('{"type":"dora","dora_marker":"1m"}\n', '{"type":"start_game"}\n'),
    "ends": repeat('{"type":"end_game"}\n'),
}
RULESETS = {
    "tables": repeat("a.", 'base = "ema_2016"\n[', "a]"),
    "keys": lines("key%d = 1\n"),
    "nested arrays": repeat("[", "a = "),
    "nested tables": repeat("{a=", "a = "),
    "a long string": repeat("x", 'description = "', '"'),
}


NAMES = {"markup": repeat("</script><"), "controls": repeat("\\u001b[31m"), "accents": repeat("e\u0301")}


def cases(folder, sample):
    """Yields a name, the text by its size, and the commands that read it from FILE."""
    out = str(folder / "out")
    for form in ("tenhou", "mjai", "majiang", "botzone"):
        commands = [["import", form, "FILE", "--quiet", "--out", out]]
        for kind, text in RECORDS.items():
            yield f"import {form}: {kind}", text, commands
            yield f"import {form}: {kind}, packed", lambda n, text=text: gzip.compress(text(n), 1), commands
    for kind, text in RULESETS.items():
        yield f"ruleset: {kind}", text, [["rules", "check", "FILE"]]
    play = ["play", "--quiet", "--matches", "1", "--agents", "tsumogiri", "--out", out]
    for kind, text in RECORDS.items():
        yield f"score: {kind}", text, [["score", "FILE"]]
        yield f"seal file: {kind}", text, [[*play, "--sealed", "--seal-file", "FILE"]]
        yield f"key: {kind}", text, [[*play, "--sign", "FILE"]]
    for kind, text in NAMES.items():
        whole = lambda n, text=text: sample.replace(b'"names":["', b'"names":["' + text(n), 1)
        yield f"page: {kind}", whole, [
            ["import", "mjai", "FILE", "--quiet", "--out", out],
            ["replay", out, "--match", "0", "--html", str(folder / "out" / "page.html")],
        ]


def seconds(sparrowhall, folder, text, commands):
    file = folder / "text"
    file.write_bytes(text)
    file.chmod(0o600)
    shutil.rmtree(folder / "out", ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in commands:
        command = [str(file) if word == "FILE" else word for word in command]
        subprocess.run([sparrowhall, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(sparrowhall, sample="internal/record/testdata/sample.mjson"):
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        all = list(cases(folder, pathlib.Path(sample).read_bytes()))
        slow = [(seconds(sparrowhall, folder, text(SIZES[-1]), c), name, text, c) for name, text, c in all]
        slow.sort(key=lambda row: -row[0])
        print(f"{len(all)} kinds of text; seconds of the slowest by KB:", *(n >> 10 for n in SIZES))
        failed = 0
        for last, name, text, commands in slow[:SHOWN]:
            times = [seconds(sparrowhall, folder, text(n), commands) for n in SIZES[:-1]] + [last]
            bad = last > ENOUGH and last > 3 * SIZES[-1] / SIZES[0] * max(times[0], ENOUGH / 20)
            failed += bad
            print(*(f"{t:6.2f}" for t in times), name, "TOO SLOW" if bad else "")
        return failed > 0
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
