"""Policies for tournaments, served over gRPC.

The program connects to a policy as the agent ``grpc:ADDRESS``::

    import sparrowhall

    def policy(decisions):
        return choose(decisions.observation["planes"], decisions.mask)

    sparrowhall.serve_agent(policy, "localhost:9000", observation="planes").wait()

and then ``sparrowhall tournament run --agents greedy,mine=grpc:localhost:9000``.
"""

from __future__ import annotations

from concurrent import futures
from typing import Any

import numpy as np

from sparrowhall._closing import Closing
from sparrowhall._grpc import UNLIMITED_MESSAGES, load_grpc
from sparrowhall._proto import agent_pb2 as pb
from sparrowhall.actions import ACTIONS, MASK_BYTES, TABLE_VERSION, unpack_mask
from sparrowhall.errors import ServerError
from sparrowhall.policy import Decisions, Exportable, Policy, PolicyFunction, decide
from sparrowhall.spec import Tensor

_SERVICE = "sparrowhall.agent.v1.PolicyService"
# Clients choose the hashes of rulesets, so that no more widths are kept than this.
_MOST_RULESETS = 256
# Without the last one two policies could listen at one address and would share its requests.
_OPTIONS = [*UNLIMITED_MESSAGES, ("grpc.so_reuseport", 0)]


class PolicyServer(Closing):
    """A policy that is served until ``stop`` or the end of a ``with`` block.

    Attributes:
        address: Address at which it listens; port 0 is replaced by the actual port.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.serve_agent(lambda d: d.mask.argmax(axis=1), "localhost:0") as server:
        ...     server.address.startswith("localhost:")
        True
    """

    def __init__(
        self,
        policy: PolicyFunction | Exportable | Policy,
        address: str,
        observation: str | None,
        name: str,
        credentials: Any,
        transfer: bool,
    ) -> None:
        """Start serving; see ``serve_agent``."""
        self._made: Policy | None = None
        if isinstance(policy, Policy):
            policy.check_alone(observation=observation)
            if policy.agent is not None:
                raise ValueError(
                    f"the program plays {policy.agent!r} itself; allowed: policies of this process"
                )
            self._made, observation = policy, policy.observation
        elif isinstance(policy, Exportable):
            observation = observation or policy.observation
        self._policy = policy.act if isinstance(policy, Exportable) else policy
        self._observation = "planes" if observation is None else observation
        self._transfer = transfer
        grpc = load_grpc()
        self._codes: Any = grpc.StatusCode
        self._name = name
        # What was asked for last, and why the policy was refused.
        self.ruleset, self.ruleset_hash, self.refusal = "", b"", ""
        self._tensors: tuple[Tensor, ...] = ()
        # Number of actions: as described last, and by the hash of each ruleset asked for since.
        self._actions = len(ACTIONS)
        self._actions_of: dict[bytes, int] = {}
        # One worker: the policy is called by one thread at a time.
        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=1), options=_OPTIONS)
        handlers = {
            "Describe": grpc.unary_unary_rpc_method_handler(
                self._describe, pb.DescribeRequest.FromString, _encode
            ),
            "Act": grpc.unary_unary_rpc_method_handler(
                self._act, pb.ActRequest.FromString, _encode
            ),
        }
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(_SERVICE, handlers),)
        )
        try:
            if credentials is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, credentials)
        except RuntimeError as e:
            raise ServerError(f"{address}: {e}") from e
        unix = address.startswith("unix:")
        self.address = address if unix else f"{address.rpartition(':')[0]}:{port}"
        self._server.start()

    def wait(self) -> None:
        """Serve until the process is interrupted or ``stop`` is called."""
        self._server.wait_for_termination()

    def stop(self) -> None:
        """Stop serving. Calls in progress get no answer."""
        self._server.stop(None).wait()

    def close(self) -> None:
        """Stop serving, as ``stop`` does."""
        self.stop()

    def _describe(self, request: pb.DescribeRequest, context: Any) -> pb.DescribeResponse:
        if list(request.actions[: len(ACTIONS)]) != list(ACTIONS):
            context.abort(
                self._codes.FAILED_PRECONDITION,
                f"action table {request.action_table_version} is not supported; "
                f"the policy has version {TABLE_VERSION}",
            )
        self._actions = len(request.actions)
        if self._observation:
            offered = {o.name: o for o in request.observations}
            if self._observation not in offered:
                self.refusal = (
                    f"the policy requires the observation {self._observation!r}; offered: "
                    f"{', '.join(offered)}"
                )
                context.abort(self._codes.FAILED_PRECONDITION, self.refusal)
            self._tensors = tuple(map(_tensor, offered[self._observation].tensors))
        return pb.DescribeResponse(name=self._name, observation=self._observation)

    def _act(self, request: pb.ActRequest, context: Any) -> pb.ActResponse:
        self.ruleset, self.ruleset_hash = request.ruleset, request.ruleset_hash
        if self._made is not None:
            try:
                self._made.check_ruleset(request.ruleset, request.ruleset_hash, self._transfer)
            except ValueError as e:
                context.abort(self._codes.FAILED_PRECONDITION, str(e))
        n = request.rows
        if len(self._actions_of) >= _MOST_RULESETS:
            self._actions_of.clear()
        actions = self._actions_of.setdefault(request.ruleset_hash[:32], self._actions)
        raw = (
            np.frombuffer(column, np.uint8).reshape(n, t.row_bytes)
            for t, column in zip(self._tensors, request.observation, strict=True)
        )
        decisions = Decisions(
            observation={t.name: t.decode(r) for t, r in zip(self._tensors, raw, strict=True)},
            mask=unpack_mask(
                np.frombuffer(request.mask, np.uint8).reshape(n, MASK_BYTES), actions
            ).astype(bool),
            player=np.frombuffer(request.player, "u1"),
            asker=np.frombuffer(request.asker, "<u4"),
            decision=np.frombuffer(request.decision, "<u4"),
            random=np.frombuffer(request.random, "<u8"),
            ruleset=request.ruleset,
            ruleset_hash=request.ruleset_hash,
        )
        return pb.ActResponse(action=decide(self._policy, decisions).tobytes())


