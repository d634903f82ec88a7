"""Masked PPO: trains one seat against built-in players, and measures it over duplicate walls.

    python ppo.py --ruleset zung_jung --out runs/zung_jung

The learner first imitates recorded decisions of `greedy` for a while (--imitate 0 leaves that
out), then learns by PPO against `random` and against `greedy`, hand by hand, from the points
it wins and loses. After each stage, and now and then within, it plays whole matches on walls
of its own: for every seed once on each seat, and is compared with the player it replaces on
the same walls. Everything is written to --out: the curve as PNG and JSON, and the network.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow.dataset as ds
import torch
from torch import nn
from torch.distributions import Categorical

import jansou

Observations = dict[str, np.ndarray]

KINDS = 34
GAMMA, LAMBDA, CLIP = 1.0, 0.95, 0.2
EVALUATION_SEED, IMITATION_SEED = 1_000_003, 2_000_003


class Features:
    """Turns the observation `features` into what the network reads."""

    def __init__(self, spec: jansou.Observation) -> None:
        self.shanten = spec["discarding"].field("shanten")
        self.useful = spec["discarding"].field("useful")
        self.phase = spec["state"].field("phase")
        self.drawn = spec["planes"].field("drawn")
        self.window = spec["planes"].field("window")
        self.channels = spec["planes"].shape[0] + spec["shape"].shape[0] + 4
        self.scalars = sum(spec[t].shape[0] for t in ("state", "amounts", "summary")) + 9

    def __call__(self, obs: Observations) -> dict[str, torch.Tensor]:
        """Return kinds (n, channels, 34), scalars (n, scalars) and mask (n, 180)."""
        held = obs["discarding"][self.shanten][..., 0].astype(np.float32)
        # Shanten only matters in comparison with the best discard.
        best = np.where(held > 0, held, 99).min(axis=1, keepdims=True)
        useful = obs["discarding"][self.useful][..., 0].astype(np.float32)
        widest = np.maximum(useful.max(axis=1, keepdims=True), 1)
        discards = np.stack(
            [
                (held > 0) & (held == best),
                np.where(held > 0, held - best, 0) / 2,
                useful / 20,
                useful / widest,
            ],
            axis=1,
        )
        kinds = np.concatenate([obs["planes"], obs["shape"], discards], axis=1, dtype=np.float32)
        amounts = obs["amounts"].astype(np.float32)
        amounts = np.sign(amounts) * np.log1p(np.abs(amounts)) / 8
        phase = np.eye(9, dtype=np.float32)[obs["state"][self.phase][:, 0]]
        scalars = np.concatenate(
            [obs["state"] / 16, amounts, obs["summary"] / 16, phase], axis=1, dtype=np.float32
        )
        arrays = {"kinds": kinds, "scalars": scalars, "mask": obs["action_mask"] != 0}
        return {name: torch.from_numpy(a) for name, a in arrays.items()}


class Network(nn.Module):
    """A policy and a value over the kinds of tiles, the three suits sharing their weights."""

    def __init__(self, features: Features, width: int = 48, whole: int = 128) -> None:
        super().__init__()
        self.drawn = features.drawn[1].start
        self.window = features.window[1].start
        self.embed = nn.Conv2d(features.channels + 2, width, 1)
        self.suits = nn.ModuleList(
            nn.Conv2d(width, width, (1, 3), padding=(0, 1)) for _ in range(2)
        )
        self.whole = nn.Sequential(
            nn.Linear(features.scalars + 3 * width, whole), nn.ReLU(), nn.Linear(whole, whole)
        )
        self.join = nn.Linear(whole, width)
        self.per_kind = nn.Conv2d(width, 6, 1)
        self.other = nn.Linear(whole, jansou.NUM_ACTIONS)
        self.value = nn.Sequential(nn.Linear(whole, whole), nn.ReLU(), nn.Linear(whole, 1))
        # What sets honors and terminals apart for weights that all places share.
        place = torch.zeros(2, 4, 9)
        place[0, 3] = 1
        place[1, :3, [0, 8]] = 1
        self.register_buffer("place", place)
        self.register_buffer("five", torch.tensor([4, 13, 22]))
        with torch.no_grad():
            self.other.weight *= 0.01
            self.per_kind.weight *= 0.1
            self.value[2].weight *= 0.1

    def forward(self, kinds: torch.Tensor, scalars: torch.Tensor, mask: torch.Tensor):
        """Return the masked logits (n, 180) and the values (n,)."""
        n = len(kinds)
        x = nn.functional.pad(kinds, (0, 2)).view(n, -1, 4, 9)
        x = torch.cat([x, self.place.expand(n, -1, -1, -1)], dim=1)
        x = self.embed(x).relu()
        for layer in self.suits:
            x = x + layer(x).relu()
        flat = x.flatten(2)[..., :KINDS]
        window = (flat * kinds[:, self.window, None]).sum(2)
        whole = self.whole(torch.cat([scalars, flat.mean(2), flat.amax(2), window], dim=1)).relu()
        by_kind = self.per_kind((x + self.join(whole)[..., None, None]).relu())
        by_kind = by_kind.flatten(2)[..., :KINDS]
        drawn = (by_kind[:, :2] * kinds[:, self.drawn, None]).sum(2)

        logits = self.other(whole)
        first = jansou.action_id
        spread = torch.zeros_like(logits)
        for channel, text in enumerate(("discard 1m", "ready 1m", "closed_kan 1m", "added_kan 1m")):
            spread[:, first(text) : first(text) + KINDS] = by_kind[:, channel]
        for channel, text in ((4, "discard 0m"), (5, "ready 0m")):
            plain = by_kind[:, channel - 4, self.five]
            spread[:, first(text) : first(text) + 3] = plain + by_kind[:, channel, self.five]
        spread[:, first("discard drawn")] = drawn[:, 0]
        spread[:, first("ready drawn")] = drawn[:, 1]
        logits = (logits + spread).masked_fill(~mask, -1e9)
        return logits, self.value(whole)[:, 0]


class Learner:
    """A network with its optimizer and the log of its training."""

    def __init__(self, options: argparse.Namespace, client: jansou.Client) -> None:
        self.options, self.client = options, client
        self.features = Features(client.observations["features"])
        self.network = Network(self.features)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=options.rate, eps=1e-5)
        self.log: list[dict] = []
        self.start = time.monotonic()
        self.decisions = 0
        self.unit = 0.0

    # Imitation

    def imitate(self) -> None:
        """Learn what `greedy` does among its like, from a dataset played again."""
        for group in self.optimizer.param_groups:
            group["lr"] = 2 * self.options.rate
        actions, indices = recorded(self.options.ruleset, self.options.imitate)
        tables = self.client.open(
            self.options.ruleset,
            self.options.imitate,
            seed=IMITATION_SEED,
            observation="features",
            auto_reset=False,
        )
        at = np.zeros((self.options.imitate, 4), np.int64)
        batch = tables.recv()
        kept: list[dict[str, torch.Tensor]] = []
        chosen: list[np.ndarray] = []
        hits = rows = 0
        while batch.asked.any():
            asked = batch.asked
            table, player = batch.table[asked], batch.player[asked]
            action = actions[indices[table, player] + at[table, player]]
            at[table, player] += 1
            obs = {key: a[asked] for key, a in batch.observation.items()}
            obs["action_mask"] = batch.mask[asked]
            kept.append(self.features(obs))
            chosen.append(action)
            tables.send(table, player, batch.step[asked], action)
            batch = tables.recv()
            # Learn from tables at different turns at once: they drift apart by themselves.
            if sum(map(len, chosen)) >= 32768 or not batch.asked.any():
                inputs = {key: torch.cat([k[key] for k in kept]) for key in kept[0]}
                targets = torch.from_numpy(np.concatenate(chosen)).long()
                for part in torch.randperm(len(targets)).split(1024):
                    logits, _ = self.network(**{key: a[part] for key, a in inputs.items()})
                    loss = nn.functional.cross_entropy(logits, targets[part])
                    self._step(loss)
                    hits += int((logits.argmax(1) == targets[part]).sum())
                    rows += len(part)
                print(f"imitation: {rows} decisions, {hits / rows:.1%} as greedy", flush=True)
                kept, chosen, hits, rows = [], [], 0, 0
        tables.close()

    # PPO

    def train(self, opponent: str, updates: int) -> None:
        """Play hands against three opponents of a kind and learn from each rollout."""
        o = self.options
        env = jansou.make_vec(
            o.ruleset,
            o.tables,
            seed=o.seed,
            opponents=opponent,
            observation="features",
            episode="hand",
            client=self.client,
        )
        obs, _ = env.reset()
        for update in range(updates):
            for group in self.optimizer.param_groups:
                group["lr"] = o.rate * max(1 - update / updates, 0.1)
            rollout, obs = self._collect(env, obs)
            hands = rollout["done"].sum()
            figures = {
                "update": update,
                "opponent": opponent,
                "decisions": self.decisions,
                "seconds": round(time.monotonic() - self.start),
                "points_per_hand": float(rollout["reward"].sum() / hands.clamp(min=1)),
                **self._learn(rollout),
            }
            self.log.append(figures)
            last = update == updates - 1
            if update % 10 == 0 or last:
                print(json.dumps(figures), flush=True)
            if (update + 1) % o.every == 0 or last:
                self.measure(opponent, final=last)
        env.close()

    def _collect(self, env: jansou.JansouVectorEnv, obs: Observations):
        steps: list[dict[str, torch.Tensor]] = []
        for _ in range(self.options.steps):
            inputs = self.features(obs)
            with torch.no_grad():
                logits, value = self.network(**inputs)
                policy = Categorical(logits=logits, validate_args=False)
                action = policy.sample()
            obs, reward, terminated, truncated, _ = env.step(action.numpy())
            steps.append(
                {
                    **inputs,
                    "action": action,
                    "log_prob": policy.log_prob(action),
                    "value": value,
                    "reward": torch.from_numpy(reward).float(),
                    "done": torch.from_numpy(terminated | truncated),
                }
            )
        self.decisions += len(steps) * env.num_envs
        with torch.no_grad():
            _, last = self.network(**self.features(obs))
        rollout = {key: torch.stack([s[key] for s in steps]) for key in steps[0]}
        if not self.unit:
            # The unit of rewards, once and for all: what the end of a hand usually moves.
            self.unit = float(rollout["reward"][rollout["done"]].std())
        rollout["advantage"] = advantages(rollout, last, self.unit)
        rollout["return"] = rollout["advantage"] + rollout["value"]
        return {key: a.flatten(0, 1) for key, a in rollout.items()}, obs

    def _learn(self, rollout: dict[str, torch.Tensor]) -> dict:
        o = self.options
        advantage = rollout["advantage"]
        rollout["advantage"] = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        kl = entropy_sum = value_sum = parts = 0.0
        for _ in range(o.epochs):
            for part in torch.randperm(len(advantage)).split(o.minibatch):
                b = {key: a[part] for key, a in rollout.items()}
                logits, value = self.network(b["kinds"], b["scalars"], b["mask"])
                policy = Categorical(logits=logits, validate_args=False)
                change = policy.log_prob(b["action"]) - b["log_prob"]
                ratio = change.exp()
                gain = torch.minimum(
                    ratio * b["advantage"], ratio.clamp(1 - CLIP, 1 + CLIP) * b["advantage"]
                ).mean()
                value_loss = nn.functional.smooth_l1_loss(value, b["return"])
                entropy = policy.entropy().mean()
                self._step(-gain + 0.5 * value_loss - o.entropy * entropy)
                kl += float((ratio - 1 - change).mean().detach())
                entropy_sum += float(entropy.detach())
                value_sum += float(value_loss.detach())
                parts += 1
        return {"kl": kl / parts, "entropy": entropy_sum / parts, "value_loss": value_sum / parts}

    def _step(self, loss: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
        self.optimizer.step()

    # Measuring

    def measure(self, opponent: str, final: bool = False) -> None:
        """Play whole matches on the same walls from every seat, taking the likeliest action."""
        # Matches with random players are long, and their result is never in doubt.
        matches = self.options.matches // (10 if opponent == "random" else 1 if final else 4)
        own = np.stack([self._play(opponent, seat, matches) for seat in range(4)], axis=1)
        replaced, ranks = baseline(self.options.ruleset, opponent, matches)
        paired = (own[..., 0] - replaced).mean(axis=1)
        half = 1.96 * paired.std(ddof=1) / np.sqrt(matches)
        figures = {
            "evaluated": opponent,
            "decisions": self.decisions,
            "seconds": round(time.monotonic() - self.start),
            "cpu_seconds": round(time.process_time()),
            "wall_sets": matches,
            "points_more_per_match": float(paired.mean()),
            "interval": [float(paired.mean() - half), float(paired.mean() + half)],
            "mean_rank": float(own[..., 1].mean()),
            "rank_of_replaced": float(ranks.mean()),
            "first_places": float((own[..., 1] == 1).mean()),
        }
        self.log.append(figures)
        print(json.dumps(figures), flush=True)
        self.save(self.options.out)

    def _play(self, opponent: str, seat: int, matches: int) -> np.ndarray:
        """Return points and rank of the learner in each match, shape (matches, 2)."""
        seats = [opponent] * 4
        seats[seat] = jansou.EXTERNAL
        result = np.zeros((matches, 2))
        with self.client.open(
            self.options.ruleset,
            matches,
            seed=EVALUATION_SEED,
            seats=seats,
            observation="features",
            auto_reset=False,
        ) as tables:
            batch = tables.recv()
            while True:
                last = batch.last
                table = batch.table[last.row]
                result[table, 0] = last.points / tables.ruleset.units_per_point
                result[table, 1] = last.rank
                if not batch.asked.any():
                    return result
                with torch.no_grad():
                    obs = {**batch.observation, "action_mask": batch.mask}
                    logits, _ = self.network(**self.features(obs))
                batch = tables.act(batch, logits.argmax(1).numpy())

    def save(self, out: Path) -> None:
        """Write the network, the log and the curve."""
        out.mkdir(parents=True, exist_ok=True)
        torch.save(self.network.state_dict(), out / "network.pt")
        options = {k: v for k, v in vars(self.options).items() if k != "out"}
        text = json.dumps({"options": options, "log": self.log}, indent=1)
        (out / "log.json").write_text(text + "\n", encoding="utf-8")
        draw(self.log, self.options.ruleset, out / "curve.png")


def advantages(rollout: dict[str, torch.Tensor], last: torch.Tensor, unit: float) -> torch.Tensor:
    """Return generalized advantages, shape (steps, tables)."""
    result = torch.zeros_like(rollout["reward"])
    following, carried = last, torch.zeros_like(last)
    for t in reversed(range(len(result))):
        goes_on = (~rollout["done"][t]).float()
        delta = rollout["reward"][t] / unit + GAMMA * following * goes_on - rollout["value"][t]
        carried = delta + GAMMA * LAMBDA * goes_on * carried
        result[t] = carried
        following = rollout["value"][t]
    return result


def play(ruleset: str, agent: str, matches: int, seed: int, record: str, out: str) -> None:
    """Let four agents of a kind play a dataset."""
    command = ["play", "--ruleset", ruleset, "--agents", ",".join([agent] * 4)]
    command += ["--matches", str(matches), "--seed", str(seed), "--record", record, "--out", out]
    subprocess.run([jansou.find_binary(), *command], check=True, stdout=subprocess.DEVNULL)


def read(folder: str, table: str, columns: list[str]) -> dict[str, np.ndarray]:
    """Read columns of a table of a dataset, of words their numbers: those of actions are ids."""
    files = sorted(map(str, Path(folder).glob(f"{table}-*.arrow")))
    read = ds.dataset(files, format="ipc").to_table(columns=columns).combine_chunks()
    chunks = {c: read[c].chunk(0) for c in columns}
    return {c: getattr(a, "indices", a).to_numpy() for c, a in chunks.items()}


def recorded(ruleset: str, matches: int) -> tuple[np.ndarray, np.ndarray]:
    """Return greedy's actions, and where those of each match and player begin (matches, 4)."""
    with tempfile.TemporaryDirectory() as folder:
        play(ruleset, "greedy", matches, IMITATION_SEED, "decisions", folder)
        c = read(folder, "decisions", ["match", "player", "action"])
    key = c["match"].astype(np.int64) * 4 + c["player"]
    order = np.argsort(key, kind="stable")
    begins = np.searchsorted(key[order], np.arange(4 * matches))
    return c["action"][order], begins.reshape(matches, 4)


