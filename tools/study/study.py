"""Plays what plan.toml lists, and computes the tables of docs/research/study.md from it.

    python tools/study/study.py [runs [full|small [docs]]]

What is in the folder of runs (runs/study) already is kept, so that an interrupted run continues. When
expert plays otherwise than it did, remove play/expert and cup/strong. With "small" everything is
played, but only a few matches of it.

It needs scipy and pyarrow, and the program sparrowhall, whose reports have all figures of one seed
and all pictures. Here the figures are pooled over the seeds, tested together and put into tables.
"""

import json
import math
import re
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pyarrow as pa

from figures import (
    GAP, POINTS, PROGRAM, RANK, Difference, Estimate, adjust, around, component, difference, figure,
    heterogeneity, letters, pair, report, shown, subtract,
)

runs, size, docs = (sys.argv[1:] + ["runs/study", "full", "docs"][len(sys.argv) - 1 :])[:3]
RUNS, DOCS = Path(runs), Path(docs)
PLAN = tomllib.loads(Path(__file__).with_name("plan.toml").read_text())
if size not in ("full", "small"):
    sys.exit(f"{size}: allowed are full and small")
RULESETS, CHANGED = PLAN["rulesets"].split(), PLAN["changed"].split()


def play(folder, command, names, seeds):
    """Run a step of the plan for all its names and seeds."""
    values = {k: v for k, v in (PLAN | PLAN[size]).items() if not isinstance(v, dict)}
    names = PLAN.get(names, names)
    for name in (names if isinstance(names, dict) else names.split()) or [""]:
        values |= {"name": name, "args": names[name] if isinstance(names, dict) else ""}
        if "{rules}" in command:
            values["rules"] = RUNS / "rules" / (name.replace("/", "_") + ".toml")
            values["rules"].parent.mkdir(parents=True, exist_ok=True)
            values["rules"].write_text(f'base = "{name.split("/")[0]}"\n{values["args"]}\n')
        filled = values | {k: v.format(**values) for k, v in values.items() if k in ("search", "adapt")}
        for seed in PLAN[size][seeds]:
            out = RUNS / folder.format(**filled) / str(seed)
            words = [PROGRAM, *shlex.split(command.format(**filled)), "--quiet", "--seed", str(seed), "--out", str(out)]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


for folder, step in PLAN["steps"].items():
    play(folder, *step)

# Play of the kinds never changes; expert improves and has a chapter of its own.
KINDS, EXPERT = ["value", "greedy"], "expert"
COURSE = {
    "hands": "match.hands", "decisions": "match.decisions", "lead changes": "match.lead_changes",
    "comebacks from last": "match.comeback_from_last",
    "last hand decides": "match.last_hand_decides", "wire to wire": "match.wire_to_wire",
}
ENDS = {
    "self-draw": "hand.self_draw", "discard": "hand.discard", "empty wall": "hand.exhausted",
    "abortive": "hand.aborted", "players who called": "hand.open", "turns to win": "win.turns",
}
EDGE = {"East over the others": "dealer.first_mover_edge"}
COMPARED = COURSE | ENDS | EDGE
EFFECTS = {
    "hands": "match.hands", "empty wall": "hand.exhausted", "turns to win": "win.turns",
    "value of wins": "win.value", "players who called": "hand.open",
    "last hand decides": "match.last_hand_decides", "spread at the end": "match.spread",
    "dealer's edge in points": "dealer.points_edge",
}
STRONGER = {
    "hands": "match.hands", "empty wall": "hand.exhausted", "self-draw": "hand.self_draw",
    "players who called": "hand.open", "turns to win": "win.turns",
    "last hand decides": "match.last_hand_decides",
} | EDGE

tables, facts = {}, []


@cache
def seeds(*path):
    list_ = sorted(RUNS.joinpath(*path).glob("[0-9]*"))
    if not list_:
        sys.exit(f"{RUNS.joinpath(*path)}: nothing was played; the plan has no such step")
    return list_


def series(*paths):
    return [report(*dirs) for dirs in zip(*(seeds(*p) for p in paths), strict=True)]


def table(name, head, rows):
    tables[name] = [list(head), *map(list, rows)]


def code(name):
    return f"`{name}`"


# What was played.

