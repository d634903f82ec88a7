"""Adds a page for each Go package to the site, made of its comments by tools/reference, and one of
the command line, made of the help of all verbs.

Adds the game that needs no server, and a replay, which the first page links to.

In the search, pages that few readers look for rank below the others, and the page that answers
a word is the first."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.parse

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

TOOLS = pathlib.Path(__file__).resolve().parents[1]


def pages():
    """Return the text of the pages by their names."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "-C", TOOLS, "run", "./reference", folder], check=True)
        return {p.name: p.read_text() for p in sorted(pathlib.Path(folder).iterdir())}


def build(folder):
    """Return the program, built in a folder."""
    program = pathlib.Path(folder) / "sparrowhall"
    subprocess.run(["go", "build", "-o", program, "./cmd/sparrowhall"], cwd=TOOLS.parent, check=True)
    return program


def commands(program, *words, above=None):
    """Return the help of a command and of all its verbs, a section each."""
    run = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True)
    if run.stdout == above:  # the word is in a list of the help, and no verb
        return ""
    text = f"## {' '.join(['sparrowhall', *words])}\n\n```text\n{run.stdout.strip()}\n```\n\n"
    for verb in re.findall(r"(?m)^  ([a-z][\w-]*) {2,}\S", run.stdout):
        text += commands(program, *words, verb, above=run.stdout)
    return text


def on_config(config):
    """List the pages in the menu."""
    config.go_pages = pages()
    with tempfile.TemporaryDirectory() as folder:
        config.command_line = "# Command line\n\n" + commands(build(folder))
    reference = next(part["Reference"] for part in config.nav if "Reference" in part)
    reference.append({"Command line": "command-line.md"})
    packages = [{name[:-3].replace("-", "/"): f"go/{name}"} for name in config.go_pages]
    reference.append({"Go packages": packages})
    return config


def on_files(files, config):
    """Add the pages to those of the folder."""
    for name, text in config.go_pages.items():
        files.append(File.generated(config, f"go/{name}", content=text))
    files.append(File.generated(config, "command-line.md", content=config.command_line))
    return files


# The weights of pages in the search by what their path begins with; that of others is 1.
BOOST = {
    "go/": 0.1,
    "research/": 0.2,
    "benchmarks": 0.3,
    "command-line": 0.3,
    "api": 0.3,
    "actions": 0.5,
    "leaderboard": 0.5,
    "observations": 0.5,
    "transcript": 0.5,
    "bots": 2,
    "rules/riichi": 9,
    "rulesets": 3,
    "table": 2,
}

# The words of a search that a page answers, though others have them more often.
ANSWERS = {
    "determinism.md": ["seed"],
    "glossary.md": ["furiten", "shanten"],
    "rule-writer.md": ["minimum"],
    "rules/hkos.md": ["flowers"],
    "rules/riichi.md": ["riichi", "uma"],
    "rulesets.md": ["riichi"],
    "training.md": ["network"],
    "review.md": ["replay"],
}


# What the first page offers, in the place of its mark. The links lead to files of on_post_build, which
# readers of the repository do not have.
PLAY = """<p class="play">
<a class="md-button md-button--primary" href="play/table.html#{hand}">Play a hand</a>
<a class="md-button" href="play/replay.html">Step through a replay</a>
<a class="md-button" href="play/index.html#score">Score a hand</a>
</p>""".format(hand=urllib.parse.urlencode({"rules": 'base = "ema_2016"\nmax_hands = 1\n', "coach": "expert"}))


def on_post_build(config):
    """Write the game beside the pages, with the replay of a match."""
    site = pathlib.Path(config.site_dir).resolve()
    with tempfile.TemporaryDirectory() as folder:
        program, matches, game = build(folder), pathlib.Path(folder) / "matches", pathlib.Path(folder) / "game"
        for words in (
            ["site", "play", "--out", game],
            ["play", "--agents", "expert,expert,expert,expert", "--matches", "1", "--seed", "5", "--out", matches, "--quiet"],
            ["replay", matches, "--match", "0", "--html", game / "replay.html"],
        ):
            subprocess.run([program, *words], cwd=TOOLS.parent, check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(game, site / "play", dirs_exist_ok=True)


def on_page_markdown(markdown, page, config, files):
    """Set the weight of a page in the search, and the words it answers; offer the game."""
    for path, boost in BOOST.items():
        if page.file.src_uri.startswith(path):
            page.meta["search"] = {"boost": boost}
    for word in ANSWERS.get(page.file.src_uri, []):
        if word not in markdown.lower():
            raise PluginError(f"{page.file.src_uri}: the search for {word} leads here, without it")
        page.meta.setdefault("tags", []).append(word)
    return markdown.replace("<!-- play -->", PLAY)
