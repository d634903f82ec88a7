"""A policy for tournaments: any function from observations to actions, served over gRPC.

A parlour connects to it as the agent ``grpc:ADDRESS``::

    import sparrowhall.serve_agent as sa

    def policy(decisions):
        return choose(decisions.observation["planes"], decisions.mask)

    sa.serve_agent(policy, "localhost:9000", observation="planes").wait()

and then ``sparrowhall tournament run --agents greedy,mine=grpc:localhost:9000``.
"""

from __future__ import annotations

from concurrent import futures
from types import TracebackType
from typing import Any

import grpc
import numpy as np

from sparrowhall._proto import agent_pb2 as pb
from sparrowhall.actions import ACTIONS, MASK_BYTES, TABLE_VERSION, unpack_mask
from sparrowhall.errors import ServerError
from sparrowhall.policy import Decisions, Policy, decide
from sparrowhall.spec import Tensor

_SERVICE = "sparrowhall.agent.v1.PolicyService"
_OPTIONS = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # Two policies at one address would take turns.
    ("grpc.so_reuseport", 0),
]
_DTYPES = {"bit": "u1", "uint8": "u1", "uint16": "<u2", "int32": "<i4"}


class PolicyServer:
    """A policy that is being served, until ``stop`` or the end of a ``with`` block.

    Attributes:
        address: Where it listens, with the port that was chosen for port 0.
    """

    def __init__(
        self,
        policy: Policy,
        address: str,
        observation: str | None,
        name: str,
        credentials: grpc.ServerCredentials | None,
    ) -> None:
        self._policy = policy
        self._observation = observation
        self._name = name
        self._tensors: tuple[Tensor, ...] = ()
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
        """Stop serving. Questions that are being answered get no answer."""
        self._server.stop(None).wait()

    def __enter__(self) -> PolicyServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _describe(
        self, request: pb.DescribeRequest, context: grpc.ServicerContext
    ) -> pb.DescribeResponse:
        if list(request.actions[: len(ACTIONS)]) != list(ACTIONS):
            context.abort(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"action table {request.action_table_version}; the policy knows {TABLE_VERSION}",
            )
        if self._observation is not None:
            offered = {o.name: o for o in request.observations}
            if self._observation not in offered:
                context.abort(
                    grpc.StatusCode.FAILED_PRECONDITION,
                    f"no observation {self._observation!r}; offered: {', '.join(offered)}",
                )
            self._tensors = tuple(map(_tensor, offered[self._observation].tensors))
        return pb.DescribeResponse(name=self._name, observation=self._observation or "")

    def _act(self, request: pb.ActRequest, context: grpc.ServicerContext) -> pb.ActResponse:
        n = request.rows
        raw = (
            np.frombuffer(column, np.uint8).reshape(n, t.row_bytes)
            for t, column in zip(self._tensors, request.observation, strict=True)
        )
        decisions = Decisions(
            observation={t.name: t.decode(r) for t, r in zip(self._tensors, raw, strict=True)},
            mask=unpack_mask(np.frombuffer(request.mask, np.uint8).reshape(n, MASK_BYTES)).astype(
                bool
            ),
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
    return Tensor(
        name=message.name,
        shape=tuple(message.shape),
        dtype=np.dtype(_DTYPES[message.dtype]),
        packed=message.dtype == "bit",
        low=0,
        high=0,
        row_bytes=message.row_bytes,
        fields=(),
        fields_last=False,
        description="",
    )


def serve_agent(
    policy: Policy,
    address: str = "localhost:9000",
    observation: str | None = "planes",
    name: str = "policy",
    credentials: grpc.ServerCredentials | None = None,
) -> PolicyServer:
    """Serve a policy and return at once.

    What the policy returns must follow from each row alone, and from what it remembers of the
    same asker: how rows are put together depends on time. An exception, or an action that is not
    legal, forfeits the matches of its rows. The policy is called by one thread at a time.

    Args:
        policy: Function from ``Decisions`` to actions.
        address: ``host:port``, with port 0 for a free one, or ``unix:/path``.
        observation: Name of the encoding the policy sees; None for the legal actions alone.
        name: A name for messages.
        credentials: For TLS, which the parlour uses for ``grpc:ADDRESS?tls=on``. Without them
            listen on this machine only.

    Raises:
        ServerError: the address cannot be listened on.
    """
    return PolicyServer(policy, address, observation, name, credentials)
