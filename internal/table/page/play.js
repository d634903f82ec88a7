// The game: messages from the server, and the answers of the person.
view = me;
// question is the open question, null while the table does not wait for this player.
// armed is the discard that a touch has chosen and the next one confirms, null for none.
let armed = null;
let question = null, readying = false, replay = null, commitment, course = [], hidden = false, byKeys = false;
// deadline is when the clock ends the question. remaining is the question that was open as the page
// connected, with its deadline; null for none.
let deadline = 0, remaining = null;
const endIn = seconds => performance.now() + 1000 * seconds;
function startClock(q) {
  deadline = remaining !== null && remaining.question === q.question ? remaining.deadline : endIn(q.seconds);
}
// closed is the number of the last question that the table has closed.
let closed = 0;

// answer sends an action, or goes on to the next hand; again begins a branch again instead.
async function answer(action, again = false) {
  if (question === null) return;
  const open = question, body = { question: open.question, ...(again ? { again } : {}) };
  if (action !== null) body.action = action;
  if (advice !== null && advice.question === open.question) judged = { advice, action };
  question = null;
  readying = false;
  render();
  let text;
  // An answer has the number of its question, so that it may be sent again: the table takes it once.
  for (let wait = 500; (text = await server.answer(body)) === null && closed !== open.question && !ended; wait = Math.min(2 * wait, 5000)) {
    showFault(sentences.sending);
    await pause(wait);
  }
  if (ended) return;
  // A late answer is no fault: the next messages show what the table did instead.
  showFault(text ? say("refused", { text }) : "");
  if (!text) return;
  // The table still waits for the answer, unless a message has closed the question meanwhile.
  if (question === null && closed !== open.question) question = open;
  render();
}

const legal = a => question !== null && question.legal.includes(a);
const within = (a, first, n) => a >= first && a < first + n;
const discards = a => within(a, ids.discard, 46) || within(a, ids.ready, 38);
const calls = a => within(a, ids.chi, 6) || within(a, ids.pon, 3) || a === ids.openKan;
const wins = a => a === ids.win || a === ids.flowerWin;
// discardOf returns the action that discards a tile of the own hand, null if it may not be.
function discardOf(f, drawn) {
  const a = readying ? (drawn ? ids.readyDrawn : f < 37 ? ids.ready + f : -1) : drawn ? ids.discardDrawn : ids.discard + f;
  return legal(a) ? a : null;
}
handTile = (picture, p, f, drawn) => {
  if (p !== me || question === null || !question.legal.some(discards)) return picture;
  const a = discardOf(f, drawn);
  if (a === null) {
    picture.classList.add("barred");
    return picture;
  }
  const advised = !switches.coach_after && advice !== null && advice.question === question.question && advice.best === a;
  const b = h("button", { type: "button", class: advised ? "pick advised" : "pick", "data-action": a, "aria-label": readying ? say("label_ready", { f, ready: readyName(1) }) : say("label_discard", { f }) + (drawn ? sentences.comma + sentences.mark_last : "") }, picture);
  if (armed === a) b.classList.add("armed");
  // A finger hits the tile beside it easily, so where the switch is set a second touch confirms the first.
  b.addEventListener("click", e => {
    if (!switches.confirm || e.pointerType !== "touch" || armed === a) return answer(a);
    armed = a;
    render();
  });
  return b;
};

