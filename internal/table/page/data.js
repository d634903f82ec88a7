// What the page must know before the first message: its key, its language and the game.
const fault = document.getElementById("error");
const showFault = text => { fault.hidden = text === ""; fault.textContent = text; };
addEventListener("error", e => showFault(e.message));
addEventListener("unhandledrejection", e => showFault(String(e.reason)));

// The address of a gallery's page may name the room and the table after the key, and that all tiles
// are shown.
const [key, room = "", place = "0", all = ""] = location.hash.slice(1).split("/");
const query = room => "?" + new URLSearchParams({ room, table: place, ...(all ? { all } : {}) });
// goTo opens the page at another place.
const goTo = (...parts) => { location.hash = [key, ...parts].join("/"); location.reload(); };
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
const sentences = await server.load(language + ".json", () => showFault(unreached[language]));
// A browser takes a while to read a picture that it shows first. So all but flowers are shown out of sight, a few in
// each frame, while the page waits for the game.
{
  const box = h("div", { id: "ahead", "aria-hidden": true });
  const names = ["-", ...["m9", "p9", "s9", "z7"].flatMap(([suit, most]) => Array.from({ length: most }, (_, i) => i + 1 + suit)), "0m", "0p", "0s"];
  const showMore = () => {
    box.replaceChildren(...names.splice(0, 3).map(name => h("i", { class: "tile " + tileClass([name], "") })));
    if (box.firstChild !== null) requestAnimationFrame(showMore);
    else box.remove();
  };
  document.body.append(box);
  requestAnimationFrame(showMore);
}

let game = await server.game(room === "" ? "" : query(room));
while (game === null || game === undefined) {
  if (game === null && room !== "") return goTo();
  showFault(game === null ? sentences.no_tables : sentences.unreached);
  await pause(1000);
  game = await server.game(room === "" ? "" : query(room));
}
showFault("");
if (typeof game === "string") {
  showFault(game);
  return;
}
const data = { ...game, agents: [] };
const me = data.player, ids = data.ids;
// table is the state of the match, null before the first event.
let table = null;
// nameOf returns how the page names an agent: a level of expert by its number, and a person without a name.
const nameOf = agent => {
  if (agent === "person") return sentences.person;
  const level = agent.match(/^expert:level=([1-5])$/);
  return level ? say("level", { n: level[1] }) : agent;
};
const playerName = p => say("player", { wind: seatWind(table, p), name: p === me ? sentences.you : data.agents[p] });
const seatName = p => p === me ? sentences.you : data.agents[p], headName = seatName;
