// The state of a table as it follows from its events. A page defines before it:
//
//   data: the description of the ruleset (board.Description)
//   sentences: the sentences by key (a language file)
//   playerName, headName, seatName: the name of a player in sentences, above the tiles
//   where there is little room, and in the middle of the board
// A sentence KEY.FAMILY stands for KEY in the words of that family, whose words for a win and a deal-in replace the usual ones everywhere.
{
  const usual = ["win", "deals_in"].map(key => [sentences[key], key]);
  for (const [key, text] of Object.entries(sentences)) if (key.endsWith("." + data.family)) sentences[key.slice(0, -data.family.length - 1)] = text;
  for (const [word, term] of usual) if (sentences[term] !== word) for (const key in sentences) sentences[key] = sentences[key].replaceAll(word, sentences[term]);
}
const T = data.types, NONE = 255, POT = 4;
const $ = id => document.getElementById(id);
const face = n => n === NONE ? "-" : data.faces[n];
const red = f => f >= 34 && f < 37;
const kind = f => red(f) ? (f - 34) * 9 + 4 : f;
const byKind = (a, b) => kind(a) - kind(b) || (red(b) ? 1 : 0) - (red(a) ? 1 : 0);
const whole = n => n.toLocaleString("en", { maximumFractionDigits: 1 }).replace("-", "\u2212");
const points = units => whole(units / data.unit);
const signed = units => (units > 0 ? "+" : "") + points(units);
const wind = n => say("wind" + n % 4);
const everyone = Array.from({ length: data.seats }, (_, p) => p), zeros = () => everyone.map(() => 0);
// seatsAfter is how many seats after player q player p sits.
const seatsAfter = (s, p, q) => (s.chairs[p] - s.chairs[q] + data.seats) % data.seats;
const seatWind = (s, p) => wind(seatsAfter(s, p, s.dealer));

// tileName returns the name of a tile in the language of the page.
function tileName(f) {
  const [n, suit] = face(f);
  if (suit === "z") return sentences.tile_honors.split(" ")[n - 1];
  if (suit === "f") return sentences.tile_flowers.split(" ")[n - 1];
  if (!suit) return face(f);
  const name = sentences.tile_suits["mps".indexOf(suit)];
  return n === "0" ? say("tile_red", { suit: name }) : n + name;
}
// say returns the sentence of a key. Of the values p and q are players, f and g are faces.
function say(key, values = {}) {
  if (!(key in sentences)) throw new Error(`no sentence "${key}"`);
  const text = { ...values };
  for (const name of ["p", "q"]) if (name in text) text[name] = text[name] === POT ? sentences.pot : playerName(text[name]);
  for (const name of ["f", "g"]) if (name in text) text[name] = tileName(text[name]);
  return sentences[key].replace(/{(\w+)}/g, (_, name) => text[name]);
}
// sentence returns what a list of [key, values] says.
const sentence = parts => parts.map(part => say(...part)).join(sentences.semicolon);
// readyName returns the name of a declaration of a tier from 1.
const readyName = tier => say((data.ready === "riichi" ? "riichi" : "ready") + tier);

