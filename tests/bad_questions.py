"""Questions that are wrong in one thing: what is changed of a good one, what is said of it, and at which line."""

from typing import NamedTuple

from flopsheet import Check, Figure, Input, Line, Link, Question, Rows, Table

GOOD = """\
about = "A stock of spares"

[questions.spares]
title = "How many spares?"
about = "What spares cost month by month."
inputs = [
  { name = "spares_months", title = "Months of spares", unit = "months", default = 6, low = 3, high = 9 },
  { name = "spares_price", title = "Price of a spare", unit = "USD", kind = "ratio", default = 100, minimum = 0 },
  { name = "spares_policy", title = "Policy", kind = "choice", labels = ["lean", "full"], default = 1 },
]
figures = [
  { name = "total", title = "Spares in all", table = "cases", line = "spares_cost", about = "Of all months" },
]

[[questions.spares.checks]]
name = "cheap"
title = "Spares are cheap"
table = "spares_monthly"
formula = "1 if spares_paid < 1000000 else 0"
message = "Over {spares_price}"
remedy = "Lower {spares_price}"

[[questions.spares.tables]]
name = "spares_monthly"
title = "Spares by month"
rows = [{ key = "month", title = "Month", unit = "months", until = "spares_months" }]
lines = [
  { name = "spares_paid", formula = "spares_price * month", unit = "USD" },
  { name = "spares_count", formula = "month", unit = "spares" },
]

[[questions.spares.tables]]
name = "spares_kinds"
title = "Spares by kind"
rows = [{ key = "spare_kind", values = [1, 2, 3], labels = ["a", "b", "c"] }]
lines = [{ name = "spares_of_kind", formula = "spare_kind", unit = "spares" }]

[[questions.spares.tables]]
name = "cases"
title = "Cluster"
links = [{ name = "spares_bills", table = "spares_monthly", line = "spares_paid", how = "sum" }]
lines = [{ name = "spares_cost", formula = "spares_bills", unit = "USD" }]

[questions.spares.sheet]
name = "Spares"
notes = ["Spares are bought each month."]
drivers = ["spares_price"]

[questions.spares.sheet.tables.spares_monthly]
columns = [
  { line = "month" },
  { line = "spares_paid", unit = "USD k", title = "Paid" },
  { line = "spares_count", width = 12 },
]
shown = ["spares_paid"]

[questions.spares.sheet.tables.cases]
shown = ["spares_cost"]

[[questions.spares.sheet.charts]]
kind = "bar"
title = "Spares by month"
table = "spares_monthly"
series = ["spares_paid"]
references = [{ of = "spares_price" }]
"""

SHEET, MONTHLY = 'name = "Spares"', 'line = "spares_count", width = 12'
COLUMN, CHART = "sheet.tables.spares_monthly.columns", "sheet.charts[0]"
SHEETS = '[[questions.spares.sheet.sheets]]\nname = "More"\ntables = ["spares_kinds"]\n\n'
TABLES = "[questions.spares.sheet.tables.spares_monthly]"
MODELS = "[questions.spares.sheet.tables.models]\n"


class Bad(NamedTuple):
    """What of the good file is replaced by what, what is said, and a text of the line that is named."""

    old: str
    new: str
    said: str
    at: str


def titled(what, line):
    """Return the end of the message of a text that is too long."""
    return Bad(what, what.replace("Spares are cheap", "x" * 40_000), "a text of 40,000 characters; at most 200", line)


