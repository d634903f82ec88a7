"""Opponents for whom the client answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from sparrowhall.opponents import League, Opponent, is_built_in, other_players
from sparrowhall.options import SeatOptions
from sparrowhall.policy import Decisions, Policy, PolicyFunction, decide
from sparrowhall.spec import Observation
from sparrowhall.tables import Tables

# Seconds in which a policy served elsewhere must answer: networks may answer thousands of rows.
_POLICY_TIMEOUT = 300.0


class ClientOpponents:
    """Opponents for whom the client answers, and those of a league.

    Attributes:
        learner: The learner's player at each table, uint8, shape ``(tables,)``.
        names: Names of the opponents at each table in turn order after the learner, an object
            array of shape ``(tables, players - 1)``; None without a league.
        over: Tables whose matches are over, at which opponents are to be dealt.
    """

    def __init__(self, options: SeatOptions, tables: int, seed: int) -> None:
        """Assign the seats.

        Args:
            options: Options of the environment.
            tables: Number of tables.
            seed: Seed of the draws from a league, and of the random numbers for policies.
        """
        opponents, seat, players = options.opponents, options.seat, options.seats
        self._options, self._decoder = options, options.decoder
        self._rng = np.random.default_rng(seed)
        self.league = opponents if isinstance(opponents, League) else None
        self._rotates = self.league is not None and seat is None
        self.learner = (
            (np.arange(tables) % players).astype(np.uint8)
            if seat is None
            else np.full(tables, seat, np.uint8)
        )
        self.players = players
        self.names = None if self.league is None else np.full((tables, players - 1), None, object)
        self.over = np.zeros(tables, np.bool_)
        self._entries = [""] * (players * tables)
        self._policies: list[PolicyFunction] = []
        self._numbers: dict[int | str, int] = {}
        # The policy of each player, by number; -1 for built-in players and the learner.
        self._policy_at = np.full((tables, players), -1, np.int32)
        if self.league is None:
            chosen = other_players(opponents, players)  # type: ignore[arg-type]
            for table in range(tables):
                self._seat(table, chosen)
        else:
            self._deal(range(tables))
        self._seed = np.uint64(seed % 2**64)
        self._decisions = np.zeros((tables, players), np.uint32)  # in the match
        self._calls = np.zeros((tables, players), np.uint64)  # since the tables were opened

    def entries(self, tables: Iterable[int] | None = None) -> list[str]:
        """Return who plays at some tables, or at all, as ``Client.open`` takes it."""
        if tables is None:
            return self._entries
        n = self.players
        return [entry for t in tables for entry in self._entries[n * t : n * t + n]]

    def _seat(self, table: int, others: Sequence[Opponent]) -> None:
        """Seat opponents at a table, in turn order after the learner."""
        n, learner = self.players, int(self.learner[table])
        self._policy_at[table] = -1
        self._entries[n * table + learner] = EXTERNAL
        for k, o in enumerate(others, 1):
            player = (learner + k) % n
            if isinstance(o, str) and is_built_in(o):
                self._entries[n * table + player] = o
                continue
            key = o if isinstance(o, str) else id(o)
            if key not in self._numbers:
                self._numbers[key] = len(self._policies)
                self._policies.append(_ServedPolicy(o) if isinstance(o, str) else o)
            self._policy_at[table, player] = self._numbers[key]
            self._entries[n * table + player] = EXTERNAL

    def _deal(self, tables: Iterable[int]) -> None:
        """Draw opponents from the league for new matches at some tables."""
        assert self.league is not None
        assert self.names is not None
        members = self.league.members
        seated = dict(zip(members, self._options.seated(list(members.values())), strict=True))
        names, weights = list(members), self.league.weights()
        self.names = self.names.copy()  # the caller of step owns the last one
        for table in tables:
            drawn = self._rng.choice(len(names), self.players - 1, p=weights)
            self.names[table] = [names[k] for k in drawn]
            self._seat(table, [seated[names[k]] for k in drawn])

    def begin(self, tables: NDArray[np.intp]) -> None:
        """Begin new matches at some tables: count decisions from 0, and deal opponents."""
        self._decisions[tables] = 0
        self.over[tables] = False
        if self.league is not None:
            if self._rotates:
                self.learner = self.learner.copy()
                self.learner[tables] = (self.learner[tables] + 1) % self.players
            self._deal(tables.tolist())

    def end(self, batch: Batch) -> None:
        """Read the ends of matches in a batch."""
        if not batch._last_rows:
            return
        rows = np.flatnonzero((batch.flags & MATCH_OVER) != 0)
        tables = batch.table[rows].astype(np.intp)
        self._decisions[tables] = 0
        self.over[tables] = True
        if self.league is None:
            return
        assert self.names is not None
        for row, table in zip(rows.tolist(), tables.tolist(), strict=True):
            if batch.player[row] != self.learner[table]:
                continue
            for k, name in enumerate(self.names[table].tolist(), 1):
                if (record := self.league.records.get(name)) is not None:  # else it was removed
                    record.met += 1
                    record.ahead += self._ahead(batch, row, k)

    def _ahead(self, batch: Batch, row: int, k: int) -> float:
        """Return 1 if the learner of a last row is ahead of the k-th player after it, 0.5 if even.

        Where the observation does not have the points of others, it is the share of players
        behind the learner.
        """
        spec = batch.spec
        if spec is not None and any(t.name == "amounts" for t in spec.tensors):
            points = batch.packed["amounts"][spec["amounts"].field("points")][row].tolist()
            return 0.5 + 0.5 * float(np.sign(points[0] - points[k]))
        rank = float(batch.last.shared_rank[np.searchsorted(batch.last.row, row)])
        return (self.players - rank) / (self.players - 1)

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
        asker = table * np.uint32(self.players) + player
        decision = self._decisions[table, player]
        # The numbers differ, since no two rows have the same asker and number of calls.
        random = _mix(self._seed + _mix(asker.astype(np.uint64)) + self._calls[table, player])
        self._decisions[table, player] += 1
        self._calls[table, player] += np.uint64(1)
        mask = batch.mask[rows]
        actions = np.zeros(len(rows), np.uint8)
        for number in np.unique(policy_at):
            mine = np.flatnonzero(policy_at == number)
            policy = self._policies[number]
            observation = {name: t[rows[mine]] for name, t in batch.observation.items()}
            if self._decoder and not isinstance(policy, Policy):  # which decodes for itself
                observation = self._decoder(observation)
            decisions = Decisions(
                observation=observation,
                mask=mask[mine].astype(bool),
                player=player[mine],
                asker=asker[mine].astype(np.uint32),
                decision=decision[mine],
                random=random[mine],
                ruleset=tables.ruleset.name,
                ruleset_hash=tables.ruleset.hash,
            )
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