def baseline(ruleset: str, agent: str, matches: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points and ranks of four agents of a kind by match and player, (matches, 4)."""
    with tempfile.TemporaryDirectory() as folder:
        play(ruleset, agent, matches, EVALUATION_SEED, "matches", folder)
        c = read(folder, "matches", ["points", "rank"])
    return c["points"].reshape(-1, 4).astype(float), c["rank"].reshape(-1, 4).astype(float)


def draw(log: list[dict], ruleset: str, path: Path) -> None:
    """Draw the measurements with their intervals over the decisions learnt from."""
    from matplotlib.figure import Figure

    opponents = list(dict.fromkeys(e["evaluated"] for e in log if "evaluated" in e))
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    figure.suptitle(f"PPO under {ruleset}")
    panels = figure.subplots(1, len(opponents), sharex=True, squeeze=False)[0]
    for axes, opponent in zip(panels, opponents, strict=True):
        points = [e for e in log if e.get("evaluated") == opponent]
        x = [e["decisions"] / 1e6 for e in points]
        y = np.array([e["points_more_per_match"] for e in points])
        low, high = np.array([e["interval"] for e in points]).T
        axes.errorbar(x, y, [y - low, high - y], marker="o", capsize=3)
        axes.axhline(0, color="gray", linewidth=1)
        axes.set_title(f"against {opponent}")
        axes.set_xlabel("decisions learnt from by PPO (millions)")
    figure.supylabel(
        "points a match more than\nthe replaced player, 95 % interval", fontsize="medium"
    )
    figure.savefig(path, dpi=120)


def main() -> None:
    """Train, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ruleset", default="zung_jung")
    parser.add_argument("--out", type=Path, required=True, help="folder for curve, log, network")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--imitate", type=int, default=1000, help="matches of greedy to imitate")
    parser.add_argument("--random-updates", type=int, default=5, help="rollouts against random")
    parser.add_argument("--greedy-updates", type=int, default=150, help="rollouts against greedy")
    parser.add_argument("--tables", type=int, default=512)
    parser.add_argument("--steps", type=int, default=64, help="decisions a table in a rollout")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--minibatch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--entropy", type=float, default=0.005)
    parser.add_argument("--matches", type=int, default=1000, help="wall sets of a final measure")
    parser.add_argument("--every", type=int, default=30, help="rollouts between measures")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)

    with jansou.local() as client:
        learner = Learner(options, client)
        if options.imitate:
            learner.imitate()
            learner.measure("random")
            learner.measure("greedy")
        learner.train("random", options.random_updates)
        learner.train("greedy", options.greedy_updates)
        learner.measure("random")


if __name__ == "__main__":
    main()
