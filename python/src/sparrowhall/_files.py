"""Files that appear under their names when they are complete."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a new file that takes the place of ``path`` at the end, and is removed on an error.

    Its name is random: no other user who may write to the folder can put a link where it will be.
    """
    to = Path(path)
    if to.is_dir() or not to.parent.is_dir():
        what = "is a folder; name a file in it" if to.is_dir() else "is in no folder; make it first"
        raise FileNotFoundError(f"{to} {what}")
    handle, name = tempfile.mkstemp(prefix=f".{to.name}.", dir=to.parent)
    os.close(handle)
    new = Path(name)
    try:
        yield new
        new.chmod(0o644)
        new.replace(to)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
