/* Charts as SVG, by the grammar of sheet.toml: bars, stacked bars, lines and points of a table's lines. */

const WIDE = 560, HIGH = 260, LEFT = 84, BOTTOM = 46, TOP = 12, RIGHT = 12, MOST_BARS = 40;
const SVG = "http://www.w3.org/2000/svg";

function node(name, attributes = {}, text = "") {
  const found = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  if (text) found.textContent = text;
  return found;
}

/* A scale from the least to the most of some numbers to places along an axis; of bars it begins at 0. */
function scaled(numbers, from, to, { log = false, zero = false } = {}) {
  const known = numbers.filter((one) => Number.isFinite(one) && (!log || one > 0));
  let low = Math.min(...known), high = Math.max(...known);
  if (!known.length) [low, high] = log ? [1, 10] : [0, 1];
  if (zero) [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 1, high + 1];
  const on = log ? Math.log10 : (one) => one;
  const place = (one) => from + ((on(one) - on(low)) / (on(high) - on(low))) * (to - from);
  return { place, low, high, log };
}

function ticks({ low, high, log }) {
  if (log) return [...new Set([0, 1, 2, 3].map((at) => 10 ** (Math.log10(low) + ((Math.log10(high) - Math.log10(low)) * at) / 3)))];
  const step = 10 ** Math.floor(Math.log10((high - low) / 4));
  const wide = [1, 2, 5, 10].map((one) => one * step).find((one) => (high - low) / one <= 5);
  const found = [];
  for (let at = Math.ceil(low / wide) * wide; at <= high + wide / 1e6; at += wide) found.push(Math.abs(at) < wide / 1e6 ? 0 : at);
  return found;
}

/* Draws a chart of rows: `rows` have a label, `series` a title, a unit, and the numbers of each row. */
function drawn(chart, rows, series, across) {
  const found = node("svg", { viewBox: `0 0 ${WIDE} ${HIGH + 18 * series.length}`, role: "img", "aria-label": chart.title });
  const points = chart.kind === "line" || chart.kind === "scatter";
  const sums = rows.map((_, at) => series.reduce((sum, one) => sum + (one.numbers[at] || 0), 0));
  const log = chart.log > 1;
  const numbers = chart.kind === "stacked" ? sums : series.flatMap((one) => one.numbers);
  const up = scaled(numbers, HIGH - BOTTOM, TOP, { log: log && points, zero: !points });
  for (const tick of ticks(up)) {
    const at = up.place(tick);
    found.append(node("line", { x1: LEFT, x2: WIDE - RIGHT, y1: at, y2: at, class: "axis" }));
    found.append(node("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" }, tick === 0 ? "0" : shown(tick, series[0].unit)));
  }
  if (points) drawPoints(found, rows, series, across, up, log);
  else drawBars(found, chart, rows, series, up);
  series.forEach((one, at) => {
    found.append(node("rect", { x: LEFT, y: HIGH + 18 * at - 2, width: 10, height: 10, class: `s${at % 6}` }));
    found.append(node("text", { x: LEFT + 16, y: HIGH + 18 * at + 7 }, one.title));
  });
  return found;
}

function drawBars(found, chart, rows, series, up) {
  const width = (WIDE - LEFT - RIGHT) / rows.length, stacked = chart.kind !== "bar";
  rows.forEach((row, at) => {
    let base = 0;
    series.forEach((one, place) => {
      const value = one.numbers[at] || 0, from = stacked ? base : 0, to = from + value;
      const part = stacked ? width * 0.7 : (width * 0.8) / series.length;
      const x = LEFT + width * at + width * 0.1 + (stacked ? 0 : part * place);
      const [top, bottom] = [Math.min(up.place(from), up.place(to)), Math.max(up.place(from), up.place(to))];
      const bar = node("rect", { x, y: top, width: Math.max(part, 1), height: Math.max(bottom - top, 0), class: `s${place % 6}` });
      bar.append(node("title", {}, `${row.label}: ${one.title} ${shown(value, one.unit)}`));
      found.append(bar);
      base = to;
    });
    if (rows.length <= 12) found.append(node("text", { x: LEFT + width * (at + 0.5), y: HIGH - BOTTOM + 16, "text-anchor": "middle" }, cut(row.label, Math.floor(width / 6.2))));
  });
}

function drawPoints(found, rows, series, across, up, log) {
  const places = across || rows.map((row, at) => (Number.isFinite(row.number) ? row.number : at));
  const along = scaled(places.flat(), LEFT + 8, WIDE - RIGHT - 8, { log: log && places.flat().every((one) => one > 0) });
  for (const tick of ticks(along)) {
    found.append(node("text", { x: along.place(tick), y: HIGH - BOTTOM + 16, "text-anchor": "middle" }, brief(Number(tick.toPrecision(3)))));
  }
  series.forEach((one, place) => {
    const own = across ? across[place] || across[0] : places;
    const known = one.numbers.map((value, at) => [own[at], value]).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y) && (!up.log || y > 0));
    if (!across) {
      const line = known.map(([x, y], at) => `${at ? "L" : "M"}${along.place(x).toFixed(1)},${up.place(y).toFixed(1)}`).join("");
      if (line) found.append(node("path", { d: line, class: `s${place % 6}` }));
    }
    if (across || known.length <= 40) {
      for (const [x, y] of known) found.append(node("circle", { cx: along.place(x), cy: up.place(y), r: 3, class: `s${place % 6}` }));
    }
  });
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(most - 1, 1))}\u2026` : text);
