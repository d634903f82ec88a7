"""Copies, forks, threads, and refusals that name what is allowed."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from conftest import in_process

import sparrowhall
from sparrowhall import server as local_server


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize("shared", [True, False])
def test_a_copy_is_an_environment_of_the_same_arguments(
    copied: Any, shared: bool, client: sparrowhall.Client
) -> None:
    where = None if shared else client
    arguments: dict[str, Any] = {"toml": 'base = "ema_2016"\nkuitan = false', "client": where}
    for env in (
        sparrowhall.make(opponents="random", **arguments),
        sparrowhall.make_vec(num_envs=3, reward="rank", **arguments),
        sparrowhall.parallel_env(episode="hand", **arguments),
        sparrowhall.make_selfplay(num_envs=2, **arguments),
    ):
        env.reset(seed=4)
        other = copied(env)
        if isinstance(env, sparrowhall.SelfPlay):
            one, two = (e.reset(seed=5).observation for e in (env, other))
        else:
            one, two = env.reset(seed=5)[0], other.reset(seed=5)[0]
        for agent in [None] if "planes" in one else list(one):
            a, b = (o if agent is None else o[agent]["observation"] for o in (one, two))
            assert (a["planes"] == b["planes"]).all()
        other.close()
        env.close()
    aec = sparrowhall.env("ema_2016", **({} if shared else {"client": client}))
    again = copied(aec)
    again.reset(seed=1)
    again.close()


def test_a_copied_client_is_one_of_the_same_server(server: sparrowhall.LocalClient) -> None:
    other = pickle.loads(pickle.dumps(server))
    assert type(other) is sparrowhall.Client
    assert other.rulesets == server.rulesets
    other.close()
    assert server.alive
    with server.open("ema_2016") as tables, pytest.raises(TypeError, match="snapshot"):
        pickle.dumps(tables)
    with pytest.raises(sparrowhall.ServerError, match="is closed"):
        _ = other.open("ema_2016")


FORKED = """
import os, sys, signal
import sparrowhall
env = sparrowhall.make("zung_jung")
vec = sparrowhall.make_vec("zung_jung", 2)
table = sparrowhall.parallel_env("zung_jung")
client = sparrowhall.local()
tables = client.open("zung_jung")
for e in (env, vec, table): e.reset(seed=1)
if (child := os.fork()) == 0:
    signal.alarm(30)
    for use in (lambda: env.step(0), lambda: client.open("zung_jung"), lambda: tables.recv()):
        try: use()
        except sparrowhall.ServerError as e: assert "does not outlive a fork" in str(e), e
        else: raise SystemExit("no error")
    for e in (env, vec, table):
        e.reset(seed=1)
        e.close()
    tables.close()
    client.close()
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
for e in (env, vec, table): e.reset(seed=2)
tables.recv()
client.open("zung_jung").recv()
print("fine")
"""


@pytest.mark.parametrize(
    ("make", "arguments", "match"),
    [
        (sparrowhall.make, {"opponents": 5}, "an opponent is 5; allowed"),
        (sparrowhall.make_vec, {"num_envs": 10**7}, "num_envs is 10000000; the server plays"),
        (sparrowhall.make_selfplay, {"num_envs": 0}, "num_envs is 0; allowed: integers from 1"),
        (sparrowhall.make_selfplay, {"num_envs": 1.5}, "num_envs is 1.5; allowed"),
        (sparrowhall.make_selfplay, {"seed": -1}, "seed is -1; allowed"),
        (sparrowhall.make_selfplay, {"shaping": float("nan")}, "shaping is nan; allowed"),
        (sparrowhall.make_selfplay, {"discount": "x"}, "discount is 'x'; allowed"),
        (sparrowhall.make_selfplay, {"client": 3}, "client is 3; allowed"),
        (sparrowhall.League, {"members": ["greedy", "greedy"]}, "has a member 'greedy' already"),
        (sparrowhall.evaluate, {"policy": "greedy", "matches": 1.5}, "matches is 1.5; allowed"),
        (sparrowhall.evaluate, {"policy": "greedy", "matches": "4"}, "matches is '4'; allowed"),
        (sparrowhall.evaluate, {"policy": "greedy", "seed": -1}, "seed is -1; allowed"),
        (sparrowhall.local, {"timeout": None}, "timeout is None; allowed: finite numbers from 24"),
        (sparrowhall.local, {"timeout": "a"}, "timeout is 'a'; allowed: finite numbers from 24"),
    ],
)
def test_a_wrong_argument_is_named(make: Any, arguments: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=re.escape(match)):
        make(**arguments)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"tables": -1}, "tables is -1; allowed"),
        ({"tables": 1.5}, "tables is 1.5; allowed"),
        ({"seed": -1}, "seed is -1; allowed"),
        ({"min_batch": -1}, "min_batch is -1; allowed"),
    ],
)
def test_a_wrong_number_for_tables_is_named(
    client: sparrowhall.Client, arguments: dict[str, Any], match: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(match)):
        client.open(**arguments)


def test_a_wrong_action_of_all_seats_is_named(client: sparrowhall.Client) -> None:
    both = sparrowhall.parallel_env("zung_jung", client=client)
    both.reset(seed=1)
    with pytest.raises(ValueError, match=r"there is no action of player_[0-3], who must answer"):
        both.step({})
    for wrong in (dict.fromkeys(both.agents, np.nan), dict.fromkeys(both.agents, 1.5)):
        with pytest.raises(ValueError, match=r"the action of player_[0-3] is .*; required: one"):
            both.step(wrong)
    table = sparrowhall.env("zung_jung", client=client)
    table.reset(seed=1)
    for other in (None, "x", np.nan, [1, 2]):
        with pytest.raises(ValueError, match=r"the action of player_[0-3] is .*; required: one"):
            table.step(other)
    for env in (both, table):
        env.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_fork_works_anew_or_says_why_not() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=90, check=False
    )
    assert done.stdout == "fine\n", done.stderr


TWINS = """
import os, sys
import numpy as np
import sparrowhall
env, vec = sparrowhall.make("zung_jung"), sparrowhall.make_vec("zung_jung", 2)
both, table = sparrowhall.parallel_env("zung_jung"), sparrowhall.env("zung_jung")
play, again = (sparrowhall.make_selfplay("zung_jung", 2) for _ in range(2))
for e in (env, vec, both, table, again): e.reset(seed=1)
env.close()
mask = np.ones((9, 180), np.uint8)
def draw():
    yield env.reset()[0]["planes"]
    yield vec.reset()[0]["planes"]
    yield both.reset()[0]["player_0"]["observation"]["planes"]
    table.reset()
    yield table.observe("player_0")["observation"]["planes"]
    yield from (e.reset().observation["planes"] for e in (play, again))
    yield from (sparrowhall.sample(mask[:n]) for n in (9, 1, 1))
