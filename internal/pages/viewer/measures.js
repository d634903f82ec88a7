// What the page tells beside the events: how far hands are from ready, what they
// wait for, and what the tiles that came by chance were worth.

// prospects returns of each player the last row of data.outlooks before event n.
function prospects(n) {
  const found = everyone.map(() => null);
  for (const row of data.outlooks) {
    if (row[0] > n) break;
    found[row[1]] = row;
  }
  return found.map(row => row && row[0] > data.hands[handOf(n)] ? { shanten: row[2], waits: row.slice(3) } : null);
}
// waitText returns what a wait of outlooks does not win, and why; "" if it wins in every way.
function waitText(code) {
  return code < 64 ? "" : say(["wins_not_given", "wins_not_drawn", "wins_never"][(code >> 6 & 3) - 1], { why: whyNot(data.whys[code >> 8]) });
}
// luckUntil returns each player's luck, in points, in events after from until n.
function luckUntil(n, from = 0) {
  const sum = zeros();
  for (const [at, ...worth] of data.luck) if (at > from && at <= n) worth.forEach((x, p) => { sum[p] += x / 100; });
  return sum;
}
function drawProspects(s, n) {
  const found = prospects(n), luck = luckUntil(n), here = luckUntil(n, data.hands[s.hand]), all = view < 0 && data.luck.length > 0;
  $("prospects").replaceChildren(table([sentences.name, sentences.to_ready, sentences.waits, ...(all ? [sentences.luck_hand, sentences.luck_match] : [])], everyone.map(p => {
    const x = sees(s, p) && s.turn !== null ? found[p] : null;
    const dead = x && x.waits.length && x.waits.every(code => (code >> 6 & 3) === 3);
    return [name(p), x ? dead ? sentences.shape_only : shantenOf(x.shanten) : "",
      h("span", { class: "waits" }, x ? x.waits.map(code => h("span", {}, drawTile(code & 63), `\u00d7${leftOf(s, code & 63)}`)) : null,
        x ? [...new Set(x.waits.map(waitText))].filter(Boolean).map(text => h("small", {}, text)) : null),
      ...(all ? [signedWhole(here[p]), signedWhole(luck[p])] : [])];
  })));
}
const signedWhole = n => { const r = Math.abs(n) < 100 ? Math.round(n * 10) / 10 : Math.round(n); return (r > 0 ? "+" : "") + whole(r); };

// handName names a hand by its round, and where the rules count them its honba.
function handName(i) {
  const s = stateAt(stops[firstOf(i)]);
  return roundName(s) + (data.repeats && s.counter ? sentences.comma + count(s.counter, "repeat", "repeats") : "");
}
// filter is which mistakes of a review count: those of a kind and of a player, "" for all, and of a least cost.
let filter = { kind: "", player: "", least: 0 };
// mistakes are those of a review that the filters leave, in the order of the match, with their places.
const mistakes = () => data.verdicts.filter(v => v.mistake && (!filter.kind || v.kind === filter.kind) && v.cost[0] >= filter.least).flatMap(v => {
  const d = data.decisions[v.step], at = stopAfter(d.at);
  return filter.player && d.player !== Number(filter.player) ? [] : [{ v, d, at, hand: handOf(stops[at]) }];
});
// moments are what one may want to go to: wins, declarations, and the ten draws
// that cost a player most. Mistakes come beside them.
const moments = [];
// moment returns a sentence that names players with their agents.
const moment = (key, { p, q, f, ...more }) => sentences[key].replace(/{(\w+)}/g, (_, n) => n === "p" ? name(p) : n === "q" ? name(q) : n === "f" ? tileName(f) : more[n]);
{
  let wins = 0;
  data.events.forEach(([type, p, f, detail, value], i) => {
    const at = stopAfter(i + 1);
    if (type === T.win) {
      const worth = data.wins[wins++], [, , fu, han, n] = data.events.slice(i).find(e => e[0] === T.value) ?? [];
      moments.push({
        sort: "win", at: stopAfter(data.events.findIndex((e, n) => n > i && e[0] === T.handEnd) + 1),
        text: moment(value === p ? "moment_win" : "moment_win_from", { p, q: value }) + (n === undefined ? "" : sentences.comma + worthOf({ points: n, han, fu }, worth)),
      });
    }
    if (type === T.ready && value) moments.push({ sort: "ready", at, text: moment("moment_ready", { p, ready: readyName(detail) }) });
  });
  const draws = data.luck.filter(([at]) => data.events[at - 1][0] === T.draw).map(([at, ...worth]) => {
    const lost = Math.min(...worth), [, p, f] = data.events[at - 1];
    return { sort: "draw", lost, at: stopAfter(at), text: moment("moment_draw", { p, f, n: signedWhole(lost / 100), q: worth.indexOf(lost) }) };
  });
  moments.push(...draws.sort((a, b) => a.lost - b.lost).slice(0, 10).sort((a, b) => a.at - b.at));
  for (const m of moments) m.hand = handOf(stops[m.at]);
}
const sorts = ["win", "ready", "draw", "choice"];
const momentsOf = sort => sort === "choice" ? mistakes().filter(m => view < 0 || view === m.d.player).map(m => ({ ...m, text: moment("moment_choice", { p: m.d.player, text: m.v.brief[language] }) })) :
  moments.filter(m => m.sort === sort && (view < 0 || sort !== "draw"));

