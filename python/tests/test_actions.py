from __future__ import annotations

import numpy as np
import pytest

import sparrowhall
from sparrowhall import actions
from sparrowhall.actions import (
    MASK_BYTES,
    TABLE_VERSION,
    action_table,
    default_action,
    mask_words,
)
from sparrowhall.gym import PRESETS


def test_the_table_is_the_servers(client: sparrowhall.Client) -> None:
    assert [(a.id, a.text) for a in client.description.actions] == list(
        enumerate(sparrowhall.ACTIONS)
    )
    assert client.description.action_table_version == TABLE_VERSION
    three = client.description.three_players
    version, texts = action_table(3)
    assert (three.action_table_version, [a.text for a in three.actions]) == (version, list(texts))
    assert (version, len(texts), texts[:180], texts[180]) == (2, 181, sparrowhall.ACTIONS, "kita")
    assert action_table(4) == (TABLE_VERSION, sparrowhall.ACTIONS)


def test_presets_are_the_servers(client: sparrowhall.Client) -> None:
    assert client.rulesets == list(PRESETS)


def test_ids_and_texts_are_inverse() -> None:
    assert [sparrowhall.action_id(sparrowhall.action_text(i)) for i in range(181)] == list(
        range(181)
    )


def test_unknown_actions_are_refused() -> None:
    with pytest.raises(ValueError, match="181 is not in"):
        sparrowhall.action_text(181)
    with pytest.raises(ValueError, match="'discard 9z'"):
        sparrowhall.action_id("discard 9z")


def test_masks_unpack_from_the_lowest_bit() -> None:
    packed = np.zeros((2, MASK_BYTES), np.uint8)
    packed[0, 0] = 1 << 3
    packed[1, 22] = 1 << 3
    mask = sparrowhall.unpack_mask(packed)
    assert [list(np.flatnonzero(m)) for m in mask] == [[3], [179]]


def test_sample_draws_each_legal_action_alike() -> None:
    mask = np.zeros((6000, 180), np.uint8)
    mask[:, [0, 45, 179]] = 1
    drawn = sparrowhall.sample(mask, np.random.default_rng(1))
    actions, counts = np.unique(drawn, return_counts=True)
    assert list(actions) == [0, 45, 179]
    assert counts.min() > 1800


@pytest.mark.parametrize("rows", [0, 1, 7, 300])
def test_sample_draws_the_same_from_masks_of_every_form(rows: int) -> None:
    for share in (0.01, 0.1, 0.6, 1.0):
        mask = (np.random.default_rng(rows).random((rows, 180)) < share).astype(np.uint8)
        mask[:, rows % 180] = 1
        packed = np.packbits(mask, axis=1, bitorder="little")
        drawn = sparrowhall.sample(mask, np.random.default_rng(2))
        # The plain way: the first action of which more than the drawn rank come up to it.
        ranks = np.cumsum(mask, axis=1)
        rank = (np.random.default_rng(2).random(rows) * ranks[:, -1:].T).astype(np.int64)
        assert list(drawn) == list((ranks > rank.T).argmax(axis=1))
        for other in (mask.astype(bool), packed, mask_words(packed)):
            assert list(sparrowhall.sample(other, np.random.default_rng(2))) == list(drawn)


def test_sample_draws_the_same_where_numpy_cannot_count_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mask = (np.random.default_rng(1).random((300, 180)) < 0.05).astype(np.uint8)
    mask[:, 163] = 1
    drawn = sparrowhall.sample(mask, np.random.default_rng(2))
    monkeypatch.setattr(actions, "_count", actions._count_by_table)
    assert list(sparrowhall.sample(mask, np.random.default_rng(2))) == list(drawn)


def test_sample_takes_the_mask_of_a_single_table() -> None:
    for size in (180, 181):
        mask = np.zeros(size, np.int8)
        mask[[3, 45, size - 1]] = 1
        drawn = [int(sparrowhall.sample(m, np.random.default_rng(4))) for m in (mask, mask != 0)]
        assert drawn == [sparrowhall.sample(mask[None], np.random.default_rng(4))[0]] * 2
        assert sparrowhall.sample(mask).shape == ()


def test_sample_refuses_what_is_no_mask() -> None:
    with pytest.raises(ValueError, match="required"):
        sparrowhall.sample(np.zeros((2, 24), np.uint8))
    for rows in (1, 2):
        logits = np.random.default_rng(1).normal(size=(rows, 180))
        mixed = np.eye(rows, 180, dtype=np.int8)
        mixed[:, 7] = 3
        for mask in (logits, logits * np.nan, np.full((rows, 180), 2, np.uint8), mixed):
            with pytest.raises(ValueError, match="other numbers than 0 and 1"):
                sparrowhall.sample(mask)


@pytest.mark.parametrize(
    ("legal", "expected"),
    [
        (["discard 1m", "discard drawn"], "discard drawn"),
        (["pon", "win", "pass"], "pass"),
        (["tenpai", "noten"], "noten"),
        (["discard 3m", "discard 5p"], "discard 3m"),
    ],
)
def test_default_action(legal: list[str], expected: str) -> None:
    mask = np.zeros((1, 180), np.uint8)
    mask[0, [sparrowhall.action_id(text) for text in legal]] = 1
    assert sparrowhall.action_text(int(default_action(mask)[0])) == expected


@pytest.mark.parametrize("n", [1, 3, 200])
def test_a_row_without_a_legal_action_is_refused(n: int) -> None:
    mask = np.ones((n, 180), np.int8)
    mask[n // 2] = 0
    row = f"row {n // 2} of the mask" if n > 1 else "the mask"
    with pytest.raises(ValueError, match=f"{row} has no legal action"):
        sparrowhall.sample(mask)
