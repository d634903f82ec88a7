// h makes an element: attributes by name, then children.
function h(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
  e.append(...children.flat().filter(c => c !== null && c !== undefined));
  return e;
}
// renew makes the children of an element those of a new one and leaves those that are equal in
// place, so that the browser lays out and paints only what changed. What answers to clicks differs
// in its attributes if it answers differently.
function renew(old, fresh) {
  const before = [...old.childNodes], after = [...fresh.childNodes];
  after.forEach((now, i) => {
    const was = before[i];
    if (was === undefined) old.append(now);
    else if (was.nodeName === "DIV" && was.nodeName === now.nodeName && !was.isEqualNode(now)) {
      for (const { name } of [...was.attributes]) if (!now.hasAttribute(name)) was.removeAttribute(name);
      for (const { name, value } of now.attributes) if (was.getAttribute(name) !== value) was.setAttribute(name, value);
      renew(was, now);
    } else if (!was.isEqualNode(now)) was.replaceWith(now);
  });
  for (const was of before.slice(after.length)) was.remove();
}
// playerLines are the lines of a chart with one for each player.
const playerLines = (name, x, of) => everyone.map(p => ({ name: name(p), x, y: of(p), color: "--player" + p, dash: [[], [8, 4], [2, 3], [10, 3, 2, 3]][p] }));
// words lets a name such as value:calls=off break between its words.
const words = text => text.split(/(?<=[_:=,\/])/).flatMap((word, i) => i ? [h("wbr", {}), word] : [word]);

// The kinds that the indicators of the hand show to be dora.
let doraKinds = [];
const isDora = f => red(f) || doraKinds.includes(kind(f));
// drawTile makes the picture of a tile; style is "turned", "stacked" (two tiles) or none.
function drawTile(f, style = "", marks = []) {
  const faces = style === "stacked" ? f : [f], dora = faces.some(isDora);
  const name = [faces.map(f => isDora(f) ? say("is_dora", { f }) : tileName(f)).join(" "), ...marks.map(m => sentences["mark_" + m])].filter(Boolean).join(sentences.comma);
  return h("i", {
    class: ["tile", tileClass(faces.map(face), style), style, dora && "dora", ...marks].filter(Boolean).join(" "),
    ...(faces.every(f => f === NONE) ? { "aria-hidden": true } : { role: "img", "aria-label": name }),
  });
}

// Whose view is shown; -1 is that of all tiles.
let view = -1;
// handTile completes the picture of a tile of a hand; drawn is set for the drawn tile.
let handTile = (picture, p, f, drawn) => picture;
const bottom = () => Math.max(view, 0);
const sees = (s, p) => view < 0 || view === p || s.players[p].shown;

