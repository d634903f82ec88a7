"""The id of this process, by which connections and environments notice a fork."""

from __future__ import annotations

import os

from sparrowhall.errors import ServerError


class _Process:
    """This process.

    Attributes:
        id: Its id, kept so that reading it needs no system call.
    """

    def __init__(self) -> None:
        self.id = os.getpid()

    def refresh(self) -> None:
        """Read the id again, in a process that was forked."""
        self.id = os.getpid()


CurrentProcess = _Process()  # an instance: its attributes are read faster than those of a class

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CurrentProcess.refresh)


class Fork:
    """Whether this process was forked from the one that asked last, or made this object."""

    def __init__(self) -> None:
        self._process_id = CurrentProcess.id

    def __call__(self) -> bool:
        before, self._process_id = self._process_id, CurrentProcess.id
        return before != self._process_id


def check_process(process_id: int) -> None:
    """Raise ServerError unless this process has the given id."""
    if CurrentProcess.id != process_id:
        raise ServerError(
            f"this connection was made in process {process_id} and does not outlive a fork; make "
            "clients and environments in the process that uses them, or reset an environment there"
        )
