const show = message => {
  const p = document.getElementById("error");
  p.hidden = false;
  p.textContent = "The page has a fault: " + message;
};
window.addEventListener("error", e => show(e.message));

const data = JSON.parse(document.getElementById("data").textContent);
const sentences = data.sentences, playerName = p => `player ${p}`;
const headName = p => `player ${p} ${data.agents[p]}`, seatName = p => data.agents[p] || playerName(p);
