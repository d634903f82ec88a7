"""Puts ``sparrowhall`` and ``libsparrowhall`` into the wheel, their Go sources into the sdist.

The wheel is for the platform that ``go env`` names, so GOOS and GOARCH build it for another
one. The program is static: it needs no C library, and Go only while the wheel is built.

The library plays tables within the Python process. It needs a C compiler for the platform, so a
wheel has it if ``go env CGO_ENABLED`` is 1: by default if the wheel is for the platform that builds
it, and there is a compiler. Without the library a server plays all tables.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_MODULE = "module github.com/sparrowhall/sparrowhall"
# Folders of the repository that the program is made of. A checkout may have others beside them,
# such as the archives of a release.
_SOURCES = ("agents", "cmd", "configs", "env", "export", "internal", "proto", "ruleset", "sim")
# What the oldest system that the Go release supports is called in wheels. A library for Linux
# needs the C library that it was linked with; see _linux.
_PLATFORMS = {
    ("linux", "amd64"): "manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
}
# Names of the library, which the package knows too.
_LIBRARIES = {
    "linux": "libsparrowhall.so",
    "darwin": "libsparrowhall.dylib",
    "windows": "sparrowhall.dll",
}


class ProgramHook(BuildHookInterface[Any]):
    """Builds the program for a wheel. An editable install builds it on first use instead."""

    _folder: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add files to what is built."""
        sources = self._sources()
        build_data["force_include"][str(sources / "LICENSE")] = (
            "LICENSE" if self.target_name == "sdist" else "sparrowhall/LICENSE"
        )
        if self.target_name == "sdist":
            build_data["force_include"] |= _go_files(sources)
        elif version != "editable":
            self._folder = tempfile.mkdtemp()
            self.app.display_waiting(
                f"compiling the Go program and library of sparrowhall in {sources}; "
                "without Go's build cache this takes minutes"
            )
            platform, program, library = _build(sources, Path(self._folder))
            build_data["tag"] = f"py3-none-{platform}"
            build_data["pure_python"] = False
            build_data["shared_scripts"][str(program)] = program.name
            if library is None:
                self.app.display_warning(
                    f"no C compiler for {platform}: the wheel has no library for tables within "
                    "the Python process"
                )
            else:
                build_data["force_include"][str(library)] = f"sparrowhall/{library.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the program that was built."""
        if self._folder is not None:
            shutil.rmtree(self._folder)

    def _sources(self) -> Path:
        root = Path(self.root)
        # An sdist carries the sources in a folder of its own.
        for folder in (root / "go", root.parent):
            mod = folder / "go.mod"
            if mod.is_file() and mod.read_text(encoding="utf-8").startswith(_MODULE):
                return folder
        raise RuntimeError(
            f"the Go sources of sparrowhall are neither in {root / 'go'} nor around {root}"
        )


def _go_files(sources: Path) -> dict[str, str]:
    """Return where the files that the program is made of go in an sdist."""
    files = [sources / "go.mod", sources / "go.sum", sources / "LICENSE"]
    for folder in _SOURCES:
        files += (sources / folder).rglob("*")
    return {
        str(f): f"go/{f.relative_to(sources).as_posix()}"
        for f in sorted(files)
        if f.is_file() and "testdata" not in f.parts and not f.name.endswith("_test.go")
    }


def _build(sources: Path, target: Path) -> tuple[str, Path, Path | None]:
    """Build into a folder; return the platform's tag, the program, and the library if any."""
    go = shutil.which("go")
    if go is None:
        raise RuntimeError(
            "this wheel contains the Go program sparrowhall, and go is not on the PATH: install Go "
            "(https://go.dev/dl), or a wheel that is already built"
        )
    asked = subprocess.run(
        [go, "env", "GOOS", "GOARCH", "CGO_ENABLED"],
        cwd=sources,
        capture_output=True,
        text=True,
        check=True,
    )
    system, machine, compiler = asked.stdout.split()
    platform = _PLATFORMS.get((system, machine))
    if platform is None:
        known = ", ".join("/".join(p) for p in _PLATFORMS)
        raise RuntimeError(f"there is no wheel for {system}/{machine}; there are: {known}")
    # With -v Go prints each package that it compiles.
    flags = ["-v", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"]
    # GOFLAGS=-pgo=off, for tests, compiles each package once for the program and for go test.
    if "-pgo=" not in os.environ.get("GOFLAGS", ""):
        flags.append(f"-pgo={sources / 'cmd' / 'sparrowhall' / 'default.pgo'}")

    def build(name: str, package: str, compiler: str, *mode: str) -> Path:
        subprocess.run(
            [go, "build", *flags, *mode, "-o", str(target / name), package],
            cwd=sources,
            # Without a target a library for macOS needs the version that builds it.
            env={"MACOSX_DEPLOYMENT_TARGET": "12.0", **os.environ, "CGO_ENABLED": compiler},
            check=True,
        )
        return target / name

    suffix = ".exe" if system == "windows" else ""
    program = build(f"sparrowhall{suffix}", "./cmd/sparrowhall", "0")
    if compiler == "0":
        return platform, program, None
    library = build(_LIBRARIES[system], "./cmd/libsparrowhall", "1", "-buildmode=c-shared")
    return _linux(library, platform) if system == "linux" else platform, program, library


def _linux(library: Path, platform: str) -> str:
    """Return the platform of a wheel with a library, which needs the C library that it names."""
    machine = platform.partition("_")[2].partition(".")[0]
    versions = re.findall(rb"\0GLIBC_2\.(\d+)", library.read_bytes())
    if not versions:
        return f"musllinux_1_2_{machine}"
    return f"manylinux_2_{max(17, *map(int, versions))}_{machine}"
