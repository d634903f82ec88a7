// Plays a hand of each family in the page of site play, by touch and by keys, replays and reviews a
// record, scores a hand, and breaks links, in a headless Chromium: wide and narrow, light and dark, in
// three languages. Fails where the page reports a fault, loads from elsewhere, is wider than the
// screen, takes too much time or memory, has a task that keeps it busy for too long, or axe-core finds a
// violation.
// Usage: node browser.mjs ADDRESS PICTURES RECORDS FILE
// FILE is the page of one file, which is opened from the disk, without a network.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";

const require = createRequire(join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [address, pictures, records, single] = process.argv.slice(2);
const mostStart = Number(process.env.START || 2000), mostMemory = 300 << 20, mostTask = 50;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
let faults = 0;
const fault = (...words) => { faults++; console.log("FAULT", ...words); };

async function open(what, [width, height], colorScheme, locale, hasTouch = false) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale, hasTouch });
  const page = await context.newPage();
  page.on("pageerror", e => fault(what, e.message));
  page.on("console", m => { if (m.type() === "error") fault(what, m.text()); });
  page.on("request", r => { if (!r.url().startsWith(address) && !/^(data|blob|file):/.test(r.url())) fault(what, "loads", r.url()); });
  return page;
}
// longestTask returns the CPU time in ms of the longest task of the page while it plays. Other work of the
// machine does not count, as it would in the times that a page itself sees.
async function longestTask(page, play) {
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing", "__metadata"] });
  await play();
  const { traceEvents: events } = JSON.parse(await browser.stopTracing());
  const opened = events.find(e => e.name === "navigationStart" && JSON.stringify(e.args).includes(address));
  page.process = opened?.pid ?? page.process;
  const main = events.find(e => e.name === "thread_name" && e.pid === page.process && e.args.name === "CrRendererMain").tid;
  const tasks = events.filter(e => e.ph === "X" && e.pid === page.process && e.tid === main && /RunTask$/.test(e.name) && e.ts >= (opened?.ts ?? 0));
  if (!tasks.length) throw new Error("the trace has no tasks");
  return Math.max(...tasks.map(e => e.tdur ?? 0)) / 1000;
}
async function inspect(page, what) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  for (const v of violations) fault(what, `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map(n => n.target.join(" ")).join(" | ")}`);
  const [wide, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  if (wide > width) fault(what, `is ${wide} wide`);
  await page.screenshot({ path: join(pictures, what.replace(/\W+/g, "-") + ".png") });
}

