"""Training from the command line.

``python -m sparrowhall.learn imitate|improve|ppo|curves|export|evaluate``.
"""

from __future__ import annotations

import argparse
import copy
import csv
import importlib.util
import inspect
import json
import multiprocessing
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment, unused-ignore]
try:
    from torch.utils import tensorboard
except ModuleNotFoundError:
    tensorboard = None  # type: ignore[assignment, unused-ignore]

import sparrowhall
from sparrowhall._checks import check_integer, check_number
from sparrowhall._files import replacing
from sparrowhall._network_files import in_order
from sparrowhall.client import PRESET
from sparrowhall.errors import SparrowhallError
from sparrowhall.evaluation import EVALUATION_SEED
from sparrowhall.learn.checkpoint import optimizer_state, restore_optimizer
from sparrowhall.learn.experience import REWARDS
from sparrowhall.learn.imitation import check_rulesets, imitate
from sparrowhall.learn.improvement import improve, read_pairs, unit_of
from sparrowhall.learn.network import Network, export
from sparrowhall.learn.ppo import PPO, join
from sparrowhall.learn.team import Team
from sparrowhall.learn.tiles import TileNetwork
from sparrowhall.opponents import Record

RUN_VERSION = 6
"""Version of the state and the network of a run."""

Tensors = dict[str, torch.Tensor]
Loaded = tuple[Tensors, dict[str, Any]] | None
"""The tensors and the figures of the state of a run, if it has any."""


