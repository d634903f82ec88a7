// Draws the charts of a page by uPlot, again when its width or scheme changes. The legend has the
// values below the pointer or the finger.
const charts = new Map([...document.querySelectorAll(".chart")].map(box => [box, { data: JSON.parse(box.firstElementChild.textContent) }]));
function drawLines(box, it) {
  const { x, y, lines, bounds } = it.data, style = getComputedStyle(document.documentElement);
  const color = name => style.getPropertyValue(name).trim(), dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const pen = document.createElement("canvas").getContext("2d");
  const palette = ["#0072b2", "#b37400", "#00805d", "#a8517f", "#b34700", "#3583ad", "#707070"].map(c => {
    pen.fillStyle = dark ? `color-mix(in srgb, ${c} 60%, white)` : c;
    return pen.fillStyle;
  });
  const number = v => v === null || v === undefined ? "" : v.toLocaleString("en", { maximumFractionDigits: Math.abs(v) < 10 ? 2 : 0, useGrouping: false }).replace("-", "\u2212");
  const axis = { stroke: color("--ink"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line"), width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 18 };
  const series = [{ label: x }], bands = [], edge = { stroke: "transparent", points: { show: false }, class: "edge" };
  const tables = lines.map((l, i) => {
    const at = series.length, ink = palette[i % palette.length];
    series.push({ label: l.name, stroke: ink, width: 2, dash: i < palette.length ? [] : [6, 3], value: (_, v) => number(v), spanGaps: true });
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
  it.chart?.destroy();
  it.chart = new uPlot({
    width: Math.max(box.clientWidth, 240), height: 300, scales: { x: { time: false } }, series, bands, legend: { live: true },
    axes: [{ ...axis, label: x, size: 34 }, { ...axis, label: y, size: 56, values: (_, list) => list.map(number) }],
  }, data, box);
  for (const row of box.querySelectorAll(".u-legend .edge")) row.remove();
}
const drawAll = () => charts.forEach((it, box) => drawLines(box, it));
addEventListener("resize", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
drawAll();
