"""Reading formulas: what the language holds, what it refuses, and how it says so."""

import subprocess
import sys

import pytest

from flopsheet.accounting.formula import FUNCTIONS, check_name, read
from flopsheet.accounting.formula import formula as formula_module
from flopsheet.errors import FormulaError
from flopsheet.export.workbook.excel_form import excel_form
from livesheets.excel import cell

NAMES = ("n_layers", "d_model", "a", "b", "c")


def refusal(text, names=NAMES):
    """Return the message with which a text is refused."""
    with pytest.raises(FormulaError) as caught:
        read(text, names)
    return str(caught.value)


def test_names_stand_in_order_of_first_use():
    """Names are collected as the eye meets them, once each and without functions."""
    assert read("max(c, d_model) if b else c * a").names == ("c", "d_model", "b", "a")


def test_any_name_is_read_where_none_are_given():
    """Without a list of names every plain name may stand in a formula."""
    assert read("anything * at_all").names == ("anything", "at_all")


def test_text_is_kept_as_written():
    """The author's spacing survives."""
    assert read("a*b  +  1").text == "a*b  +  1"


def test_equal_texts_are_equal_formulas():
    """Two readings of one text compare and hash as one."""
    assert {read("a + b"), read("a + b")} == {read("a + b")}


def test_error_shows_the_place():
    """The caret stands under the name that is unknown, with the known one that is close."""
    assert refusal("n_layers * d_modle") == (
        "n_layers * d_modle\n           ^ unknown name 'd_modle'; did you mean 'd_model'?"
    )


def test_long_formula_shows_a_window():
    """An error far inside a long text shows the text around it, and the caret points at the place."""
    shown, pointer = refusal("a + " * 60 + "wrong" + " + a" * 60).split("\n")
    assert len(shown) < 120
    assert shown[pointer.index("^") :].startswith("wrong")
    assert shown.startswith("…")
    assert shown.endswith("…")


REFUSED = [
    ("", 0, "the formula is empty"),
    ("a +", 3, "ends too early"),
    ("(a", 0, "never closed"),
    ("a)", 1, "unmatched"),
    ("a b", 2, "'b' is not allowed here"),
    ("min(a b)", 4, "an operator or a comma is missing"),
    ("a if b", 0, "expected 'else'"),
    ("a ** b", 2, "write power(a, b)"),
    ("a // b", 2, "write floor(a / b)"),
    ("a % b", 2, "a - b * floor(a / b)"),
    ("a ^ b", 2, "write power(a, b)"),
    ("a <> b", 2, "write !="),
    ("a = b", 2, "write == to compare"),
    ("a.b", 1, "names have no parts"),
    ("a[0]", 1, "no subscripts"),
    ("'a'", 0, "no text"),
    ('f"a"', 1, "no text"),
    ("True", 0, "write 1"),
    ("None", 0, "write 0"),
    ("2j", 0, "not a whole or decimal number"),
    ("0x10", 0, "not a whole or decimal number"),
    ("1if a else 2", 0, "not a whole or decimal number"),
    ("a and b", 2, "write a second 'if'"),
    ("not a", 0, "swap the two branches"),
    ("a is b", 2, "a word of Python"),
    ("lambda: a", 0, "a word of Python"),
    ("(a := b)", 3, "write a if test else b"),
    ("(a, b)", 0, "between the arguments"),
    ("max(*a, b)", 4, "without a number before it"),
    ("min(a, key=b)", 10, "write == to compare"),
    ("(a) < b", 4, "only allowed as the test"),
    ("a < b < c", 2, "only allowed as the test"),
    ("1 if a < b < c else 2", 11, "one comparison at a time"),
    ("min(a)", 0, "write min(a, b, …)"),
    ("ceil(a, b)", 0, "write ceil(x)"),
    ("min * 2", 0, "'min' is a function"),
    ("a(b)", 0, "unknown function 'a'; expected one of min, max"),
    ("ceill(a)", 0, "did you mean 'ceil'?"),
    ("ln(a)", 0, "did you mean 'log'?"),
    ("2(a)", 0, "write * to multiply"),
    ("a + __import__", 4, "a name starts with a letter"),
    ("9007199254740993", 0, "numbers go up to 2**53"),
    ("1e999", 0, "numbers go up to 2**53"),
    ("a\nb", 1, "on one line"),
    ("a + é", 4, "formulas do not have 'é'"),
]


@pytest.mark.parametrize(("text", "place", "what"), REFUSED)
def test_what_the_language_lacks_is_refused_at_its_place(text, place, what):
    """Each refusal points at the place and says what to do."""
    pointer = refusal(text).split("\n")[-1]
    assert pointer.index("^") == place
    assert what in pointer


