from __future__ import annotations

from collections.abc import Iterator

import pytest

import sparrowhall
from sparrowhall.gym import PRESETS


@pytest.fixture(scope="session")
def client() -> Iterator[sparrowhall.LocalClient]:
    with sparrowhall.local() as server:
        yield server


@pytest.fixture(params=PRESETS)
def ruleset(request: pytest.FixtureRequest) -> str:
    return str(request.param)
