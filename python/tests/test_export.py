from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sparrowhall
from sparrowhall import Policy, evaluate

torch = pytest.importorskip("torch", reason="NO TORCH")

from torch import nn  # noqa: E402

from sparrowhall._export import graph_of  # noqa: E402
from sparrowhall._torch import best_actions  # noqa: E402

Seen = dict[str, Any]


def erf(x: NDArray[Any]) -> NDArray[Any]:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def rows(n: dict[str, Any], x: NDArray[Any]) -> NDArray[Any]:
    return x.reshape(-1, n["dims"][0])


def softmax(x: NDArray[Any]) -> NDArray[Any]:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def norm(n: dict[str, Any], x: NDArray[Any]) -> NDArray[Any]:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + n["eps"])


def matmul(n: dict[str, Any], x: Any, w: Any, bias: Any = 0.0) -> NDArray[Any]:
    b, m, k, out = n["dims"]
    return x.reshape(b, m, k) @ w.reshape(b, k, out) + bias


# What the program does, as internal/agents/net/graph defines it.
OPERATIONS: dict[str, Callable[..., Any]] = {
    "take": lambda n, a, i: np.where(i < 0, 0, a[i]),
    "join": lambda n, *a: np.concatenate(a),
    "lookup": lambda n, a, t: rows(n, t)[a.astype(int)],
    "matmul": matmul,
    "sum": lambda n, a: rows(n, a).sum(1),
    "max": lambda n, a: rows(n, a).max(1),
    "softmax": lambda n, a: softmax(rows(n, a)),
    "norm": lambda n, a: norm(n, rows(n, a)),
    "where": lambda n, a, b, c: np.where(a != 0, b, c),
    "exp": lambda n, a: np.exp(a),
    "log": lambda n, a: np.log(a),
    "sqrt": lambda n, a: np.sqrt(a),
    "tanh": lambda n, a: np.tanh(a),
    "sigmoid": lambda n, a: 1 / (1 + np.exp(-a)),
    "erf": lambda n, a: erf(a),
    "floor": lambda n, a: np.floor(a),
    "add": lambda n, a, b: a + b,
    "sub": lambda n, a, b: a - b,
    "mul": lambda n, a, b: a * b,
    "div": lambda n, a, b: a / b,
    "minimum": lambda n, a, b: np.minimum(a, b),
    "maximum": lambda n, a, b: np.maximum(a, b),
    "eq": lambda n, a, b: a == b,
    "lt": lambda n, a, b: a < b,
    "le": lambda n, a, b: a <= b,
    "and": lambda n, a, b: a.astype(int) & b.astype(int),
    "or": lambda n, a, b: a.astype(int) | b.astype(int),
}


def computed(
    tensors: dict[str, NDArray[Any]], graph: dict[str, str], seen: dict[str, NDArray[Any]]
) -> NDArray[Any]:
    """Return what a graph computes for one decision."""
    values: dict[str, NDArray[Any]] = dict(tensors)
    for name in graph["inputs"].split(","):
        values[f"observation.{name}"] = seen[name].reshape(-1).astype(np.float64)
    parsed = json.loads(graph["graph"])
    for node in parsed["nodes"]:
        result = OPERATIONS[node["op"]](node, *(values[name] for name in node["in"]))
        values[node["name"]] = np.asarray(result, np.float64).reshape(-1)
    return values[parsed["output"]]


class Layers(nn.Module):  # type: ignore[misc]
    """A function of the planes, as floats, and of the observation; a layer of logits follows."""

    def __init__(self, compute: Callable[..., Any], *layers: nn.Module) -> None:
        super().__init__()
        self.compute, self.layers = compute, nn.ModuleList(layers)
        self.out = nn.LazyLinear(180)

    def forward(self, seen: Seen) -> Any:
        return self.out(self.compute(seen["planes"].float(), seen, *self.layers).flatten(1).float())


def pair_norm(x: Any) -> Any:
    d = x - x.mean((1, 2), keepdim=True)
    return d / (x.var((1, 2), keepdim=True) + 1).sqrt()