class Run:
    """A folder with the state of a training, from which it can be resumed, and its log."""

    def __init__(self, folder: Path, settings: dict[str, str], wandb: str = "") -> None:
        """Open the folder, which is new or has a run with the same settings.

        Args:
            folder: The folder.
            settings: What a resumed run must repeat.
            wandb: Project of Weights & Biases that gets the log as well; empty for none.

        Raises:
            ValueError: another process writes to the folder.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.settings = folder, settings
        # A link at its place leads to a file that is not of the run.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        self._lock = os.fdopen(os.open(folder / "lock", flags, 0o666), "w")
        try:
            if fcntl is not None:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(
                f"another run writes to {folder}; wait until it ends, or use another --out"
            ) from None
        self._state = folder / "state.safetensors"
        self._log = folder / "log.csv"
        self._board: Any = None
        self._wandb: Any = None
        self._project = wandb
        if wandb and importlib.util.find_spec("wandb") is None:
            raise ValueError("--wandb needs Weights & Biases: pip install wandb")

    def start_wandb(self) -> None:
        """Begin to log to Weights & Biases, or go on with the run there, if it was asked for."""
        if not self._project:
            return
        import wandb

        known = self.folder / "wandb-id"
        if not known.exists():
            with replacing(known) as new:
                new.write_text(wandb.util.generate_id(), encoding="utf-8")
        self._wandb = wandb.init(
            project=self._project,
            name=self.folder.name,
            dir=str(self.folder),
            config=self.settings,
            id=known.read_text(encoding="utf-8"),
            resume="allow",
        )

    def load(self) -> Loaded:
        """Return the saved state, None for a new run; and drop later rows of the log."""
        if not self._state.exists():
            # A run that was killed between its first log and save has logged one row.
            if self._log.exists():
                lines = self._log.read_bytes().splitlines()
                if len(lines) > 2 or (lines and not lines[0].startswith((b"stage,", b"epoch,"))):
                    raise ValueError(f"{self._log} is not of a run to resume; use another --out")
            self._log.unlink(missing_ok=True)
            return None
        try:
            with safe_open(self._state, "pt") as f:
                state = json.loads(f.metadata()["run"])
                tensors = {name: f.get_tensor(name) for name in f.keys()}  # noqa: SIM118
        except Exception as e:  # what is raised depends on where the damage is
            raise ValueError(
                f"{self._state} is damaged: {e}; remove the folder to start again"
            ) from e
        if state.get("version") != RUN_VERSION:
            raise ValueError(
                f"{self.folder} was started by another version of this package; use another --out"
            )
        others = [
            f"{name} was {before}"
            for name, before in state["settings"].items()
            if self.settings.get(name) != before
        ]
        if others or state["settings"].keys() != self.settings.keys():
            raise ValueError(
                f"{self.folder} was started with other settings ({', '.join(others)}); use the "
                "same to resume it, or another --out"
            )
        # A run that was killed between log and save repeats what it has logged.
        if "logged" in state and self._log.exists():
            os.truncate(self._log, min(state["logged"], self._log.stat().st_size))
        return tensors, state

    def say_if_complete(self, complete: bool) -> None:
        """Print that nothing is left to do, if nothing is."""
        if complete:
            print(f"{self.folder} is complete; another --out begins a new run", flush=True)

    def save(self, tensors: Tensors, **where: Any) -> None:
        """Save the state, by renaming a complete file."""
        state = {
            "version": RUN_VERSION,
            "settings": self.settings,
            "logged": self._log.stat().st_size if self._log.exists() else 0,
            **where,
        }
        write_tensors(self._state, tensors, {"run": json.dumps(state)})

    def log(self, figures: dict[str, Any]) -> None:
        """Append a row to log.csv, to TensorBoard if it is installed, and print it."""
        new = not self._log.exists()
        with self._log.open("a", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, list(figures))
            if new:
                writer.writeheader()
            writer.writerow(figures)
        if tensorboard is not None:
            with self._log.open(encoding="utf-8") as f:
                row = sum(1 for _ in f) - 1
            self._board = self._board or tensorboard.SummaryWriter(str(self.folder))
            for name, value in figures.items():
                self._board.add_scalar(name, value, row)
            self._board.flush()
        if self._wandb is not None:
            self._wandb.log(figures)
        print("  ".join(f"{k} {v:.4g}" for k, v in figures.items()), flush=True)


def write_tensors(path: Path, tensors: Tensors, metadata: dict[str, str]) -> None:
    """Write a file of tensors by renaming a complete one. The same tensors make the same bytes."""
    data = save({k: t.contiguous() for k, t in tensors.items()}, metadata)
    with replacing(path) as new:
        new.write_bytes(in_order(data))


def program(arguments: Sequence[str]) -> None:
    """Run the program; exit with its status if it fails."""
    done = subprocess.run([str(sparrowhall.find_binary()), *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def settings(o: argparse.Namespace) -> dict[str, str]:
    """Return the settings that a resumed run must repeat."""
    free = ("do", "out", "device", "threads", "wandb")
    return {name: str(value) for name, value in vars(o).items() if name not in free}


def save_network(
    run: Run, network: Network, optimizer: torch.optim.Optimizer, **where: Any
) -> None:
    """Save the network of a run and then its state: a run that was killed between repeats both."""
    network.save(run.folder / "network.pt")
    tensors = {f"network.{k}": v for k, v in network.state_dict().items()}
    tensors |= optimizer_state(optimizer)
    run.save(tensors, family=network.family, margin=network.margin, **where)


def restore_network(network: Network, tensors: Tensors, state: dict[str, Any]) -> None:
    """Give a network what save_network has saved."""
    weights = {k.removeprefix("network."): v for k, v in tensors.items() if k[:8] == "network."}
    network.load_state_dict(weights)
    network.family, network.margin = state["family"], state["margin"]


def check_training(o: argparse.Namespace) -> None:
    """Raise ValueError unless the numbers of imitate or improve are in bounds."""
    for name in ("matches", "epochs", "batch"):
        check_integer(f"--{name}", getattr(o, name), 1)
    check_number("--rate", o.rate, 0, 1)
    for name in ("unit", "anchor", "margin"):
        if name in vars(o):
            check_number(f"--{name}", getattr(o, name), 0)


def fill_in(o: argparse.Namespace, files: Sequence[Path], **usual: object) -> str | None:
    """Give the options of matches that a run plays their defaults; refuse them with files.

    Returns:
        The ruleset that the files must be of, None for any.
    """
    ruleset: str | None = o.ruleset if files else None
    for name, value in {"ruleset": PRESET, **usual}.items():
        if getattr(o, name) is None:
            setattr(o, name, value)
        elif files and name != "ruleset":
            raise ValueError(
                f"--{name} is for matches that the run plays; leave it out with {files[0]}"
            )
    return ruleset


def check_input(network: Path | None, out: Path) -> None:
    """Raise ValueError if a run would write its network over the one that it begins with."""
    if network is not None and network.resolve().parent == out.resolve():
        raise ValueError(
            f"{network} lies in --out, where the run writes its own; use another --out"
        )


def run_imitate(o: argparse.Namespace) -> None:
    """Train a network by imitation."""
    ruleset = fill_in(o, o.data, agent="expert", matches=2000)
    check_training(o)
    torch.manual_seed(o.seed)
    network = Network(o.observation, width=o.width, whole=o.whole, blocks=o.blocks)
    network.to(o.device)
    run = Run(o.out, settings(o))
    loaded = run.load()
    data = [str(d) for d in o.data]
    if not data:
        played = o.out / "played"
        data = [str(played)]
        command = ["play", "--ruleset", o.ruleset, "--matches", str(o.matches)]
        command += ["--seed", str(o.seed), "--quiet", "--out", str(played)]
        for _ in range(4):
            command += ["--agent", o.agent]
        program(command)  # resumes an incomplete dataset
    elif ruleset is not None:
        check_rulesets(data, ruleset)
    optimizer = torch.optim.Adam(network.parameters(), lr=o.rate)
    epoch = step = steps = 0
    if loaded is not None:
        tensors, state = loaded
        restore_network(network, tensors, state)
        restore_optimizer(optimizer, tensors)
        epoch, step, steps = state["epoch"], state["step"], state["steps"]

    def save(**where: int) -> None:
        save_network(run, network, optimizer, steps=steps, **where)

    run.say_if_complete(epoch >= o.epochs)

    for e in range(epoch, o.epochs):
        rows = sparrowhall.dataset(
            data, observation=o.observation, batch=o.batch, shuffle=20_000, seed=o.seed + e
        )
        # The first epoch counts the batches.
        rate, last = (o.rate * min(1, (o.epochs - n) / max(1, o.epochs - 1)) for n in (e, e + 1))
        learning = imitate(
            network,
            rows,
            rate=rate,
            last=last if e else None,
            steps=steps,
            skip=step,
            optimizer=optimizer,
        )
        for now in learning:
            run.log({"epoch": e, **asdict(now)})
            save(epoch=e, step=now.step)
            step = now.step
        if not e:
            if not step:
                raise ValueError(
                    "nothing is left to learn from, since some matches are held out; use more "
                    "matches, by --matches or other datasets"
                )
            steps = step
        step = 0
        save(epoch=e + 1, step=0)


def run_improve(o: argparse.Namespace) -> None:
    """Train a network on paired rollouts."""
    agents = ["expert", "value", "value", "value"]
    ruleset = fill_in(o, o.pairs, agents=agents, matches=8000)
    check_training(o)
    check_input(o.network, o.out)
    run = Run(o.out, settings(o))
    loaded = run.load()
    before = Network.load(o.network, o.device)  # fails early if it is missing
    files = [str(file) for file in o.pairs]
    if not files:
        played = o.out / "played.pairs"
        files = [str(played)]
        if not played.exists():  # an incomplete file has another name and is resumed
            command = ["train", "pairs", "--ruleset", o.ruleset, "--matches", str(o.matches)]
            command += ["--seed", str(o.seed), "--agents", ",".join(o.agents)]
            program([*command, "--quiet", "--out", str(played)])
    network, state = copy.deepcopy(before), {"unit": o.unit, "epoch": 0}
    if loaded is not None:
        tensors, state = loaded
        restore_network(network, tensors, state)
    run.say_if_complete(state["epoch"] >= o.epochs)
    for old in o.out.glob("columns-*"):  # of a run that was killed
        shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(
        prefix="columns-", dir=o.out, ignore_cleanup_errors=True
    ) as columns:
        pairs = read_pairs(files, network, columns, ruleset)
        if not state["unit"]:
            state["unit"] = unit_of(network, pairs)
            print(f"{state['unit']:.4g} points per unit of logits", flush=True)
        optimizer = torch.optim.Adam(network.parameters(), lr=o.rate)
        if loaded is not None:
            restore_optimizer(optimizer, tensors)
        learning = improve(
            network,
            pairs,
            unit=state["unit"],
            margin=o.margin,
            anchor=o.anchor,
            before=before,
            epochs=o.epochs,
            batch=o.batch,
            rate=o.rate,
            seed=o.seed,
            optimizer=optimizer,
            skip=state["epoch"],
        )
        for epoch, now in enumerate(learning, state["epoch"]):
            run.log({"epoch": epoch, **asdict(now)})
            save_network(run, network, optimizer, unit=state["unit"], epoch=epoch + 1)
        del pairs, learning  # else Windows does not remove the files


def run_ppo(o: argparse.Namespace) -> None:
    """Train a network by self-play."""
    if o.processes > 1:
        # Each plays with one thread of Go, as each learns with its own. Go reads this when the
        # library is loaded, which the checks do.
        os.environ.setdefault("GOMAXPROCS", "1")
    check_ppo(o)
    # Opened before the other processes start: otherwise they fail as well when it is refused.
    run = Run(o.out, settings(o), o.wandb)
    loaded = run.load()
    run.start_wandb()
    most = sum(p.numel() for p in network_of(o).parameters())
    team, *others = Team.of(o.processes, most)
    processes = []
    for other in others:
        spawned = multiprocessing.get_context("spawn")
        processes.append(spawned.Process(target=join_in, args=(o, other), daemon=True))
        processes[-1].start()
        other.close()
    try:
        train(o, team, run, loaded)
    finally:
        for process in processes:
            process.terminate()  # it has nothing to save
            process.join()


def check_ppo(o: argparse.Namespace) -> None:
    """Raise ValueError unless a run can begin: none fails at its first stage with opponents."""
    for name in ("decisions", "stage", "matches", "processes"):
        check_integer(f"--{name}", getattr(o, name), 1)
    # A network of these sizes fits in memory.
    check_integer("--width", o.width, 1, 4096)
    check_integer("--whole", o.whole, 1, 16384)
    check_integer("--walls", o.walls, 0, 2**64 - 1)
    check_input(o.network, o.out)
    if not 0 <= o.selfplay <= 1:
        raise ValueError(f"--selfplay is {o.selfplay}; allowed: 0 to 1")
    network = network_of(o)
    try:
        learner = learner_of(o, network, tables=min(o.tables, 1))
    except ValueError as e:
        # The first word is an argument of PPO, most of which have their options.
        said = str(e)
        raise ValueError(f"--{said}" if said.split()[0] in vars(o) else said) from None
    try:
        for option, names in (("--against", [o.against]), ("--opponents", o.opponents)):
            for name in names:
                other = "tsumogiri" if name == "random" else "random"
                sparrowhall.evaluate(other, o.ruleset, name, matches=1, progress=False)
                # Opponents sit at the tables of the learner, which take fewer players.
                if option == "--opponents":
                    learner.reset(0, sparrowhall.League({name: name}))
    except (sparrowhall.SparrowhallError, ValueError) as e:
        raise ValueError(f"{option}: {e}") from None
    finally:
        learner.close()


def network_of(o: argparse.Namespace) -> TileNetwork:
    """Return the network that a run begins with."""
    torch.manual_seed(o.seed)
    network = TileNetwork(o.observation, width=o.width, whole=o.whole)
    network.to(o.device)
    if o.network is not None:
        weights = weights_of(o)
        try:
            network.load_state_dict(weights)
        except RuntimeError as e:
            raise ValueError(f"{o.network} is damaged: it lacks tensors of its network") from e
    return network


def learner_of(
    o: argparse.Namespace, network: TileNetwork, tables: int, team: Team | None = None
) -> PPO:
    """Return the learner of a run."""
    return PPO(
        network,
        o.ruleset,
        tables=tables,
        episode=o.episode,
        reward=o.reward,
        total=o.decisions,
        batch=o.batch,
        steps=o.steps,
        epochs=o.epochs,
        rate=o.rate,
        trace=o.trace,
        potential=o.potential,
        entropy=o.entropy,
        anchor=o.anchor,
        clip=o.clip,
        seed=o.seed,
        team=team,
    )


def join_in(o: argparse.Namespace, team: Team) -> None:
    """Train as one of several processes, but the first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    torch.set_num_threads(o.threads)
    try:
        train(o, team)
    except SparrowhallError as e:
        team.fail(e)


