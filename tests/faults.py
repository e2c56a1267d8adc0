"""Every kind of broken plugin that was tried, by what is wrong: the plugin, and what has to be said of it."""

from itertools import repeat

from toy_plugins import MATRIX, PRODUCT, RULE, TOY, VECTOR, WIDTH, toy

from flopsheet import Architecture, Block, Dimension, Family, Line, Reading, hookimpl

PACKAGE, VERSION = "bad-package", "0.7"


def marked(module, **hooks):
    """Return a plugin with functions in the place of its hooks, marked or not as they are given."""
    for name, hook in hooks.items():
        setattr(module, name, hook)
    return module


def reading(read):
    """Return a plugin whose architecture is read by a function."""
    return toy(architectures=[Architecture("toy", "Toy", "One matrix", (WIDTH,), read=read)])


def raising(error):
    """Return a plugin whose reader raises an error."""

    def read(*_):
        raise error

    return reading(read)


def matrix(**fields):
    """Return a plugin with another matrix."""
    return toy(parameters=[MATRIX._replace(**fields)])


def product(**fields):
    """Return a plugin with another product."""
    return toy(flops=[PRODUCT._replace(**fields)])


def core(formula, **fields):
    """Return a plugin with a core of attention beside its product."""
    line = PRODUCT._replace(name="core", formula=formula, work="attention_core", decode="0", **fields)
    return toy(flops=[PRODUCT, line])


def family(**fields):
    """Return a plugin whose type says so."""
    return toy(families=[Family("toy", "toy")._replace(**fields)])


def architecture(*dimensions, **fields):
    """Return a plugin whose architecture says so."""
    return toy(architectures=[Architecture("toy", "Toy", "One matrix", (WIDTH, *dimensions), **fields)])


def newer(module, api):
    """Return a plugin that is written for another API."""
    module.flopsheet_api = api
    return module


class Interrupted(KeyboardInterrupt):
    """What only calls itself a Ctrl-C."""


