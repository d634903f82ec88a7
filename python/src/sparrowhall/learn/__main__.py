"""Training from the command line.

``python -m sparrowhall.learn imitate|improve|ppo|curves|export|evaluate``.
"""

from __future__ import annotations

import argparse
import copy
import csv
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

try:
    from torch.utils import tensorboard
except ModuleNotFoundError:
    tensorboard = None  # type: ignore[assignment, unused-ignore]

import sparrowhall
from sparrowhall._checks import check_integer
from sparrowhall.client import PRESET
from sparrowhall.learn.imitation import imitate
from sparrowhall.learn.improvement import improve, read_pairs, unit_of
from sparrowhall.learn.network import Network, export
from sparrowhall.learn.ppo import PPO, join
from sparrowhall.opponents import Record
from sparrowhall.server import shared

RUN_VERSION = 1
"""Version of the state of a run."""


class Run:
    """A folder with the state of a training, from which it can be resumed, and its log."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        """Open the folder, which is new or has a run with the same settings."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.settings = folder, settings
        self._state = folder / "state.pt"
        self._log = folder / "log.csv"
        self._board: Any = None

    def load(self, device: str) -> dict[str, Any] | None:
        """Return the saved state, None for a new run; and drop later rows of the log."""
        if not self._state.exists():
            self._log.unlink(missing_ok=True)
            return None
        try:
            state: dict[str, Any] = torch.load(self._state, map_location=device, weights_only=True)
        except Exception as e:  # what torch.load raises depends on where the damage is
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
        return state

    def save(self, network: Network, **where: Any) -> None:
        """Save the state, by renaming a complete file."""
        state = {
            "version": RUN_VERSION,
            "settings": self.settings,
            "network": network.state(),
            "logged": self._log.stat().st_size,
            **where,
        }
        new = self._state.with_suffix(".new")
        torch.save(state, new)
        new.replace(self._state)
        network.save(self.folder / "network.pt")

    def log(self, figures: dict[str, Any]) -> None:
        """Append a row to log.csv and to TensorBoard, if it is installed, and print it."""
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
        print("  ".join(f"{k} {v:.4g}" for k, v in figures.items()), flush=True)