// group makes a part of the board that screen readers find by its name.
const group = (name, attributes, ...children) => h("div", { role: "group", "aria-label": name, ...attributes }, ...children);
const seatOf = (s, p) => `${seatWind(s, p)} ${headName(p)}`;
function drawMeld(m, visible) {
  const row = group(sentences["meld_" + m.name.replace(" ", "_")], { class: "row" });
  if (m.closed) {
    m.tiles.forEach((f, i) => row.append(drawTile(visible && i > 0 && i < 3 ? f : visible && red(f) ? f : NONE)));
  } else {
    m.tiles.forEach((f, i) => row.append(i !== m.turned ? drawTile(f) : "added" in m ? drawTile([m.added, f], "stacked") : drawTile(f, "turned")));
  }
  return row;
}
// stacked is whether the style sheet sets the seats below one another.
const stacked = matchMedia("(max-width: 900px), (max-height: 599px)");
function drawRiver(s, p) {
  const river = group(say(s.players[p].river.length ? "discards_of" : "no_discards_of", { seat: seatOf(s, p) }), { class: "river" }), narrow = stacked.matches;
  let turn = false, row = null;
  const list = s.players[p].river;
  list.forEach((d, i) => {
    turn = turn || d.ready;
    const marks = [d.drawn && "drawn", d.ready && "declared", d.claimed && "claimed", s.latest === p && i === list.length - 1 && "latest"].filter(Boolean);
    if (row === null || !narrow && i % 6 === 0) river.append(row = h("div", { class: narrow ? "row wrap" : "row" }));
    row.append(drawTile(d.f, turn ? "turned" : "", marks));
    // Where the turned tile was claimed the next one is turned instead.
    if (!d.claimed) turn = false;
  });
  return river;
}
function drawHand(s, p) {
  const player = s.players[p], open = sees(s, p), seat = seatOf(s, p);
  const hand = open ? group(say("hand_of", { seat }), { class: "row hand" }) : h("div", { class: "row hand concealed", role: "img", "aria-label": say("hidden_hand_of", { seat, n: player.tiles.length }) });
  const tiles = [...player.tiles].sort(byKind);
  const last = tiles.includes(player.last) ? player.last : null;
  if (last !== null) tiles.splice(tiles.indexOf(last), 1);
  for (const f of tiles) hand.append(handTile(drawTile(open ? f : NONE), p, f, false));
  if (last !== null) hand.append(handTile(drawTile(open ? last : NONE, "", ["last"]), p, last, true));
  const win = s.won.find(w => w.p === p && w.tile !== null);
  if (win) hand.append(drawTile(win.tile, "", ["last", "latest"]));
  return hand;
}
const roundWind = s => wind(s.fixedWind === null ? s.round : s.fixedWind);
// roundName names the hand by its round and the place of the dealer.
const roundName = s => say("round", { wind: roundWind(s), n: s.chairs[s.dealer] + 1 });
const label = (s, p) => h("b", {}, seatWind(s, p));
// marks are what a page says of a player beside the events, such as that a person is away; "" for nothing.
const marks = [];
const tags = (s, p) => [marks[p] ? " " + marks[p] : null, s.players[p].ready ? " " + readyName(s.players[p].ready) : null, s.forfeited.includes(p) ? " " + say("forfeited") : null];
// seatLabel says of a player what the board shows by places and colors.
function seatLabel(s, p) {
  const { river, ready } = s.players[p], at = river.findIndex(d => d.ready);
  return [
    seatOf(s, p), say("worth", { n: points(s.points[p]) }), say("in_place", { n: 1 + s.points.filter(n => n > s.points[p]).length }),
    ready ? at < 0 ? readyName(ready) : say("ready_since", { ready: readyName(ready), n: at + 1 }) : "",
    s.forfeited.includes(p) ? sentences.forfeited : "", marks[p] ?? "", s.turn === p ? sentences.in_turn : "",
  ].filter(Boolean).join(sentences.comma);
}
const count = (n, one, many) => say(n === 1 ? one : many, { n });

