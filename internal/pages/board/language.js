// The language of the page: the one chosen before, or the first of the browser's that there is.
const languages = { en: "English", ja: "日本語", "zh-Hant": "繁體中文" };
// memory keeps the choice. A page in a frame may have none.
const memory = (() => { try { return localStorage; } catch { return null; } })();
const language = [memory?.getItem("language"), ...navigator.languages.map(l => l.startsWith("zh") ? "zh-Hant" : l.slice(0, 2)), "en"].find(l => Object.hasOwn(languages, l));
document.documentElement.lang = language;
// offerLanguages fills the menu of languages.
function offerLanguages(menu, label) {
  menu.setAttribute("aria-label", label);
  for (const [code, name] of Object.entries(languages)) {
    const option = new Option(name, code, code === language, code === language);
    option.lang = code;
    menu.append(option);
  }
  menu.addEventListener("change", e => { memory?.setItem("language", e.target.value); location.reload(); });
}
