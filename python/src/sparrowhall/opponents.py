"""Who plays against the learner: built-in players, functions of one's own, served policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import grpc
import numpy as np
from numpy.typing import NDArray

from sparrowhall._proto import agent_pb2 as pb
from sparrowhall.actions import ACTIONS, TABLE_VERSION
from sparrowhall.batch import MATCH_OVER, Batch
from sparrowhall.client import EXTERNAL, Tables
from sparrowhall.errors import ServerError
from sparrowhall.policy import Decisions, Policy, decide
from sparrowhall.spaces import legal
from sparrowhall.spec import Observation

Opponent = str | Policy
"""The name of a built-in player with its options, ``"grpc:ADDRESS"`` of a policy served
elsewhere, or a function from ``Decisions`` to actions."""


@dataclass(frozen=True)
class Pool:
    """Opponents of whom each table draws three, with replacement, when the tables are opened.

    Attributes:
        members: Who is in it. A function may change from step to step, as a learner does that
            plays against itself.
        weights: How often each is drawn, in any unit; all alike if None.
    """

    members: Sequence[Opponent]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("the pool has no members")
        if self.weights is not None:
            if len(self.weights) != len(self.members):
                raise ValueError(f"{len(self.weights)} weights for {len(self.members)} members")
            if min(self.weights) < 0 or sum(self.weights) <= 0:
                raise ValueError(f"weights are {self.weights}; wanted: none below 0, one above")


Opponents = Opponent | Sequence[Opponent] | Pool


def three(opponents: Opponents) -> list[Opponent]:
    """Return the three in turn order after the learner; opponents is no pool.

    Raises:
        ValueError: they are not one or three, or one is not a player.
    """
    assert not isinstance(opponents, Pool)
    alike = isinstance(opponents, str) or callable(opponents)
    others: list[Opponent] = [opponents] * 3 if alike else list(opponents)  # type: ignore[list-item, arg-type]
    if len(others) != 3:
        raise ValueError(f"opponents names {len(others)} players; one or three are wanted")
    _check(others)
    return others


def _check(opponents: Sequence[Opponent]) -> None:
    for o in opponents:
        if o == EXTERNAL:
            raise ValueError(
                "opponents may not be 'external': allowed are built-in players, 'grpc:ADDRESS', "
                "and functions from sparrowhall.Decisions to actions; to play all seats yourself use "
                "sparrowhall.env, sparrowhall.parallel_env or Client.open"
            )
        if not isinstance(o, str) and not callable(o):
            raise ValueError(
                f"an opponent is {o!r}; allowed: a built-in player's name, 'grpc:ADDRESS', or a "
                "function from sparrowhall.Decisions to actions"
            )


def served(opponents: Opponents) -> bool:
    """Whether the server alone can play the opponents: they are built-in players."""
    if isinstance(opponents, Pool):
        return False
    return all(isinstance(o, str) and not o.startswith("grpc:") for o in three(opponents))


def seats(others: Sequence[str], seat: int) -> list[str]:
    """Return who plays for players 0 to 3: the learner at seat, the others after him."""
    around = [EXTERNAL, *others]
    return [around[(p - seat) % 4] for p in range(4)]


def check_seat(seat: int | None) -> None:
    """Raise ValueError unless seat is one."""
    if seat is not None and not (isinstance(seat, int | np.integer) and 0 <= seat < 4):
        raise ValueError(f"seat is {seat!r}; allowed: 0, 1, 2, 3 or None")


class Guests:
    """Opponents of whom the client plays some: who sits where, and what they answer.

    Attributes:
        learner: The learner's player at each table, uint8, shape ``(tables,)``.
        seats: Who plays for players 0 to 3 of each table, as ``Client.open`` takes it.
    """

    def __init__(self, opponents: Opponents, seat: int | None, tables: int, seed: int) -> None:
        """Seat them.

        Args:
            opponents: One, three in turn order after the learner, or a pool.
            seat: The learner's; None for ``i % 4`` at table i.
            tables: How many.
            seed: Seed of what the pool deals, and of the numbers that policies draw.
        """
        rng = np.random.default_rng(seed)
        if isinstance(opponents, Pool):
            _check(opponents.members)
            weights = None
            if opponents.weights is not None:
                weights = np.array(opponents.weights) / sum(opponents.weights)
            drawn = rng.choice(len(opponents.members), (tables, 3), p=weights)
            chosen = [[opponents.members[k] for k in row] for row in drawn]
        else:
            chosen = [three(opponents)] * tables
        self.learner = (
            (np.arange(tables) % 4).astype(np.uint8)
            if seat is None
            else np.full(tables, seat, np.uint8)
        )
        self.seats: list[str] = []
        self._policies: list[Policy | _Served] = []
        self._who = np.full((tables, 4), -1, np.int32)
        numbers: dict[int | str, int] = {}
        for table, others in enumerate(chosen):
            names = []
            for k, o in enumerate(others):
                if isinstance(o, str) and not o.startswith("grpc:"):
                    names.append(o)
                    continue
                names.append(EXTERNAL)
                key = o if isinstance(o, str) else id(o)
                if key not in numbers:
                    numbers[key] = len(self._policies)
                    self._policies.append(_Served(o) if isinstance(o, str) else o)
                self._who[table, (int(self.learner[table]) + 1 + k) % 4] = numbers[key]
            self.seats += seats(names, int(self.learner[table]))
        self._seed = np.uint64(seed % 2**64)
        self._made = np.zeros((tables, 4), np.uint32)
        self._asked = np.zeros((tables, 4), np.uint64)

    def begin(self, tables: NDArray[np.intp]) -> None:
        """Take note that new matches begin at some tables."""
        self._made[tables] = 0

    def answer(self, tables: Tables, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Return the answers of the opponents who are asked in some rows of a batch.

        Raises:
            IllegalActionError: a function returned an action that is not legal.
        """
        table, player = batch.table[rows], batch.player[rows]
        who = self._who[table, player]
        asker = table * np.uint32(4) + player
        decision = self._made[table, player]
        # Each row has an asker and a number of its own, so the numbers differ.
        random = _mix(self._seed + _mix(asker.astype(np.uint64)) + self._asked[table, player])
        self._made[table, player] += 1
        self._asked[table, player] += np.uint64(1)
        mask = batch.mask[rows]
        actions = np.zeros(len(rows), np.uint8)
        for number in np.unique(who):
            mine = np.flatnonzero(who == number)
            decisions = Decisions(
                observation={name: t[rows[mine]] for name, t in batch.observation.items()},
                mask=mask[mine].astype(bool),
                player=player[mine],
                asker=asker[mine].astype(np.uint32),
                decision=decision[mine],
                random=random[mine],
                ruleset=tables.ruleset.name,
                ruleset_hash=tables.ruleset.hash,
            )
            policy = self._policies[number]
            if isinstance(policy, _Served):
                policy.see(batch, rows[mine])
            actions[mine] = decide(policy, decisions)
        return legal(actions, mask.view(np.int8), "raise")[0]

    def ended(self, batch: Batch) -> None:
        """Take note of the matches that end in a batch."""
        self._made[batch.table[(batch.flags & MATCH_OVER) != 0]] = 0

    def close(self) -> None:
        """End the connections to policies served elsewhere."""
        for policy in self._policies:
            if isinstance(policy, _Served):
                policy.close()


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look drawn by chance: the finalizer of SplitMix64."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed


