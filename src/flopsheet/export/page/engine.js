"use strict";
/* Computes a plan from its data D and functions F, as the cells of a workbook do: in float64; what has no number is NaN. */

const SNAP = 6e-15, NEAR = 2 ** -48, STEPS = 2048, LARGEST = 2 ** 53, MOST_ROWS = 10000, SAME_TO = 1e12;

const sound = (x) => (Number.isFinite(x) ? x : NaN);
const divide = (a, b) => sound(a / b);
const least = (...of) => Math.min(...of);
const most = (...of) => Math.max(...of);
const exp = (x) => sound(Math.exp(x));
const log = (x) => (x > 0 ? Math.log(x) : NaN);
const power = (base, exponent) => (base === 0 && exponent <= 0 ? NaN : sound(Math.pow(base, exponent)));
const isWhole = (x) => Math.abs(x) < LARGEST && Number.isInteger(x);

/* Numbers are the same as spreadsheets compare them: whole ones exactly, all others up to the last few bits. */
function near(a, b) {
  return a === b || (Math.abs(a - b) < NEAR * Math.min(Math.abs(a), Math.abs(b)) && !(isWhole(a) && isWhole(b)));
}
const same = (a, b) => (a !== a || b !== b ? NaN : near(a, b) ? 1 : 0);
const less = (a, b) => (a !== a || b !== b ? NaN : a < b && !near(a, b) ? 1 : 0);

/* Floats that round to whole numbers at 15 digits become whole, as spreadsheets make them before they round. */
function snap(x) {
  const whole = roundEven(x);
  if (x === whole || Math.abs(x - whole) > SNAP * Math.abs(x) || (x * STEPS) % 1 === 0) return x;
  const scale = 10 ** (14 - Math.floor(Math.log10(Math.abs(x))));
  return Math.floor(Math.abs(x) * scale + 0.5) === Math.abs(whole) * scale ? whole : x;
}
function roundEven(x) {
  const low = Math.floor(x), rest = x - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
}
const ceil = (x) => (x < 0 ? NaN : Math.ceil(snap(x)));
const floor = (x) => Math.floor(snap(x));
/* The last day of the month that is so many months after that of a day, as spreadsheets count days: 61 to 2958465. */
function monthEnd(day, months) {
  if (!(day >= 61 && day <= 2958465) || months !== months) return NaN;
  const of = new Date(Date.UTC(1899, 11, 30) + floor(day) * 864e5);
  const end = Date.UTC(of.getUTCFullYear(), of.getUTCMonth() + Math.trunc(snap(months)) + 1, 0);
  const found = Math.round((end - Date.UTC(1899, 11, 30)) / 864e5);
  return found >= 61 && found <= 2958465 ? found : NaN;
}
const roundUp = (value, multiple) =>
  value < 0 || multiple <= 0 ? NaN : Math.ceil(snap(value / multiple)) * multiple;

/* How some rows of a column make one number; `keys` are those of each row, for the first one that is not 0. */
function gathered(reduce, rows, column, keys) {
  let found = reduce === "min" ? Infinity : reduce === "max" ? -Infinity : 0;
  for (const at of rows) if (column[at] !== column[at]) return NaN;
  if (reduce === "first") {
    for (const at of rows) if (column[at] !== 0) return keys[at][keys[at].length - 1];
    return 0;
  }
  if (!rows.length) return 0;
  for (const at of rows) {
    const one = column[at];
    found = reduce === "min" ? Math.min(found, one) : reduce === "max" ? Math.max(found, one) : found + one;
  }
  return found;
}

/* What links read of the rows of their own table: the group of each row, the rows of each group, and the column. */
const WITHIN = {
  previous: (table, groups, column) => column.map((_, at) => (at && groups[at] === groups[at - 1] ? column[at - 1] : 0)),
  running(table, groups, column) {
    let total = 0;
    return column.map((one, at) => (total = at && groups[at] === groups[at - 1] ? total + one : one));
  },
  below(table, groups, column, names) {
    const rows = table.rowsBy(names);
    const sorted = new Map();
    for (const [group, places] of rows) sorted.set(group, Float64Array.from(places, (at) => column[at]).filter((one) => one === one).sort());
    return column.map((one, at) => (one !== one ? NaN : smaller(sorted.get(groups[at]), one - Math.abs(one) / SAME_TO)));
  },
};