HOSTILE = {
    "ten megabytes": "9" * 10_000_000,
    "longest number": "9" * 4_000,
    "longest name": "a" * 4_000,
    "open parentheses": "(" * 4_000,
    "nested parentheses": "(" * 1_999 + "1" + ")" * 1_999,
    "nested calls": "exp(" * 600 + "a" + ")" * 600,
    "nested calls with an error": "exp(" * 60 + "1 1" + ")" * 60,
    "signs": "-" * 3_999 + "1",
    "choices": "a if b else " * 330 + "c",
    "choices without an end": "a if " * 700,
    "tests": "(" * 63 + "1 if " * 600,
    "comparisons": "a<" * 1_999 + "a",
    "too many terms": "a+" * 1_999 + "a",
    "powers": "power(9," * 60 + "9" + ")" * 60 + "**9",
    "power tower": "9**9**9**9",
    "nul byte": "a\0b",
    "control character": "a\x1b[2Jb",
    "lone surrogate": "a\ud800",
    "arabic digits": "a * ١٢",
    "full-width letters": "\uff4din(a, b)",
    "letter that normalizes": "ªa",
    "kelvin sign": "\u212a",
    "no-break space": "a\u00a0+ b",
    "dunder": "__import__",
    "attribute chain": "().__class__.__bases__",
    "comprehension": "[a for a in b]",
    "await": "await a",
    "yield": "(yield)",
    "statement": "a; b",
    "comment": "a # b",
    "continued line": "a \\\n+ b",
    "ellipsis": "...",
    "literal called": "1(2)",
    "literal compared": "1 is 1",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused_in_a_short_message(text):
    """Whatever the text is, the answer is a FormulaError that fits on a screen."""
    assert len(refusal(text)) < 400


def test_hostile_object_is_refused():
    """A plugin that gives a number in the place of a text gets the error of formulas too."""
    assert "a formula is a text" in refusal(12)


def test_a_sum_may_be_long():
    """Depth counts nesting, not length: 150 terms are read, computed and written."""
    formula = read(" + ".join(["a"] * 150))
    assert formula.evaluate({"a": 2}) == 300
    assert str(excel_form(formula, cell)) == "+".join(["a"] * 150)


def test_parts_are_counted():
    """151 terms are more than 300 parts."""
    assert "at most 300 parts" in refusal(" + ".join(["a"] * 151))


def test_deepest_formula_can_be_computed_and_written():
    """What is just not too deep works in every form."""
    formula = read("exp(" * 63 + "a" + ")" * 63)
    assert str(excel_form(formula, cell)).count("EXP(") == 63
    assert formula.markdown().count("exp(") == 63
    assert "too large" not in refusal("exp(" * 64 + "a" + ")" * 64)


def test_a_formula_is_compiled_at_first_use_and_once(monkeypatch):
    """Reading and writing never compile, evaluating twice compiles once."""
    compiled = []
    original = formula_module.compile_tree
    monkeypatch.setattr(
        formula_module, "compile_tree", lambda tree, mode: compiled.append(mode) or original(tree, mode)
    )
    formula = read("compiled_by_no_other_test * b")  # what is compiled is kept for the process, by its text
    str(excel_form(formula, cell))
    assert compiled == []
    assert [formula.evaluate({"compiled_by_no_other_test": 2, "b": b}) for b in (3, 4)] == [6, 8]
    assert compiled == ["exact"]


def test_import_is_light():
    """Only sweeps pay for NumPy."""
    code = "import sys, flopsheet.accounting.formula; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"False"


@pytest.mark.parametrize(
    "name",
    ["d_model", "n_layers", "conv1", "dt_16", "gpt_2", "xfe1", "a0", "a1048577", "rope", "cost", "batch2", "a" * 60],
)
def test_plain_names_are_accepted(name):
    """A name that is plain in Python and no cell in Excel may be used."""
    assert check_name(name) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((cell, "as a cell") for cell in ("dt16", "tp8", "bf16", "fp8", "gpt2", "moe2", "a1", "xfd1048576", "a01")),
        *((cell, "as a cell") for cell in ("r", "c", "rc", "r1", "c2", "r1c1", "rc1", "r1c")),
        *((word, "keeps for itself") for word in ("true", "false", "if", "lambda", "and", "in")),
        *((function, "a function") for function in FUNCTIONS),
        *(
            (name, "not a plain name")
            for name in ("", "Model", "_a", "__a__", "1a", "a b", "a-b", "größe", "ªa", "a\n")
        ),
        ("a" * 61, "at most 60 characters"),
    ],
)
def test_other_names_are_refused_with_the_reason(name, reason):
    """The reason says whether Python, Excel or the language stands in the way."""
    assert reason in (check_name(name) or "")
