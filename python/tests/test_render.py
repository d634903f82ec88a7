"""Tables as text and as pictures."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from conftest import seats_of

import sparrowhall


def play(env: Any, steps: int) -> None:
    obs, _ = env.reset(seed=2)
    for _ in range(steps):
        obs, _, terminated, truncated, _ = env.step(int(obs["action_mask"].argmax()))
        if terminated or truncated:
            obs, _ = env.reset()


def test_text(ruleset: str, client: sparrowhall.Client) -> None:
    env = sparrowhall.make(ruleset, render_mode="ansi", client=client)
    play(env, 30)
    text = env.render()
    assert text.startswith(ruleset)
    last = f"player +{seats_of(client, ruleset) - 1}"
    for word in ("you", last, "hand ", "shanten ", "legal "):
        assert word in text
    assert "{" not in text
    env.close()


def test_picture(ruleset: str, client: sparrowhall.Client) -> None:
    env = sparrowhall.make(ruleset, render_mode="rgb_array", client=client)
    play(env, 10)
    one = env.render()
    assert (one.shape, one.dtype) == ((720, 720, 3), np.uint8)
    assert len(np.unique(one.astype(np.uint32) @ [1 << 16, 1 << 8, 1])) > 20
    play(env, 30)
    assert (env.render() != one).any()
    png = env._repr_png_()
    assert png is not None
    assert png.startswith(b"\x89PNG")
    env.close()


def test_a_table_of_four_is_shown_too(client: sparrowhall.Client) -> None:
    aec = sparrowhall.env("mcr_2006", render_mode="ansi", client=client)
    aec.reset(seed=1)
    assert "mcr_2006" in aec.render()
    parallel = sparrowhall.parallel_env("mcr_2006", render_mode="rgb_array", client=client)
    parallel.reset(seed=1)
    assert parallel.render().shape == (720, 720, 3)


def test_window(client: sparrowhall.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = sparrowhall.make("ema_2016", render_mode="human", client=client)
    env.reset(seed=1)
    assert env.render() is None
    env.close()


def test_pictures_need_pillow(client: sparrowhall.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    env = sparrowhall.make("ema_2016", render_mode="rgb_array", client=client)
    env.reset(seed=1)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="sparrowhall\\[picture\\]"):
        env.render()
    assert env._repr_png_() is None
    env.close()
