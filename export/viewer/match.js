const show = message => {
  const p = document.getElementById("error");
  p.hidden = false;
  p.textContent = "The page has a fault: " + message;
};
window.addEventListener("error", e => show(e.message));

const data = JSON.parse(document.getElementById("data").textContent);
const T = data.types, NONE = 255, POT = 4;
const $ = id => document.getElementById(id);
const face = n => n === NONE ? "-" : data.faces[n];
const red = f => f >= 34 && f < 37;
const kind = f => red(f) ? (f - 34) * 9 + 4 : f;
const byKind = (a, b) => kind(a) - kind(b) || (red(b) ? 1 : 0) - (red(a) ? 1 : 0);
const whole = n => n.toLocaleString("en", { maximumFractionDigits: 1 }).replace("-", "\u2212");
const points = units => whole(units / data.unit);
const signed = units => (units > 0 ? "+" : "") + points(units);
const wind = n => "ESWN"[n & 3];
const everyone = [0, 1, 2, 3];
const readyNames = ["", "ready", "double ready", "ready (human)", "ready (earth)", "ready (heaven)"];

// The state of the table follows from the events before a position.
function newMatch() {
  return {
    points: everyone.map(() => data.start), debts: everyone.map(() => [0, 0, 0, 0]), wins: 0, hand: -1,
    chairs: [0, 1, 2, 3], fixedWind: null, forfeited: [], ranks: [], over: false, truncated: false,
  };
}
function newHand(match, e) {
  const [, dealer, deposits, round, value] = e;
  return {
    ...match, hand: match.hand + 1, dealer, deposits, round, counter: value >> 16, left: null, dora: [], ura: [],
    turn: dealer, gained: [0, 0, 0, 0], paid: [], won: [], ended: null, says: "", latest: null,
    players: everyone.map(() => ({ tiles: [], last: null, melds: [], river: [], flowers: [], ready: 0, stick: false, shown: false, kanShown: false })),
  };
}
function take(player, f) {
  const i = player.tiles.indexOf(f);
  if (i < 0) throw new Error("player does not hold " + face(f));
  player.tiles.splice(i, 1);
  player.last = null;
}
function takeKind(player, k, n, reds) {
  const taken = [];
  const fives = player.tiles.filter(f => red(f) && kind(f) === k).slice(0, reds);
  const others = player.tiles.filter(f => f === k).slice(0, n - fives.length);
  for (const f of [...fives, ...others]) { take(player, f); taken.push(f); }
  return taken;
}
function claim(s, p, name, own, f, giver) {
  const turned = { 3: 0, 2: 1, 1: own.length }[(s.chairs[giver] - s.chairs[p] + 4) % 4];
  const tiles = [...own].sort(byKind);
  tiles.splice(turned, 0, f);
  s.players[p].melds.push({ name, tiles, turned });
  const given = s.players[giver].river.at(-1);
  given.claimed = true;
  s.turn = p;
  s.latest = null;
  s.says = `player ${p}: ${name} of ${face(f)} from player ${giver}`;
}
function apply(s, e) {
  const [type, p, f, detail, value] = e, player = s.players && s.players[p];
  switch (type) {
    case T.seats:
      s.chairs = [0, 0, 0, 0];
      everyone.forEach(c => { s.chairs[value >> 8 * c & 3] = c; });
      s.fixedWind = f === NONE ? null : f - 27;
      break;
    case T.handStart: return newHand(s, e);
    case T.deal:
      for (const shift of [24, 16, 8, 0]) {
        const dealt = value >>> shift & 255;
        if (dealt !== NONE) player.tiles.push(dealt);
      }
      s.says = "the tiles are dealt";
      break;
    case T.draw:
      player.tiles.push(f);
      player.last = f;
      s.turn = p;
      s.left = value;
      s.latest = null;
      s.says = `player ${p} ${["is dealt", "draws", "replaces", "replaces"][detail] || "draws"}`;
      s.drew = { p, f };
      return s;
    case T.flower:
      take(player, f);
      player.flowers.push(f);
      s.says = `player ${p}: flower ${face(f)}`;
      break;
    case T.flowerChoice: s.says = `player ${p} ${detail ? "wins with the flowers" : "takes the award for the flowers"}`; break;
    case T.discard:
      take(player, f);
      player.river.push({ f, drawn: (detail & 1) !== 0, ready: (detail & 2) !== 0, claimed: false });
      s.latest = p;
      s.turn = p;
      s.says = `player ${p} ${detail & 2 ? "declares ready and discards" : "discards"} ${face(f)}`;
      break;
    case T.ready:
      if (value) player.ready = detail;
      s.says = `player ${p} ${value ? "is" : "declares"} ${readyNames[detail]}`;
      break;
    case T.chi: {
      const low = kind(f) - (detail >> 2 & 3), own = [low, low + 1, low + 2].filter(k => k !== kind(f));
      claim(s, p, "chi", own.flatMap(k => takeKind(player, k, 1, detail >> 4)), f, detail & 3);
      break;
    }
    case T.pon: claim(s, p, "pon", takeKind(player, kind(f), 2, detail >> 4), f, detail & 3); break;
    case T.openKan: claim(s, p, "kan", takeKind(player, kind(f), 3, 1), f, detail & 3); break;
    case T.closedKan:
      player.melds.push({ name: "closed kan", tiles: takeKind(player, f, 4, 4).sort(byKind), closed: true });
      s.says = `player ${p}: closed kan`;
      s.drew = { p, f, kan: true };
      return s;
    case T.addedKan: {
      take(player, f);
      const meld = player.melds.find(m => m.name === "pon" && kind(m.tiles[0]) === kind(f));
      meld.name = "added kan";
      meld.added = f;
      s.says = `player ${p}: added kan of ${face(f)}`;
      break;
    }
    case T.indicator: (detail ? s.ura : s.dora).push(f); break;
    case T.declare: s.says = `player ${p} ${detail ? "shows a ready hand" : "is not ready"}`; break;
    case T.exhausted: s.ended = "the wall is exhausted"; s.says = s.ended; s.turn = null; break;
    case T.abort: s.ended = "the hand is aborted: " + data.aborts[detail].replace("_", " "); s.says = s.ended; s.turn = null; break;
    case T.win: {
      const how = ["by self-draw", `on ${face(f)} of player ${value}`, `robbing the kan of player ${value}`, "with the flowers"][detail];
      if (detail === 0) player.last = f;
      s.won.push({ p, how, number: s.wins, tile: detail === 1 || detail === 2 ? f : null });
      s.says = `player ${p} wins ${how}`;
      s.wins++;
      break;
    }
    case T.value: Object.assign(s.won.at(-1), { points: value, han: detail, fu: f }); break;
    case T.reveal:
      if (detail) player.kanShown = true; else player.shown = true;
      break;
    case T.pay: {
      const to = detail & 15, reason = data.reasons[detail >> 4];
      if (p !== POT) { s.points[p] -= value; if (s.gained) s.gained[p] -= value; }
      if (to !== POT) { s.points[to] += value; if (s.gained) s.gained[to] += value; }
      if (to === POT) { s.deposits++; player.stick = true; }
      if (s.paid) s.paid.push({ from: p, to, value, reason });
      break;
    }
    case T.debt: s.debts[p][detail & 3] = value; break;
    case T.handEnd: s.turn = null; s.says = (s.ended || s.says) + `; the deal ${detail ? "stays" : "passes"}`; break;
    case T.placement: s.ranks.push({ p, rank: detail, placement: value / 120 }); break;
    case T.forfeit: s.forfeited.push(p); s.says = `player ${p} forfeits`; break;
    case T.truncated: s.truncated = true; break;
    case T.matchEnd: s.over = true; s.turn = null; s.says = s.truncated ? "the match is cut off" : "the match is over"; break;
  }
  s.drew = null;
  return s;
}
// copyMatch copies what lasts beyond a hand, so that a hand can start from it.
const copyMatch = s => ({ ...s, points: [...s.points], debts: s.debts.map(d => [...d]), chairs: [...s.chairs], forfeited: [...s.forfeited], ranks: [...s.ranks] });

