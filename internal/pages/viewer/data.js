const show = message => {
  const p = document.getElementById("error");
  p.hidden = false;
  p.textContent = "The page has a fault: " + message;
};
window.addEventListener("error", e => show(e.message));

const data = JSON.parse(document.getElementById("data").textContent);
const sentences = data.sentences[language], numbered = p => say("player", { n: p });
// playerName is the name in sentences, name that in lists, where the agent stands beside it.
const playerName = numbered, name = p => data.agents[p] ? say("named", { player: numbered(p), name: data.agents[p] }) : numbered(p);
const headName = name, seatName = p => data.agents[p] || numbered(p);
