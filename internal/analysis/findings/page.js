// The links at the top choose the language, and the reader's choice stays.
let shown = language;
document.documentElement.lang = "en"; // what is in another language says so
const choices = [...document.querySelectorAll(".languages a")];
const choose = () => {
  const named = choices.find(a => a.hash === location.hash);
  if (named) memory?.setItem("language", shown = named.lang);
  for (const s of document.querySelectorAll("section.summary")) s.hidden = s.id !== shown;
  for (const e of document.querySelectorAll("[data-said]")) e.hidden = e.lang !== shown;
  for (const e of document.querySelectorAll("[data-named]")) {
    const name = ["aria-label", "title"].find(a => e.hasAttribute(a));
    e.usual ??= name ? e.getAttribute(name) : e.textContent;
    const named = JSON.parse(e.dataset.named)[shown] ?? e.usual;
    if (name) e.setAttribute(name, named);
    else e.textContent = named;
  }
  document.title = document.querySelector("h1").innerText;
  for (const a of choices) a.toggleAttribute("aria-current", a.lang === shown);
  // What a link leads to is unfolded.
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let d = target?.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
};
addEventListener("hashchange", choose);
choose();