// setOf returns the tiles of a call: the claimed one, and the own ones that it uses.
const setOf = a => [...(claimed() === NONE ? [] : [claimed()]), ...(facts?.calls?.find(c => c.action === a)?.tiles || [])].sort(byKind);
// labelOf returns the key of the label and the tiles of an action that is no discard.
function labelOf(a) {
  if (within(a, ids.chi, 6)) return ["act_chi", setOf(a)];
  if (within(a, ids.pon, 3)) return ["act_pon", setOf(a)];
  if (a === ids.openKan) return ["act_open_kan", setOf(a)];
  if (within(a, ids.closedKan, 34)) return ["act_closed_kan", [a - ids.closedKan]];
  if (within(a, ids.addedKan, 34)) return ["act_added_kan", [a - ids.addedKan]];
  if (within(a, ids.flower, 8)) return ["act_flower", [data.faces.indexOf(`${a - ids.flower + 1}f`)]];
  if (a === ids.kita) return ["act_kita", [data.faces.indexOf("4z")]];
  if (a === ids.win) return [table.turn === me ? "act_self_draw" : "act_win", []];
  const plain = { pass: "act_pass", readyNow: "act_ready_now", nineKinds: "act_nine_kinds", tenpai: "act_tenpai", noten: "act_noten",
    flowerWin: "act_flower_win", flowerAward: "act_flower_award", cutDebt: "act_cut_debt", endMatch: "act_end_match" };
  return [plain[Object.keys(ids).find(name => ids[name] === a)], []];
}
// claimed is the tile that may be claimed, NONE if there is none.
function claimed() {
  if (table.latest === null) return NONE;
  return table.players[table.latest].river.at(-1).f;
}

function button(text, tiles, press) {
  const b = h("button", { type: "button" }, h("span", {}, text), tiles.map(f => drawTile(f)));
  b.addEventListener("click", press);
  return b;
}
// goingOn returns the buttons after a hand: to go on, and to begin a branch again.
const goingOn = () => [
  table.over && question.branch ? null : button(table.over ? sentences.next_match : sentences.go_on, [], () => answer(null)),
  question.branch ? button(sentences.again, [], () => answer(null, true)) : null,
].filter(b => b !== null);
// urgent orders buttons: wins first, passing last.
const urgent = a => wins(a) ? 0 : a === ids.pass || a === ids.noten ? 2 : 1;

// between reports whether the question is one between two hands: to go on, or a choice.
const between = () => question !== null && (question.legal.length === 0 || legal(ids.cutDebt) || legal(ids.endMatch));
// answers returns the buttons of the question.
function answers() {
  if (question.legal.length === 0) return goingOn();
  if (readying) return [button(sentences.act_cancel, [], () => { readying = false; render(); })];
  const others = question.legal.filter(a => !discards(a)).sort((a, b) => urgent(a) - urgent(b) || a - b);
  const buttons = others.map(a => {
    const [label, tiles] = labelOf(a), b = button(sentences[label], tiles, () => answer(a));
    b.classList.add(["urgent", "usual", "pass"][urgent(a)]);
    return b;
  });
  if (question.legal.some(a => within(a, ids.ready, 38))) {
    const b = button(sentences["act_ready_" + data.ready], [], () => { readying = true; render(); });
    b.classList.add("urgent");
    buttons.unshift(b);
  }
  return buttons;
}
// asks returns the question in words.
function asks() {
  if (question === null) return sentences[me >= 0 ? "waiting" : all ? "spectator_all" : "spectator"];
  if (question.legal.length === 0) return "";
  if (armed !== null && legal(armed)) return sentences.touch_again;
  if (readying) return say("choose_ready", { ready: readyName(1) });
  if (question.legal.some(discards)) return sentences.your_turn;
  const creditor = question.creditor;
  if (creditor !== undefined) return say("your_debt", { q: creditor, n: points(table.debts[creditor][me]) });
  return !between() && claimed() !== NONE ? say("your_claim", { f: claimed() }) : sentences.your_choice;
}
const drawStatus = () => h("p", { class: "status" }, h("span", {}, asks(), h("small", { class: "refusal" }, refusal())), h("span", { class: "clock" }));
function drawActions() {
  const buttons = question === null ? [] : answers();
  if (between() && hidden) buttons.push(button(sentences.show_result, [], () => { hidden = false; render(); }));
  $("actions").replaceChildren(drawStatus(), h("div", { class: "buttons" }, buttons));
  drawClock();
}
// drawClock shows the seconds left, where there is a clock.
function drawClock() {
  if (question === null || question.seconds === 0) return;
  const n = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
  for (const box of document.querySelectorAll(".clock")) box.textContent = say(question.legal.length ? "time" : "goes_on_in", { n });
}
setInterval(drawClock, 250);

