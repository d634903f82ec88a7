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

// Whose view is shown; -1 is that of all tiles.
let view = -1;
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
    everyone.map(p => h("div", { class: `score place${place(p)}${s.turn === p ? " turn" : ""}` },
      label(s, p), h("span", {}, points(s.points[p])), h("small", {}, data.agents[p] || `player ${p}`), h("small", {}, tags(s, p))))));
}
