// What the page must know before the first message: its key, its language and the game.
const fault = document.getElementById("error");
const showFault = text => { fault.hidden = text === ""; fault.textContent = text; };
addEventListener("error", e => showFault(e.message));
addEventListener("unhandledrejection", e => showFault(String(e.reason)));

const key = location.hash.slice(1);
// request sends a request with the key of the page.
const request = (path, options = {}) => fetch(path, { ...options, headers: { ...options.headers, Authorization: "Bearer " + key } });

const languages = { en: "English", ja: "日本語", "zh-Hant": "繁體中文" };
const preferred = navigator.languages.map(l => l.startsWith("zh") ? "zh-Hant" : l.slice(0, 2)).find(l => l in languages);
const kept = localStorage.getItem("language");
const language = kept in languages ? kept : preferred || "en";
document.documentElement.lang = language;
const sentences = await (await fetch(language + ".json")).json();

const answered = await request("game.json");
if (!answered.ok) {
  showFault(await answered.text());
  return;
}
const data = { ...await answered.json(), agents: [] };
const me = data.player, ids = data.ids;
// table is the state of the match, null before the first event.
let table = null;
const playerName = p => say("player", { wind: seatWind(table, p), name: p === me ? sentences.you : data.agents[p] });
const seatName = p => p === me ? sentences.you : data.agents[p], headName = seatName;
