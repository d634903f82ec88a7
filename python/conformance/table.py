"""Write the table of docs/python.md from the rows that the scripts of this folder have printed.

Arguments: the file of the rows, the page, and what did not pass.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from datetime import date
from pathlib import Path

_BEGIN, _END = "<!-- conformance -->\n", "<!-- conformance end -->\n"


def table(rows: list[list[str]], missing: list[str]) -> str:
    """Return the table: a line for each framework, and for what passed with the same versions."""
    passed: dict[tuple[str, str], dict[str, tuple[set[str], set[str]]]] = defaultdict(dict)
    for _, framework, version, what, ruleset, count in rows:
        found = passed[framework, what].setdefault(version, (set(), set()))
        found[0].add(ruleset)
        found[1].add(count)
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (framework, what), versions in passed.items():
        alike: dict[tuple[str, str], list[str]] = defaultdict(list)
        for version, (rulesets, ends) in versions.items():
            least = str(min(map(int, filter(None, ends)), default=""))
            alike[", ".join(f"`{r}`" for r in sorted(rulesets)), least].append(version)
        for (under, least), these in alike.items():
            groups[framework, ", ".join(these), under, least].append(what)
    lines = [f"Passed on {date.today()}:", "", "| framework | versions | check | rulesets | ends |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for (framework, version, under, least), checks in groups.items():
        quoted = "; ".join(f"`{c}`" for c in checks)
        lines.append(f"| {framework} | {version} | {quoted} | {under} | {least} |")
    lines += ["", f"Not passed: {'; '.join(filter(None, missing)) or 'nothing'}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    rows, page, *missing = sys.argv[1:]
    text = Path(page).read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    printed = [line.split("\t") for line in Path(rows).read_text(encoding="utf-8").splitlines()]
    new = f"{before}{_BEGIN}\n{table(printed, missing)}\n{_END}{after}"
    Path(page).write_text(new, encoding="utf-8")