/* How many of some numbers in rising order are smaller than a limit. */
function smaller(numbers, limit) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The rows of a table: the keys of each, what it brings, and its model; and its columns. */
class Table {
  constructor(names, rows, lost = false) {
    this.names = names;
    this.keys = rows.map((row) => row.key);
    this.brought = rows.map((row) => row.brought);
    this.models = rows.map((row) => row.model);
    this.lost = lost;
    this.columns = {};
    this.known = new Map();
    this.begins = this.groups(names.slice(0, -1)).map((group, at, all) => !at || group !== all[at - 1]);
  }

  get length() {
    return this.keys.length;
  }

  /* The group of each row: what it has of some keys. */
  groups(names) {
    return this.once(`groups ${names}`, () => {
      const places = names.map((name) => this.names.indexOf(name));
      return this.keys.map((row) => places.map((at) => row[at]).join("|"));
    });
  }

  /* The rows of each group. */
  rowsBy(names) {
    return this.once(`rows ${names}`, () => {
      const found = new Map();
      this.groups(names).forEach((group, at) => (found.has(group) ? found.get(group).push(at) : found.set(group, [at])));
      return found;
    });
  }

  once(name, make) {
    if (!this.known.has(name)) this.known.set(name, make());
    return this.known.get(name);
  }

  /* What rows state, as numbers, and the rows that state nothing. */
  stated(name, every) {
    return this.once(name, () => {
      const own = every();
      const missing = own.flatMap((one, at) => (one === undefined ? [at] : []));
      return { numbers: Float64Array.from(own, (one) => number(one, NaN)), missing };
    });
  }

  filled(value) {
    return new Float64Array(this.length).fill(value);
  }
}

/* One case: its inputs, and its tables. Rows stay from one edit to the next where the counts of rows do, and columns where
   nothing that they are computed from moved: `moved` are inputs, tables with new rows, and lines as "table line". */
class Run {
  constructor(models) {
    this.models = models;
    this.kept = new Map();
    this.checks = {};
  }

  begin(inputs) {
    this.moved = new Set(Object.keys(inputs).filter((name) => !this.inputs || !Object.is(this.inputs[name], inputs[name])));
    this.inputs = inputs;
    this.tables = {};
    for (const name of Object.keys(D.tables)) this.tables[name] = this.table(name);
  }

  /* Whether what a formula of a table reads is another number than before. */
  isMoved(ref, table) {
    if (ref === null) return false;
    const [kind, name, line, , , inCase, where] = ref;
    if (kind === "Given") return this.moved.has(name);
    if (kind === "Earlier") return this.moved.has(`${table} ${name}`);
    if (kind === "Flag") return this.isMoved(name, table);
    if (kind === "Own" || kind === "Brought") return this.isMoved(line, table);
    if (kind === "Key" || kind === "Total") return false;
    const { moved } = inCase ? this.cases[inCase] : this;
    return moved.has(`table ${name}`) || moved.has(`${name} ${line}`) || Boolean(where && moved.has(`${name} ${where[0]}`));
  }

  /* Whether a step has to be computed again. */
  isDue({ table, reads }) {
    return this.moved.has(`table ${table}`) || reads.some(([, ref]) => this.isMoved(ref, table));
  }

  /* Keeps the columns of a step, and which of them moved. */
  keep(formulas, columns, found) {
    formulas.lines.forEach((line, place) => {
      const before = found[line], now = columns[place];
      if (before && before.length === now.length && now.every((one, at) => Object.is(one, before[at]))) return;
      this.moved.add(`${formulas.table} ${line}`);
      found[line] = now;
    });
  }

  table(name) {
    const sources = D.tables[name];
    const counts = sources.map((one) => (one.kind === "counted" ? this.count(one.counted) : 0));
    const kept = this.kept.get(name);
    if (kept && kept.counts.every((one, at) => Object.is(one, counts[at]))) {
      return kept.table;
    }
    const names = sources.map((one) => one.key);
    const lost = counts.some((one) => !(one <= MOST_ROWS));
    const table = new Table(names, lost ? [] : this.rows(sources, counts), lost);
    this.kept.set(name, { counts, table });
    this.moved.add(`table ${name}`);
    return table;
  }

  rows(sources, counts) {
    let rows = [{ key: [], brought: {}, model: null }];
    sources.forEach((source, at) => (rows = rows.flatMap((row) => this.after(source, row, counts[at]))));
    return rows;
  }

  count(formulas) {
    const single = new Table([], [{ key: [], brought: {}, model: null }]);
    return F.counts[formulas.at](1, [true], ...formulas.reads.map(([, ref]) => this.read(ref, single)))[0][0];
  }