function listMoments() {
  const groups = sorts.map(sort => [say("sort_" + sort), momentsOf(sort)]).filter(([, list]) => list.length);
  $("moment").replaceChildren(h("option", { value: "" }, sentences.go_to),
    ...groups.map(([label, list]) => h("optgroup", { label }, list.map(m => h("option", { value: m.at }, say("moment_in", { n: handName(m.hand), text: m.text }))))));
  $("moment").disabled = groups.length === 0;
}

// The chart shows points or luck over the steps of the match; a table below has the
// numbers at the end of each hand.
let chart = null;
const course = { points: [], luck: [] };
{
  let s = newMatch(), done = 0, row = 0;
  const sum = zeros();
  for (const n of stops) {
    for (; done < n; done++) {
      const match = data.hands.includes(done) ? copyMatch(s) : s;
      s = apply(match, data.events[done]);
    }
    for (; row < data.luck.length && data.luck[row][0] <= n; row++) data.luck[row].slice(1).forEach((x, p) => { sum[p] += x / 100; });
    course.points.push(s.points.map(x => x / data.unit));
    course.luck.push([...sum]);
  }
  course.steps = stops.map((_, i) => i);
}
// handSplits are the steps at which hands begin, as many as there is room for.
function handSplits(u) {
  const room = 24 * stops.length / Math.max(u.over.clientWidth || 300, 1), kept = [];
  data.hands.forEach((_, i) => { if (!kept.length || firstOf(i) - kept.at(-1) >= room) kept.push(firstOf(i)); });
  return kept;
}
function drawChart() {
  const what = $("series").value;
  chart = lineChart($("chart"), () => ({
    x: sentences.hand, step: sentences.step, height: 190, number: v => signless(what, v),
    lines: [...playerLines(name, course.steps, p => course[what].map(row => row[p])), ...markedMistakes(what)],
    xAxis: { splits: handSplits, values: (_, list) => list.map(i => String(handOf(stops[i]))) }, yAxis: { size: 62, values: (_, list) => list.map(whole) },
    mark: () => position, pick: goTo,
  }));
}
// markedMistakes are the points of the chart at mistakes.
function markedMistakes(what) {
  const at = new Map(mistakes().map(m => [m.at, course[what][m.at][m.d.player]]));
  return at.size ? [{ name: sentences.sort_choice, x: [...at.keys()], y: [...at.values()], color: "--minus", points: true }] : [];
}
const signless = (what, v) => what === "luck" ? signedWhole(v) : whole(v);
function listNumbers() {
  const ends = data.hands.map((_, i) => i + 1 < data.hands.length ? firstOf(i + 1) - 1 : stops.length - 1);
  const luck = i => course.luck[ends[i]].map((x, p) => x - (i ? course.luck[ends[i - 1]][p] : 0));
  $("numbers").replaceChildren(table([sentences.hand, ...everyone.map(name)], ends.map((at, i) =>
    [String(i), ...everyone.map(p => whole(course.points[at][p]) + (view < 0 && data.luck.length ? ` (${signedWhole(luck(i)[p])})` : ""))])));
}