def child():
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, b" ".join(drawn.tobytes().hex()[:2000].encode() for drawn in draw()))
        sys.exit(0)
    os.close(write)
    with open(read) as sent: return sent.read().split()
one, two = child(), child()
print([a != b for a, b in zip(one[:7], two)], one[7:] != two[7:])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_forked_processes_play_other_matches() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TWINS], capture_output=True, text=True, timeout=90, check=False
    )
    assert done.stdout == f"{[True] * 7} True\n", done.stderr


WORKER = """
import multiprocessing
import sparrowhall
def work():
    sparrowhall.local(transport="grpc").open("zung_jung").recv()
worker = multiprocessing.get_context("fork").Process(target=work)
worker.start()
worker.join()
print(worker.exitcode)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_worker_leaves_no_folder(tmp_path: Path) -> None:
    """One of multiprocessing, which calls nothing that atexit knows."""
    done = subprocess.run(
        [sys.executable, "-c", WORKER],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.stdout == "0\n", done.stderr
    assert not list(tmp_path.iterdir())


def test_an_interrupted_start_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, started = sparrowhall.find_binary(), []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)
            read, self.stdout = self.stdout, Mock()
            assert read is not None
            read.close()
            self.stdout.readline.side_effect = KeyboardInterrupt

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(local_server.subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        sparrowhall.local(program)
    assert started[0].returncode is not None
    assert not list(tmp_path.iterdir())
    assert not [t for t in threading.enumerate() if isinstance(t, threading.Timer) and not t.daemon]


INTERRUPTED = """
import random, signal, sys
import gymnasium, numpy as np, sparrowhall
transport = sys.argv[1]
class Interrupt(BaseException): pass
armed, rng = False, random.Random(1)
def handle(*_):
    if armed: raise Interrupt