  after(source, row, count) {
    const under = (key, more = {}, model = row.model) => ({ key: [...row.key, key], brought: { ...row.brought, ...more }, model });
    if (source.kind === "models") return this.models.map((one) => under(one.place, {}, one));
    if (source.kind === "others") return this.models.filter((one) => one.place > row.model.place).map((one) => under(one.place));
    if (source.kind === "counted") return Array.from({ length: Math.max(0, Math.floor(count)) }, (_, at) => under(at + 1));
    const mine = source.only.length ? source.only[row.model.place] : source.keys;
    return mine.map((key) => {
      const at = source.keys.indexOf(key), more = {};
      for (const [name, numbers] of Object.entries(source.brings)) more[name] = numbers[at];
      return under(key, more);
    });
  }

  /* The number of a reference in each row of a table. */
  read(ref, table) {
    if (ref === null) return table.filled(NaN);
    const [kind, name] = ref;
    switch (kind) {
      case "Given":
        return table.filled(number(this.inputs[name], NaN));
      case "Key": {
        const at = table.names.indexOf(name);
        return table.once(`key ${name}`, () => Float64Array.from(table.keys, (row) => row[at]));
      }
      case "Earlier":
        return table.columns[name];
      case "Total":
        return table.once(`total ${name}`, () => Float64Array.from(table.models, (one) => number(one.totals[name], 0)));
      case "Own":
        return this.or(table.stated(`own ${name}`, () => table.models.map((one) => one.inputs[name])), ref[2], table);
      case "Brought":
        return this.or(table.stated(`brought ${name}`, () => table.brought.map((one) => one[name])), ref[2], table);
      case "Flag":
        return this.read(ref[1], table).map((one) => (one !== one ? NaN : one === ref[2] ? 1 : 0));
      default:
        return this.linked(ref, table);
    }
  }

  /* What rows state, and where they state nothing the number of another reference. */
  or({ numbers, missing }, otherwise, table) {
    if (!missing.length) return numbers;
    const others = this.read(otherwise, table);
    if (missing.length === table.length) return others;
    const found = numbers.slice();
    for (const at of missing) found[at] = others[at];
    return found;
  }

  linked([, name, line, reduce, on, inCase, where], table) {
    const found = (inCase ? this.cases[inCase] : this).tables[name], column = found.columns[line];
    if (found.lost) return table.filled(NaN);
    const there = on.map((pair) => pair[1]);
    if (WITHIN[reduce]) return WITHIN[reduce](found, found.groups(there), column, there);
    const groups = found.rowsBy(there), own = table.groups(on.map((pair) => pair[0]));
    if (reduce === "one") return table.filled(0).map((_, at) => (groups.has(own[at]) ? column[groups.get(own[at])[0]] : 0));
    const numbers = new Map();
    for (const [group, rows] of groups) numbers.set(group, this.together(reduce, rows, found, column, where));
    return table.filled(0).map((_, at) => (numbers.has(own[at]) ? numbers.get(own[at]) : 0));
  }

  together(reduce, rows, found, column, where) {
    if (!where) return gathered(reduce, rows, column, found.keys);
    const places = found.columns[where[0]], meant = rows.filter((at) => places[at] === where[1]);
    if (!meant.length && rows.some((at) => places[at] !== places[at])) return NaN;
    return gathered(reduce, meant, column, found.keys);
  }

  step(formulas, compute) {
    const table = this.tables[formulas.table], own = new Set(formulas.recurring);
    const given = formulas.reads.map(([name, ref]) => (own.has(name) ? null : this.read(ref, table)));
    return compute(table.length, table.begins, ...given);
  }
}

const number = (value, otherwise) => (value === undefined ? otherwise : value === null ? NaN : value);

/* The run of each case by its name. */
function runsOf(models) {
  const cases = {};
  for (const one of D.cases) (cases[one.name] = new Run(models)).cases = cases;
  return cases;
}

/* Computes every line and check of all cases; `values` are the inputs of each case by name. */
function compute(cases, values) {
  for (const [name, run] of Object.entries(cases)) run.begin(values[name]);
  D.steps.forEach((formulas, at) => {
    for (const run of Object.values(cases)) {
      if (run.isDue(formulas)) run.keep(formulas, run.step(formulas, F.steps[at]), run.tables[formulas.table].columns);
    }
  });
  for (const run of Object.values(cases)) {
    D.checks.forEach((formulas, at) => {
      if (run.isDue(formulas)) run.keep(formulas, run.step(formulas, F.checks[at]), run.checks);
    });
  }
}

/* A headline number of a case. */
function figure(run, one) {
  const table = run.tables[one.table];
  return table.lost ? NaN : gathered(one.reduce, table.once("all", () => table.keys.map((_, at) => at)), table.columns[one.line], table.keys);
}