// The state of the table follows from the events before a position.
function newMatch() {
  return {
    points: everyone.map(() => data.start), debts: everyone.map(zeros), wins: 0, hand: -1,
    chairs: [...everyone], fixedWind: null, forfeited: [], ranks: [], over: false, truncated: false,
  };
}
function newHand(match, e) {
  const [, dealer, deposits, round, value] = e;
  return {
    ...match, hand: match.hand + 1, dealer, deposits, round, counter: value >> 16, left: null, dora: [], ura: [],
    turn: dealer, gained: zeros(), paid: [], owing: {}, won: [], ended: null, says: [], latest: null,
    players: everyone.map(() => ({ tiles: [], last: null, melds: [], river: [], flowers: [], ready: 0, stick: false, shown: false, kanShown: false })),
  };
}
// atPosition returns the state of a table in the midst of a hand, as board.Position describes it.
const atPosition = d => ({
  ...newMatch(), hand: 0, ura: [], gained: zeros(), paid: [], owing: {}, won: [], ended: null, says: [],
  ...d, players: d.players.map(p => ({ ...p, shown: false, kanShown: false })),
});
// take removes a tile from a hand, whose tiles may be hidden.
function take(player, f) {
  let i = player.tiles.indexOf(f);
  if (i < 0) i = player.tiles.indexOf(NONE);
  if (i < 0) throw new Error("player does not hold " + face(f));
  player.tiles.splice(i, 1);
  player.last = null;
}
// spend removes tiles of the kinds from a hand and returns them; reds is the number of red
// fives among them.
function spend(player, kinds, reds) {
  return kinds.map(k => {
    const f = reds > 0 && k < 27 && k % 9 === 4 ? (reds--, 34 + (k - 4) / 9) : k;
    take(player, f);
    return f;
  });
}
function claim(s, p, name, own, f, giver) {
  const after = seatsAfter(s, giver, p), turned = after === 1 ? own.length : data.seats - 1 - after;
  const tiles = [...own].sort(byKind);
  tiles.splice(turned, 0, f);
  s.players[p].melds.push({ name, tiles, turned });
  const given = s.players[giver].river.at(-1);
  given.claimed = true;
  s.turn = p;
  s.latest = null;
  s.says = [["claims", { p, f, q: giver, call: say(name) }]];
}
// closedKan removes the tiles of a closed kan, whose kind f may be hidden.
function closedKan(player, f) {
  if (f === NONE) return Array.from({ length: 4 }, () => { take(player, NONE); return NONE; });
  return spend(player, Array(4).fill(f), f < 27 && f % 9 === 4 ? data.reds[(f - 4) / 9] : 0);
}
function apply(s, e) {
  const [type, p, f, detail, value] = e, player = s.players && s.players[p];
  switch (type) {
    case T.seats:
      s.chairs = zeros();
      everyone.forEach(c => { s.chairs[value >> 8 * c & 3] = c; });
      s.fixedWind = f === NONE ? null : f - 27;
      break;
    case T.handStart: return newHand(s, e);
    case T.deal:
      // Of a hidden deal only the size of the hand says how many tiles it has.
      if (value === -1) for (let n = 0; n < 4 && player.tiles.length < data.hand_size; n++) player.tiles.push(NONE);
      else for (const shift of [24, 16, 8, 0]) {
        const dealt = value >>> shift & 255;
        if (dealt !== NONE) player.tiles.push(dealt);
      }
      s.says = [["dealt"]];
      break;
    case T.draw:
      player.tiles.push(f);
      player.last = f;
      s.turn = p;
      s.left = value;
      s.latest = null;
      s.says = [[["is_dealt", "draws", "replaces", "replaces", "draws", "replaces"][detail] || "draws", { p }]];
      s.drew = { p, f };
      return s;
    case T.flower:
      take(player, f);
      player.flowers.push(f);
      s.says = [["flower", { p, f }]];
      break;
    case T.kita:
      take(player, f);
      player.flowers.push(f);
      s.says = [["kita", { p }]];
      break;
    case T.flowerChoice: s.says = [[detail ? "wins_flowers" : "takes_award", { p }]]; break;
    case T.discard:
      take(player, f);
      player.river.push({ f, drawn: (detail & 1) !== 0, ready: (detail & 2) !== 0, claimed: false });
      s.latest = p;
      s.turn = p;
      s.says = [detail & 2 ? ["discards_ready", { p, f, ready: readyName(1) }] : ["discards", { p, f }]];
      break;
    case T.ready:
      if (value) player.ready = detail;
      s.says = [[value ? "is_ready" : "declares_ready", { p, ready: readyName(detail) }]];
      break;
    case T.chi: {
      const low = kind(f) - (detail >> 2 & 3), own = [low, low + 1, low + 2].filter(k => k !== kind(f));
      claim(s, p, "chi", spend(player, own, detail >> 4), f, detail & 3);
      break;
    }
    case T.pon: claim(s, p, "pon", spend(player, Array(2).fill(kind(f)), detail >> 4), f, detail & 3); break;
    case T.openKan: claim(s, p, "kan", spend(player, Array(3).fill(kind(f)), detail >> 4), f, detail & 3); break;
    case T.closedKan:
      player.melds.push({ name: "closed kan", tiles: closedKan(player, f).sort(byKind), closed: true });
      s.says = [["closed_kan", { p }]];
      s.drew = { p, f, kan: true };
      return s;
    case T.addedKan: {
      take(player, f);
      const meld = player.melds.find(m => m.name === "pon" && kind(m.tiles[0]) === kind(f));
      meld.name = "added kan";
      meld.added = f;
      s.says = [["added_kan", { p, f }]];
      break;
    }
    case T.indicator: (detail ? s.ura : s.dora).push(f); break;
    case T.declare: s.says = [[detail ? "shows_ready" : "not_ready", { p }]]; break;
    case T.exhausted: s.ended = ["exhausted"]; s.says = [s.ended]; s.turn = null; break;
    case T.abort: s.ended = ["abort_" + data.aborts[detail]]; s.says = [s.ended]; s.turn = null; break;
    case T.win: {
      const how = [["wins_self_draw", "wins_discard", "wins_rob", "wins_flowers", "wins_kita"][detail], { p, f, q: value }];
      if (detail === 0) player.last = f;
      s.won.push({ p, how, number: s.wins, tile: [1, 2, 4].includes(detail) ? f : null });
      s.says = [how];
      s.wins++;
      break;
    }
    case T.value: Object.assign(s.won.at(-1), { points: value, han: detail, fu: f }); break;
    case T.reveal:
      if (detail) {
        player.kanShown = true;
        const hidden = player.melds.find(m => m.closed && m.tiles[0] === NONE);
        if (hidden) hidden.tiles = Array(4).fill(f);
      } else {
        player.shown = true;
        if (e[5]) player.tiles = [...e[5]];
      }
      break;
    case T.pay: {
      const to = detail & 15, reason = data.reasons[detail >> 4];
      if (p !== POT) { s.points[p] -= value; if (s.gained) s.gained[p] -= value; }
      if (to !== POT) { s.points[to] += value; if (s.gained) s.gained[to] += value; }
      if (p === POT) s.deposits = 0;
      if (to === POT) { s.deposits++; player.stick = true; }
      if (s.paid) s.paid.push({ from: p, to, value, reason, items: e[5] });
      break;
    }
    case T.debt:
      s.debts[p][detail & 3] = value;
      s.owing = { ...s.owing, [`${p} ${detail & 3}`]: e[5] };
      break;
    case T.handEnd: s.turn = null; s.says = [...(s.ended ? [s.ended] : s.says), [detail ? "deal_stays" : "deal_passes"]]; break;
    case T.placement: s.ranks.push({ p, rank: detail, placement: value / 120 }); break;
    case T.forfeit: s.forfeited.push(p); s.says = [["forfeits", { p }]]; break;
    case T.truncated: s.truncated = true; break;
    case T.matchEnd: s.over = true; s.turn = null; s.says = [[s.truncated ? "match_truncated" : "match_over"]]; break;
  }
  s.drew = null;
  return s;
}
// copyMatch copies what lasts beyond a hand, so that a hand can start from it.
const copyMatch = s => ({ ...s, points: [...s.points], debts: s.debts.map(d => [...d]), chairs: [...s.chairs], forfeited: [...s.forfeited], ranks: [...s.ranks] });

