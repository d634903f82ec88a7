// hint names a button, beside the pointer too.
function hint(e, text) {
  e.title = text;
  e.setAttribute("aria-label", text);
}

// drawReview shows what a review found: for each player agreement and costs by kind, and the mistakes.
function drawReview() {
  if (!data.review) return;
  $("review").hidden = false;
  $("review").append(h("p", {}, data.review.noise[language]), h("p", {}, sentences.which_deals), ...data.review.players.map(r => h("section", { "aria-label": say("review_of", { name: name(r.player) }) },
    h("h2", {}, name(r.player)),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": say("costs_of", { name: name(r.player) }) },
      table(["kind", "decided", "agreement", "mistakes", "cost"].map(key => sentences[key]), r.rows.map(x =>
        [say("kind_" + x.kind), String(x.decisions), `${Math.round(100 * (1 - x.other / Math.max(x.decisions, 1)))} %`, String(x.mistakes), x.cost]))))));
  const menu = (id, label, all, options) => h("select", { id, "aria-label": label }, h("option", { value: "" }, all), options.map(([value, text]) => h("option", { value }, text)));
  const kinds = [...new Set(data.verdicts.filter(v => v.mistake).map(v => v.kind))];
  const filters = [menu("of_kind", sentences.kind, sentences.all_kinds, kinds.map(k => [k, say("kind_" + k)])),
    menu("of_player", sentences.name, sentences.all_players, data.review.players.map(r => [r.player, name(r.player)])),
    h("input", { id: "least", type: "number", min: 0, value: 0, "aria-label": sentences.least_cost })];
  $("review").append(h("h2", {}, sentences.sort_choice), h("div", { class: "filters" }, filters[0], filters[1], h("label", {}, sentences.least_cost, " ", filters[2])), h("ul", { id: "mistakes" }));
  for (const f of filters) f.addEventListener("change", () => { filter = { kind: filters[0].value, player: filters[1].value, least: Number(filters[2].value) }; listMistakes(); listMoments(); drawChart(); });
  listMistakes();
}
// listMistakes lists the mistakes that the filters leave, in the order of the match.
function listMistakes() {
  const list = mistakes();
  $("mistakes").replaceChildren(...list.map(({ v, at, hand }) => h("li", {}, h("a", { href: `#hand=${hand}&step=${at - firstOf(hand)}` }, say("place_of", { hand: handName(hand), step: at - firstOf(hand) })), ": ", v.text[language])));
  if (!list.length) $("mistakes").append(h("li", {}, sentences.none_shown));
}

// Where the page stands: a stop.
let position = 0;

function render() {
  const n = stops[position], s = stateAt(n);
  drawBoard(s);
  const drew = s.drew && (sees(s, s.drew.p) || s.drew.kan && data.kan_visible);
  $("caption").textContent = sentence(s.says) + (drew ? " " + tileName(s.drew.f) : "");
  const first = firstOf(s.hand), next = s.hand + 1 < data.hands.length ? firstOf(s.hand + 1) : stops.length;
  $("where").textContent = say("where", { hand: handName(s.hand), n: s.hand, step: position - first, steps: next - first - 1 });
  drawProspects(s, n);
  drawDecisions(s, n);
  drawWall(s, n);
  drawResult(s);
  drawLedger(s);
  if (chart) chart.redraw(false);
  $("hand").value = s.hand;
  $("position").value = position;
  $("view").value = view;
  $("moment").value = "";
  document.body.dataset.over = s.over;
  for (const b of document.querySelectorAll("#controls button[data-go]")) {
    const back = b.dataset.go[0] === "-";
    b.disabled = back ? position === 0 : position === stops.length - 1;
  }
  writeAddress(`#hand=${s.hand}&step=${position - first}${view < 0 ? "" : `&view=${view}`}`);
}
// writeAddress makes the address name the moment, a quarter of a second after the last step:
// browsers ignore changes beyond some 20 a second, and then those of links too.
let address = 0, written = "";
function writeAddress(hash) {
  clearTimeout(address);
  address = setTimeout(() => {
    if (location.hash !== written) return; // of a link that is about to be opened
    history.replaceState(null, "", hash);
    written = location.hash;
  }, 250);
}
const goTo = n => { position = Math.max(0, Math.min(stops.length - 1, n)); render(); };
// next goes to the next moment of a sort, or the one before.
function next(sort, step) {
  const list = momentsOf(sort).map(m => m.at).sort((a, b) => a - b);
  const at = step > 0 ? list.find(at => at > position) : list.findLast(at => at < position);
  if (at !== undefined) goTo(at);
}
const moves = {
  "-step": () => goTo(position - 1),
  "+step": () => goTo(position + 1),
  "-hand": () => { const hand = handOf(stops[position]); goTo(position > firstOf(hand) ? firstOf(hand) : firstOf(Math.max(hand - 1, 0))); },
  "+hand": () => { const hand = handOf(stops[position]); goTo(hand + 1 < data.hands.length ? firstOf(hand + 1) : stops.length - 1); },
  "first": () => goTo(0),
  "last": () => goTo(stops.length - 1),
};
function look(p) {
  view = p;
  for (const option of $("series").options) option.hidden = option.disabled = option.value === "luck" && (view >= 0 || !data.luck.length);
  if ($("series").selectedOptions[0].disabled) { $("series").value = "points"; drawChart(); }
  listMoments();
  listNumbers();
  render();
}