WRITTEN = {
    "a width that is a word": Bad("width = 12", 'width = "wide"', f"{COLUMN}[2].width: 'wide'; a number", "wide"),
    "a width of no column": Bad(
        "width = 12", "width = 9999", f"{COLUMN}[2].width: 9999; a number from 1 to 255", "9999"
    ),
    "a width below nothing": Bad("width = 12", "width = -3", f"{COLUMN}[2].width: -3; a number from 1 to 255", "-3"),
    "a width without end": Bad("width = 12", "width = inf", f"{COLUMN}[2].width: inf; a number is expected", "inf"),
    "a note that is a number": Bad("notes = [", "notes = [5, ", "sheet.notes[0]: 5; a text is expected", "notes"),
    "notes that are one text": Bad(
        'notes = ["Spares are bought each month."]', 'notes = "one text"', "sheet.notes: 'one text'; a list", "one text"
    ),
    "a tab that is a number": Bad(SHEET, "name = 5", "sheet.name: 5; a text is expected", "name = 5"),
    "a tab of every workbook": Bad(SHEET, 'name = "about"', "every workbook has a sheet 'about'", '"about"'),
    "a tab of a bundled question": Bad(
        SHEET, 'name = "Serving"', "question serving has a sheet 'Serving'", '"Serving"'
    ),
    "a tab of signs": Bad(SHEET, 'name = "[]"', "'; another name is expected", '"[]"'),
    "a tab like a card's": Bad(SHEET, 'name = "Card dense"', "sheets of architectures are called like", "Card dense"),
    "a tab that Excel keeps": Bad(SHEET, 'name = "History"', "sheet 'History'; another name", "History"),
    "a sheet without a name": Bad(
        TABLES, SHEETS.replace('name = "More"\n', "") + TABLES, "sheet.sheets[0]: name missing", "sheet.sheets]]"
    ),
    "a sheet of no table": Bad(
        TABLES, SHEETS.replace("spares_kinds", "spares_kind") + TABLES, "did you mean 'spares_kinds'?", "tables = ["
    ),
    "two sheets of one table": Bad(
        TABLES,
        SHEETS + SHEETS.replace("More", "Again") + TABLES,
        "sheet.sheets[1].tables[0]: the table 'spares_kinds' is on another sheet",
        'tables = ["spares_kinds"]\n\n[questions',
    ),
    "two sheets of one name": Bad(
        TABLES, SHEETS.replace("More", "spares") + TABLES, "this question has a sheet 'spares'", 'name = "spares"'
    ),
    "an unknown key": Bad(SHEET, 'naem = "x"', "sheet.naem: unknown; did you mean 'name'?", "naem"),
    "a paper that there is not": Bad(SHEET, 'paper = "A5"', "sheet.paper: 'A5'; one of 'A4', 'A3' is expected", "A5"),
    "first that is a word": Bad(SHEET, 'first = "yes"', "sheet.first: 'yes'; true or false is expected", '"yes"'),
    "a unit of another kind": Bad("USD k", "GiB", f"{COLUMN}[1].unit: 'GiB' is not a unit of spares_paid", "GiB"),
    "a unit that there is not": Bad("USD k", "USD zz", f"{COLUMN}[1].unit: 'USD zz' is not a unit of", "USD zz"),
    "a look that there is not": Bad(
        "width = 12", 'look = "figrue"', f"{COLUMN}[2].look: 'figrue'; did you mean 'figure'?", "figrue"
    ),
    "a look of Models": Bad("width = 12", 'look = "status"', "the look 'status' is one of Models alone", "status"),
    "a column of Models": Bad("width = 12", "cases = true", "columns of Models alone can say it", "cases = true"),
    "a column that there is not": Bad(MONTHLY, 'line = "spares_coutn"', "did you mean 'spares_count'?", "coutn"),
    "a column twice": Bad(MONTHLY, 'line = "month"', "'month' is there twice under one title", '{ line = "month" }'),
    "a place without best": Bad("width = 12", "place = 1", f"{COLUMN}[2].place: 1; a place by sheet.best", "place = 1"),
    "units that there are not": Bad(
        TABLES,
        MODELS + 'columns = [{ line = "training_cost", title = "X", units = "mony" }]\n' + TABLES,
        "sheet.tables.models.columns[0].units: 'mony' is unknown; did you mean 'money'?",
        "mony",
    ),
    "units of another kind": Bad(
        TABLES,
        MODELS + 'columns = [{ line = "training_cost", title = "X", units = "bytes" }]\n' + TABLES,
        "bytes are not of USD",
        '"bytes"',
    ),
    "a column on Models twice": Bad(
        TABLES,
        MODELS
        + 'columns = [{ line = "training_days", title = "X" }, { line = "training_days", title = "X" }]\n'
        + TABLES,
        "'training_days' is there twice under one title and unit",
        "training_days",
    ),
    "a line of other tables in cases": Bad(
        TABLES,
        MODELS + 'columns = [{ line = "predicted_loss", title = "X", cases = true }]\n' + TABLES,
        "of other tables, which Models has in one case alone",
        "predicted_loss",
    ),
    "shown that there is not": Bad(
        'shown = ["spares_paid"]', 'shown = ["nope"]', "sheet.tables.spares_monthly.shown[0]: 'nope' is unknown", "nope"
    ),
    "drivers that there are not": Bad(
        'drivers = ["spares_price"]', 'drivers = ["spares_prize"]', "did you mean 'spares_price'?", "prize"
    ),
    "a timeline of no table": Bad(
        SHEET,
        'timeline = { name = "Months", table = "nope", blocks = [] }',
        "sheet.timeline.table: 'nope' is unknown",
        "timeline =",
    ),
    "a timeline without a row for each model": Bad(
        SHEET,
        'timeline = { name = "Months", table = "spares_monthly", blocks = [] }',
        "spares_monthly has no row for each model and each period",
        "timeline =",
    ),
    "a timeline with a line that there is not": Bad(
        SHEET,
        'timeline = { name = "Months", table = "spares_monthly", each = [{ line = "spares_piad" }], blocks = [] }',
        "sheet.timeline.each[0].line: 'spares_piad' is unknown; did you mean 'spares_paid'?",
        "timeline =",
    ),
    "best of no table": Bad(
        SHEET, 'best = { table = "nope", line = "x" }', "sheet.best.table: 'nope' is unknown", "best ="
    ),
    "best without a row for each model": Bad(
        SHEET,
        'best = { table = "spares_monthly", line = "spares_paid" }',
        "spares_monthly has no row for each model",
        "best =",
    ),
    "a chart of another kind": Bad('kind = "bar"', 'kind = "pie"', f"{CHART}.kind: 'pie'; one of 'line'", '"pie"'),
    "an axis below nothing": Bad('kind = "bar"', "log = -3", f"{CHART}.log: -3; a base from 2 to 1,000", "log = -3"),
    "a chart of nothing": Bad(
        'series = ["spares_paid"]', "series = []", f"{CHART}.series: no line is drawn", "series = []"
    ),
    "a chart of an unknown line": Bad(
        'series = ["spares_paid"]', 'series = ["spares_piad"]', "did you mean 'spares_paid'?", "piad"
    ),
    "a chart in two units": Bad(
        'series = ["spares_paid"]', 'series = ["spares_paid", "spares_count"]', "they are in USD k, spares", "series ="
    ),
    "a chart of another question's table": Bad(
        'table = "spares_monthly"\nseries',
        'table = "programme"\nseries',
        f"{CHART}.table: 'programme' is unknown",
        "programme",
    ),
    "a reference in another unit": Bad(
        'of = "spares_price"', 'of = "days"', "days is in days and the chart in USD k; one unit is expected", '"days"'
    ),
    "a reference to nothing": Bad('of = "spares_price"', 'of = "nope"', "references[0].of: 'nope' is unknown", "nope"),
    "a scatter without a line across": Bad(
        'kind = "bar"', 'kind = "scatter"', "a scatter has a line across", "sheet.charts"
    ),
    "rows without end": Bad(
        '"spares_months" }',
        '"spares_months * 1000000" }',
        "rows of month by until = 'spares_months * 1000000'",
        "until =",
    ),
    "rows of nothing": Bad(
        ', until = "spares_months" }', " }", "the rows month have no values; until, values or", "rows = [{"
    ),
    "rows of an unknown input": Bad('until = "spares_months"', 'until = "nope"', "unknown name 'nope'", "nope"),
    "rows with another number of labels": Bad(
        '["a", "b", "c"]', '["a"]', "3 values and 1 labels; a label for each", '["a"]'
    ),
    "rows of one key twice": Bad("[1, 2, 3]", "[1, 2, 2]", "two of the rows have the same spare_kind", "[1, 2, 2]"),
    "more values than a table has": Bad(
        "[1, 2, 3], labels", f"{list(range(10_001))}, labels", "10,001 values", "spare_kind"
    ),
    "rows with other numbers": Bad(
        '[1, 2, 3], labels = ["a", "b", "c"]',
        "[{ spare_weight = 1 }, {}]",
        "the rows of spare_kind bring different",
        "spare_kind",
    ),
    "a link that is none": Bad(
        'how = "sum"', 'how = "avg"', "tables[2].links[0].how: 'avg'; one of 'same', 'sum', 'min'", '"avg"'
    ),
    "a figure that is none": Bad(
        'line = "spares_cost", about',
        'line = "spares_cost", how = "median", about',
        "figures[0].how: 'median'; did you mean 'min'?",
        "median",
    ),
    "a figure of a first row without rows": Bad(
        'line = "spares_cost", about', 'line = "spares_cost", how = "first", about', "cases has no rows", '"first"'
    ),
    "a check of no table": Bad(
        'table = "spares_monthly"\nformula',
        'table = "spares_montly"\nformula',
        "did you mean 'spares_monthly'?",
        "montly",
    ),
    "a check of an unknown name": Bad("1 if spares_paid <", "1 if spares_piad <", "unknown name 'spares_piad'", "piad"),
    "a message about no input": Bad(
        'message = "Over {spares_price}"',
        'message = "Over {spares_prise}"',
        "no input is called 'spares_prise'",
        "prise",
    ),
    "a remedy about no input": Bad('"Lower {spares_price}"', '"Lower {nope}"', "no input is called 'nope'", "nope"),
    "a title of 40,000 characters": titled('title = "Spares are cheap"', "xxxxx"),
    "a text with control characters": Bad(
        '"What spares cost month by month."', '"Bell\\u0007"', "has the control character '\\x07'", "u0007"
    ),
    "a range that falls": Bad(
        "low = 3, high = 9", "low = 9, high = 3", "values in rising order are expected", "low = 9"
    ),
    "half a month": Bad("default = 6", "default = 6.5", "default: 6.5 is out of range; a whole number", "6.5"),
    "less than no month": Bad("default = 6, low = 3", "default = -3, low = -5", "default: -3 is out of range", "-3"),
    "a choice that is none": Bad("default = 1 }", "default = 7 }", "default: 7 is no place of a label", "default = 7"),
    "a choice of nothing": Bad('labels = ["lean", "full"], ', "", "a choice needs labels", "spares_policy"),
    "a date that is none": Bad(
        "default = 100", 'date = "yesterday", default = 100', "'yesterday'; a date", "yesterday"
    ),
    "a better that is none": Bad(
        "default = 100", 'better = "up", default = 100', "better: 'up'; one of '', 'low', 'high'", '"up"'
    ),
    "a kind that is none": Bad('kind = "ratio"', 'kind = "int"', "inputs[1].kind: 'int'; one of 'count'", '"int"'),
    "an input of another question": Bad(
        '"spares_months", title', '"days", title', "'days' is declared twice, differently", 'name = "days"'
    ),
    "a line that is called like an input": Bad(
        'name = "spares_count"', 'name = "days"', "an input is called 'days'", "days"
    ),
    "a name that is a cell": Bad('name = "spares_kinds"', 'name = "sk1"', "Excel reads 'sk1' as a cell", "sk1"),
    "a table of an architecture": Bad(
        'name = "spares_kinds"', 'name = "dense"', "the table 'dense' is that of an arch", "dense"
    ),
    "a name of a bundled question": Bad(
        "questions.spares", "questions.budget", "there is already a question 'budget'", "budget"
    ),
    "a question that is needed and is not there": Bad(
        'about = "What',
        'needs = ["monye"]\nabout = "What',
        "needs[0]: 'monye' does not exist; did you mean 'money'?",
        "monye",
    ),
    "an input that is heeded and is not there": Bad(
        'about = "What',
        'heeds = [{ input = "nope", asks = "money" }]\nabout = "What',
        "heeds[0].input: 'nope' does not",
        "nope",
    ),
    "lines that need each other": Bad(
        'spares_price * month", unit = "USD" },\n  { name = "spares_count", formula = "month"',
        'spares_count", unit = "USD" },\n  { name = "spares_count", formula = "spares_paid"',
        "lines that need each other cannot be evaluated",
        "[questions.spares]",
    ),
}


