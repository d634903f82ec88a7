"""Processes of one machine that learn together: each plays, and their gradients are averaged."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import pickle
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import RawArray
from typing import Any

import torch
from torch import Tensor

from sparrowhall.errors import SparrowhallError


class Team:
    """One of the processes that learn together, in step.

    ``Team.of`` makes all of them in the first process, which passes the others on as arguments of
    ``multiprocessing.get_context("spawn").Process`` and then closes its own copies; a forked one
    would not notice that the first has ended. Each process has to make the same calls. Numbers go
    through memory that is shared: by ``torch.distributed`` they take a tenth of the time of a
    small network. Everything else goes through a pipe between the first process and each other
    one, which ends when a process does.

    Attributes:
        rank: The number of the process, from 0.
        size: The number of processes.

    Examples:
        >>> from threading import Thread
        >>> import torch
        >>> from sparrowhall.learn import Team
        >>> first, second = Team.of(2, 3)
        >>> thread = Thread(target=second.mean, args=(torch.zeros(3),))
        >>> thread.start()
        >>> first.mean(torch.ones(3))
        tensor([0.5000, 0.5000, 0.5000])
        >>> thread.join()
    """

    def __init__(self, rank: int, size: int, numbers: Any, pipes: list[Connection]) -> None:
        """Use ``Team.of``.

        Args:
            rank: The number of the process.
            size: The number of processes.
            numbers: Shared memory, float32: twice as many numbers as of all means together.
            pipes: To the other processes from the first, to the first from others.
        """
        self.rank, self.size = rank, size
        self._numbers, self._pipes, self._turn = numbers, pipes, 0

    @classmethod
    def of(cls, size: int, most: int) -> list[Team]:
        """Return the members of a team, by rank.

        Args:
            size: The number of processes.
            most: The most numbers of a ``mean``: the parameters of a network.
        """
        numbers = RawArray(ctypes.c_float, 2 * size * most if size > 1 else 0)
        pipes = [multiprocessing.Pipe() for _ in range(1, size)]
        others = [cls(i, size, numbers, [end]) for i, (_, end) in enumerate(pipes, 1)]
        return [cls(0, size, numbers, [here for here, _ in pipes]), *others]

    def close(self) -> None:
        """End this member's part, which is an error in the others."""
        for pipe in self._pipes:
            pipe.close()

    def exchange(self, value: Any) -> list[Any]:
        """Return the values that the processes give, by rank, once all have.

        Raises:
            SparrowhallError: another process has ended, or failed with this error.
        """
        # Not by Connection.send, which would share tensors and keep their files open.
        mine = pickle.dumps(value)
        try:
            if self.rank > 0:
                self._pipes[0].send_bytes(mine)
                everyone = self._pipes[0].recv_bytes()
            else:
                everyone = pickle.dumps([mine, *(pipe.recv_bytes() for pipe in self._pipes)])
                for pipe in self._pipes:
                    pipe.send_bytes(everyone)
        except (EOFError, OSError) as e:
            raise SparrowhallError("another process of the run has ended") from e
        given = [pickle.loads(one) for one in pickle.loads(everyone)]
        for one in given:
            if isinstance(one, SparrowhallError):
                raise one
        return given

    def fail(self, error: SparrowhallError) -> None:
        """Let the other processes fail with an error at their next call, if there are any."""
        with contextlib.suppress(SparrowhallError):
            self.exchange(SparrowhallError(str(error)))

    def mean(self, numbers: Tensor) -> Tensor:
        """Return the means over the processes, of float32, the same to the bit in all of them.

        Args:
            numbers: Of one dimension, the same length in all processes.

        Raises:
            ValueError: the lengths differ.
            SparrowhallError: another process has ended, or failed with this error.
        """
        # The halves take turns. Before a process writes to the same half again, it has waited for
        # all others in the other half, and they had read this one by then.
        shared = torch.frombuffer(self._numbers, dtype=torch.float32).view(2, self.size, -1)
        half = shared[self._turn, :, : len(numbers)]
        self._turn ^= 1
        half[self.rank] = numbers
        lengths = self.exchange(len(numbers))
        if len(set(lengths)) > 1:
            raise ValueError(f"the processes have {lengths} numbers; required: as many in each")
        return half.mean(0).to(numbers)
