// Plays matches at the table in a headless Chromium: of presets by mouse, of ruleset files by touch
// and by keyboard alone, wide and narrow, light and dark. Fails where the page reports a fault, loads from elsewhere, is
// wider than the screen, hides a button or a name, does not announce a discard, answers late, loses
// an answer with the network, or has a lobby in which people cannot change, or axe-core finds a serious violation. AGENT plays the other seats; 95 % of the answers must be shown within DELAY ms.
// Usage: node table.mjs PROGRAM PICTURES RULESET...
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createRequire } from "node:module";

const require = createRequire(join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [program, pictures, ...rulesets] = process.argv.slice(2);
const agent = process.env.AGENT || "value", mostDelay = Number(process.env.DELAY || 100);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
let faults = 0;
const fault = (...words) => { faults++; console.log("FAULT", ...words); };

// table starts a table and returns its address and a function that ends it. The last agent has a
// long name.
function table(ruleset, ...more) {
  const agents = Array(ruleset.includes("sanma") ? 2 : 3).fill(agent);
  if (agent === "value") agents.push(agents.pop() + ":defence=off");
  const child = spawn(program, ["table", "--ruleset", ruleset, "--agents", agents.join(","), "--pace", "0s", "--coach", "--seed", "7", ...more]);
  child.stderr.on("data", text => fault(ruleset, String(text)));
  return new Promise((resolve, reject) => {
    child.stdout.on("data", text => resolve({ address: /http\S+/.exec(String(text))[0], end: () => child.kill("SIGINT") }));
    child.on("exit", status => reject(new Error(`the table ended with status ${status}`)));
  });
}

// measureDelays measures, in the page, the time from an answer to the next state on the screen: two
// frames after the page has read the events that follow, or the next question. The first answer
// after an inspection is left out, since axe-core and the screenshot slow the browser down.
function measureDelays() {
  window.delays = [];
  let answered = 0;
  for (const type of ["click", "keydown"]) addEventListener(type, e => {
    if (type === "keydown" && !/^[1-9p]$/.test(e.key)) return;
    answered = window.inspected ? 0 : performance.now();
    window.inspected = false;
  }, true);
  const read = ReadableStreamDefaultReader.prototype.read;
  ReadableStreamDefaultReader.prototype.read = async function () {
    const chunk = await read.call(this), at = answered;
    if (at && /^event: (events|question|match)$/m.test(chunk.value)) {
      answered = 0;
      requestAnimationFrame(() => requestAnimationFrame(() => window.delays.push(performance.now() - at)));
    }
    return chunk;
  };
}

// ways are how a person chooses the n-th of the elements.
const ways = {
  mouse: (page, list, n) => list.nth(n).click(),
  touch: (page, list, n) => list.nth(n).tap(),
  // The keys that the page names: arrows and Enter among the tiles, numbers for buttons.
  keyboard: async (page, list, n, picks) => {
    if (!picks) return page.keyboard.press(String(n + 1));
    for (let i = 0; i <= n; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
  },
};

async function inspect(page, what) {
  // The frames that end the delay of the answer before come first: axe-core would hold them up.
  await page.evaluate(() => new Promise(done => { let frames = 4; const next = () => frames-- ? requestAnimationFrame(next) : done(); next(); }));
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  for (const v of violations) {
    const line = `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map(n => n.target.join(" ")).join(" | ")}`;
    if (v.impact === "serious" || v.impact === "critical") fault(what, line);
    else console.log(what, line);
  }
  const [wide, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  if (wide > width) fault(what, `is ${wide} wide`);
  const hidden = await page.evaluate(() => [
    ...[...document.querySelectorAll("#result:not([hidden]) .buttons button")].filter(b => b.getBoundingClientRect().bottom > innerHeight),
    ...[...document.querySelectorAll("#center small")].filter(e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight),
    // On a narrow screen the buttons lie above the page.
    ...[...document.querySelectorAll("main:not(.watching) .place0 .hand")].filter(e => innerWidth <= 900 && document.getElementById("result").hidden && e.getBoundingClientRect().bottom > document.getElementById("actions").getBoundingClientRect().top),
  ].map(e => e.textContent || e.className));
  if (hidden.length) fault(what, "hides", ...hidden);
  // The result lists the debts that the panel beside it shows.
  const missing = await page.evaluate(() => {
    const result = document.querySelector("#result:not([hidden])");
    return result ? [...document.querySelectorAll("#owes div")].map(e => e.textContent).filter(text => !result.textContent.includes(text)) : [];
  });
  if (missing.length) fault(what, "does not list", ...missing);
  await page.screenshot({ path: join(pictures, what.replace(/\W+/g, "-") + ".png") });
  await page.evaluate(() => { window.inspected = true; });
}

let run = 0;
for (const ruleset of rulesets) {
  // Whole matches by mouse; what touch and keys do differs only in how an answer is given.
  for (const way of ruleset.endsWith(".toml") ? ["touch", "keyboard"] : ["mouse"]) {
    const width = way === "touch" || run % 4 === 3 ? 390 : 1280, colorScheme = run % 2 ? "dark" : "light";
    run++;
    const name = basename(ruleset, ".toml"), what = `${name} ${way} ${width} ${colorScheme}`;
    const { address, end } = await table(ruleset);
    const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 800 }, colorScheme, hasTouch: way === "touch", locale: ["en", "ja", "zh-TW"][run % 3] });
    const page = await context.newPage();
    page.on("pageerror", e => fault(what, e.message));
    page.on("console", m => { if (m.type() === "error") fault(what, m.text()); });
    page.on("request", r => { if (!r.url().startsWith(new URL(address).origin) && !r.url().startsWith("data:")) fault(what, "loads", r.url()); });
    const began = Date.now();
    await page.addInitScript(measureDelays);
    await page.goto(address);
    await page.waitForSelector(".pick, #actions button");
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
    if (paint > 1000) fault(what, `painted first after ${paint} ms`);
    await page.evaluate(() => {
      window.announced = 0;
      new MutationObserver(() => { window.announced++; }).observe(document.getElementById("caption"), { childList: true, characterData: true, subtree: true });
    });
    const looked = new Set();
    let answers = 0;
    for (;;) {
  let state = null;
      const ask = () => {
        const result = document.getElementById("result"), picks = document.querySelectorAll(".pick").length;
        const buttons = document.querySelectorAll(result.hidden ? "#actions .buttons button" : "#result .buttons button").length;
        if (!picks && !buttons) return null;
        const taken = !result.hidden && [...result.querySelectorAll("li")].some(e => /^(the pot pays|供託 (→|付))/.test(e.textContent));
        const sticks = taken && /stick|供託/.test(document.getElementById("center").textContent);
        return { picks, buttons, sticks, result: !result.hidden, over: !result.hidden && result.querySelector("#course .uplot") !== null };
      };
      for (let tries = 0; (state = await page.evaluate(ask)) === null; tries++) {
        if (tries > 3000) { await inspect(page, what + " stuck"); throw new Error(`${what} is stuck`); }
        await page.waitForTimeout(10);
      }
      if (state.sticks) fault(what, "shows sticks that the pot has paid");
      const kind = state.over ? "match-end" : state.result ? "hand-end" : state.picks ? (state.buttons ? "turn-buttons" : "turn") : "claim";
      if (!looked.has(kind)) {
        looked.add(kind);
        await inspect(page, `${what} ${kind}`);
      }
      if (state.over) break;
      const list = page.locator(state.result ? "#result .buttons button" : state.picks && answers % 5 ? ".pick" : state.buttons ? "#actions .buttons button" : ".pick");
      const picks = !state.result && (state.picks && answers % 5 || !state.buttons);
      // The last pick is the drawn tile; a claim is passed two times of three.
      const count = picks ? state.picks : state.buttons, n = state.result ? 0 : picks ? answers * 7 % count : answers % 3 ? count - 1 : 0;
      await ways[way](page, list, n, picks);
      answers++;
    }
    await page.evaluate(() => { for (const d of document.querySelectorAll("details")) d.open = true; });
    await page.keyboard.press("2");
    await inspect(page, `${what} panels`);
    const [delays, announced] = await page.evaluate(() => [window.delays.sort((a, b) => a - b), window.announced]);
    const at = q => Math.round(delays[Math.min(delays.length - 1, Math.floor(q * delays.length))]);
    console.log(`${what}: ${answers} answers in ${Math.round((Date.now() - began) / 1000)} s, ${announced} announcements, first paint ${Math.round(paint)} ms, delay median ${at(.5)} ms, 95 % ${at(.95)} ms, longest ${at(1)} ms`);
    if (at(.95) > mostDelay) fault(what, `answers late: 95 % within ${at(.95)} ms, allowed ${mostDelay} ms`);
    if (announced < answers / 2) fault(what, `${announced} announcements for ${answers} answers`);
    await context.close();
    end();
  }
}
// The network fails as a person answers: the page says so and sends the answer again.
{
  const { address, end } = await table("ema_2016"), what = "lost answer";
  const page = await browser.newPage();
  page.on("pageerror", e => fault(what, e.message));
  await page.route("**/answer", route => route.abort(), { times: 1 });
  await page.goto(address);
  await page.locator(".pick").last().click();
  await page.waitForSelector("#error:not([hidden])");
  await page.waitForSelector(".place0 .river .tile");
  await page.waitForSelector("#error", { state: "hidden" });
  await page.close();
  end();
}
// The first requests of a page fail: it says so and goes on.
for (const file of ["en.json", "game.json"]) {
  const { address, end } = await table("ema_2016"), what = `lost ${file}`;
  const page = await browser.newPage({ locale: "en" });
  page.on("pageerror", e => fault(what, e.message));
  await page.route(`**/${file}`, route => route.abort(), { times: 1 });
  await page.goto(address);
  await page.waitForSelector("#error:not([hidden])");
  const text = await page.locator("#error").textContent();
  if (!/^The table cannot be reached; trying again/.test(text)) fault(what, "says", text);
  await page.waitForSelector(".pick");
  if (await page.locator("#error").isVisible()) fault(what, "is shown still");
  await page.close();
  end();
}
// Two people sit down by one link, one leaves, a third takes over with the same hand, and play goes on.
{
  const what = "lobby";
  const child = spawn(program, ["table", "--people", "2", "--agents", "tsumogiri,tsumogiri", "--pace", "0s", "--seed", "7"]);
  let printed = "";
  const link = await new Promise(resolve => child.stdout.on("data", text => {
    printed += text;
    const found = /^share\s+(\S+)\n/m.exec(printed);
    if (found) resolve(found[1]);
  }));
  const enter = async (name, seat, viewport = { width: 1280, height: 800 }, colorScheme = "light") => {
    const context = await browser.newContext({ viewport, colorScheme, locale: "en" }), page = await context.newPage();
    page.on("pageerror", e => fault(what, e.message));
    page.on("dialog", dialog => dialog.accept());
    await page.goto(link);
    await page.getByLabel("your name").fill(name);
    await page.waitForSelector("#lobby .place");
    await inspect(page, `${what} ${viewport.width} ${colorScheme} ${name}`);
    await page.getByRole("button", { name: `Sit down on seat ${seat}` }).click();
    await page.waitForSelector("#share input");
    await page.locator("#no_calls").check();
    return page;
  };
  const hand = page => page.locator(".place0 .hand").ariaSnapshot();
  const named = (page, text) => page.locator(".seat .head", { hasText: text }).first().waitFor({ state: "attached" });
  const discard = async page => {
    await page.waitForSelector(".pick");
    const river = page.locator(".place0 .river .tile"), before = await river.count();
    await page.locator(".pick").last().click();
    while (await river.count() === before) await page.waitForTimeout(20);
  };
  const anna = await enter("anna", 1);
  await anna.locator("#caption", { hasText: "Free seats: 1" }).waitFor();
  const ben = await enter("<b>ben", 2, { width: 390, height: 844 }, "dark");
  await named(anna, "<b>ben");
  await discard(anna);
  await ben.waitForSelector(".pick");
  const held = await hand(ben);
  await ben.getByRole("button", { name: "leave the seat" }).click();
  await ben.waitForSelector("#lobby .place");
  await named(anna, "(free)");
  const carl = await enter("carl", 2);
  await named(anna, "carl");
  await carl.waitForSelector(".pick");
  if (await hand(carl) !== held) fault(what, "another hand is taken over:", await hand(carl), held);
  await discard(carl);
  await discard(anna);
  // Who opens the link again finds the way back.
  await carl.goto("about:blank");
  await named(anna, "(away)");
  await carl.goto(link);
  await carl.getByRole("button", { name: "Back to your seat" }).click();
  await discard(carl);
  for (const page of [anna, ben, carl]) await page.context().close();
  child.kill("SIGINT");
}
// On a narrow screen a long name leaves room for the points.
{
  const { address, end } = await table("ema_2016");
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(address);
  await page.waitForSelector(".pick");
  const outside = await page.evaluate(() => {
    for (const name of document.querySelectorAll(".head span:first-child")) name.append("W".repeat(60));
    return [...document.querySelectorAll(".head [data-points]")].some(e => e.getBoundingClientRect().right > innerWidth);
  });
  if (outside) fault("a long name hides the points");
  await page.close();
  end();
}
// At every size the own hand, the question, the clock and the buttons are in view and nothing lies over
// them: with a whole hand, with flowers, and with four melds, for which a next player discards what
// the wall gives. What may be pressed has at least 24 pixels.
const sizes = [[1280, 800], [390, 844], [844, 390], [640, 400], [320, 568]];
for (const [ruleset, hand] of [["ema_2016", "1122334m567p88s1z"], ["taiwanese", "11223344m66p5z1f2f3f4f5f"]]) {
  writeFileSync("melds.txt", `E ${hand}\ndraws 9p 1m 2m 3m 4m\n`);
  const child = spawn(program, ["table", "--ruleset", ruleset, "--agents", "tsumogiri,tsumogiri,tsumogiri", "--pace", "0s", "--clock", "3000", "--seed", "7", "--wall", "melds.txt"]);
  const address = await new Promise(resolve => child.stdout.on("data", text => resolve(/http\S+/.exec(String(text))[0])));
  const page = await browser.newPage();
  page.on("pageerror", e => fault(ruleset, e.message));
  await page.goto(address);
  await page.waitForSelector(".pick, #actions button");
  for (let answers = 0; answers < 12; answers++) {
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(150);
      const what = `${ruleset} ${width}x${height} answer ${answers}`;
      const [covered, small] = await page.evaluate(() => {
        const seen = e => {
          const b = e.getBoundingClientRect(), at = document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2);
          return b.left >= 0 && b.top >= 0 && b.right <= innerWidth && b.bottom <= innerHeight && at !== null && (e.contains(at) || at.contains(e));
        };
        const name = e => e.getAttribute("aria-label") || e.textContent;
        const pressed = [...document.querySelectorAll(".pick, #actions button")];
        return [
          [...document.querySelectorAll(".place0 .hand .tile, .place0 .melds .tile, #actions .status span, #actions button")].filter(e => !seen(e)).map(name),
          pressed.filter(e => Math.min(e.getBoundingClientRect().width, e.getBoundingClientRect().height) < 24).map(name),
        ];
      });
      if (covered.length) fault(what, "hides", ...covered);
      if (small.length) fault(what, "has small targets", ...small);
      if (answers % 4 === 0 || covered.length) await page.screenshot({ path: join(pictures, what.replace(/\W+/g, "-") + ".png") });
    }
    const pon = page.locator("#actions button", { hasText: /^(Pon|Flower)/ });
    if (await pon.count()) await pon.first().click();
    else if (!await page.locator(".pick").count()) await page.locator("#actions .buttons button").last().click();
    else await page.locator(".pick").last().click();
    await page.waitForTimeout(100);
    await page.waitForSelector(".pick, #actions .buttons button");
  }
  if (await page.locator(".place0 .melds > .row").count() < 3) fault(ruleset, "has too few melds for the check of sizes");
  await page.close();
  child.kill("SIGINT");
}
// The tree of a screen reader alone answers ten questions about the table.
{
  const what = "screen reader";
  // open opens a table with a wall and returns how to look at its tree and to press a button by its name.
  const open = async (wall, ...more) => {
    writeFileSync("tree.txt", wall);
    const { address, end } = await table("ema_2016", "--wall", "tree.txt", ...more);
    const page = await browser.newPage({ locale: "en" });
    page.on("pageerror", e => fault(what, e.message));
    await page.goto(address);
    await page.waitForSelector(".pick, #actions .buttons button");
    const press = async name => {
      await page.getByRole("button", { name }).last().click();
      await page.waitForTimeout(300);
      await page.waitForSelector(".pick, #actions .buttons button");
    };
    return { press, tree: () => page.locator("body").ariaSnapshot(), close: async () => { await page.close(); end(); } };
  };
  // has checks that the lines of a tree follow one another, each at any depth.
  const has = (question, tree, ...lines) => {
    let rest = tree;
    for (const line of lines) {
      const found = line.exec(rest);
      if (!found) return fault(what, `does not answer "${question}": no ${line} in`, tree);
      rest = rest.slice(found.index + found[0].length);
    }
  };
  const agents = ["--agents", "tsumogiri,tsumogiri,tsumogiri"];
  let { press, tree, close } = await open("E 11234m567p88s123s\nS 1z\ndraws 9p 1m\ndora 7s\n", ...agents);
  await press(/^discard 9p, drawn/);
  let text = await tree();
  has("what may I call, with which tiles?", text, /button "Pon 1m 1m 1m"/);
  has("what is dora?", text, /group "dora indicators; dora: 8s"/, /img "7s"/);
  has("whose turn is it, how many tiles are left?", text, /group "S tsumogiri[^"]*, in turn"/, /text: 68 tiles left/);
  await press(/^Pon/);
  text = await tree();
  has("what has South discarded, and which of it was claimed?", text, /group "discards of S tsumogiri"/, /img "1m, as drawn, claimed"/, /group "melds of S/);
  has("what melds has East?", text, /group "melds of E you"/, /group "pon"/, /img "1m"/);
  has("which of my tiles may I discard?", text, /group "hand of E you"/, /button "discard 2m"/, /button "discard 8s"/);
  has("the scores, my place?", text, /group "E you, 30,000 points, place 1/, /group "scores"/);
  await close();
  ({ press, tree, close } = await open("E 123m456p789p55s23s\ndraws 9m 1z 2z 3z 1s\ndora 7z\n", ...agents));
  has("what did I draw?", await tree(), /button "discard 9m, drawn"/);
  await press(/^Riichi/);
  await press(/^declare riichi with 9m/);
  has("who is in riichi, since when?", await tree(), /group "E you, 29,000 points, place 4, double riichi since discard 1/);
  await press(/^Win/);
  await press(/^Continue/);
  has("what was the last hand worth, who paid what?", await tree(), /group: .*you.* wins by self-draw, .* points/);
  await close();
}
// After a hand the page shows when the clock goes on by itself, also when it loads again.
{
  const { address, end } = await table("ema_2016", "--clock", "1"), what = "clock";
  const page = await browser.newPage();
  await page.goto(address);
  for (const again of [false, true]) {
    if (again) await page.reload();
    await page.waitForSelector("#result:not([hidden]) .clock", { timeout: 90000 });
    const text = await page.locator("#result .clock").textContent();
    if (!/^goes on in (30|[12]\d) s$/.test(text)) fault(what, `says ${text} after a hand`);
    await page.waitForTimeout(1500);
    const later = await page.locator("#result .clock").textContent();
    if (later >= text) fault(what, "stands still");
  }
  await page.close();
  end();
}
// "no calls" declines calls, not the offer to declare ready before the first draw.
{
  writeFileSync("offer.toml", 'base = "hkma_hktw"\nready_initial_window = true\n');
  writeFileSync("offer.txt", "E 123m456p789s123s1122z\n");
  const { address, end } = await table("offer.toml", "--wall", "offer.txt");
  const page = await browser.newPage();
  await page.goto(address);
  await page.locator("#no_calls").click();
  await page.waitForTimeout(200);
  if (await page.locator("#actions .buttons button").count() !== 2) fault("no calls declines an offer");
  await page.close();
  end();
}
// "win automatically" takes a win with the flowers, which may be declined, also after a reload.
{
  writeFileSync("flowers.txt", "E 1f2f3f4f5f6f7f8f12345m\n");
  for (const ruleset of ["hkma_hktw", "hk_old_style"]) {
    const { address, end } = await table(ruleset, "--wall", "flowers.txt");
    const page = await browser.newPage();
    await page.goto(address);
    await page.locator("#auto_win").click();
    await page.reload();
    for (let i = 0; i < 8 && await page.locator("#result").isHidden(); i++) {
      const flower = page.locator("#actions button", { hasText: /^Flower/ }).first();
      if (await flower.count()) await flower.click();
      await page.waitForTimeout(200);
    }
    if (!await page.locator("#result .win").count()) fault(ruleset, "wins with the flowers are not taken");
    await page.close();
    end();
  }
}
// Spectators watch a run from the middle of a hand to its end: on a page that shows hands once the
// hand has ended, and on one that shows all tiles.
const child = spawn(program, ["play", "--agents", Array(4).fill(agent).join(","), "--matches", "1000000", "--workers", "1", "--quiet", "--watch", "--allow-hidden"]);
const address = await new Promise(resolve => child.stderr.on("data", text => resolve(/http\S+/.exec(String(text))[0])));
await Promise.all([[1280, "light", "en", ""], [390, "dark", "ja", ""], [1280, "dark", "zh-TW", "/1/0/all"], [390, "light", "en", "/1/0/all"]].map(async ([width, colorScheme, locale, place]) => {
  const what = `watch ${width} ${colorScheme}${place && " all"}`;
  const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 800 }, colorScheme, locale });
  const page = await context.newPage();
  page.on("pageerror", e => fault(what, e.message));
  page.on("console", m => { if (m.type() === "error") fault(what, m.text()); });
  await page.goto(address + place);
  await page.waitForSelector(".river .tile");
  // A page that opens between two hands shows the hands of the last one.
  const count = () => document.getElementById("result").hidden ? [...document.querySelectorAll(".hand .tile")].filter(t => t.hasAttribute("aria-label")).length : null;
  let shown;
  while ((shown = await page.evaluate(count)) === null) await page.waitForTimeout(50);
  if ((shown > 0) !== (place !== "")) fault(what, `shows ${shown} tiles of hands`);
  await inspect(page, what);
  await page.waitForSelector("#result:not([hidden])", { timeout: 120000 });
  // waitForFunction would need eval, which the policy of the page forbids.
  while (await page.evaluate(() => document.querySelectorAll("#result .win .tile, #result li, #result td").length) === 0) await page.waitForTimeout(50);
  await inspect(page, what + " hand-end");
  await context.close();
}));
child.kill("SIGKILL");
await browser.close();
console.log(`${run} matches, ${faults} faults`);
process.exit(faults ? 1 : 0);
