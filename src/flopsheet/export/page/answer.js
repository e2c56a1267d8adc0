/* The answer of a question in words: which option is first, and what it has; live, as the terminal says it. */

/* The options of a question that have a place, the best first: of the case that is shown, and from Base of named scenarios. */
function optionsOf(best) {
  const scenarios = state.case === "base" ? CASES.filter((name) => !ENDS.includes(name)) : [];
  const found = [state.case, ...scenarios].flatMap((name) => {
    const { columns, length } = runs[name].tables[best.table];
    return Array.from({ length }, (_, row) => ({ in: name, row, place: columns[best.line][row], order: columns[best.order || best.line][row] }));
  });
  return found.filter((one) => one.place > 0).sort((a, b) => a.order - b.order);
}

/* The sentences that answer a question, largest risks apart; they are of the plan as delivered. */
function sentences(best) {
  const viable = optionsOf(best);
  if (!viable.length) return [`${best.none}.${nearest(best)}`];
  const first = viable[0].in, said = (parts) => parts.map((part) => partOf(best, part, viable));
  const scenario = ENDS.includes(first) ? "" : `${TITLE.get(first)}: `;
  const turns = said(best.turns).filter((text) => text);
  return [scenario + said(best.said).join(""), ...(turns.length ? [`No longer viable ${either(turns)}.`] : [])];
}

function nearest(best) {
  if (!best.near) return "";
  const { columns, length } = runs[state.case].tables[best.table];
  const row = Array.from({ length }, (_, at) => at).find((at) => columns[best.near][at] === 1);
  return row === undefined ? "" : best.nearest.map((part) => partOf(best, part, [{ in: state.case, row }])).join("");
}

const either = (texts) => (texts.length > 1 ? `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}` : texts[0]);

/* A part of a sentence, "" where something that it names is 0 or not there. */
function partOf(best, part, viable) {
  const said = part.map((one) => (typeof one === "string" ? one : wordOf(best, one, viable)));
  return said.includes(null) ? "" : said.join("");
}

function wordOf(best, { name, plain, place, words }, viable) {
  const option = viable[place - 1];
  if (!option) return null;
  const table = runs[option.in].tables[best.table];
  if (name === "accelerator") return SEEN.accelerators[option.in];
  if (name === "model") return (option.in === viable[0].in ? "" : `${TITLE.get(option.in)}, `) + D.models[table.keys[option.row][0]].name;
  const input = INPUTS.get(name), value = input ? runs[option.in].inputs[name] : table.columns[name][option.row];
  if (words.length) return words[value - (input.labels.length ? 1 : 0)];
  if (!input && best.elsewhere.includes(name) && !ENDS.includes(viable[0].in)) return null;
  if (value !== value || !value) return null;
  const unit = input ? input.unit : SEEN.tables[best.table].lines[name].unit, text = shown(value, unit);
  return plain && text.endsWith(` ${unit}`) ? text.slice(0, -unit.length - 1) : text;
}
