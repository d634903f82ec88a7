#!/usr/bin/env python3
"""Runs what the pages of the documentation show, and compares what it prints.

Usage: docs.py [--words] PAGE.... Each page is run in a copy of this checkout of its own,
in the order of its blocks; .ci/full.d/docs sets up the programs.

- A block of Python is run. What `print(...)  # text` shows in a comment has to be printed.
- A block of Go without `package` is run as the body of a main function.
- A block of TOML is checked as a ruleset file. Blocks of SQL are left to .ci/full questions.
- A block that begins with a command is run by bash. Lines below `$ command` are its output.
- Another block without a language is the output of a command of the page above it.

Output shown is output printed, where a line `...` stands for any lines and `...` in a line
for any text. Durations, rates, ports, versions and run-dependent addresses may differ.
Comments before a block change this; readers do not see them:

    <!-- run: no, REASON -->           it is not run; the summary counts it
    <!-- run: file NAME -->            it is the text of that file
    <!-- run: before COMMAND -->       this command is run first
    <!-- run: needs NAME -->           it is not run without this program or Python module
    <!-- run: until TEXT -->           a command that prints this and goes on is interrupted
    <!-- run: status N -->             the last command fails with this status
    <!-- run: with A for B, REASON --> B is replaced by A, and output is not compared

What `export` sets in a page holds for the rest of it.

Every `--flag` of a `sparrowhall VERB` in the text has to be in the help of that verb. The
blocks of a translation have to be those of the English page; they are not run again.
"""

import difflib
import fnmatch
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIMIT = 900  # seconds for a block
WORDS = 29_514  # for users, at most: it only falls
COMMAND = re.compile(
    r"(?:[A-Z_]+=\S+ )*(?:sparrowhall|go|pip|python3?|openssl|export|\.ci/\S+|tools/\S+)(?: |$)"
)
WORD = re.compile(r"[^\W_]\S*")
MARK = re.compile(r"<!-- run: (.*?) -->")
TOLERATED = [
    (re.compile(r"\b\d+(\.\d+)? ?(ns|µs|ms|s|min|seconds?|minutes?)\b(?! of)"), "TIME"),
    (re.compile(r"\b[\d,.]+ (matches|hands|decisions)(/s|/min| a second| per second)"), "RATE"),
    (re.compile(r"\b(127\.0\.0\.1|localhost|\[::1\]):\d+"), "HOST"),
    (re.compile(r"\bsparrowhall \d+\.\d+\.\d+\S*"), "sparrowhall VERSION"),
]


class Block:
    """A fenced block of a page, with the comments before it."""

    def __init__(self, page, line, language, text, marks):
        self.page, self.line, self.language, self.text = page, line, language, text
        self.marks = marks

    def mark(self, name):
        """Return what the comment `run: name ...` says, or None."""
        for m in self.marks:
            word, _, rest = m.partition(" ")
            if word.rstrip(",") == name:
                return rest
        return None

    def where(self):
        return f"{self.page}:{self.line}"


def blocks(page):
    """Return the blocks of a page."""
    found, marks, lines = [], [], (ROOT / page).read_text().split("\n")
    i = 0
    while i < len(lines):
        line = lines[i].strip()
        if m := MARK.fullmatch(line):
            marks.append(m[1])
        elif line.startswith("```"):
            indent = len(lines[i]) - len(lines[i].lstrip())
            end = i + 1
            while lines[end].strip() != "```":
                end += 1
            text = "\n".join(s[indent:] for s in lines[i + 1 : end]) + "\n"
            found.append(Block(page, i + 1, line[3:].strip(), text, marks))
            i, marks = end, []
        elif line and not line.startswith("<!--"):
            marks = []
        i += 1
    return found


def plain(line):
    """Return a line without what may differ from run to run."""
    for pattern, word in TOLERATED:
        line = pattern.sub(word, line)
    return re.sub(r"\s+", " ", line).strip()


def glob(line):
    """Return a pattern of fnmatch for a line that is shown."""
    return re.sub(r"([\[*?])", r"[\1]", plain(line)).replace("...", "*")