LAYERS: dict[str, Callable[[], Layers]] = {
    "linear": lambda: Layers(lambda x, s, a: a(x), nn.Linear(34, 5)),
    "bilinear attention": lambda: Layers(lambda x, s: x @ x.transpose(1, 2) @ x),
    "conv1d": lambda: Layers(
        lambda x, s, a: a(x), nn.Conv1d(62, 6, 5, stride=2, padding=3, dilation=2)
    ),
    "conv1d groups": lambda: Layers(
        lambda x, s, a: a(x), nn.Conv1d(62, 62, 3, padding="same", groups=31)
    ),
    "conv2d of suits": lambda: Layers(
        lambda x, s, a: a(nn.functional.pad(x, (0, 2), value=0.5).view(-1, 62, 4, 9)),
        nn.Conv2d(62, 4, (2, 3), padding=(0, 1), bias=False),
    ),
    "conv over suits as rows": lambda: Layers(
        lambda x, s, a: a(x[..., :27].reshape(-1, 62, 3, 9).transpose(1, 2).flatten(0, 1)).reshape(
            len(x), -1
        ),
        nn.Conv1d(62, 4, 3),
    ),
    "embedding": lambda: Layers(
        lambda x, s, a: a((s["discards"] & 63).long()).mean(1), nn.Embedding(64, 7)
    ),
    "parts of codes": lambda: Layers(
        lambda x, s: torch.cat([s["discards"] >> 6, (s["discards"] | 1) % 7, s["state"] // 3], 1)
    ),
    "layer norm": lambda: Layers(
        lambda x, s, a, b: b(a(x)), nn.LayerNorm(34), nn.LayerNorm((62, 34), eps=1e-3)
    ),
    "batch norm": lambda: Layers(lambda x, s, a: a(x), nn.BatchNorm1d(62)),
    "group norm": lambda: Layers(lambda x, s, a: a(x), nn.GroupNorm(2, 62)),
    "own norm": lambda: Layers(lambda x, s: pair_norm(x)),
    "activations": lambda: Layers(
        lambda x, s, a, *b: torch.cat([f(a(x)) for f in b], 1),
        nn.Linear(34, 3),
        *(nn.ReLU(), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Tanh(), nn.Sigmoid(), nn.ELU()),
        *(
            nn.LeakyReLU(0.2),
            nn.LeakyReLU(1.5),
            nn.LeakyReLU(-0.2),
            nn.Softplus(),
            nn.Mish(),
            nn.Hardswish(),
            nn.Hardsigmoid(),
        ),
        *(nn.ReLU6(), nn.SELU(), nn.PReLU(), nn.LogSigmoid(), nn.Softsign(), nn.CELU(0.7)),
        *(nn.Hardtanh(), nn.Softmax(2), nn.LogSoftmax(1), nn.Softmin(2), nn.Dropout(), nn.GLU(1)),
    ),
    "residual": lambda: Layers(
        lambda x, s, a, b: x + torch.relu(b(torch.relu(a(x)))), nn.Linear(34, 34), nn.Linear(34, 34)
    ),
    "attention": lambda: Layers(
        lambda x, s, a: a(x, x, x, need_weights=False)[0],
        nn.MultiheadAttention(34, 2, batch_first=True),
    ),
    "transformer": lambda: Layers(
        lambda x, s, a: a(x),
        nn.TransformerEncoder(
            nn.TransformerEncoderLayer(34, 2, 16, batch_first=True, norm_first=True), 2
        ),
    ),
    "masked attention": lambda: Layers(
        lambda x, s: nn.functional.scaled_dot_product_attention(
            x, x, x, attn_mask=(x.sum(2) > 16)[:, None].expand(-1, 62, -1)
        )
    ),
    "pooling": lambda: Layers(
        lambda x, s, a, b: torch.cat(
            [a(x), b(x), x.amax(2, keepdim=True), x.max(2)[0][..., None]], 2
        ),
        nn.MaxPool1d(3, 2, 1),
        nn.AvgPool1d(4, padding=1),
    ),
    "sums": lambda: Layers(
        lambda x, s: torch.cat(
            [x.sum(1), x.mean(2), x.amin(1), x.min(2).values, x.std(1), (x > 0).any(2), x.all(1)], 1
        )
    ),
    "moves": lambda: Layers(
        lambda x, s: torch.cat(
            [
                x.flip(1),
                x.roll(3, 2),
                x[:, [5, 1, 5]],
                torch.tril(x),
                x[:, ::3],
                x.chunk(3, 1)[2],
                torch.stack(x.unbind(1)[:4], 1),
                x[:, None, 7].expand(-1, 2, -1),
            ],
            1,
        )
    ),
    "comparisons": lambda: Layers(
        lambda x, s: torch.cat(
            [x == 1, x != 0.5, (x < 0.5) & (x >= 0), (x <= 0) | ~(x > 3), x.clamp(0.2, 0.7)], 1
        )
    ),
    "arithmetic": lambda: Layers(
        lambda x, s: torch.cat(
            [
                -x,
                1 - x,
                2 / (x + 3),
                x**2,
                x.abs() ** 3,
                (x + 1).rsqrt(),
                torch.log1p(x),
                x.exp(),
                torch.expm1(x),
                (2.5 * x).trunc(),
                (3 * x).remainder(2),
                x.sign(),
                x.square(),
            ],
            1,
        )
    ),
    "window by gather": lambda: Layers(
        lambda x, s: x.gather(2, (s["state"][:, :1, None].long() % 34).expand(-1, 62, 1))
    ),
    "window by index": lambda: Layers(
        lambda x, s, a: a.weight[s["state"][:, 4].long()], nn.Embedding(46, 9)
    ),
    "one-hot": lambda: Layers(
        lambda x, s: nn.functional.one_hot(s["state"][:, :5].long(), 256).float()
    ),
    "mask": lambda: Layers(
        lambda x, s, a: (
            a(x.flatten(1)).masked_fill(s["action_mask"] == 0, -torch.inf).clamp(min=-9)
        ),
        nn.Linear(62 * 34, 180),
    ),
    "amounts": lambda: Layers(lambda x, s: torch.tanh(s["amounts"] / 30000)),
    "recurrence": lambda: Layers(lambda x, s, a: a(x[:, :6])[0], nn.GRU(34, 5, batch_first=True)),
    "long recurrence": lambda: Layers(
        lambda x, s, a: a(x[:, :6])[1][0].transpose(0, 1),
        nn.LSTM(34, 5, num_layers=2, batch_first=True),
    ),
}


@pytest.fixture(scope="module")
def planes() -> sparrowhall.Observation:
    with sparrowhall.local() as client:
        return client.observation("planes")


def drawn(spec: sparrowhall.Observation, rows: int) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(3)
    seen = {}
    for t in spec.tensors:
        low, high = (b.astype(np.int64) for b in t.bounds())
        seen[t.name] = rng.integers(low, np.minimum(high, 60000) + 1, (rows, *t.shape)).astype(
            t.dtype
        )
    seen["action_mask"] = rng.integers(0, 2, (rows, spec.actions)).astype(np.int8)
    return seen


@pytest.mark.parametrize("name", LAYERS)
def test_a_graph_computes_what_the_module_does(name: str, planes: sparrowhall.Observation) -> None:
    torch.manual_seed(1)
    module = LAYERS[name]()
    seen = drawn(planes, 3)
    tensors = {k: torch.from_numpy(a) for k, a in seen.items()}
    with torch.no_grad():
        module(tensors)  # in training mode, so that statistics and lazy layers are set
        want = module.eval()(tensors).numpy()
    weights, graph = graph_of(module, planes, None)
    for i in range(3):
        got = computed(weights, graph, {k: a[i] for k, a in seen.items()})
        np.testing.assert_allclose(got, want[i], rtol=2e-4, atol=2e-4 * np.abs(want).max())


def test_what_is_not_exported_is_refused(planes: sparrowhall.Observation) -> None:
    for compute, said in (
        (lambda x, s, a: x.sort(2)[0], r"the module uses sort, .*allowed: Linear, Conv1d"),
        (lambda x, s, a: x.cumsum(2), "the module uses cumsum"),
        (lambda x, s, a: a(x), r"layers.0 \(ConvTranspose1d\) uses convolution.*transposed"),
        (lambda x, s, a: s["state"] + s["state"], "add, .*uint8 overflows; .*float"),
        (lambda x, s, a: x.double() * 2, "computes in float64; required: float32"),
        (lambda x, s, a: x.half() + 1, "computes in float16"),
        (lambda x, s, a: x.max(2)[1], "max, .*only its first result"),
        (lambda x, s, a: s["amounts"].byte(), "_to_copy, .*uint8 overflows"),
        (lambda x, s, a: x + torch.rand(34), "random numbers are not exported"),
        (lambda x, s, a: x if x.sum() > 3 else -x, "cannot be traced by torch.export"),
        (lambda x, s, a: x.sum((1, 2))[:, None] * torch.tensor(torch.nan), "is not a number"),
    ):
        module = Layers(compute, nn.ConvTranspose1d(62, 2, 3))
        with torch.no_grad():
            module({k: torch.from_numpy(a) for k, a in drawn(planes, 2).items()})
        with pytest.raises(ValueError, match=said):
            graph_of(module, planes, None)


class Returns(nn.Module):  # type: ignore[misc]
    """Returns what a function returns."""

    def __init__(self, returned: Callable[[Any], Any]) -> None:
        super().__init__()
        self.returned = returned

    def forward(self, seen: Seen) -> Any:
        return self.returned(seen["action_mask"].float())


class Keeps(Layers):
    """Keeps its last result, with the gradient."""

    def forward(self, seen: Seen) -> Any:
        self.last = super().forward(seen)
        return self.last


def test_a_module_may_keep_results(planes: sparrowhall.Observation) -> None:
    module = Keeps(lambda x, s: x)
    module({k: torch.from_numpy(a) for k, a in drawn(planes, 2).items()})
    kept = module.last
    assert graph_of(module, planes, None)[1]["inputs"] == "planes"
    assert module.last is kept


def test_playing_leaves_the_mode_of_each_part(planes: sparrowhall.Observation) -> None:
    frozen = nn.BatchNorm1d(62).eval()
    module = Layers(lambda x, s, a: a(x), frozen)
    seen = drawn(planes, 2)
    seen["action_mask"][:] = 1
    best_actions(module, seen, seen["action_mask"].astype(bool))
    assert module.training
    assert not frozen.training


def test_a_module_returns_logits_alone(planes: sparrowhall.Observation) -> None:
    for returned, said in (
        (lambda mask: (mask, mask.sum(1)), "the module returns 2; required: one tensor, logits"),
        (lambda mask: mask[:, :7], r"returns \(1, 7\); required"),
        (lambda mask: torch.zeros(1, 180), "the same for every observation"),
    ):
        with pytest.raises(ValueError, match=said):
            graph_of(Returns(returned), planes, None)


class Convolutions(nn.Module):  # type: ignore[misc]
    def __init__(self, actions: int = 180) -> None:
        super().__init__()
        self.first = nn.Conv1d(62, 24, 1)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Conv1d(24, 24, 3, padding=1), nn.BatchNorm1d(24), nn.GELU())
            for _ in range(2)
        )
        self.attention = nn.MultiheadAttention(24, 2, batch_first=True)
        self.faces = nn.Embedding(46, 8)
        self.out = nn.Sequential(nn.Linear(24 * 34 + 8 + 62, 64), nn.LayerNorm(64), nn.SiLU())
        self.logits = nn.Linear(64, actions)

    def forward(self, seen: Seen) -> Any:
        x = self.first(seen["planes"].float())
        for block in self.blocks:
            x = x + block(x)
        y = x.transpose(1, 2)
        y = y + self.attention(y, y, y)[0]
        faces = self.faces(seen["discards"].long() & 63).sum(1)
        z = self.out(torch.cat([y.flatten(1), faces, seen["state"] / 64], 1))
        return self.logits(z).masked_fill(seen["action_mask"] == 0, -torch.inf)


