"""The errors of this package."""

from __future__ import annotations


class SparrowhallError(Exception):
    """Base of all errors of this package."""


class ServerError(SparrowhallError):
    """The server cannot be found, started or reached, has ended, or does not respond."""


class RequestError(SparrowhallError):
    """The server refused a request. The tables are unchanged, and the stream continues.

    Attributes:
        code: Kind of error, a name of ``ErrorCode`` such as ``"ILLEGAL_ACTION"``.
        row: First row of the request at fault, or None.
        table: The table at fault, or None.
        player: The player at fault, or None.
    """

    def __init__(
        self,
        code: str,
        message: str,
        row: int | None = None,
        table: int | None = None,
        player: int | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.row = row
        self.table = table
        self.player = player


class IllegalActionError(SparrowhallError, ValueError):
    """An action is not legal, in an environment with ``illegal="raise"`` or by an opponent."""
