// verdicts are what a review found, by decision.
const verdicts = new Map(data.verdicts.map(v => [data.decisions[v.step], v]));

// actionText returns an action in words, with the drawn tile if that is discarded.
const actionText = (a, drawn) => data.actions[a].replace("_", " ").replace(/drawn$/, drawn === null || drawn === undefined ? "drawn" : `${face(drawn)}, drawn`);

// drawAction shows one legal action: tiles as tiles, the rest in words.
function drawAction(s, d, a) {
  const [verb, what] = data.actions[a].split(" "), chosen = a === d.choice;
  if (verb === "discard" || verb === "ready" && what) {
    const last = s.players[d.player].last;
    return { verb, e: drawTile(what === "drawn" ? (last === null ? NONE : last) : data.faces.indexOf(what), "", [chosen && "chosen", what === "drawn" && "last"]) };
  }
  return { verb: "", e: h("span", { class: "text" + (chosen ? " chosen" : "") }, data.actions[a].replace("_", " ")) };
}
function drawDecisions(s, n) {
  const box = $("decisions");
  box.replaceChildren();
  for (const d of data.decisions.filter(d => d.at === n && (view < 0 || view === d.player))) {
    const found = verdicts.get(d);
    const div = h("div", { class: "decision" }, h("div", {}, `player ${d.player} chooses: `, h("b", {}, actionText(d.choice, s.players[d.player].last))));
    const rows = new Map();
    for (const a of d.legal) {
      const { verb, e } = drawAction(s, d, a);
      if (!rows.has(verb)) rows.set(verb, []);
      rows.get(verb).push(e);
    }
    if (found) div.append(h("p", { class: found.mistake ? "verdict costly" : "verdict" },
      h("b", {}, found.mistake ? "Mistake: " : "Not shown to be a mistake: "), found.text));
    for (const [verb, list] of rows) div.append(h("div", { class: "choices" }, verb ? h("span", { class: "verb" }, verb) : null, list));
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
    if (worth.patterns.length) box.append(table(["pattern", ""], worth.patterns.map(p => [p.name, String(p.points)])));
    const { yakuman, faan, tai } = worth, count = yakuman ? `${yakuman} yakuman, ` : faan !== undefined ? `${faan} faan, ` :
      tai !== undefined ? `${tai} tai, ` : w.han ? `${w.han} han, ${w.fu} fu, ` : "";
    box.append(h("div", { "data-worth": w.points }, count + `${whole(w.points)} points`));
  }
  if (s.ended) box.append(h("div", {}, h("b", {}, say(...s.ended))));
  if (s.paid.length) {
    const name = p => p === POT ? "the pot" : `player ${p}`;
    box.append(h("div", {}, s.paid.map(x => h("div", {}, `${name(x.from)} pays ${points(x.value)} to ${name(x.to)} (${x.reason})`))));
  }
  if (s.won.length || s.ended || s.over || s.forfeited.length) {
    const rank = p => s.ranks.find(r => r.p === p);
    const order = s.over ? [...s.ranks].sort((a, b) => a.rank - b.rank).map(r => r.p) : everyone;
    box.append(table(["player", "this hand", "points", ...(s.over ? ["place", "placement"] : [])],
      order.map(p => [`${p} ${data.agents[p]}`, moved(s.gained[p]), points(s.points[p]),
        ...(s.over ? [String(rank(p).rank), rank(p).placement.toFixed(2).replace("-", "\u2212")] : [])])));
  }
}
function drawLedger(s) {
  const box = $("ledger");
  box.replaceChildren();
  if (s.debts.every(row => row.every(d => d === 0))) return;
  box.append(table(["owes", ...everyone.map(p => `to ${p}`)], everyone.map(p => [`player ${p}`, ...everyone.map(c => s.debts[c][p] ? points(s.debts[c][p]) : "")])));
}
