"""Plays, tournaments, sweeps and evaluations on a Ray cluster.

A run is divided into shards, as by ``--shard`` on the command line. Each shard is a task that
runs the program of its node. The shards of a node that fails are played again on another one, and
the merged dataset has the bytes that one machine would have written::

    from sparrowhall.adapters.ray import tournament

    tournament(["value", "greedy"], rounds=100_000, out="s3://bucket/runs/cup")

Initialize ``ray`` before the first call, or let that call do so. Every node needs this package.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparrowhall._extras import needs
from sparrowhall.client import PRESET, Client, connect
from sparrowhall.errors import SparrowhallError
from sparrowhall.evaluation import EVALUATION_SEED, RULESET_FILE, Contest, Evaluation
from sparrowhall.policy import Policy, PolicyFunction
from sparrowhall.server import LocalClient, find_binary, local, shared
from sparrowhall.version import __version__

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

with needs("sparrowhall.adapters.ray", "ray"):
    import ray
    from pyarrow import fs as arrow_fs
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
    from tqdm import tqdm

__all__ = ["client", "evaluate", "play", "sweep", "tournament"]

FILE_MATCHES = 4096
"""Default number of matches whose rows share a file, as on the command line."""

# Shards per core: enough for nodes of different speed to finish at about the same time.
_SHARDS_PER_CORE = 4
_MANIFEST = "manifest.json"
_NAMESPACE = "sparrowhall"

_Json = dict[str, Any]


def play(
    out: str | Path | None = None,
    *,
    ruleset: str | Path = PRESET,
    matches: int = 100,
    seed: int = 1,
    agents: Sequence[str] = (),
    record: str = "decisions",
    flags: Sequence[str] = (),
    file_matches: int = FILE_MATCHES,
    shards: int | None = None,
    filesystem: FileSystem | None = None,
    cores: int = 1,
    options: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> _Json:
    """Play matches of four agents, as ``sparrowhall play`` does.

    The same call resumes an interrupted run with its complete shards, and returns the summary of
    a complete run without playing.

    Args:
        out: Where to write the dataset: a folder that all nodes share, or a URI such as
            ``s3://bucket/runs/first``. None for the summary alone; the shards then go through
            Ray's object store.
        ruleset: A preset, or a ruleset file on this machine.
        matches: Number of matches.
        seed: Seed of the run.
        agents: Four agents; the defaults of the command line if empty.
        record: The most detailed table to write: matches, hands or decisions.
        flags: Further flags of ``sparrowhall play``, such as ``["--keep-seats"]``.
        file_matches: Matches whose rows share a file, a multiple of 64. There cannot be more
            shards than files.
        shards: Number of tasks; by default four for each core of the cluster, at most the
            number of files.
        filesystem: The ``pyarrow.fs.FileSystem`` in which ``out`` is a path, if a URI cannot
            name it.
        cores: Cores of a task.
        options: Further options of Ray for the tasks, such as ``{"resources": {"cpu_node": 1}}``.
        progress: Show a progress bar on standard error.

    Returns:
        The JSON that ``sparrowhall play merge --json`` prints.

    Raises:
        SparrowhallError: the program refuses the run, or a shard failed.

    Examples:
        >>> from sparrowhall.adapters import ray
        >>> ray.play("runs/first", ruleset="tenhou", matches=100_000)  # doctest: +SKIP
    """
    command = ["play", "--matches", str(matches), "--record", record]
    for agent in agents:
        command += ["--agent", agent]
    run = _Run(command, ruleset, seed, file_matches, flags)
    return _distribute(run, matches, shards, out, filesystem, cores, options, progress)


def tournament(
    agents: Sequence[str],
    out: str | Path | None = None,
    *,
    ruleset: str | Path = PRESET,
    rounds: int = 100,
    seed: int = 1,
    seatings: int | None = None,
    sampled: bool = False,
    repeats: bool = False,
    record: str = "matches",
    flags: Sequence[str] = (),
    file_matches: int = FILE_MATCHES,
    shards: int | None = None,
    filesystem: FileSystem | None = None,
    cores: int = 1,
    options: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> _Json:
    """Play a tournament, as ``sparrowhall tournament run`` does.

    With ``--accept``, ``--until-clear`` or ``--swiss`` in ``flags`` all tasks play in one folder,
    as by ``--share``, and end when the tournament does.

    Args:
        agents: Two agents or more.
        out: Where to write the dataset; see ``play``. With these flags a folder that all nodes see.
        ruleset: A preset, or a ruleset file on this machine.
        rounds: Number of duplicate sets of every lineup.
        seed: Seed of the tournament.
        seatings: Matches of a duplicate set: 4 or 24, where three play 3 or 6; the first of them
            if None.
        sampled: Draw the lineups at random, for many agents.
        repeats: Allow lineups with an agent more than once.
        record: The most detailed table to write.
        flags: Further flags of ``sparrowhall tournament run``.
        file_matches: Matches whose rows share a file.
        shards: Number of tasks.
        filesystem: The file system in which ``out`` is a path.
        cores: Cores of a task.
        options: Further options of Ray for the tasks.
        progress: Show a progress bar on standard error.

    Returns:
        The standings: the JSON that ``sparrowhall tournament merge --json`` prints.

    Raises:
        SparrowhallError: the program refuses the tournament, or a shard failed.
        ValueError: ``out`` is no folder, and the tournament ends or pairs by its results.

    Examples:
        >>> from sparrowhall.adapters import ray
        >>> ray.tournament(["value", "greedy"], "runs/cup")  # doctest: +SKIP
    """
    with shared().open(ruleset, observation="") as tables:
        seats = tables.seats
    seatings = seats if seatings is None else seatings
    command = ["tournament", "run", "--rounds", str(rounds), "--seatings", str(seatings)]
    command += ["--record", record] + ["--sampled"] * sampled + ["--repeats"] * repeats
    run = _Run(command, ruleset, seed, file_matches, flags, agents)
    if any(flag.partition("=")[0] in _BY_RESULTS for flag in flags):
        return _share(run, shards, out, filesystem, cores, options)
    matches = _lineups(len(agents), seats, sampled, repeats) * rounds * seatings
    return _distribute(run, matches, shards, out, filesystem, cores, options, progress)


def evaluate(
    policy: Policy | Callable[[], PolicyFunction],
    ruleset: str | Path | None = None,
    against: str | Sequence[str] = "value",
    matches: int = 2000,
    out: str | Path | None = None,
    *,
    name: str | None = None,
    transfer: bool = False,
    observation: str | None = None,
    seed: int = EVALUATION_SEED,
    record: str = "matches",
    flags: Sequence[str] = (),
    file_matches: int = 256,
    shards: int | None = None,
    filesystem: FileSystem | None = None,
    cores: int = 1,
    options: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Evaluation:
    """Measure a policy among other agents, as ``sparrowhall.evaluate`` does.

    Each task has a policy of its own, which answers decisions of many matches in one call.
    Results are reproducible only if the policy's answer to a row depends on that row alone.

    Args:
        policy: A ``Policy`` of a function or module, which is sent to the tasks; or a function
            without arguments that returns a policy. It is called in the task, where it can load a
            network.
        ruleset: A preset, or a ruleset file on this machine. By default that of a ``Policy``, else
            ``"ema_2016"``.
        against: The other agents, one or several.
        matches: Number of matches, rounded up to whole sets.
        out: Where to write the dataset; see ``play``.
        name: Name of the policy, ``"policy"`` if None. out needs one, by which the matches there
            are found: use another for other weights.
        transfer: Whether a ``Policy`` that is made for another ruleset may play.
        observation: Name of the observation of a function, ``"planes"`` if None; ``""`` for the
            legal actions alone. A ``Policy`` has its own.
        seed: Seed of the walls; see ``sparrowhall.evaluate``.
        record: The most detailed table to write.
        flags: Further flags of ``sparrowhall tournament run``.
        file_matches: Matches whose rows share a file.
        shards: Number of tasks.
        filesystem: The file system in which ``out`` is a path.
        cores: Cores of a task.
        options: Further options of Ray for the tasks, such as ``{"num_gpus": 0.25}``.
        progress: Show a progress bar on standard error.

    Returns:
        The estimates and their 95 % intervals.

    Raises:
        SparrowhallError: the program refuses the tournament, or a shard failed.
        ValueError: there is out and no name, or as of ``sparrowhall.evaluate``.

    Examples:
        >>> from sparrowhall.adapters import ray
        >>> def load():
        ...     return lambda decisions: decisions.mask.argmax(axis=1)
        >>> ray.evaluate(load, "tenhou", against="value").rank  # doctest: +SKIP
    """
    if name is None and out is not None:
        raise ValueError(
            "name is None, and out keeps matches by it; allowed: a name that no other policy in "
            "that folder has"
        )
    name = name or "policy"
    player = policy if isinstance(policy, Policy) else name
    contest = Contest(player, against, ruleset, observation, False, transfer, name)
    rounds = contest.rounds(matches)
    command = ["tournament", "run", "--single", "--rounds", str(rounds), "--record", record]
    run = _Run(command, contest.ruleset or "", seed, file_matches, flags)
    run.agents = [contest.agents[name] for name in contest.against]
    run.policy, run.policy_name, run.observation = policy, name, observation
    run.transfer = transfer
    if contest.toml is not None:
        run.ruleset, run.rules = RULESET_FILE, contest.toml
    matches = contest.matches(rounds)
    report = _distribute(run, matches, shards, out, filesystem, cores, options, progress)
    return contest.result(report)


def sweep(
    knobs: Sequence[str],
    out: str | Path | None = None,
    *,
    ruleset: str | Path = PRESET,
    matches: int = 1000,
    seed: int = 1,
    agents: Sequence[str] = (),
    flags: Sequence[str] = (),
    file_matches: int = FILE_MATCHES,
    shards: int | None = None,
    filesystem: FileSystem | None = None,
    cores: int = 1,
    options: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> _Json:
    """Measure the effects of rules, as ``sparrowhall sweep`` does.

    Args:
        knobs: The knobs to vary, each ``KEY=VALUE`` or ``KEY``.
        out: Where to write the dataset; see ``play``.
        ruleset: A preset, or a ruleset file on this machine.
        matches: Number of matches of each variant.
        seed: Seed of all runs.
        agents: Four agents; the defaults of the command line if empty.
        flags: Further flags of ``sparrowhall sweep``, such as ``["--cross"]``.
        file_matches: Matches whose rows share a file.
        shards: Number of tasks.
        filesystem: The file system in which ``out`` is a path.
        cores: Cores of a task.
        options: Further options of Ray for the tasks.
        progress: Show a progress bar on standard error.

    Returns:
        The JSON that ``sparrowhall sweep merge --json`` prints.

    Raises:
        SparrowhallError: the program refuses the sweep, or a shard failed.

    Examples:
        >>> from sparrowhall.adapters import ray
        >>> ray.sweep(["kuitan=true,false"], "runs/kuitan")  # doctest: +SKIP
    """
    command = ["sweep", "--matches", str(matches)]
    for knob in knobs:
        command += ["--knob", knob]
    for agent in agents:
        command += ["--agent", agent]
    run = _Run(command, ruleset, seed, file_matches, flags)
    return _distribute(run, matches, shards, out, filesystem, cores, options, progress)


def client() -> Client:
    """Return a client of this node's server, which the first call on the node starts.

    Environments of all workers of a node can share the server:
    ``sparrowhall.make_vec(..., client=sparrowhall.adapters.ray.client())``. The server runs until
    the cluster ends.

    Examples:
        >>> import sparrowhall
        >>> from sparrowhall.adapters import ray
        >>> env = sparrowhall.make_vec("ema_2016", 64, client=ray.client())  # doctest: +SKIP
    """
    node = ray.get_runtime_context().get_node_id()
    server = (
        ray.remote(_Server)
        .options(
            name=f"server {__version__} {node}",
            namespace=_NAMESPACE,
            get_if_exists=True,
            lifetime="detached",
            max_restarts=-1,
            max_task_retries=-1,
            num_cpus=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False),
        )
        .remote()
    )
    return connect(ray.get(server.address.remote()))


class _Server:
    """A Ray actor that owns a node's server."""

    def __init__(self) -> None:
        self._client: LocalClient | None = None

    def address(self) -> str:
        if self._client is None or not self._client.alive:
            self._client = local()
        return self._client.address


