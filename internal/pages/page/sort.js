// A click on the head of a column sorts its table.
for (const button of document.querySelectorAll("thead button")) button.addEventListener("click", () => {
  const head = button.parentElement, rows = [...head.closest("table").tBodies[0].rows], column = head.cellIndex;
  const down = head.getAttribute("aria-sort") !== "descending";
  const words = row => row.cells[column].innerText;
  const number = row => { const n = Number.parseFloat(words(row).replace("\u2212", "-")); return Number.isNaN(n) ? -Infinity : n; };
  rows.sort((a, b) => column === 0 ? words(a).localeCompare(words(b)) : number(a) - number(b));
  if (down) rows.reverse();
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  head.closest("table").tBodies[0].append(...rows);
});