def _encode(message: Any) -> bytes:
    encoded: bytes = message.SerializeToString()
    return encoded


def _tensor(message: pb.Tensor) -> Tensor:
    packed = message.dtype == "bit"
    return Tensor(
        name=message.name,
        shape=tuple(message.shape),
        dtype=np.dtype("u1" if packed else message.dtype).newbyteorder("<"),
        packed=packed,
        low=0,
        high=0,
        row_bytes=message.row_bytes,
        fields=(),
        fields_last=False,
        description="",
    )


def serve_agent(
    policy: PolicyFunction | Exportable | Policy,
    address: str = "localhost:9000",
    observation: str | None = None,
    name: str = "policy",
    credentials: Any = None,
    *,
    transfer: bool = False,
) -> PolicyServer:
    """Serve a policy and return at once.

    The action for a row may depend on that row and earlier rows of the same asker only: which
    rows share a call depends on timing. An exception, or an action that is not legal, forfeits
    the matches of its rows. One thread at a time calls the policy.

    Args:
        policy: A ``Policy``, a function from ``Decisions`` to actions, or a network.
        address: ``host:port``, with port 0 for a free one, or ``unix:/path``.
        observation: Name of the observation of a function, ``"planes"`` if None; ``""`` for the
            legal actions alone. A ``Policy`` has its own.
        name: A name for messages.
        credentials: gRPC's ``ServerCredentials``, for agents ``grpc:ADDRESS?tls=on``. Without
            them listen on this machine only.
        transfer: Whether a ``Policy`` also plays under other rulesets than its own; else matches
            under another one are forfeited, with an error that names both.

    Returns:
        The running server.

    Raises:
        ValueError: the program plays the policy itself, or an argument is of no use.
        ServerError: the address cannot be listened on.

    Examples:
        >>> import sparrowhall
        >>> first = lambda decisions: decisions.mask.argmax(axis=1)
        >>> server = sparrowhall.serve_agent(first, "localhost:0", observation="")
        >>> server.stop()
    """
    return PolicyServer(policy, address, observation, name, credentials, transfer)
