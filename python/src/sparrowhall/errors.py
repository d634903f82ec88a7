"""The errors of this package."""

from __future__ import annotations


class SparrowhallError(Exception):
    """Base of all errors of this package.

    Examples:
        >>> import sparrowhall
        >>> try:
        ...     sparrowhall.make_vec("no_such_rules", num_envs=2)
        ... except sparrowhall.SparrowhallError as error:
        ...     print(type(error).__name__)
        RequestError
    """


class ServerError(SparrowhallError):
    """The server cannot be found, started or reached, has ended, or does not respond.

    Examples:
        >>> import sparrowhall
        >>> try:
        ...     client = sparrowhall.connect("localhost:1", timeout=24)  # doctest: +SKIP
        ... except sparrowhall.ServerError as error:
        ...     print(error)
    """


class RequestError(SparrowhallError):
    """The server refused a request. The tables are unchanged, and the stream continues.

    Attributes:
        code: Kind of error, a name of ``ErrorCode`` such as ``"ILLEGAL_ACTION"``.
        row: First row of the request at fault, or None.
        table: The table at fault, or None.
        player: The player at fault, or None.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.local() as client:
        ...     try:
        ...         client.open("no_such_rules", tables=1)
        ...     except sparrowhall.RequestError as error:
        ...         print("no_such_rules" in str(error))
        True
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
    """An action is not legal, in an environment with ``illegal="raise"`` or by an opponent.

    Examples:
        >>> import sparrowhall
        >>> env = sparrowhall.make_vec("ema_2016", num_envs=1, illegal="raise", seed=1)
        >>> observations, info = env.reset()
        >>> try:
        ...     env.step([sparrowhall.action_id("win")])
        ... except sparrowhall.IllegalActionError:
        ...     print("no winning hand yet")
        no winning hand yet
        >>> env.close()
    """
