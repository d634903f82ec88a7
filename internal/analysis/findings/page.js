// The address chooses the language of the summary and the headings, otherwise the browser does.
const summaries = [...document.querySelectorAll("section.summary")];
const choose = () => {
  const named = summaries.find(s => "#" + s.id === location.hash);
  const preferred = navigator.languages.map(l => l.startsWith("zh") ? "zh-Hant" : l.slice(0, 2)).find(l => summaries.some(s => s.id === l));
  const shown = named?.id ?? summaries.find(s => !s.hidden && s.dataset.chosen)?.id ?? preferred ?? "en";
  for (const s of summaries) {
    s.hidden = s.id !== shown;
    s.dataset.chosen = "yes";
  }
  for (const e of document.querySelectorAll("[data-said]")) e.hidden = e.lang !== shown;
  for (const a of document.querySelectorAll(".languages a")) a.toggleAttribute("aria-current", a.lang === shown);
  // What a link leads to is unfolded.
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let d = target?.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
};
addEventListener("hashchange", choose);
choose();
