"""Adds a page for each Go package to the site, made of its comments by tools/reference."""

import pathlib
import subprocess
import tempfile

from mkdocs.structure.files import File

TOOLS = pathlib.Path(__file__).resolve().parents[1]


def pages():
    """Return the text of the pages by their names."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "-C", TOOLS, "run", "./reference", folder], check=True)
        return {p.name: p.read_text() for p in sorted(pathlib.Path(folder).iterdir())}


def on_config(config):
    """List the pages in the menu."""
    config.go_pages = pages()
    reference = next(part["Reference"] for part in config.nav if "Reference" in part)
    packages = [{name[:-3].replace("-", "/"): f"go/{name}"} for name in config.go_pages]
    reference.append({"Go packages": packages})
    return config


def on_files(files, config):
    """Add the pages to those of the folder."""
    for name, text in config.go_pages.items():
        files.append(File.generated(config, f"go/{name}", content=text))
    return files
