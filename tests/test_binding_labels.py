"""A named cell gets its value in the unit that a person wrote for it."""

import openpyxl
import pytest
from budget_template import saved
from openpyxl.workbook.defined_name import DefinedName
from samples import CONFIGS
from test_binding import planned, report

from flopsheet.audit.audit import audit
from flopsheet.export.workbook.write import write_workbook
from flopsheet.host.loading import load

USD, SHARE, ENERGY, PARAMETERS = "out_total_cost", "in_mfu", "out_total_training_energy", "out_total_parameters"
LABELS = {
    "a unit next to the label": (USD, {"A2": "Cost of cluster", "B2": "USD m"}, "General", 1e6),
    "a unit after the value": (USD, {"B2": "Cost", "D2": "USD m"}, "General", 1e6),
    "a unit in brackets": (USD, {"B2": "Cost (USD k)"}, "General", 1e3),
    "a unit after a comma": (USD, {"B2": "Cost, USD m"}, "General", 1e6),
    "a unit at the end of the label": (USD, {"B2": "Total cost USD m"}, "General", 1e6),
    "a unit in words": (USD, {"B2": "Cost (in thousands of USD)"}, "General", 1e3),
    "a unit in two pieces": (USD, {"B2": "Cost (USD, millions)"}, "General", 1e6),
    "a unit that the format divides by": (USD, {"B2": "Cost (USD m)"}, "0.0,,", 1),
    "a unit in the format": (USD, {"B2": "Cost"}, '$0.0"m"', 1e6),
    "the unit of the value": (USD, {"B2": "Cost (USD)"}, "General", 1),
    "no unit": (USD, {"B2": "What all of it comes to"}, "General", 1),
    "a letter that is no unit": (USD, {"B2": "Plan B"}, "General", 1),
    "a unit in the title": ("out_total_weights_bytes", {"B2": "Bytes of the checkpoints per GB"}, "General", 1),
    "percent": (SHARE, {"B2": "MFU %"}, "General", 0.01),
    "percent that the format multiplies by": (SHARE, {"B2": "MFU %"}, "0%", 1),
    "a scale after a title that is a unit": (PARAMETERS, {"B2": "Total parameters", "D2": "M"}, "General", 1e6),
    "a scale in the format of a title": (PARAMETERS, {"B2": "Parameters"}, '0.0"M"', 1e6),
    "the title of the next number": (ENERGY, {"B2": "Energy kWh", "D2": "MWh", "E2": 5}, "General", 1),
    "a unit in brackets before another": (USD, {"B2": "Cost (USD)", "D2": "USD k"}, "General", 1),
    "a card": (USD, {"C1": "Total cost (USD m)"}, "General", 1e6),
    "a card with a sign in its format": (USD, {"C1": "Total cost (USD m)"}, '"$"#,##0.0', 1e6),
    "a card with a scale in its format": (USD, {"C1": "Total cost, USD"}, '$0.0"m"', 1e6),
    "a card under another unit": (USD, {"C1": "USD m", "B2": "Cost (USD k)"}, "General", 1e3),
    "a card of another kind": (USD, {"C1": "Energy (GWh)", "B2": "Cost"}, "General", 1),
    "energy": (ENERGY, {"B2": "Energy GWh"}, "General", 1e6),
}


def labeled(name, texts, form="General", value=1):
    """Return a workbook with one named cell, C2, and texts around it."""
    book = openpyxl.Workbook()
    sheet = book.active
    for place, text in texts.items():
        sheet[place] = text
    sheet["C2"], sheet["C2"].number_format = value, form
    book.defined_names[name] = DefinedName(name, attr_text="Sheet!$C$2")
    return saved(book)


@pytest.mark.parametrize(("name", "texts", "form", "size"), LABELS.values(), ids=LABELS)
def test_a_cell_holds_its_value_in_the_unit_of_its_label(name, texts, form, size, tmp_path):
    """Next to the cell, in its label or number format, or above it; a format that divides is part of the unit."""
    book, _ = report(tmp_path, labeled(name, texts, form), CONFIGS / "gpt2-xl")
    plan = planned(CONFIGS / "gpt2-xl")
    lines = plan.training(plan.models[0], "base")
    weights = plan.models[0].numbers["weights_bytes"]
    values = {
        "out_total_weights_bytes": weights,
        USD: lines["training_cost"],
        SHARE: 0.35,
        PARAMETERS: plan.models[0].numbers["parameters"],
        ENERGY: lines["training_energy"],
    }
    assert book.active["C2"].value == pytest.approx(float(values[name]) / size)


def test_money_of_another_country_is_emptied(tmp_path):
    """Neither dollars nor the sample appear under a label in euros, and that is an error of the run."""
    (tmp_path / "mine.xlsx").write_bytes(labeled(USD, {"B2": "Cost", "D2": "EUR m"}))
    result = write_workbook(planned(CONFIGS / "gpt2-xl"), tmp_path / "plan.xlsx", str(tmp_path / "mine.xlsx"))
    assert openpyxl.load_workbook(tmp_path / "plan.xlsx").active["C2"].value is None
    assert result.refused == (
        (
            "the name out_total_cost is left blank: 'EUR m' is not in USD as out_total_cost is;"
            " to convert it, set report_currency and currency_rate under [inputs]"
        ),
    )


@pytest.mark.parametrize(
    ("label", "said"),
    [("Cost (TEUR)", "TEUR"), ("Cost (x1000 USD)", "x1000 USD"), ("Cost (GWh)", "GWh"), ("Cost (base case)", "")],
)
def test_a_unit_that_is_not_read_is_told(label, said, tmp_path):
    """The value is in plain dollars then, and nobody should take it for anything else."""
    _, remarks = report(tmp_path, labeled(USD, {"B2": label}), CONFIGS / "gpt2-xl")
    line = f"Sheet!C2: out_total_cost is in USD: {said!r} in its label is not read as a unit of it"
    assert (line in remarks) is bool(said)


UNITS = {
    "no unit": ({"B2": "Cost of all of it"}, 1, "nothing next to out_total_cost says that it is in USD"),
    "another kind of unit": ({"B2": "Cost (GWh)"}, 1, "nothing next to out_total_cost says that it is in USD"),
    "another country's": ({"B2": "Cost (EUR m)"}, 1, "the label is 'Cost (EUR m)', but out_total_cost is in USD"),
    "the formula of another unit": (
        {"B2": "Cost (USD m)"},
        "=SUM(models[training_cost])",
        "the label is in USD m, but =SUM(models[training_cost]) is in USD",
    ),
}


@pytest.mark.parametrize(("texts", "value", "said"), UNITS.values(), ids=UNITS)
def test_a_label_that_is_not_in_the_unit_of_its_value_fails(texts, value, said, tmp_path):
    """`templates check` names the cell: the unit is missing, of another kind, or not that of the formula."""
    (tmp_path / "t.xlsx").write_bytes(labeled(USD, texts, value=value))
    (result,) = (one for one in audit(load(), str(tmp_path / "t.xlsx")).verdicts if one.name == "units")
    assert result.failures == (f"Sheet!C2: {said}",)


def test_a_label_in_a_unit_of_the_value_passes(tmp_path):
    """What is filled in the unit of its label has one."""
    (tmp_path / "t.xlsx").write_bytes(labeled(USD, {"B2": "Cost", "D2": "USD m"}))
    (result,) = (one for one in audit(load(), str(tmp_path / "t.xlsx")).verdicts if one.name == "units")
    assert result.failures == ()
