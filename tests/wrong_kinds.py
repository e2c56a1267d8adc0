"""Wrong plugins of the kinds that the other tables lack: imports, data, formats, readers, texts, and odd values."""

from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from bad_questions import GOOD, PAID, made, over
from test_isolation import CASES, PLUGIN
from test_plugin_hooks import H100, LAW, LAWS, PRICE, READERS, REFUSED
from toy_plugins import MATRIX, PRODUCT, TOY, WIDTH, plugin, toy

from flopsheet import (
    Architecture,
    Block,
    Dimension,
    Exporter,
    Family,
    Figure,
    Input,
    Line,
    Link,
    Optimizer,
    Reader,
    Reading,
    Rows,
    Table,
    WeightFormat,
)

EVIL = "=1+1"
"""A text that would be a formula where a cell took it for one; `LEAK` finds it in a workbook."""
LEAK = '=HYPERLINK("http://leak.example/","Open")'


class Wrong(NamedTuple):
    """A wrong plugin: a module or what its import raises, or the text of a file with its suffix.

    `harmless` says why nobody need find it. One that may harm its process is driven in one of its own (`alone`).
    `asks` are options of a plan that uses what the plugin brings, `document` the portfolio that its reader reads.
    """

    kind: str
    plugin: Any
    suffix: str = ""
    harmless: str = ""
    alone: bool = False
    asks: tuple[str, ...] = ()
    document: str = ""


HEAD = """\
from flopsheet import Architecture, Dimension, Family, Line, hookimpl
flopsheet_api = "1.0"
"""
SOUND = """
WIDTH = Dimension("width", "Width", keys=("hidden_size",))

@hookimpl
def flopsheet_architectures():
    return [Architecture("toy", "Toy", "One matrix", (WIDTH,))]

@hookimpl
def flopsheet_families():
    return [Family("toy", "toy")]

@hookimpl
def flopsheet_parameters():
    return [Line("matrix", "width * width", "parameters", "mlp", title="M", source="S")]

@hookimpl
def flopsheet_flops():
    return [Line("product", "2*batch*width*width", "FLOP", "mlp", title="P", source="S", work="linear")]
"""
STDERR = "what plugins print goes to stderr"
RESTORED = "what an import changes of the process is put back"
IMPORTS = {
    "changes the working folder": ("import os\nos.chdir('/')\n", RESTORED),
    "changes the recursion limit": ("import sys\nsys.setrecursionlimit(60)\n", RESTORED),
    "prints": ("print('hello')\n", STDERR),
    "writes to the file 1": ("import os\nos.write(1, b'hello')\n", STDERR),
    "has no standard output": ("import sys\nsys.stdout = None\n", RESTORED),
    "has no standard error": ("import sys\nsys.stderr = None\n", RESTORED),
    "starts a thread that never ends": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()\n",
        "a daemon thread ends with the program",
    ),
    "starts a thread that raises": (
        "import threading\nthreading.Thread(target=lambda: 1 / 0).start()\n",
        "a thread's error is its own",
    ),
    "turns warnings into errors": ("import warnings\nwarnings.simplefilter('error')\n", "nothing of flopsheet warns"),
    "changes decimals": ("import decimal\ndecimal.getcontext().prec = 1\n", RESTORED),
    "takes Ctrl-C away": ("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n", RESTORED),
    "makes floats trap": ("import numpy\nnumpy.seterr(all='raise')\n", "NumPy is told what to do where it is used"),
    "logs": ("import logging\nlogging.basicConfig(level=0)\nlogging.error('hello')\n", STDERR),
    "changes the language": ("import locale\nlocale.setlocale(locale.LC_ALL, 'C.UTF-8')\n", "no number is local"),
    "seeds chance": ("import random\nrandom.seed(1)\n", "no number is chance"),
    "adds to the path": ("import sys\nsys.path.insert(0, '/nowhere')\n", "imports go on"),
    "changes the environment": ("import os\nos.environ.clear()\n", RESTORED),
    "exits when it ends": ("import atexit, sys\natexit.register(sys.exit, 9)\n", "an exit at the end changes nothing"),
}
ENDING = {
    "ends the process": "import os\nos._exit(7)\n",
    "exits": "import sys\nsys.exit(0)\n",
    "exits with nothing": "raise SystemExit\n",
    "is interrupted": "class Stop(KeyboardInterrupt): pass\nraise Stop\n",
    "is no Python": "def (:\n",
    "is empty of sense": "\x00",
    "imports what is not there": "import nowhere_at_all\n",
    "imports itself in part": "from flopsheet import Nothing\n",
    "recurses": "def f(): f()\nf()\n",
    "asserts": "assert False, 'never'\n",
    "raises what cannot be printed": "class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n",
    "raises a text of two lines": "raise ValueError('one\\ntwo\\x1b[31m')\n",
    "raises a text of a million characters": "raise ValueError('x' * 1_000_000)\n",
    "groups errors": "raise ExceptionGroup('many', [ValueError('one'), OSError('two')])\n",
}
AT_IMPORT = {
    f"import {what}": Wrong("import", HEAD + text + SOUND, ".py", alone=True, harmless=why)
    for what, (text, why) in IMPORTS.items()
} | {
    f"import {what}": Wrong("import", HEAD + text + SOUND, ".py", alone="ends" in what) for what, text in ENDING.items()
}


