// The table of a link. Its settings are the key of the page; a link without a seed gets one, so that
// loading the page again deals the same tiles.
{
  const settings = new URLSearchParams(location.hash.slice(1));
  if (!settings.has("seed")) settings.set("seed", crypto.getRandomValues(new Uint32Array(1))[0]);
  history.replaceState(null, "", "#" + settings);
  addEventListener("hashchange", () => location.reload());
}
{
  const network = fetch, requests = ["game.json", "events", "answer"];
  globalThis.fetch = (path, options) => requests.includes(path) ? ask(path, options) : network(path, options);
}
// The replay of a match and its review are pages that the program writes.
addEventListener("click", async e => {
  const link = e.target.closest("a[href^='/replay/'], a[href^='/review/']");
  if (link === null) return;
  e.preventDefault();
  const page = open("", "_blank"), words = await (await fetch(document.documentElement.lang + ".json")).json();
  for (;;) {
    const answer = await ask(link.getAttribute("href").slice(1).split("?")[0]), text = await answer.text();
    if (answer.status === 200) {
      page.location = addressOf(text);
      return;
    }
    page.document.title = words.review_title;
    page.document.body.textContent = answer.status === 202 ? words.review_wait.replace("{n}", text) : text;
    if (answer.status !== 202) return;
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
});
