"""What architectures, dimensions and types declare names what there is, and is a number that can be."""

import pytest
from bad_questions import made
from faults import architecture, family
from planner import run
from toy_plugins import Point, plugin

from flopsheet import Dimension, Input

INPUT = Input("bad_months", "Months", default=-5)
BAD = {
    "continues": (architecture(continues="nope"), "continues of toy:\n    nope\n    ^ unknown name 'nope'"),
    "depth": (architecture(depth="widht + 1"), "unknown name 'widht'; did you mean 'width'?"),
    "decodes": (architecture(decodes="nope"), "decodes of toy:\n    nope\n    ^ unknown name 'nope'"),
    "on paper": (architecture(on_paper={"widht": 3}), "toy: on_paper.widht: no such dimension; did you mean 'width'?"),
    "on paper a formula": (architecture(on_paper={"width": "nope"}), "architecture toy: on_paper.width:\n    nope\n"),
    "on paper too little": (architecture(on_paper={"width": 0}), "on_paper.width: 0 is out of range; a whole number"),
    "a default": (architecture(Dimension("deep", "Deep", default=-5)), "dimension deep: default: -5 is out of range"),
    "a default of a choice": (
        architecture(Dimension("mode", "Mode", kind="choice", labels=("a", "b"), default=3)),
        "dimension mode: default: 3 is no place of a label; a whole number from 1 to 2 is expected",
    ),
    "a default of an input": (
        plugin(questions=[made(inputs=(INPUT,))]),
        "inputs[0]: the input bad_months: default: -5 is out of range; a whole number of at least 1 is expected",
    ),
    "a name in a table": (family(table="[toy]\nrename = { a = 5 }\n"), "family toy.rename.a: 5; a text is expected"),
    "a field": (
        family(values={"width": "hiden_size * 2"}),
        "family toy: values.width: 'hiden_size * 2' names 'hiden_size'; did you mean 'hidden_size'?; a dimension, one",
    ),
    "a field of a class": (family(classes={"Toy": {"width": "nope"}}), "family toy: classes.Toy.width: 'nope' names"),
    "a field of a check": (family(checks={"nope - 1": "No"}), "family toy: checks.nope - 1: 'nope - 1' names 'nope'"),
}
GOOD = {
    "a depth that nobody says": architecture(),
    "a depth": architecture(depth="width"),
    "a dimension and its key": family(values={"width": "hidden_size * 2"}),
    "a field that the class reads": family(values={"width": "wide * 2"}, hints={"reads": ["wide"]}),
    "a field with a default": family(values={"width": "wide * 2"}, defaults={"wide": 3}),
}


@pytest.fixture
def listed(monkeypatch):
    """Return how the list of a plugin alone ends, and what it says."""

    def listing(module):
        monkeypatch.setattr("flopsheet.host.loading._find_points", lambda _: [Point("wrong", module, "wrong-package")])
        return run("plugins", "--strict")[:2]

    return listing


@pytest.mark.parametrize(("bad", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_is_listed(bad, said, listed):
    """With the plugin, the place, what was found and what is expected."""
    status, text = listed(bad)
    assert status == 1
    assert said in text.partition("failed: wrong (wrong-package 1.0)")[2]


@pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)
def test_what_can_be_is_no_fault(good, listed):
    """Fields that something states are known, and a depth is needed by plans of training alone."""
    status, text = listed(good)
    assert (status, "failed:" in text) == (0, False)