def train(o: argparse.Namespace, team: Team, run: Run | None = None, loaded: Loaded = None) -> None:
    """Train a network by self-play, alone or as one of several processes.

    Args:
        o: The options.
        team: The processes.
        run: The folder, None in all processes but the first.
        loaded: The state that the first process has loaded from it.
    """
    loaded = team.exchange(loaded)[0]
    network = network_of(o)
    league = sparrowhall.League({name: name for name in o.opponents}, sampling="hard")
    learner = learner_of(o, network, o.tables, team)
    stage, spent = 0, 0.0
    if loaded is not None:
        tensors, state = loaded
        learner.restore(tensors)
        stage, spent = state["stage"], state["cpu"]
        for name, record in state["records"].items():
            league.records[name] = Record(*record)
    if run is not None:
        run.say_if_complete(learner.decisions >= o.decisions)
    while learner.decisions < o.decisions:
        # Each stage has matches and random numbers of its own, so that a killed run repeats it.
        alone = learner.decisions < o.selfplay * o.decisions or not o.opponents
        learner.reset(
            int(np.random.SeedSequence([o.seed, stage]).generate_state(1)[0]),
            None if alone else league,
        )
        # A batch may be as large as several stages, each of which has one update at least.
        reports = [learner.update()]
        while learner.decisions < min((stage + 1) * o.stage, o.decisions):
            reports.append(learner.update())
        stage += 1
        learner.note_results()
        joined = join(reports)
        spent += joined.cpu * o.processes
        if run is None:
            continue
        # What is measured is the player that others get, not the module.
        player = run.folder / "player.safetensors"
        learner.policy.save(player, training=settings(o))
        result = sparrowhall.evaluate(
            f"net:{player}", o.ruleset, o.against, o.matches, seed=o.walls, progress=False
        )
        row = {"stage": stage, "learned": learner.decisions, "cpu_seconds": spent}
        row |= {"decisions_per_second": joined.decisions / joined.seconds, **asdict(joined)}
        row |= {"self_play": float(alone), "rank": result.rank.value}
        for name in ("win", "deal_in", "call"):
            row[name] = result.rates[name].value
        points = result.points_luck_adjusted
        row |= {"points": points.value, "points_low": points.low, "points_high": points.high}
        start = learner.rules.starting_points / learner.rules.units_per_point
        row["points_of_equals"] = start
        run.log(row)
        weights = {k: v.cpu() for k, v in network.state_dict().items()}
        write_network(o, run.folder, weights, row, result.matches, learner)
        learner.policy.save(player, training=settings(o), results=result)
        # Last: a run that was killed before it repeats the stage, and writes the same.
        records = {name: (r.met, r.ahead) for name, r in league.records.items()}
        run.save(learner.state(), stage=stage, cpu=spent, records=records)
    learner.close()