@dataclass
class _Run:
    """A command of the program that can be divided into shards."""

    command: list[str]
    ruleset: str | Path
    seed: int
    file_matches: int
    flags: Sequence[str]
    agents: Sequence[str] = ()
    policy: Policy | Callable[[], PolicyFunction] | None = None
    policy_name: str = ""
    observation: str | None = None
    transfer: bool = False
    rules: str | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        path = Path(self.ruleset)
        if path.suffix == ".toml":
            # Other nodes may not have the file.
            self.ruleset, self.rules = path.name, path.read_text(encoding="utf-8")
        self.command += ["--seed", str(self.seed), "--file-matches", str(self.file_matches)]
        self.command += self.flags

    @property
    def key(self) -> str:
        """A hash of the run, for the names of its shards."""
        agents = [self.policy_name, *self.agents]
        parts = [__version__, self.command, str(self.ruleset), self.rules, agents]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def run(self, folder: Path, cores: int, *flags: str) -> _Json:
        """Run the program.

        Args:
            folder: An empty folder for its temporary files.
            cores: Cores that it may use.
            flags: Further flags.
        """
        command = [*self.command, "--workers", str(cores)]
        if self.rules is None:
            command += ["--ruleset", str(self.ruleset)]
        else:
            file = folder / str(self.ruleset)
            file.write_text(self.rules, encoding="utf-8")
            command += ["--ruleset", str(file)]
        with contextlib.ExitStack() as stack:
            if self.policy is not None:
                from sparrowhall.serving import serve_agent

                address = f"unix:{folder}/policy.sock"
                policy = self.policy if isinstance(self.policy, Policy) else self.policy()
                server = serve_agent(policy, address, self.observation, transfer=self.transfer)
                stack.enter_context(server)
                command += ["--agent", f"{self.policy_name}=grpc:{address}"]
            command += [flag for agent in self.agents for flag in ("--agent", agent)]
            return _program([*command, *flags], cores)

    def merge(self, shards: Sequence[Path], out: Path) -> _Json:
        """Merge all shards, and return the program's summary."""
        verb = self.command[0]
        return self.summary(
            _program([verb, "merge", "--out", str(out), *map(str, sorted(shards))]), out
        )

    def summary(self, said: _Json, out: Path) -> _Json:
        """Return the program's summary of a whole run, or the luck-adjusted report of a policy."""
        return said if self.policy is None else _program(["report", "--luck=fast", str(out)])