// shantenOf returns a shanten in words.
const shantenOf = n => n < 0 ? sentences.complete : n === 0 ? sentences.shanten_ready : say("shanten", { n });
// worthOf returns what a won hand counts, by its value (board.Win), and what it is worth.
function worthOf(w, { yakuman, faan, tai, limit } = {}) {
  const count = yakuman ? say("yakuman", { n: yakuman }) : faan !== undefined ? say("faan", { n: faan }) :
    tai !== undefined ? say("tai", { n: tai }) : w.han ? say("han_fu", { han: w.han, fu: w.fu }) : "";
  return [count, limit ? sentences[limit] : "", data.minimum > 1 ? say("minimum", { n: data.minimum }) : "", say("worth", { n: whole(w.points) })].filter(Boolean).join(sentences.comma);
}
// patternName returns the name of a pattern.
const patternName = p => sentences[`pattern.${data.family}.${p.id}`] || p.name;
// itemOf returns an item of a payment (board.Item) in words.
function itemOf({ key, n, of }) {
  if (n === undefined) return sentences[key];
  return of === undefined ? sentences[key] + " " + points(n) : say(key, { n: points(n), of: points(of) });
}
const itemized = (text, items) => items ? text + ": " + items.map(itemOf).join(sentences.comma) : text;
// payment returns a payment in words, with its items.
const payment = x => say("pays", { p: x.from, q: x.to, n: points(x.value), reason: itemized(sentences["reason_" + x.reason], x.items) });
