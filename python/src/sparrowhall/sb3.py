"""Stable-Baselines3: many tables as one of its vector environments.

``MaskablePPO("MultiInputPolicy", make_vec_env("ema_2016", 8))`` learns with masks of legal
actions, and plays all tables with one call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._checks import check_integer, check_seed
from sparrowhall._extras import needs
from sparrowhall.evaluation import EVALUATION_SEED, Evaluation, evaluate
from sparrowhall.policy import Contestant, Decisions, Policy
from sparrowhall.spec import MASK, Arrays

with needs("sparrowhall.sb3", "sb3"):
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.preprocessing import preprocess_obs
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor
    from torch import nn

    from sparrowhall._vector_env import SparrowhallVectorEnv

_Indices = None | int | Iterable[int]


class SparrowhallVecEnv(VecEnv):  # type: ignore[misc, unused-ignore]
    """Tables at each of which the learner plays one seat, as a ``VecEnv``.

    Rewards, seats and resets are those of ``sparrowhall.make_vec`` in mode SAME_STEP. The info of
    a step that ends an episode has ``terminal_observation``, ``TimeLimit.truncated`` and what
    ``final_info`` has there. ``env_method("action_masks")`` returns the legal actions, as
    sb3-contrib requires.

    Examples:
        >>> import sparrowhall.sb3
        >>> env = sparrowhall.sb3.make_vec_env("ema_2016", 8)
        >>> len(env.reset()["action_mask"])
        8
        >>> env.close()
    """

    def __init__(self, env: SparrowhallVectorEnv) -> None:
        """Adapt an environment."""
        self.env = env
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._actions: NDArray[Any] = np.zeros(env.num_envs, np.int64)

    def reset(self) -> Arrays:
        """Start new episodes; with the seed that ``seed`` has set, new matches."""
        seed = self._seeds[0]
        self._reset_seeds()
        self._reset_options()
        observations, _ = self.env.reset(seed=seed)
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions, shape ``(num_envs,)``, for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> tuple[Arrays, NDArray[np.float32], NDArray[np.bool_], list[Any]]:
        """Answer at every table."""
        observations, rewards, terminated, truncated, info = self.env.step(self._actions)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        illegal = info["illegal"]
        if illegal.any():
            for i in np.flatnonzero(illegal).tolist():
                infos[i]["illegal"] = True
        if done.any():
            final = info["final_info"]
            for i in np.flatnonzero(done).tolist():
                infos[i]["terminal_observation"] = info["final_obs"][i]
                infos[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
                for name, values in final.items():
                    if name[0] != "_":
                        infos[i][name] = values[i : i + 1].tolist()[0]
        return observations, rewards.astype(np.float32), done, infos

    def close(self) -> None:
        """End the stream."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: _Indices = None) -> list[Any]:
        """Return an attribute of the environment, once for each index."""
        if attr_name == "action_masks":
            return [self._mask_of(i) for i in self._get_indices(indices)]
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: _Indices = None) -> None:
        """Refuse: all tables are one environment.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{attr_name} cannot be set on single tables: pass it to make_vec_env")

    def env_method(
        self, method_name: str, *method_args: Any, indices: _Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call ``action_masks``, the one method that single tables have.

        Raises:
            AttributeError: it is another method.
        """
        if method_name != "action_masks":
            raise AttributeError(f"tables have no method {method_name!r}; allowed: 'action_masks'")
        masks = self.env.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def _mask_of(self, table: int) -> Any:
        return lambda: self.env.action_masks()[table]

    def env_is_wrapped(self, wrapper_class: Any, indices: _Indices = None) -> list[bool]:
        """Return False for each index: no table has a wrapper of its own."""
        return [False for _ in self._get_indices(indices)]


def make_vec_env(
    ruleset: str | Path | Policy | None = None,
    n_envs: int = 1,
    *,
    seed: int | None = None,
    decoded: bool | None = None,
    monitor: bool = True,
    **arguments: Any,
) -> VecEnv:
    """Return a vector environment of Stable-Baselines3.

    Args:
        ruleset: Name of a preset, or the path of a ruleset file ending in ``.toml``;
            ``"ema_2016"`` if there is no toml either. Or a ``Policy``, as in
            ``sparrowhall.make_vec``.
        n_envs: Number of tables.
        seed: Seed of the first reset; None for a random one.
        decoded: Whether observations are decoded and bounded as by
            ``sparrowhall.decoded.Decoder``, which dense policies need: True unless given or set by
            a ``Policy``.
        monitor: Whether it is wrapped in ``VecMonitor``, which logs returns and lengths of
            episodes.
        arguments: Further arguments of ``sparrowhall.make_vec`` but ``autoreset_mode``.

    Raises:
        ValueError: an argument is not allowed.
        RequestError: the server refuses the ruleset or an opponent.
        ServerError: the server cannot be reached.

    Examples:
        >>> import sparrowhall.sb3
        >>> env = sparrowhall.sb3.make_vec_env("ema_2016", 8, opponents="value")
        >>> env.num_envs
        8
        >>> env.close()
    """
    if "autoreset_mode" in arguments:
        raise ValueError("autoreset_mode is SAME_STEP, as Stable-Baselines3 requires")
    if decoded is None:
        decoded = not isinstance(ruleset, Policy)
    env = SparrowhallVectorEnv(ruleset, n_envs, seed=seed, decoded=decoded, **arguments)
    adapted = SparrowhallVecEnv(env)
    return VecMonitor(adapted) if monitor else adapted


