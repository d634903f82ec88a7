// verdicts are what a review found, by decision.
const verdicts = new Map(data.verdicts.map(v => [data.decisions[v.step], v]));

// calledSet returns the tiles of a call of player p: the claimed one and those of the hand.
function calledSet(s, p, a) {
  const [verb, ...more] = data.actions[a].split(" "), player = s.players[p], f = s.players[s.latest].river.at(-1).f, k = kind(f);
  const low = k - ["low", "mid", "high"].indexOf(more[0]);
  const own = verb === "chi" ? [low, low + 1, low + 2].filter(n => n !== k) : Array(verb === "pon" ? 2 : 3).fill(k);
  const reds = { red: 1, red2: 2 }[more.at(-1)] ?? (verb === "open_kan" ? player.tiles.filter(t => red(t) && kind(t) === k).length : 0);
  return [f, ...spend({ tiles: [...player.tiles] }, own, reds)].sort(byKind);
}
const isCall = a => ["chi", "pon", "open_kan"].includes(data.actions[a].split(" ")[0]);
// actionName returns an action of player p in words; drawn is the drawn tile, NONE if it is not known.
function actionName(s, p, a, drawn) {
  const [verb, ...more] = data.actions[a].split(" ");
  if (more[0] === "drawn") return say("act_" + verb) + " " + (drawn === NONE ? "" : tileName(drawn) + sentences.comma) + say("act_drawn");
  if (isCall(a)) return [say("act_" + verb), ...calledSet(s, p, a).map(tileName)].join(" ");
  if (verb === "ready" && !more.length) return say("act_ready_now");
  return [say("act_" + verb), ...more.map(f => tileName(data.faces.indexOf(f)))].join(" ");
}

// drawRatings shows all answers with the judge's ratings, its own first, and what rollouts found of the choice.
function drawRatings(s, d, found) {
  const rated = new Map(d.rated), most = Math.max(...rated.values(), 1);
  const order = [...d.legal].sort((a, b) => (rated.get(a) ?? Infinity) - (rated.get(b) ?? Infinity) || a - b);
  return h("ol", { class: "ratings", "aria-label": sentences.ratings }, order.map(a => {
    const { verb, e } = drawAction(s, d, a), lower = rated.get(a), bar = h("i");
    bar.style.width = lower === undefined ? 0 : `${100 * lower / most}%`;
    const cost = found && a === d.choice ? say("rollouts", { n: whole(Math.round(found.cost[0])), low: whole(Math.round(found.cost[1])), high: whole(Math.round(found.cost[2])) }) : "";
    return h("li", {}, h("span", { class: "row" }, verb === "ready" ? say("act_ready") + " " : null, e), h("span", { class: "bar" }, bar),
      h("span", {}, lower === undefined ? sentences.unrated : lower ? signedWhole(-lower / 10) : sentences.judges_own, h("small", {}, cost && " " + cost)));
  }));
}
// drawAgain offers to play on from a decision: by a link in a page that has the game, by a command elsewhere.
function drawAgain(d) {
  const { again } = document.documentElement.dataset, at = stopAfter(d.at), hand = handOf(stops[at]), step = at - firstOf(hand);
  if (again !== undefined) return h("p", {}, h("a", { href: `${again}&${new URLSearchParams({ hand, step, player: d.player })}`, target: "_blank", rel: "noopener" }, sentences.try_again));
  return h("details", {}, h("summary", {}, sentences.try_again), h("code", {}, `sparrowhall table --from DIR --match ${data.match} --hand ${hand} --step ${step} --player ${d.player}`));
}
// drawWall shows the draws of the hand that are still to come, and what the hand leaves of its wall.
function drawWall(s, n) {
  const end = data.hands[s.hand + 1] ?? data.events.length, box = $("wall"), wall = data.walls[s.hand];
  box.hidden = view >= 0;
  const row = (name, tiles) => tiles.length ? h("div", {}, h("small", {}, name), group(name, { class: "row wrap waits" }, tiles)) : null;
  const drawn = data.events.slice(n, end).filter(([type]) => type === T.draw).map(([, p, f]) => h("span", { class: "row" }, h("small", {}, seatWind(s, p)), drawTile(f)));
  const rest = wall?.live.map((tiles, p) => row([sentences.wall_live, wall.live.length > 1 ? seatWind(s, p) : ""].filter(Boolean).join(sentences.comma), tiles.map(f => drawTile(f))));
  const parts = [row(sentences.wall_drawn, drawn), ...(wall ? [...rest, row(sentences.wall_dead, wall.dead.map(f => drawTile(f)))] : [h("p", {}, sentences.wall_unknown)])];
  box.lastElementChild.replaceChildren(...parts.filter(part => part));
}