class _Served:
    """A policy that is served elsewhere by ``sparrowhall.agent.v1``."""

    _SERVICE = "/sparrowhall.agent.v1.PolicyService/"

    def __init__(self, name: str) -> None:
        self._address = name.removeprefix("grpc:")
        self._channel = grpc.insecure_channel(self._address)
        self._describe = self._channel.unary_unary(
            self._SERVICE + "Describe",
            request_serializer=pb.DescribeRequest.SerializeToString,
            response_deserializer=pb.DescribeResponse.FromString,
        )
        self._act = self._channel.unary_unary(
            self._SERVICE + "Act",
            request_serializer=pb.ActRequest.SerializeToString,
            response_deserializer=pb.ActResponse.FromString,
        )
        self._wants: str | None = None
        self._raw: list[bytes] = []
        self._mask = b""

    def see(self, batch: Batch, rows: NDArray[np.intp]) -> None:
        """Take the packed rows of the decisions that are asked next."""
        assert batch.spec is not None
        if self._wants is None:
            self._wants = self._choose(batch.spec)
        self._mask = batch.mask_bits[rows].tobytes()
        self._raw = [r[rows].tobytes() for r in batch.raw] if self._wants else []

    def _choose(self, spec: Observation) -> str:
        """Offer the observation of the environment, and return what the policy takes of it."""
        request = pb.DescribeRequest(
            observations=[
                pb.Observation(
                    name=spec.name,
                    version=spec.version,
                    tensors=[
                        pb.Tensor(
                            name=t.name,
                            dtype="bit" if t.packed else t.dtype.name,
                            shape=t.shape,
                            row_bytes=t.row_bytes,
                        )
                        for t in spec.tensors
                    ],
                )
            ],
            actions=ACTIONS,
            action_table_version=TABLE_VERSION,
        )
        try:
            answer: pb.DescribeResponse = self._describe(request)
        except grpc.RpcError as e:
            raise ServerError(
                f"policy at {self._address}: {e.code().name}: {e.details()}; it is offered the "
                f"observation of the environment, {spec.name!r}"
            ) from None
        if answer.observation not in ("", spec.name):
            raise ServerError(
                f"policy at {self._address} wants the observation {answer.observation!r}; open "
                f"the environment with it, not with {spec.name!r}"
            )
        return answer.observation

    def __call__(self, decisions: Decisions) -> NDArray[np.uint8]:
        request = pb.ActRequest(
            ruleset=decisions.ruleset,
            ruleset_hash=decisions.ruleset_hash,
            rows=len(decisions),
            asker=decisions.asker.astype("<u4").tobytes(),
            player=decisions.player.astype("u1").tobytes(),
            decision=decisions.decision.astype("<u4").tobytes(),
            random=decisions.random.astype("<u8").tobytes(),
            mask=self._mask,
            observation=self._raw,
        )
        try:
            answer: pb.ActResponse = self._act(request)
        except grpc.RpcError as e:
            raise ServerError(
                f"policy at {self._address}: {e.code().name}: {e.details()}"
            ) from None
        return np.frombuffer(answer.action, np.uint8)

    def close(self) -> None:
        self._channel.close()