def written(what):
    """Return the text of a bad file, and the line, from 1, that has to be named."""
    bad = WRITTEN[what]
    assert GOOD.count(bad.old) >= 1, what
    text = GOOD.replace(bad.old, bad.new)
    assert bad.at in text, what
    return text, text[: text.index(bad.at)].count("\n") + 1


MONTHS = Rows("month", "Month", until="bad_months")
INPUTS = (Input("bad_months", "Months", default=3),)


def made(**fields):
    """Return a question made in Python that is good, or wrong in the fields that are given."""
    table = Table("bad_monthly", "Monthly", (Line("bad_paid", "month", "USD"),), (MONTHS,))
    return Question(**{"name": "bad", "title": "Bad?", "about": "Bad", "inputs": INPUTS, "tables": (table,), **fields})


def over(*lines, rows=(MONTHS,), links=()):
    """Return a question with one table."""
    return made(tables=(Table("bad_monthly", "Monthly", lines, rows, links),))


PAID = Line("bad_paid", "month", "USD")
MADE = {
    "labels of other rows": (
        over(PAID, rows=(Rows("month", values=(1, 2, 3), labels=("a",)),)),
        "tables[0].rows[0]: 3 values and 1 labels",
    ),
    "no rows": (over(PAID, rows=(Rows("month", values=()),)), "the rows month have no values"),
    "a link that is none": (
        over(PAID, links=(Link("before", "bad_monthly", "bad_paid", "avg"),)),
        "tables[0].links[0].how: 'avg'; one of",
    ),
    "a figure that is none": (
        made(figures=(Figure("paid", "Paid", "bad_monthly", "bad_paid", "All", "median"),)),
        "figures[0].how: 'median'; did you mean 'min'?; one of 'sum', 'min', 'max', 'first' is expected",
    ),
    "an input that is better up": (made(inputs=(INPUTS[0]._replace(better="up"),)), "inputs[0].better: 'up'; one of"),
    "a sheet of wrong types": (
        made(sheet={"charts": [{"table": "bad_monthly", "series": ["bad_paid"], "log": "3"}], "notes": [5]}),
        "sheet.charts[0].log: '3'; a whole number is expected",
    ),
    "several things at once": (made(sheet={"notes": [5], "first": 1}), "sheet.first: 1; true or false is expected"),
    "a sheet that is a text": (made(sheet="sheet.toml"), "sheet: 'sheet.toml'; a table is expected"),
    "tables that are one table": (made(tables=Table("bad", "Bad", (PAID,))), "tables[0]: 'bad'; a table is expected"),
    "a line that is a text": (over("bad_paid"), "tables[0].lines[0]: 'bad_paid'; a table is expected"),
    "a title of 40,000 characters": (
        over(PAID._replace(title="x" * 40_000)),
        "tables[0].lines[0].title: a text of 40,000 characters; at most 200 are expected",
    ),
    "rows of two keys": (
        over(PAID, rows=(Rows("month", values=tuple(range(9_000))), Rows("week", values=tuple(range(9_000))))),
        "81,000,000 rows of month × week in the table bad_monthly; at most 100,000",
    ),
    "a warning that is a word": (
        made(checks=(Check("paid", "Paid", "bad_monthly", "1", "Not", warning="no"),)),
        "checks[0].warning: 'no'; true or false is expected",
    ),
}
"""Questions of Python, each with what is said of it."""
