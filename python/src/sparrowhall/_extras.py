"""What parts of the package need that is not installed with it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def needs(what: str, extra: str) -> Iterator[None]:
    """Raise ImportError, which names the extra to install, if a module is not found within.

    Args:
        what: What needs the module, the begin of a sentence.
        extra: The extra of the package that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as e:
        module = str(e.name).partition(".")[0]
        raise ImportError(
            f"{what} needs {module}: pip install 'sparrowhall[{extra}]'", name=module
        ) from e
