"""Tables as text and as pictures."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator
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


def request(page: str, path: str) -> Any:
    address, _, key = page.partition("#")
    headers = {"Authorization": f"Bearer {key}"}
    return urllib.request.urlopen(urllib.request.Request(address + path, headers=headers))


def messages(page: str, path: str) -> Iterator[tuple[str, Any]]:
    """The messages of a page, with the newest table of this process."""
    with request(page, path) as response:
        for line in response:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                kind = value
            elif field == "data":
                yield kind, json.loads(value)


def hands(position: Any) -> set[int]:
    """The concealed tiles of a position, where 255 is one that is hidden."""
    return {tile for player in position["state"]["players"] for tile in player["tiles"]}


def test_browser() -> None:
    env = sparrowhall.make("ema_2016", render_mode="browser")
    observation, _ = env.reset(seed=1)
    page = env.render()
    assert page == env.render()
    with request(page, "game.json") as response:
        (room,) = json.load(response)["watch"]["rooms"]
    assert (room["ruleset"], room["tables"]) == ("ema_2016", 1)
    seen = messages(page, "events")
    kind, position = next(seen)
    assert kind == "position"
    assert hands(position) == {255}
    assert "external" in position["names"]
    for kind, position in messages(page, "events?all=1"):
        assert kind == "position"
        assert len(hands(position)) > 10
        break
    env.step(int(observation["action_mask"].argmax()))
    draw = 3  # of others, the tile is hidden
    kind, events = next(seen)
    assert kind == "events"
    assert {tile for event, _, tile, *_ in events if event == draw} <= {255}
    env.close()
    aec = sparrowhall.env("mcr_2006", render_mode="browser")
    aec.reset(seed=1)
    assert aec.render() == page
    aec.close()


def test_browser_needs_a_page(server: sparrowhall.LocalClient) -> None:
    assert server.page is None
    with pytest.raises(ValueError, match="client has no page"):
        sparrowhall.make("ema_2016", render_mode="browser", client=server)
    with pytest.raises(ValueError, match="'inprocess' has none"):
        sparrowhall.make("ema_2016", render_mode="browser", transport="inprocess")
    with sparrowhall.local(arguments=["--watch"]) as client:
        env = sparrowhall.make("ema_2016", render_mode="browser", client=client)
        assert env.render() == client.page
        env.close()


def test_pictures_need_pillow(client: sparrowhall.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    env = sparrowhall.make("ema_2016", render_mode="rgb_array", client=client)
    env.reset(seed=1)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="sparrowhall\\[picture\\]"):
        env.render()
    assert env._repr_png_() is None
    env.close()
