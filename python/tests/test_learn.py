"""Networks, and datasets as PyTorch takes them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import jansou
from jansou.server import find_binary

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch.utils.data import DataLoader  # noqa: E402

from jansou.learn import Network, export, imitate  # noqa: E402


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("learn") / "played"
    command = [str(find_binary()), "play", "--matches", "20", "--quiet", "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return out


@pytest.fixture(scope="module", autouse=True)
def seeded() -> None:
    torch.manual_seed(1)


def test_imitation(played: Path, tmp_path: Path, client: jansou.Client) -> None:
    network = Network()
    data = jansou.dataset(played, batch=128, shuffle=4000)
    told = list(imitate(network, data, every=10))
    steps = sum(1 for _ in data)
    assert told[-1].step == steps
    assert 0.8 < told[-1].rows / sum(len(b) for b in data) < 1
    assert told[-1].loss < 0.88 * told[0].loss
    assert told[-1].right > 0.38  # of some ten legal actions

    network.save(tmp_path / "network.pt")
    same = Network.load(tmp_path / "network.pt")
    batch = next(iter(data))
    logits = network.of(batch.observation, batch.mask)
    assert torch.equal(logits, same.of(batch.observation, batch.mask))
    best = logits.argmax(dim=1).numpy()
    assert (batch.mask[np.arange(len(best)), best] == 1).all()

    # It plays, as an opponent here, which answers must be legal for.
    env = jansou.make_vec("ema_2016", num_envs=4, opponents=same.policy, seed=1, client=client)
    obs, _ = env.reset()
    for _ in range(30):
        obs, *_ = env.step(obs["action_mask"].argmax(axis=1))
    env.close()


def test_imitation_with_nothing_to_learn_from(played: Path) -> None:
    network = Network(width=8)
    before = [p.clone() for p in network.parameters()]
    assert list(imitate(network, jansou.dataset(played, batch=512), held_out=1)) == []
    assert all(torch.equal(a, b) for a, b in zip(before, network.parameters(), strict=True))


@pytest.mark.parametrize("observation", ["planes", "features", "advice:expert:net=off"])
def test_an_exported_network_plays_as_it_does_here(
    observation: str, tmp_path: Path, client: jansou.Client
) -> None:
    """The program's integers choose as PyTorch's fractions do, but for actions nearly equal."""
    network = Network(client.observation(observation))
    with torch.no_grad():
        network.other.weight *= 10
        network.per_kind.weight *= 10
    file, out = tmp_path / "net.safetensors", tmp_path / "played"
    export(network, file, "riichi")
    command = [str(find_binary()), "play", "--ruleset", "tenhou", "--matches", "4", "--quiet"]
    for agent in (f"net:{file}", "value", "value", "value"):
        command += ["--agent", agent]
    subprocess.run([*command, "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
    decisions = same = 0
    for batch in jansou.dataset(out, observation=observation, players=[f"net:{file}"]):
        with torch.no_grad():
            logits = network.of(batch.observation, batch.mask).numpy()
        played = logits[np.arange(len(batch)), batch.action]
        assert (logits.max(axis=1) - played < 0.05).all()
        same += int((logits.argmax(axis=1) == batch.action).sum())
        decisions += len(batch)
    assert decisions > 300
    assert same > 0.95 * decisions


def test_weights_too_large_to_export(tmp_path: Path) -> None:
    network = Network(width=2, whole=2, blocks=0)
    with torch.no_grad():
        network.join.weight[0, 0] = 9
    with pytest.raises(ValueError, match=r"a weight of join is 9\.0; below 8"):
        export(network, tmp_path / "net", "riichi")


def test_what_networks_do_not_read(client: jansou.Client) -> None:
    with pytest.raises(ValueError, match="do not read the observation 'events'"):
        Network(client.observation("events"))
    with pytest.raises(ValueError, match="width is 3; allowed: even"):
        Network(client.observation("planes"), width=3)


@pytest.mark.parametrize("workers", [0, 2])
def test_iterable_dataset(played: Path, workers: int) -> None:
    """A DataLoader gives every row once, whatever the number of its workers."""
    steps = jansou.dataset(played, batch=500)
    assert isinstance(steps.torch(), torch.utils.data.IterableDataset)
    loader = DataLoader(steps.torch(), batch_size=None, num_workers=workers)
    batches = list(loader)
    first = batches[0]
    assert first["planes"].dtype == torch.uint8
    assert first["planes"].shape == (500, 62, 34)
    assert first["mask"].dtype == torch.bool
    assert first["action"].dtype == torch.int64
    assert first["return_match"].dtype == torch.float32
    want = list(steps)
    if workers == 0:
        assert len(batches) == len(want)
        for got, plain in zip(batches, want, strict=True):
            assert (got["planes"].numpy() == plain.observation["planes"]).all()
            assert (got["action"].numpy() == plain.action).all()
            assert np.allclose(got["return_match"].numpy(), plain.returns.match)
    actions = np.sort(np.concatenate([b["action"].numpy() for b in batches]))
    assert (actions == np.sort(np.concatenate([b.action for b in want]))).all()
    total = sum(int(b["planes"].sum()) for b in batches)
    assert total == sum(int(b.observation["planes"].sum()) for b in want)
