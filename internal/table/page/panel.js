// What stands beside the board: results, debts, the patterns of the ruleset.

// grid makes a table; the first cell of each row is its head.
function grid(head, rows) {
  return h("table", {}, h("thead", {}, h("tr", {}, head.map(c => h("th", { scope: "col" }, c)))),
    h("tbody", {}, rows.map(r => h("tr", {}, r.map((c, i) => i ? h("td", {}, c) : h("th", { scope: "row" }, c))))));
}
const change = units => h("span", { class: units > 0 ? "plus" : units < 0 ? "minus" : "" }, units ? signed(units) : "");

// drawWin shows a won hand and what it is worth.
function drawWin(s, w) {
  const player = s.players[w.p], tiles = [...player.tiles].sort(byKind);
  if (w.tile === null && tiles.includes(w.face)) tiles.splice(tiles.indexOf(w.face), 1);
  const box = h("div", { class: "win" }, h("h2", {}, say(...w.how)), h("div", { class: "row wrap" }, tiles.map(f => drawTile(f)),
    w.face === NONE ? null : drawTile(w.face, "", ["last", "latest"]),
    player.melds.map(m => h("span", { class: "meld" }, drawMeld(m, true))),
    player.flowers.length ? h("span", { class: "meld" }, h("span", { class: "row" }, player.flowers.map(f => drawTile(f)))) : null));
  if (w.worth) box.append(!w.worth.patterns.length ? h("p", {}, sentences.no_pattern) : grid([sentences.pattern, sentences.price], w.worth.patterns.map(p => [patternName(p), String(p.points)])));
  if ("points" in w) box.append(h("p", {}, h("b", {}, worthOf(w, w.worth))));
  return box;
}

// drawCourse draws the points of all players after each hand, where there is a place for it.
function drawCourse() {
  const hands = course.map((_, i) => i);
  if ($("course")) lineChart($("course"), () => ({
    x: sentences.hand, height: 180, number: whole, lines: playerLines(playerName, hands, p => course.map(at => at[p] / data.unit)),
    xAxis: { incrs: [1, 2, 5, 10, 20, 50, 100] }, yAxis: { size: 62 },
  }));
}

// owed returns a sentence for each debt of the pull that is open.
const owed = s => everyone.flatMap(p => everyone.filter(q => s.debts[q][p]).map(q => itemized(say("owes", { p, q, n: points(s.debts[q][p]) }), s.owing && s.owing[`${q} ${p}`])));

// drawResult shows how the last hand ended, and at the end of the match who is where.
function drawResult(s, replay) {
  const box = h("div", {});
  for (const w of s.won) box.append(drawWin(s, w));
  if (s.ended) box.append(h("h2", {}, say(...s.ended)));
  const paid = [...s.paid.map(payment), ...owed(s)];
  if (paid.length) box.append(h("ul", {}, paid.map(text => h("li", {}, text))));
  const rank = p => s.ranks.find(r => r.p === p);
  const order = s.over ? [...s.ranks].sort((a, b) => a.rank - b.rank).map(r => r.p) : everyone;
  box.append(grid([sentences.name, sentences.this_hand, sentences.total, ...(s.over ? [sentences.rank, sentences.placement] : [])],
    order.map(p => [h("span", { class: "name" }, h("i", { class: "swatch line" + p }), ...words(playerName(p))), change(s.gained[p]), points(s.points[p]), ...(s.over ? [String(rank(p).rank), rank(p).placement.toFixed(2).replace("-", "\u2212")] : [])])));
  if (s.over) {
    box.append(h("h2", {}, sentence(s.says)), h("figure", {}, h("figcaption", {}, sentences.course), h("div", { id: "course", role: "img", "aria-label": sentences.course })));
    const link = (href, text) => href ? h("a", { href, target: "_blank", rel: "noopener" }, text) : null;
    if (replay) box.append(h("p", { class: "links" }, link(replay.address, sentences.replay), link(replay.review && `${replay.review}?language=${language}`, sentences.review)));
  }
  return box;
}

// drawLast keeps in the panel what the last hand was worth, and who paid what.
function drawLast(s) {
  const box = $("last"), worth = s.won.map(w => say(...w.how) + ("points" in w ? sentences.comma + worthOf(w, w.worth) : ""));
  box.hidden = false;
  box.firstElementChild.textContent = `${sentences.last_hand}: ${worth.join(sentences.semicolon) || (s.ended ? say(...s.ended) : "")}`;
  box.lastElementChild.replaceChildren(...[...s.paid.map(payment), ...owed(s)].map(text => h("li", {}, text)));
}

function drawDebts(s) {
  document.getElementById("owes").replaceChildren(...owed(s).map(text => h("div", {}, text)));
}

// drawWalls shows the commitment to the walls, and after the match what it stands for. A table that
// is watched in a gallery says nothing about its walls.
function drawWalls(commitment, replay) {
  const text = data.watch ? "" : !commitment ? sentences.walls_public : say("walls_sealed", { text: commitment });
  const seal = replay && replay.sealed;
  document.getElementById("walls").textContent = seal ? text + " " + say("walls_revealed", { salt: seal.salt, seed: seal.seed }) : text;
}

// drawPatterns lists the patterns of the ruleset with their prices.
function drawPatterns() {
  const box = document.getElementById("patterns");
  box.firstElementChild.textContent = say("patterns", { ruleset: data.ruleset });
  const price = p => p.price === "" ? sentences.by_rules : p.yakuman ? say("yakuman", { n: p.price }) : p.price;
  const row = p => [h("span", {}, patternName(p), language === "en" ? h("small", { lang: "zh" }, " " + p.native) : null), price(p)];
  box.lastElementChild.replaceChildren(grid([sentences.pattern, sentences.price], data.patterns.map(row)));
  box.lastElementChild.setAttribute("aria-label", say("patterns", { ruleset: data.ruleset }));
}
