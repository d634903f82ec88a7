const $ = id => document.getElementById(id);
const showFault = text => { $("error").hidden = text === ""; $("error").textContent = text; };
addEventListener("error", e => showFault(e.message));
addEventListener("unhandledrejection", e => showFault(String(e.reason)));

const json = async path => (await fetch(path)).json();
const [sentences, choices] = await Promise.all([json(`site-${language}.json`), json("choices.json")]);
for (const e of document.querySelectorAll("[data-say]")) e.textContent = sentences[e.dataset.say];
offerLanguages($("language"), sentences.language);

// A table: its link has all settings.
for (const r of choices.rulesets) $("ruleset").append(new Option(r.name, r.name, r.name === "ema_2016", r.name === "ema_2016"));
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
  location = "table.html#" + link;
});