def shows(shown, printed):
    """Report whether the lines shown are those printed, but for what `...` leaves out."""
    want = [glob(s) for s in shown.strip("\n").split("\n")]
    printed = re.sub(r"\nPlayed [\d,]+ matches in .*\n", "\n", printed)  # how fast it was
    got = [plain(s) for s in printed.strip("\n").split("\n")]

    def follows(i, j):
        while i < len(want) and want[i] != "*":
            if j >= len(got) or not fnmatch.fnmatchcase(got[j], want[i]):
                return False
            i, j = i + 1, j + 1
        if i == len(want):
            return j == len(got)
        return any(follows(i + 1, k) for k in range(j, len(got) + 1))

    return follows(0, 0)


class Failure(Exception):
    """Something of a block is not as the page shows it."""


def execute(argv, folder, until=None):
    """Return what a program prints, standard output and all of it, and its exit status."""
    with tempfile.TemporaryFile("w+") as out, tempfile.NamedTemporaryFile("w+") as both:
        # Standard output goes to its own file as well, in the order of what is printed.
        script = f"{{ {{ {argv}\n}} 2>&3 | tee -a /dev/fd/3; exit ${{PIPESTATUS[0]}}; }} 3>>{both.name}"
        process = subprocess.Popen(
            ["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT, start_new_session=True, env=os.environ | {"HOME": str(folder)},
        )
        end, interrupted = time.monotonic() + LIMIT, False
        while process.poll() is None:
            both.seek(0)
            if until and not interrupted and until in both.read():
                time.sleep(2)
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGINT)
                    interrupted = True
            if time.monotonic() > end:
                os.killpg(process.pid, signal.SIGKILL)
                raise Failure(f"takes more than {LIMIT} s: {argv}")
            time.sleep(0.05)
        out.seek(0)
        both.seek(0)
        return out.read(), both.read(), 0 if interrupted else process.returncode


def sessions(text):
    """Return the commands of a block with the output shown below each, or None."""
    found, lines = [], text.rstrip("\n").split("\n")
    if any(s.startswith("$ ") for s in lines):
        for s in lines:
            if s.startswith("$ "):
                found.append([s[2:], []])
            elif found and found[-1][0].endswith("\\"):
                found[-1][0] += "\n" + s
            else:
                found[-1][1].append(s)
        return [(c, "\n".join(o)) for c, o in found]
    while lines:
        s = lines.pop(0)
        while s.endswith("\\"):
            s += "\n" + lines.pop(0)
        if s.strip() and not s.lstrip().startswith("#"):
            found.append((s, ""))
    return found


