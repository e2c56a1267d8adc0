"""No formula is put together as text, neither one of a cell nor one of a line: parentheses come from its tree."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WRITERS = {
    "src/livesheets/excel.py": "the one writer of Excel formulas",
    "src/flopsheet/accounting/formula/write.py": "the one writer of the language",
    "src/flopsheet/accounting/formula/forms.py": "what people read in place of a formula",
}
"""The modules that make texts of trees, each with what it writes."""
MODULES = [
    path
    for folder in ("src", "plugins")
    for path in sorted((ROOT / folder).glob("**/*.py"))
    if str(path.relative_to(ROOT)) not in WRITERS
]

GAP = "\0"
"""What stands in a text for something that is put into it."""
IN_EXCEL = re.compile(r"\b[A-Z]{2,}[A-Z0-9.]*\(|\[#")
"""A function of Excel, or an item of a structured reference."""
COLUMN = re.compile(r"[\w\0]\[[\w\0\[]")
"""A column of a table, or several; modules that make no formulas say so where a value of a document is."""
SIGN = re.compile(r"[\w)\0][*+&<>][(\w\0]|[)\0][-/=][(\w\0]|[\w)][-/=][(\0]")
"""A sign of Excel, which has no spaces around it, next to what is put in."""
IN_LINES = re.compile(
    r"[\w)\0] [-+*/] [\w(\0]|[\w)\0] (?:[<>=!]=|[<>]) [\w(\0]|\bif\b.+\belse\b"
    r"|\b(?:min|max|ceil|floor|power|log|exp|round_up)\("
)
"""A sign, a choice or a function of the language."""
NAME = re.compile(r"[\w$\0]*")
"""What spells a name or an address, which no parentheses can miss."""
PROSE = {"title", "about", "source", "why", "erratum", "usage"}
"""What people read next to a formula."""

CELLS = {
    "Formula": ("text", 0),
    "Column": ("formula", 1),
    "CheckRow": ("off", 1),
    "Word": ("text", 0),
    "cell": ("name", 0),
}
LINES = {"Line": ("formula", 1), "Check": ("formula", 2), "Rule": ("formula", 2)} | dict.fromkeys(
    ("CellIsRule", "DataValidation"), ("formula", 1)
)
"""What holds a formula: its field, and the place of that among the arguments."""
OF_LINES = ("formula", "active", "full", "decode", "sides", "rows", "corrected", "compares", "applies")
"""Fields with formulas of the language."""
WHOLE = {"Formula", "Column", "CheckRow"}
"""What takes no text that is put together, not even a name: `cell` and `Word` spell those."""
JOINING = ("format", "format_map", "join", "replace")


def made_of(node: ast.AST) -> str | None:
    """Return what is known of a text that an expression puts together; None of any other expression."""
    match node:
        case ast.JoinedStr(values=values):
            return "".join(known(part) for part in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right) | ast.AugAssign(target=left, op=ast.Add(), value=right):
            sides = [text_of(left), text_of(right)]
            return None if sides == [None, None] else "".join(GAP if side is None else side for side in sides)
        case ast.Call(func=ast.Attribute(value=receiver, attr="join"), args=[parts]):
            return None if text_of(receiver) is None else known(receiver).join(map(known, pieces(parts)))
    return filled(node)


def filled(node: ast.AST) -> str | None:
    """Return what is known of a text with slots, and of what is put into them, with gaps between."""
    match node:
        case ast.BinOp(left=receiver, op=ast.Mod(), right=right):
            parts = [receiver, *pieces(right)]
        case ast.Call(func=ast.Attribute(value=receiver, attr=method), args=arguments, keywords=named) if (
            method in JOINING
        ):
            parts = [receiver, *arguments, *(one.value for one in named)]
        case ast.Attribute(value=receiver, attr=method) if method in JOINING:
            parts = [receiver]
        case _:
            return None
    texts = [text_of(part) for part in parts]
    return None if set(texts) == {None} else GAP.join(text or "" for text in texts)


def pieces(node: ast.AST) -> list[ast.AST]:
    """Return the expressions whose texts are joined: items of a list, or twice what a loop gives."""
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return [getattr(one, "value", one) if isinstance(one, ast.Starred) else one for one in items]
        case ast.GeneratorExp(elt=item) | ast.ListComp(elt=item):
            return [item, item]
    return [node, node]


def known(node: ast.AST) -> str:
    """Return what is known of a piece of a text, a gap for the rest."""
    text = text_of(node.value if isinstance(node, ast.FormattedValue) else node)
    return GAP if text is None else text


def text_of(node: ast.AST) -> str | None:
    """Return what is known of a text; None of what is none, or not known to be one."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else made_of(node)


def without_prose(node: ast.AST):
    """Give a node and all that is in it, but for what people read."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not (isinstance(inner, ast.keyword) and inner.arg in PROSE):
            yield from without_prose(inner)


def called(node: ast.AST) -> str:
    """Return the name of what is called, "" where nothing is."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "id", getattr(function, "attr", ""))


