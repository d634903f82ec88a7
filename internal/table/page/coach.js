// The coach: comments on the open question, which come from the person's own view.
let advice = null, advised = null; // advised is what the page shows
// judged is the last advice on a question that the person has answered, with the answer.
let judged = null;
const percent = x => x < .0005 ? "0" : (100 * x).toFixed(x < .0995 ? 1 : 0);
const amount = x => whole(x < 10 ? Math.round(x * 10) / 10 : Math.round(x));

// drawOption shows what an answer leads to. best is the coach's own, facts are those of the question.
function drawOption(o, { best, facts }) {
  const discard = o.tile !== NONE, [label, tiles] = discard ? ["", [o.tile]] : labelOf(o.action);
  const left = o.useful.reduce((n, [, k]) => n + k, 0);
  // A hand that waits is called ready only if a wait wins.
  const waits = o.shanten === 0 && facts ? discard ? facts.discards?.find(d => d.action === o.action)?.waits : facts.hand?.waits : undefined;
  const text = [waits && !anyWins(waits) ? sentences.shape_only : shantenOf(o.shanten)];
  if (o.useful.length) text.push(say(o.shanten === 0 ? "coach_waits" : "coach_useful", { n: left }));
  if (waits) text.push(...new Set(waits.map(w => winsOf(w, me))));
  if (o.loss !== null && o.action !== best) text.push(say("coach_loss", { n: amount(o.loss) }));
  if (o.deal_in !== null) text.push(say("coach_deal_in", { n: percent(o.deal_in) }));
  return h("li", o.action === best ? { class: "best" } : {},
    h("div", { class: "row option" }, label ? h("b", {}, sentences[label]) : null, tiles.map(f => drawTile(f)), h("span", {}, text.join(sentences.comma))),
    h("div", { class: "row wrap useful" }, o.useful.map(([k, n]) => h("span", { class: "row" }, drawTile(k), h("small", {}, `\u00d7${n}`)))),
    (o.reasons || []).map(r => h("small", {}, say(r.key, r.key === "coach_honor" ? { ...r, n: r.g } : r))));
}

// answerName returns an answer in words.
const answerName = (a, f) => f === NONE ? sentences[labelOf(a)[0]] : within(a, ids.ready, 38) ? say("label_ready", { f, ready: readyName(1) }) : say("label_discard", { f });

function drawCoach() {
  const box = $("coach");
  box.hidden = !data.coach;
  const open = advice !== null && question !== null && advice.question === question.question;
  const shown = switches.coach_after ? judged && judged.advice : open ? advice : null;
  if (shown !== null && shown === advised) return;
  advised = shown;
  if (shown === null) {
    box.lastElementChild.replaceChildren(h("p", {}, sentences.coach_later));
    return;
  }
  const { best, lead, rivals, options } = shown, nameOption = a => answerName(a, options.find(o => o.action === a)?.tile ?? NONE);
  const mine = shown === judged?.advice && options.find(o => o.action === judged.action);
  const list = h("ol", {}), rest = [...options];
  // One option in each frame, so that none takes long.
  const drawMore = () => {
    if (advised !== shown) return;
    list.append(...rest.splice(0, 1).map(o => drawOption(o, shown)));
    if (rest.length) requestAnimationFrame(drawMore);
  };
  drawMore();
  box.lastElementChild.replaceChildren(
    mine ? h("p", {}, say("coach_yours", { a: nameOption(mine.action) }), " ", mine.loss !== null && mine.action !== best ? say("coach_loss", { n: amount(mine.loss) }) : "") : "",
    h("p", {}, h("b", {}, say("coach_best", { a: nameOption(best) })), " ",
      lead === null ? "" : say("coach_lead", { n: amount(lead) })),
    h("p", {}, rivals.length === 0 ? sentences.coach_calm : rivals.map(r => r.declared ? say("coach_declared", { p: r.player, ready: readyName(1) }) : say("coach_rival", { p: r.player, n: percent(r.ready) })).join(" ")),
    list);
}

// drawSoon draws once what takes longer, when the board is on the screen.
const due = new Set();
function drawSoon(draw) {
  if (due.has(draw)) return;
  due.add(draw);
  requestAnimationFrame(() => setTimeout(() => { due.delete(draw); draw(); }));
}
