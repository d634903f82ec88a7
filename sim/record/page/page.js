
(() => {
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
  const points = units => (units / data.unit).toLocaleString("en", { maximumFractionDigits: 1 }).replace("-", "\u2212");
  const signed = units => (units > 0 ? "+" : "") + points(units);
  const wind = n => "ESWN"[n & 3];
  const everyone = [0, 1, 2, 3];
  const readyNames = ["", "ready", "double ready", "ready (human)", "ready (earth)", "ready (heaven)"];

  // h makes an element: attributes by name, then children.
  function h(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
    e.append(...children.flat().filter(c => c !== null && c !== undefined));
    return e;
  }

  // drawTile makes the picture of a tile; style is "turned", "stacked" or none.
  function drawTile(f, style = "", marks = []) {
    const box = { turned: "0 0 40 30", stacked: "0 0 40 60" }[style] || "0 0 30 40";
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", box);
    svg.setAttribute("class", ["tile", style, ...marks].filter(Boolean).join(" "));
    svg.setAttribute("role", "img");
    const faces = style === "stacked" ? f : [f];
    svg.setAttribute("aria-label", faces.map(face).join(" "));
    faces.forEach((one, i) => {
      const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
      use.setAttribute("href", "#t" + face(one));
      use.setAttribute("width", 30);
      use.setAttribute("height", 40);
      if (style) use.setAttribute("transform", `translate(0 ${30 * (i + 1)}) rotate(-90)`);
      svg.append(use);
    });
    return svg;
  }

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
  const handOf = n => data.hands.findLastIndex(first => first < n);
  function stateAt(n) {
    const hand = handOf(n);
    let s = copyMatch(starts[hand]);
    for (let i = data.hands[hand]; i < n; i++) s = apply(s, data.events[i]);
    return s;
  }

  // What is shown now: a stop, and whose view.
  let position = 0, view = -1;
  const bottom = () => Math.max(view, 0);
  const sees = (s, p) => view < 0 || view === p || s.players[p].shown;

  function drawMeld(m, visible) {
    const row = h("div", { class: "row" });
    if (m.closed) {
      m.tiles.forEach((f, i) => row.append(drawTile(visible && i > 0 && i < 3 ? f : visible && red(f) ? f : NONE)));
    } else {
      m.tiles.forEach((f, i) => row.append(i !== m.turned ? drawTile(f) : "added" in m ? drawTile([m.added, f], "stacked") : drawTile(f, "turned")));
    }
    return row;
  }
  function drawRiver(s, p) {
    const river = h("div", { class: "river" }), narrow = matchMedia("(max-width: 900px)").matches;
    let turn = false, row = null;
    const list = s.players[p].river;
    list.forEach((d, i) => {
      turn = turn || d.ready;
      const marks = [d.drawn && "drawn", d.claimed && "claimed", s.latest === p && i === list.length - 1 && "latest"].filter(Boolean);
      if (row === null || !narrow && i % 6 === 0) river.append(row = h("div", { class: "row", style: narrow ? "flex-wrap: wrap" : "" }));
      row.append(drawTile(d.f, turn ? "turned" : "", marks));
      // Where the turned tile was claimed the next one is turned instead.
      if (!d.claimed) turn = false;
    });
    return river;
  }
  function drawHand(s, p) {
    const player = s.players[p], open = sees(s, p), hand = h("div", { class: "row hand" });
    const tiles = [...player.tiles].sort(byKind);
    let last = player.last;
    if (last !== null) tiles.splice(tiles.indexOf(last), 1);
    for (const f of tiles) hand.append(drawTile(open ? f : NONE));
    if (last !== null) hand.append(drawTile(open ? last : NONE, "", ["last"]));
    const win = s.won.find(w => w.p === p && w.tile !== null);
    if (win) hand.append(drawTile(win.tile, "", ["last", "latest"]));
    return hand;
  }
  const roundWind = s => wind(s.fixedWind === null ? s.round : s.fixedWind);
  const label = (s, p) => h("b", {}, wind(s.chairs[p] - s.chairs[s.dealer]));
  const tags = (s, p) => [s.players[p].ready ? " " + readyNames[s.players[p].ready] : null, s.forfeited.includes(p) ? " forfeited" : null];

  function drawBoard(s) {
    const board = $("board");
    board.replaceChildren();
    const place = p => (s.chairs[p] - s.chairs[bottom()] + 4) % 4;
    for (const p of everyone) {
      const player = s.players[p];
      board.append(h("div", { class: `seat place${place(p)}${s.turn === p ? " turn" : ""}` },
        h("div", { class: "head" }, h("span", {}, label(s, p), ` player ${p}`), h("span", { "data-player": p, "data-points": s.points[p] }, points(s.points[p])), h("span", {}, data.agents[p]), h("span", {}, tags(s, p))),
        player.stick ? h("div", { class: "stick" }) : null,
        drawRiver(s, p),
        player.flowers.length ? h("div", { class: "row flowers" }, player.flowers.map(f => drawTile(f))) : null,
        h("div", { class: "held" }, drawHand(s, p),
          h("div", { class: "melds" }, player.melds.map(m => drawMeld(m, data.kan_visible || view < 0 || view === p || player.kanShown || player.shown)).reverse()))));
    }
    board.append(h("div", { id: "center" },
      h("div", { class: "round" },
        h("div", {}, `${roundWind(s)} round`, s.counter ? `, ${s.counter} repeat${s.counter > 1 ? "s" : ""}` : ""),
        s.deposits ? h("div", {}, `${s.deposits} stick${s.deposits > 1 ? "s" : ""}`) : null,
        data.dora ? h("div", { class: "row dora", title: "dora indicators" }, everyone.concat(4).map(i => drawTile(i < s.dora.length ? s.dora[i] : NONE))) : null,
        s.ura.length ? h("div", { class: "row dora", title: "ura indicators" }, s.ura.slice(0, 5).map(f => drawTile(f))) : null,
        s.left === null ? null : h("div", {}, `${s.left} tiles left`)),
      everyone.map(p => h("div", { class: `score place${place(p)}${s.turn === p ? " turn" : ""}` }, label(s, p), " ", points(s.points[p]), h("small", {}, `player ${p} ${data.agents[p]}`, tags(s, p))))));
  }

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
      const div = h("div", { class: "decision" }, h("div", {}, `player ${d.player} chooses: `, h("b", {}, data.actions[d.choice].replace("_", " "))));
      const rows = new Map();
      for (const a of d.legal) {
        const { verb, e } = drawAction(s, d, a);
        if (!rows.has(verb)) rows.set(verb, []);
        rows.get(verb).push(e);
      }
      for (const [verb, list] of rows) div.append(h("div", { class: "choices" }, verb ? h("span", { class: "verb" }, verb) : null, list));
      box.append(div);
    }
  }
  function table(head, rows) {
    return h("table", {}, h("tr", {}, head.map(c => h("th", {}, c))), rows.map(r => h("tr", {}, r.map(c => h("td", {}, c)))));
  }
  const moved = units => h("span", { class: units > 0 ? "plus" : units < 0 ? "minus" : "" }, units ? signed(units) : "");
  function drawResult(s) {
    const box = $("result");
    box.replaceChildren();
    for (const w of s.won) {
      if (!("points" in w)) continue;
      const worth = data.wins[w.number] || { patterns: [], yakuman: 0 };
      box.append(h("div", {}, h("b", {}, `player ${w.p} wins ${w.how}`)));
      if (worth.patterns.length) box.append(table(["pattern", ""], worth.patterns.map(p => [p.name, String(p.points)])));
      box.append(h("div", {}, (worth.yakuman ? `${worth.yakuman} yakuman, ` : w.han ? `${w.han} han, ${w.fu} fu, ` : "") + `${points(w.points)} points`));
    }
    if (s.ended) box.append(h("div", {}, h("b", {}, s.ended)));
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

  function render() {
    const n = stops[position], s = stateAt(n);
    drawBoard(s);
    const drew = s.drew && (sees(s, s.drew.p) || s.drew.kan && data.kan_visible);
    $("caption").textContent = s.says + (drew ? " " + face(s.drew.f) : "");
    $("where").textContent = `hand ${s.hand + 1} of ${data.hands.length}, step ${position + 1} of ${stops.length}`;
    drawDecisions(s, n);
    drawResult(s);
    drawLedger(s);
    $("hand").value = s.hand;
    $("position").value = position;
    $("view").value = view;
    document.body.dataset.over = s.over;
    for (const b of document.querySelectorAll("#controls button")) {
      const back = b.dataset.go[0] === "-";
      b.disabled = back ? position === 0 : position === stops.length - 1;
    }
    history.replaceState(null, "", `#${position + 1}${view < 0 ? "" : "v" + view}`);
  }
  const goTo = n => { position = Math.max(0, Math.min(stops.length - 1, n)); render(); };
  const firstOf = hand => stops.findIndex(n => n > data.hands[hand]);
  const moves = {
    "-step": () => goTo(position - 1),
    "+step": () => goTo(position + 1),
    "-hand": () => { const hand = handOf(stops[position]); goTo(position > firstOf(hand) ? firstOf(hand) : firstOf(Math.max(hand - 1, 0))); },
    "+hand": () => { const hand = handOf(stops[position]); goTo(hand + 1 < data.hands.length ? firstOf(hand + 1) : stops.length - 1); },
    "first": () => goTo(0),
    "last": () => goTo(stops.length - 1),
  };
  const look = p => { view = p; render(); };
  const keys = { ArrowLeft: "-step", ArrowRight: "+step", ArrowUp: "-hand", ArrowDown: "+hand", Home: "first", End: "last" };

  document.body.insertAdjacentHTML("afterbegin", tileSymbols(data.faces));
  data.hands.forEach((_, i) => $("hand").append(h("option", { value: i }, `hand ${i + 1}: ${roundWind(stateAt(stops[firstOf(i)]))} round`)));
  $("view").append(h("option", { value: -1 }, "all tiles"), ...everyone.map(p => h("option", { value: p }, `as seen by player ${p}` + (data.agents[p] ? `, ${data.agents[p]}` : ""))));
  $("position").max = stops.length - 1;
  for (const b of document.querySelectorAll("#controls button")) b.addEventListener("click", () => moves[b.dataset.go]());
  $("hand").addEventListener("change", e => { goTo(firstOf(Number(e.target.value))); e.target.blur(); });
  $("view").addEventListener("change", e => { look(Number(e.target.value)); e.target.blur(); });
  $("position").addEventListener("input", e => goTo(Number(e.target.value)));
  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (keys[e.key]) moves[keys[e.key]]();
    else if ("0123".includes(e.key)) look(Number(e.key));
    else if (e.key === "a" || e.key === "A") look(-1);
    else return;
    e.preventDefault();
  });
  matchMedia("(max-width: 900px)").addEventListener("change", render);
  const asked = /^#(\d+)(?:v([0-3]))?$/.exec(location.hash);
  if (asked) { position = Number(asked[1]) - 1; view = asked[2] === undefined ? -1 : Number(asked[2]); }
  goTo(position);
})();