const sizes = [[1280, 800], [390, 844], [844, 390]], languages = ["en", "ja", "zh-TW"];
const presets = ["ema_2016", "mcr_2006", "universal", "hkma_hktw", "hk_old_style", "taiwanese", "tenhou_sanma"];
for (const [i, preset] of presets.entries()) {
  for (const way of ["touch", "keys"]) {
    const size = sizes[(i + (way === "keys")) % 3], scheme = (i + (way === "keys")) % 2 ? "dark" : "light", what = `${preset} ${way} ${size[0]} ${scheme}`;
    const page = await open(what, size, scheme, languages[i % 3], way === "touch");
    const link = new URLSearchParams({ rules: `base = "${preset}"\nmax_hands = 1\n`, agents: preset.includes("sanma") ? "value,expert" : "value,expert,greedy", coach: "expert", seed: "7", pace: "0s" });
    let start, answers = 0;
    const opening = await longestTask(page, async () => {
      const began = Date.now();
      await page.goto(`${address}table.html#${link}`);
      await page.waitForSelector(".pick, #actions button", { timeout: 60000 });
      start = Date.now() - began;
      await page.waitForTimeout(500);
    });
    await inspect(page, what + " start");
    const play = async most => { while (answers < most) {
      const state = await page.evaluate(() => {
        const result = document.getElementById("result");
        return { over: !result.hidden && result.querySelector("#course") !== null, result: !result.hidden, picks: document.querySelectorAll(".pick").length, buttons: document.querySelectorAll(result.hidden ? "#actions .buttons button" : "#result .buttons button").length };
      });
      if (state.over) return;
      if (!state.picks && !state.buttons) { await page.waitForTimeout(10); continue; }
      const place = state.result ? "#result .buttons button" : state.picks ? ".pick" : "#actions .buttons button";
      const list = page.locator(place), n = state.result ? 0 : state.picks ? answers * 5 % state.picks : state.buttons - 1;
      if (way === "touch") await list.nth(n).tap();
      else if (state.picks && !state.result) {
        for (let k = 0; k <= n; k++) await page.keyboard.press("ArrowRight");
        await page.keyboard.press("Enter");
      } else await page.keyboard.press(String(n + 1));
      answers++;
    } };
    // axe-core has long tasks of its own.
    const turns = await longestTask(page, () => play(8));
    await inspect(page, what + " turn");
    const end = await longestTask(page, () => play(Infinity));
    await inspect(page, what + " end");
    const memory = await page.workers()[0].evaluate(() => memory.buffer.byteLength);
    console.log(`${what}: ${answers} answers, start ${start} ms, memory of the program ${memory >> 20} MiB, longest tasks of the page ${[opening, turns, end].map(Math.round).join(", ")} ms`);
    if (Math.max(opening, turns, end) > mostTask) fault(what, `a task of the page took ${Math.max(opening, turns, end)} ms, allowed ${mostTask} ms`);
    if (start > mostStart) fault(what, `the first choice took ${start} ms, allowed ${mostStart} ms`);
    if (memory > mostMemory) fault(what, `the program has ${memory} bytes`);
    if (i === 0 && way === "keys") {
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.locator("#result .links a").first().click()]);
      await popup.waitForSelector("#controls");
      await inspect(popup, what + " replay");
      const [second] = await Promise.all([page.waitForEvent("popup"), page.locator("#result .links a").nth(1).click()]);
      await second.waitForSelector("#review:not([hidden])", { timeout: 600000 });
      await inspect(second, what + " review");
      // Every answer has a bar, and the table goes on from the decision.
      for (let i = 0; i < 300 && !await second.locator(".ratings .bar").count(); i++) await second.keyboard.press("ArrowRight");
      const [again] = await Promise.all([second.waitForEvent("popup"), second.locator(".decision a").first().click()]);
      await again.waitForSelector(".pick, #actions button", { timeout: 60000 });
    }
    await page.context().close();
  }
}
for (const [i, size] of sizes.entries()) {
  const what = `pages ${size[0]}`, page = await open(what, size, i % 2 ? "dark" : "light", languages[i]);
  await page.goto(address);
  await page.waitForSelector("#agents select");
  await page.locator("#score button").click();
  await page.waitForSelector("#worth table");
  if (!/12000/.test(await page.locator("#worth").innerText())) fault(what, "scores", await page.locator("#worth").innerText());
  await inspect(page, what + " score");
  for (const record of ["sample.json", "sample.mjlog", "sample.mjson", "sample.majiang.json", "sample.txt", "sample.mahjongsoul.json"]) {
    await page.setInputFiles("#file", join(records, record));
    while (!await page.inputValue("#record")) await page.waitForTimeout(20);
    await page.locator("#replay button").first().click();
    await page.waitForSelector("#controls", { timeout: 60000 });
    await inspect(page, `${what} ${record}`);
    await page.goto(address);
    await page.waitForSelector("#agents select");
  }
  await page.fill("#record", "{}");
  await page.locator("#replay button").first().click();
  await page.waitForSelector("#error:not([hidden])");
  if (!/it has no hand in log/.test(await page.locator("#error").innerText())) fault(what, "says", await page.locator("#error").innerText());
  await inspect(page, what + " broken record");
  await page.context().close();
}
{
  // Another language loads the page again: the match goes on.
  const what = "loaded again", page = await open(what, sizes[0], "light", "en");
  await page.goto(`${address}table.html#ruleset=universal&agents=value,value,value&seed=5&pace=0s`);
  for (let i = 1; i <= 4; i++) {
    while (await page.locator(".place0 .river .tile").count() < i) {
      const pass = page.locator("#actions .buttons button.pass");
      if (await page.locator(".pick").count()) await page.locator(".pick").first().click();
      else if (await pass.count()) await pass.click();
      await page.waitForTimeout(50);
    }
  }
  await page.waitForTimeout(500);
  await Promise.all([page.waitForEvent("load"), page.selectOption("#language", "ja")]);
  await page.waitForSelector(".pick, #actions button");
  if (await page.locator(".place0 .river .tile").count() < 4) fault(what, "begins the match again");
  await page.context().close();
}
{
  const page = await open("broken link", sizes[0], "light", "en");
  for (const [link, text] of [["ruleset=emaa_2016", "unknown ruleset"], ["wall=E+99z", "wall:"], ["record=x", "the record of the link is broken"]]) {
    await page.goto("about:blank");
    await page.goto(`${address}table.html#${link}`);
    await page.waitForSelector("#error:not([hidden])");
    if (!(await page.locator("#error").innerText()).includes(text)) fault("broken link", link, await page.locator("#error").innerText());
  }
}
{
  const what = "one file", page = await open(what, sizes[0], "dark", "en"), home = pathToFileURL(single).href;
  await page.context().setOffline(true);
  await page.goto(home);
  await page.waitForSelector("#agents select");
  await inspect(page, what);
  await page.locator("#score button").click();
  await page.waitForSelector("#worth table");
  await page.locator("#play button").click();
  await page.waitForSelector(".pick, #actions button", { timeout: 60000 });
  if (await page.locator(".pick").count()) await page.locator(".pick").first().click();
  await inspect(page, what + " table");
  await page.goBack();
  await page.waitForSelector("#agents select");
  await page.setInputFiles("#file", join(records, "sample.mjlog"));
  while (!await page.inputValue("#record")) await page.waitForTimeout(20);
  await page.locator("#replay button").first().click();
  await page.waitForSelector("#controls", { timeout: 60000 });
  await page.context().close();
}
await browser.close();
console.log(`${presets.length} families, ${faults} faults`);
process.exit(faults ? 1 : 0);