def go_program(text):
    """Return a program for a piece of Go that stands in a function."""
    if text.startswith("package "):
        return text
    packages = subprocess.run(
        ["go", "list", "std", "./..."], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    of_name = {}
    for path in packages:
        if "internal" not in path:
            of_name.setdefault(path.rpartition("/")[2], path)
    names = sorted(set(re.findall(r"\b([a-z]\w*)\.[A-Z]", text)) & set(of_name))
    imports = "".join(f'\t"{of_name[n]}"\n' for n in names)
    return f"package main\n\nimport (\n{imports})\n\nfunc main() {{\n{text}}}\n"


class Page:
    """The run of a page."""

    def __init__(self, page, clone):
        self.page, self.folder = page, clone
        self.printed = []  # what each command printed, standard output and all of it
        self.counts = dict.fromkeys(("run", "compared", "smaller", "output", "file"), 0)
        self.left, self.exports = [], ""

    def compare(self, block, shown, printed, command):
        if any(shows(shown, p) for p in printed):
            self.counts["compared"] += 1
            return
        diff = difflib.unified_diff(
            shown.strip("\n").split("\n"), printed[0].strip("\n").split("\n"), "shown", "printed", n=1, lineterm=""
        )
        raise Failure(f"{command}\nprints something else:\n" + "\n".join(list(diff)[:80]))

    def shell(self, block, commands, compare=True):
        status = int(block.mark("status") or 0)
        until = block.mark("until")
        for i, (command, shown) in enumerate(commands):
            if command.startswith("export "):
                self.exports += command + "\n"
            out, both, rc = execute(self.exports + command, self.folder, until)
            want = status if i == len(commands) - 1 else 0
            if rc != want:
                raise Failure(f"{command}\nexits with status {rc} instead of {want}:\n{both[-3000:]}")
            if "does not provide the extra" in both:
                raise Failure(f"{command}\n{both}")
            self.printed.append((out, both))
            if shown and compare:
                self.compare(block, shown, (out, both), command)

    def python(self, block, text):
        (self.folder / "block.py").write_text(text)
        self.shell(block, [("python block.py", "")])
        shown = re.findall(r"^ *print\(.*\)  # (.*)$", text, re.M)
        if shown and len(shown) == len(re.findall(r"^ *print\(", text, re.M)):
            self.compare(block, "\n".join(shown), self.printed[-1], text)

    def run(self, block):
        if (reason := block.mark("no")) is not None:
            self.left.append((block, reason))
            return
        if block.language == "sql":
            self.left.append((block, ".ci/full questions runs it"))
            return
        if (needed := block.mark("needs")) and not (
            shutil.which(needed) or importlib.util.find_spec(needed)
        ):
            self.left.append((block, f"{needed} is not installed"))
            return
        if before := block.mark("before"):
            self.shell(Block(block.page, block.line, "", "", []), [(before, "")])
        if name := block.mark("file"):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
            self.counts["file"] += 1
            if block.language != "toml":
                return
            block.text = name
        text = block.text
        smaller = [m.removeprefix("with ") for m in block.marks if m.startswith("with ")]
        for change in smaller:
            new, _, old = change.partition(", ")[0].partition(" for ")
            if old not in text:
                raise Failure(f"{old!r} is not in the block")
            text = text.replace(old, new)
        self.counts["smaller"] += bool(smaller)
        if block.language == "python":
            self.python(block, text)
        elif block.language == "go":
            folder = self.folder / "block"
            folder.mkdir(exist_ok=True)
            (folder / "main.go").write_text(go_program(text))
            self.shell(block, [("go run ./block", "")])
            if shown := re.findall(r"^\s*fmt\.Println\(.*\) // (.*)$", text, re.M):
                self.compare(block, "\n".join(shown), self.printed[-1], text)
        elif block.language == "toml":
            if not block.mark("file"):
                (self.folder / "block.toml").write_text(text)
                text = "block.toml"
            self.shell(block, [(f"sparrowhall rules check {shlex.quote(text)}", "")])
        elif block.language in ("", "sh"):
            commands = [(text, "")] if block.language == "sh" else sessions(text)
            if text.startswith("$ ") or COMMAND.match(commands[0][0]) or block.language == "sh":
                self.shell(block, commands, compare=not smaller)
            else:
                if not self.printed:
                    raise Failure("the block is no command, and none stands above it")
                for p in reversed(self.printed):
                    if shows(block.text, p[0]) or shows(block.text, p[1]):
                        self.counts["compared"] += 1
                        break
                else:
                    self.compare(block, block.text, self.printed[-1], "no command above")
                self.counts["output"] += 1
                return
        else:
            raise Failure(f"blocks of {block.language} cannot be run; say why in a comment")
        self.counts["run"] += 1


def flags(page, helps):
    """Return what is wrong with commands in the text of a page."""
    text = re.sub(r"(?ms)^ *```.*?^ *```", "", (ROOT / page).read_text())
    wrong = []
    for command in re.findall(r"`(sparrowhall [^`]*)`", text):
        words = re.findall(r"\S+", re.sub(r"\"[^\"]*\"|'[^']*'", "X", command))[1:]
        verbs = []
        while words and re.fullmatch(r"[a-z][a-z-]*", words[0]) and len(verbs) < 2:
            verbs.append(words.pop(0))
        while True:
            key = " ".join(verbs)
            if key not in helps:
                p = subprocess.run(
                    ["sparrowhall", *verbs, "--help"], capture_output=True, text=True, check=False
                )
                helps[key] = p.stdout if p.returncode == 0 else None
            if helps[key] is not None or not verbs:
                break
            verbs.pop()
        if not verbs and command.split()[1:2] and command.split()[1][0].islower():
            wrong.append(f"{page}: no verb: {command}")
        for w in words:
            flag = w.split("=")[0]
            if flag.startswith("--") and not re.search(rf"{re.escape(flag)}\b", helps[key] or ""):
                wrong.append(f"{page}: {' '.join(verbs)} has no {flag}: {command}")
    return wrong


def copy(folder):
    """Copy the files of this checkout to a folder, and return it."""
    folder.mkdir()
    names = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    tar = ["tar", "-c", "--null", "--ignore-failed-read", "-T", "-"]
    with subprocess.Popen(tar, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as p:
        with subprocess.Popen(["tar", "-x", "-C", folder], stdin=p.stdout):
            p.stdin.write(names)
            p.stdin.close()
    return folder


def english(page):
    """Return the page of which a page is a translation, or None."""
    if ".zh-Hant" in page:
        return page.replace(".zh-Hant", "")
    if "docs/zh-Hant/" in page:
        return page.replace("docs/zh-Hant/", "docs/")
    return None


def words():
    """Print the words of each page for users, and fail above the limit.

    All pages but rule texts, research reports, translations and reference that is generated.
    Blocks, generated tables, comments and targets of links are left out. The last line also
    has the words with blocks.
    """
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "python/README.md")]
    pages += sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs/contributing").glob("*.md"))
    total = blocks_too = 0
    for page in pages:
        if page.name in ("knobs.md", "patterns.md") or english(str(page.relative_to(ROOT))):
            continue
        text = page.read_text()
        text = re.sub(r"(?s)<!-- [^\n]*\b(generated|conformance)\b[^\n]* -->.*?<!-- (conformance )?end -->", "", text)
        text = re.sub(r"<!-- columns( of \w+)? -->\n\n(\|.*\n)+", "", text)
        if page.name == "leaderboard.md":
            text = re.sub(r"(?m)^\|.*\n", "", text)
        text = re.sub(r"(?s)<!--.*?-->", "", text)
        text = re.sub(r"\]\([^)]*\)", "]", text).replace("|", " ")
        blocks_too += len(WORD.findall(text))
        n = len(WORD.findall(re.sub(r"(?ms)^ *```.*?^ *```", "", text)))
        total += n
        print(f"{n:6d} {page.relative_to(ROOT)}")
    print(f"{total:6d} words for users, {WORDS:,} at most; {blocks_too} with blocks")
    return total <= WORDS


