"""Reinforcement learning by self-play: proximal policy optimization (PPO) on tables in process.

The loss is that of Schulman and others, *Proximal Policy Optimization Algorithms* (2017), with
generalized advantage estimation. Decisions are learned from after their episode has ended.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparrowhall._checks import check_choice, check_integer
from sparrowhall.client import EXTERNAL, EpisodeName
from sparrowhall.errors import SparrowhallError
from sparrowhall.learn.checkpoint import optimizer_state, restore_optimizer
from sparrowhall.learn.experience import REWARDS, Experience
from sparrowhall.learn.team import Team
from sparrowhall.learn.tiles import Player, advised, check_observation, columns_of
from sparrowhall.opponents import League
from sparrowhall.policy import Policy
from sparrowhall.reward import measured_spread
from sparrowhall.server import local
from sparrowhall.tables import Tables

Schedule = float | Sequence[float]
"""A number, or numbers that are reached one after another, evenly spaced over a run."""


@dataclass(frozen=True)
class Update:
    """What an update of a network has measured.

    Attributes:
        decisions: Number of decisions learned from.
        seconds: Wall time.
        cpu: CPU time of this process, in seconds.
        episodes: Number of episodes that ended while they were played, of this process.
        reward: Mean sum of an episode's rewards, NaN if none ended.
        explained: Share of the variance of the outcomes that the network predicted, at most 1.
        value_loss: Mean squared error of the predicted sum of rewards.
        entropy: Mean entropy of the policy, in nats.
        kl: Estimate of the divergence from the policy that has acted, in nats.
        clipped: Share of decisions whose probability ratio was clipped, 0 to 1.
        drift: Divergence from the policy that takes the advice, without advice from the uniform
            one, in nats.
        rate: Learning rate.
        trace: Decay of the eligibility of earlier decisions.
        potential: Weight of the shanten.

    Examples:
        >>> from sparrowhall.learn import PPO, TileNetwork
        >>> with PPO(TileNetwork(), "zung_jung", tables=16, batch=64) as learner:
        ...     learner.update().decisions
        64
    """

    decisions: int
    seconds: float
    cpu: float
    episodes: int
    reward: float
    explained: float
    value_loss: float
    entropy: float
    kl: float
    clipped: float
    drift: float
    rate: float
    trace: float
    potential: float


def join(updates: Sequence[Update]) -> Update:
    """Return what several updates have measured together."""
    episodes = sum(u.episodes for u in updates)
    rewards = sum(u.reward * u.episodes for u in updates if u.episodes)
    decisions = sum(u.decisions for u in updates)
    joined: dict[str, Any] = {
        f.name: sum(getattr(u, f.name) * u.decisions for u in updates) / decisions
        for f in fields(Update)
    }
    joined |= {name: sum(getattr(u, name) for u in updates) for name in ("seconds", "cpu")}
    joined |= {"decisions": decisions, "episodes": episodes}
    joined["reward"] = rewards / episodes if episodes else np.nan
    return Update(**joined)


LARGEST_GRADIENT = 0.5
"""The norm to which the gradient of all parameters is clipped."""

MOST_ROWS = 1 << 22
"""The most decisions of an update, which are in memory at once."""


def _numbers(
    name: str, given: Schedule, least: float, most: float = math.inf
) -> NDArray[np.float64]:
    """Return the numbers of a schedule; raise ValueError unless it has any, all in bounds."""
    try:
        numbers = np.ravel(np.asarray(given, np.float64))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    inside = np.isfinite(numbers) & (numbers >= least) & (numbers <= most)
    if not numbers.size or not inside.all():
        bounds = f"from {least}" + ("" if most == math.inf else f" to {most}")
        raise ValueError(f"{name} is {given!r}; allowed: finite numbers {bounds}")
    return numbers


class PPO:
    """Trains a network at tables of this process, one update after another.

    The network maps ``kinds``, uint8 of shape ``(n, 34, channels)``, and ``numbers``, float32 of
    shape ``(n, numbers)``, to outputs of shape ``(n, m)``; ``sparrowhall.learn.TileNetwork`` is
    one. The last output predicts the sum of the rewards to come. The others are logits of the 180
    actions, unless the network has ``columns``: the output that is the logit of each action, by 1
    + the kind of the tile that was drawn or may be claimed (0 without one), integers of shape
    ``(35, 180)``.

    In a ``Team`` each process plays tables of its own, and gradients are averaged.

    Attributes:
        network: The network. Its weights change in place.
        optimizer: Adam of its weights.
        decisions: Number of decisions learned from, of all processes.
        experience: The tables and what was played there.

    Examples:
        >>> from sparrowhall.learn import PPO, TileNetwork
        >>> learner = PPO(TileNetwork(width=8, whole=16), "zung_jung", tables=16, batch=64)
        >>> learner.update().decisions
        64
        >>> policy = learner.policy
        >>> learner.close()
    """

    experience: Experience

    def __init__(
        self,
        network: nn.Module,
        ruleset: str | Path | None = None,
        *,
        toml: str | None = None,
        observation: str | None = None,
        tables: int = 1024,
        episode: EpisodeName | None = None,
        reward: str = "points_clipped",
        total: int = 20_000_000,
        batch: Schedule = (16384, 32768, 65536, 65536),
        steps: int = 16,
        epochs: int = 1,
        rate: Schedule = (2e-3, 8e-4, 4e-4, 1e-4),
        trace: Schedule = (0.5, 0.8, 0.85, 0.9),
        potential: Schedule = (0.3, 0.1, 0.1, 0.05),
        entropy: Schedule = (0.05, 0.02, 0.02, 0.01),
        anchor: Schedule = 0.0,
        clip: float = 0.2,
        value: float = 0.5,
        warm_up: int = 10,
        bf16: bool | None = None,
        seed: int = 1,
        team: Team | None = None,
    ) -> None:
        """Open the tables, with the network at all seats.

        Args:
            network: The network, on its device.
            ruleset: Name of a preset or path of a ruleset file, for four players.
            toml: Text of a ruleset file, instead of ruleset.
            observation: ``"planes"``, ``"features"``, or ``"advice:PLAYER"``, with which a
                network begins as that player: what he expects of his candidates is added to
                their logits, is seen by kind of tile, and is the last 16 numbers. By default that
                of the network, or ``"features"``.
            tables: Number of tables of each process.
            episode: ``"hand"`` or ``"match"``; None for the match where the reward comes at its
                end, else for the hand.
            reward: ``"points"`` or ``"luck_adjusted"``, in the ruleset's spread of a hand;
                ``"points_clipped"``, points so bounded by 3; ``"rank"`` or ``"placement"`` at the
                end of a match. Where players may owe points, all but ``"points"`` count what is
                owed.
            total: Decisions over which the schedules spread.
            batch: Decisions of an update, of all processes. The numbers take turns; they are not
                interpolated.
            steps: Gradient steps of an epoch.
            epochs: Number of times that an update learns from each of its decisions.
            rate: Learning rate; it rises to this over the first updates.
            trace: Decay of the eligibility of earlier decisions, the lambda of the advantages.
            potential: Reward for each step of shanten nearer to a complete hand, paid back when
                the episode ends; 0 with the observation planes.
            entropy: Weight of the policy's entropy.
            anchor: Weight of the policy's divergence from one that takes the advice; 0 without
                advice.
            clip: Largest change of the ratio of an action's probabilities that is rewarded.
            value: Weight of the squared error of the predicted sum of rewards.
            warm_up: Number of updates over which the rate rises.
            bf16: Whether to compute in bfloat16 (autocast); by default where the processor has
                instructions for it.
            seed: Seed of matches and of random numbers.
            team: The processes that learn together, whose networks are the same; None for this
                one alone.

        Raises:
            ValueError: an argument is not allowed, or the network has another form.
            ServerError: this installation has no library.
        """
        check_choice("reward", reward, list(REWARDS))
        at_end = reward in ("rank", "placement")
        if episode is None:
            episode = "match" if at_end else "hand"
        elif at_end and episode != "match":
            raise ValueError(f"episode is {episode!r}; allowed with the reward {reward}: 'match'")
        for name, number in (
            ("tables", tables),
            ("steps", steps),
            ("epochs", epochs),
            ("total", total),
        ):
            check_integer(name, number, 1)
        check_integer("warm_up", warm_up, 0)
        self.network, self.decisions, self._updates = network, 0, 0
        weight = next(network.parameters(), None)
        if weight is None:
            raise ValueError(f"the network {network!r} has no parameters to train")
        self.device = weight.device
        self._observation = observation or str(getattr(network, "observation", "features"))
        check_observation(self._observation)
        self._ruleset, self._toml, self._tables, self._episode = ruleset, toml, tables, episode
        self._total, self._steps, self._epochs = total, steps, epochs
        self._clip = float(_numbers("clip", clip, 0)[0])
        self._value = float(_numbers("value", value, 0)[0])
        self._warm_up, self._reward = warm_up, reward
        self._schedules = {
            "batch": _numbers("batch", batch, 1, MOST_ROWS),
            "rate": _numbers("rate", rate, 0),
            "trace": _numbers("trace", trace, 0, 1),
            "potential": _numbers("potential", potential, 0),
            "entropy": _numbers("entropy", entropy, 0),
            "anchor": _numbers("anchor", anchor, 0),
        }
        if self._observation == "planes" and self._schedules["potential"].any():
            raise ValueError("potential requires the observation features; allowed with planes: 0")
        if not advised(self._observation) and self._schedules["anchor"].any():
            raise ValueError("anchor requires the observation advice:PLAYER; allowed without: 0")
        self._team = team or Team.of(1, 0)[0]
        if bf16 is None:
            bf16 = self.device.type != "cpu" or bool(torch.cpu._is_avx512_bf16_supported())
        self._bf16 = bf16
        self._columns = columns_of(network)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=0.0, eps=1e-5, fused=True)
        self._client = local(transport="inprocess")
        self._opened = False
        self.reset(seed)

    def __enter__(self) -> PPO:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the tables."""
        self.experience.close()
        self._client.close()

    def reset(self, seed: int, opponents: League | None = None) -> None:
        """Start new matches at all tables; what was played and not learned is dropped.

        Args:
            seed: Seed of the matches and of the random numbers that choose actions.
            opponents: Draw who has the other three seats of each table from this league of the
                program's players; None for the network at all seats. ``note_results`` adds the
                results to it.

        Raises:
            ValueError: the ruleset is not for four players.
            RequestError: the ruleset is refused, or there is no such player.
        """
        check_integer("seed", seed, 0)
        own, policy = np.random.SeedSequence([seed, self._team.rank]).generate_state(2, np.uint64)
        self._random = np.random.default_rng(int(policy))
        self._shuffle = torch.Generator().manual_seed(int(policy) % 2**63)
        seats: list[str] = []
        self._league, self._drawn = opponents, np.zeros(0, np.intp)
        if opponents is not None:
            members = list(opponents.members.values())
            self._drawn = self._random.choice(len(members), self._tables, p=opponents.weights())
            for k in self._drawn:
                seats += [EXTERNAL, *[str(members[k])] * 3]
        if self._opened:
            self.experience.close()
        tables = self._client.open(
            self._ruleset,
            self._tables,
            seed=int(own),
            seats=seats,
            rotate_seats=bool(seats),
            observation=self._observation,
            episode=self._episode,
            toml=self._toml,
            luck_adjusted=self._reward == "luck_adjusted",
        )
        self.rules = tables.ruleset
        if tables.seats != 4:
            tables.close()
            raise ValueError(f"PPO is for four players; {self.rules.name} is for {tables.seats}")
        assert tables.spec is not None
        self._spec = tables.spec
        if not self._opened:
            self.spread = measured_spread(self._client, self.rules, self._open_hands)
        self._width = self._outputs_of(tables.spec)
        self._opened = True
        self.experience = Experience(
            tables, self._columns, self._width, reward=self._reward, spread=self.spread
        )

    def _open_hands(self, tables: int, **arguments: Any) -> Tables:
        return self._client.open(
            self._ruleset, tables, observation="", toml=self._toml, **arguments
        )

    def note_results(self) -> None:
        """Add the results of the matches since the last reset to the records of the league.

        Raises:
            SparrowhallError: another process has ended.
        """
        if self._league is None:
            return
        sums = np.zeros((len(self._league.records), 2))
        np.add.at(sums, self._drawn, self.experience.results)
        sums = np.sum(self._team.exchange(sums), 0)
        for record, (met, ahead) in zip(self._league.records.values(), sums, strict=True):
            record.met += int(met)
            record.ahead += float(ahead)

    def _outputs_of(self, spec: Any) -> int:
        """Return the number of outputs of the network."""
        observation = {
            t.name: torch.zeros((1, *t.shape), dtype=torch.int32, device=self.device)
            for t in spec.tensors
        }
        with torch.no_grad():
            kinds, numbers = self._player(spec).inputs(observation)
            outputs = self.network(kinds, numbers)
        least = int(self._columns.max()) + 2
        shape = tuple(map(int, outputs.shape)) if isinstance(outputs, Tensor) else ()
        if len(shape) != 2 or shape[0] != 1 or shape[1] < least:
            raise ValueError(
                f"the network returned {shape or type(outputs).__name__} for one decision; "
                f"required: its logits, {least - 1}, and one more"
            )
        return shape[1]

    def _player(self, spec: Any) -> Player:
        scale = self.spread * self.rules.units_per_point
        player: Player = Player(self.network, spec, scale).to(self.device)
        return player

    @property
    def observation_version(self) -> int:
        """Version of the observation."""
        return int(self._spec.version)

    @property
    def policy(self) -> Policy:
        """The network as a player of the ruleset, whose weights are those of the moment."""
        return Policy(
            self._player(self._spec),
            self._ruleset,
            toml=self._toml,
            observation=self._observation,
        )

    def at(self, name: str) -> float:
        """Return the present number of a schedule."""
        numbers = self._schedules[name]
        done = min(self.decisions / self._total, 1.0)
        if name == "batch":
            return float(numbers[min(int(done * len(numbers)), len(numbers) - 1)])
        points = np.linspace(0, 1, len(numbers)) if len(numbers) > 1 else np.zeros(1)
        return float(np.interp(done, points, numbers))

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self._bf16)

    def outputs(self, decisions: NDArray[np.int32]) -> Tensor:
        """Return the outputs of the network for decisions of ``experience``."""
        e = self.experience
        kinds = torch.from_numpy(e.kinds.take(decisions, axis=0)).to(self.device)
        numbers = torch.from_numpy(e.numbers.take(decisions, axis=0)).to(self.device)
        with self._autocast():
            outputs: Tensor = self.network(kinds, numbers)
        return outputs

    def update(self) -> Update:
        """Play until there are enough decisions of ended episodes, and learn from them.

        Raises:
            SparrowhallError: outputs or gradients are not finite, or another process has ended.
        """
        wall, cpu = time.perf_counter(), time.process_time()
        e, done = self.experience, self.decisions
        e.trace, e.potential = self.at("trace"), self.at("potential")
        episodes, reward = e.episodes, e.reward
        size = max(1, int(self.at("batch")) // self._team.size)
        self.network.eval()
        # One context, in which autocast converts the weights once.
        with torch.no_grad(), self._autocast():
            while e.ready < size:
                outputs = self.outputs(e.asked).float().cpu().numpy()
                e.step(outputs, self._random.random(len(e.asked)))
        rate = self.at("rate") * min(1.0, (self._updates + 1) / max(1, self._warm_up))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        taken = e.take(size)
        advantage, outcome = e.advantage[taken], e.outcome[taken]
        explained = 1 - float(advantage.var()) / max(float(outcome.var()), 1e-12)
        figures = self._learn(taken, float(advantage.mean()), float(advantage.std()) + 1e-8)
        ended = e.episodes - episodes
        self.decisions, self._updates = done + size * self._team.size, self._updates + 1
        return Update(
            decisions=size * self._team.size,
            seconds=time.perf_counter() - wall,
            cpu=time.process_time() - cpu,
            episodes=ended,
            reward=(e.reward - reward) / ended if ended else np.nan,
            explained=explained,
            value_loss=figures[1],
            entropy=figures[0],
            kl=figures[2],
            clipped=figures[3],
            drift=figures[4],
            rate=rate,
            trace=e.trace,
            potential=e.potential,
        )

    def _learn(self, taken: NDArray[np.int32], mean: float, deviation: float) -> list[float]:
        """Make the gradient steps of an update, and return the means of their figures."""
        self.network.train()
        parts: list[NDArray[np.int32]] = []
        for _ in range(self._epochs):
            order = torch.randperm(len(taken), generator=self._shuffle).numpy()
            parts += np.array_split(taken[order], min(self._steps, len(taken)))
        parameters = [p for p in self.network.parameters() if p.requires_grad]
        sums = np.zeros(5)
        entropy, anchor = self.at("entropy"), self.at("anchor")
        for part in parts:
            outputs = self.outputs(part)
            gradient, figures = self.experience.gradient(
                part,
                outputs.detach().float().cpu().numpy(),
                clip=self._clip,
                entropy=entropy,
                value=self._value,
                mean=mean,
                deviation=deviation,
                anchor=anchor,
            )
            given = torch.from_numpy(gradient).to(outputs)
            parts_of = torch.autograd.grad(outputs, parameters, given, materialize_grads=True)
            # As one vector, since an operation for each parameter would take as long as Adam.
            flat = torch.cat([g.flatten() for g in parts_of])
            if self._team.size > 1:
                flat = self._team.mean(flat)
            # By the gradient, which is that of all processes: all of them fail.
            norm = float(flat.norm())
            if not math.isfinite(norm):
                raise SparrowhallError(
                    f"outputs or gradients are not finite, after {self.decisions} decisions; a "
                    "lower rate may help"
                )
            flat *= min(1.0, LARGEST_GRADIENT / (norm + 1e-6))
            set_gradients(parameters, flat)
            self.optimizer.step()
            sums += np.array(
                [
                    figures.entropy,
                    figures.value_error,
                    figures.kl,
                    figures.clipped,
                    figures.drift,
                ]
            ) * (len(part) / (len(taken) * self._epochs))
        means: list[float] = sums.tolist()
        return means

    def state(self) -> dict[str, Tensor]:
        """Return what ``restore`` needs to go on after a reset."""
        tensors = {f"network.{k}": v for k, v in self.network.state_dict().items()}
        tensors |= optimizer_state(self.optimizer)
        tensors["counts"] = torch.tensor([self.decisions, self._updates])
        return {k: v.detach().cpu().clone() for k, v in tensors.items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from a ``state``."""
        prefix = "network."
        self.network.load_state_dict(
            {k.removeprefix(prefix): t for k, t in tensors.items() if k.startswith(prefix)}
        )
        restore_optimizer(self.optimizer, tensors)
        self.decisions, self._updates = map(int, tensors["counts"])


def set_gradients(parameters: Sequence[nn.Parameter], flat: Tensor) -> None:
    """Set the gradients of parameters to those of a vector, one after another."""
    for p, g in zip(parameters, flat.split([p.numel() for p in parameters]), strict=True):
        own = g.view_as(p)
        # The optimizer takes for granted that a gradient lies in memory as its parameter does.
        same = p.is_contiguous() and own.dtype == p.dtype
        p.grad = own if same else torch.empty_like(p).copy_(own)