RAISED = [
    ImportError("no such module"),
    SyntaxError("invalid syntax"),
    RuntimeError("out of ideas"),
    AttributeError("'NoneType' object has no attribute 'get'"),
    AssertionError("never"),
    ZeroDivisionError("division by zero"),
    RecursionError("maximum recursion depth exceeded"),
    MemoryError("no memory"),
    SystemExit(4),
    BaseException("no"),
    GeneratorExit("no"),
    Interrupted("no"),
]
AT_IMPORT = {f"import raises {error!r}": (error, f"{type(error).__name__}: ") for error in RAISED} | {
    "a hook that there is not": (
        toy(paramters=[MATRIX]),
        "unknown hook 'flopsheet_paramters'; did you mean 'flopsheet_parameters'?; a newer hook needs a newer",
    ),
    "a hook without its mark": (
        marked(toy(), flopsheet_flops=lambda: [PRODUCT]),
        "flopsheet_flops is not marked with @flopsheet.hookimpl",
    ),
    "a misspelled hook without its mark": (
        marked(toy(), flopsheet_flop=lambda: [PRODUCT]),
        "flopsheet_flop is not marked with @flopsheet.hookimpl",
    ),
    "an argument that no hook has": (
        marked(toy(), flopsheet_flops=hookimpl(lambda config: [])),  # noqa: ARG005 - what has to be refused
        "Argument(s) {'config'} are declared in the hookimpl but can not be found in the hookspec",
    ),
    "extends nothing": (toy(extends=("tyo",)), "no plugin has an architecture 'tyo'; did you mean 'toy'?"),
    "extends a number": (toy(extends=5), "extends is 5: a name is expected, or several"),
    "replaces a number": (marked(toy(), replaces=5), "replaces is 5: a name is expected, or several"),
    "a later API": (newer(toy(), "1.99"), "it is written for version 1.99 of the plugin API"),
    "another API": (newer(toy(), "2.0"), "it is written for version 2.0 of the plugin API"),
    "an API that is no version": (newer(toy(), 1), "flopsheet_api is 1: a version such as"),
}
DECLARING = {
    "architectures raise": (toy(architectures=ValueError("boom")), "flopsheet_architectures: ValueError: boom"),
    "families raise": (toy(families=ValueError("boom")), "flopsheet_families: ValueError: boom"),
    "no list": (toy(architectures=TOY), "gave a single Architecture: a list of Architecture is expected ("),
    "a text for an architecture": (toy(architectures=["toy"]), "flopsheet_architectures gave 'toy'"),
    "an architecture twice": (toy(architectures=[TOY, TOY]), "architecture 'toy' is declared 2 times"),
    "a type twice": (toy(families=[Family("toy", "toy")] * 2), "model_type 'toy' is declared 2 times"),
}
IN_HOOKS = {f"a hook raises {error!r}": (toy(flops=error), f"{type(error).__name__}: ") for error in RAISED} | {
    "an answer of None": (toy(parameters=None), "flopsheet_parameters gave None: an iterable of Line is expected"),
    "a line for a list": (
        toy(parameters=MATRIX),
        "flopsheet_parameters gave a single Line: a list of Line is expected (",
    ),
    "a number for a list": (toy(parameters=5), "flopsheet_parameters gave a single int: a list of Line is"),
    "a table for a list": (
        toy(parameters={"a": MATRIX}),
        "flopsheet_parameters gave a single dict: a list of Line",
    ),
    "a text for a line": (toy(parameters=["x"]), "flopsheet_parameters gave 'x': Line is expected"),
    "a text for a dimension": (toy(dimensions=["width"]), "flopsheet_dimensions gave 'width': Dimension is expected"),
    "a list for a block": (toy(block=[Block()]), "flopsheet_block gave [Block"),
    "an answer without an end": (toy(parameters=repeat(MATRIX)), "flopsheet_parameters gives more than"),
    "a field of a newer flopsheet": (
        marked(toy(), flopsheet_flops=hookimpl(lambda: [Line("x", "1", "FLOP", quantisable=True)])),
        "TypeError: Line got an unexpected keyword argument 'quantisable'; a newer flopsheet may have it",
    ),
    "a misspelled field": (
        marked(toy(), flopsheet_flops=hookimpl(lambda: [Line("x", "1", "FLOP", tilte="X")])),
        "unexpected keyword argument 'tilte'; did you mean 'title'?",
    ),
    "two lines of one name": (toy(parameters=[MATRIX, MATRIX]), "the name 'matrix' cannot be used: it is used twice"),
    "a unit of another hook": (toy(flops=[MATRIX]), "line matrix has unit 'parameters'; 'FLOP' is expected"),
}
WORDS = {
    "a group that there is not": (matrix(group="retention"), "line matrix: group is 'retention'; did you mean"),
    "a group of memory for weights": (matrix(group="kv_cache"), "line matrix: group is 'kv_cache'; one of 'embedding'"),
    "a group of weights for memory": (
        toy(memory=[VECTOR._replace(group="embedding")]),
        "flopsheet_memory: line vector: group is 'embedding'; one of 'kv_cache', 'state' is expected",
    ),
    "a block's memory without a group": (
        toy(block=Block(memory=(Line("cache", "batch * context", "bytes"),))),
        "flopsheet_memory: line cache: group is 'other', as of a line that names none; one of 'kv_cache'",
    ),
    "a work that there is not": (product(work="matmul"), "line product: work is 'matmul'; one of '', 'linear'"),
    "a shard that there is not": (matrix(shard="columns"), "line matrix: shard is 'columns'; one of 'tensor'"),
    "a kind that there is not": (
        architecture(Dimension("depth", "Depth", kind="int", default=1)),
        "Architecture.dimensions[1].kind: 'int'; one of 'count'",
    ),
    "a choice of nothing": (
        architecture(Dimension("mode", "Mode", kind="choice", default=1)),
        "dimension mode: a choice needs labels",
    ),
    "a default that is no formula": (
        architecture(Dimension("depth", "Depth", default="256 +")),
        "dimension depth: default:\n256 +\n     ^ the formula ends too early",
    ),
    "a default of an unknown name": (
        architecture(Dimension("depth", "Depth", default="widht * 2")),
        "dimension depth: default:\nwidht * 2\n^ unknown name 'widht'; did you mean 'width'?",
    ),
    "a default of a later dimension": (
        architecture(Dimension("depth", "Depth", default="rank"), Dimension("rank", "Rank", default=1)),
        "dimension depth: default: 'rank' names rank, which is not before it; move it behind that",
    ),
    "a default of a hook's dimension": (
        toy(dimensions=[Dimension("depth", "Depth", default="widht")]),
        "dimension depth: default:\nwidht\n^ unknown name 'widht'",
    ),
    "a formula that is a number": (matrix(formula=5), "line matrix: formula is 5; a text is expected"),
    "a title that is a number": (matrix(title=5), "line matrix: title is 5; a text is expected"),
    "a title of 40,000 characters": (
        matrix(title="x" * 40_000),
        "line matrix: title: a text of 40,000 characters; at most 200 are expected",
    ),
    "a text with control characters": (matrix(about="bell\x07"), "line matrix: about: 'bell\\x07' has the control"),
}
HARD = {
    "an unknown name": ("widht * 2", "unknown name 'widht'; did you mean 'width'?"),
    "no formula": ("3 +", "line matrix of toy:"),
    "thousands of terms": (" + ".join(["width"] * 3000), "a formula has at most 4,000 characters"),
    "itself": ("matrix + 1", "unknown name 'matrix'"),
    "a later line": ("flops_forward", "unknown name 'flops_forward'"),
    "a function that there is not": ("sqrt(width)", "sqrt"),
    "an attribute": ("width.real", "line matrix of toy:"),
    "a power without end": ("power(10, power(10, 10))", "gives a number that no cell can hold"),
    "a division by zero": ("1 / (width - width)", "divides by zero"),
    "a logarithm of nothing": ("log(width - width)", "has no value: log of a number that is not above zero"),
    "less than nothing": ("width * width - 73", "line matrix gives -64 parameters, which is impossible"),
    "a fraction": ("width * 64 / 21", "line matrix gives 9.14286 parameters, which is impossible"),
    "another fraction": ("6.4", "line matrix gives 6.4 parameters, which is impossible"),
    "more than there can be": ("1.51 * power(10, 111)", "line matrix gives 1.51e+111 parameters, which is impossible"),
}
LINES = {f"weights: {what}": (matrix(formula=text), said) for what, (text, said) in HARD.items()} | {
    "a state that is a fraction": (
        toy(memory=[Line("state", "48534089 + width / 21", "bytes", "state")]),
        "line state gives 4.85341e+07 bytes, which is impossible",
    ),
    "a cache below nothing": (
        toy(memory=[Line("cache", "-batch * width", "bytes", "kv_cache")]),
        "line cache gives -3 bytes, which is impossible",
    ),
    "no FLOP": (toy(flops=[]), "counts weights but no FLOP, which is impossible"),
    "a square that no mask follows": (
        toy(flops=[PRODUCT, PRODUCT._replace(name="core", formula="2 * batch * seq_len * seq_len * width")]),
        "nothing says what seq_len is in a decode step",
    ),
    "a full square that is another": (
        core("2 * batch * pairs * width", full="4 * batch * seq_len * seq_len * width"),
        "with mask = full its formula gives",
    ),
    "a block with an unknown name": (
        toy(block=Block(parameters=(MATRIX._replace(name="more", formula="widht"),))),
        "unknown name 'widht'",
    ),
}
NAMES = ["A1", "a1", "r", "c", "T5", "R1C1", "lambda", "class", "if", "min", "power", "true", "batch", "grösse"]
NAMES += ["=cmd()", "", "two words", "x" * 65, "x" * 301, "width", "parameters", '=HYPERLINK("x")', "\x1b[31m"]
NAMED = {f"a line named {name[:20]!r}": (matrix(name=name), "cannot be used") for name in NAMES} | {
    "an architecture with a long name": (
        toy(architectures=[Architecture("a" * 23, "Long", "One matrix", (WIDTH,))], families=[Family("toy", "a" * 23)]),
        "it has more than 22 characters",
    ),
    "a dimension that is a cell": (architecture(Dimension("r1", "=cmd()", default=1)), "'r1' cannot be used"),
}
FAMILIES = {
    "a value of an unknown dimension": (
        family(values={"mlp_matrises": 3}),
        "family toy: values.mlp_matrises: no such dimension",
    ),
    "a class with an unknown dimension": (
        family(classes={"Toy": {"has_haed": 0}}),
        "family toy: classes.Toy.has_haed: no such dimension",
    ),
    "a value below nothing": (family(values={"width": -3}), "family toy: values.width: -3 is out of range"),
    "a value that is a fraction": (
        family(classes={"Toy": {"width": 7.5}}),
        "family toy: classes.Toy.width: 7.5 is out of range",
    ),
    "a value that is no formula": (family(values={"width": "3 +"}), "family toy: values.width:"),
    "classes that are a number": (family(classes=5), "family toy: classes is 5; a table is expected"),
    "classes that are a list": (family(classes=["Toy"]), "family toy: classes is ['Toy']; a table is expected"),
    "a class that is a number": (
        family(classes={"Toy": 5}),
        "family toy: classes.Toy is 5; a table of dimension values is expected",
    ),
    "a table whose classes are a number": (family(table="[toy]\nclasses = 5\n"), "classes is 5"),
    "a table with an unknown field": (family(table="[toy]\nclases = 5\n"), "clases"),
    "a table that is no TOML": (family(table="[toy\n"), "families.toml"),
    "a check that is no formula": (family(checks={"width >": "Too narrow"}), "family toy: check:"),
    "a family of no architecture": (
        toy(families=[Family("toy", "tyo")]),
        "family toy: architecture 'tyo': no plugin has it; did you mean 'toy'?",
    ),
    "a check of an unknown name": (
        architecture(checks={"n_kv_heads - 1": "Wrong"}),
        "names 'n_kv_heads', which is unknown",
    ),
    "a note of an unknown name": (architecture(notes={"widht - 3": "Wrong"}), "names 'widht', which is unknown"),
}
RULES = {
    "rules raise": (toy(rules=ValueError("boom")), "its rules are left out: flopsheet_rules: ValueError: boom"),
    "a rule of an unknown name": (toy(rules=[RULE._replace(formula="widht * 2")]), "rule squared of bad"),
    "a rule that compares nothing": (toy(rules=[RULE._replace(compares="nothing")]), "rule squared of bad"),
    "a rule twice": (toy(rules=[RULE, RULE]), "its rules are left out: rule squared is given twice"),
}
READERS = {f"a reader raises {error!r}": (raising(error), f"{type(error).__name__}: ") for error in RAISED} | {
    "a reader of nothing": (reading(lambda *_: 5), "read gave 5: a Reading is expected"),
    "a reader of an unknown dimension": (
        reading(lambda *_: Reading({"widht": 3}, {"hidden_size"})),
        "read gave 'widht': no such dimension",
    ),
}
FAULTS = AT_IMPORT | DECLARING | IN_HOOKS | WORDS | LINES | NAMED | FAMILIES | RULES | READERS
