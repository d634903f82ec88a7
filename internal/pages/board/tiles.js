"use strict";

// The tiles are drawn here, 30 wide and 40 high, so that they need no font but
// for the small signs in a corner and the names of flowers.
const tileParts = (() => {
  const ink = "#16242c", red = "#c0272d", green = "#17763a", blue = "#1c4f9c";
  const stroke = (d, color, width = 2) =>
    `<path d="${d}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
  const sign = (text, color) =>
    `<text x="2.4" y="9" font-size="8.6" font-weight="700" font-family="sans-serif" fill="${color}" stroke="#fbf8ef" stroke-width="2" paint-order="stroke">${text}</text>`;

  const numerals = [
    "M8 12.5H24", "M10 9H22M8 17H24", "M10 6.5H22M11 12H21M8 17.5H24", "M9 6.5H23V18H9ZM13.5 7C13.5 11 12.5 12.5 10.5 14M18.5 7V12.5H22",
    "M9 6H23M16 6L13 18M10 11.5H20.5L19.5 18M8 18H24", "M16 4V7M8 9.5H24M13 12.5L9 18.5M19 12.5L23 18.5", "M8 12L24 9.5M15 5V17.5H22.5V15",
    "M13.5 6.5C13.5 12 11.5 16 8 18.5M17 5.5C18 12 20 16 24 18.5", "M8 9H19C19 14 18.5 18.5 24 17.5V15M14 4.5C14 12 12 16 8 18.5",
  ];
  const myriad = "M7 23H23M12 21V25M18 21V25M10 26.5H20V31H10ZM15 26.5V35M10 28.8H20M8 37V33H22V37M12.5 35.8L17.5 35";
  const winds = [
    "M6 11H24M15 6V35M9 15H21V25H9ZM9 20H21M13.5 25.5L7 33M16.5 25.5L23 33",
    "M6 11H24M15 6V15M7 35V16H23V35M12 19L13 22M18 19L17 22M10.5 24H19.5M10 29H20M15 24V34",
    "M6 9H24M12 9V15C12 19 11 22 9.5 24M18 9V23H20.5M7 15.5H23V34H7Z",
    "M11 7V33M6 15H11M6 30L11 27M18 7V29C18 33 19 33 24 32V28M24 13L18 18",
  ];
  const rose = "M8 8L13 12M13 6C12 11 9 14 6 16M17 6L24 15M22 8L18 11M8 19H13V23H8V27H13V33L10 34M17 19V23L15 26M17 19H21V23H24M16 27H23C22 31 19 34 15 35M17 29L24 35";

  const dots = [
    [[15, 20, 9.5]], [[15, 12, 5.6], [15, 28, 5.6]], [[8.5, 11, 4.8], [15, 20, 4.8], [21.5, 29, 4.8]],
    [[9, 12, 5], [21, 12, 5], [9, 28, 5], [21, 28, 5]], [[8.5, 11, 4.4], [21.5, 11, 4.4], [15, 20, 4.4], [8.5, 29, 4.4], [21.5, 29, 4.4]],
    [[9, 9.5, 4.4], [21, 9.5, 4.4], [9, 21, 4.4], [21, 21, 4.4], [9, 31, 4.4], [21, 31, 4.4]],
    [[8.5, 7.5, 3.4], [15, 11.5, 3.4], [21.5, 15.5, 3.4], [9, 24, 4], [21, 24, 4], [9, 33.5, 4], [21, 33.5, 4]],
    [[9, 7, 3.8], [21, 7, 3.8], [9, 15.7, 3.8], [21, 15.7, 3.8], [9, 24.3, 3.8], [21, 24.3, 3.8], [9, 33, 3.8], [21, 33, 3.8]],
    [[7, 9, 3.6], [15, 9, 3.6], [23, 9, 3.6], [7, 20, 3.6], [15, 20, 3.6], [23, 20, 3.6], [7, 31, 3.6], [15, 31, 3.6], [23, 31, 3.6]],
  ];
  const dotColors = [[red], [green, blue], [blue, red, green], [blue, green, green, blue], [blue, green, red, green, blue],
    [green, green, red, red, red, red], [green, green, green, red, red, red, red], Array(8).fill(blue),
    [green, green, green, red, red, red, blue, blue, blue]];
  const dot = ([x, y, r], color) =>
    `<circle cx="${x}" cy="${y}" r="${r * .8}" fill="none" stroke="${color}" stroke-width="${r * .4}"/><circle cx="${x}" cy="${y}" r="${r * .32}" fill="${color}"/>`;

  // Sticks: x, y of the middle, height; the red ones are named.
  const sticks = [
    null, [[15, 11, 14], [15, 29, 14]], [[15, 11, 14], [9, 29, 14], [21, 29, 14]], [[9, 11, 14], [21, 11, 14], [9, 29, 14], [21, 29, 14]],
    [[8, 11, 14], [22, 11, 14], [8, 29, 14], [22, 29, 14], [15, 20, 14]],
    [[7.5, 11, 14], [15, 11, 14], [22.5, 11, 14], [7.5, 29, 14], [15, 29, 14], [22.5, 29, 14]],
    [[15, 7.5, 9], [7.5, 20, 10.5], [15, 20, 10.5], [22.5, 20, 10.5], [7.5, 32.5, 10.5], [15, 32.5, 10.5], [22.5, 32.5, 10.5]],
    [[6, 11, 14], [12, 11, 14], [18, 11, 14], [24, 11, 14], [6, 29, 14], [12, 29, 14], [18, 29, 14], [24, 29, 14]],
    [[7.5, 8, 9.5], [15, 8, 9.5], [22.5, 8, 9.5], [7.5, 20, 9.5], [15, 20, 9.5], [22.5, 20, 9.5], [7.5, 32, 9.5], [15, 32, 9.5], [22.5, 32, 9.5]],
  ];
  const redSticks = { 4: [4], 6: [0], 8: [1, 4, 7] };
  const stick = ([x, y, h], color) =>
    `<rect x="${x - 2}" y="${y - h / 2}" width="4" height="${h}" rx="1.8" fill="${color}"/><path d="M${x - 2} ${y}h4" stroke="#fbf8ef" stroke-width="1"/>`;
  const bird = `<path d="M6 33C6 22 12 15 20 15C25 15 25 20 22 24C19 28 13 27 6 33Z" fill="${green}"/><circle cx="21" cy="12.5" r="4.2" fill="${red}"/>` +
    `<path d="M24.5 11L28 13L24.5 14.2Z" fill="#d99a1c"/><circle cx="22" cy="11.8" r=".9" fill="#fbf8ef"/>` + stroke("M15 27L14 35M19 26L19 35M9 24L4 27", blue, 1.6);

  const suited = (suit, rank, allRed) => {
    const color = c => allRed ? red : c;
    switch (suit) {
      case "m": return stroke(numerals[rank], color(ink), 2.2) + stroke(myriad, red, 1.5) + sign(rank + 1, color(ink));
      case "p": return dots[rank].map((d, i) => dot(d, color(dotColors[rank][i]))).join("") + sign(rank + 1, color(ink));
      default: return (rank === 0 ? bird : sticks[rank].map((s, i) => stick(s, color((redSticks[rank] || []).includes(i) ? red : green))).join("")) +
        sign(rank + 1, color(ink));
    }
  };
  const flower = i => {
    const season = i < 4, color = [green, red, "#c46a10", blue][i % 4];
    const petals = [0, 1, 2, 3, 4].map(n => `<ellipse cx="15" cy="${season ? 10.5 : 12.5}" rx="${season ? 1.6 : 3.6}" ry="${season ? 3.4 : 5}" fill="${color}" transform="rotate(${n * 72} 15 19)"/>`).join("");
    const rays = season ? [0, 1, 2, 3, 4].map(n => `<ellipse cx="15" cy="10.5" rx="1.6" ry="3.4" fill="${color}" transform="rotate(${n * 72 + 36} 15 19)"/>`).join("") : "";
    return petals + rays + `<circle cx="15" cy="19" r="${season ? 4.4 : 3}" fill="${season ? color : "#e0a526"}"/>` + sign(i % 4 + 1, color) +
      `<text x="15" y="${language === "en" ? 37 : 38}" font-size="${language === "en" ? 7 : 10}" text-anchor="middle" font-family="sans-serif" font-weight="700" fill="${color}">` +
      (language === "en" ? ["SPR", "SUM", "AUT", "WIN", "PLU", "ORC", "CHR", "BAM"] : "春夏秋冬梅蘭菊竹")[i] + "</text>";
  };

  // drawing returns what stands on the tile of that notation.
  return name => {
    const rank = name.charCodeAt(0) - 49, suit = name[1];
    if (suit === "f") return flower(rank);
    // A red five has a mark that needs no color.
    if (suit !== "z") return rank < 0 ? suited(suit, 4, true) + `<circle cx="24.4" cy="34.4" r="3.2" fill="${red}" stroke="#fbf8ef"/>` : suited(suit, rank, false);
    if (rank < 4) return stroke(winds[rank], ink, 2.1) + sign("ESWN"[rank], ink);
    if (rank === 4) return `<rect x="6" y="6" width="18" height="28" rx="2" fill="none" stroke="${blue}" stroke-width="2"/><rect x="9" y="9" width="12" height="22" fill="none" stroke="${blue}" stroke-width="1"/>`;
    return rank === 5 ? stroke(rose, green, 2) : stroke("M7 13H23V25H7ZM15 6V35", red, 2.8);
  };
})();

