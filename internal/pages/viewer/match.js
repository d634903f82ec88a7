// The items of payments belong to their events, as at the table.
for (const { at, items } of data.items) data.events[at].push(items);
// starts holds the state before each hand; stops are the positions, in events,
// at which the page stands still.
const starts = [], stops = data.stops;
{
  let s = newMatch();
  data.events.forEach((e, i) => {
    if (data.hands.includes(i)) starts.push(copyMatch(s));
    s = apply(s, e);
  });
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
