"""What plugins bring beside architectures: prices, laws, formats of outputs and inputs; nonsense is refused by name."""

from dataclasses import replace

import pytest
from planner import run
from toy_plugins import Point, other, plugin

from flopsheet import Exporter, Input, Line, Optimizer, Price, Question, Reader, ScalingLaw, Table, accelerators
from flopsheet.configs.portfolio_reading import read_portfolio
from flopsheet.errors import PluginError, PortfolioError
from flopsheet.export.exporters import formats_for, writer_of
from flopsheet.host.loading import load_from
from flopsheet.planning.catalog import catalog
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import questions

H100 = accelerators()["h100-sxm"]
PRICE = Price(accelerator="h100-sxm", low=1, base=2, high=3, source="Contract", date="2026-01-01")
LAW = ScalingLaw(
    name="ours",
    title="Ours",
    form="power",
    exponent=0.5,
    anchor_flop=1e20,
    anchor_parameters=1e9,
    source="Note",
    confidence="read",
)


def loaded(**answers):
    """Return a host with a plugin that answers so, beside a good one."""
    return load_from([Point("bad", plugin(**answers), "bad-package", "0.7"), Point("others", other())])


REFUSED = {
    "a taken name": ({"accelerators": [H100]}, "accelerator h100-sxm: there is already one"),
    "no peak": ({"accelerators": [replace(H100, name="x", peak_tflops=0)]}, "accelerator x: peak_tflops = 0; a number"),
    "half a price": ({"accelerators": [replace(H100, name="x", price_low=None)]}, "low, base and high in rising order"),
    "no accelerator": ({"prices": [replace(PRICE, accelerator="h1000-sxm")]}, "did you mean 'h100-sxm'?"),
    "no kind": ({"prices": [replace(PRICE, kind="free")]}, "kind is 'free'; one of on_demand, reserved"),
    "a falling price": ({"prices": [replace(PRICE, low=2.5)]}, "2.5, 2, 3; low, base and high above 0"),
    "another type": ({"prices": [5]}, "flopsheet_prices gave 5: Price is expected"),
}


@pytest.mark.parametrize(("answers", "said"), REFUSED.values(), ids=REFUSED)
def test_a_row_of_the_catalog_that_cannot_be_is_refused(answers, said):
    """With its plugin; the catalog is as without it."""
    host = loaded(**answers)
    assert catalog(host) == dict(accelerators())
    (failure,) = host.failures
    assert said in failure.reason
    assert failure.plugin.name == "bad"


@pytest.mark.parametrize("kind", ["on_demand", "reserved", "spot"])
def test_a_price_wins_over_the_catalog(kind):
    """For its kind and no other, with source and date, in the plan and among the alternatives of money."""
    host = loaded(prices=[replace(PRICE, kind=kind)])
    plan = make_plan(host, (), inputs={"price_kind": kind})
    price = next(one for one in plan.drivers if one.name == "price_per_hour")
    assert (price.low, price.base, price.high, price.source, price.date) == (1, 2, 3, "Contract", "2026-01-01")
    others = {"on_demand", "reserved", "spot"} - {kind}
    for other_kind in others - ({"reserved", "spot"} if kind == "on_demand" else set()):
        plans = [make_plan(one, (), inputs={"price_kind": other_kind}) for one in (host, loaded())]
        assert plans[0].drivers == plans[1].drivers


LAWS = {
    "a taken name": (replace(LAW, name="kaplan_joint"), "there is already one"),
    "no constants": (replace(LAW, exponent=0), "a law of the form 'power' needs exponent above 0"),
}


@pytest.mark.parametrize(("law", "said"), LAWS.values(), ids=LAWS)
def test_a_law_that_says_nothing_is_refused(law, said):
    """The question is as without it."""
    host = loaded(scaling_laws=[law])
    assert questions(host)["scaling"] == questions(loaded())["scaling"]
    assert said in host.failures[0].reason


@pytest.mark.parametrize("field", ["speed", "title"])
def test_an_input_that_no_accelerator_has_is_refused(field):
    """Its question is left out with the reason; a figure that accelerators have is the default of its input."""
    rate = Input("our_rate", title="Our rate", unit="GB", kind="ratio", keys=(f"accelerator.{field}",), minimum=0)
    table = Table("cases", "Cases", (Line("our_result", "our_rate * 2", "GB", title="Result", source="S"),))
    host = loaded(questions=[Question("ours", "Ours?", "Ours", (rate,), (table,))])
    assert "ours" not in questions(host)
    assert f"key 'accelerator.{field}'; an accelerator has no such number" in host.failures[0].reason
    host = loaded(
        questions=[Question("ours", "Ours?", "Ours", (rate._replace(keys=("accelerator.memory_gb",)),), (table,))]
    )
    assert questions(host)["ours"].inputs[0].default == H100.memory_gb


def test_an_optimizer_of_a_taken_name_is_refused():
    """The bundled one counts."""
    lion = Optimizer(
        name="lion", title="", training_dtype_bytes=1, gradient_dtype_bytes=1, optimizer_bytes=1, about="", source=""
    )
    host = loaded(optimizers=[lion])
    assert host.optimizers()["lion"].optimizer_bytes == 8
    assert "flopsheet_optimizers: there is already name 'lion'" in host.failures[0].reason


def test_an_exporter_of_a_taken_suffix_is_refused(tmp_path):
    """Workbooks are flopsheet's own; a suffix of its own is one more format."""
    own = [Exporter(suffix=suffix, title="a format", write=lambda *_: 1 / 0) for suffix in (".xlsx", ".own")]
    host = loaded(exporters=own)
    assert formats_for(host, [tmp_path / "plan.own"])[".own"] == "a format"
    assert "there is already suffix '.xlsx'" in host.failures[0].reason
    assert writer_of(host, ".xlsx", None) is None
    with pytest.raises(PluginError, match="a format cannot be written: ZeroDivisionError"):
        writer_of(host, ".own", make_plan(host, ()))(tmp_path / "plan.own")


READERS = {
    "raises": (lambda _: 1 / 0, "cannot be read as Own: ZeroDivisionError"),
    "no table": (lambda _: [1], "not a table of names and values"),
    "unknown": (lambda _: {"modles": []}, "modles: unknown; did you mean 'models'?"),
    "late": (lambda _: {"without": ["rwkv"]}, "without: 'rwkv': only TOML portfolios leave plugins out"),
}


@pytest.mark.parametrize(("read", "said"), READERS.values(), ids=READERS)
def test_what_a_reader_gives_is_read_as_a_portfolio(tmp_path, read, said):
    """Its faults are told with its name, and what it says is checked."""
    host = loaded(readers=[Reader(suffix=".own", title="Own", read=read)])
    (tmp_path / "plan.own").write_text("", "utf-8")
    with pytest.raises(PortfolioError) as error:
        read_portfolio(host, tmp_path / "plan.own")
    assert said in str(error.value)


def test_a_report_can_be_parquet(tmp_path):
    """One row per model, each column with its unit."""
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "plan.toml").write_text('[inputs]\ndays = 30\n\n[[models]]\nsize = "7B"\n', "utf-8")
    assert run("report", tmp_path / "plan.toml", "-o", tmp_path / "plan.parquet")[0] == 0
    table = parquet.read_table(tmp_path / "plan.parquet")
    assert table.column("name").to_pylist() == ["7B"]
    assert table.schema.field("training_days").metadata[b"unit"] == b"days"
