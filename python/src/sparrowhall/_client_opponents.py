"""Opponents for whom the client answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._grpc import UNLIMITED_MESSAGES, call_error, load_grpc
from sparrowhall._proto import agent_pb2 as pb
from sparrowhall._spaces import legalize
from sparrowhall.actions import action_table
from sparrowhall.batch import MATCH_OVER, Batch
from sparrowhall.client import EXTERNAL
from sparrowhall.errors import ServerError
from sparrowhall.opponents import Opponents, Pool, is_built_in, other_players, seat_names
from sparrowhall.policy import Decisions, Policy, decide
from sparrowhall.spec import Observation
from sparrowhall.tables import Tables

# Seconds in which a policy served elsewhere must answer: networks may answer thousands of rows.
_POLICY_TIMEOUT = 300.0


class ClientOpponents:
    """Opponents for whom the client answers: functions, and policies served elsewhere.

    Attributes:
        learner: The learner's player at each table, uint8, shape ``(tables,)``.
        seats: Who plays for the players of each table, as ``Client.open`` takes it.
    """

    def __init__(
        self, opponents: Opponents, seat: int | None, tables: int, seed: int, players: int
    ) -> None:
        """Assign the seats.

        Args:
            opponents: One, one for each other seat in turn order after the learner, or a pool.
            seat: The learner's player; None for ``i % players`` at table i.
            tables: Number of tables.
            seed: Seed of the draws from a pool, and of the random numbers for policies.
            players: Number of players of a table.
        """
        rng = np.random.default_rng(seed)
        if isinstance(opponents, Pool):
            weights = None
            if opponents.weights is not None:
                weights = np.array(opponents.weights) / sum(opponents.weights)
            drawn = rng.choice(len(opponents.members), (tables, players - 1), p=weights)
            chosen = [[opponents.members[k] for k in row] for row in drawn]
        else:
            chosen = [other_players(opponents, players)] * tables
        self.learner = (
            (np.arange(tables) % players).astype(np.uint8)
            if seat is None
            else np.full(tables, seat, np.uint8)
        )
        self.seats: list[str] = []
        self._policies: list[Policy | _ServedPolicy] = []
        # The policy of each player, by number; -1 for built-in players and the learner.
        self._policy_at = np.full((tables, 4), -1, np.int32)
        numbers: dict[int | str, int] = {}
        for table, others in enumerate(chosen):
            names = []
            for k, o in enumerate(others):
                if isinstance(o, str) and is_built_in(o):
                    names.append(o)
                    continue
                names.append(EXTERNAL)
                key = o if isinstance(o, str) else id(o)
                if key not in numbers:
                    numbers[key] = len(self._policies)
                    self._policies.append(_ServedPolicy(o) if isinstance(o, str) else o)
                player = (int(self.learner[table]) + 1 + k) % players
                self._policy_at[table, player] = numbers[key]
            self.seats += seat_names(names, int(self.learner[table]))
        self._seed = np.uint64(seed % 2**64)
        self._decisions = np.zeros((tables, 4), np.uint32)  # in the match
        self._calls = np.zeros((tables, 4), np.uint64)  # since the tables were opened

    def begin(self, tables: NDArray[np.intp]) -> None:
        """Count the decisions of new matches at some tables from 0."""
        self._decisions[tables] = 0

    def end(self, batch: Batch) -> None:
        """Count the decisions at tables whose matches end in a batch from 0."""
        self.begin(batch.table[(batch.flags & MATCH_OVER) != 0].astype(np.intp))

    def answer(self, tables: Tables, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Return the answers of opponents to some rows of a batch.

        Args:
            tables: The tables of the batch.
            batch: The batch.
            rows: Rows that opponents must answer, shape ``(n,)``.

        Returns:
            Action ids, uint8, shape ``(n,)``.

        Raises:
            IllegalActionError: a policy returned an action that is not legal.
            SparrowhallError: a policy returned something other than n actions.
            ServerError: a policy served elsewhere cannot be reached.
        """
        table, player = batch.table[rows], batch.player[rows]
        policy_at = self._policy_at[table, player]
        asker = table * np.uint32(4) + player
        decision = self._decisions[table, player]
        # The numbers differ, since no two rows have the same asker and number of calls.
        random = _mix(self._seed + _mix(asker.astype(np.uint64)) + self._calls[table, player])
        self._decisions[table, player] += 1
        self._calls[table, player] += np.uint64(1)
        mask = batch.mask[rows]
        actions = np.zeros(len(rows), np.uint8)
        for number in np.unique(policy_at):
            mine = np.flatnonzero(policy_at == number)
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
            if isinstance(policy, _ServedPolicy):
                policy.set_rows(batch, rows[mine])
            actions[mine] = decide(policy, decisions)
        return legalize(actions, mask.view(np.int8), "raise")[0]

    def close(self) -> None:
        """End the connections to policies served elsewhere."""
        for policy in self._policies:
            if isinstance(policy, _ServedPolicy):
                policy.close()


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of each number: the finalizer of SplitMix64."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed


class _ServedPolicy:
    """A policy served elsewhere by ``sparrowhall.agent.v1``, at ``grpc:ADDRESS``."""

    _SERVICE = "/sparrowhall.agent.v1.PolicyService/"

    def __init__(self, name: str) -> None:
        address = name.removeprefix("grpc:")
        self._peer = f"policy at {address}"
        grpc = load_grpc()
        self._rpc_error: Any = grpc.RpcError
        self._channel = grpc.insecure_channel(address, UNLIMITED_MESSAGES)
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
        self._observation: str | None = None
        self._raw: list[bytes] = []
        self._mask = b""

    def set_rows(self, batch: Batch, rows: NDArray[np.intp]) -> None:
        """Set the packed rows of the next call."""
        assert batch.spec is not None
        if self._observation is None:
            self._observation = self._negotiate(batch.spec)
        self._mask = batch.mask_bits[rows].tobytes()
        self._raw = [r[rows].tobytes() for r in batch.raw] if self._observation else []

    def _negotiate(self, spec: Observation) -> str:
        """Offer the environment's observation, and return the name that the policy accepts."""
        version, actions = action_table(spec.seats)
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
            actions=actions,
            action_table_version=version,
        )
        try:
            answer: pb.DescribeResponse = self._describe(request, timeout=_POLICY_TIMEOUT)
        except self._rpc_error as e:
            error = call_error(e, self._peer, _POLICY_TIMEOUT)
            raise ServerError(
                f"{error}; it is offered the environment's observation, {spec.name!r}"
            ) from None
        if answer.observation not in ("", spec.name):
            raise ServerError(
                f"{self._peer} requires the observation {answer.observation!r}; open the "
                f"environment with it instead of {spec.name!r}"
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
            answer: pb.ActResponse = self._act(request, timeout=_POLICY_TIMEOUT)
        except self._rpc_error as e:
            raise call_error(e, self._peer, _POLICY_TIMEOUT) from None
        return np.frombuffer(answer.action, np.uint8)

    def close(self) -> None:
        self._channel.close()
