"""Wrong plugins of models: architectures, lines, families, and what reads configs."""

from dataclasses import replace
from itertools import count

from faults import architecture, family
from toy_plugins import MATRIX, PRODUCT, TOY, WIDTH, toy
from wrong import LEAK, Wrong

from flopsheet import Block, Dimension, Line, Reading

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