def asking(kind: str, of: str, answer: str, body: str = "", harmless: str = "") -> Wrong:
    """Return a file of Python whose hook answers so."""
    text = f"{HEAD}{SOUND}{body}\n@hookimpl\ndef flopsheet_{of}():\n    {answer}\n"
    return Wrong(kind, text, ".py", harmless)


HOOKS = {
    f"{hook} {what}": asking("hook", hook, answer)
    for hook in ("questions", "accelerators", "prices", "optimizers", "weight_formats", "scaling_laws", "exporters")
    for what, answer in {
        "give None": "return None",
        "give a number": "return [5]",
        "give no end": "return iter(int, 1)",
        "raise": "return {}['x']",
    }.items()
} | {
    "readers give None": asking("hook", "readers", "return None"),
    "readers raise": asking("hook", "readers", "raise OSError('no')"),
    "questions wait for what is not there": asking("hook", "questions", "return open('/nowhere/at/all')"),
    "questions exit": asking("hook", "questions", "raise SystemExit(0)"),
    "questions change the folder": asking("hook", "questions", "import os; os.chdir('/'); return []")._replace(
        alone=True, harmless=RESTORED
    ),
    "questions end the process": asking("hook", "questions", "import os; os._exit(5)")._replace(alone=True),
    "the lines of a reader are not hooks": asking("hook", "memory", "yield 5"),
}


def architecture(*dimensions: Dimension, **fields: Any) -> Any:
    """Return a plugin whose architecture says so."""
    return toy(architectures=[Architecture("toy", "Toy", "One matrix", (WIDTH, *dimensions), **fields)])


