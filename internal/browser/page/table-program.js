// The table of a link. Its settings are the key of the page; a link without a seed gets one, so that
// the page that is loaded again, such as in another language, goes on with the same match. The tab
// keeps its actions.
{
  const settings = new URLSearchParams(location.hash.slice(1));
  if (!settings.has("seed")) settings.set("seed", crypto.getRandomValues(new Uint32Array(1))[0]);
  history.replaceState(null, "", "#" + settings);
  addEventListener("hashchange", () => location.reload());
}
{
  const tab = (() => { try { return sessionStorage; } catch { return null; } })(), place = "match of " + location.hash;
  const keep = async () => {
    const answer = await ask("progress"), text = await answer.text();
    if (answer.ok) tab?.setItem(place, text);
  };
  // A match that cannot go on is not kept.
  addEventListener("error", () => tab?.removeItem(place));
  const network = fetch, requests = {
    "game.json": async options => {
      const answer = await ask("game.json", { ...options, body: tab?.getItem(place) ?? "" });
      if (!answer.ok) tab?.removeItem(place);
      return answer;
    },
    "events": options => ask("events", options),
    "answer": options => { setTimeout(keep, 100); return ask("answer", options); },
  };
  globalThis.fetch = (path, options) => Object.hasOwn(requests, path) ? requests[path](options) : network(path, options);
  addEventListener("visibilitychange", keep);
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
      const match = JSON.parse(new DOMParser().parseFromString(text, "text/html").getElementById("data").textContent), settings = new URLSearchParams(location.hash.slice(1));
      settings.set("seed", match.seed);
      settings.set("actions", match.decisions.map(d => d.choice).join("."));
      page.location = addressOf(location.protocol === "file:" ? text : againAt(text, settings));
      return;
    }
    page.document.title = words.review_title;
    page.document.body.textContent = answer.status === 202 ? words.review_wait.replace("{n}", text) : text;
    if (answer.status !== 202) return;
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
});