signal.signal(signal.SIGALRM, handle)

def interrupted(step, longest):
    global armed
    try:
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(2e-5, longest))
            while True: step()
        finally: armed = False
    except Interrupt: return
    raise SystemExit("no interrupt")

# Tables: after a reset they play on, however many calls were interrupted.
with sparrowhall.local(transport=transport) as client, client.open("zung_jung", 3) as tables:
    batch = tables.recv()
    def act():
        global batch
        batch = tables.act(batch, sparrowhall.sample(batch.mask_words))
    stale = 0
    for _ in range(400):
        interrupted(act, 3e-4)
        try: act()
        except sparrowhall.RequestError as e:
            assert "as Ctrl-C does, call reset" in str(e), e
            stale += 1
            batch = tables.reset(np.arange(3))
            assert batch.table.max() == 2
            act()
    assert stale

# Environments: a step raises until there is a reset.
def first(decisions): return decisions.mask.argmax(axis=1)
league = sparrowhall.League({"first": first, "greedy": "greedy"})
for opponents in ("greedy", first, league):
    env = sparrowhall.make_vec(
        "zung_jung", 4, opponents=opponents, transport=transport, episode="hand", seed=1
    )
    env.reset()
    def step(): env.step(sparrowhall.sample(env.action_masks()))
    stale = 0
    for _ in range(60):
        interrupted(step, 6e-3)
        try: step()
        except gymnasium.error.ResetNeeded as e:
            assert "in the middle: call reset" in str(e), e
            stale += 1
            env.reset()
            step()
    assert stale
    env.close()
selfplay = sparrowhall.make_selfplay("zung_jung", 4, transport=transport, seed=1)
turn = selfplay.reset()
def play():
    global turn
    turn = selfplay.step(sparrowhall.sample(turn.mask_words))
for _ in range(60):
    interrupted(play, 3e-3)
    try: play()
    except (sparrowhall.RequestError, ValueError) as e:
        assert "call reset" in str(e) or "not (" in str(e), e
        turn = selfplay.reset()
        play()
print("fine")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no timers with signals")
@pytest.mark.parametrize("transport", ["inprocess", "shared"])
def test_an_interrupt_at_any_moment_leaves_tables_usable(transport: str) -> None:
    if transport == "inprocess":
        in_process().close()
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, transport],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "fine\n", done.stderr


def test_an_exception_of_a_policy_needs_a_reset(client: sparrowhall.Client) -> None:
    raising = False

    def policy(decisions: sparrowhall.Decisions) -> Any:
        if raising:
            raise OSError("no network")
        return decisions.mask.argmax(axis=1)

    def play(env: Any, obs: Any) -> None:
        for _ in range(20):
            obs, *_ = env.step(sparrowhall.sample(obs["action_mask"]))

    for env in (
        sparrowhall.make("zung_jung", opponents=policy, client=client),
        sparrowhall.make_vec("zung_jung", 3, opponents=policy, client=client),
    ):
        obs, _ = env.reset(seed=1)
        raising = True
        with pytest.raises(OSError, match="no network"):
            play(env, obs)
        raising = False
        with pytest.raises(gymnasium.error.ResetNeeded, match="in the middle: call reset"):
            env.step(sparrowhall.sample(obs["action_mask"]))
        play(env, env.reset()[0])
        env.close()