def _lineups(agents: int, seats: int, sampled: bool, repeats: bool) -> int:
    """Return the number of lineups of a round; see docs/contests.md."""
    if sampled:
        return agents
    if repeats or agents < seats:
        return math.comb(agents + seats - 1, seats) - agents
    return math.comb(agents, seats)


def _program(command: Sequence[str], cores: int | None = None) -> _Json:
    """Run the program, and return the JSON it prints."""
    program = [str(find_binary()), *command, "--json", "--quiet"]
    if guard := shutil.which("setpriv"):
        # On Linux the program ends with its task, even if that is killed.
        program = [guard, "--pdeathsig", "KILL", *program]
    process = subprocess.Popen(
        program,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ} if cores is None else {**os.environ, "GOMAXPROCS": str(cores)},
    )
    try:
        said, errors = process.communicate()
    finally:
        process.kill()  # if this task was canceled
    if process.returncode != 0:
        raise SparrowhallError(
            errors.strip() or f"sparrowhall ended with status {process.returncode}"
        )
    answer: _Json = json.loads(said)
    return answer


@dataclass
class _Store:
    """A folder on a file system that all nodes share."""

    filesystem: FileSystem
    path: str

    @classmethod
    def of(cls, out: str | Path, filesystem: FileSystem | None) -> _Store:
        """Return the folder that a path or URI names."""
        if filesystem is not None:
            return cls(filesystem, str(out).rstrip("/"))
        if isinstance(out, str) and "://" in out:
            found, path = arrow_fs.FileSystem.from_uri(out)
            return cls(found, path.rstrip("/"))
        return cls(arrow_fs.LocalFileSystem(), str(Path(out).absolute()))

    def beside(self, suffix: str) -> _Store:
        return _Store(self.filesystem, self.path + suffix)

    def __truediv__(self, name: str) -> _Store:
        return _Store(self.filesystem, f"{self.path}/{name}")

    @property
    def is_local(self) -> bool:
        return isinstance(self.filesystem, arrow_fs.LocalFileSystem)

    def names(self) -> list[str]:
        """Return the names of the files in the folder; none if it does not exist."""
        selector = arrow_fs.FileSelector(self.path, allow_not_found=True)
        return sorted(found.base_name for found in self.filesystem.get_file_info(selector))

    def read(self) -> Any:
        """Return the JSON in this file."""
        with self.filesystem.open_input_stream(self.path) as stream:
            return json.loads(stream.readall())

    def write(self, value: Any) -> None:
        """Write JSON to this file."""
        with self.filesystem.open_output_stream(self.path) as stream:
            stream.write(json.dumps(value).encode())

    def upload(self, folder: Path) -> None:
        """Copy a local folder to this one; the manifests, which make it a dataset, come last."""
        files = [f for f in sorted(folder.rglob("*")) if f.is_file()]
        for file in sorted(files, key=lambda f: f.name == _MANIFEST):
            target = f"{self.path}/{file.relative_to(folder).as_posix()}"
            self.filesystem.create_dir(target.rpartition("/")[0])
            arrow_fs.copy_files(
                str(file),
                target,
                source_filesystem=arrow_fs.LocalFileSystem(),
                destination_filesystem=self.filesystem,
            )

    @contextlib.contextmanager
    def as_folder(self) -> Iterator[Path]:
        """Yield a local copy, or the folder itself if it is local."""
        if self.is_local:
            yield Path(self.path)
            return
        with tempfile.TemporaryDirectory(prefix="sparrowhall-") as folder:
            arrow_fs.copy_files(
                self.path,
                folder,
                source_filesystem=self.filesystem,
                destination_filesystem=arrow_fs.LocalFileSystem(),
            )
            yield Path(folder)

    def remove(self) -> None:
        self.filesystem.delete_dir(self.path)