// starts holds the state before each hand; stops are the positions, in events,
// at which the page stands still: after what is seen, and before decisions.
const starts = [], stops = [];
{
  const seen = new Set([T.draw, T.flower, T.flowerChoice, T.discard, T.chi, T.pon, T.openKan, T.closedKan, T.addedKan, T.exhausted, T.abort, T.handEnd, T.forfeit, T.matchEnd]);
  const at = new Set(data.decisions.map(d => d.at));
  let s = newMatch();
  data.events.forEach((e, i) => {
    if (data.hands.includes(i)) starts.push(copyMatch(s));
    s = apply(s, e);
    const next = data.events[i + 1];
    const group = e[0] === T.forfeit && next && next[0] === T.pay;
    if (seen.has(e[0]) && !group || e[0] === T.value && next[0] !== T.win || e[0] === T.deal && next[0] !== T.deal) at.add(i + 1);
  });
  stops.push(...[...at].filter(n => n > 0).sort((a, b) => a - b));
}
const firstOf = hand => stops.findIndex(n => n > data.hands[hand]);
// stopAfter is the first stop at which the first n events have happened.
const stopAfter = n => { const i = stops.findIndex(at => at >= n); return i < 0 ? stops.length - 1 : i; };
const handOf = n => data.hands.findLastIndex(first => first < n);
function stateAt(n) {
  const hand = handOf(n);
  let s = copyMatch(starts[hand]);
  for (let i = data.hands[hand]; i < n; i++) s = apply(s, data.events[i]);
  return s;
}
