"""What plugins build on: the API's version, records, and what an extension may see and replace."""

import pytest
from toy_plugins import MATRIX, PRODUCT, Point, counted, other, plugin, toy

import flopsheet
from flopsheet import Block, Dimension, Line, Rows, hookimpl
from flopsheet.configs.reading import read_config
from flopsheet.export.workbook.problems import provenance_table
from flopsheet.host.loading import load_from
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan

CONFIG = {"model_type": "toy", "hidden_size": 3}
SAID = {
    "newer": ("1.1", "it is written for version 1.1 of the plugin API; this flopsheet has 1.0"),
    "another": ("2.0", "it is written for version 2.0 of the plugin API; this flopsheet has 1.0"),
    "number": (1.0, "flopsheet_api is 1.0: a version such as '1.0' is expected"),
    "word": ("latest", "flopsheet_api is 'latest': a version such as '1.0' is expected"),
}


def stating(version):
    """Return a plugin that states a version of the API."""
    module = toy()
    module.flopsheet_api = version
    return module


@pytest.mark.parametrize(("version", "reason"), SAID.values(), ids=SAID)
def test_a_plugin_for_another_api_is_refused(version, reason):
    """Before any hook is asked, with its name; others count."""
    host = load_from([Point("new", stating(version)), Point("others", other())])
    assert [(failure.plugin.name, failure.reason) for failure in host.failures] == [("new", reason)]
    assert counted(host, "other") == 9


def test_a_plugin_for_this_api_is_used():
    """The version that flopsheet states itself."""
    assert load_from([Point("toys", stating(flopsheet.API_VERSION))]).failures == []


@pytest.mark.parametrize(
    ("record", "count"), [(Dimension, 3), (Line, 7), (flopsheet.Rule, 6), (flopsheet.Family, 2), (Rows, 3)]
)
def test_later_fields_go_by_name(record, count):
    """A field that is added between them breaks nobody."""
    assert record(*["x"] * count)[:count] == ("x",) * count
    with pytest.raises(TypeError, match=f"{record.__name__} takes {count} values by place, and all others by name"):
        record(*["x"] * (count + 1))


@pytest.mark.parametrize("record", [flopsheet.Architecture, Block, flopsheet.Reading, flopsheet.Question])
def test_later_fields_of_classes_go_by_name(record):
    """As those of named tuples."""
    with pytest.raises(TypeError, match="positional arguments"):
        record(*[()] * 6)


def extension(block, **said):
    """Return a plugin that adds a block to the toy."""
    module = plugin(extends="toy", **said)
    module.flopsheet_block = hookimpl(block)
    return module


def test_an_extension_sees_the_lines_of_the_owner():
    """With their rows: a magnitude for each, as DoRA has it."""

    def block(lines):
        rows = [line.rows for line in lines.values() if line.rows]
        return Block(parameters=tuple(Line(f"magnitude_{row}", row, "parameters", "adapters") for row in rows))

    owner = toy(parameters=[MATRIX._replace(sides="2 * width", rows="width")])
    host = load_from([Point("dora", extension(block)), Point("toys", owner)])
    assert host.failures == []
    assert counted(host) == 9 + 3


def test_the_owner_sees_no_lines():
    """There are none before its own."""
    seen = []
    owner = toy(parameters=[], flops=[])

    def block(lines):
        seen.append(dict(lines))
        return Block(parameters=(MATRIX,), flops=(PRODUCT,))

    owner.flopsheet_block = hookimpl(block)
    assert counted(load_from([Point("toys", owner)])) == 9
    assert not any(seen)


def replacing(line, replaces=("product",)):
    """Return the host of a toy in which an extension replaces a line."""
    module = plugin(extends="toy", flops=[line])
    module.replaces = replaces
    return load_from([Point("half", module, "half-package", "0.3"), Point("toys", toy())])


def test_an_extension_replaces_a_line_by_name():
    """Its place stays, the number is the new one, and every model and the workbook's Provenance say so."""
    host = replacing(PRODUCT._replace(formula="batch * width * width"))
    model = cost(host, read_config(host, CONFIG))
    assert model.totals["flops_forward"] == 9
    text = "counted with lines of plugin half (half-package 0.3): product (in place of the architecture's own)"
    assert text in model.notes
    rows = provenance_table(make_plan(host, [model]), b"", "plan", {}).rows
    assert ["Plugin", "half", "half-package 0.3"] in rows
    assert ["Replaced", "product of toy", "half (half-package 0.3)"] in rows
    assert [row for row in rows if row[0] == "Added"] == []


def test_provenance_names_lines_that_an_extension_adds():
    """With the plugin that gave them: the table of lines alone would have them under the architecture's name."""
    bias = plugin(extends="toy", parameters=[Line("bias", "width", "parameters", "mlp")])
    host = load_from([Point("bias", bias, "bias-package", "0.3"), Point("toys", toy())])
    rows = provenance_table(make_plan(host, [cost(host, read_config(host, CONFIG))]), b"", "plan", {}).rows
    assert [row for row in rows if row[0] == "Added"] == [["Added", "bias of toy", "bias (bias-package 0.3)"]]


REFUSED = {
    "unsaid": (PRODUCT, (), "a line has it already; to replace that, say replaces = ('product',)"),
    "absent": (PRODUCT._replace(name="produkt"), ("produkt",), "no such line; did you mean 'product'?"),
    "unit": (PRODUCT._replace(name="matrix"), ("matrix",), "the line matrix would replace one of parameters by one"),
}


@pytest.mark.parametrize(("line", "replaces", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_replaced_is_refused(line, replaces, reason):
    """The architecture counts without the extension."""
    host = replacing(line, replaces)
    assert counted(host) == 9
    assert reason in host.failures[0].reason


def test_a_block_that_is_none_is_refused():
    """With what it gave."""
    owner = toy()
    owner.flopsheet_block = hookimpl(lambda: [MATRIX])
    model = cost(host := load_from([Point("toys", owner)]), read_config(host, CONFIG))
    assert "flopsheet_block gave [Line(name='matrix'" in model.problems[0]


def test_adapters_of_an_extension_freeze_the_rest():
    """All other weights take no gradient where there are any, unless told otherwise."""
    rank = Dimension("rank", "Rank", default=0, minimum=0)
    pair = Line("pair", "2 * width", "numbers", additive=False)
    adapter = Line("adapter", "rank * pair", "parameters", "adapters")
    lora = plugin(extends="toy", dimensions=[rank], parameters=[pair, adapter])
    host = load_from([Point("lora", lora), Point("toys", toy())])
    model = read_config(host, CONFIG)
    settings = ({}, {"rank": 2}, {"rank": 2, "frozen_share": 0})
    trained = [cost(host, model, given).totals["parameters_trained"] for given in settings]
    assert trained == [9, 12, 21]
