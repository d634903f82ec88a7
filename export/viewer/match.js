// starts holds the state before each hand; stops are the positions, in events,
// at which the page stands still: after what is seen, and before decisions.
const starts = [], stops = [];
{
  const seen = new Set([T.draw, T.flower, T.flowerChoice, T.kita, T.discard, T.chi, T.pon, T.openKan, T.closedKan, T.addedKan, T.exhausted, T.abort, T.handEnd, T.forfeit, T.matchEnd]);
  const at = new Set(data.decisions.map(d => d.at));
  let s = newMatch();
  data.events.forEach((e, i) => {
    if (data.hands.includes(i)) starts.push(copyMatch(s));
    s = apply(s, e);
    const next = data.events[i + 1];
    const group = e[0] === T.forfeit && next && next[0] === T.pay;
    if (seen.has(e[0]) && !group || e[0] === T.value && next[0] !== T.win || e[0] === T.deal && next[0] !== T.deal) at.add(i + 1);
  });
  stops.push(...[...at].filter(n => n > 0).sort((a, b) => a - b));
}
const firstOf = hand => stops.findIndex(n => n > data.hands[hand]);
// stopAfter is the first stop at which the first n events have happened.
const stopAfter = n => { const i = stops.findIndex(at => at >= n); return i < 0 ? stops.length - 1 : i; };
const handOf = n => data.hands.findLastIndex(first => first < n);
function stateAt(n) {
  const hand = handOf(n);
  let s = copyMatch(starts[hand]);
  for (let i = data.hands[hand]; i < n; i++) s = apply(s, data.events[i]);
  return s;
}