_Files = dict[str, bytes]


def _play_shard(run: _Run, cores: int, number: int, of: int, shards: _Store | None) -> _Files:
    """Play a shard, and write it to the store or return its files."""
    with tempfile.TemporaryDirectory(prefix="sparrowhall-") as place:
        needs, made = Path(place) / "needs", Path(place) / "made"
        needs.mkdir()
        run.run(needs, cores, "--shard", f"{number}/{of}", "--out", str(made))
        if shards is None:
            files = (f for f in sorted(made.rglob("*")) if f.is_file())
            return {f.relative_to(made).as_posix(): f.read_bytes() for f in files}
        # A node that counts as lost may still play the same shard, so each writes a folder of its
        # own. The JSON file, written last, names the folder that counts.
        name = f"{number}-{uuid.uuid4().hex[:8]}"
        (shards / name).upload(made)
        (shards / f"{number}.json").write({"folder": name})
        return {}


def _merge_store(run: _Run, of: int, shards: _Store, out: _Store) -> _Json:
    """Merge the shards of a store, and remove them."""
    with contextlib.ExitStack() as stack:
        names = [(shards / f"{n}.json").read()["folder"] for n in range(1, of + 1)]
        folders = [stack.enter_context((shards / name).as_folder()) for name in names]
        if out.is_local:
            said = run.merge(folders, Path(out.path))
        else:
            place = stack.enter_context(tempfile.TemporaryDirectory(prefix="sparrowhall-"))
            said = run.merge(folders, Path(place) / "whole")
            out.upload(Path(place) / "whole")
    shards.remove()
    return said