def main():
    if sys.argv[1:] == ["--words"]:
        sys.exit(not words())
    if "--help" in sys.argv[1:]:
        print(__doc__)
        return
    # A shell starts what is in the background with interrupts ignored, which children inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    helps, failed, total = {}, 0, {}
    left = []
    for page in sys.argv[1:]:
        start = time.monotonic()
        problems = flags(page, helps)
        found = blocks(page)
        if original := english(page):
            if [b.text for b in found] != [b.text for b in blocks(original)]:
                problems.append(f"{page}: the blocks are not those of {original}")
            print(f"{page}: {len(found)} blocks as in {original}")
            found = []
        if found:
            with tempfile.TemporaryDirectory() as folder:
                clone = copy(pathlib.Path(folder) / "sparrowhall")
                run = Page(page, clone)
                for b in found:
                    try:
                        run.run(b)
                    except Failure as e:
                        problems.append(f"{b.where()}: {e}")
                left += run.left
                for name, n in run.counts.items():
                    total[name] = total.get(name, 0) + n
                what = ", ".join(f"{n} {name}" for name, n in run.counts.items() if n)
                print(f"{page}: {len(found)} blocks: {what or 'nothing'}, {len(run.left)} not run, {time.monotonic() - start:.0f} s")
        for p in problems:
            print(p)
        sys.stdout.flush()
        failed += len(problems)
    print("\nnot run:")
    for b, reason in left:
        print(f"  {b.where()}: {reason}")
    print(
        f"{total.get('run', 0)} blocks run, of these {total.get('smaller', 0)} with smaller numbers; "
        f"{total.get('compared', 0)} outputs compared; {total.get('file', 0)} files; "
        f"{len(left)} blocks not run; {failed} failures"
    )
    sys.exit(failed > 0)


main()