DECLARED = {
    "tokens are others than lines count": (
        architecture(tokens="batch * 16"),
        "`tokens` in its lines are those that it says",
    ),
    "tokens of an unknown name": (architecture(tokens="batch * patches"), ""),
    "tokens below nothing": (architecture(tokens="0 - batch"), ""),
    "tokens are a number": (architecture(tokens=5), ""),
    "decodes is None": (architecture(decodes=None), ""),
    "decodes an unknown name": (architecture(decodes="nope"), ""),
    "continues an unknown name": (architecture(continues="nope"), ""),
    "depth of an unknown name": (architecture(depth="nope"), ""),
    "depth is None": (architecture(depth=None), ""),
    "checks are a text": (architecture(checks="width"), ""),
    "notes are a number": (architecture(notes=5), ""),
    "adapters that are no lines": (architecture(adapters=("nope",)), ""),
    "fields are a number": (architecture(fields=5), ""),
    "read is a number": (architecture(read=5), ""),
    "on paper an unknown name": (architecture(on_paper={"nope": 1}), ""),
    "joins nothing": (architecture(joins=True), ""),
    "a name of None": (toy(architectures=[replace(TOY, name=None)]), ""),
    "no name": (toy(architectures=[replace(TOY, name="")]), ""),
    "a title of None": (toy(architectures=[replace(TOY, title=None)]), ""),
    "about a number": (toy(architectures=[replace(TOY, about=5)]), ""),
    "a title that is a formula": (toy(architectures=[replace(TOY, title=LEAK)]), "texts are texts"),
    "dimensions are None": (toy(architectures=[replace(TOY, dimensions=None)]), ""),
    "a dimension is a text": (toy(architectures=[replace(TOY, dimensions=("width",))]), ""),
    "a dimension without a name": (architecture(Dimension(None, "None")), ""),
    "a dimension twice": (architecture(WIDTH), ""),
    "a default of infinity": (architecture(Dimension("deep", "Deep", default=float("inf"))), ""),
    "a default that is not a number": (architecture(Dimension("deep", "Deep", default=float("nan"))), ""),
    "a default below the minimum": (architecture(Dimension("deep", "Deep", default=-5)), ""),
    "a default of an unknown name": (architecture(Dimension("deep", "Deep", default="nope")), ""),
    "a default that is a list": (architecture(Dimension("deep", "Deep", default=[1])), ""),
    "keys are a number": (architecture(Dimension("deep", "Deep", keys=5, default=1)), ""),
    "keys are a text": (architecture(Dimension("deep", "Deep", keys="hidden_size", default=1)), ""),
    "labels are a number": (architecture(Dimension("deep", "Deep", kind="choice", labels=5, default=1)), ""),
    "a maximum under the minimum": (architecture(Dimension("deep", "Deep", minimum=5, maximum=2, default=3)), ""),
    "a minimum that is a text": (architecture(Dimension("deep", "Deep", minimum="one", default=3)), ""),
    "a dimension of the workload": (architecture(Dimension("batch", "Batch", default=3)), ""),
}
ARCHITECTURES = {
    f"an architecture: {what}": Wrong("architecture", bad, harmless=why) for what, (bad, why) in DECLARED.items()
}
LINED = {
    "a line of None": toy(parameters=[None]),
    "a name of None": toy(parameters=[MATRIX._replace(name=None)]),
    "a formula of None": toy(parameters=[MATRIX._replace(formula=None)]),
    "a unit of None": toy(parameters=[MATRIX._replace(unit=None)]),
    "a group that is a list": toy(parameters=[MATRIX._replace(group=["mlp"])]),
    "active of an unknown name": toy(parameters=[MATRIX._replace(active="nope")]),
    "active more than all": toy(parameters=[MATRIX._replace(active="2")]),
    "active below nothing": toy(parameters=[MATRIX._replace(active="0 - 1")]),
    "decode of an unknown name": toy(flops=[PRODUCT._replace(decode="nope")]),
    "full is a number": toy(flops=[PRODUCT._replace(full=5)]),
    "sides of nothing": toy(parameters=[MATRIX._replace(sides="nope")]),
    "rows of nothing": toy(parameters=[MATRIX._replace(rows="nope")]),
    "kept is a word": toy(activations=[Line("kept", "width", "elements", kept="nope")]),
    "activations below nothing": toy(activations=[Line("kept", "0 - width", "elements", kept="always")]),
    "activations in bytes": toy(activations=[Line("kept", "width", "bytes", kept="always")]),
    "additive is a word": toy(parameters=[MATRIX._replace(additive="no")]),
    "nested without end": toy(parameters=[MATRIX._replace(formula="(" * 500 + "width" + ")" * 500)]),
    "a formula that is code": toy(parameters=[MATRIX._replace(formula="__import__('os').getcwd()")]),
    "a formula of another workbook": toy(parameters=[MATRIX._replace(formula="[other.xlsx]Sheet1!A1")]),
    "a formula with a line break": toy(parameters=[MATRIX._replace(formula="width *\nwidth = 3")]),
    "a block of None": toy(block=None),
    "a block of numbers": toy(block=Block(parameters=(5,))),
    "lines of a class": toy(parameters=Line),
    "lines that are a table": toy(parameters={"matrix": MATRIX}),
}
LINES = {f"a line: {what}": Wrong("line", bad) for what, bad in LINED.items()} | {
    f"a line: {part} that is a formula": Wrong(
        "text", toy(parameters=[MATRIX._replace(**{part: LEAK})]), harmless="texts are texts"
    )
    for part in ("title", "about", "source")
}


def family(**fields: Any) -> Any:
    """Return a plugin whose type says so."""
    return toy(families=[Family("toy", "toy")._replace(**fields)])


