"""gRPC, imported on first use, and the settings of this package's connections."""

from __future__ import annotations

import functools
import os
from typing import Any

from sparrowhall.errors import ServerError

# Batches of thousands of tables exceed gRPC's default limit of 4 MB.
UNLIMITED_MESSAGES = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
]
MIN_TIMEOUT = 24.0
"""The shortest time-out in seconds: a server closes connections that ping it every 10 s."""

_POLLER = "GRPC_POLL_STRATEGY"


@functools.cache
def load_grpc() -> Any:
    """Import gRPC and return the module.

    A process that is forked while streams are open dies on its first call with the poller that
    gRPC chooses on Linux. gRPC reads the choice from the environment while it is imported, so
    the variable is set for that moment only, and only if the user has not set it. Where gRPC
    was imported before, its poller stays.
    """
    chosen = os.environ.get(_POLLER)
    if chosen is None:
        os.environ[_POLLER] = "poll"
    try:
        import grpc
    finally:
        if chosen is None:
            del os.environ[_POLLER]
    return grpc


def keepalive_options(timeout: float) -> list[tuple[str, int]]:
    """Return channel options that end a stream whose server does not respond.

    Args:
        timeout: Seconds without a response to a ping after which the stream ends, at least
            ``MIN_TIMEOUT``. The server's network layer responds, so a server that is busy
            with a long request is not cut off.
    """
    # A ping after half of the time must be answered within the other half.
    half = int(1000 * timeout / 2)
    return [
        ("grpc.keepalive_time_ms", half),
        ("grpc.keepalive_timeout_ms", half),
        ("grpc.http2.ping_timeout_ms", half),
        # By default pings end after two, and a stream in shared memory carries no data.
        ("grpc.http2.max_pings_without_data", 0),
    ]


def call_error(error: Any, peer: str, timeout: float) -> ServerError:
    """Return the error for a call that failed.

    Args:
        error: gRPC's ``RpcError``.
        peer: Who was called, such as ``"server at localhost:7000"``.
        timeout: The time-out of the call in seconds.
    """
    code, details = error.code().name, error.details() or ""
    unresponsive = code == "UNAVAILABLE" and ("keepalive" in details or "ping timeout" in details)
    if unresponsive or (code == "DEADLINE_EXCEEDED" and "Deadline" in details):
        return ServerError(f"{peer} did not respond within {timeout:g} s (timeout)")
    return ServerError(f"{peer}: {code}: {details}")
