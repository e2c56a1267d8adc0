/* The page: what has been changed, and everything that shows it. No number of the plan is computed here. */

for (const table of Object.values(SEEN.tables)) for (const name of Object.keys(table.lines)) table.lines[name] = SEEN.lines[table.lines[name]];

const INPUTS = new Map(SEEN.inputs.map((one) => [one.name, one]));
const CASES = D.cases.map((one) => one.name);
const ENDS = ["low", "base", "high"];
const TITLE = new Map(D.cases.map((one) => [one.name, one.title]));
const state = { changed: {}, case: D.shown };
const runs = runsOf(D.models);
const delivered = {};

/* The value of an input in each case, as delivered or as it was changed: one for all, or low, base and high. */
function valuesOf(changed) {
  const values = {};
  for (const one of D.cases) values[one.name] = { ...one.values };
  for (const [name, given] of Object.entries(changed)) {
    const own = typeof given === "object" ? given : { low: given, base: given, high: given };
    const swapped = INPUTS.get(name).better === "high";
    for (const one of CASES) {
      const end = ENDS.includes(one) ? (swapped ? { low: "high", base: "base", high: "low" }[one] : one) : "base";
      if (SEEN.stated[one]?.includes(name)) continue;
      values[one][name] = own[end];
      if (SEEN.ages[name] in values[one] && !(SEEN.ages[name] in changed)) values[one][SEEN.ages[name]] = 0;
    }
  }
  return values;
}

/* What is wrong with a value of an input, "" where nothing is. */
function wrong(one, value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return one.unit === "date" ? "a date such as 2027-01-31 is expected" : "a number such as 0.4 or 15e12 is expected, or low, base, high";
  if (one.labels.length) return one.labels[value - 1] ? "" : `one of ${one.labels.join(", ")} is expected`;
  if (one.whole && !Number.isInteger(value)) return "a whole number is expected";
  if (one.above !== null && value <= one.above) return `a number above ${digits(one.above)} is expected`;
  if (one.least !== null && value < one.least) return `at least ${digits(one.least)} is expected`;
  if (one.most !== null && value > one.most) return `at most ${digits(one.most)} is expected`;
  return "";
}

function refused(name, given) {
  const one = INPUTS.get(name);
  if (!one) return `${name}: there is no such input`;
  const found = SEEN.settled.find(({ instead }) => instead.includes(name));
  if (found) return `${name}: ${Object.values(found.taken)[0]} was found by a search, which a portfolio that states ${name} does without; state it there`;
  const values = typeof given === "object" && given !== null ? ENDS.map((end) => given[end]) : [given];
  const why = values.map((value) => wrong(one, value)).find((text) => text);
  if (why) return `${name}: ${why}`;
  return values.length === 3 && !(values[0] <= values[1] && values[1] <= values[2]) ? `${name}: low, base and high in rising order are expected` : "";
}

/* Changes inputs, or takes changes back where a value is null; an Error names what cannot be. */
function set(changes) {
  for (const [name, given] of Object.entries(changes)) {
    if (name === "case") {
      if (!CASES.includes(given)) throw new Error(`case: ${given} is none of ${CASES.join(", ")}`);
    } else if (given !== null) {
      const why = refused(name, given);
      if (why) throw new Error(why);
    }
  }
  for (const [name, given] of Object.entries(changes)) {
    if (name === "case") state.case = given;
    else if (given === null) delete state.changed[name];
    else state.changed[name] = given;
  }
  compute(runs, valuesOf(state.changed));
  show();
}

const orNull = (value) => (value === value ? value : null);

const told = (table, line, value) => called(orNull(value), SEEN.tables[table].lines[line].unit);