class Dense(nn.Module):  # type: ignore[misc]
    """A dense network over an observation that is decoded."""

    def __init__(self, actions: int = 180) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.LazyLinear(96), nn.Tanh(), nn.Linear(96, actions))

    def forward(self, seen: Seen) -> Any:
        names = ("planes", "discards", "discard_marks", "melds", "state", "amounts")
        return self.net(torch.cat([seen[name].flatten(1).float() for name in names], 1))


class Tokens(nn.Module):  # type: ignore[misc]
    """A network over the events of the hand."""

    def __init__(self) -> None:
        super().__init__()
        self.faces, self.types = nn.Embedding(64, 12), nn.Embedding(32, 12)
        self.logits = nn.Linear(12, 180)

    def forward(self, seen: Seen) -> Any:
        tokens = seen["events"].int()
        x = self.faces(tokens & 63) + self.types(tokens >> 8 & 31)
        return self.logits(x.sum(1) / (1 + seen["length"].int()))


@pytest.mark.parametrize(
    ("module", "ruleset", "observation"),
    [
        (Convolutions(), "tenhou", "planes"),
        (Convolutions(181), "tenhou_sanma", "features"),
        (Dense(), "mcr_2006", "planes"),
        (Dense(), "hkma_hktw", "features"),
        (Tokens(), "zung_jung", "events"),
    ],
)
def test_the_program_plays_as_pytorch(
    module: nn.Module, ruleset: str, observation: str, tmp_path: Path
) -> None:
    """The actions of the program and of PyTorch are the same in 99.9 % of the decisions."""
    torch.manual_seed(1)
    policy = Policy(module, ruleset, observation=observation, decoded=isinstance(module, Dense))
    env = sparrowhall.make_vec(policy, 2, seed=1)
    with torch.no_grad():  # sets lazy layers
        module({k: torch.from_numpy(np.array(a)) for k, a in env.reset()[0].items()})
    env.close()
    for p in module.parameters():
        nn.init.normal_(p, std=0.2)
    policy.save(tmp_path / "mine.safetensors")
    agent = f"net:{tmp_path / 'mine.safetensors'}"
    toml = tmp_path / "short.toml"
    toml.write_text(f'base = "{ruleset}"\nmax_hands = 4\n', encoding="utf-8")
    others = "," + ",".join(["greedy"] * (policy.rules.seats - 1))
    command = [sparrowhall.find_binary(), "play", "--ruleset", toml, "--agents", agent + others]
    subprocess.run(
        [*command, "--matches", "4", "--out", tmp_path / "played", "--quiet"], check=True
    )
    decisions, same = 0, 0
    steps = sparrowhall.dataset(tmp_path / "played", observation=observation, players=[agent])
    for batch in steps:
        seen = {k: np.array(a) for k, a in batch.observation.items()}
        best = best_actions(
            module, policy._decoder(seen) if policy.decoded else seen, batch.mask.astype(bool)
        )
        decisions += len(best)
        same += int((best == batch.action).sum())
    assert decisions > 100
    assert same >= decisions - 1


