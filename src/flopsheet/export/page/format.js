/* Numbers as people read them, by the rules and unit tables of the terminal: three digits and a prefix, or all digits. */

const PREFIXES = ["", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"];
const COUNTS = ["", "K", "M", "B", "T"];
const BINARY = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];
const NONE = "\u2014";

const grouped = (value, decimals = 0) => value.toLocaleString("en-US", { maximumFractionDigits: decimals, useGrouping: true });

function three(size) {
  const text = size.toPrecision(3);
  return text.includes("e") ? String(Number(text)) : text;
}

function prefixed(value, units, step) {
  let size = value, place = 0;
  while (Math.abs(size) >= 999.5 && place < units.length - 1) {
    size /= step;
    place += 1;
  }
  if (Math.abs(size) >= 999500) return `${short(value)} ${units[0]}`.trimEnd();
  if (Math.abs(size) >= 999.5) return `${grouped(Number(size.toPrecision(3)))} ${units[place]}`;
  const said = place || !Number.isInteger(size) ? three(size) : size.toFixed(0);
  return `${said} ${units[place]}`.trimEnd();
}

/* Three digits without trailing zeros, with an exponent where a number is very large or small. */
function short(value) {
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(3)))));
  if (exponent >= 3 || exponent < -4) {
    const [digits, power] = value.toExponential(2).split("e");
    const mantissa = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
    return `${mantissa}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  }
  return String(Number(value.toPrecision(3)));
}

function human(value, unit = "") {
  if (unit === "bytes") return prefixed(value, BINARY, 1024);
  if (unit === "FLOP" || unit === "FLOP/s") return prefixed(value, PREFIXES.map((one) => one + unit), 1000);
  return prefixed(value, COUNTS, 1000);
}

/* A number with all its digits, decimals to the fourth. */
function digits(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(value);
  if (Math.abs(value) >= 1e15 || (value !== 0 && Math.abs(value) < 0.001)) return String(Number(value.toPrecision(6)));
  return Math.abs(value) < 1e9 ? grouped(value, 4) : grouped(value);
}

function brief(value) {
  if (Math.abs(value) >= 100000) return human(value);
  if (Number.isInteger(value)) return digits(value);
  if (Math.abs(value) >= 99.95) return digits(Math.round(value));
  return Math.abs(value) >= 1 ? three(value) : short(value);
}

/* The largest unit of which there is at least one, with its size. */
function readable(unit, value) {
  const known = SEEN.units[unit];
  if (!known) return [unit, 1];
  return value === 0 ? known[0] : known.find(([, size]) => Math.abs(value) >= size) || known[known.length - 1];
}

function money(value) {
  const [unit, size] = readable("USD", Number(value.toPrecision(3)));
  return `USD ${brief(value / size)}${unit.slice(3).trim()}`;
}

const FORMS = {
  flag: (value) => (value ? "yes" : "no"),
  output: (value) => (value ? "tokens" : "writes no tokens"),
  share: (value) => `${value < 10 ? short(100 * value) : grouped(100 * value)}%`,
  USD: money,
};
const counted = (unit) => /^[a-z]+s$/i.test(unit) && !["bytes", "s", "ms"].includes(unit);

/* What people call a number: a day as ISO text, a verdict by its words; else the number itself. */
function called(value, unit) {
  if (typeof value !== "number" || value !== value) return value;
  if (unit === "date") return value ? new Date(Date.UTC(1899, 11, 30) + Math.trunc(value) * 864e5).toISOString().slice(0, 10) : "";
  return SEEN.words[unit] ? SEEN.words[unit][Math.trunc(value)] : value;
}

/* A number as people read it, with its unit. */
function shown(value, unit) {
  if (value === null || value === undefined || value !== value) return NONE;
  const said = called(value, unit);
  if (typeof said === "string") return said || NONE;
  if (FORMS[unit]) return FORMS[unit](value);
  if (/^(FLOP|bytes)/.test(unit) && !unit.replace(/^FLOP\/s/, "").includes("/")) return human(value, unit);
  if (unit.startsWith("nats")) return value ? `${value.toFixed(3)} ${unit}` : "none";
  let amount = value, of = unit;
  if ((unit.startsWith("k") && value >= 1000) || unit === "s" || SEEN.stepped.includes(unit)) {
    const [larger, size] = readable(unit, value);
    [amount, of] = [value / size, larger];
  }
  of = of === "ratio" ? "" : amount === 1 && counted(of) ? of.slice(0, -1) : of;
  return `${brief(amount)} ${of}`.trimEnd();
}

/* The same in a cell: nothing where 0 says that there is none, never where two ways do not meet. */
function cell(value, unit, title = "") {
  if (value === 0 && title.toLowerCase().includes(SEEN.breakEven) && !FORMS[unit]) return "never";
  return value === 0 && SEEN.noneAtZero.includes(unit) ? "none" : shown(value, unit);
}
