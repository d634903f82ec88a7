"""Files that appear under their names when they are complete, and temporary folders."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from multiprocessing.util import Finalize
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


class OwnFolder:
    """A temporary folder of this process, removed with the object or when the process ends.

    Attributes:
        path: Where it is.
    """

    def __init__(self) -> None:
        """Make it."""
        self.path = tempfile.mkdtemp(prefix="sparrowhall-")
        # Workers of multiprocessing run its finalizers and not those of atexit; below 0, after
        # the workers of this process have ended. In a forked process it does nothing.
        self.remove = Finalize(
            self, shutil.rmtree, (self.path,), {"ignore_errors": True}, exitpriority=-1
        )
