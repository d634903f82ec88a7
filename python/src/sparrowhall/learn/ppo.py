"""Reinforcement learning by proximal policy optimization (PPO).

The loss is that of Schulman and others, *Proximal Policy Optimization Algorithms* (2017), with
generalized advantage estimation and masked actions. An anchor, the Kullback-Leibler divergence
from an imitator, keeps a network near the one it began as.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from torch import Tensor, nn

from sparrowhall._checks import check_integer
from sparrowhall.gym import SparrowhallVectorEnv
from sparrowhall.learn.network import Network
from sparrowhall.policy import Policy
from sparrowhall.spec import MASK

HIDDEN = 64
"""Hidden values of the critic."""

LEAST_LOG = -1e4
"""Lower bound of the logarithm of a probability; that of an illegal action."""


@dataclass(frozen=True)
class Update:
    """What an update of a network has measured.

    Attributes:
        decisions: Number of decisions of the update.
        episodes: Number of episodes that ended in it.
        reward: Mean sum of an episode's rewards, NaN if none ended.
        explained: Share of the variance of the returns that the critic predicted, at most 1.
        entropy: Mean entropy of the policy, in nats.
        anchor: Mean divergence from the imitator, in nats; 0 without one.
        clipped: Share of decisions whose probability ratio was clipped, 0 to 1.

    Examples:
        >>> from sparrowhall.learn import PPO
        >>> learner = PPO(network, env)  # doctest: +SKIP
        >>> learner.update().reward  # doctest: +SKIP
    """

    decisions: int
    episodes: int
    reward: float
    explained: float
    entropy: float
    anchor: float
    clipped: float


def join(updates: Sequence[Update]) -> Update:
    """Return what several updates have measured together."""
    decisions = sum(u.decisions for u in updates)
    episodes = sum(u.episodes for u in updates)
    rewards = sum(u.reward * u.episodes for u in updates if u.episodes)

    def mean(name: str) -> float:
        return float(sum(getattr(u, name) * u.decisions for u in updates) / decisions)

    return Update(
        decisions=decisions,
        episodes=episodes,
        reward=rewards / episodes if episodes else np.nan,
        explained=mean("explained"),
        entropy=mean("entropy"),
        anchor=mean("anchor"),
        clipped=mean("clipped"),
    )


class PPO:
    """Trains a network in an environment, one update after another.

    Attributes:
        network: The network that is trained. Its weights change in place; its family becomes that
            of the environment.
        policy: The network as a ``sparrowhall.Policy`` for the ruleset of the environment.
        critic: Predicts the return of a decision from the network's second dense layer.
        optimizer: Adam of both.

    Examples:
        >>> import sparrowhall
        >>> from sparrowhall.learn import PPO, Network
        >>> env = sparrowhall.make_vec(
        ...     "ema_2016", 8, opponents="greedy", episode="hand", reward="rank", shaping=1, seed=1
        ... )
        >>> learner = PPO(Network(width=8, whole=16, blocks=1), env, steps=4)
        >>> learner.update().decisions
        32
        >>> env.close()
    """

    def __init__(
        self,
        network: Network,
        env: SparrowhallVectorEnv,
        *,
        imitator: Network | None = None,
        anchor: float = 0.1,
        steps: int = 64,
        epochs: int = 2,
        batch: int = 1024,
        rate: float = 3e-4,
        clip: float = 0.2,
        entropy: float = 0.01,
        discount: float = 1.0,
        trace: float = 0.95,
        nearer: float = 0.0,
    ) -> None:
        """Prepare the training.

        Args:
            network: The network, on its device.
            env: Tables with the observation that the network reads, in the mode SAME_STEP.
            imitator: The network near which the policy is kept; None for none.
            anchor: Weight of the divergence from the imitator.
            steps: Decisions at each table for an update.
            epochs: Passes over the decisions of an update.
            batch: Decisions of a gradient step.
            rate: Learning rate.
            clip: Largest change of the ratio of an action's probabilities that is rewarded.
            entropy: Weight of the policy's entropy.
            discount: Discount factor of rewards, that of ``env``.
            trace: Decay of the eligibility of earlier decisions, the lambda of the advantages.
            nearer: Reward for each step of shanten nearer to a ready hand, paid back when the
                episode ends. As a potential it does not change the best policy. It needs an
                observation with ``summary``.

        Raises:
            ValueError: the environment has another observation, number of players, family of
                rulesets or mode, or no ``summary`` for nearer; or a number is below 1.
        """
        for name, number in (("steps", steps), ("epochs", epochs), ("batch", batch)):
            check_integer(name, number, 1)
        if env.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f"env has the mode {env.autoreset_mode.name}; required: SAME_STEP")
        space = env.single_observation_space
        assert isinstance(space, spaces.Dict)
        missing = [name for name in network.inputs.read if name not in space.spaces]
        if missing or space[MASK].shape != network.ready.shape:
            raise ValueError(
                f"the network reads the observation {network.observation!r} of four players; the "
                f"environment has masks of {space[MASK].shape} and {', '.join(space.spaces)}"
            )
        if nearer and "summary" not in network.inputs.read:
            raise ValueError("nearer requires the observation features or advice")
        if imitator is not None and imitator.observation != network.observation:
            raise ValueError(
                f"the imitator reads the observation {imitator.observation!r}, the network "
                f"{network.observation!r}; required: the same"
            )
        network.set_family(
            env._options.rules.family, str(env._options.ruleset or "the environment")
        )
        self.network, self.env, self.imitator = network, env, imitator
        self.device = next(network.parameters()).device
        self.critic = nn.Sequential(
            nn.Linear(network.whole, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1)
        ).to(self.device)
        self.optimizer = torch.optim.Adam(
            [*network.parameters(), *self.critic.parameters()], lr=rate, eps=1e-5
        )
        self._anchor = anchor if imitator is not None else 0.0
        self._steps, self._epochs, self._batch, self._clip = steps, epochs, batch, clip
        self._entropy, self._discount, self._trace = entropy, discount, trace
        self._nearer = nearer
        # The critic predicts returns in this unit, that of the first update.
        self._scale = 0.0
        self._observation: dict[str, NDArray[Any]] = {}

    @property
    def policy(self) -> Policy:  # noqa: D102
        options = self.env._options
        assert not isinstance(options.ruleset, Policy)
        return self.network.policy(options.ruleset, toml=options.toml)

    def state(self) -> dict[str, Any]:
        """Return what ``restore`` needs to go on after a reset; the network is not part of it."""
        return {
            "critic": self.critic.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scale": self._scale,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a ``state``."""
        self.critic.load_state_dict(state["critic"])
        self.optimizer.load_state_dict(state["optimizer"])
        self._scale = state["scale"]

    def reset(self, seed: int | None = None) -> None:
        """Start new matches, and seed the random numbers that choose actions.

        Args:
            seed: The seed; None for that of the environment, and to leave PyTorch's as it is.
        """
        if seed is not None:
            torch.manual_seed(seed)
        self._observation, _ = self.env.reset(seed=seed)
        self._returns = np.zeros(self.env.num_envs)

    def update(self) -> Update:
        """Play some decisions at each table, and learn from them.

        The first update resets the environment if ``reset`` has not.
        """
        if not self._observation:
            self.reset()
        rows, advantage, ended = self._play()
        with torch.no_grad():
            returns = advantage + rows["value"]
            explained = 1 - advantage.var() / returns.var().clamp(min=1e-12)
        first = self._scale == 0
        if first:
            self._scale = max(float(returns.std()), 1e-6)
        rows["advantage"] = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        rows["return"] = returns / self._scale
        figures = torch.zeros(3, device=self.device)
        pieces = 0
        for _ in range(self._epochs):
            for part in torch.randperm(len(returns)).split(self._batch):
                batch = {name: t[part] for name, t in rows.items()}
                # The first update trains the critic alone, without which advantages are noise.
                figures += self._learn(batch, 0.0 if first else 1.0)
                pieces += 1
        entropy, anchor, clipped = (figures / pieces).tolist()
        return Update(
            decisions=len(returns),
            episodes=len(ended),
            reward=float(np.mean(ended)) if ended else np.nan,
            explained=float(explained),
            entropy=entropy,
            anchor=anchor,
            clipped=clipped,
        )

    def _play(self) -> tuple[dict[str, Tensor], Tensor, list[float]]:
        """Play, and return the decisions, their advantages, and the returns of ended episodes."""
        n, ended = self.env.num_envs, []
        pieces: list[dict[str, Tensor]] = []
        rewards = torch.zeros(self._steps, n)
        over = torch.zeros(self._steps, n)
        for step in range(self._steps):
            before = self._potential()
            with torch.no_grad():
                piece = self._judge()
            logits = piece.pop("logits")
            action = torch.multinomial(logits.exp(), 1)[:, 0]
            piece["chosen"] = action
            piece["log"] = logits.gather(1, action[:, None])[:, 0]
            pieces.append(piece)
            self._observation, reward, terminated, truncated, _ = self.env.step(
                action.cpu().numpy()
            )
            done = terminated | truncated
            reward = reward + np.where(done, 0, self._discount * self._potential()) - before
            self._returns += reward
            ended += self._returns[done].tolist()
            self._returns[done] = 0
            rewards[step], over[step] = torch.from_numpy(reward), torch.from_numpy(done)
        with torch.no_grad():
            values = [piece["value"].cpu() for piece in pieces]
            values.append(self._judge()["value"].cpu())
        advantage = torch.zeros(self._steps, n)
        last = torch.zeros(n)
        for step in reversed(range(self._steps)):
            following = self._discount * (1 - over[step])
            error = rewards[step] + following * values[step + 1] - values[step]
            last = error + following * self._trace * last
            advantage[step] = last
        rows = {name: torch.cat([p[name] for p in pieces]) for name in pieces[0]}
        return rows, advantage.flatten().to(self.device), ended

    def _potential(self) -> NDArray[np.float64]:
        """Return the potential of each table: less the farther the hand is from ready."""
        if not self._nearer:
            return np.zeros(self.env.num_envs)
        shanten: NDArray[np.float64] = self._observation["summary"][:, 0].astype(np.float64)
        return -self._nearer * shanten

    def _judge(self) -> dict[str, Tensor]:
        """Return the inputs of the current decisions, and what networks make of them."""
        mask = torch.from_numpy(self._observation[MASK]).to(self.device) > 0
        inputs = {k: t.to(self.device) for k, t in self.network.inputs(self._observation).items()}
        logits, hidden = self.network.with_hidden(inputs, mask)
        # Inputs are multiples of 1/256 below 8, which halves hold exactly.
        rows = {k: t.half() if t.is_floating_point() else t for k, t in inputs.items()}
        rows["mask"], rows["logits"] = mask, log_probabilities(logits)
        rows["value"] = self.critic(hidden)[:, 0] * self._scale
        if self.imitator is not None:
            rows["imitator"] = log_probabilities(self.imitator(inputs, mask))
        return rows

    def _learn(self, rows: dict[str, Tensor], weight: float) -> Tensor:
        """Make a gradient step; return entropy, divergence and share of clipped ratios."""
        inputs = {k: t.float() if t.dtype == torch.half else t for k, t in rows.items()}
        logits, hidden = self.network.with_hidden(inputs, rows["mask"])
        logits = log_probabilities(logits)
        probability = logits.exp()
        ratio = (logits.gather(1, rows["chosen"][:, None])[:, 0] - rows["log"]).exp()
        bounded = ratio.clamp(1 - self._clip, 1 + self._clip)
        gain = torch.minimum(ratio * rows["advantage"], bounded * rows["advantage"]).mean()
        entropy = -(probability * logits).sum(1).mean()
        anchor = torch.zeros((), device=self.device)
        if "imitator" in rows:
            anchor = (probability * (logits - rows["imitator"])).sum(1).mean()
        error = (self.critic(hidden)[:, 0] - rows["return"]).square().mean()
        loss = 0.5 * error - weight * (gain + self._entropy * entropy - self._anchor * anchor)
        self.optimizer.zero_grad()
        loss.backward()
        parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
        nn.utils.clip_grad_norm_(parameters, 0.5)
        self.optimizer.step()
        clipped = (ratio != bounded).float().mean()
        return torch.stack([entropy, anchor, clipped]).detach()


def log_probabilities(logits: Tensor) -> Tensor:
    """Return the logarithms of probabilities, at least LEAST_LOG, shape ``(n, 180)``."""
    logs: Tensor = logits.log_softmax(dim=1).clamp(min=LEAST_LOG)
    return logs