def test_a_reward_that_raises_needs_a_reset(client: sparrowhall.Client) -> None:
    raising = False

    def reward(moves: sparrowhall.Moves) -> Any:
        if raising:
            raise OSError("no reward")
        return moves.points

    env = sparrowhall.parallel_env("zung_jung", reward=reward, client=client)
    env.reset(seed=1)

    def step() -> None:
        env.step({a: sparrowhall.sample(env._table.observe(a)["action_mask"]) for a in env.agents})

    step()
    raising = True
    with pytest.raises(OSError, match="no reward"):
        step()
    raising = False
    with pytest.raises(gymnasium.error.ResetNeeded, match="in the middle: call reset"):
        step()
    env.reset()
    step()
    env.close()


@pytest.mark.parametrize("transport", ["inprocess", "shared", "grpc"])
def test_closed_tables_are_named(transport: Any) -> None:
    if transport == "inprocess":
        in_process().close()
    with sparrowhall.local(transport=transport) as client:
        tables, others = client.open(), client.open()
        batch, other = tables.recv(), others.recv()
        tables.close()
        for use in (tables.recv, lambda: tables.act(batch, [0]), lambda: tables.inspect(0, 0)):
            with pytest.raises(sparrowhall.ServerError, match="the tables are closed"):
                use()
    with pytest.raises(sparrowhall.ServerError, match="the tables are closed"):
        others.act(other, [0])


def test_threads_share_one_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "_shared", {})
    pids, played = [], []
    together = threading.Barrier(6)

    def play(seed: int) -> None:
        together.wait()
        pids.append(id(local_server.shared()))
        env = sparrowhall.make_vec("zung_jung", 2)
        obs, _ = env.reset(seed=seed)
        for _ in range(10):
            obs, *_ = env.step(sparrowhall.sample(obs["action_mask"], np.random.default_rng(1)))
        played.append(seed)
        env.close()

    threads = [threading.Thread(target=play, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert sorted(played) == list(range(6))
    assert len(set(pids)) == 1
    local_server.shared().close()


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"opponents": "external"}, "an opponent is 'external'; allowed: a built-in player's name"),
        ({"opponents": ["greedy", 3, "value"]}, "an opponent is 3; allowed"),
        ({"opponents": []}, "0 players; allowed at a table of four: one or three"),
        ({"illegal": "foo"}, "illegal is 'foo'; allowed: 'default', 'raise'"),
        ({"seat": 1.5}, "seat is 1.5; allowed: 0, 1, 2, 3 or None"),
        ({"reward": "foo"}, "reward is 'foo'; allowed: 'points', 'points_clipped',"),
        ({"observation": "text"}, "allowed: planes, events, features.*render_mode='ansi'"),
        ({"episode": "round"}, "episode is 'round'; allowed: 'match', 'hand'"),
    ],
)
def test_arguments_are_refused(
    arguments: dict[str, Any], match: str, client: sparrowhall.Client
) -> None:
    for make in (sparrowhall.make, sparrowhall.make_vec):
        with pytest.raises(ValueError, match=match):
            make("ema_2016", client=client, **arguments).reset()


