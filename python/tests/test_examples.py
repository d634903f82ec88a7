"""Every public name is on the page of the site, and its ``help()`` has an example that is right."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import sparrowhall

# Modules of users besides sparrowhall, and the package without which they cannot be imported.
MODULES = {
    "sparrowhall": "gymnasium",
    "sparrowhall.decoded": "gymnasium",
    "sparrowhall.flat": "gymnasium",
    "sparrowhall.sb3": "stable_baselines3",
    "sparrowhall.learn": "torch",
    "sparrowhall.adapters.dm_env": "dm_env",
    "sparrowhall.adapters.openspiel": "pyspiel",
    "sparrowhall.adapters.ray": "ray",
}


def public(name: str) -> dict[str, Any]:
    """Return the public classes and functions of a module by name, skipping if it lacks a package.

    Numbers, tuples and type aliases have the ``help()`` of their types.
    """
    pytest.importorskip(MODULES[name], reason=f"{MODULES[name]} is not installed")
    module = importlib.import_module(name)
    names = getattr(module, "__all__", None) or [
        n for n, o in vars(module).items() if n[0] != "_" and getattr(o, "__module__", None) == name
    ]
    found = {n: getattr(module, n) for n in names}
    return {n: o for n, o in found.items() if inspect.isclass(o) or inspect.isfunction(o)}


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_an_example(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is run; lines that need files or another machine are compiled alone."""
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for name, o in public(module).items():
        text = inspect.getdoc(o) or ""
        assert ">>>" in text, f"{module}.{name} has no example"
        test = doctest.DocTestParser().get_doctest(text, {}, f"{module}.{name}", None, 0)
        for example in test.examples:
            compile(example.source, f"{module}.{name}", "exec")
        printed: list[str] = []
        runner.run(test, out=printed.append)
        assert runner.failures == 0, "".join(printed)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_on_the_page(module: str) -> None:
    """The page of the site shows it or all of its module, or names it in its text."""
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    shown = re.findall(r"^::: (\S+)", page, re.MULTILINE)
    names = {s.rpartition(".")[2] for s in shown}
    for name, o in public(module).items():
        modules = {module, o.__module__} & set(shown)
        assert modules or {name, o.__name__} & names or f"`{module}.{name}`" in page, name


def test_a_wrong_example_is_found() -> None:
    assert {"make_vec", "League", "action_id"} <= set(public("sparrowhall"))
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner().run(test, out=lambda text: None).failed == 1
    assert sparrowhall.NUM_ACTIONS == 180