// The match plays by itself until its end, or until the reader moves.
let playing = null;
function pause() {
  clearTimeout(playing);
  playing = null;
  $("play").textContent = "\u25b6";
  hint($("play"), sentences.play);
}
function tick() {
  goTo(position + 1);
  if (position === stops.length - 1) pause();
  else playing = setTimeout(tick, Number($("speed").value));
}
function play() {
  if (playing !== null) return pause();
  if (position === stops.length - 1) goTo(0);
  $("play").textContent = "\u23f8\ufe0e";
  hint($("play"), sentences.pause);
  playing = setTimeout(tick, Number($("speed").value));
}

const keys = { ArrowLeft: "-step", ArrowRight: "+step", ArrowUp: "-hand", ArrowDown: "+hand", Home: "first", End: "last" };
const jumps = { w: "win", r: "ready", u: "draw", c: "choice" };

for (const e of document.querySelectorAll("[data-say]")) e.textContent = say(e.dataset.say);
for (const e of document.querySelectorAll("[data-label]")) e.setAttribute("aria-label", say(e.dataset.label));
for (const e of document.querySelectorAll("[data-hint]")) hint(e, say(e.dataset.hint));
offerLanguages($("language"), sentences.language);
$("title").textContent = document.title = say("title", { ruleset: data.ruleset, n: data.match });
$("made").textContent = $("made").textContent.replace(/\b(engine|seed) (\d+)/g, (_, key, n) => say(key, { n }));
$("keys").textContent = say("keys", { n: data.seats - 1 });
drawReview();
data.hands.forEach((_, i) => $("hand").append(h("option", { value: i }, say("hand_round", { n: i, round: handName(i) }))));
$("view").append(h("option", { value: -1 }, sentences.all_tiles), ...everyone.map(p => h("option", { value: p }, say("seen_by", { name: name(p) }))));
$("position").max = stops.length - 1;
for (const b of document.querySelectorAll("#controls button[data-go]")) b.addEventListener("click", () => { pause(); moves[b.dataset.go](); });
$("play").addEventListener("click", play);
$("series").addEventListener("change", drawChart);
$("position").addEventListener("input", e => { pause(); goTo(Number(e.target.value)); });
// A menu that was used with a pointer gives the keys back to the page; one that is
// used by keys keeps them.
let pointed = false;
for (const [id, chosen] of Object.entries({
  hand: v => { pause(); goTo(firstOf(Number(v))); }, view: v => look(Number(v)), moment: v => { if (v !== "") { pause(); goTo(Number(v)); } }, speed: () => {},
})) {
  $(id).addEventListener("pointerdown", () => { pointed = true; });
  $(id).addEventListener("change", e => { chosen(e.target.value); if (pointed) e.target.blur(); pointed = false; });
}
document.addEventListener("keydown", e => {
  const on = e.target instanceof Element ? e.target.tagName : "";
  if (e.ctrlKey || e.altKey || e.metaKey || on === "SELECT" || e.key === " " && (on === "BUTTON" || on === "SUMMARY")) return;
  if (keys[e.key]) { pause(); moves[keys[e.key]](); }
  else if (jumps[e.key.toLowerCase()]) { pause(); next(jumps[e.key.toLowerCase()], e.shiftKey ? -1 : 1); }
  else if (e.key === " ") play();
  else if (e.key >= "0" && e.key < data.seats) look(Number(e.key));
  else if (e.key === "a" || e.key === "A") look(-1);
  else return;
  e.preventDefault();
});
// open goes to the moment that the address names.
function open() {
  written = location.hash;
  const asked = new URLSearchParams(written.slice(1));
  const number = (key, end) => { const n = Number.parseInt(asked.get(key), 10); return n >= 0 && n < end ? n : null; };
  const hand = number("hand", data.hands.length) ?? 0, seen = number("view", data.seats);
  const after = hand + 1 < data.hands.length ? firstOf(hand + 1) : stops.length;
  position = Math.min(firstOf(hand) + (number("step", stops.length) ?? 0), after - 1);
  look(seen === null ? -1 : seen);
}
stacked.addEventListener("change", render);
addEventListener("hashchange", open);
pause();
open();
drawChart();