def weights_of(o: argparse.Namespace) -> Tensors:
    """Return the weights in the network.safetensors of an earlier run.

    Raises:
        ValueError: it is not one, or of another form.
    """
    path: Path = o.network
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name its network.safetensors")
    try:
        with safe_open(path, "pt") as f:
            about = f.metadata() or {}
            tensors = {name: f.get_tensor(name) for name in f.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise
    except Exception as e:  # what is raised depends on where the damage is
        raise ValueError(f"{path} is damaged or not a network: {e}") from e
    for name in ("observation", "width", "whole"):
        if name not in about:
            raise ValueError(f"{path} is not the network.safetensors of a run of ppo")
    if about.get("version") != str(RUN_VERSION):
        raise ValueError(f"{path} was written by another version of this package; begin without it")
    for name in ("observation", "width", "whole"):
        if about[name] != str(getattr(o, name)):
            raise ValueError(f"{path} is of another network; use --{name} {about[name]}")
    return tensors


def write_network(
    o: argparse.Namespace,
    folder: Path,
    weights: Tensors,
    row: dict[str, Any],
    matches: int,
    learner: PPO,
) -> None:
    """Write the network of a run and its card, by renaming complete files."""
    about = {name: str(getattr(o, name)) for name in ("observation", "width", "whole")}
    about["version"] = str(RUN_VERSION)
    write_tensors(folder / "network.safetensors", weights, about)
    figures = "\n".join(f"| {name} | {value:.6g} |" for name, value in row.items())
    count = sum(w.numel() for w in weights.values())
    points = f"{row['points']:,.1f} luck-adjusted points a match"
    if np.isfinite(row["points_low"]):
        points += f", 95 % interval [{row['points_low']:,.1f}, {row['points_high']:,.1f}]"
    begin = "random weights"
    if o.network is not None:
        begin = str(o.network)
    elif o.observation.startswith("advice"):
        begin = "the policy of its adviser"
    card = f"""# A network for {learner.rules.name}

A network of {count:,} parameters, trained by self-play from
{begin}
(sparrowhall {sparrowhall.__version__}, PyTorch {torch.__version__}):

```
{command_of(o)}
```

- It reads version {learner.observation_version} of the observation `{o.observation}` of four
  players.
- It has learned from {row["learned"]:,} decisions in {row["cpu_seconds"]:.0f} s of CPU time.
- At one seat among three `{o.against}` it has {points},
  in {matches} matches with the walls of seed {o.walls}.

| figure of the last stage | value |
| --- | --- |
{figures}
"""
    with replacing(folder / "card.md") as new:
        new.write_text(card, encoding="utf-8")


def command_of(o: argparse.Namespace) -> str:
    """Return the command of a run, without what is so by default."""
    usual = vars(parser().parse_args([o.command, "--out", str(o.out)]))
    words = [o.command] + ([] if o.network is None else [str(o.network)])
    for name, value in vars(o).items():
        if name not in ("do", "command", "network") and (name == "out" or value != usual[name]):
            values = value if isinstance(value, list) else [value]
            words.append(f"--{name}")
            # Every digit: the command is to be the same run.
            whole = (int(v) if isinstance(v, float) and v.is_integer() else v for v in values)
            words += [str(v) for v in whole]
    return f"python -m sparrowhall.learn {shlex.join(words)}"


def read_log(log: Path) -> list[dict[str, float]]:
    """Return the rows of the log of a run."""
    rows = []
    try:
        with log.open(newline="", encoding="utf-8") as f:
            for row in csv.DictReader(f):
                rows.append({name: float(value) for name, value in row.items()})
    except (TypeError, ValueError, csv.Error) as e:
        raise ValueError(f"{log} is damaged after {len(rows)} rows: {e}") from e
    if not rows:
        raise ValueError(f"{log} has no row yet")
    return rows


def run_curves(o: argparse.Namespace) -> None:
    """Draw the logs of runs."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    runs = []
    for folder in o.runs:
        log = folder / "log.csv"
        if not log.is_file():
            raise ValueError(f"there is no {log}; name the folder of a run")
        runs.append((folder.name, read_log(log)))
    columns = [c for c in runs[0][1][0] if all(c in rows[0] for _, rows in runs)]
    counts = {"epoch", "step", "rows", "pairs", "error", "stage", "learned", "decisions"}
    counts |= {"episodes", "self_play", "cpu", "cpu_seconds", "seconds", "decisions_per_second"}
    counts |= {"rate", "trace", "potential", "points_of_equals"}  # what was set
    names = [c for c in columns if c not in counts and not c.endswith(("_low", "_high"))]
    if not names:
        raise ValueError("the logs of the runs have nothing in common; draw them one by one")
    names.sort(key=lambda c: f"{c}_low" not in columns)  # what comes of it first
    across = min(4, len(names))
    down = -(-len(names) // across)
    figure, grid = plt.subplots(
        down, across, figsize=(3.2 * across, 2.6 * down), squeeze=False, layout="constrained"
    )
    places = list(grid.flat)
    for place, name in zip(places, names, strict=False):
        for label, rows in runs:
            over: list[float] = list(range(1, len(rows) + 1))
            if "learned" in columns:
                over = [row["learned"] for row in rows]
            place.plot(over, [row[name] for row in rows], marker=".", label=label)
            if f"{name}_of_equals" in columns:
                level = [row[f"{name}_of_equals"] for row in rows]
                place.plot(over, level, color="gray", linestyle="--", linewidth=1)
            if f"{name}_low" in columns:
                low, high = ([row[name + end] for row in rows] for end in ("_low", "_high"))
                place.fill_between(over, low, high, alpha=0.2)
            if "self_play" in columns:
                alone = [at for at, row in zip(over, rows, strict=True) if row["self_play"]]
                if 0 < len(alone) < len(rows):  # the next stage began to meet other players
                    place.axvline(alone[-1], color="gray", linestyle=":", linewidth=1)
        place.set_title(name)
        place.set_xlabel("decisions learned from" if "learned" in columns else "reports")
        place.locator_params(axis="x", nbins=4)
    for place in places[len(names) :]:
        place.remove()
    if len(runs) > 1:
        places[0].legend(fontsize="small")
    figure.savefig(o.file, metadata={"Date": None} if o.file.suffix == ".svg" else None)


def run_export(o: argparse.Namespace) -> None:
    """Export a network for the program."""
    if o.network.suffix == ".safetensors":
        raise ValueError(
            f"{o.network} is not the network.pt of imitate or improve; the player.safetensors of "
            "ppo plays as it is"
        )
    if o.file.suffix != ".safetensors":
        raise ValueError(
            f"{o.file} is no name of a network for the program; use one in .safetensors"
        )
    export(Network.load(o.network, "cpu"), o.file)


def run_evaluate(o: argparse.Namespace) -> None:
    """Measure a network among other players."""
    player: str | Network = f"net:{o.network}"
    if o.network.suffix == ".pt":
        player = Network.load(o.network, "cpu")
    else:
        try:
            sparrowhall.card(o.network)
        except ValueError as e:
            raise ValueError(
                f"{e}; name the player.safetensors of ppo, or a file that export wrote"
            ) from None
    result = sparrowhall.evaluate(
        player, o.ruleset, o.against, o.matches, seed=o.seed, until=o.until
    )
    print(result)


def device(name: str) -> str:
    """Return the name of a device that PyTorch can use here."""
    try:
        torch.empty(0, device=name).cpu()  # meta has no values to copy
    except (RuntimeError, AssertionError) as e:  # no such device; one that is not there
        said = str(e).partition("\n")[0]
        raise argparse.ArgumentTypeError(f"{name!r}: {said}; cpu is always available") from e
    return name


class DefaultsHelpFormatter(argparse.ArgumentDefaultsHelpFormatter):
    """Shows the defaults of options that have one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if action.default is None else super()._get_help_string(action)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="python -m sparrowhall.learn", description="Train a network."
    )
    commands = top.add_subparsers(dest="command", required=True)

    def command(
        name: str, about: str, do: Callable[[argparse.Namespace], None]
    ) -> argparse.ArgumentParser:
        form = DefaultsHelpFormatter
        p = commands.add_parser(name, help=about, description=about, formatter_class=form)
        p.set_defaults(do=do)
        return p

    def option(made: Callable[..., Any], name: str, about: str, key: str = "", **more: Any) -> None:
        """Add an option whose default is that of an argument, so that it stands once."""
        default = inspect.signature(made).parameters[key or name].default
        more = {"type": type(default), **more}
        p.add_argument(f"--{name}", default=default, help=about, **more)

    def training(
        p: argparse.ArgumentParser,
        ruleset: str | None = None,
        about: str = f"preset of the matches that are played, by default {PRESET}",
    ) -> None:
        p.add_argument("--out", type=Path, required=True, help="folder; a run in it is resumed")
        p.add_argument("--ruleset", default=ruleset, help=about)
        p.add_argument("--seed", type=int, default=1, help="seed of random numbers")
        p.add_argument("--device", type=device, default="cpu", help="device, such as cuda")
        p.add_argument("--threads", type=int, default=1, help="threads of PyTorch")

    def sizes(p: argparse.ArgumentParser, observation: str) -> None:
        names = "planes, features or advice"
        p.add_argument("--observation", default=observation, help=names)
        option(Network, "width", "channels of the convolutions")
        option(Network, "whole", "width of the dense layers")
        option(Network, "blocks", "number of convolutions")

    p = command("imitate", "Train a network by imitation of players.", run_imitate)
    training(p)
    p.add_argument("data", nargs="*", type=Path, help="datasets; without them --agent plays one")
    p.add_argument("--agent", help="built-in player to imitate, by default expert")
    p.add_argument("--matches", type=int, help="matches of four such players, by default 2000")
    sizes(p, "advice")
    p.add_argument("--epochs", type=int, default=2, help="number of epochs")
    p.add_argument("--batch", type=int, default=1024, help="decisions of a batch")
    option(imitate, "rate", "learning rate; it decreases to 0 after the first epoch")

    p = command("improve", "Train a network on paired rollouts of actions.", run_improve)
    training(p)
    p.add_argument("network", type=Path, help="network.pt of a run")
    p.add_argument(
        "pairs", nargs="*", type=Path, help="files of train pairs; without them one is made"
    )
    p.add_argument("--matches", type=int, help="matches in which pairs are made, by default 8000")
    p.add_argument(
        "--agents",
        nargs=4,
        help="players, by default expert and three value; the first is the one whose actions are "
        "rolled out",
    )
    p.add_argument("--unit", type=float, default=0, help="points per unit of logits; 0 to fit it")
    option(
        improve,
        "margin",
        "predicted gain in points that an action needs to be preferred to the advised one",
    )
    option(improve, "anchor", "weight of the penalty on changes of other actions")
    option(improve, "epochs", "number of epochs")
    option(improve, "batch", "pairs of a batch")
    option(improve, "rate", "initial learning rate")

    p = command("ppo", "Train a network by self-play (PPO).", run_ppo)
    training(p, PRESET, "preset, or ruleset file")
    p.add_argument(
        "network",
        nargs="?",
        type=Path,
        help="network.safetensors of a run to begin as; without it random weights",
    )
    p.add_argument("--observation", default="features", help="planes, features or advice:PLAYER")
    option(TileNetwork, "width", "hidden values of a suit")
    option(TileNetwork, "whole", "width of the dense layers")
    option(PPO, "decisions", "decisions to learn from", "total")
    p.add_argument("--stage", type=int, default=1_000_000, help="decisions of a stage")
    p.add_argument("--processes", type=int, default=1, help="processes that play and learn")
    option(PPO, "tables", "number of tables of a process")
    option(PPO, "steps", "gradient steps of an epoch")
    option(PPO, "epochs", "times that an update learns from each decision")
    for name, about in (
        ("batch", "decisions of an update, in turn"),
        ("rate", "learning rate"),
        ("trace", "lambda of the advantages"),
        ("potential", "weight of the shanten as a potential"),
        ("entropy", "weight of the entropy"),
        ("anchor", "weight of the divergence from the advice"),
    ):
        option(PPO, name, about, type=float, nargs="+")
    option(PPO, "clip", "bound of the probability ratio")
    option(
        PPO,
        "episode",
        "an episode; by default the match where the reward comes at its end, else the hand",
        choices=["hand", "match"],
        type=str,
    )
    option(PPO, "reward", "the reward", choices=REWARDS)
    p.add_argument(
        "--opponents", nargs="*", default=["greedy", "value"], help="members of the league"
    )
    p.add_argument(
        "--selfplay",
        type=float,
        default=0.4,
        help="share of the decisions that is learned with the network at all seats, before the "
        "league has the others",
    )
    p.add_argument("--against", default="greedy", help="other players of evaluations")
    p.add_argument("--matches", type=int, default=256, help="matches of an evaluation")
    p.add_argument("--walls", type=int, default=1_000_003, help="seed of the evaluations' walls")
    p.add_argument("--wandb", default="", help="project of Weights & Biases that gets the log")

    p = command("curves", "Draw the logs of runs.", run_curves)
    p.add_argument("runs", nargs="+", type=Path, help="folders of runs of one command")
    p.add_argument("file", type=Path, help="picture to write, such as .svg, .png or .pdf")

    p = command("export", "Export a network for the player net:FILE.", run_export)
    p.add_argument("network", type=Path, help="network.pt of a run")
    p.add_argument("file", type=Path, help="safetensors file to write")

    p = command("evaluate", "Measure a network among other players.", run_evaluate)
    p.add_argument("network", type=Path, help="network.pt of a run, or an exported file")
    p.add_argument("--ruleset", help=f"preset; without it that of the file, or {PRESET}")
    p.add_argument("--against", nargs="+", default=["value"], help="other players")
    p.add_argument("--matches", type=int, default=2000, help="matches; with --until at most")
    p.add_argument(
        "--until", type=float, help="stop at this half width of the interval, in placement points"
    )
    # Others than those of the log of ppo, by which its settings may have been chosen.
    p.add_argument("--seed", type=int, default=EVALUATION_SEED, help="seed of the walls")
    return top


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command."""
    o = parser().parse_args(arguments)
    try:
        if hasattr(o, "seed"):
            check_integer("--seed", o.seed, 0, 2**63 - 1)
        if hasattr(o, "threads"):
            check_integer("--threads", o.threads, 1)
            torch.set_num_threads(o.threads)
        o.do(o)
    except (sparrowhall.SparrowhallError, ValueError, OSError) as e:
        sys.exit(f"sparrowhall.learn: {e}")
    except KeyboardInterrupt:
        goes_on = "; the same command goes on with the run" if hasattr(o, "out") else ""
        sys.exit(f"sparrowhall.learn: interrupted{goes_on}")
