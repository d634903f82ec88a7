"""Generates src/sparrowhall/_proto from the repository's .proto files.

Usage: python generate_proto.py [DIR], where DIR is the folder to write to.
Needs grpcio-tools in the version that pyproject.toml pins for tests.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent / "proto"
FILES = ("sparrowhall/env/v1/env.proto", "sparrowhall/agent/v1/agent.proto")
TARGET = HERE / "src" / "sparrowhall" / "_proto"


def generate(target: Path) -> None:
    """Write NAME_pb2.py and NAME_pb2.pyi of every file into the folder target."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [f"-I{PROTO}", f"--python_out={folder}", f"--pyi_out={folder}", *FILES]
        if protoc.main(["protoc", *arguments]) != 0:
            raise SystemExit(f"protoc failed in {PROTO}")
        for made in Path(folder).rglob("*_pb2.py*"):
            shutil.copyfile(made, target / made.name)


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