def program(arguments: Sequence[str]) -> None:
    """Run the program; exit with its status if it fails."""
    done = subprocess.run([str(sparrowhall.find_binary()), *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def settings(o: argparse.Namespace) -> dict[str, str]:
    """Return the settings that a resumed run must repeat."""
    free = ("do", "out", "device", "threads", "stages")
    return {name: str(value) for name, value in vars(o).items() if name not in free}


def run_imitate(o: argparse.Namespace) -> None:
    """Train a network by imitation."""
    run = Run(o.out, settings(o))
    state = run.load(o.device)
    data = [str(d) for d in o.data]
    if not data:
        played = o.out / "played"
        data = [str(played)]
        command = ["play", "--ruleset", o.ruleset, "--matches", str(o.matches)]
        command += ["--seed", str(o.seed), "--quiet", "--out", str(played)]
        for _ in range(4):
            command += ["--agent", o.agent]
        program(command)  # resumes an incomplete dataset
    torch.manual_seed(o.seed)
    if state is None:
        network = Network(o.observation, width=o.width, whole=o.whole, blocks=o.blocks)
        network.to(o.device)
    else:
        network = Network.restored(state["network"]).to(o.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=o.rate)
    epoch = step = steps = 0
    if state is not None:
        optimizer.load_state_dict(state["optimizer"])
        epoch, step, steps = state["epoch"], state["step"], state["steps"]

    def save(**where: int) -> None:
        run.save(network, optimizer=optimizer.state_dict(), steps=steps, **where)

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
            steps = step
        step = 0
        save(epoch=e + 1, step=0)


def run_improve(o: argparse.Namespace) -> None:
    """Train a network on paired rollouts."""
    run = Run(o.out, settings(o))
    state = run.load(o.device)
    before = Network.load(o.network, o.device)  # fails early if it is missing
    files = [str(file) for file in o.pairs]
    if not files:
        played = o.out / "played.pairs"
        files = [str(played)]
        if not played.exists():  # an incomplete file has another name and is resumed
            command = ["train", "pairs", "--ruleset", o.ruleset, "--matches", str(o.matches)]
            command += ["--seed", str(o.seed), "--agents", ",".join(o.agents)]
            program([*command, "--quiet", "--out", str(played)])
    if state is None:
        network = copy.deepcopy(before)
        state = {"unit": o.unit, "epoch": 0}
    else:
        network = Network.restored(state["network"]).to(o.device)
    pairs = read_pairs(files, network)
    if not state["unit"]:
        state["unit"] = unit_of(network, pairs)
        print(f"{state['unit']:.4g} points per unit of logits", flush=True)
    optimizer = torch.optim.Adam(network.parameters(), lr=o.rate)
    if state["epoch"]:
        optimizer.load_state_dict(state["optimizer"])
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
        run.save(network, optimizer=optimizer.state_dict(), unit=state["unit"], epoch=epoch + 1)


def run_ppo(o: argparse.Namespace) -> None:
    """Train a network by reinforcement learning."""
    for name in ("updates", "stages", "matches"):
        check_integer(f"--{name}", getattr(o, name), 1)
    run = Run(o.out, settings(o))
    state = run.load(o.device)
    with shared().open(o.ruleset, 1, observation="") as tables:
        family, seats = tables.ruleset.family, tables.seats
    if seats != 4:
        raise ValueError(f"networks are for four players; {o.ruleset} is for {seats}")
    imitator = None
    opponents = {name: name for name in o.opponents}
    torch.manual_seed(o.seed)
    if o.network is not None:
        imitator = Network.load(o.network, o.device)
        opponents["imitator"] = f"net:{o.out / 'imitator.safetensors'}"
        imitator.export(o.out / "imitator.safetensors")
        network = copy.deepcopy(imitator)
    else:
        network = Network(o.observation, width=o.width, whole=o.whole, blocks=o.blocks)
        network.to(o.device)
    network.set_family(family, o.ruleset)
    done = 0 if state is None else state["stage"]
    frozen = [o.out / f"stage-{stage}.safetensors" for stage in range(1, o.stages + 1)]
    opponents |= {file.stem: f"net:{file}" for file in frozen[:done]}
    league = sparrowhall.League(opponents, sampling="hard")
    if state is not None:
        network = Network.restored(state["network"]).to(o.device)
        for name, record in state["records"].items():
            league.records[name] = Record(*record)
    env = sparrowhall.make_vec(
        o.ruleset,
        o.tables,
        opponents=league,
        observation=network.observation,
        episode=o.episode,
        reward=o.reward,
        shaping=o.shaping,
        discount=o.discount,
    )
    names = ("anchor", "steps", "epochs", "batch", "rate", "clip", "entropy", "discount", "trace")
    arguments = {name: getattr(o, name) for name in (*names, "nearer")}
    learner = PPO(network, env, imitator=imitator, **arguments)
    if state is not None:
        learner.restore(state["learner"])
    against = o.against or ("greedy" if imitator is None else opponents["imitator"])
    if o.against and done < o.stages:
        try:
            sparrowhall.evaluate("random", o.ruleset, against, matches=1, progress=False)
        except sparrowhall.SparrowhallError as e:
            raise ValueError(f"--against: {e}") from None
    for stage, file in enumerate(frozen[done:], done):
        # Each stage has matches and random numbers of its own, so that a killed run repeats it.
        seed = np.random.SeedSequence([o.seed, stage]).generate_state(1, np.uint64)
        learner.reset(int(seed[0]))
        reports = [learner.update() for _ in range(o.updates)]
        network.export(file)
        league.add(file.stem, f"net:{file}")
        result = sparrowhall.evaluate(
            learner.policy, against=against, matches=o.matches, seed=o.walls, progress=False
        )
        points = result.points_luck_adjusted
        run.log(
            {
                "stage": stage + 1,
                **asdict(join(reports)),
                "rank": result.rank.value,
                "points": points.value,
                "points_low": points.low,
                "points_high": points.high,
            }
        )
        records = {name: (r.met, r.ahead) for name, r in league.records.items()}
        run.save(network, stage=stage + 1, learner=learner.state(), records=records)
    env.close()


def run_curves(o: argparse.Namespace) -> None:
    """Draw the logs of runs."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    runs = []
    for folder in o.runs:
        with (folder / "log.csv").open(encoding="utf-8") as f:
            runs.append((folder.name, list(csv.DictReader(f))))
    columns = list(runs[0][1][0])
    if any(list(rows[0]) != columns for _, rows in runs):
        raise ValueError("the logs of the runs have different columns")
    counts = ("epoch", "step", "rows", "pairs", "error", "stage", "decisions", "episodes")
    names = [c for c in columns if c not in counts]
    figure, places = plt.subplots(
        1, len(names), figsize=(3.2 * len(names), 2.6), squeeze=False, layout="constrained"
    )
    for place, name in zip(places[0], names, strict=True):
        for label, rows in runs:
            over = range(1, len(rows) + 1)
            place.plot(over, [float(row[name]) for row in rows], marker=".", label=label)
        place.set_title(name)
        place.set_xlabel("reports")
    if len(runs) > 1:
        places[0, 0].legend(fontsize="small")
    figure.savefig(o.file, metadata={"Date": None} if o.file.suffix == ".svg" else None)


def run_export(o: argparse.Namespace) -> None:
    """Export a network for the program."""
    export(Network.load(o.network, "cpu"), o.file)


def run_evaluate(o: argparse.Namespace) -> None:
    """Measure a network among other players."""
    player: str | Network = f"net:{o.network}"
    if o.network.suffix == ".pt":
        player = Network.load(o.network, "cpu")
    result = sparrowhall.evaluate(
        player, o.ruleset, o.against, o.matches, seed=o.seed, until=o.until
    )
    print(result)


def device(name: str) -> str:
    """Return the name of a device that PyTorch can use here."""
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as e:  # no such device; one that is not there
        said = str(e).partition("\n")[0]
        raise argparse.ArgumentTypeError(f"{name!r}: {said}; cpu is always available") from e
    return name


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="python -m sparrowhall.learn", description="Train a network."
    )
    commands = top.add_subparsers(dest="command", required=True)

    def command(
        name: str, about: str, do: Callable[[argparse.Namespace], None]
    ) -> argparse.ArgumentParser:
        form = argparse.ArgumentDefaultsHelpFormatter
        p = commands.add_parser(name, help=about, description=about, formatter_class=form)
        p.set_defaults(do=do)
        return p

    def training(p: argparse.ArgumentParser) -> None:
        p.add_argument("--out", type=Path, required=True, help="folder; a run in it is resumed")
        p.add_argument("--ruleset", default=PRESET, help="preset")
        p.add_argument("--seed", type=int, default=1, help="seed of random numbers")
        p.add_argument("--device", type=device, default="cpu", help="device, such as cuda")
        p.add_argument("--threads", type=int, default=1, help="threads of PyTorch")

    def sizes(p: argparse.ArgumentParser, observation: str) -> None:
        names = "planes, features or advice"
        p.add_argument("--observation", default=observation, help=names)
        p.add_argument("--width", type=int, default=32, help="channels of the convolutions")
        p.add_argument("--whole", type=int, default=128, help="width of the dense layers")
        p.add_argument("--blocks", type=int, default=2, help="number of convolutions")

    p = command("imitate", "Train a network by imitation of players.", run_imitate)
    training(p)
    p.add_argument("data", nargs="*", type=Path, help="datasets; without them --agent plays one")
    p.add_argument("--agent", default="expert", help="built-in player to imitate")
    p.add_argument("--matches", type=int, default=2000, help="matches of four such players")
    sizes(p, "advice")
    p.add_argument("--epochs", type=int, default=2, help="number of epochs")
    p.add_argument("--batch", type=int, default=1024, help="decisions of a batch")
    p.add_argument(
        "--rate",
        type=float,
        default=1e-3,
        help="learning rate; it decreases to 0 after the first epoch",
    )

    p = command("improve", "Train a network on paired rollouts of actions.", run_improve)
    training(p)
    p.add_argument("network", type=Path, help="network.pt of a run")
    p.add_argument(
        "pairs", nargs="*", type=Path, help="files of train pairs; without them one is made"
    )
    p.add_argument("--matches", type=int, default=8000, help="matches in which pairs are made")
    p.add_argument(
        "--agents",
        nargs=4,
        default=["expert", "value", "value", "value"],
        help="players; the first is the one whose actions are rolled out",
    )
    p.add_argument("--unit", type=float, default=0, help="points per unit of logits; 0 to fit it")
    p.add_argument(
        "--margin",
        type=float,
        default=0,
        help="predicted gain in points that an action needs to be preferred to the advised one",
    )
    p.add_argument(
        "--anchor",
        type=float,
        default=1.0,
        help="weight of the penalty on changes of other actions",
    )
    p.add_argument("--epochs", type=int, default=2, help="number of epochs")
    p.add_argument("--batch", type=int, default=512, help="pairs of a batch")
    p.add_argument("--rate", type=float, default=3e-4, help="initial learning rate")

    p = command("ppo", "Train a network by reinforcement learning (PPO).", run_ppo)
    training(p)
    p.add_argument(
        "network",
        nargs="?",
        type=Path,
        help="network.pt of an imitation to begin as; without it random weights",
    )
    sizes(p, "features")
    p.add_argument(
        "--opponents",
        nargs="*",
        default=["greedy"],
        help="first members of the league, with the imitator",
    )
    p.add_argument("--stages", type=int, default=40, help="stages; each adds a member")
    p.add_argument("--updates", type=int, default=16, help="updates of a stage")
    p.add_argument("--tables", type=int, default=256, help="number of tables")
    p.add_argument("--steps", type=int, default=64, help="decisions at each table for an update")
    p.add_argument("--epochs", type=int, default=2, help="passes over the decisions of an update")
    p.add_argument("--batch", type=int, default=1024, help="decisions of a gradient step")
    p.add_argument("--rate", type=float, default=3e-4, help="learning rate")
    p.add_argument("--clip", type=float, default=0.2, help="bound of the probability ratio")
    p.add_argument("--entropy", type=float, default=0.01, help="weight of the entropy")
    p.add_argument(
        "--anchor", type=float, default=0.1, help="weight of the divergence from the imitator"
    )
    p.add_argument("--episode", choices=["hand", "match"], default="hand", help="an episode")
    p.add_argument(
        "--reward", choices=["rank", "placement", "points"], default="rank", help="the reward"
    )
    p.add_argument("--shaping", type=float, default=1.0, help="weight of the expected rank")
    p.add_argument("--nearer", type=float, default=0.0, help="weight of the shanten as a potential")
    p.add_argument("--discount", type=float, default=1.0, help="discount factor")
    p.add_argument("--trace", type=float, default=0.95, help="lambda of the advantages")
    p.add_argument("--against", help="other players of evaluations; else imitator or greedy")
    p.add_argument("--matches", type=int, default=200, help="matches of an evaluation")
    p.add_argument("--walls", type=int, default=1_000_003, help="seed of the evaluations' walls")

    p = command("curves", "Draw the logs of runs.", run_curves)
    p.add_argument("runs", nargs="+", type=Path, help="folders of runs of one command")
    p.add_argument("file", type=Path, help="picture to write, .svg or .png")

    p = command("export", "Export a network for the player net:FILE.", run_export)
    p.add_argument("network", type=Path, help="network.pt of a run")
    p.add_argument("file", type=Path, help="safetensors file to write")

    p = command("evaluate", "Measure a network among other players.", run_evaluate)
    p.add_argument("network", type=Path, help="network.pt of a run, or an exported file")
    p.add_argument("--ruleset", default=PRESET, help="preset")
    p.add_argument("--against", nargs="+", default=["value"], help="other players")
    p.add_argument("--matches", type=int, default=2000, help="matches; with --until at most")
    p.add_argument(
        "--until", type=float, help="stop at this half width of the interval, in placement points"
    )
    p.add_argument("--seed", type=int, default=1_000_003, help="seed of the walls")
    return top


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command."""
    o = parser().parse_args(arguments)
    if hasattr(o, "threads"):
        torch.set_num_threads(o.threads)
    try:
        o.do(o)
    except (sparrowhall.SparrowhallError, ValueError, OSError) as e:
        sys.exit(f"sparrowhall.learn: {e}")


if __name__ == "__main__":
    main()