function render() {
  if (!table?.players) return; // no hand has begun
  // The board is drawn anew: who plays by keys keeps the place among the tiles.
  const place = [...document.querySelectorAll(".pick")].indexOf(document.activeElement);
  drawBoard(table);
  drawActions();
  if (me >= 0) drawFacts();
  drawSoon(drawCoach);
  drawDebts(table);
  drawWalls(commitment, replay);
  const box = $("result"), over = between() || table.over && me < 0 || table.turn === null && me < 0;
  if (over && !hidden) {
    const shown = !box.hidden;
    box.replaceChildren(drawResult(table, replay), question === null || question.legal.length + question.seconds === 0 ? "" : drawStatus(), h("div", { class: "buttons" },
      question === null ? null : answers(),
      button(sentences.look, [], () => { hidden = true; render(); $("actions").querySelector("button")?.focus(); })));
    box.hidden = false;
    drawSoon(drawCourse);
    drawClock();
    if (!shown) box.querySelector("button").focus({ preventScroll: true });
  } else box.hidden = true;
  if (byKeys && question !== null && box.hidden) {
    const picks = document.querySelectorAll(".pick");
    const next = place >= 0 ? picks[Math.min(place, picks.length - 1)] : picks[picks.length - 1] || $("actions").querySelector("button");
    if (next) next.focus();
  }
}

// The switches: what the page answers by itself. The tab keeps them when the page loads again.
const switches = { no_calls: false, auto_win: false, sound: false, movement: true, confirm: false, ...(data.coach ? { coach_after: false } : {}) };
const tab = (() => { try { return sessionStorage; } catch { return null; } })();
const move = () => document.querySelector("main").classList.toggle("moving", switches.movement);
for (const name of Object.keys(switches)) {
  switches[name] = (tab?.getItem(name) ?? String(switches[name])) === "true";
  const box = h("input", { type: "checkbox", id: name, ...(switches[name] ? { checked: "" } : {}) });
  box.addEventListener("change", () => { switches[name] = box.checked; tab?.setItem(name, box.checked); move(); if (question !== null && !byItself()) render(); });
  if (me >= 0) $("switches").append(h("label", {}, box, " ", sentences[name]));
}
// drawWatch shows what the page of a gallery may watch: the room, its table, all tiles or not.
function drawWatch() {
  $("caption").textContent = sentences.joining;
  const w = data.watch, tables = w.rooms.find(r => r.number === w.room).tables;
  const rooms = h("select", { id: "rooms", "aria-label": sentences.tables }, w.rooms.map(r =>
    h("option", { value: r.number, ...(r.number === w.room ? { selected: "" } : {}) }, say("room", { n: r.number, ruleset: r.ruleset, tables: r.tables }))));
  const number = h("input", { type: "number", id: "table", min: 0, max: tables - 1, value: place });
  rooms.addEventListener("change", () => goTo(rooms.value, 0, all));
  number.addEventListener("change", () => { if (number.checkValidity()) goTo(w.room, Number(number.value), all); });
  $("switches").append(rooms, tables > 1 ? h("label", {}, sentences.table_number, " ", number) : "");
  if (!w.allow_hidden) return;
  const box = h("input", { type: "checkbox", id: "all", ...(all ? { checked: "" } : {}) });
  box.addEventListener("change", () => goTo(w.room, place, box.checked ? "all" : ""));
  $("switches").append(h("label", {}, box, " ", sentences.all_tiles));
}
// byItself answers a question that a switch answers, and reports whether it did.
function byItself() {
  const passes = switches.no_calls && legal(ids.pass) && question.legal.every(a => a === ids.pass || calls(a));
  const a = (switches.auto_win ? question.legal.find(wins) : undefined) ?? (passes ? ids.pass : undefined);
  if (a === undefined) return false;
  answer(a);
  return true;
}
let audio = null;
// The tones of the own turn, of calls and of wins, in Hz, one after the other.
const tones = { turn: [660], call: [440, 550], win: [523, 659, 784] };
function sound(what) {
  if (!switches.sound) return;
  audio = audio || new AudioContext();
  tones[what].forEach((frequency, i) => {
    const tone = audio.createOscillator(), volume = audio.createGain(), start = audio.currentTime + .12 * i;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(.08, start);
    volume.gain.exponentialRampToValueAtTime(.001, start + .2);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + .2);
  });
}
// called are the calls among the messages that came together: the players, and what they call out.
const called = new Map();
function callOf([type, , , detail, value]) {
  if (type === T.ready) return value ? readyName(detail) : undefined;
  return { [T.chi]: sentences.chi, [T.pon]: sentences.pon, [T.openKan]: sentences.kan, [T.closedKan]: sentences.kan, [T.addedKan]: sentences.kan,
    [T.win]: sentences[detail === 0 ? "act_self_draw" : "act_win"] }[type];
}
let silenced = 0;
// callOut shows what was called, for a while, on the board.
function callOut() {
  for (const [p, text] of called) callouts.set(p, text);
  called.clear();
  clearTimeout(silenced);
  silenced = setTimeout(() => { callouts.clear(); render(); }, 1500);
}

