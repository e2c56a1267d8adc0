"""Wrong plugins that are TOML files: texts that would be formulas, and tables that are none."""

from bad_questions import GOOD, WRITTEN, written
from wrong import LEAK, Wrong

INJECTED = {
    "the title": 'title = "How many spares?"',
    "about": 'about = "What spares cost month by month."',
    "a note": 'notes = ["Spares are bought each month."]',
    "a tab": 'name = "Spares"',
    "a column": 'title = "Paid"',
    "a table": 'title = "Spares by month"\nrows',
    "a chart": 'title = "Spares by month"\ntable',
    "a figure": 'title = "Spares in all"',
    "a check": 'message = "Over {spares_price}"',
    "an input": 'title = "Price of a spare"',
    "a label": 'labels = ["lean", "full"]',
    "a row's label": 'labels = ["a", "b", "c"]',
    "a file": 'about = "A stock of spares"',
}


def injected(old: str) -> str:
    """Return the good file with a formula in the place of the first text of a part."""
    head, _, rest = old.partition('"')
    return GOOD.replace(old, f"{head}'{LEAK}'{rest.partition(chr(34))[2]}", 1)


TEXTS = {
    f"a formula for {what}": Wrong("text", injected(old), ".toml", harmless="texts are texts")
    for what, old in INJECTED.items()
}
TOML = {
    "no TOML": "[questions\n",
    "an empty file": "",
    "an unknown table": "[plugins]\nx = 1\n",
    "questions that are a list": "questions = [1]\n",
    "questions that are a text": 'questions = "all"\n',
    "a question that is a number": "[questions]\nspares = 5\n",
    "families that are a number": "families = 5\n",
    "a family of nothing": "[families.own]\n",
    "an architecture of nothing": "[architectures.own]\n",
    "an architecture with a line of a number": '[architectures.own]\ntitle = "Own"\nparameters = [5]\n',
    "an architecture with a block that is none": '[architectures.own]\ntitle = "Own"\nblocks = ["atention"]\n',
    "an extension of nothing": '[extends.nope]\nparameters = [{ name = "x", formula = "1" }]\n',
    "an extension with less": '[extends.dense]\nparameters = [{ name = "less", formula = "0 - d_model" }]\n',
    "an extension with an unknown name": '[extends.dense]\nparameters = [{ name = "more_x", formula = "d_modle" }]\n',
    "prices that are a table": "[prices]\nx = 1\n",
    "an API of 2.0": 'flopsheet_api = "2.0"\n',
    "an API of a number": "flopsheet_api = 1.0\n",
    "about a number": "about = 5\n",
    "a question of dates": "[questions.spares]\ntitle = 2026-01-01\n",
    "a whole number of 400 digits": GOOD.replace("default = 100", f"default = 1{'0' * 400}"),
    "nested tables": "questions" + ".a" * 500 + " = 1\n",
}
TABLES = {f"TOML: {what}": Wrong("question of a file", written(what)[0], ".toml") for what in WRITTEN}
TABLES |= {
    f"a file of {what}": Wrong("TOML", text, ".toml", "it adds nothing" * (not text), extends="[extends.dense]" in text)
    for what, text in TOML.items()
}
