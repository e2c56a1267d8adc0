"""Wrong questions: as they are made in Python and as they come out."""

from bad_questions import MADE, PAID, made, over
from test_isolation import CASES, PLUGIN
from toy_plugins import plugin
from wrong import Wrong

from flopsheet import Figure, Input, Link, Rows, RowSearch, Table

INPUT = Input("bad_months", "Months", default=3)
ASKED = {
    "a name of None": made(name=None),
    "no name": made(name=""),
    "a name with signs": made(name="../bad"),
    "a name of 300 characters": made(name="b" * 300),
    "a title of None": made(title=None),
    "inputs of None": made(inputs=None),
    "an input of a text": made(inputs=("bad_months",)),
    "an input without a name": made(inputs=(INPUT._replace(name=None),)),
    "a default of infinity": made(inputs=(INPUT._replace(default=float("inf")),)),
    "a default of 1e300": made(inputs=(INPUT._replace(default=1e300),)),
    "a default that is a text": made(inputs=(INPUT._replace(default="three"),)),
    "labels of numbers": made(inputs=(INPUT._replace(kind="choice", labels=(1, 2), default=1),)),
    "keys of nothing": made(inputs=(INPUT._replace(keys=("accelerator.nope",)),)),
    "tables of None": made(tables=None),
    "figures of None": made(figures=None),
    "a figure of no table": made(figures=(Figure("paid", "Paid", "nope", "bad_paid", "All"),)),
    "a figure of no line": made(figures=(Figure("paid", "Paid", "bad_monthly", "nope", "All"),)),
    "a figure twice": made(figures=(Figure("paid", "Paid", "bad_monthly", "bad_paid", "All"),) * 2),
    "checks of a number": made(checks=5),
    "a sheet of None": made(sheet=None),
    "optional is a word": made(optional="no"),
    "asked by nothing": made(asked_by=("nope",)),
    "needs itself": made(needs=("bad",)),
    "implied of nothing": made(implied=(("nope", 1, ()),)),
    "heeds of a text": made(heeds=("nope",)),
    "a line of None": over(None),
    "a line without a unit": over(PAID._replace(unit=None)),
    "a line of an unknown unit": over(PAID._replace(unit="zorkmids")),
    "a line of a huge power": over(PAID._replace(formula="power(10, power(10, month))")),
    "a line that divides by zero": over(PAID._replace(formula="1 / (month - month)")),
    "a line that is code": over(PAID._replace(formula="().__class__")),
    "a line with a text": over(PAID._replace(formula='"USD"')),
    "a line that is called like a total": over(PAID._replace(name="parameters")),
    "rows of an unknown input": over(PAID, rows=(Rows("month", until="nope"),)),
    "rows below nothing": over(PAID, rows=(Rows("month", until="0 - 5"),)),
    "rows of half": over(PAID, rows=(Rows("month", until="2.5"),)),
    "rows of texts": over(PAID, rows=(Rows("month", values=("one", "two")),)),
    "rows of None": over(PAID, rows=(None,)),
    "rows by a search of a number": over(PAID, rows=(Rows("month", search=5),)),
    "rows that a number finds": over(PAID, rows=(Rows("month", search=RowSearch(5, ("month",))),)),
    "a link of None": over(PAID, links=(None,)),
    "a link to nothing": over(PAID, links=(Link("before", "nope", "bad_paid"),)),
    "a link to itself": over(PAID._replace(formula="before"), links=(Link("before", "bad_monthly", "bad_paid"),)),
    "a table of lines of another": made(tables=(Table("models", "M", (PAID._replace(formula="nope"),)),)),
    "a table of a name with blanks": made(tables=(Table("bad table", "M", (PAID,)),)),
    "a table twice": made(tables=(Table("bad_one", "M", (PAID._replace(formula="1"),)),) * 2),
}
MEANT = {"a line of an unknown unit": "a unit of its own is written as it is"}
QUESTIONS = {
    f"a question: {what}": Wrong("question", plugin(questions=[bad]), harmless=MEANT.get(what, ""))
    for what, bad in ASKED.items()
}
QUESTIONS |= {f"Python: {what}": Wrong("question", plugin(questions=[bad])) for what, (bad, _) in MADE.items()}
QUESTIONS |= {
    f"a question in which {what}": Wrong(
        "question", PLUGIN.format(parts=parts), ".py", asks=("--input", "wrong_zero=0")
    )
    for what, (parts, _) in CASES.items()
}