// What is announced: what a spectator would call out.
const announced = new Set([T.flower, T.flowerChoice, T.kita, T.discard, T.chi, T.pon, T.openKan, T.closedKan, T.addedKan, T.ready, T.win, T.exhausted, T.abort, T.forfeit, T.matchEnd]);
// stale is set when the page must be drawn again: once after all messages that came together.
// fresh is set when a question is among them.
let stale = false, fresh = false;
// won is set when a win is among them; current once the page has caught up with the match.
let won = false, current = false;
const messages = {
  match(m) {
    data.agents = m.names.map(nameOf);
    if (table === null) $("caption").textContent = "";
    table = newMatch();
    question = replay = facts = judged = null;
    course = [[...table.points]];
    commitment = m.commitment;
  },
  // The position of a table that is watched, with which a hand begins or the page joins it.
  position(m) {
    data.agents = m.names.map(nameOf);
    table = atPosition(m.state);
    replay = null;
    if (table.round === 0 && table.points.every(n => n === data.start)) course = [];
    if (String(course.at(-1)) !== String(table.points)) course.push([...table.points]);
    hidden = false;
    stale = true;
  },
  events(list) {
    const said = [];
    for (const e of list) {
      table = apply(table, e);
      if (callOf(e)) called.set(e[1], callOf(e));
      if (e[0] === T.win) won = true;
      if (e[0] === T.handStart || e[0] === T.handEnd) facts = null;
      else if (e[0] === T.discard && facts !== null) facts.refused = null;
      if (e[0] === T.win) Object.assign(table.won.at(-1), { worth: e[5], face: e[2] });
      if (e[0] === T.handEnd) {
        course.push([...table.points]);
        drawLast(table);
      }
      if (announced.has(e[0]) && (e[0] !== T.ready || e[4])) said.push(sentence(table.says));
    }
    if (said.length) $("caption").textContent = said.join(sentences.semicolon);
    hidden = false;
    stale = true;
  },
  facts(f) { facts = f; stale = true; },
  question(q) {
    question = q;
    facts = q.facts || null;
    if (advice !== null && advice.question === q.question) advice.facts = facts;
    startClock(q);
    readying = false;
    armed = null;
    fresh = stale = true;
  },
  seats(m) {
    data.agents = m.names.map(nameOf);
    marks.splice(0, marks.length, ...m.away.map((away, p) => m.free[p] ? sentences.free : away ? sentences.away : m.ready[p] ? sentences.ready_on : ""));
    if (table === null) $("caption").textContent = say("seats_free", { n: m.free.filter(free => free).length });
    stale = true;
  },
  clock(c) {
    remaining = { question: c.question, deadline: endIn(c.left) };
    if (question !== null && question.question === c.question) startClock(question);
  },
  advice(a) { advice = a; },
  answered(q) {
    closed = q.question;
    if (question === null || question.question !== q.question) return;
    question = null;
    readying = false;
    stale = true;
  },
  hands(m) {
    m.tiles.forEach((tiles, p) => { table.players[p].tiles = tiles; table.players[p].shown = true; });
    stale = true;
  },
  replay(m) { replay = m; stale = true; },
  // The tables that are watched are no longer played.
  closed() { goTo(); },
  replaced() {
    ended = true;
    question = null;
    render();
    showFault(sentences.replaced + " ");
    fault.append(button(sentences.take_back, [], () => location.reload()));
  },
  left() {
    ended = true;
    question = null;
    render();
    showFault(sentences.left + " ");
    fault.append(button(sentences.lobby, [], () => goOn(data.share)));
  },
};