def imported(tree: ast.AST, room: str = "") -> set[str]:
    """Return the names that a module imports, from one room or from all; of a module's path, the last one."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
    paths = [f"{getattr(node, 'module', '')}.{name.name}" for node in nodes for name in node.names]
    return {path.rpartition(".")[2] for path in paths if room in path}


def renamed(tree: ast.AST):
    """Give the imports that give what holds a formula of a cell another name, under which nobody would find it."""
    froms = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "livesheets" in str(node.module))
    return (node for node in froms if any(name.asname and name.name in CELLS for name in node.names))


def given(call: ast.Call, field: str, place: int):
    """Give the arguments of a call that are a field, by its name or place."""
    yield from (keyword.value for keyword in call.keywords if keyword.arg == field)
    yield from call.args[place : place + 1]


def fields(tree: ast.AST, holders: dict[str, tuple[str, int]]):
    """Give what calls give as formulas, with the call's name, and what the names among it mean in this module."""
    calls = [node for node in ast.walk(tree) if called(node) in holders]
    meanings: dict[str, list[ast.AST]] = {}
    for node in ast.walk(tree) if calls else ():
        for name, value in pairs(node):
            meanings.setdefault(name, []).append(value)
    for call in calls:
        for value in given(call, *holders[called(call)]):
            for one in either(value):
                yield called(call), one
                name = getattr(one, "id", called(one))  # of all functions: a name has one meaning
                yield from ((called(call), part) for meant in meanings.get(name, []) for part in either(meant))


def either(node: ast.AST):
    """Give the expressions of which one is the value of an expression."""
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*either(body), *either(orelse))
        case ast.BoolOp(values=values):
            yield from (one for value in values for one in either(value))
        case ast.NamedExpr(value=value):
            yield from either(value)
        case _:
            yield node


def pairs(node: ast.AST):
    """Give the names that a statement assigns, each with its value, and functions with what they return."""
    if isinstance(node, ast.FunctionDef):
        yield from ((node.name, one.value) for one in ast.walk(node) if isinstance(one, ast.Return) and one.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name) and node.value:
        yield node.target.id, node.value
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                names = (getattr(name, "id", "?") for name in target.elts)
                yield from zip(names, node.value.elts, strict=True)


def spliced(source: str) -> list[int]:
    """Return the lines of a module in which a formula is put together as text."""
    tree = ast.parse(source)
    names = imported(tree)
    makes_lines = not names.isdisjoint(LINES)
    of_cells = imported(tree, "livesheets") | {"CheckRow"}
    cells = {name: field for name, field in CELLS.items() if of_cells & {name, "excel", "engine"}}
    makes_cells = not of_cells.isdisjoint({"Expression", "Formula", "Column", "excel", "engine"})
    results: list[ast.AST] = [*renamed(tree)]
    results += [node for holder, node in fields(tree, cells) if is_spliced(node, spells=holder not in WHOLE)]
    of_lines = (node for _, node in fields(tree, LINES))
    lines = (inner for node in (*of_lines, *replaced(tree)) for inner in without_prose(node))
    results += [node for node in lines if is_spliced(node)]
    signs = [IN_EXCEL, *[COLUMN] * makes_cells, *[SIGN] * ("call" in of_cells), *[IN_LINES] * makes_lines]
    texts = ((node, made_of(node) or "") for node in without_prose(tree))
    results += [node for node, text in texts if any(sign.search(text) for sign in signs)]
    return sorted({getattr(node, "lineno", 0) for node in results})


def is_spliced(node: ast.AST, *, spells: bool = True) -> bool:
    """Tell whether an expression puts a text together: one that is more than a name, where names may be spelled."""
    text = made_of(node)
    return text is not None and not (spells and NAME.fullmatch(text))


def replaced(tree: ast.AST):
    """Give the formulas that a line gets in place of its own."""
    calls = (node for node in ast.walk(tree) if called(node) in ("_replace", "replace", *LINES))
    return (one.value for call in calls for one in call.keywords if one.arg in OF_LINES)


def test_no_formula_is_put_together_as_text():
    """A formula is made of formulas: `a + b` inside a product has its parentheses because it is a sum."""
    found = {str(path.relative_to(ROOT)): spliced(path.read_text("utf-8")) for path in MODULES}
    assert {path: pieces for path, pieces in found.items() if pieces} == {}


def test_the_writers_are_there():
    """Each exception is a module that exists and writes."""
    assert [path for path in WRITERS if not makes_texts(ROOT / path)] == []


def makes_texts(path):
    """Tell whether a module makes texts."""
    return any(made_of(node) is not None for node in ast.walk(ast.parse(path.read_text("utf-8"))))


