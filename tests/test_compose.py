"""Formulas made of formulas: each part means inside another what it means alone."""

import ast
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_formulas import NAMES, formula, real, whole

from flopsheet import blocks, compose
from flopsheet.accounting.formula import read
from flopsheet.accounting.formula.write import Source, write
from flopsheet.errors import FormulaError, PluginError

ROOT = Path(__file__).resolve().parent.parent
TIMES = {
    "names": (("n_layers", "d_model"), "n_layers * d_model"),
    "sums": (("n_a + n_b", "d_model + d_ff"), "(n_a + n_b) * (d_model + d_ff)"),
    "a product joins": (("n_layers", "d_model * d_ff"), "n_layers * d_model * d_ff"),
    "a quotient joins": (("n_layers", "d_inner / chunk * d_state"), "n_layers * d_inner / chunk * d_state"),
    "a choice": (("2", "a if b else c"), "2 * (a if b else c)"),
    "a negative": (("a", "-b"), "a * -b"),
    "a call": (("min(a, 1)", "floor(b / 2)"), "min(a, 1) * floor(b / 2)"),
    "numbers": (("2", "0.5", "1_000"), "2 * 0.5 * 1000"),
}


@pytest.mark.parametrize(("factors", "text"), TIMES.values(), ids=TIMES)
def test_times(factors, text):
    """Parentheses stand where algebra needs them, and nowhere else."""
    assert compose.times(*factors) == text


SUMS = {
    "terms join": (compose.plus("a", "b - c", "d + e"), "a + b - c + d + e"),
    "none": (compose.plus(), "0"),
    "negated": (compose.plus("a", "-(b + c)"), "a - (b + c)"),
    "less a sum": (compose.minus("a", "b + c", "d"), "a - (b + c) - d"),
    "less a negative": (compose.minus("a", "-b"), "a - -b"),
    "over a product": (compose.over("a * b", "c * d"), "a * b / (c * d)"),
    "over a name": (compose.over("a + b", "c"), "(a + b) / c"),
    "call": (compose.call("min", "a + b", "1 if c else 2"), "min(a + b, 1 if c else 2)"),
}


@pytest.mark.parametrize(("text", "expected"), SUMS.values(), ids=SUMS)
def test_sums_quotients_and_calls(text, expected):
    """Sums are written in one row; what is taken away or divided by keeps its parentheses."""
    assert text == expected


FILLED = {
    "a name": ("MOST * d", {"MOST": "a + b"}, "(a + b) * d"),
    "a part of a name": ("run_CASE / run_hours_CASE", {"CASE": "low"}, "run_low / run_hours_low"),
    "the same name twice": ("min(STEP, last_STEP)", {"STEP": 3}, "min(3, last_3)"),
    "an empty part goes": ("PREFIX_cost + cost_PREFIX_low", {"PREFIX": ""}, "cost + cost_low"),
    "a group stays one": ("a * HOURS", {"HOURS": "24 * days"}, "a * (24 * days)"),
    "nothing to do": ("a*b", {"CASE": "low"}, "a * b"),
}


@pytest.mark.parametrize(("text", "slots", "expected"), FILLED.values(), ids=FILLED)
def test_fill(text, slots, expected):
    """A slot is a formula of its own, or a part of a name."""
    assert compose.fill(text, **slots) == expected


def test_a_slot_that_spells_no_name_is_refused():
    """A formula cannot be a part of a name."""
    with pytest.raises(FormulaError, match="run_CASE with its slots filled is not a name"):
        compose.fill("run_CASE * hours", CASE="a + b")


SUBSTITUTED = {
    "nothing to do": ("a*b", {"c": "d"}, "a*b"),
    "a longer name stays": ("d_ff * d_ff_wide", {"d_ff": "width"}, "width * d_ff_wide"),
    "at once": ("a * b", {"a": "b", "b": "a"}, "b * a"),
    "a sum in a product": ("n * d", {"n": "a + 1"}, "(a + 1) * d"),
    "a product in a product": ("2 * n * d", {"n": "a * b"}, "2 * a * b * d"),
    "a product under a line": ("d / n", {"n": "a * b"}, "d / (a * b)"),
    "a sum that is taken away": ("d - n", {"n": "a + b"}, "d - (a + b)"),
    "a sum in a sum": ("d + n", {"n": "a - b"}, "d + a - b"),
    "a choice": ("a if n == 2 else -n", {"n": "b + c"}, "a if b + c == 2 else -(b + c)"),
    "an argument": ("min(n, max(n, 2))", {"n": "a if b else c"}, "min(a if b else c, max(a if b else c, 2))"),
    "grouped by its author": ("a * (b * c)", {"a": "d"}, "d * (b * c)"),
}


@pytest.mark.parametrize(("text", "meanings", "expected"), SUBSTITUTED.values(), ids=SUBSTITUTED)
def test_substitute(text, meanings, expected):
    """A formula stands in the place of a name as one number would."""
    assert compose.substitute(text, meanings) == expected


