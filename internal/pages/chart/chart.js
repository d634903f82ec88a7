// The one maker of charts in pages: lines by uPlot. The legend has the values below the pointer or the
// finger. A chart is drawn again when the width or the scheme of its page changes.
const charts = new Map();
// lineChart draws in a box what describe returns, and returns the chart of uPlot:
//
//   x, y: the names of the axes; y may be missing
//   lines: name, x, y, and where there is a band low and high; color is a variable of the style;
//     with points set they are points without a line
//   bounds: values with a dashed line
//   height: in pixels; number: a value as text; step: the name of x in the legend
//   xAxis, yAxis: options of uPlot for an axis
//   mark: returns a place with a line from top to bottom; pick: is called with the place of a click
function lineChart(box, describe) {
  charts.get(box)?.chart.destroy();
  const chart = drawLines(box, describe());
  charts.set(box, { describe, chart });
  return chart;
}
function drawLines(box, { x, y, lines, bounds, height = 300, number = roundedNumber, step = x, xAxis, yAxis, mark, pick }) {
  const style = getComputedStyle(document.documentElement), dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const color = name => style.getPropertyValue(name).trim();
  const pen = document.createElement("canvas").getContext("2d");
  const palette = ["#0072b2", "#b37400", "#00805d", "#a8517f", "#b34700", "#3583ad", "#707070"].map(c => {
    pen.fillStyle = dark ? `color-mix(in srgb, ${c} 60%, white)` : c;
    return pen.fillStyle;
  });
  const axis = { stroke: color("--ink"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 18 };
  // The legend has the last values unless a place is pointed at.
  const isNumber = y => y !== null && y !== undefined;
  const value = (u, v, i, at) => { const y = isNumber(at) ? v : u.data[i].findLast(isNumber); return isNumber(y) ? number(y) : "\u2013"; };
  const series = [{ label: step, value }], bands = [], edge = { stroke: "transparent", points: { show: false }, class: "edge" };
  const tables = lines.map((l, i) => {
    const at = series.length, ink = l.color ? color(l.color) : palette[i % palette.length];
    series.push({ label: l.name, stroke: ink, width: 2, dash: l.dash ?? (i < palette.length ? [] : [6, 3]), value, spanGaps: true, ...(l.points ? { paths: () => null, points: { show: true, size: 9, fill: ink } } : l.dash ? { points: { show: false } } : {}) });
    if (!l.low?.length || lines.length > 6) return [l.x, l.y];
    series.push({ ...edge, label: l.name + ", high", spanGaps: true }, { ...edge, label: l.name + ", low", spanGaps: true });
    bands.push({ series: [at + 1, at + 2], fill: `color-mix(in srgb, ${ink} 15%, transparent)` });
    return [l.x, l.y, l.high, l.low];
  });
  const data = uPlot.join(tables);
  for (const b of bounds ?? []) {
    series.push({ ...edge, label: "bound", stroke: color("--rule"), width: 2, dash: [6, 4] });
    data.push(data[0].map(() => b));
  }
  // Bands count from the middle of their line on: at its start, after few matches, one may dwarf all lines.
  const late = list => lines.length > 6 ? [] : list?.slice(list.length >> 1) ?? [];
  const heights = lines.flatMap(l => [...l.y, ...late(l.low), ...late(l.high)]).concat(bounds ?? []).filter(isNumber);
  const drawMark = u => {
    const at = u.valToPos(mark(), "x", true), { top, height } = u.bbox;
    u.ctx.save();
    u.ctx.setLineDash([]);
    u.ctx.strokeStyle = color("--mark");
    u.ctx.lineWidth = 2;
    u.ctx.beginPath();
    u.ctx.moveTo(at, top);
    u.ctx.lineTo(at, top + height);
    u.ctx.stroke();
    u.ctx.restore();
  };
  const chart = new uPlot({
    width: Math.max(box.clientWidth, 240), height, scales: { x: { time: false }, y: { range: () => uPlot.rangeNum(Math.min(...heights), Math.max(...heights), 0.1, true) } }, series, bands, legend: { live: true }, hooks: mark ? { draw: [drawMark] } : {},
    axes: [{ ...axis, label: x, size: 34, ...xAxis }, { ...axis, label: y, size: 56, values: (_, list) => list.map(number), ...yAxis }],
  }, data, box);
  for (const row of box.querySelectorAll(".u-legend .edge")) row.remove();
  if (pick) chart.over.addEventListener("click", () => { if (chart.cursor.idx !== null && chart.cursor.idx !== undefined) pick(chart.cursor.idx); });
  return chart;
}
const roundedNumber = v => v.toLocaleString("en", { maximumFractionDigits: Math.abs(v) < 10 ? 2 : 0, useGrouping: false }).replace("-", "\u2212");
const redrawCharts = () => charts.forEach(({ describe }, box) => box.isConnected ? lineChart(box, describe) : charts.delete(box));
addEventListener("resize", redrawCharts);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
