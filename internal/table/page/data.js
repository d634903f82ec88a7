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
const sentences = await server.load(language + ".json");

let game = await server.game(room === "" ? "" : query(room));
while (game === null) {
  if (room !== "") return goTo();
  showFault(sentences.no_tables);
  await pause(1000);
  game = await server.game("");
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
// nameOf returns how the page names an agent: a level of expert by its number.
const nameOf = agent => {
  const level = agent.match(/^expert:level=([1-5])$/);
  return level ? say("level", { n: level[1] }) : agent;
};
const playerName = p => say("player", { wind: seatWind(table, p), name: p === me ? sentences.you : data.agents[p] });
const seatName = p => p === me ? sentences.you : data.agents[p], headName = seatName;