/* What `flopsheet plan --format json` has of the same plan. */
function results() {
  const answers = {};
  for (const one of D.figures) {
    const numbers = Object.fromEntries(CASES.map((name) => [name, orNull(figure(runs[name], one))]));
    (answers[one.question] = answers[one.question] || {})[one.name] = { ...numbers, unit: one.unit };
  }
  return { name: D.name, case: state.case, answers, models: models(), tables: tables(), checks: D.verdicts.map(verdict) };
}

function models() {
  return SEEN.models.map(({ name, status, problems }, at) => {
    const place = SEEN.costed.indexOf(at), cases = {};
    for (const one of place < 0 || !D.tables.models ? [] : CASES) {
      const columns = runs[one].tables.models.columns;
      cases[one] = Object.fromEntries(Object.entries(columns).map(([line, column]) => [line, told("models", line, column[place])]));
    }
    return { name, status, problems, ...cases };
  });
}

function tables() {
  const found = {};
  for (const name of Object.keys(D.tables)) if (name !== "models") found[name] = rowsOf(name);
  return found;
}

/* The rows of a table in the case that is shown: keys as people read them, and lines. */
function rowsOf(name) {
  const table = runs[state.case].tables[name];
  return table.keys.map((keys, at) => ({
    ...Object.fromEntries(keys.map((key, place) => [table.names[place], labelOf(name, place, key)])),
    ...Object.fromEntries(SEEN_LINES[name].map((line) => [line, told(name, line, table.columns[line][at])])),
  }));
}

const SEEN_LINES = Object.fromEntries(Object.entries(SEEN.tables).map(([name, one]) => [name, Object.keys(one.lines)]));

function labelOf(name, place, key) {
  const one = SEEN.tables[name].keys[place];
  if (one.models) return D.models[key].name;
  return one.labels.length ? one.labels[D.tables[name][place].keys.indexOf(key)] ?? key : key;
}

/* A check: whether it holds in every row of every case. */
function verdict(one) {
  const failing = CASES.filter((name) => [...runs[name].checks[`check ${one.name}`]].some((value) => value === 0 || value !== value));
  const lost = failing.some((name) => [...runs[name].checks[`check ${one.name}`]].some((value) => value !== value));
  const missing = lost && Object.values(runs[state.case].inputs).some((value) => value === null);
  const check = missing ? "unknown" : !failing.length ? "pass" : one.warning ? "warning" : "fail";
  return { name: one.name, state: check, message: failing.length ? one.message : "", cases: missing ? [] : failing };
}

/* ---- what is shown ---- */

const at = (id) => document.getElementById(id);

function made(name, { text, children = [], ...attributes } = {}) {
  const found = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) found.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) found.setAttribute(key, value);
  }
  if (text !== undefined) found.textContent = text;
  found.append(...children);
  return found;
}

/* A number that says on a click how it was computed. */
function asked(text, table, line, row) {
  return made("button", { type: "button", text, "aria-haspopup": "dialog", onclick: () => explain(table, line, row) });
}

/* Shows everything anew; a button with the focus that is made anew has it again. */
function show() {
  const part = document.activeElement.closest("#cases, #designs"), place = part ? [...part.querySelectorAll("button")].indexOf(document.activeElement) : -1;
  showCases();
  showAnswer();
  showDesigns();
  showFigures();
  showChecks();
  showQuestions();
  showChanges();
  for (const refresh of fields) refresh();
  part?.querySelectorAll("button")[place]?.focus();
  if (/^(file|https?):$/.test(location.protocol)) history.replaceState(null, "", shared());
}