// ended is set when the page follows the table no more.
let ended = false;
// drained draws what the messages that came together have changed.
function drained() {
  if (!stale) return;
  const isNew = fresh && question !== null;
  const what = won ? "win" : called.size ? "call" : isNew && question.legal.length ? "turn" : "";
  if (current && called.size) callOut();
  called.clear();
  stale = fresh = won = false;
  const answered = isNew && byItself();
  if (current && what && !(answered && what === "turn")) sound(what);
  current = true;
  render();
}

document.addEventListener("pointerdown", () => { byKeys = false; });
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement) return;
  byKeys = true;
  const picks = [...document.querySelectorAll(".pick")], at = picks.indexOf(document.activeElement);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  const visible = $("result").hidden ? $("actions") : $("result");
  if (step && picks.length) picks[at < 0 ? (step > 0 ? 0 : picks.length - 1) : (at + step + picks.length) % picks.length].focus();
  else if (e.key >= "1" && e.key <= "9") visible.querySelectorAll(".buttons button")[Number(e.key) - 1]?.click();
  else if (e.key.toLowerCase() === "p" && legal(ids.pass)) answer(ids.pass);
  else return;
  e.preventDefault();
});
offerLanguages($("language"), sentences.language);
$("board").setAttribute("aria-label", sentences.board);
$("panel").setAttribute("aria-label", sentences.panel);
$("result").setAttribute("aria-label", sentences.result);
$("coach").firstElementChild.textContent = sentences.coach;
$("coach").hidden = !data.coach;
$("facts").setAttribute("aria-label", sentences.facts);
$("keys").textContent = me < 0 ? "" : sentences.keys;
$("title").textContent = data.ruleset;
document.title = `${data.ruleset} · sparrowhall`;
if (data.watch) drawWatch();
document.querySelector("main").className = `hand${data.hand_size}${me < 0 ? " watching" : ""}`;
move();
stacked.addEventListener("change", render);
// The style sheet keeps the own hand above the buttons. The frame is waited for, since a browser
// reports a fault where a scroll bar that appears changes the width again at once.
new ResizeObserver(() => requestAnimationFrame(() => document.documentElement.style.setProperty("--bar", `${$("bar").offsetHeight}px`))).observe($("bar"));
drawPatterns();
for (let wait = 250; !ended;) {
  const end = await server.follow(data.watch ? query(data.watch.room) : "", () => { showFault(""); if (question !== null) byItself(); }, (kind, m) => messages[kind](m), drained);
  if (end.gone) return goTo();
  if (end.refused) {
    ended = true;
    showFault(end.refused);
  }
  if (ended) break;
  wait = end.lost ? Math.min(wait * 2, 5000) : 250;
  showFault(sentences.lost);
  await pause(wait);
}
