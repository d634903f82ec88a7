from __future__ import annotations

from collections.abc import Iterator

import pytest

import jansou
from jansou.gym import PRESETS


@pytest.fixture(scope="session")
def client() -> Iterator[jansou.LocalClient]:
    with jansou.local() as server:
        yield server


@pytest.fixture(params=PRESETS)
def ruleset(request: pytest.FixtureRequest) -> str:
    return str(request.param)