/* What is wider than the screen scrolls by itself, with the keyboard too. */
function scrolling(label, ...children) {
  return made("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label, children });
}

function showCases() {
  at("cases").replaceChildren(
    ...CASES.map((name) => made("button", { type: "button", text: TITLE.get(name), "data-case": name, "aria-pressed": String(name === state.case), onclick: () => set({ case: name }) }))
  );
}

/* The figures of the question that leads, in words: what they are in the case that is shown, and their range. */
function showAnswer() {
  const lead = SEEN.questions.find((one) => D.figures.some((figure) => figure.question === one.name));
  const said = D.figures.filter((one) => one.question === lead?.name).slice(0, 3).map((one) => {
    const numbers = CASES.slice(0, 3).map((name) => figure(runs[name], one)), now = figure(runs[state.case], one);
    const told = numbers.filter((number) => cell(number, one.unit) !== "none"), without = told.length < 3 ? "none or " : "";
    const ends = told.length ? [Math.min(...told), Math.max(...told)].map((number) => cell(number, one.unit)) : [];
    const range = numbers[0] === numbers[2] || !told.length ? "" : ` (${without}${[...new Set(ends)].join(" to ")})`;
    return `${one.title}: ${cell(now, one.unit)}${range}`;
  });
  const words = D.models.length ? SEEN.best.flatMap(sentences) : [];
  at("answer").replaceChildren(
    made("p", { text: lead ? lead.title : D.name, class: "soft" }),
    ...words.map((text) => made("p", { text, "data-sentence": "" })),
    made("p", { text: `${said.join(" · ")}.`, "data-answer": "" }),
    made("p", { text: verdictsSaid(), class: verdictsSaid().startsWith("FAIL") ? "fail" : "good" })
  );
}

function verdictsSaid() {
  const states = D.verdicts.map((one) => verdict(one).state), count = (state) => states.filter((one) => one === state).length;
  const [failed, warned, unmade] = ["fail", "warning", "unknown"].map(count);
  const many = (number, thing) => `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;
  return (failed ? `FAIL: ${failed} of ${many(states.length, "check")}` : "All checks pass") + (warned ? `; ${many(warned, "warning")}` : "") + (unmade ? `; ${unmade} not checked` : "");
}

/* Designs of a sweep: each row changes the inputs to its own. */
function showDesigns() {
  const { said, headers, rows, changes } = SEEN.designs ?? { rows: [] };
  if (!rows.length) return;
  const now = (at) => Object.entries(changes[at]).every(([name, value]) => near(runs[state.case].inputs[name], value));
  const head = made("tr", { children: ["", ...headers].map((text) => made("th", { text, scope: "col" })) });
  const body = rows.map((row, at) => {
    const choose = made("button", { type: "button", text: "Show", "data-design": at, "aria-pressed": String(now(at)), onclick: () => set(changes[at]) });
    return made("tr", { children: [made("td", { children: [choose] }), ...row.map((text) => made("td", { text }))] });
  });
  at("designs").replaceChildren(made("h2", { text: "Designs of the sweep" }), made("p", { text: said, class: "soft" }), scrolling("Designs", made("table", { children: [made("thead", { children: [head] }), made("tbody", { children: body })] })));
}

/* The table of figures, made anew where its columns change; else only its cells are. */
const figuresShown = { columns: "", refreshes: [] };

function showFigures() {
  const moved = Object.keys(state.changed).length > 0, columns = `${moved} ${state.case}`;
  if (figuresShown.columns !== columns) {
    figuresShown.columns = columns;
    figuresShown.refreshes = [];
    at("figures").replaceChildren(scrolling("Figures", figuresTable(moved)));
  }
  for (const refresh of figuresShown.refreshes) refresh();
}

function figuresTable(moved) {
  const titles = ["Figure", ...CASES.map((name) => TITLE.get(name)), ...(moved ? [`${TITLE.get(state.case)} as delivered`] : [])];
  const head = made("tr", { children: titles.map((text) => made("th", { text, scope: "col" })) });
  const groups = SEEN.questions.map((question) => {
    const own = D.figures.filter((one) => one.question === question.name);
    if (!own.length) return null;
    const title = made("tr", { children: [made("th", { text: question.title, scope: "rowgroup", colspan: titles.length, class: "group" })] });
    return made("tbody", { children: [title, ...own.map((one) => figureRow(one, moved))] });
  });
  return made("table", { children: [made("thead", { children: [head] }), ...groups.filter(Boolean)] });
}

function figureRow(one, moved) {
  const before = delivered[state.case][`${one.question}.${one.name}`];
  const cells = CASES.map((name) => {
    const button = asked("", one.table, one.line, 0), found = made("td", { "data-case": name, children: [button] });
    figuresShown.refreshes.push(() => {
      const now = figure(runs[name], one), differs = name === state.case && !near(now, before) && now === now;
      if (found.title !== String(now)) [found.title, button.textContent] = [String(now), cell(now, one.unit, one.title)];
      found.className = differs ? "changed" : "";
    });
    return found;
  });
  const told = moved ? [made("td", { class: "soft", text: cell(before, one.unit) })] : [];
  return made("tr", { "data-figure": `${one.question}.${one.name}`, children: [made("th", { text: one.title, scope: "row", title: one.about }), ...cells, ...told] });
}

function showChecks() {
  const found = D.verdicts.map((one) => ({ one, ...verdict(one) }));
  const words = { pass: "passes", warning: "Warning", fail: "FAIL", unknown: "Not checked" };
  const order = { fail: 0, warning: 1, unknown: 2, pass: 3 };
  found.sort((a, b) => order[a.state] - order[b.state]);
  const rows = found.map(({ one, state: check, message, cases }) =>
    made("tr", { children: [made("td", { text: words[check], class: check === "pass" ? "good" : check }), made("td", { class: "words", text: one.title }), made("td", { class: "words", text: message }), made("td", { class: "words", text: cases.map((name) => TITLE.get(name)).join(", ") })] })
  );
  at("checks").replaceChildren(scrolling("Checks", made("table", { children: [made("tbody", { children: [...off(), ...stale(), ...rows] })] })));
}

/* A row that says so where this page computes otherwise than the program did. */
function off() {
  if (Object.keys(state.changed).length) return [];
  const bad = D.figures.filter((one, place) => CASES.some((name) => {
    const told = SEEN.delivered[name][place], own = figure(runs[name], one);
    return told !== null && !(Math.abs(own - told) <= 1e-9 * Math.max(Math.abs(told), Math.abs(own)));
  }));
  const why = bad.length ? `${bad.map((one) => one.title).join(", ")}: computed otherwise than delivered` : "This page computes every figure as delivered";
  return [made("tr", { "data-check": "delivered", children: [made("td", { text: bad.length ? "FAIL" : "passes", class: bad.length ? "fail" : "good" }), made("td", { class: "words", text: why }), made("td"), made("td")] })];
}

function stale() {
  const why = outranked(), moved = SEEN.settled.length && Object.keys(state.changed).length;
  if (!why.length && !moved) return [];
  const remedy = "Run flopsheet plan with these inputs: it searches again, others too than are compared here";
  return [made("tr", { "data-check": "layouts", children: [made("td", { text: why.length ? "Warning" : "Note", class: why.length ? "warning" : "soft" }), made("td", { class: "words", text: "Layouts are those of the plan as delivered" }), made("td", { class: "words", text: [...why, remedy].join("; ") }), made("td")] })];
}

/* Says of each model for which another searched row ranks first now: what was taken stays as delivered. */
function outranked() {
  const run = runs[state.case];
  return SEEN.settled.flatMap(({ table, key, best, taken }) => {
    const found = run.tables[table], rank = found.columns[best], place = found.names.indexOf(key);
    return Object.entries(taken).flatMap(([model, label]) => {
      const own = found.keys.map((_, row) => row).filter((row) => found.keys[row][0] === Number(model) && rank[row] > 0);
      const first = own.sort((a, b) => rank[a] - rank[b])[0];
      const now = first === undefined ? "none" : labelOf(table, place, found.keys[first][place]);
      return now === label || rank[own.find((row) => labelOf(table, place, found.keys[row][place]) === label)] === rank[first] ? [] : [`${D.models[model].name}: ${now} ranks first now, the plan keeps ${label}`];
    });
  });
}

const opened = new Set(SEEN.questions.slice(0, 1).map((one) => one.name));

function showQuestions() {
  const parts = SEEN.questions.map((question) => {
    const found = made("details", { children: [made("summary", { text: question.title })] });
    const id = question.name;
    const fill = () => {
      while (found.childElementCount > 1) found.lastChild.remove();
      found.append(made("p", { class: "soft", text: question.about }), chartsOf(question), ...question.tables.map(tableOf), ...question.notes.map((text) => made("p", { class: "soft", text })));
    };
    found.open = opened.has(id);
    if (found.open) fill();
    found.addEventListener("toggle", () => {
      if (found.open === opened.has(id)) return;
      found.open ? opened.add(id) : opened.delete(id);
      if (found.open) fill();
    });
    return found;
  });
  at("questions").replaceChildren(...parts);
}

function tableOf(name) {
  const seen = SEEN.tables[name], table = runs[state.case].tables[name], cases = name === "cases";
  const lines = seen.shown.filter((line) => seen.lines[line]);
  if (!lines.length || !table.length) return made("span");
  const order = ranked(seen, table);
  const head = [...(cases ? ["Line"] : seen.keys.map((one) => one.title)), ...(cases ? [TITLE.get(state.case)] : lines.map((line) => titled(seen.lines[line])))];
  const body = cases
    ? lines.map((line) => made("tr", { children: [made("th", { scope: "row", text: seen.lines[line].title }), numberCell(name, line, 0)] }))
    : order.slice(0, 200).map((row) => made("tr", { "data-row": row, children: [...table.keys[row].map((key, place) => made("td", { text: keyText(name, place, key) })), ...lines.map((line) => numberCell(name, line, row))] }));
  const more = order.length > 200 ? [made("p", { class: "soft", text: `… and ${grouped(order.length - 200)} more rows` })] : [];
  return scrolling(seen.title, made("table", { class: head.length > 9 ? "wide" : null, children: [made("caption", { text: seen.title }), made("thead", { children: [made("tr", { children: head.map((text) => made("th", { text, scope: "col" })) })] }), made("tbody", { children: body })] }), ...more);
}

const titled = (line) => line.title;

function keyText(name, place, key) {
  const label = labelOf(name, place, key);
  if (typeof label === "string") return label;
  const unit = SEEN.tables[name].keys[place].unit;
  return FORMS[unit] ? shown(label, unit) : digits(label);
}

function ranked(seen, table) {
  const rows = table.keys.map((_, row) => row);
  if (!seen.rank) return rows;
  const rank = table.columns[seen.rank];
  const firsts = [...new Set(table.keys.map((keys) => keys[0]))];
  return rows.filter((row) => rank[row] !== 0).sort((a, b) => firsts.indexOf(table.keys[a][0]) - firsts.indexOf(table.keys[b][0]) || rank[a] - rank[b]);
}

function numberCell(name, line, row) {
  const value = runs[state.case].tables[name].columns[line][row], one = SEEN.tables[name].lines[line];
  return made("td", { "data-line": `${name}.${line}`, "data-row": row, title: String(value), children: [asked(cell(value, one.unit, one.title), name, line, row)] });
}

function chartsOf(question) {
  const found = question.charts.map((chart) => {
    const seen = SEEN.tables[chart.table], table = runs[state.case].tables[chart.table];
    const series = [...chart.series, ...chart.over].filter((line) => seen?.lines[line]);
    if (!seen || !table.length || !series.length || (table.length > MOST_BARS && !["line", "scatter"].includes(chart.kind))) return null;
    const last = table.names.length - 1;
    const place = Math.max(chart.category ? table.names.indexOf(chart.category) : last, 0);
    const rows = table.keys.map((keys) => ({ label: table.names.length ? String(keyText(chart.table, place, keys[place])) : "", number: typeof keys[place] === "number" ? keys[place] : NaN }));
    const given = series.map((line) => ({ title: seen.lines[line].title, unit: seen.lines[line].unit, numbers: Array.from(table.columns[line]) }));
    const across = chart.kind === "scatter" ? chart.across.filter((line) => seen.lines[line]).map((line) => Array.from(table.columns[line])) : null;
    return made("figure", { children: [made("figcaption", { children: [made("h3", { text: chart.title || seen.title })] }), drawn(chart, rows, given, across && across.length ? across : null)] });
  });
  return made("div", { class: "charts", children: found.filter(Boolean) });
}

/* How a number was computed: its formula in words, and what that read, each of which may be asked for again. */
function explain(table, line, row) {
  const seen = SEEN.tables[table].lines[line], run = runs[state.case], columns = run.tables[table];
  const step = D.steps.find((one) => one.table === table && one.lines.includes(line));
  const refs = step.reads.filter(([name]) => seen.reads.includes(name));
  const before = step.lines.slice(0, step.lines.indexOf(line)).filter((one) => seen.reads.includes(one));
  const entries = [
    ...before.map((one) => [SEEN.tables[table].lines[one].title, asked(shown(columns.columns[one][row], SEEN.tables[table].lines[one].unit), table, one, row)]),
    ...refs.map(([name, ref]) => readEntry(run, columns, table, name, ref, row)),
  ];
  const where = columns.keys[row]?.map((key, place) => keyText(table, place, key)).join(", ");
  at("explained").replaceChildren(
    made("h2", { text: seen.title, tabindex: -1 }),
    made("p", { class: "soft", text: [TITLE.get(state.case), where].filter(Boolean).join(" · ") }),
    made("p", { children: [made("b", { text: shown(columns.columns[line][row], seen.unit) }), ` ${String(columns.columns[line][row])}`] }),
    made("p", { children: [made("code", { text: seen.words })] }),
    made("table", { children: entries.map(([title, value]) => made("tr", { children: [made("td", { class: "words", text: title }), made("td", { children: [value] })] })) }),
    ...[seen.about, seen.source && `Source: ${seen.source}`].filter(Boolean).map((text) => made("p", { class: "soft", text }))
  );
  if (!at("dialog").open) at("dialog").showModal();
  at("explained").firstChild.focus();
}

function readEntry(run, columns, table, name, ref, row) {
  const value = run.read(ref, columns)[row], kind = ref[0];
  if (kind === "Linked") {
    const of = SEEN.tables[ref[1]], line = of.lines[ref[2]];
    const from = run.tables[ref[1]].length === 1 || ref[3] === "one" ? 0 : null;
    const text = shown(value, ref[3] === "first" ? "" : line.unit);
    return [SEEN.tables[table].links[name] || line.title, from === null || ref[5] ? text : asked(text, ref[1], ref[2], sameRow(run, ref, columns, row))];
  }
  const input = INPUTS.get(kind === "Flag" ? ref[1][1] : name);
  if (kind === "Earlier") return [SEEN.tables[table].lines[ref[1]].title, asked(shown(value, SEEN.tables[table].lines[ref[1]].unit), table, ref[1], row)];
  if (kind === "Total") return [name.replaceAll("_", " "), `${digits(value)}, counted from the config`];
  if (kind === "Flag" && input) return [`${input.title}: ${input.labels[ref[2] - 1]}`, value ? "yes" : "no"];
  return [input ? input.title : name.replaceAll("_", " "), `${shown(value, input ? input.unit : "")}${input?.source ? ` — ${input.source}` : ""}`];
}

/* The row of another table that agrees with a row in all keys. */
function sameRow(run, ref, columns, row) {
  const found = run.tables[ref[1]], rows = found.rowsBy(ref[4].map((pair) => pair[1]));
  return (rows.get(columns.groups(ref[4].map((pair) => pair[0]))[row]) || [0])[0];
}

/* ---- inputs ---- */

const fields = [];

function fieldOf(one) {
  const ranged = one.low !== null && one.high !== null && one.low < one.high && !one.labels.length;
  const id = `input-${one.name}`, alert = made("span", { role: "alert" });
  const now = () => runs[state.case].inputs[one.name];
  const change = (value) => {
    try {
      set({ [one.name]: value });
      alert.textContent = SEEN.stated[state.case]?.includes(one.name) ? `${TITLE.get(state.case)} states its own, and keeps it` : "";
    } catch (error) {
      alert.textContent = error.message;
    }
  };
  const box = one.labels.length
    ? made("select", { id, "data-input": one.name, onchange: (event) => change(Number(event.target.value)), children: one.labels.map((label, place) => made("option", { value: place + 1, text: label })) })
    : made("input", { id, type: "text", inputmode: "decimal", "data-input": one.name, autocomplete: "off", onchange: (event) => change(hasThousands(event.target.value) ? NaN : given(event.target.value, one)) });
  const slide = ranged ? made("input", { type: "range", min: one.low, max: one.high, step: one.whole ? 1 : "any", "aria-label": `${one.title}, from low to high`, oninput: (event) => change(Number(event.target.value)) }) : null;
  const said = made("span", { class: "soft" });
  const back = made("button", { type: "button", text: "as delivered", onclick: () => (set({ [one.name]: null }), box.focus()) });
  fields.push(() => {
    if (document.activeElement !== box || one.labels.length) [box.value, alert.textContent] = [(one.unit === "date" ? called(now(), one.unit) : now()) ?? "", ""];
    said.textContent = one.labels.length ? "" : shown(now(), one.unit);
    if (slide && document.activeElement !== slide) slide.value = now();
    slide?.setAttribute("aria-valuetext", said.textContent);
    back.hidden = !(one.name in state.changed);
  });
  return made("div", { class: "field", children: [made("label", { for: id, text: one.title, title: one.about }), box, ...(slide ? [slide] : []), said, " ", back, alert, made("details", { children: [made("summary", { class: "soft", text: "Source" }), made("p", { class: "soft", text: [one.source, one.date].filter(Boolean).join(", ") || "No source is given." }), made("p", { class: "soft", text: one.about }), made("p", { class: "soft", children: [made("code", { text: one.name })] })] })] });
}

function showControls() {
  const first = SEEN.movers.slice(0, 5).filter((name) => INPUTS.has(name));
  const sections = new Map();
  for (const one of SEEN.inputs) if (!first.includes(one.name)) sections.set(one.section || "general", [...(sections.get(one.section || "general") || []), one]);
  at("movers").replaceChildren(...first.map((name) => fieldOf(INPUTS.get(name))));
  at("inputs").replaceChildren(...[...sections].map(([section, every]) => {
    const found = made("details", { children: [made("summary", { text: `${section[0].toUpperCase()}${section.slice(1)} (${every.length})` })] });
    found.addEventListener("toggle", () => {
      if (found.open && found.childElementCount === 1) found.append(...every.map(fieldOf));
      for (const refresh of fields) refresh();
    });
    return found;
  }));
}

/* ---- what was changed, to share and to take back into a portfolio ---- */

function shared() {
  const parts = Object.entries(state.changed).map(([name, given]) => `${name}=${typeof given === "object" ? ENDS.map((end) => given[end]).join(",") : given}`);
  if (state.case !== D.shown) parts.push(`case=${encodeURIComponent(state.case)}`);
  return parts.length ? `#${parts.join("&")}` : location.href.split("#")[0];
}

/* What a text gives an input: a number for all cases, or low, base and high; a day of the calendar as its number. */
function given(text, one) {
  const day = one?.unit === "date" ? (Date.parse(`${text.trim()}T00:00Z`) - Date.UTC(1899, 11, 30)) / 864e5 : NaN;
  const numbers = text.split(",").map((part) => (part.trim() ? Number(part) : NaN));
  if (day === day) return day;
  return numbers.length === 1 ? numbers[0] : numbers.length === 3 ? Object.fromEntries(ENDS.map((end, place) => [end, numbers[place]])) : NaN;
}

const hasThousands = (text) => /^\s*\d{1,3}(,\d{3})+\s*$/.test(text);

/* The changes of a link; what it has of nothing is left out, and said. */
function taken(hash) {
  const changes = {};
  for (const part of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const [name, text] = [part.slice(0, part.indexOf("=")), decodeURIComponent(part.slice(part.indexOf("=") + 1))];
    changes[name] = name === "case" ? text : given(text, INPUTS.get(name));
  }
  return changes;
}

function toml() {
  const today = new Date().toISOString().slice(0, 10);
  const lines = Object.entries(state.changed).map(([name, given]) => {
    const one = INPUTS.get(name), said = (value) => (one.labels.length ? JSON.stringify(one.labels[value - 1]) : String(called(value, one.unit) || value));
    const ends = typeof given === "object" ? ENDS.map((end) => `${end} = ${said(given[end])}`) : [`base = ${said(given)}`];
    return `${name} = { ${ends.join(", ")}, source = "Changed on the page", date = ${today} }`;
  });
  if (SEEN.kept.inputs.some((name) => name in state.changed) && !(SEEN.kept.name in state.changed)) lines.push(`${SEEN.kept.name} = ${JSON.stringify(SEEN.kept.value)}`);
  return lines.length ? `[inputs]\n${lines.join("\n")}\n` : "# Nothing has been changed.\n";
}

function worded(one, given) {
  const values = typeof given === "object" ? ENDS.map((end) => given[end]) : [given];
  return values.map((value) => (one.labels.length ? one.labels[value - 1] : shown(value, one.unit))).join(", ");
}

function showChanges() {
  const told = Object.entries(state.changed).map(([name, given]) => `${INPUTS.get(name).title} ${worded(INPUTS.get(name), given)}`);
  at("changed").textContent = told.length ? `${told.length} input${told.length === 1 ? " differs" : "s differ"} from the plan as delivered: ${told.join("; ")}` : "As delivered";
  at("toml").value = toml();
}

function save() {
  const link = made("a", { href: URL.createObjectURL(new Blob([toml()], { type: "application/toml" })), download: "changes.toml" });
  link.click();
  URL.revokeObjectURL(link.href);
}

/* ---- start ---- */

let started = false;

/* Computes and shows everything once: after the first paint, or when somebody asks before. */
function start() {
  if (started) return;
  started = true;
  compute(runs, valuesOf({}));
  for (const name of CASES) delivered[name] = Object.fromEntries(D.figures.map((one) => [`${one.question}.${one.name}`, figure(runs[name], one)]));
  showControls();
  at("reset").addEventListener("click", () => set(undone()));
  at("print").addEventListener("click", () => window.print());
  at("save").addEventListener("click", save);
  at("close").addEventListener("click", () => at("dialog").close());
  window.addEventListener("hashchange", follow);
  follow();
}

/* What takes all changes back. */
const undone = () => ({ ...Object.fromEntries(Object.keys(state.changed).map((name) => [name, null])), case: D.shown });

/* Takes what the address says in place of what was changed. */
function follow() {
  try {
    set({ ...undone(), ...taken(location.hash) });
  } catch (error) {
    set(undone());
    at("changed").textContent = `The link's changes were left out: ${error.message}`;
  }
}

const whenStarted = (step) => (...given) => (start(), step(...given));
window.flopsheet = { state, set: whenStarted(set), results: whenStarted(results) };
requestAnimationFrame(() => setTimeout(start));