SETTLED = {
    "a flag": ("a if 1 else b", "a"),
    "a comparison": ("a if 2 < 1 else b", "b"),
    "inside": ("2 * (a if 0 else b + c)", "2 * (b + c)"),
    "a test that is settled": ("a if (1 if 0 else 0) else b", "b"),
    "a test of functions": ("a if max(1, 2) > power(2, 1) else b", "b"),
    "an open test": ("a if c else b if 1 else d", "a if c else b"),
    "no choice": ("1 * a", "1 * a"),
}


@pytest.mark.parametrize(("text", "expected"), SETTLED.values(), ids=SETTLED)
def test_settle(text, expected):
    """A choice is made once its test names nothing."""
    assert compose.settle(text) == expected


MULTIPLES = {
    "a factor": ("2 * tokens * (a + b)", True),
    "over something": ("2 * tokens / batch", True),
    "alone": ("tokens", True),
    "under the line": ("2 / tokens", False),
    "twice": ("tokens * tokens", False),
    "inside": ("2 * (tokens + 1)", False),
    "a term": ("tokens + 1", False),
    "in a call": ("min(tokens, 2) * 3", False),
    "in parentheses": ("2 * (tokens * 3)", True),
}


@pytest.mark.parametrize(("text", "is_multiple"), MULTIPLES.values(), ids=MULTIPLES)
def test_is_multiple(text, is_multiple):
    """Only a product with the name once as a factor grows with it."""
    assert compose.is_multiple(text, "tokens") is is_multiple


def test_terms():
    """A sum is taken apart into terms that add up to it, negated where they are taken away."""
    assert compose.terms("a - b * c + (d - (e + f))") == ["a", "-(b * c)", "d", "-(e + f)"]
    assert compose.plus(*compose.terms("a - b * c + (d - (e + f))")) == "a - b * c + d - (e + f)"


def test_a_text_that_cannot_be_read_is_shown():
    """The message is that of the part."""
    with pytest.raises(FormulaError, match=r"a \+\n   \^ the formula ends too early"):
        compose.times("b", "a +")


def test_a_composed_formula_is_bounded_like_any_other():
    """What the language cannot hold is refused with a place in the composed text."""
    with pytest.raises(FormulaError, match="at most 300 parts"):
        read(compose.plus(*["a * b"] * 120))


numbers = st.fixed_dictionaries({name: st.integers(0, 9) for name in NAMES})


def texts(make=whole):
    """Choose formulas of the grammar."""
    return st.randoms(use_true_random=False).map(make)


def value(text, values):
    """Return what a formula gives, as Python computes it."""
    return read(text).evaluate(values)


@given(texts(), texts(), texts(), numbers)
def test_composition_is_algebra(first, second, third, values):
    """Products, sums, differences and quotients of random formulas are those of their values."""
    a, b, c = (value(text, values) for text in (first, second, third))
    assert value(compose.times(first, second, third), values) == a * b * c
    assert value(compose.plus(first, second, third), values) == a + b + c
    assert value(compose.minus(first, second, third), values) == a - b - c
    assert value(compose.plus(*compose.terms(first)), values) == a
    if b:
        assert value(compose.over(first, second), values) == Fraction(a, b)
    if b and c:
        assert value(compose.times(first, compose.over(second, third), first), values) == Fraction(a * b * a, c)


@given(texts(), texts(), texts(), numbers)
def test_substitution_is_algebra(text, first, second, values):
    """A random formula in the place of a name gives what its value gives."""
    meant = values | {"a": value(first, values), "b": value(second, values)}
    assert value(compose.substitute(text, {"a": first, "b": second}), values) == value(text, meant)


@given(texts(formula), numbers)
def test_settling_keeps_the_value(text, values):
    """With every name a number all choices are made, and the formula is what it was."""
    known = {name: str(number) for name, number in values.items()}
    try:
        expected = value(text, values)
    except FormulaError:
        return
    settled = compose.settle(compose.substitute(text, known))
    assert " if " not in settled
    assert value(settled, {}) == expected


@given(st.integers(0, 2**32).map(lambda seed: real(Random(seed), 3)))  # noqa: S311 - no secret
def test_a_written_tree_is_read_as_the_same_tree(text):
    """The text of a tree is nothing but the tree: reading it again changes neither."""
    tree = read(text).tree
    written = write(tree, Source())
    assert ast.dump(ast.parse(written, mode="eval").body) == ast.dump(tree)
    assert write(read(written).tree, Source()) == written


def test_a_linear_layer_of_sums():
    """Seven rows in three plus two copies: 75 weights as algebra says, and not the 28 that joined texts would give."""
    block = blocks.linear(
        "p", "d_model + d_ff", copies="n_a + n_b", uses="n_a - 1", bias="d_ff + 1", sides="d_model + 1", group="mlp"
    )
    values = {"n_a": 3, "n_b": 2, "d_model": 8, "d_ff": 7, "tokens": 10}
    weights, bias = block.parameters
    assert value(weights.formula, values) == 75
    assert value(bias.formula, values) == 5 * 8
    assert value(weights.sides, values) == 5 * 9
    assert value(block.flops[0].formula, values) == 2 * 10 * 2 * 15