// The rules of the pictures of tiles: one for each picture that was drawn.
const tileStyle = new CSSStyleSheet(), tileClasses = new Set();
document.adoptedStyleSheets.push(tileStyle);
// tileClass returns the class of an element that shows the tiles of these notations, "-" for the
// back: two where one is stacked on the other; style is "turned", "stacked" or "". The picture is
// a background, since the browser styles, lays out and paints one faster than its parts.
function tileClass(names, style) {
  const name = ["t" + style, ...names].join("-");
  if (!tileClasses.has(name)) {
    tileClasses.add(name);
    const body = fill => `<rect x=".6" y=".6" width="28.8" height="38.8" rx="3.4" fill="${fill}" stroke="#7b7462" stroke-width="1"/>`;
    const back = body("#d98e2b") + `<rect x="4.5" y="4.5" width="21" height="31" rx="2" fill="none" stroke="#f3c88a" stroke-width="1.6"/>`;
    const tiles = names.map((name, i) => `<g${style ? ` transform="translate(0 ${30 * (i + 1)}) rotate(-90)"` : ""}>${name === "-" ? back : body("#fbf8ef") + tileParts(name)}</g>`);
    const [width, height] = { turned: [40, 30], stacked: [40, 60] }[style] || [30, 40];
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${tiles.join("")}</svg>`;
    tileStyle.insertRule(`.${name} { background-image: url("data:image/svg+xml,${encodeURIComponent(svg)}"); }`);
  }
  return name;
}