FAMILIES = {
    f"a family: {what}": Wrong("family", bad, harmless=why)
    for what, (bad, why) in {
        "of None": (family(model_type=None), ""),
        "of no text": (family(model_type=""), ""),
        "of a bundled type": (family(model_type="llama"), ""),
        "an architecture of None": (family(architecture=None), ""),
        "renames a number": (family(rename=5), ""),
        "renames to a number": (family(rename={"a": 5}), ""),
        "defaults are a list": (family(defaults=["x"]), ""),
        "irrelevant is a number": (family(irrelevant=5), ""),
        "hints are a text": (family(hints="x"), ""),
        "checks are a number": (family(checks=5), ""),
        "a table of None": (family(table=None), ""),
        "like an unknown type": (family(like="nope"), ""),
        "values of an unknown field": (family(values={"width": "nope * 2"}), ""),
        "values of None": (family(values={"width": None}), ""),
        "a value of infinity": (family(values={"width": float("inf")}), ""),
        "a value without end": (family(values={"width": 10**400}), ""),
    }.items()
}
TURNS = count(3)
READING = {
    "an answer of None": lambda *_: None,
    "values of None": lambda *_: Reading({"width": None}, {"hidden_size"}),
    "values that are a list": lambda *_: Reading([3], {"hidden_size"}),
    "a value of infinity": lambda *_: Reading({"width": float("inf")}, {"hidden_size"}),
    "a value that is a text": lambda *_: Reading({"width": "three"}, {"hidden_size"}),
    "a value below nothing": lambda *_: Reading({"width": -3}, {"hidden_size"}),
    "keys of None": lambda *_: Reading({"width": 3}, None),
    "problems of None": lambda *_: Reading({"width": 3}, {"hidden_size"}, problems=None),
    "problems that are numbers": lambda *_: Reading({"width": 3}, {"hidden_size"}, problems=[5]),
    "notes that are formulas": lambda *_: Reading({"width": 3}, {"hidden_size"}, notes=[LEAK]),
    "no arguments": lambda: Reading({"width": 3}, {"hidden_size"}),
    "a change of the config": lambda config, _: config.clear() or Reading({"width": 3}, {"hidden_size"}),
    "another number each time": lambda *_: Reading({"width": next(TURNS)}, {"hidden_size"}),
}
READ = {
    f"a read that gives {what}": Wrong(
        "reader of configs",
        architecture(read=read),
        harmless="its notes are texts" if "formulas" in what else "it gets a copy" if "change" in what else "",
    )
    for what, read in READING.items()
}
RECORDS = {f"catalog: {what}": Wrong("catalog", plugin(**answers)) for what, (answers, _) in REFUSED.items()}
RECORDS |= {f"law: {what}": Wrong("law", plugin(scaling_laws=[law])) for what, (law, _) in LAWS.items()}
HUGE = "no number is so large"
OPTIMIZER = {"training_dtype_bytes": 2, "gradient_dtype_bytes": 2, "optimizer_bytes": 8, "about": "A", "source": "S"}
NAMED = {"name": "mine", "title": "Mine"}
FORMAT = {"method": "mine", "bits": "4", "head": "lm_head", "source": "S"}
NUMBERS = {
    "accelerator": (
        "accelerators",
        lambda **fields: replace(H100, **{"name": "mine", "title": "Mine", **fields}),
        {
            "a name of None": {"name": None},
            "no name": {"name": ""},
            "a memory below nothing": {"memory_gb": -80},
            "a peak of infinity": {"peak_tflops": float("inf")},
            "a bandwidth that is no number": {"bandwidth_tbs": float("nan")},
            "a peak of 1e300": {"peak_tflops": 1e300},
            "fp8 below nothing": {"fp8_tflops": -5},
            "a scale-up of 0": {"scale_up_size": 0},
            "a scale-up of half": {"scale_up_size": 2.5},
            "power below nothing": {"tdp_w": -700},
            "a year that is a text": {"year": "2022"},
            "memory_fields that are none": {"memory_fields": ("nope",)},
            "a purchase without source": {"purchase_low": -1, "purchase_base": 2, "purchase_high": 3},
            "a date that is none": {"date": "soon"},
            "a confidence that is none": {"confidence": "sure"},
        },
    ),
    "price": (
        "prices",
        lambda **fields: replace(PRICE, **{"accelerator": "b200", "kind": "spot", **fields}),
        {
            "of None": {"accelerator": None},
            "below nothing": {"low": -1},
            "that is no number": {"base": float("nan")},
            "of infinity": {"high": float("inf")},
            "of True": {"low": True},
            "a source of None": {"source": None},
            "a date after all": {"date": "9999-99-99"},
            "a date that is a number": {"date": 2026},
        },
    ),
    "optimizer": (
        "optimizers",
        lambda **fields: Optimizer(**{**NAMED, **OPTIMIZER, **fields}),
        {
            "a name of None": {"name": None},
            "below nothing": {"optimizer_bytes": -8},
            "of infinity": {"training_dtype_bytes": float("inf")},
            "that is no number": {"training_dtype_bytes": float("nan")},
            "of a text": {"gradient_dtype_bytes": "two"},
            "of 0 bytes": {"training_dtype_bytes": 0},
        },
    ),
    "law": (
        "scaling_laws",
        lambda **fields: replace(LAW, **fields),
        {
            "a name of None": {"name": None},
            "a name with blanks": {"name": "my law, yes"},
            "a form that is none": {"form": "cubic"},
            "an exponent of infinity": {"exponent": float("inf")},
            "an exponent that is no number": {"exponent": float("nan")},
            "an exponent of 400": {"exponent": 400},
            "a loss below nothing": {"form": "loss", "law_a": 1, "law_b": 1, "alpha": 1, "beta": 1, "law_e": -1e9},
            "tokens below nothing": {"max_tokens": -5},
            "a title of None": {"title": None},
            "a confidence of None": {"confidence": None},
        },
    ),
    "weight format": (
        "weight_formats",
        lambda **fields: WeightFormat(**{**FORMAT, **fields}),
        {
            "of None": {"method": None},
            "bits of an unknown name": {"bits": "nope + 1"},
            "bits that are a number": {"bits": 4},
            "bits below nothing": {"bits": "0 - 4"},
            "no formula": {"bits": "4 +"},
            "a bundled method": {"method": "gptq"},
            "when that is a list": {"when": ["x"]},
            "kept that is a text": {"kept": "lm_head"},
        },
    ),
}
RECORDS |= {
    f"{kind}: {what}": Wrong(kind, plugin(**{hook: [made_of(**fields)]}))
    for kind, (hook, made_of, cases) in NUMBERS.items()
    for what, fields in cases.items()
}