def policy_of(model: Any) -> Policy:
    """Return the deterministic policy of a model that learns in a ``make_vec_env``.

    Ruleset, observation and decoding are those of the training. That of an actor and critic, as
    ``PPO`` and ``MaskablePPO`` have, can be written by ``Policy.save``.

    Args:
        model: A ``MaskablePPO`` or another model whose ``predict`` takes ``action_masks``.

    Examples:
        >>> import sparrowhall
        >>> import sparrowhall.sb3
        >>> policy = sparrowhall.sb3.policy_of(model)  # doctest: +SKIP
        >>> sparrowhall.evaluate(policy, against="greedy")  # doctest: +SKIP
    """
    options = _tables_of(model).env._options
    assert not isinstance(options.ruleset, Policy)

    def act(decisions: Decisions) -> NDArray[Any]:
        seen = {**decisions.observation, MASK: decisions.mask.astype(np.int8)}
        actions: NDArray[Any] = model.predict(
            seen, action_masks=decisions.mask, deterministic=True
        )[0]
        return actions

    actor = hasattr(model.policy, "action_net") and hasattr(model.policy, "mlp_extractor")
    return Policy(
        _Actor(model.policy) if actor else act,
        options.ruleset,
        observation=options.observation,
        decoded=options.decoded,
        toml=options.toml,
    )


class _Actor(nn.Module):  # type: ignore[misc, unused-ignore]
    """The logits of an actor and critic. Their mode is the action with the highest one."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        # Not the policy itself, which keeps its last distribution and cannot be copied then.
        self.extractor, self.actor = policy.pi_features_extractor, policy.mlp_extractor
        self.logits = policy.action_net
        self._space, self._scaled = policy.observation_space, policy.normalize_images
        self.training = policy.training

    def forward(self, seen: dict[str, Any]) -> Any:
        features = self.extractor(preprocess_obs(seen, self._space, self._scaled))
        return self.logits(self.actor.forward_actor(features))


class EvaluationCallback(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Evaluates the model during training, by ``sparrowhall.evaluate``.

    The ruleset and the observation are those of the training. ``evaluation/rank``,
    ``evaluation/points`` and ``evaluation/placement``, luck-adjusted but the rank, are logged.

    Attributes:
        evaluations: The number of time steps and the result of each evaluation.

    Examples:
        >>> callback = EvaluationCallback(100_000, against="greedy")  # doctest: +SKIP
        >>> model.learn(1_000_000, callback=callback)  # doctest: +SKIP
    """

    def __init__(
        self,
        every: int,
        against: Contestant | Sequence[Contestant] = "value",
        matches: int = 400,
        *,
        seed: int = EVALUATION_SEED,
        verbose: int = 0,
    ) -> None:
        """Set what to play.

        Args:
            every: Number of time steps between two evaluations.
            against: The other players; see ``sparrowhall.evaluate``.
            matches: Number of matches of an evaluation.
            seed: Seed of the walls, the same in all evaluations. That of the training gives the
                walls of the training.
            verbose: Print the results if 1 or more.

        Raises:
            ValueError: an argument is not allowed.
        """
        super().__init__(verbose)
        check_integer("every", every, 1)
        check_integer("matches", matches, 1)
        check_seed(seed)
        self._every, self._last = every, 0
        self._against, self._matches, self._seed = against, matches, seed
        self.evaluations: list[tuple[int, Evaluation]] = []

    def _on_step(self) -> bool:
        if self.num_timesteps - self._last < self._every:
            return True
        self._last = self.num_timesteps
        result = evaluate(
            policy_of(self.model),
            against=self._against,
            matches=self._matches,
            seed=self._seed,
            progress=False,
        )
        self.evaluations.append((self.num_timesteps, result))
        self.logger.record("evaluation/rank", result.rank.value)
        self.logger.record("evaluation/points", result.points_luck_adjusted.value)
        self.logger.record("evaluation/placement", result.placement_luck_adjusted.value)
        if self.verbose:
            print(result)
        return True


def _tables_of(model: Any) -> SparrowhallVecEnv:
    env = model.get_env()
    while not isinstance(env, SparrowhallVecEnv):
        if env is None or not hasattr(env, "venv"):
            raise ValueError("the model has no environment of sparrowhall.sb3.make_vec_env")
        env = env.venv
    return env