plays = {k: series(*(("play", k, r) for r in RULESETS)) for k in [*KINDS, EXPERT]}
tests = {}
for kind in plays:
    for i in range(len(RULESETS)):
        s = series(*(("play", kind, r) for r in RULESETS[i:]))
        for key in COMPARED.values():
            for j in range(i + 1, len(RULESETS)):
                if d := difference(s, j - i, key):
                    tests[kind, key, i, j] = d
adjust([d for (kind, *_), d in tests.items() if kind != EXPERT])
adjust([d for (kind, *_), d in tests.items() if kind == EXPERT])

proposal = lambda name: name + "_changed"
cups = {field: {r: series(("cup", field, r)) for r in RULESETS + [proposal(c) for c in CHANGED if field != "beginner"]}
        for field in ("able", "strong", "beginner")}

changes, effects, answers = {}, {}, {}
for kind, below in zip(KINDS, ("", "field2")):
    for name in CHANGED:
        folders = []
        for sweep, proposed in zip(seeds("sweep", name), seeds("play", kind, proposal(name)), strict=True):
            folders.append([*sorted((sweep / below).glob("[0-9][0-9]_*")), proposed])
            for i, a in enumerate(json.loads((sweep / below / "report" / "report.json").read_text())["answers"]):
                if r := a.get("response"):
                    answers.setdefault((kind, name, i + 1), Counter()).update(asked=r["decisions"], other=r["otherwise"])
        changes[kind, name] = s = [report(*dirs) for dirs in folders]
        for v in range(1, len(folders[0])):
            for key in EFFECTS.values():
                if d := difference(s, v, key):
                    effects[kind, name, v, key] = d
adjust(effects.values())

def ratio(pairs):
    """A ratio of sums over independent clusters."""
    n, y, x = len(pairs), sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    v = y / x
    squares = sum((a - v * b) ** 2 for a, b in pairs)
    return around(v, math.sqrt(squares * n / (n - 1)) / x, n, x, GAP)