def _around() -> dict[str, Any]:
    """Return a table that holds itself."""
    table: dict[str, Any] = {}
    table["inputs"] = table
    return table


WRITING = {
    "raises": lambda *_: 1 / 0,
    "exits": lambda *_: exit(0),  # noqa: PLR1722 - what a plugin may do
    "writes nothing": lambda *_: None,
    "takes no arguments": lambda: None,
    "writes a folder": lambda _, path: path.mkdir(),
    "deletes its path's folder": lambda _, path: [one.unlink() for one in path.parent.iterdir()],
}
FORMATS = {
    f"an exporter that {what}": Wrong(
        "exporter", plugin(exporters=[Exporter(suffix=".wrong", title="Wrong", write=write)]), asks=("-o", "x.wrong")
    )
    for what, write in WRITING.items()
} | {
    f"an exporter: {what}": Wrong(
        "exporter",
        plugin(exporters=[Exporter(**{"suffix": ".wrong", "title": "Wrong", "write": write_name, **fields})]),
    )
    for write_name in [lambda _, path: path.write_text("a plan", "utf-8")]
    for what, fields in {
        "a suffix of None": {"suffix": None},
        "a suffix without a dot": {"suffix": "wrong"},
        "a suffix in capitals": {"suffix": ".WRONG"},
        "no suffix": {"suffix": ""},
        "a suffix with a folder": {"suffix": "./../x"},
        "the workbook's suffix": {"suffix": ".xlsx"},
        "write is a number": {"write": 5},
        "a part alone": {"part": lambda _: b""},
        "a module of no name": {"module": "no such.module"},
        "a module that is a number": {"module": 5},
        "a title of None": {"title": None},
    }.items()
}
FORMATS |= {
    f"a reader that {what}": Wrong(
        "reader",
        plugin(readers=[Reader(suffix=".own", title="Own", read=read)]),
        harmless="only its own portfolios are read by it, and are refused with its name",
        document="portfolio.own",
    )
    for what, (read, _) in {
        **READERS,
        "gives None": (lambda _: None, ""),
        "exits": (lambda _: exit(0), ""),  # noqa: PLR1722 - what a plugin may do
        "takes nothing": (dict, ""),
        "gives itself": (lambda _: _around(), ""),
        "gives a date and a set": (lambda _: {"name": {1, 2}, "inputs": object()}, ""),
        "gives keys that are numbers": (lambda _: {1: 2, "inputs": {3: 4}}, ""),
    }.items()
} | {
    f"a reader: {what}": Wrong(
        "reader", plugin(readers=[Reader(**{"suffix": ".own", "title": "Own", "read": bytes.decode, **fields})])
    )
    for what, fields in {
        "a suffix of None": {"suffix": None},
        "of TOML": {"suffix": ".toml"},
        "read is a number": {"read": 5},
        "a suffix without a dot": {"suffix": "own"},
    }.items()
}
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
QUESTIONS |= {
    f"a question in which {what}": Wrong(
        "question", PLUGIN.format(parts=parts), ".py", asks=("--input", "wrong_zero=0")
    )
    for what, (parts, _) in CASES.items()
}
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
TABLES = {f"a file of {what}": Wrong("TOML", text, ".toml") for what, text in TOML.items()}
KINDS = AT_IMPORT | HOOKS | ARCHITECTURES | LINES | FAMILIES | READ | RECORDS | FORMATS | QUESTIONS | TEXTS | TABLES
