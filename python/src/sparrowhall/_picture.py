"""Pictures of tables, drawn with Pillow and shown with pygame (the extra ``picture``)."""

from __future__ import annotations

import functools
import io
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparrowhall._extras import needs
from sparrowhall._view import discards_of, headline, tiles

SIZE = 720
"""Width and height of a picture in pixels."""

_TABLE, _EDGE, _WHITE, _BACK = (24, 92, 72), (12, 52, 40), (250, 248, 240), (214, 138, 46)
_PALE, _INK = (214, 232, 224), (30, 30, 34)
_SUITS = {
    "m": (178, 34, 34),
    "p": (28, 78, 160),
    "s": (24, 120, 48),
    "z": _INK,
    "f": (140, 60, 150),
}
_RED = (220, 20, 20)
_HONORS = {"1": "E", "2": "S", "3": "W", "4": "N", "5": "", "6": "F", "7": "C"}
_W, _H = 30, 40
_SMALL = 24, 32
_ROW = 7


def picture(view: str) -> NDArray[np.uint8]:
    """Return a table as a picture: the player at the bottom, the next one on the right.

    Args:
        view: What a player sees as JSON, as ``Tables.inspect`` returns it.

    Returns:
        uint8, shape ``(SIZE, SIZE, 3)``.

    Raises:
        ImportError: Pillow is not installed.
    """
    return np.asarray(_image(view))


def png(view: str) -> bytes | None:
    """Return a table as the bytes of a PNG file, None if Pillow is not installed."""
    try:
        image = _image(view)
    except ImportError:
        return None
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _pillow() -> Any:
    with needs("a picture of a table", "picture"):
        from PIL import Image, ImageDraw, ImageFont
    return Image, ImageDraw, ImageFont


@functools.cache
def _font(size: int) -> Any:
    return _pillow()[2].load_default(size)


def _image(view: str) -> Any:
    table = json.loads(view)
    image_module, draw_module, _ = _pillow()
    image = image_module.new("RGB", (SIZE, SIZE), _TABLE)
    # Each player's side is drawn at the bottom and rotated.
    sides = (0, 90, 180, 270) if len(table["players"]) == 4 else (0, 90, 270)
    for number, angle in enumerate(sides):
        side = image_module.new("RGBA", (SIZE, SIZE), (0, 0, 0, 0))
        _side(draw_module.Draw(side), table, number)
        side = side.rotate(angle)
        image.paste(side, (0, 0), side)
    draw = draw_module.Draw(image)
    middle = SIZE // 2
    draw.rectangle((middle - 84, middle - 84, middle + 84, middle + 84), _EDGE, _PALE)
    for i, line in enumerate(headline(table).split("  ")):
        draw.text((middle, middle - 62 + 22 * i), line, _PALE, _font(14), anchor="mm")
    return image


def _side(draw: Any, table: dict[str, Any], number: int) -> None:
    player = table["players"][number]
    mine = discards_of(table, number)
    width, height = _SMALL
    for i, d in enumerate(mine):
        x = SIZE // 2 - _ROW * width // 2 + i % _ROW * width
        y = SIZE // 2 + 92 + i // _ROW * (height + 2)
        _tile(draw, x, y, _SMALL, d["tile"], dim=bool(d.get("claimed")), side=bool(d.get("ready")))
    y = SIZE - _H - 14
    melds = player.get("melds", [])
    held = tiles(table["hand"]) if number == 0 else [""] * player["concealed"]
    drawn = table.get("drawn", "") if number == 0 else ""
    if drawn:
        held.remove(drawn)
    x = 84
    for face in held:
        _tile(draw, x, y, (_W, _H), face)
        x += _W
    if drawn:
        _tile(draw, x + 10, y, (_W, _H), drawn)
    x = SIZE - 84
    for m in melds:
        faces = tiles(m.get("tiles", "")) or [""] * 4
        for face in reversed(faces):
            x -= width
            _tile(draw, x, y - _H - 4, _SMALL, face)
        x -= 6
    for face in reversed(tiles(player.get("flowers", "")) + ["4z"] * player.get("norths", 0)):
        x -= width
        _tile(draw, x, y - _H - 4, _SMALL, face)
    name = "you" if number == 0 else f"+{number}"
    words = [player["wind"], name, str(player["points"])]
    words += [f"ready ({player['ready']})"] if "ready" in player else []
    color = (255, 220, 90) if table.get("turn") == number else _PALE
    draw.text((150, y - _H + 10), "  ".join(words), color, _font(16), anchor="lm")


def _tile(
    draw: Any,
    x: int,
    y: int,
    size: tuple[int, int],
    face: str,
    *,
    dim: bool = False,
    side: bool = False,
) -> None:
    """Draw a tile, its back if face is empty."""
    width, height = size
    fill = _BACK if not face else (176, 190, 182) if dim else _WHITE
    draw.rounded_rectangle((x + 1, y, x + width - 1, y + height), 4, fill, _INK)
    if side:  # ready was declared with this discard
        draw.rectangle((x + 3, y + height - 5, x + width - 3, y + height - 3), _RED)
    if not face:
        return
    rank, suit = face[0], face[1]
    color = _RED if rank == "0" else _SUITS[suit]
    middle = x + width / 2
    if suit == "z":
        color = {"6": _SUITS["s"], "7": _RED}.get(rank, color)
        draw.text((middle, y + height / 2), _HONORS[rank], color, _font(height // 2), anchor="mm")
        if rank == "5":
            draw.rectangle((x + 7, y + 7, x + width - 7, y + height - 7), None, _SUITS["p"], 2)
        return
    number = "5" if rank == "0" else rank
    draw.text((middle, y + height * 0.36), number, color, _font(height // 2), anchor="mm")
    draw.text((middle, y + height * 0.78), suit, color, _font(height // 3), anchor="mm")


class Window:
    """A window that shows pictures, by pygame (the extra ``picture``)."""

    def __init__(self, fps: float) -> None:
        """Open it.

        Raises:
            ImportError: pygame is not installed.
        """
        with needs("render_mode='human'", "picture"):
            import pygame
        self._pygame: Any = pygame
        pygame.display.init()
        pygame.display.set_caption("sparrowhall")
        self._surface = pygame.display.set_mode((SIZE, SIZE))
        self._clock = pygame.time.Clock()
        self._fps = fps

    def show(self, pixels: NDArray[np.uint8]) -> None:
        """Show a picture, and wait for the time of a frame."""
        image = self._pygame.surfarray.make_surface(pixels.transpose(1, 0, 2))
        self._surface.blit(image, (0, 0))
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window."""
        self._pygame.display.quit()
