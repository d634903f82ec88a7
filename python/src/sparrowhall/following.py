"""Matches at the tables of other programs, followed by their messages."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._checks import one_integer
from sparrowhall._closing import Closing
from sparrowhall.errors import IllegalActionError, SparrowhallError
from sparrowhall.policy import Decisions, Policy, PolicyFunction, decide
from sparrowhall.server import find_binary
from sparrowhall.serving import PolicyServer
from sparrowhall.spec import Arrays

_KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"


@dataclass(frozen=True)
class Decision:
    """A decision of the player who is followed.

    Attributes:
        batch: It as a batch of one, for policies.

    Examples:
        >>> import sparrowhall
        >>> own, hidden = "1m 4m 7m 2p 5p 8p 3s 6s 9s E S W N".split(), ["?"] * 13
        >>> deal = {"type": "start_kyoku", "bakaze": "E", "kyoku": 1, "honba": 0, "kyotaku": 0}
        >>> deal |= {"oya": 0, "dora_marker": "9s", "scores": [25000] * 4}
        >>> deal |= {"tehais": [own, hidden, hidden, hidden]}
        >>> with sparrowhall.Follower("tenhou") as follower:
        ...     for event in ({"type": "start_game", "id": 0}, deal):
        ...         follower.feed(event)
        ...     decision = follower.feed({"type": "tsumo", "actor": 0, "pai": "C"})
        >>> int(decision.mask.sum())
        14
    """

    batch: Decisions

    @property
    def observation(self) -> Arrays:
        """The tensors by name, as of a table of this package; bits are unpacked."""
        return {name: tensor[0] for name, tensor in self.batch.observation.items()}

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Legal actions, bool, shape ``(180,)``, where three play ``(181,)``."""
        mask: NDArray[np.bool_] = self.batch.mask[0]
        return mask

    def text(self) -> str:
        """Return it as lines of text; see ``Decisions.text``."""
        return self.batch.text(0)


class Follower(Closing):
    """A player at the tables of another program, followed by the messages that it is sent.

    The program ``sparrowhall bot play`` rebuilds the table, so that a decision has the tensors and
    legal actions that it has at a table of this package. Tiles that the player does not see are
    unknown.

    Attributes:
        message: The answer to the last message for the other program, a line of text; ``""`` while
            a decision is not answered.
        log: Lines about the last message: what could not be followed, or where the rules differ.

    Examples:
        >>> import sparrowhall
        >>> with sparrowhall.Follower("tenhou") as follower:
        ...     follower.feed({"type": "start_game", "id": 0})
        ...     follower.message
        '{"type":"none"}'
    """

    def __init__(
        self,
        ruleset: str | Path | None = None,
        player: int = 0,
        *,
        protocol: str = "mjai",
        observation: str = "planes",
        seed: int = 1,
    ) -> None:
        """Begin to follow.

        Args:
            ruleset: Name of a preset, or the path of a ruleset file; by default that which the
                messages show.
            player: The player where the messages do not say.
            protocol: ``"mjai"``, ``"botzone"`` or ``"majiang"``.
            observation: Name of the observation, ``""`` for none.
            seed: Seed of the random numbers, as of ``sparrowhall play``.

        Raises:
            ServerError: there is no program.
        """
        self.message = ""
        self.log: list[str] = []
        program = str(find_binary())
        self._asked: Decision | None = None
        self._observation = observation
        self._actions: SimpleQueue[int] = SimpleQueue()
        self._events: SimpleQueue[Decision | str | None] = SimpleQueue()
        self._server = PolicyServer(self._ask, "localhost:0", observation, "follower", None, True)
        self._errors = tempfile.TemporaryFile("w+b")  # noqa: SIM115
        self._read = 0
        command = [program, "bot", "play", f"grpc:{self._server.address}?timeout=8760h"]
        command += ["--protocol", protocol, "--seed", str(seed), "--player", str(player)]
        command += ["--time", "0"]
        if ruleset is not None:
            command += ["--ruleset", str(ruleset)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def feed(self, event: str | bytes | Mapping[str, Any]) -> Decision | None:
        """Follow a message of the other program.

        Args:
            event: A line, or the object of one.

        Returns:
            The decision that it asks for; None if the player has none, and ``message`` is the
            answer. A decision before that was not answered is dropped.

        Raises:
            SparrowhallError: the program has ended; the message has its reason.
        """
        while self._asked is not None:
            self.answer(int(self._asked.mask.argmax()))
        line = json.dumps(event) if isinstance(event, Mapping) else event
        text = (line.encode() if isinstance(line, str) else line).strip()
        if not text or b"\n" in text:
            raise ValueError(f"event is {event!r}; allowed: one line")
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ValueError):  # _next has the reason
            self._process.stdin.write(text + b"\n")
            self._process.stdin.flush()
        return self._next()

    def answer(self, action: int) -> Decision | None:
        """Answer the decision by an action; then ``message`` is the answer for the other program.

        Returns:
            A further decision where one message has two answers: by Botzone a claim and its
            discard. Otherwise None.

        Raises:
            IllegalActionError: the action is not legal, or there is no decision.
            ValueError: it is no integer.
        """
        if self._asked is None:
            raise IllegalActionError("no decision is asked for")
        action = one_integer("action", action)
        legal = np.flatnonzero(self._asked.mask).tolist()
        if action not in legal:
            raise IllegalActionError(f"action {action} is not among {legal}")
        self._actions.put(action)
        return self._next()

    def play(
        self,
        event: str | bytes | Mapping[str, Any],
        policy: Policy | PolicyFunction,
        *,
        transfer: bool = False,
    ) -> str:
        """Follow a message, answer by a policy, and return the line for the other program.

        Raises:
            ValueError: the policy sees another observation, or is made for another ruleset
                without ``transfer=True``.
        """
        asked = self.feed(event)
        while asked is not None:
            if isinstance(policy, Policy):
                if policy.agent is None and policy.observation != self._observation:
                    raise ValueError(
                        f"the policy sees the observation {policy.observation!r}, and the follower "
                        f"has {self._observation!r}; allowed: a follower with that observation"
                    )
                policy.check_ruleset(self._server.ruleset, self._server.ruleset_hash, transfer)
            policy_of = policy if isinstance(policy, Policy) else lambda d: decide(policy, d)
            asked = self.answer(int(policy_of(asked.batch)[0]))
        return self.message

    def close(self) -> None:
        """Stop following."""
        if self._errors.closed:
            return
        self._process.kill()
        self._process.wait()
        self._actions.put(0)  # ends a call that waits, whose answer is not read any more
        self._server.stop()
        self._errors.close()

    def _next(self) -> Decision | None:
        event = self._events.get()
        self._asked = event if isinstance(event, Decision) else None
        self.message = event if isinstance(event, str) else ""
        self.log = []
        if not self._errors.closed:
            self._errors.seek(self._read)
            text = self._errors.read()
            self._read += len(text)
            self.log = text.decode(errors="replace").splitlines()
        if self._server.refusal:
            raise SparrowhallError(self._server.refusal)
        if event is None:
            self._events.put(None)
            why = "it was closed" if self._errors.closed else "; ".join(self.log)
            raise SparrowhallError(f"the follower has ended: {why}")
        return self._asked

    def _ask(self, decisions: Decisions) -> NDArray[np.int64]:
        """Hand a decision over, and wait for its action."""
        self._events.put(Decision(decisions))
        return np.array([self._actions.get()])

    def _listen(self) -> None:
        """Hand the answers of the program over."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            text = line.decode().strip()
            if text != _KEEP_RUNNING:
                self._events.put(text)
        self._events.put(None)
