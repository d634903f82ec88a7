// The coach: comments on the open question, which come from the person's own view.
let advice = null, advised = null; // advised is what the page shows
const percent = x => x < .0005 ? "0" : (100 * x).toFixed(x < .0995 ? 1 : 0);
const amount = x => whole(x < 10 ? Math.round(x * 10) / 10 : Math.round(x));

// drawOption shows what an answer leads to.
function drawOption(o) {
  const discard = o.tile !== NONE, [label, tiles] = discard ? ["", [o.tile]] : labelOf(o.action);
  const left = o.useful.reduce((n, [, k]) => n + k, 0);
  const facts = [shantenOf(o.shanten)];
  if (o.useful.length) facts.push(say(o.shanten === 0 ? "coach_waits" : "coach_useful", { n: left }));
  if (o.furiten) facts.push(sentences.coach_furiten);
  if (o.loss !== null && o.action !== advice.best) facts.push(say("coach_loss", { n: amount(o.loss) }));
  if (o.deal_in !== null) facts.push(say("coach_deal_in", { n: percent(o.deal_in) }));
  return h("li", o.action === advice.best ? { class: "best" } : {},
    h("div", { class: "row option" }, label ? h("b", {}, sentences[label]) : null, tiles.map(f => drawTile(f)), h("span", {}, facts.join(sentences.comma))),
    h("div", { class: "row wrap useful" }, o.useful.map(([k, n]) => h("span", { class: "row" }, drawTile(k), h("small", {}, `\u00d7${n}`)))),
    (o.reasons || []).map(r => h("small", {}, say(r.key, r.key === "coach_honor" ? { ...r, n: r.g } : r))));
}

// answerName returns an answer in words.
const answerName = (a, f) => f === NONE ? sentences[labelOf(a)[0]] : within(a, ids.ready, 38) ? say("label_ready", { f, ready: readyName(1) }) : say("label_discard", { f });

function drawCoach() {
  const box = $("coach");
  box.hidden = !data.coach;
  const shown = advice !== null && question !== null && advice.question === question.question ? advice : null;
  if (shown !== null && shown === advised) return;
  advised = shown;
  if (shown === null) {
    box.lastElementChild.replaceChildren(h("p", {}, sentences.coach_later));
    return;
  }
  const best = advice.options.find(o => o.action === advice.best), rivals = advice.rivals;
  box.lastElementChild.replaceChildren(
    h("p", {}, h("b", {}, say("coach_best", { a: answerName(advice.best, best ? best.tile : NONE) })), " ",
      advice.lead === null ? "" : say("coach_lead", { n: amount(advice.lead) })),
    h("p", {}, rivals.length === 0 ? sentences.coach_calm : rivals.map(r => r.declared ? say("coach_declared", { p: r.player, ready: readyName(1) }) : say("coach_rival", { p: r.player, n: percent(r.ready) })).join(" ")),
    h("ol", {}, advice.options.map(drawOption)));
}

// drawCoachSoon draws the comments when the board is on the screen: they take longer to draw.
let coachDue = false;
function drawCoachSoon() {
  if (coachDue) return;
  coachDue = true;
  requestAnimationFrame(() => setTimeout(() => { coachDue = false; drawCoach(); }));
}
