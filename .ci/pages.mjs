// Looks at pages in a headless Chromium: wide and narrow, light and dark. Fails
// where a page reports a fault, is wider than the screen, hides a hand of a
// replay behind its controls, or axe-core finds a serious violation. Usage: node pages.mjs PICTURES FILE...
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { createRequire } from "node:module";

const require = createRequire(join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [pictures, ...files] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
let faults = 0;
const fault = (...words) => { faults++; console.log("FAULT", ...words); };
for (const file of files) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [width, height] of [[1400, 900], [390, 844]]) {
      const what = `${basename(file)} ${colorScheme} ${width}`;
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      page.on("pageerror", e => fault(what, e.message));
      page.on("console", m => { if (m.type() === "error") fault(what, m.text()); });
      page.on("request", r => { if (!r.url().startsWith("file:") && !r.url().startsWith("data:") && !r.url().startsWith("blob:")) fault(what, "loads", r.url()); });
      await page.goto("file://" + resolve(file.split("#")[0]) + (file.includes("#") ? "#" + file.split("#")[1] : ""));
      await page.waitForTimeout(400);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) fault(what, `is ${wide} wide`);
      await page.screenshot({ path: join(pictures, `${basename(file).replace(/[^\w.-]/g, "_")}-${colorScheme}-${width}.png`) });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run());
      for (const v of violations) {
        const line = `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map(n => n.target.join(" ")).join(" | ")}`;
        if (v.impact === "serious" || v.impact === "critical") fault(what, line);
        else console.log(what, line);
      }
      if (await page.locator("#controls").count()) {
        for (const [width, height] of [[844, 390], [640, 400], [320, 568]]) {
          await page.setViewportSize({ width, height });
          const hidden = await page.evaluate(() => {
            const top = document.getElementById("controls").getBoundingClientRect().top;
            return [...document.querySelectorAll(".place0 .hand .tile, .place0 .melds .tile")].filter(e => e.getBoundingClientRect().bottom > top).length;
          });
          if (hidden) fault(what, `hides ${hidden} tiles at ${width}x${height}`);
        }
      }
      await page.close();
    }
  }
}
await browser.close();
console.log(`${files.length} pages, 4 looks each, ${faults} faults`);
process.exit(faults ? 1 : 0);