def _merge_files(run: _Run, *shards: _Files) -> _Json:
    """Merge shards in memory."""
    with tempfile.TemporaryDirectory(prefix="sparrowhall-") as place:
        folders = [Path(place) / str(n) for n in range(len(shards))]
        for folder, files in zip(folders, shards, strict=True):
            for name, data in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
        return run.merge(folders, Path(place) / "whole")


def _finished(run: _Run, cores: int, out: _Store) -> _Json:
    """Return the program's summary of a complete run; the program refuses another run."""
    with out.as_folder() as folder, tempfile.TemporaryDirectory(prefix="sparrowhall-") as needs:
        return run.summary(run.run(Path(needs), cores, "--out", str(folder)), folder)


def _get(task: Any) -> _Json:
    """Return the result of a task, or raise the program's error."""
    try:
        result: _Json = ray.get(task)
        return result
    except ray.exceptions.RayTaskError as e:
        if isinstance(e.cause, SparrowhallError):
            raise e.cause from None
        raise


_BY_RESULTS = ("--accept", "--until-clear", "--swiss")
"""Flags of tournaments that end or pair by their results."""


def _play_shared(run: _Run, cores: int, folder: str, *flags: str) -> _Json:
    """Play a tournament with the other tasks of a folder, up to its end."""
    with tempfile.TemporaryDirectory(prefix="sparrowhall-") as needs:
        return run.run(Path(needs), cores, "--share", folder, *flags)


