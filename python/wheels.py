"""Builds the wheels for all platforms, and the sdist.

Usage: python wheels.py [DIR], where DIR is the folder to write to, dist by default.
Needs Go and the package build. The programs are cross-compiled: any machine builds all. The
library for tables within the Python process is in the wheel of the machine's own platform alone,
and there only with a C compiler; see hatch_build.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLATFORMS = ("linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64")


def build(target: Path) -> None:
    """Write the sdist and a wheel for each platform into the folder target."""
    command = [sys.executable, "-m", "build", "--outdir", str(target)]
    subprocess.run([*command, "--sdist", str(HERE)], check=True)
    for platform in PLATFORMS:
        system, machine = platform.split("/")
        environment = {**os.environ, "GOOS": system, "GOARCH": machine}
        subprocess.run([*command, "--wheel", str(HERE)], env=environment, check=True)


if __name__ == "__main__":
    build(Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "dist"))
