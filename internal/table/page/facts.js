// What the rules let the person know, without the coach: the facts of the open question, or of the
// last discard.
let facts = null;
const discardedFace = a => a === ids.discardDrawn || a === ids.readyDrawn ? table.players[me].last : within(a, ids.ready, 37) ? a - ids.ready : a;

function drawFacts() {
  const box = $("facts"), found = facts === null || table.turn === null ? {} : facts;
  const rows = [], seen = new Set();
  for (const d of question === null ? [] : found.discards || []) {
    const f = discardedFace(d.action), ready = within(d.action, ids.ready, 38);
    if (ready !== readying || seen.has(f) || !legal(d.action)) continue;
    seen.add(f);
    rows.push(h("li", { "aria-label": ready ? say("facts_ready", { f, ready: readyName(1) }) : say("facts_discard", { f }) }, drawTile(f), h("div", {}, drawWaits(table, d.waits, me))));
  }
  const own = found.hand ? [h("p", {}, sentences[anyWins(found.hand.waits) ? "facts_hand" : "facts_shape"]), ...drawWaits(table, found.hand.waits, me)] : [];
  const held = new Set(table.players[me]?.tiles.map(kind));
  const safe = (found.safe || []).map(x => [x, x.kinds.filter(k => held.has(k))]).filter(([, kinds]) => kinds.length).map(([x, kinds]) =>
    h("div", { class: "row wrap waits" }, h("span", {}, say("safe_by_rule", { p: x.player })), kinds.map(k => drawTile(k))));
  box.replaceChildren(...own, ...(rows.length ? [h("ul", {}, rows)] : []), ...safe);
  box.hidden = box.childElementCount === 0;
}
// refusal returns why the tile at hand, which completes the hand, is no win.
const refusal = () => facts !== null && facts.refused && table.turn !== null ? say("refused_win", { f: facts.refused.tile, why: whyNot(facts.refused.why) }) : "";