def test_a_linear_layer_of_unlike_tokens():
    """The tokens of a layer may be any formula too."""
    block = blocks.linear("p", "tokens_a * 3", tokens="tokens_a + tokens_b", group="mlp")
    assert block.flops[0].formula == "2 * (tokens_a + tokens_b) * n_layers * tokens_a * 3"


def test_an_instance_of_expressions():
    """A dimension of a block may become any formula."""
    block = blocks.linear("p", "d_model * d_ff", bias="d_ff", group="mlp")
    own = blocks.instance(block, "x_", {"n_layers": "decoder_layers + 1", "d_ff": "wide if is_wide else d_model"})
    assert own.parameters[0].formula == "(decoder_layers + 1) * d_model * (wide if is_wide else d_model)"
    values = {"decoder_layers": 2, "d_model": 4, "is_wide": 1, "wide": 5, "tokens": 10}
    assert [value(line.formula, values) for line in own.parameters] == [3 * 4 * 5, 3 * 5]
    assert value(own.flops[0].formula, values) == 2 * 10 * 3 * 4 * 5


def test_a_layer_that_cannot_be_read_is_named():
    """Its formula is shown with the place."""
    with pytest.raises(PluginError, match=r"linear layer p:\nd_model \+\n         \^ the formula ends too early"):
        blocks.linear("p", "d_model +", group="mlp")
    block = blocks.linear("p", "d_model", group="mlp")
    with pytest.raises(PluginError, match=r"line p, as x_p:\nd_model \*\*"):
        blocks.instance(block, "x_", {"d_model": "d_model ** 2"})


def test_every_block_stands_where_it_is_said_to():
    """Blocks are imported when they are asked for; each name leads to one."""
    assert all(getattr(blocks, name) is not None for name in dir(blocks))
    with pytest.raises(AttributeError, match="blocks attribute ATENTION"):
        _ = blocks.ATENTION


SIGNS = (" * ", " + ", " - ", " / ", " if ", " else ")
ACCOUNTING = ROOT / "src" / "flopsheet" / "accounting"
WRITERS = {*(ACCOUNTING / "formula" / name for name in ("write.py", "forms.py")), ACCOUNTING / "optimizers.py"}
"""What writes trees as text, and what adds bytes up for people; nothing reads either as a part of a formula."""
READERS = {ACCOUNTING / "tables.py", *(ACCOUNTING / "formula").glob("*.py")}
"""What finds tables in TOML, and what reads formulas."""
FOLDERS = (ACCOUNTING, ROOT / "plugins", ROOT / "examples" / "plugin")
FILES = ROOT / "plugins" / "flopsheet_formats"
"""What reads files of other programs, and gives no line."""
COMPOSING = sorted(
    path for folder in FOLDERS for path in folder.rglob("*.py") if path not in WRITERS and FILES not in path.parents
)


def spliced(tree):
    """Return the lines on which a text with a sign of the language is put together of other texts."""
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=values):
                parts = [part.value for part in values if isinstance(part, ast.Constant)]
            case ast.BinOp(left=ast.Constant(value=str() as part)) | ast.BinOp(right=ast.Constant(value=str() as part)):
                parts = [part]
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as part), attr="join" | "format")):
                parts = [part]
            case ast.Call(func=ast.Attribute(attr="replace" | "sub"), args=args):
                parts = [arg.value for arg in args if isinstance(arg, ast.Constant)]
            case _:
                continue
        if any(sign in str(part) for part in parts for sign in SIGNS):
            yield node.lineno


def test_no_formula_is_spliced():
    """Formulas are composed as trees: no text with their signs is joined, formatted, replaced or matched."""
    for path in COMPOSING:
        tree = ast.parse(path.read_text())
        imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        assert list(spliced(tree)) == [], path
        assert path in READERS or "re" not in imported, path


SPLICES = [
    'f"{copies} * {weights}"',
    'f"1 if {flag} else 0"',
    '" + ".join(names)',
    '"2 * {pairs}".format(pairs="s")',
    'full.replace("s * s", "p")',
    'line.formula + " - x"',
]


@pytest.mark.parametrize("code", SPLICES)
def test_a_spliced_formula_is_found(code):
    """The search sees every way in which formulas were once put together."""
    assert list(spliced(ast.parse(code))) == [1]


def test_factors_are_those_of_the_product():
    """A quotient stays with what is divided; a sum is one factor."""
    assert compose.factors("2 * a * (b + c) / d * e") == ["2 * a * (b + c) / d", "e"]
    assert compose.factors("a * (b + c)") == ["a", "b + c"]
