from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest

import sparrowhall
from sparrowhall import _library
from sparrowhall._shared_memory import UnavailableError
from sparrowhall.gym import PRESETS


def wait_until(holds: Callable[[], bool]) -> bool:
    """Wait until a function returns true, for at most a minute, and return whether it did.

    The minute is for a machine with much other work: no test waits for it to pass.
    """
    end = time.monotonic() + 60
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.005)
    return held


def in_process() -> sparrowhall.LocalClient:
    """Return a client that plays in this process; skip, with the reason, where none can."""
    try:
        _library.load()
    except UnavailableError as e:
        pytest.skip(f"NO IN-PROCESS TABLES: {e}")
    return sparrowhall.local(transport="inprocess")


def over(server: sparrowhall.Client, transport: sparrowhall.Transport) -> sparrowhall.Client:
    """Return a client of a transport: of the server, or of this process."""
    if transport == "inprocess":
        return in_process()
    return sparrowhall.connect(server.address, transport=transport)


@pytest.fixture(scope="session")
def server() -> Iterator[sparrowhall.LocalClient]:
    """A server in a process of its own, which plays all tables since it was given flags."""
    with sparrowhall.local(arguments=["--idle", "0"]) as server:
        yield server


@pytest.fixture(scope="session", params=["inprocess", "shared"])
def client(
    request: pytest.FixtureRequest, server: sparrowhall.LocalClient
) -> Iterator[sparrowhall.LocalClient]:
    """A client that plays in this process, and one of a server."""
    if request.param == "shared":
        yield server
        return
    with in_process() as client:
        yield client


# A preset of each family, and one of three players: what a transport carries differs by them.
FAMILIES = (
    "ema_2016",
    "tenhou_sanma",
    "mcr_2006",
    "zung_jung",
    "hkma_hktw",
    "hk_old_style",
    "taiwanese",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Play all presets in this process, and through a server one of each family.

    A test of every preset by both would find the same faults in twice the time.
    SPARROWHALL_LONG=1 plays all by both.
    """
    if os.environ.get("SPARROWHALL_LONG"):
        return
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        params = (
            item.callspec.params
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else {}
        )
        again = (
            params.get("client") == "shared" and params.get("ruleset", "ema_2016") not in FAMILIES
        )
        (left_out if again else kept).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


def seats_of(client: sparrowhall.Client, ruleset: str) -> int:
    """Return the number of players of a preset."""
    (rules,) = (r for r in client.description.rulesets if r.name == ruleset)
    return int(rules.seats)


@pytest.fixture(params=PRESETS)
def ruleset(request: pytest.FixtureRequest) -> str:
    return str(request.param)