EXCEL = "from livesheets.engine import Formula, Column\n"
LINE = "from flopsheet.accounting.line import Line\n"
SPLICED = {
    "a function": EXCEL + 'text = f"IF({a}=0,0,{b})"',
    "a function by plus": EXCEL + 'text = "SUM(" + cells + ")"',
    "a function by percent": EXCEL + 'text = "SUM(%s)" % cells',
    "a function by format": EXCEL + 'text = "SUM({})".format(cells)',
    "a function by join": EXCEL + 'text = "+".join(f"COUNT({one})" for one in cells)',
    "a function without an import": 'text = f"IFERROR({a},0)"',
    "a row": EXCEL + 'text = f"{table}[[#This Row],[{name}]]"',
    "a span": EXCEL + 'text = f"cases[[{first}]:[{last}]]"',
    "a column": EXCEL + 'text = f"models[{name}]"',
    "a difference": EXCEL + 'found = Formula(f"{a}-{b}")',
    "a difference by name": EXCEL + 'text = f"{a}-{b}"\nfound = Formula(text)',
    "a product for a column": "from livesheets.excel import call\n" + 'texts = {"Amount": f"{times}*({a})"}',
    "headers by replace": EXCEL + 'found = Formula(columns.replace("cases[", "cases[[#Headers],"))',
    "a sum by join": EXCEL + 'found = Column("Whole", "+".join(parts))',
    "a word": 'from livesheets.excel import Word\nfound = Word(f"{a}*{b}")',
    "a check": 'row = CheckRow("Title", f"{a}-{b}", "Why")',
    "a term more": EXCEL + 'text += "+SUM(a)"',
    "a term more by name": EXCEL + 'text = start\ntext += "*b"\nfound = Formula(text)',
    "a function by joining a list": EXCEL + 'text = "".join(["IF(", a, ",0)"])',
    "a function by joining a loop": EXCEL + 'text = "".join(one + "-NA()" for one in cells)',
    "a function by joining what format gives": EXCEL + 'text = "+".join(map("COUNT({})".format, cells))',
    "a function by format of a mapping": EXCEL + 'text = "SUM({a})".format_map(cells)',
    "a function put into a format": EXCEL + 'text = "{a}*2".format(a="SUM(b)")',
    "a function put in by percent": EXCEL + 'text = "%s*%s" % ("SUM(a)", b)',
    "a function inside braces": EXCEL + "text = f\"{'SUM('}{cells})\"",
    "pieces": EXCEL + 'found = Formula("".join(pieces))',
    "a name for a whole formula": EXCEL + 'found = Formula(f"out_{key}")',
    "one of two": EXCEL + 'found = Formula(f"{a}*{b}" if c else d)',
    "one of two by or": EXCEL + 'found = Formula(given or f"{a}*{b}")',
    "a text with its type": EXCEL + 'text: str = f"{a}*{b}"\nfound = Formula(text)',
    "a text on the way": EXCEL + 'if text := f"{a}*{b}":\n    found = Formula(text)',
    "a text from a helper": EXCEL + 'def made(a, b):\n    return f"{a}*{b}"\nfound = Formula(made(c, d))',
    "by a module's name": 'import livesheets.engine as engine\nfound = engine.Formula(f"{a}*{b}")',
    "by another name": 'from livesheets.engine import Formula as Cell\nfound = Cell(f"{a}*{b}")',
    "a check by name": 'row = CheckRow("Title", off=f"{a}-{b}", why="Why")',
    "a product": LINE + 'line = Line("a", f"{b} * c", "ratio")',
    "a product by plus": LINE + 'line = Line("a", b + " * c", "ratio")',
    "a product by name": LINE + 'text = f"{b} * c"\nline = Line("a", text, "ratio")',
    "a product in a helper": LINE + 'def text(b):\n    return f"{b} * c"',
    "a choice": LINE + 'line = Line("a", formula=f"{b} if {c} else 0", unit="ratio")',
    "a choice by format": LINE + 'line = Line("a", "{} if b else 0".format(c), "ratio")',
    "a share": LINE + 'line = Line("a", "b", "ratio", active=f"{top}/{all}")',
    "in the place of another": 'other = line._replace(formula=f"{a}*{b}")',
    "inside a composed one": LINE + 'line = Line("a", times("b", f"{c}+1"), "ratio")',
}


@pytest.mark.parametrize("source", SPLICED.values(), ids=SPLICED)
def test_a_spliced_formula_is_found(source):
    """However the pieces are joined."""
    assert spliced(source) != []


COMPOSED = {
    "an expression": EXCEL + 'found = Formula(call("IF", cell(f"out_{name}") == 0, "", f"{name} ({unit})"))',
    "a whole text": EXCEL + 'found = Formula("SUM(delivered[Edited])")',
    "a text next to a number": EXCEL + 'found = Formula("in " & days & f" {unit}")',
    "a sum": EXCEL + "found = Formula(a + b)",
    "an expression from a helper": EXCEL + "def made(a, b):\n    return a * b\nfound = Formula(made(c, d) if c else d)",
    "a cell": "from livesheets.excel import cell\n" + 'found = cell("_".join(parts))',
    "a name": LINE + 'line = Line(f"own_{part}", f"{part}_shared", "flag", title=f"{part} * 2")',
    "slots": LINE + 'line = Line("a", fill("run_CASE * b", CASE=case), "USD", source=f"{a} * {b}")',
    "a message": 'raise ValueError(f"tables[{at}]: {name} is not a table")',
}


@pytest.mark.parametrize("source", COMPOSED.values(), ids=COMPOSED)
def test_a_composed_formula_is_not(source):
    """Names may be spelled, and people may read anything."""
    assert spliced(source) == []