// callouts are what players have just called, by player; a page that shows them sets them.
const callouts = new Map();
function drawBoard(s) {
  const board = h("div");
  doraKinds = data.dora_of.length ? s.dora.map(f => data.dora_of[kind(f)]) : [];
  // Three players leave the far side of the board free.
  const place = p => { const after = seatsAfter(s, p, bottom()); return after === 2 && data.seats === 3 ? 3 : after; };
  for (const p of everyone) {
    const player = s.players[p], call = callouts.has(p) ? h("span", { class: "callout", "aria-hidden": true }, callouts.get(p)) : null;
    board.append(group(seatLabel(s, p), { class: `seat place${place(p)}${s.turn === p ? " turn" : ""}` },
      h("div", { class: "head" }, h("span", {}, label(s, p), " " + headName(p)), h("span", { "data-player": p, "data-points": s.points[p] }, points(s.points[p])), h("span", {}, tags(s, p)), stacked.matches ? call : null),
      player.stick ? h("div", { class: "stick" }) : null,
      stacked.matches ? null : call,
      drawRiver(s, p),
      player.flowers.length ? group(say("flowers_of", { seat: seatOf(s, p) }), { class: "row flowers" }, player.flowers.map(f => drawTile(f))) : null,
      h("div", { class: "held" }, drawHand(s, p),
        group(say(player.melds.length ? "melds_of" : "no_melds_of", { seat: seatOf(s, p) }), { class: "melds" }, player.melds.map(m => drawMeld(m, data.kan_visible || view < 0 || view === p || player.kanShown || player.shown)).reverse()))));
  }
  board.append(h("div", { id: "center" },
    group(sentences.hand, { class: "round" },
      h("div", {}, roundName(s)),
      data.repeats && s.counter ? h("div", {}, count(s.counter, "repeat", "repeats")) : null,
      s.deposits ? h("div", {}, count(s.deposits, "stick", "sticks")) : null,
      data.dora_of.length ? group(say("dora_shown", { tiles: doraKinds.map(tileName).join(" ") }), { class: "row dora", title: say("dora_indicators") }, [0, 1, 2, 3, 4].map(i => drawTile(i < s.dora.length ? s.dora[i] : NONE))) : null,
      s.ura.length ? group(sentences.ura_indicators, { class: "row dora", title: say("ura_indicators") }, s.ura.slice(0, 5).map(f => drawTile(f))) : null,
      s.left === null ? null : h("div", {}, say("tiles_left", { n: s.left }))),
    group(sentences.scores, { class: "scores" }, everyone.map(p => h("div", { class: `score place${place(p)}${s.turn === p ? " turn" : ""}` },
      label(s, p), h("span", {}, points(s.points[p])), h("small", { title: seatName(p) }, ...words(seatName(p))), h("small", {}, tags(s, p)))))));
  renew($("board"), board);
}

// leftOf counts the tiles of a kind that the view does not show.
function leftOf(s, k) {
  const shown = [...s.dora, ...s.ura];
  for (const p of everyone) {
    const player = s.players[p];
    if (sees(s, p)) shown.push(...player.tiles);
    for (const m of player.melds) shown.push(...m.tiles, ..."added" in m ? [m.added] : []);
    shown.push(...player.flowers, ...player.river.filter(d => !d.claimed).map(d => d.f));
  }
  return 4 - shown.filter(f => kind(f) === k).length;
}
// What a player may know by rule is data of package facts. A wait has for each player the win on a
// tile that this player discards, and for the own player the win by self-draw.
const whyNot = why => say("why_" + why, { n: data.minimum });
const anyWins = waits => waits.some(w => w.wins.some(x => !x.why));
// winsOf returns in words what a wait wins for player p, drawn or discarded.
function winsOf(w, p) {
  const drawn = w.wins[p], given = w.wins.filter((_, q) => q !== p), gains = given.filter(x => !x.why).map(x => x.gain);
  if (drawn.why && !gains.length) return say("wins_never", { why: whyNot(given[0].why) });
  const low = points(Math.min(...gains)), high = points(Math.max(...gains));
  return [
    drawn.why ? say("wins_not_drawn", { why: whyNot(drawn.why) }) : say("wins_drawn", { n: points(drawn.gain) }),
    gains.length ? say("wins_given", { n: low === high ? low : low + "\u2013" + high }) : say("wins_not_given", { why: whyNot(given[0].why) }),
  ].join(sentences.comma);
}
// drawWaits shows the waits of player p, those together that win the same.
function drawWaits(s, waits, p) {
  const rows = new Map();
  for (const w of waits) rows.set(winsOf(w, p), [...rows.get(winsOf(w, p)) || [], w.kind]);
  return [...rows].map(([text, kinds]) => h("div", { class: "row wrap waits" },
    kinds.map(k => h("span", { class: "row" }, drawTile(k), h("small", {}, `\u00d7${leftOf(s, k)}`))), h("span", {}, text)));
}