// drawAction shows one legal action: tiles as tiles, the rest in words.
function drawAction(s, d, a) {
  const [verb, what] = data.actions[a].split(" "), chosen = a === d.choice;
  if (verb === "discard" || verb === "ready" && what) {
    const last = s.players[d.player].last;
    return { verb, e: drawTile(what === "drawn" ? (last === null ? NONE : last) : data.faces.indexOf(what), "", [chosen && "chosen", what === "drawn" && "last"]) };
  }
  const name = isCall(a) ? [h("span", {}, say("act_" + verb)), ...calledSet(s, d.player, a).map(f => drawTile(f))] : [actionName(s, d.player, a, NONE)];
  return { verb: "", e: h("span", { class: "row text" + (chosen ? " chosen" : "") }, name) };
}
function drawDecisions(s, n) {
  const box = $("decisions");
  box.replaceChildren();
  for (const d of data.decisions.filter(d => d.at === n && (view < 0 || view === d.player))) {
    const found = verdicts.get(d);
    const div = h("div", { class: "decision" }, h("div", {}, say("chooses", { p: d.player }), h("b", {}, actionName(s, d.player, d.choice, s.players[d.player].last ?? NONE))));
    const rows = new Map();
    for (const a of d.legal) {
      const { verb, e } = drawAction(s, d, a);
      if (!rows.has(verb)) rows.set(verb, []);
      rows.get(verb).push(e);
    }
    if (found) div.append(h("p", { class: found.mistake ? "verdict costly" : "verdict" },
      h("b", {}, found.mistake ? sentences.mistake : sentences.no_mistake), found.text[language]));
    if (d.rated) div.append(drawRatings(s, d, found), h("small", {}, sentences.rated));
    else for (const [verb, list] of rows) div.append(h("div", { class: "choices" }, verb ? h("span", { class: "verb" }, say("act_" + verb)) : null, list));
    div.append(drawAgain(d));
    box.append(div);
  }
}
// table makes a table: the first cell of each row, a text, is its head.
function table(head, rows) {
  return h("table", {}, h("thead", {}, h("tr", {}, head.map(c => h("th", { scope: "col" }, c)))),
    h("tbody", {}, rows.map(r => h("tr", {}, r.map((c, i) => i ? h("td", {}, c) : h("th", { scope: "row" }, words(c)))))));
}
const moved = units => h("span", { class: units > 0 ? "plus" : units < 0 ? "minus" : "" }, units ? signed(units) : "");
function drawResult(s) {
  const box = $("result");
  box.replaceChildren();
  for (const w of s.won) {
    if (!("points" in w)) continue;
    const worth = data.wins[w.number] || { patterns: [], yakuman: 0 };
    box.append(h("div", {}, h("b", {}, say(...w.how))));
    box.append(!worth.patterns.length ? h("p", {}, sentences.no_pattern) : table([sentences.pattern, sentences.price], worth.patterns.map(p => [patternName(p), String(p.points)])));
    box.append(h("div", { "data-worth": w.points }, worthOf(w, worth)));
  }
  if (s.ended) box.append(h("div", {}, h("b", {}, say(...s.ended))));
  if (s.paid.length) {
    box.append(h("div", {}, s.paid.map(x => h("div", {}, payment(x)))));
  }
  if (s.won.length || s.ended || s.over || s.forfeited.length) {
    const rank = p => s.ranks.find(r => r.p === p);
    const order = s.over ? [...s.ranks].sort((a, b) => a.rank - b.rank).map(r => r.p) : everyone;
    box.append(table([sentences.name, sentences.this_hand, sentences.total, ...(s.over ? [sentences.rank, sentences.placement] : [])],
      order.map(p => [name(p), moved(s.gained[p]), points(s.points[p]),
        ...(s.over ? [String(rank(p).rank), rank(p).placement.toFixed(2).replace("-", "\u2212")] : [])])));
  }
}
function drawLedger(s) {
  const box = $("ledger");
  box.replaceChildren();
  if (s.debts.every(row => row.every(d => d === 0))) return;
  box.append(table([sentences.owes_head, ...everyone.map(n => say("owes_to", { n }))], everyone.map(p => [numbered(p), ...everyone.map(c => s.debts[c][p] ? points(s.debts[c][p]) : "")])));
}