def test_a_file_has_a_card(tmp_path: Path, client: sparrowhall.Client) -> None:
    path = tmp_path / "mine.safetensors"
    module = Returns(lambda mask: mask * torch.arange(180.0))
    rules = tmp_path / "mine.toml"
    rules.write_text('base = "zung_jung"\nmax_hands = 2\n', encoding="utf-8")
    policy = Policy(module, rules, observation="features", decoded=True)
    result = evaluate(policy, against="random", matches=4, progress=False)
    policy.save(path, training={"updates": 5, "by": "PPO"}, results=result)
    known = sparrowhall.card(path)
    assert known["ruleset"] == policy.rules.name
    assert known["observation"] == "features"
    assert known["decoded"] == "true"
    assert known["engine_version"] == str(client.description.engine_version)
    assert known["training"] == {"updates": 5, "by": "PPO"}
    assert known["results"]["matches"] == 4
    again = tmp_path / "again.safetensors"
    policy.save(again, training={"updates": 5, "by": "PPO"}, results=result)
    assert again.read_bytes() == path.read_bytes()
    # The file plays the ruleset that it is for, and as the module does.
    file = Policy(path)
    assert file.rules.hash == policy.rules.hash
    assert evaluate(file, against="random", matches=4, progress=False).figures == result.figures
    assert Policy(f"net:{path}").rules.hash == policy.rules.hash
    named = evaluate(f"net:{path}", against="random", matches=4, progress=False)
    assert named.figures == result.figures
    # Under another ruleset it needs a word, also where that ruleset is its own here.
    with pytest.raises(ValueError, match=f"is made for {policy.rules.name}, and would play under"):
        evaluate(Policy(path, "zung_jung"), against="random", matches=4, progress=False)
    env = sparrowhall.make_vec("zung_jung", 2, opponents=f"net:{path}", seed=1, client=client)
    env.reset()
    env.close()
    with pytest.raises(ValueError, match=r"training has <object.*; allowed: what JSON can hold"):
        policy.save(path, training=object())
    policy.save(path, training={"loss": [np.float32("nan"), 1.5]})
    assert sparrowhall.card(path)["training"] == {"loss": [None, 1.5]}
    for place, said in ((tmp_path, "is a folder"), (tmp_path / "new" / "x", "is in no folder")):
        with pytest.raises(FileNotFoundError, match=said):
            policy.save(place)
    with pytest.raises(ValueError, match="which has no weights to write"):
        Policy("greedy").save(path)
    rules.write_bytes(b"no network")
    with pytest.raises(ValueError, match="is not the file of a network"):
        sparrowhall.card(rules)


def test_a_network_of_learn_has_a_card_too(tmp_path: Path) -> None:
    from sparrowhall.learn import Network

    path = tmp_path / "mine.safetensors"
    policy = Network("planes", width=4, whole=8, blocks=1).policy("zung_jung")
    policy.save(path, training="imitation")
    assert sparrowhall.card(path)["training"] == "imitation"
    network = Network("planes", width=4, whole=8, blocks=1)
    network.set_family("mcr", "this")
    with pytest.raises(ValueError, match="trained with rulesets of the family 'mcr'; ema_2016 is"):
        network.policy("ema_2016").save(path)
    same: dict[str, Any] = {"against": "random", "matches": 4, "progress": False}
    assert Policy(path).rules.name == "zung_jung"
    assert evaluate(Policy(path), **same).matches == 4
