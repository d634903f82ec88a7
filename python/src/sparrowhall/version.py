"""The version of this package, which is also that of the program it plays with."""

from __future__ import annotations

__version__ = "0.1.0"
"""Version of the package and of its program."""
