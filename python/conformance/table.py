"""Write the table of docs/python.md from the rows that the scripts of this folder have printed.

Arguments: the file of the rows, the page, and what did not install.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from datetime import date
from pathlib import Path

_BEGIN, _END = "<!-- conformance -->\n", "<!-- conformance end -->\n"


def table(rows: list[list[str]], missing: list[str]) -> str:
    """Return the table: a line for each framework and check, with its versions."""
    versions: dict[tuple[str, str], set[str]] = defaultdict(set)
    rulesets: dict[tuple[str, str], set[str]] = defaultdict(set)
    ends: dict[tuple[str, str], set[str]] = defaultdict(set)
    for _, framework, version, what, ruleset, count in rows:
        key = framework, what
        versions[key].add(version)
        rulesets[key].add(ruleset)
        ends[key].add(count)
    lines = [f"Passed on {date.today()}:", "", "| framework | versions | check | rulesets | ends |"]
    lines.append("| --- | --- | --- | --- | --- |")
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (framework, what), found in versions.items():
        least = min((int(e) for e in ends[framework, what] if e), default=0)
        cells = (
            framework,
            " and ".join(sorted(found)),
            ", ".join(f"`{r}`" for r in sorted(rulesets[framework, what])),
            str(least or ""),
        )
        groups[cells].append(what)
    for (framework, version, under, least), checks in groups.items():
        quoted = "; ".join(f"`{c}`" for c in checks)
        lines.append(f"| {framework} | {version} | {quoted} | {under} | {least} |")
    lines += ["", f"Not run: {'; '.join(missing) or 'nothing'}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    rows, page, *missing = sys.argv[1:]
    text = Path(page).read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    printed = [line.split("\t") for line in Path(rows).read_text(encoding="utf-8").splitlines()]
    new = f"{before}{_BEGIN}\n{table(printed, missing)}\n{_END}{after}"
    Path(page).write_text(new, encoding="utf-8")
