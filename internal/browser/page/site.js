const $ = id => document.getElementById(id);
const showFault = text => { $("error").hidden = text === ""; $("error").textContent = text; };
addEventListener("error", e => showFault(e.message));
addEventListener("unhandledrejection", e => showFault(String(e.reason)));

const json = async path => (await fetch(path)).json();
const [sentences, choices] = await Promise.all([json(`site-${language}.json`), json("choices.json")]);
for (const e of document.querySelectorAll("[data-say]")) e.textContent = sentences[e.dataset.say];
offerLanguages($("language"), sentences.language);

// A table: its link has all settings. A page of one file has its tables itself.
const tableAddress = globalThis.tableAddress ?? "table.html#";
for (const id of ["ruleset", "score-ruleset"]) {
  for (const r of choices.rulesets) $(id).append(new Option(r.name, r.name, r.name === "ema_2016", r.name === "ema_2016"));
}
function offerAgents() {
  const seats = choices.rulesets.find(r => r.name === $("ruleset").value).seats;
  $("agents").replaceChildren(...Array.from({ length: seats - 1 }, (_, i) => {
    const list = document.createElement("select"), label = document.createElement("label");
    for (const name of choices.agents) list.append(new Option(name, name, name === "expert", name === "expert"));
    label.append(sentences.agent.replace("{n}", i + 1), " ", list);
    return label;
  }));
}
$("ruleset").addEventListener("change", offerAgents);
offerAgents();
$("play").addEventListener("submit", e => {
  e.preventDefault();
  const link = new URLSearchParams({ ruleset: $("ruleset").value, agents: [...$("agents").querySelectorAll("select")].map(s => s.value).join(",") });
  for (const name of ["rules", "wall"]) if ($(name).value.trim()) link.set(name, $(name).value);
  if (link.has("rules")) link.delete("ruleset");
  if ($("coach").checked) link.set("coach", "expert");
  location = tableAddress + link;
});

// say asks the program and returns the text of its answer; a refusal is shown.
async function say(path, settings = {}, body = "") {
  const answer = await ask(path, { body, headers: { Authorization: "Bearer " + new URLSearchParams(settings) } }), text = await answer.text();
  showFault(answer.ok ? "" : text);
  if (!answer.ok) scrollTo(0, 0);
  return answer.ok ? text : null;
}
const element = (name, ...children) => { const e = document.createElement(name); e.append(...children); return e; };

// A record: its viewer takes the place of this page, and the button of the browser leads back.
$("format").append(new Option(sentences.any, ""), ...choices.formats.map(f => new Option(f, f)));
let recordName = "record";
async function load(file) {
  const packed = file.name.endsWith(".gz");
  recordName = file.name.replace(/\.gz$/, "");
  $("record").value = await new Response(packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream()).text();
}
$("file").addEventListener("change", () => load($("file").files[0]));
for (const type of ["dragover", "drop"]) $("replay").addEventListener(type, e => e.preventDefault());
$("replay").addEventListener("drop", e => { if (e.dataTransfer.files.length) load(e.dataTransfer.files[0]); });
const recordSettings = () => ({ name: recordName, ...($("format").value ? { format: $("format").value } : {}) });
async function show(reviewed) {
  let html = await say("record", recordSettings(), $("record").value);
  if (html !== null && reviewed) {
    const look = setInterval(async () => {
      const [n, all] = (await (await ask("record/judged")).text()).split("/");
      $("progress").textContent = sentences.judged.replace("{n}", n).replace("{all}", all);
    }, 500);
    html = await say("record/review");
    clearInterval(look);
    $("progress").textContent = "";
  }
  if (html !== null) location = addressOf(location.protocol === "file:" ? html : againAt(html, await recordLink()));
}
$("replay").addEventListener("submit", e => { e.preventDefault(); show(false); });
$("review").addEventListener("click", () => show(true));
// recordLink returns the settings of a table that goes on from a moment of the record, which is compressed in them.
async function recordLink() {
  const packed = new Response(new Blob([$("record").value]).stream().pipeThrough(new CompressionStream("gzip")));
  const bytes = new Uint8Array(await packed.arrayBuffer());
  const record = btoa(Array.from(bytes, b => String.fromCharCode(b)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  return new URLSearchParams({ record, coach: "expert", ...($("format").value ? { format: $("format").value } : {}) });
}
$("branch").addEventListener("click", async () => {
  const link = await recordLink();
  for (const name of ["hand", "step"]) link.set(name, $(name).value);
  location = tableAddress + link;
});

// A hand: the members of a scoring case.
function scoringCase() {
  const words = text => text.split(/\s+/).filter(w => w);
  const c = { concealed: $("concealed").value, win_tile: $("win_tile").value.trim(), self_draw: $("self_draw").checked, seat: $("seat").value, round: $("round").value, flags: words($("flags").value) };
  const melds = $("melds").value.split(",").map(words).filter(m => m.length);
  if (melds.length) c.melds = melds.map(([type, tiles, from]) => ({ type, tiles, ...(from ? { from } : {}) }));
  if (!c.self_draw && $("from").value) c.from = $("from").value;
  const others = $("others").value.trim();
  return JSON.stringify(c).replace(/}$/, others ? "," + others.replace(/^{|}$/g, "") + "}" : "}");
}
$("score").addEventListener("submit", async e => {
  e.preventDefault();
  $("worth").replaceChildren();
  const text = await say("score", { ruleset: $("score-ruleset").value, language }, scoringCase());
  if (text === null) return;
  const { answer: a, names, win } = JSON.parse(text);
  const reasons = { "the tiles make no complete hand": sentences.no_hand, "only thirteen orphans may rob a closed kan": sentences.only_orphans };
  const reason = reasons[a.reason] ?? a.reason?.replace(/^the hand does not reach min_win = (\d+)$/, (_, n) => sentences.under_minimum.replace("{n}", n));
  const table = (head, rows) => element("table", element("thead", element("tr", ...head.map(c => element("th", c)))), element("tbody", ...rows.map(([name, n]) => element("tr", element("th", name), element("td", String(n))))));
  const parts = ["han", "fu", "faan", "tai", "points"].filter(k => k in a).map(k => sentences["worth_" + k].replace("{n}", a[k]));
  $("worth").append(element("p", element("b", (a.win ? sentences.wins : sentences.no_win.replace("{reason}", reason)).replaceAll(...win)), " ", parts.join(", ")));
  if (a.patterns) $("worth").append(table([sentences.pattern, sentences.price], a.patterns.map(([id, n]) => [names[id], n])));
  if (a.payments) $("worth").append(table([sentences.wind, sentences.payment], Object.entries(a.payments)));
});
