"""The network of ``PPO``: counts of tiles by kind, whose three suits share their weights.

``internal/experience/inputs.go`` converts the observations that are learned from; ``Player``
does the same with tensors when the network plays.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparrowhall.actions import NUM_ACTIONS, action_id, action_text
from sparrowhall.learn.experience import KINDS
from sparrowhall.spec import Observation

SUITED = 27
KIND_ACTIONS = "discard", "ready", "closed_kan", "added_kan"
CLAIMS = "chi low", "chi mid", "chi high", "pon", "open_kan"
PER_KIND = (*KIND_ACTIONS, *CLAIMS, "red")
"""The outputs for each kind of tile: of actions that name it, of claims of it without a red five,
and of the discard of its red five. The dense layers see a claimed tile as one count among many;
with logits from them alone, runs stay for long with few calls."""

KIND_WIDTH = 64
"""Hidden values of a kind. With 16 a network that imitates ``expert`` takes 76.8 instead of 78.4 %
of its actions under ``ema_2016``."""

SLOPE = 0.1
"""Slope of the activation below 0. With ReLU two fifths of the hidden values of runs were 0 in all
of 8,192 decisions after 8 million, and what is 0 everywhere learns nothing any more."""

PLANE_CHANNELS, PASSED_CHANNELS, SHAPE_CHANNELS, ADVICE_CHANNELS = 20, 3, 4, 4
"""Of a kind: from the planes, what the others have let pass, of features, and of advice."""

HELD_CHANNEL, WINDOW_CHANNEL = 0, 5
"""Channels that are above 0 for the kinds of the player's tiles, and of one he may claim."""

UKEIRE_CHANNEL = PLANE_CHANNELS + PASSED_CHANNELS + SHAPE_CHANNELS - 1
UKEIRE_SCALE = 1 / 8
ADVICE_SCALES = 1 / 128, 1 / 128, 1 / 25, 1 / 32
"""Of the advice by kind: score, score with a declaration, chance to deal in, and hope."""


def columns_of(network: nn.Module) -> NDArray[np.int16]:
    """Return the output that is the logit of each action, as ``PPO`` describes ``columns``.

    Raises:
        ValueError: the network has columns of another form.
    """
    shape = 1 + KINDS, NUM_ACTIONS
    own = np.asarray(getattr(network, "columns", np.broadcast_to(np.arange(NUM_ACTIONS), shape)))
    most = np.iinfo(np.int16).max
    if own.shape != shape or own.dtype.kind not in "ui" or not 0 <= own.min() <= own.max() <= most:
        raise ValueError(
            f"the columns of the network are {own.dtype} of shape {own.shape}; required: integers "
            f"from 0 to {most} of shape {shape}"
        )
    return own.astype(np.int16)


def _columns() -> tuple[NDArray[np.int16], int]:
    """Return the columns of a ``TileNetwork``, and the number of its outputs."""
    tiles = len(PER_KIND) * KINDS
    columns = np.full((1 + KINDS, NUM_ACTIONS), -1, np.int16)
    for place, name in enumerate(KIND_ACTIONS):
        first = action_id(f"{name} 1m")
        columns[:, first : first + KINDS] = len(PER_KIND) * np.arange(KINDS) + place
    for place, name in ((PER_KIND.index("red"), "discard"), (1, "ready")):
        first = action_id(f"{name} 0m")
        columns[:, first : first + 3] = len(PER_KIND) * np.array([4, 13, 22]) + place
    drawn = (0, "discard drawn"), (1, "ready drawn")
    for place, name in (*drawn, *enumerate(CLAIMS, len(KIND_ACTIONS))):
        columns[1:, action_id(name)] = len(PER_KIND) * np.arange(KINDS) + place
        columns[0, action_id(name)] = tiles
    rest = [a for a in range(NUM_ACTIONS) if columns[0, a] < 0]
    # A drawn flower is of no kind, and so has an output of its own.
    columns[:, rest] = tiles + 1 + np.arange(len(rest))
    return columns, tiles + 1 + len(rest) + 1


class TileNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """A network for ``PPO``: from counts of tiles by kind, and numbers, to logits and a value.

    One matrix reads each of the three suits, others the honors and the numbers. Their sum goes
    through two dense layers and back into the suits, where each kind gets the logits of its
    discard, its kans, and of claims of a tile of it without a red five. There the kinds of a suit
    share few hidden values. So a small layer, the same for all kinds, adds what a kind's own
    channels say in view of the whole, such as its ukeire and whether it is safe. All other actions
    get their logits from the dense layers.

    Attributes:
        observation: ``"planes"``, ``"features"`` or ``"advice"``, also of a named player.
        width: Hidden values of a suit.
        whole: Width of the dense layers.
        columns: The output that is the logit of each action; see ``PPO``.

    Examples:
        >>> from sparrowhall.learn import TileNetwork
        >>> sum(p.numel() for p in TileNetwork("features", width=32, whole=96).parameters())
        60139
    """

    scale: Tensor

    def __init__(self, observation: str = "features", *, width: int = 96, whole: int = 192) -> None:
        """Create a network with random weights.

        Raises:
            ValueError: networks do not read this observation, or a number is below 1.
        """
        super().__init__()
        check_observation(observation)
        if width < 1 or whole < 1:
            raise ValueError(f"width is {width}, whole {whole}; allowed: integers from 1")
        self.observation, self.width, self.whole = observation, width, whole
        channels, numbers = sizes(observation)
        self.channels = channels
        self.columns, outputs = _columns()
        per, rest = len(PER_KIND), outputs - len(PER_KIND) * KINDS
        self.suit = nn.Linear(9 * channels, width)
        self.honors = nn.Linear(7 * channels, width)
        self.numbers = nn.Linear(numbers, width)
        self.first = nn.Linear(3 * width, whole)
        self.second = nn.Linear(whole, whole)
        self.spread = nn.Linear(whole, 2 * width + rest)
        self.kind = nn.Linear(channels, KIND_WIDTH)
        self.kind_whole = nn.Linear(whole, KIND_WIDTH)
        self.kind_out = nn.Linear(KIND_WIDTH, per)
        self.suit_again = nn.Linear(width, width)
        self.honors_again = nn.Linear(width, width)
        self.suit_out = nn.Linear(width, 9 * per)
        self.honors_out = nn.Linear(width, 7 * per)
        with torch.no_grad():
            for layer in (self.suit_out, self.honors_out, self.kind_out):
                layer.weight.mul_(0.02)
                layer.bias.zero_()
            self.spread.weight[2 * width :].mul_(0.02)
            self.spread.bias.zero_()
        # Scales the weights instead of the inputs, which are bytes.
        scale = torch.ones(channels)
        if observation != "planes":
            scale[UKEIRE_CHANNEL] = UKEIRE_SCALE
        if advised(observation):
            scale[-ADVICE_CHANNELS:] = torch.tensor(ADVICE_SCALES)
        self.register_buffer("scale", scale, persistent=False)

    def forward(self, kinds: Tensor, numbers: Tensor) -> Tensor:
        """Return the outputs of n decisions.

        Args:
            kinds: Counts, shape ``(n, 34, channels)``, of any type.
            numbers: Shape ``(n, numbers)``.

        Returns:
            Shape ``(n, m)``. Those of kinds of which no action can be legal are not complete,
            except in an exported or compiled network.
        """
        n, width = len(kinds), self.width
        # At once to what autocast computes in, instead of by way of float32: a tenth of the time.
        device = kinds.device.type
        narrow = torch.is_autocast_enabled(device)
        dtype = torch.get_autocast_dtype(device) if narrow else numbers.dtype
        suits = kinds[:, :SUITED].to(dtype).reshape(3 * n, 9 * self.channels)
        honors = kinds[:, SUITED:].to(dtype).reshape(n, 7 * self.channels)
        weight = self._scaled(self.suit)
        suits = _activate(nn.functional.linear(suits, weight, self.suit.bias))
        weight = self._scaled(self.honors)
        honors = _activate(nn.functional.linear(honors, weight, self.honors.bias))
        numbers = _activate(self.numbers(numbers))
        # Sums along the middle of three dimensions take three times as long.
        characters, dots, bamboos = suits.view(n, 3, width).unbind(1)
        whole = torch.cat([characters + dots + bamboos, honors, numbers], 1)
        whole = _activate(self.second(_activate(self.first(whole))))
        spread = self.spread(whole)
        to_suits, to_honors, others = spread.split([width, width, spread.shape[1] - 2 * width], 1)
        suits = self.suit_again(suits).view(n, 3 * width) + torch.cat([to_suits] * 3, 1)
        suits = _activate(suits).view(3 * n, width)
        honors = _activate(self.honors_again(honors) + to_honors)
        per_kind = torch.cat([self.suit_out(suits).view(n, -1), self.honors_out(honors)], 1)
        per_kind = self._add_kinds(per_kind.view(n * KINDS, -1), kinds, whole)
        return torch.cat([per_kind.view(n, -1), others], 1)

    def _scaled(self, layer: nn.Linear) -> Tensor:
        """Return the weights of a layer that reads the channels of some kinds."""
        weight = layer.weight.view(len(layer.weight), -1, self.channels) * self.scale
        return weight.view_as(layer.weight)

    def _add_kinds(self, outputs: Tensor, kinds: Tensor, whole: Tensor) -> Tensor:
        """Return the outputs per kind, shape ``(n * 34, 10)``, plus those of the small layer."""
        x, weight = kinds.reshape(-1, self.channels), self._scaled(self.kind)
        # Both biases in the layer, which is in a narrow type, where a sum after it would not be.
        bias = self.kind_whole.bias + self.kind.bias
        added = nn.functional.linear(whole, self.kind_whole.weight, bias)
        if torch.compiler.is_compiling():
            # A graph does the same for every decision.
            hidden = nn.functional.linear(x.to(whole.dtype), weight)
            hidden = hidden.view(len(whole), KINDS, -1) + added[:, None]
            every: Tensor = self.kind_out(_activate(hidden)).view_as(outputs)
            return outputs + every
        # For all 34 kinds this layer takes half the time of the network, and three of four
        # are of no use: a player acts on a tile that he may claim, or on those he holds.
        claimed, held = (kinds[:, :, c].contiguous() for c in (WINDOW_CHANNEL, HELD_CHANNEL))
        acting = claimed + held * (claimed.amax(1, keepdim=True) == 0)
        rows = acting.flatten().nonzero()[:, 0]
        # Matrix products of a new size take nearly a millisecond, in which their code is made, so
        # there are few sizes.
        padded = nn.functional.pad(rows, (0, -len(rows) % 512))
        hidden = nn.functional.linear(x.index_select(0, padded).to(whole.dtype), weight)
        hidden += added.index_select(0, padded // KINDS)
        return outputs.index_add(0, rows, self.kind_out(_activate(hidden))[: len(rows)])


def _activate(x: Tensor) -> Tensor:
    # In place: the layers before do not need what they returned.
    return nn.functional.leaky_relu_(x, SLOPE)


CANDIDATES = 16
BEST_SCORE, NEXT_SCORE, LESS_SCORE, SHARPNESS = 8, 7, 6, 40
"""What an adviser adds to the logits of candidates; see ``internal/experience/inputs.go``."""

GROUPS = (
    ("chi low",),
    ("chi mid",),
    ("chi high",),
    ("pon",),
    ("open_kan", "closed_kan", "added_kan"),
    ("win",),
    ("pass",),
    (),
)
"""How the texts of actions begin that discard nothing, by group; the last is for the rest."""

PHASES, TURNS, CAUSES, WINDS, SHANTENS = 9, 5, 5, 4, 9
CHANNELS = (
    *(("hand", True),),
    *((name, False) for name in ("drawn", "window", "round_wind", "seat_wind", "locked")),
    *((name, False) for name in ("unseen", "dora")),
    *((f"{name}_{p}", False) for name in ("river", "melds") for p in range(4)),
    ("reds", False),
)
"""Fields of the planes, and whether each of their planes is a channel, instead of their sum."""


def advised(observation: str) -> bool:
    """Return whether an observation has the candidates of a player."""
    return observation.partition(":")[0] == "advice"


def check_observation(observation: str) -> None:
    """Raise ValueError unless a learner reads an observation."""
    if observation not in ("planes", "features") and not advised(observation):
        raise ValueError(
            f"observation is {observation!r}; allowed: 'planes', 'features', 'advice:PLAYER'"
        )


def sizes(observation: str) -> tuple[int, int]:
    """Return the number of channels and of numbers of an observation."""
    channels = PLANE_CHANNELS + PASSED_CHANNELS
    numbers = PHASES + TURNS + CAUSES + 2 * WINDS + 1 + 24 + 3
    if observation != "planes":
        channels, numbers = channels + SHAPE_CHANNELS, numbers + SHANTENS + 3
    if advised(observation):
        channels, numbers = channels + ADVICE_CHANNELS, numbers + len(GROUPS) + CANDIDATES
    return channels, numbers


def _places() -> Tensor:
    """Return where an action is seen, shape ``(180, n)``.

    The columns are the groups, the kinds for discards and for those that declare ready, and the
    discards of the drawn tile without and with a declaration.
    """
    places = torch.zeros(NUM_ACTIONS, len(GROUPS) + 2 * KINDS + 2)
    for action in range(NUM_ACTIONS):
        what, _, tile = action_text(action).partition(" ")
        if what in ("discard", "ready") and tile:
            ready = what == "ready"
            if tile == "drawn":
                places[action, -2 + ready] = 1
            elif tile[1] != "f":
                kind = "mpsz".index(tile[1]) * 9 + (int(tile[0]) or 5) - 1
                places[action, len(GROUPS) + KINDS * ready + kind] = 1
            continue
        text = action_text(action)
        group = next((g for g, names in enumerate(GROUPS) if text.startswith(names)), -1)
        places[action, group if group >= 0 else len(GROUPS) - 1] = 1
    return places


class Player(nn.Module):  # type: ignore[misc, unused-ignore]
    """A network of ``PPO`` as a module from observations to logits, which plays as a ``Policy``.

    Examples:
        >>> import sparrowhall
        >>> from sparrowhall.learn import Player, TileNetwork
        >>> with sparrowhall.local(transport="inprocess") as client:
        ...     tables = client.open("zung_jung", 1, observation="features")
        ...     player = Player(TileNetwork(), tables.spec, scale=100.0)
    """

    mix: Tensor
    kind_of: Tensor
    later: Tensor
    ones: Tensor
    places: Tensor

    def __init__(self, network: nn.Module, spec: Observation, scale: float) -> None:
        """Wrap a network.

        Args:
            network: The network.
            spec: The observation that it reads.
            scale: Units of points by which points are divided.
        """
        super().__init__()
        self.network, self.scale = network, scale
        names = [t.name for t in spec.tensors]
        self.features, self.advised = "summary" in names, "candidates" in names
        planes = spec["planes"]
        mix = torch.zeros(planes.shape[0], PLANE_CHANNELS)
        channel = 0
        for name, each in CHANNELS:
            field = planes.field(name)[1]
            for plane in range(field.start, field.stop):
                mix[plane, channel] = 1
                channel += each
            channel += not each
        self.register_buffer("mix", mix, persistent=False)
        size = spec["discards"].shape[0]
        kind_of = torch.zeros(64, KINDS)
        kind_of[1 : 1 + KINDS] = torch.eye(KINDS)
        kind_of[1 + KINDS : 4 + KINDS] = torch.eye(KINDS)[[4, 13, 22]]
        self.register_buffer("kind_of", kind_of, persistent=False)
        self.register_buffer("later", torch.ones(size, size).tril(-1), persistent=False)
        self._as_drawn = spec["discard_marks"].field("drawn")[1].start
        ones = torch.tensor([float(i.bit_count()) for i in range(256)])
        self.register_buffer("ones", ones, persistent=False)
        self._drawn, self._window = (planes.field(n)[1].start for n in ("drawn", "window"))
        names = ["phase", "turn", "cause", "round_wind", "seat_wind", "left", "concealed"]
        names += ["ready", "open", "flowers", "one_shot", "held_flowers"]
        self._state = {name: spec["state"].field(name)[1] for name in names}
        names = ["points", "debts", "counter", "deposits"]
        self._amounts = {name: spec["amounts"].field(name)[1] for name in names}
        if self.advised:
            words = ("deal_in", "hope", "total")
            self._deal_in, self._hope, self._total = (
                spec["candidates"].field(name)[1].start for name in words
            )
            self.register_buffer("places", _places(), persistent=False)
        columns = columns_of(network)
        self._plain = columns[0].astype(np.int64)
        varying = (columns != columns[0]).any(0).nonzero()[0]
        self._varying = {int(a): columns[1:, a].astype(np.int64) for a in varying}

    def inputs(self, observation: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return the kinds and numbers of n decisions, float32."""
        kinds = observation["planes"].float().transpose(1, 2) @ self.mix
        kinds = torch.cat([kinds, self._passed(observation)], 2)
        state = observation["state"].float()
        amounts = observation["amounts"].float()

        def one_hot(value: Tensor, n: int) -> Tensor:
            return (value.clamp(max=n - 1) == torch.arange(n, device=value.device)).float()

        def of(name: str) -> Tensor:
            return state[:, self._state[name]]

        debts = amounts[:, self._amounts["debts"]].reshape(-1, 4, 4)
        net = amounts[:, self._amounts["points"]] + debts.sum(2) - debts.sum(1)
        numbers = [
            one_hot(of("phase"), PHASES),
            one_hot(of("turn"), TURNS),
            one_hot(of("cause"), CAUSES),
            one_hot(of("round_wind"), WINDS),
            one_hot(of("seat_wind"), WINDS),
            of("left")[:, :1] / 70,
            of("concealed") / 14,
            of("ready").clamp(max=1),
            of("open"),
            self.ones[of("flowers").long()] / 4,
            of("one_shot"),
            (net / self.scale / 4).clamp(-1, 1),
            amounts[:, self._amounts["counter"]].clamp(max=5) / 5,
            amounts[:, self._amounts["deposits"]].clamp(max=5) / 5,
            self.ones[of("held_flowers").long()] / 4,
        ]
        if self.features:
            shape = observation["shape"].float().transpose(1, 2)
            kinds = torch.cat([kinds, shape, observation["discarding"].float()[..., 1:2]], 2)
            summary = observation["summary"].float()
            numbers += [one_hot(summary[:, :1], SHANTENS), summary[:, 1:2] / 32]
            numbers += [summary[:, 2:3] / 8, summary[:, 3:4]]
        if self.advised:
            by_kind, by_group, scores = self._advice(observation)
            kinds = torch.cat([kinds, by_kind], 2)
            numbers += [by_group, scores]
        return kinds, torch.cat(numbers, 1)

    def _passed(self, observation: dict[str, Tensor]) -> Tensor:
        """Return the kinds that the hands of the others have let pass, shape ``(n, 34, 3)``.

        Those are discards of other players than the owner of the hand, after which he discarded
        nothing but drawn tiles.
        """
        codes = observation["discards"].long()
        drawn = observation["discard_marks"][:, self._as_drawn].float()
        own = (codes[:, None] >> 6 == torch.arange(1, 4, device=codes.device)[:, None]).float()
        changes = (own * (1 - drawn)[:, None]) @ self.later
        passed = (1 - own) * (changes == 0).float()
        return (passed @ self.kind_of[codes & 63]).clamp(max=1).transpose(1, 2)

    def _advice(self, observation: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Return what is seen of candidates.

        Returns:
            Four channels for each kind, shape ``(n, 34, 4)``; the scores of groups, shape
            ``(n, 8)``; what the adviser adds to logits, shape ``(n, 16)``.
        """
        candidates = observation["candidates"]
        total = candidates[:, :, self._total].float()
        less = (total[:, :1] - total[:, 1:]) / (1000 * self.scale) * SHARPNESS
        scores = torch.cat(
            [total[:, :1] * 0 + BEST_SCORE, NEXT_SCORE - less.clamp(0, LESS_SCORE)], 1
        )
        scores = scores * (candidates[:, :, 0] > 0).float()
        action = candidates[:, :, :1].float() - 1
        here = (action == torch.arange(NUM_ACTIONS, device=action.device)).float() @ self.places
        drawn = observation["planes"][:, self._drawn].float()[:, None]
        first = len(GROUPS)
        discard = here[:, :, first : first + KINDS] + here[:, :, -2:-1] * drawn
        ready = here[:, :, first + KINDS : -2] + here[:, :, -1:] * drawn

        def by_kind(of: Tensor, seen: Tensor) -> Tensor:
            return (of * seen.clamp(0, 255).floor()[:, :, None]).sum(1).clamp(max=255)

        hope = candidates[:, :, self._hope].float() / (1000 * self.scale) * 32
        channels = [
            by_kind(discard, 16 * scores),
            by_kind(ready, 16 * scores),
            by_kind(discard + ready, candidates[:, :, self._deal_in].float() / 4000),
            by_kind(discard + ready, hope),
        ]
        by_group = (here[:, :, :first] * (scores / BEST_SCORE)[:, :, None]).sum(1)
        return torch.stack(channels, 2), by_group, scores

    def forward(self, observation: dict[str, Tensor]) -> Tensor:
        """Return the logits of all actions, float32, shape ``(n, 180)``."""
        kinds, numbers = self.inputs(observation)
        outputs = self.network(kinds, numbers)
        planes = observation["planes"][:, [self._drawn, self._window]]
        latest_tile = planes.float().sum(1)
        logits: Tensor = outputs[:, self._plain]
        if self.advised:
            candidate = observation["candidates"][:, :, :1].float() - 1
            here = (candidate == torch.arange(NUM_ACTIONS, device=candidate.device)).float()
            advice = (here * numbers[:, -CANDIDATES:, None]).sum(1)
        pieces, at = [], 0
        for action, columns in self._varying.items():
            # Without such a tile of a kind the first of the columns counts.
            tile = (outputs[:, columns] * latest_tile).sum(1, keepdim=True)
            plain = logits[:, action : action + 1] * (1 - latest_tile.sum(1, keepdim=True))
            pieces += [logits[:, at:action], tile + plain]
            at = action + 1
        logits = torch.cat([*pieces, logits[:, at:]], 1)
        return logits + advice if self.advised else logits
