from __future__ import annotations

import ast
import graphlib
import importlib
import importlib.util
import os
import pkgutil
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types(tmp_path: Path) -> None:
    """The package, and every piece of Python in its page, pass mypy --strict."""
    page = (ROOT.parent / "docs" / "python.md").read_text()
    pieces = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(pieces) >= 2
    if importlib.util.find_spec("torch") is None:
        # Its classes are of any type then, and nothing of such a type may be a base class.
        pieces = [piece for piece in pieces if "import torch" not in piece]
    for i, piece in enumerate(pieces):
        (tmp_path / f"piece{i}.py").write_text(piece)
    # One run for all: each would read numpy, gymnasium and the package anew.
    run("mypy", "src", "hatch_build.py", "wheels.py", str(tmp_path))


def test_style() -> None:
    run("ruff", "check")
    run("ruff", "format", "--check")


def test_dir_lists_all_names() -> None:
    import sparrowhall

    assert {"make", "make_vec", "env", "parallel_env", "League"} <= set(dir(sparrowhall))
    assert set(sparrowhall.__all__) <= set(dir(sparrowhall))


def test_the_reference_has_every_name() -> None:
    import sparrowhall

    page = (ROOT.parent / "docs" / "api.md").read_text()
    listed = re.findall(r"^::: (\S+)$", page, re.MULTILINE)
    names = {name.rpartition(".")[2] for name in listed}
    names |= set(re.findall(r"`sparrowhall\.(\w+)`", page))
    for module in ("actions", "errors"):  # whole
        assert f"sparrowhall.{module}" in listed
        names |= set(vars(importlib.import_module(f"sparrowhall.{module}")))
    assert set(sparrowhall.__all__) - names == set()
    modules = {m.name for m in pkgutil.iter_modules(sparrowhall.__path__) if m.name[0] != "_"}
    assert modules - {name.split(".")[1] for name in listed} == set()


def test_modules_import_each_other_in_one_direction() -> None:
    """Also where an import is for types alone or within a function."""
    source = ROOT / "src"
    files = {
        ".".join(f.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): f
        for f in source.rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for module, file in files.items():
        graph[module] = imported = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                imported |= {a.name for a in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = {f"{node.module}.{a.name}" for a in node.names}
                imported |= (names & set(files)) or {node.module}
        imported &= set(files)
    assert "sparrowhall.actions" in graph["sparrowhall.spec"]
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError with the circle


@pytest.mark.parametrize("package", ["sparrowhall", "sparrowhall.learn"])
def test_no_name_hides_a_module(package: str) -> None:
    if package == "sparrowhall.learn":
        pytest.importorskip("torch", reason="torch is not installed")
    module = importlib.import_module(package)
    modules = {m.name for m in pkgutil.iter_modules(module.__path__)}
    assert set(module.__all__) & modules == set()


def test_an_import_sets_nothing_for_the_whole_process() -> None:
    """Nor does playing within the process, but for what Gymnasium and PettingZoo set."""
    script = (
        "import gymnasium, os, pettingzoo, signal, sys, warnings\n"
        "import numpy as np\n"
        "def state():\n"
        "    handlers = {s: signal.getsignal(s) for s in signal.valid_signals()}\n"
        "    rest = sys.excepthook, sys.getswitchinterval(), sys.getrecursionlimit(), np.geterr()\n"
        "    return dict(os.environ), os.getcwd(), handlers, rest, list(warnings.filters)\n"
        "before = state()\n"
        "import sparrowhall, sparrowhall.decoded, sparrowhall.flat, sparrowhall.zoo\n"
        "assert state() == before, 'import'\n"
        "env = sparrowhall.make('zung_jung')\n"
        "env.reset(seed=1)\n"
        "env.close()\n"
        "assert state() == before, 'play'\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_client_needs_no_extras() -> None:
    script = (
        "import sys; sys.modules.update(gymnasium=None, pettingzoo=None)\n"
        "import sparrowhall\n"
        "assert sparrowhall.connect\n"
        "try: sparrowhall.make_vec\n"
        'except ImportError as e: assert "sparrowhall[gymnasium]" in str(e), e\n'
        "else: raise SystemExit('no error')\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("compiler", [0, 1])
def test_building_a_wheel_shows_progress(tmp_path: Path, compiler: int) -> None:
    """Go compiles for minutes where its build cache is empty.

    With a C compiler the wheel has the library, and the tag of the newest C library that this
    needs; without one a warning says so.
    """
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = env ] && echo linux amd64 {compiler} && exit\n'
        'for arg; do [ "$arg" = -v ] && echo compiled/package >&2; [ "$last" = -o ] &&'
        r""" printf 'a\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.32\0' >"$arg";"""
        " last=$arg; done\n"
    )
    go.chmod(0o755)
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{go.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    printed = built.stdout + built.stderr
    assert printed.index("compiling the Go program") < printed.index("compiled/package")
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert ("sparrowhall/libsparrowhall.so" in names) == bool(compiler)
    assert ("no C compiler for manylinux" in printed) != bool(compiler)
    tag = "-manylinux_2_34_x86_64" if compiler else "-manylinux2014_x86_64.musllinux_1_1_x86_64"
    assert wheel.stem.endswith(tag)


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("sparrowhall.learn", "safetensors", "torch"),
        ("sparrowhall.sb3", "stable_baselines3", "sb3"),
        ("sparrowhall.adapters.dm_env", "dm_env", "dm-env"),
        ("sparrowhall.adapters.openspiel", "pyspiel", "openspiel"),
        ("sparrowhall.adapters.ray", "ray", "ray"),
    ],
)
def test_what_is_not_installed_is_named(module: str, missing: str, extra: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"needs {missing}: pip install 'sparrowhall[{extra}]'" in done.stderr