def test_arguments_of_one_kind_are_refused(client: sparrowhall.Client) -> None:
    with pytest.raises(ValueError, match="'foo'; allowed: 'ansi', 'rgb_array', 'human'"):
        sparrowhall.make(render_mode="foo", client=client)
    with pytest.raises(ValueError, match="'foo'; allowed: 'NextStep', 'SameStep'"):
        sparrowhall.make_vec(autoreset_mode="foo", client=client)
    with pytest.raises(ValueError, match="num_envs is 0; allowed: integers from 1"):
        sparrowhall.make_vec(num_envs=0, client=client)
    with pytest.raises(ValueError, match="max_cycles is 0"):
        sparrowhall.env(max_cycles=0, client=client)
    with pytest.raises(ValueError, match="illegal is 'foo'"):
        sparrowhall.parallel_env(illegal="foo", client=client)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="oponents"):
        sparrowhall.make(oponents="greedy", client=client)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"episode": "round"}, "episode is 'round'; allowed: 'match', 'hand'"),
        ({"shaping": "much"}, "shaping is 'much'; allowed: finite numbers"),
        ({"discount": float("nan")}, "discount is nan; allowed: finite numbers"),
        ({"client": "localhost:9000"}, "client is 'localhost:9000'; allowed: a sparrowhall.Client"),
        ({"observation": 3}, "unknown observation 3; allowed: planes"),
        ({"toml": "base = 3"}, "base"),
        ({"ruleset": "tenho"}, "tenhou"),
    ],
)
def test_every_environment_checks_arguments_when_they_are_passed(
    arguments: dict[str, Any], match: str, client: sparrowhall.Client
) -> None:
    for make in (sparrowhall.make, sparrowhall.make_vec, sparrowhall.env, sparrowhall.parallel_env):
        with pytest.raises((ValueError, sparrowhall.RequestError), match=match):
            make(**{"client": client, **arguments})


def test_seeds_are_checked_when_they_are_passed(client: sparrowhall.Client) -> None:
    for seed in (-1, 2**64, 0.5, "1"):
        for make in (sparrowhall.make, sparrowhall.make_vec):
            with pytest.raises(ValueError, match=r"seed is .*; allowed: integers from 0 to 1844"):
                make(seed=seed, client=client)
    with pytest.raises(ValueError, match="a seed is -1; allowed"):
        sparrowhall.make_vec(num_envs=2, client=client).reset(seed=[1, -1])
    with pytest.raises(ValueError, match="seed is -1; allowed"):
        sparrowhall.parallel_env(client=client).reset(seed=-1)


def test_importing_leaves_the_process_alone() -> None:
    """gRPC is imported by the first client, and the choice of its poller stays in this process."""
    script = (
        "import os, sys, sparrowhall, sparrowhall.gym, sparrowhall.serving\n"
        "before = dict(os.environ)\n"
        "assert 'grpc' not in sys.modules\n"
        "sparrowhall.local(transport='shared').close()\n"
        "assert 'grpc' in sys.modules\n"
        "assert dict(os.environ) == before\n"
        "assert 'GRPC_POLL_STRATEGY' not in before\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "GRPC_POLL_STRATEGY"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


def test_what_is_passed_later_is_refused(client: sparrowhall.Client) -> None:
    env, vec = sparrowhall.make(client=client), sparrowhall.make_vec(num_envs=3, client=client)
    with pytest.raises(ValueError, match="option of reset is 'foo'; allowed: none"):
        env.reset(options={"foo": 1})
    with pytest.raises(ValueError, match="option of reset is 'foo'; allowed: 'reset_mask'"):
        vec.reset(options={"foo": 1})
    with pytest.raises(ValueError, match="required: bool of shape \\(3,\\)"):
        vec.reset(options={"reset_mask": [True]})
    with pytest.raises(ValueError, match="2 seeds for 3"):
        vec.reset(seed=[1, 2])
    env.reset(seed=1)
    vec.reset(seed=1)
    with pytest.raises(ValueError, match="required: one integer"):
        env.step([0, 1])
    with pytest.raises(ValueError, match="required: one integer"):
        env.step(1.5)
    with pytest.raises(ValueError, match="required: integers of shape \\(3,\\)"):
        vec.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="required: integers of shape \\(3,\\)"):
        vec.step(np.zeros(3))
    env.close()
    vec.close()
