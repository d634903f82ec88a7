"""Shows what a player sees, as text, as a picture or in a window."""

from __future__ import annotations

from typing import Any

import gymnasium

from sparrowhall._picture import Window, picture
from sparrowhall._view import table_text
from sparrowhall.options import RENDER_MODES

FPS = 2
"""Frames per second of a window."""


class Renderer:
    """Renders tables in one render mode."""

    def __init__(self, mode: str | None) -> None:
        """Initialize it with one of RENDER_MODES or None."""
        self.mode = mode
        self._window: Window | None = None

    def render(self, view: str, fps: float) -> Any:
        """Render a table.

        Args:
            view: What a player sees as JSON, as ``Tables.inspect`` returns it.
            fps: Most frames per second of a window.

        Returns:
            Text, or a picture as uint8 of shape ``(height, width, 3)``; None in a window.

        Raises:
            ImportError: Pillow or pygame is not installed.
        """
        if self.mode == "ansi":
            return table_text(view)
        pixels = picture(view)
        if self.mode == "rgb_array":
            return pixels
        self._window = self._window or Window(fps)
        self._window.show(pixels)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None


def warn_without_mode() -> None:
    """Warn that ``render`` was called in an environment without a render mode."""
    allowed = ", ".join(map(repr, RENDER_MODES))
    gymnasium.logger.warn(f"render was called without a render_mode; allowed: {allowed}")