def _tasks(cores: int, options: Mapping[str, Any] | None) -> Callable[[Callable[..., Any]], Any]:
    """Return what makes tasks of functions, on a cluster that it connects to."""
    if not ray.is_initialized():
        ray.init()
    # Retries are for lost nodes; errors of the program are not retried.
    return lambda function: ray.remote(function).options(
        **{"num_cpus": cores, "max_retries": -1, **(options or {})}
    )


def _share(
    run: _Run,
    shards: int | None,
    out: str | Path | None,
    filesystem: FileSystem | None,
    cores: int,
    options: Mapping[str, Any] | None,
) -> _Json:
    """Play a tournament by tasks that share a folder, and return the program's summary."""
    store = None if out is None else _Store.of(out, filesystem)
    if store is None or not store.is_local:
        raise ValueError(
            f"out is {out}; a tournament that ends or pairs by its results needs a folder that "
            "all nodes see"
        )
    task = _tasks(cores, options)
    shared = store.beside(f".shared-{run.key}")
    if not shared.names() and store.names():
        return _get(task(_finished).remote(run, cores, store))
    of = shards or max(1, int(ray.cluster_resources().get("CPU", 1)) // cores)
    tasks = [task(_play_shared).remote(run, cores, shared.path) for _ in range(of)]
    try:
        for one in tasks:
            _get(one)
        said = _get(task(_play_shared).remote(run, cores, shared.path, "--out", store.path))
    except BaseException:
        for one in tasks:
            ray.cancel(one)
        raise
    shared.remove()
    return said


def _distribute(
    run: _Run,
    matches: int,
    shards: int | None,
    out: str | Path | None,
    filesystem: FileSystem | None,
    cores: int,
    options: Mapping[str, Any] | None,
    progress: bool,
) -> _Json:
    """Play all shards of a run, merge them, and return the program's summary."""
    task = _tasks(cores, options)
    files = math.ceil(matches / max(run.file_matches, 1))
    of = shards or max(
        1, min(files, _SHARDS_PER_CORE * int(ray.cluster_resources().get("CPU", 1)) // cores)
    )
    store = parts = None
    done = set[int]()
    if out is not None:
        store = _Store.of(out, filesystem)
        parts = store.beside(f".shards-{run.key}-{of}")
        there = parts.names()
        if not there and store.names():
            return _get(task(_finished).remote(run, cores, store))
        done = {int(name[:-5]) for name in there if name.endswith(".json")}

    bar = tqdm(
        total=of,
        initial=len(done),
        desc=f"{matches} matches",
        unit="shard",
        file=sys.stderr,
        mininterval=0.1 if sys.stderr.isatty() else 5,
        disable=not progress,
    )
    tasks = [
        task(_play_shard).remote(run, cores, number, of, parts)
        for number in range(1, of + 1)
        if number not in done
    ]
    with bar:
        left = list(tasks)
        try:
            while left:
                ended, left = ray.wait(left, fetch_local=False)
                for one in ended if parts is not None else ():
                    _get(one)
                bar.update(len(ended))
            if store is None or parts is None:
                return _get(task(_merge_files).remote(run, *tasks))
            return _get(task(_merge_store).remote(run, of, parts, store))
        except BaseException:
            for one in left:
                ray.cancel(one)
            raise