@cache
def counts(kind, name):
    """Return leads, ranks, values and turns of the hands of a ruleset.

    A lead is by how many hands South, after the dealer, wins more than North, before the dealer.
    A rank is by how much that of North is above that of East. Values count wins, turns won hands.
    """
    leads, ranks, values, turns = [], [], Counter(), Counter()
    for run in seeds("play", kind, name):
        knobs = json.loads((run / "manifest.json").read_text())["ruleset"]
        unit = 2 if knobs["family"] == "hktw" else 1
        rotates = knobs["knobs"].get("seat_rotation") == "mcr_table"
        table_of = lambda rows: pa.concat_tables(pa.ipc.open_file(p).read_all() for p in sorted(run.glob(rows + "-*.arrow")))
        matches = table_of("matches").select(["player", "rank"]).to_pylist()
        ranks += [(b["rank"] - a["rank"], 1) for a, b in zip(matches[0::4], matches[3::4])]
        hands = {}
        for h in table_of("hands").select(["match", "round", "dealer", "wins", "discards"]).to_pylist():
            chairs = [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 1, 0), (3, 2, 0, 1)][h["round"] % 4 if rotates else 0]
            lead, n = hands.get(h["match"], (0, 0))
            for w in h["wins"]:
                values[w["points"] // unit] += 1
                lead += {1: 1, 3: -1}.get((chairs.index(w["player"]) - chairs.index(h["dealer"])) % 4, 0)
            if h["wins"]:
                turns[h["discards"] // 4] += 1
            hands[h["match"]] = lead, n + 1
        leads += hands.values()
    return ratio(leads), ratio(ranks)._replace(unit=RANK), values, turns


# The tables.


def lettered(kind, key):
    list_ = [figure(plays[kind], i, key) for i in range(len(RULESETS))]
    apart = lambda i, j: (d := tests.get((kind, key, i, j))) is not None and d.clear()
    return [f"{shown(e)} {l}" for e, l in zip(list_, letters([e.value for e in list_], apart))]


def side_by_side(name, columns):
    for kind in KINDS:
        table(f"{name}-{kind}", ["ruleset", *columns], zip(map(code, RULESETS), *(lettered(kind, k) for k in columns.values())))


def lettered_skills(field):
    list_ = [component(cups[field][r]) for r in RULESETS]
    at = {(i, j): subtract(list_[j], list_[i]) for j in range(len(list_)) for i in range(j)}
    adjust(at.values())
    return [f"{e.text()} {l}" for e, l in zip(list_, letters([e.value for e in list_], lambda i, j: at[i, j].clear()))]


def quantile(cases, part):
    seen = 0
    for v in sorted(cases):
        if (seen := seen + cases[v]) >= part * cases.total():
            return v
    return 0


def ranked(kind, i, name):
    s = plays[kind]
    list_ = [(k.split(".")[2], figure(s, i, k)) for k in s[0]["datasets"][i]["figures"] if k.startswith(f"pattern.{name}.")]
    return sorted((p for p in list_ if p[1].count), key=lambda p: -p[1].value)


def write_pairs(name, field, pairs):
    found = [[pair(cups[field][r], 0, *p) for p in pairs] for r in RULESETS]
    adjust([d for row in found for d, _ in row])
    head = [h for a, b in pairs for h in (f"`{a}` over `{b}`", "matches needed")]
    table(name, ["ruleset", *head], ([code(r), *(t for d, n in row for t in (d.text(RANK), n))] for r, row in zip(RULESETS, found)))


def write_effects(name, field, a, b):
    rows, tested = [], []
    for r in CHANGED:
        (x, y), (d, needed), (e, after) = ([component(cups[field][n]) for n in (r, proposal(r))],
                                           *(pair(cups[field][n], 0, a, b) for n in (r, proposal(r))))
        tested += [skill := subtract(y, x), lead := Difference(e.value - d.value, math.hypot(e.error, d.error))]
        rows.append((code(r), x.text(), y.text(), skill, d.text(RANK), e.text(RANK), lead, needed, after))
    adjust(tested)
    head = ["ruleset", "skill, of ranks", "as proposed", "difference", f"`{a}` over `{b}`, ranks", "as proposed", "difference", "matches needed", "as proposed"]
    table(name, head, ([*r[:3], r[3].text(GAP), *r[4:6], r[6].text(RANK), *r[7:]] for r in rows))


def write_notes():
    datasets = lambda s: s[0]["datasets"][0]
    m, k, c = plays["value"], cups["able"][RULESETS[0]], changes["value", CHANGED[0]]
    facts.append(f"comparisons of two rulesets: {sum(t[0] != EXPERT for t in tests)}, tested together at 5 %; matches needed are for a power of 80 %")
    facts.append(f"matches of each ruleset, kind and seed: {datasets(m)['matches']}, of `expert` {datasets(plays[EXPERT])['matches']}; seeds: {len(m)}")
    facts.append(f"duplicate sets of each tournament and seed: {datasets(k)['skill']['sets']}, of {datasets(k)['skill']['set_matches']} matches; seeds: {len(k)}")
    facts.append(f"matches of each variant, kind and seed: {datasets(c)['matches']}; seeds: {len(c)}")
    facts.append(f"comparisons of variants with rulesets as they are: {len(effects)}")

    def apart(all_, keys):
        list_ = [p for s in all_ for i in range(len(s[0]["datasets"])) for k in keys if (p := heterogeneity(s, i, k)) is not None]
        n = sum(p < 0.05 for p in list_)
        return f"{n} of {len(list_)}", f"{100 * n / max(1, len(list_)):.1f}%"

    side, varied = apart([plays[k] for k in KINDS], COMPARED.values()), apart(changes.values(), EFFECTS.values())
    facts.append(f"figures that differ between the seeds at 5 %: {side[0]} side by side, {side[1]}, and {varied[0]} where rules are changed, {varied[1]}")


def write_seats():
    for kind in KINDS:
        tested = [[subtract(e) for e in counts(kind, r)[:2]] for r in RULESETS]
        adjust([d for i in (0, 1) for d in (row[i] for row in tested)])
        edges = lettered(kind, "dealer.first_mover_edge")
        table(f"seats-{kind}", ["ruleset", "East", "South", "West", "North", "East over the others", "South over North", "rank of North less that of East"],
              ([code(r), *(figure(plays[kind], i, "dealer.win." + w).rounded() for w in ("east", "south", "west", "north")),
                edges[i], tested[i][0].text(GAP), tested[i][1].text(RANK)] for i, r in enumerate(RULESETS)))


def write_worth():
    for kind in KINDS:
        text = lambda i, name: shown(figure(plays[kind], i, "win." + name))
        table(f"worth-{kind}", ["ruleset", "value", "median", "95 % are at most", "by self-draw", "on a discard", "won by players who called"],
              ([code(r), text(i, "value"), *(str(quantile(counts(kind, r)[2], q)) for q in (0.5, 0.95)),
                text(i, "value_self_draw"), text(i, "value_discard"), text(i, "open")] for i, r in enumerate(RULESETS)))


def write_patterns():
    largest = lambda kind, i, name: ", ".join(f"`{p}` {100 * e.value:.1f}%" for p, e in ranked(kind, i, name)[:5])
    table("patterns", ["ruleset", "players", "most frequent in wins", "largest part of the value"],
          ([code(r), kind, largest(kind, i, "frequency"), largest(kind, i, "value_share")] for i, r in enumerate(RULESETS) for kind in KINDS))


def write_skill():
    share = lambda field, r, *of: component(cups[field][r], 0, *of).text()
    table("skill", ["ruleset", "skill, of ranks", "luck of the walls", "luck of play", "skill, of placement points", "skill, of ranks, with a beginner"],
          ([code(r), text, share("able", r, "walls"), share("able", r, "rest"), share("able", r, "skill", "skill"), share("beginner", r)]
           for r, text in zip(RULESETS, lettered_skills("able"))))
    write_pairs("pairs", "able", [("value", "greedy"), ("value", "value:defence=off"), ("value", "value:worth=off")])


def write_screened():
    rows, skills, ranks = [], [], []
    for name in CHANGED:
        tried = sorted((p.name for p in (RUNS / "cup" / "screen" / name).iterdir()), key=lambda n: (n != "base", n))
        s = series(*(("cup", "screen", name, n) for n in tried))
        for i in range(len(tried)):
            e = component(s, i)
            skill = subtract(e, component(s)) if i else None
            leads = [pair(s, i, "value", b)[0] for b in ("greedy", "value:defence=off")]
            skills += [skill] if i else []
            ranks += leads
            knobs = ", ".join(f"`{c['knob']} = {c['to']}`" for c in s[0]["datasets"][i].get("changes") or [])
            rows.append(([code(name), knobs if i else "as it is", e.text()], skill, leads,
                         [shown(figure(s, i, k)) for k in ("match.hands", "hand.exhausted", "match.last_hand_decides")]))
    adjust(skills)
    adjust(ranks)
    table("screened", ["ruleset", "changed to", "skill, of ranks", "difference", "`value` over `greedy`, ranks", "`value` over `value:defence=off`, ranks", "hands", "empty wall", "last hand decides"],
          ([*a, d.text(GAP) if d else "-", *(x.text(RANK) for x in leads), *b] for a, d, leads, b in rows))


def write_changed():
    for name in CHANGED:
        rows = []
        for v in range(n := len(changes["value", name][0]["datasets"])):
            for kind in KINDS:
                s = changes[kind, name]
                label = {0: "as it is", n - 1: "**as proposed**"}.get(v, code(s[0]["datasets"][v]["ruleset"]))
                cells = []
                for key in EFFECTS.values():
                    d = effects.get((kind, name, v, key))
                    if v == 0:
                        cells.append(shown(figure(s, 0, key)))
                    elif d:
                        cells.append(d.text(s[0]["datasets"][0]["figures"][key]["unit"]) if d.value or d.error else "0")
                    else:
                        cells.append("-")
                a = answers.get((kind, name, v))
                rows.append([label, kind, *cells, f"{100 * a['other'] / a['asked']:.2f}%" if a and v else "-"])
        table("changes-" + name, ["ruleset", "players", *EFFECTS, "answers that change"], rows)


def write_searched():
    rows = []
    for run in seeds("tune", "universal"):
        found = json.loads((run / "result.json").read_text())
        best = found["best"][0]
        rows.append([run.name, ", ".join(f"`{k} = {v}`" for k, v in sorted(best["knobs"].items())),
                     *(Estimate(m["value"], m["error"], m["low"], m["high"], 1, m["unit"]).text() for m in best["measured"] + found["start"]["measured"])])
    table("searched", ["seed", "best", "skill, of ranks", "empty wall", "as it is: skill, of ranks", "empty wall"], rows)


def write_adaptations():
    mean = lambda list_: Difference(sum(e["value"] / len(list_) for e in list_), math.hypot(*(e["error"] / len(list_) for e in list_))).text(POINTS)

    def habits(list_, dominant=False):
        seen = Counter(h["name"] for h in list_ if not dominant or h["dominant"])
        return ", ".join(f"`{name}` ({seen[name]})" for name in sorted(seen)) or "nothing"

    rows = []
    for name in ("universal", "hkma_hktw"):
        all_ = [json.loads((run / "report" / "report.json").read_text()) for run in seeds("adapt", name)]
        before, after = [r["adaptation"] for r in all_], [r["answers"][0]["adaptation"] for r in all_]
        for rules, list_ in (("as they are", before), ("as proposed", after)):
            found = [h for a in list_ for h in a["habits"]]
            rows.append([code(name), rules, mean([a["worth"] for a in list_]), "-" if list_ is before else mean([a["beyond"] for a in list_]), habits(found), habits(found, True)])
    table("adapted", ["ruleset", "rules", "worth of adapting, points a match", "of these due to the change", "clearly more or less often than the others", "more than twice as often"], rows)


def write_robust():
    others = ["greedy", EXPERT]
    rows = []
    for title, key in COMPARED.items():
        n = Counter()
        for (kind, k, i, j), a in tests.items():
            if kind == "value" and k == key and a.clear():
                n["all"] += 1
                for other in others:
                    b = tests.get((other, key, i, j))
                    n[other, "unclear" if not b or not b.clear() else a.value * b.value > 0] += 1
        rows.append([title, n["all"], *(n[other, way] for other in others for way in (True, False, "unclear"))])
    rows.append(["all", *(sum(r[i] for r in rows) for i in range(1, len(rows[0])))])
    head = [h for k in others for h in (f"of these among `{k}` too, the same way", "the other way", "not shown")]
    table("robust", ["figure", "pairs that differ among `value`", *head], ([r[0], *map(str, r[1:])] for r in rows))


def write_stronger():
    after = [subtract(counts(EXPERT, r)[0]) for r in RULESETS]
    adjust(after)
    table("stronger", ["ruleset", *STRONGER, "South over North"],
          zip(map(code, RULESETS), *(lettered(EXPERT, k) for k in STRONGER.values()), (d.text(GAP) for d in after)))
    table("stronger-skill", ["ruleset", "skill, of ranks"], zip(map(code, RULESETS), lettered_skills("strong")))
    write_pairs("stronger-pairs", "strong", [(EXPERT, "value"), (EXPERT, "greedy")])
    write_effects("stronger-proposals", "strong", EXPERT, "greedy")


def write_by_seed():
    rows = []
    for kind, s in plays.items():
        for i, r in enumerate(RULESETS):
            for key in [*COMPARED.values(), "win.value"]:
                p = heterogeneity(s, i, key)
                rows.append([r, kind, key.replace(".", " ").replace("_", " "), shown(figure(s, i, key)),
                             *(shown(figure([one], i, key)) for one in s), "-" if p is None else f"{p:.2f}"])
    for field in ("able", "beginner", "strong"):
        for r, s in sorted(cups[field].items()):
            rows.append([r, field, "skill, of ranks", component(s).text(), *(component([one]).text() for one in s), "-"])
    table("seeds", ["ruleset", "players", "figure", "all seeds", *(f"seed {i + 1}" for i in range(len(plays["value"]))), "p"], rows)


def write():
    page = DOCS / "research" / "study.md"

    def fill(m):
        if m[2] == "facts":
            return m[1] + "\n- " + "\n- ".join(facts) + "\n\n" + m[3]
        head, *rows = tables[m[2].removeprefix("table ")]
        lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *(f"| {' | '.join(r)} |" for r in rows)]
        return m[1] + "\n" + "\n".join(lines) + "\n\n" + m[3]

    page.write_text(re.sub(r"(<!-- (table [a-z0-9_-]+|facts) -->\n).*?(<!-- end -->)", fill, page.read_text(), flags=re.DOTALL))
    out = ["What tools/study/study.py prints: every figure of docs/research/study.md stands here.\n", *facts]
    for name, rows in tables.items():
        rows = [[c.replace("`", "").replace("**", "") for c in r] for r in rows]
        widths = [max(len(r[i]) for r in rows) + 2 for i in range(len(rows[0]))]
        out += ["", name.upper(), *("".join(c.ljust(w) for c, w in zip(r[:-1], widths)) + r[-1] for r in rows)]
    (DOCS / "study" / "figures.txt").write_text("\n".join(out) + "\n")


write_notes()
side_by_side("course", COURSE)
write_seats()
side_by_side("ends", ENDS)
for make in (write_worth, write_patterns, write_skill, write_screened):
    make()
write_effects("proposals", "able", "value", "greedy")
for make in (write_changed, write_searched, write_adaptations, write_robust, write_stronger, write_by_seed):
    make()
write()
