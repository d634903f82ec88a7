"""The errors this package raises."""

from __future__ import annotations


class SparrowhallError(Exception):
    """Base of all errors of this package."""


class ServerError(SparrowhallError):
    """The server cannot be found, started or reached, or has ended the stream."""


class RequestError(SparrowhallError):
    """The server refused a request. Nothing has changed, and the stream goes on.

    Attributes:
        code: Kind of error, a name of ``ErrorCode`` such as ``"ILLEGAL_ACTION"``.
        row: First row of the request at fault, or None.
        table: The table it is about, or None.
        player: The player it is about, or None.
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
