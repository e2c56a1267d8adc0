import re
from io import BytesIO

import judges
import openpyxl
import pytest
from budget_template import DATA, add_table, budget, saved
from openpyxl import load_workbook
from openpyxl.workbook.defined_name import DefinedName
from samples import CONFIGS, costed, planned, write_config
from xlsx_templates import patched, raw_entries

from flopsheet.configs.inputs import read_inputs
from flopsheet.errors import TemplateError
from flopsheet.export.workbook import write_workbook
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan

BATCH = [CONFIGS / name for name in ("gpt2-xl", "Llama-3.1-8B", "mamba-2.8b", "broken")]


def report(folder, template, *inputs):
    """Fill a template with a batch, and return the workbook with its values, and the remarks."""
    path, output = folder / "template.xlsx", folder / "plan.xlsx"
    path.write_bytes(template)
    filled = write_workbook(planned(*(inputs or BATCH)), output, str(path))
    return load_workbook(output, data_only=True, read_only=True), filled.unbound


def column(book, header, sheet="Data"):
    """Return the values under a header, the totals row left out."""
    rows = [row for row in book[sheet].iter_rows(values_only=True) if row[0] not in (None, "Total")]
    head = next(row for row in rows if header in row)
    return [row[head.index(header)] for row in rows[rows.index(head) + 1 :]]


READ_BACK = {
    "Model": "x",
    "Architecture": "dense",
    "Own tokens (T)": 1,
    "Published (B)": 8.03,
    "Parameters (B)": 8.03,
    "Training cost [USD m]": 1.5,
    "Layers": 32,
    "Hidden size": 4096,
    "Heads (#)": 32,
    "n_kv_heads": 8,
    "MLP width, k": 14.3,
    "MLP matrices": 3,
    "Vocabulary (k tokens)": 128.3,
}


def test_a_filled_list_is_a_list_of_models(tmp_path):
    """What a template's header shows is what a model list reads under the same header."""
    book = openpyxl.Workbook()
    add_table(book.active, "Data", 1, READ_BACK, totals=False)
    report(tmp_path, saved(book), CONFIGS / "Llama-3.1-8B")
    models, _ = read_inputs(load(), [str(tmp_path / "plan.xlsx")])
    (model,) = cost_all(load(), models)
    assert (model.status, model.totals["parameters"]) == ("ok", 8_030_261_248)
    assert "column 'Parameters (B)' is not read: 'Published (B)' says it" in model.notes


def test_a_plain_budget_workbook_is_filled(tmp_path):
    """The list gets a row a model in the header's units; the author's sheets stay."""
    book, _ = report(tmp_path, budget())
    models = [model for model in costed(*BATCH) if model.ledger]
    assert column(book, "Model") == [model.name for model in models]
    assert column(book, "Parameters (B)") == [model.totals["parameters"] / 10**9 for model in models]
    assert column(book, "MFU") == [0.35] * 3
    assert book["Sums"]["B2"].value == "untouched"
    assert book["Data"]["A1"].value == "Model plan, 4 models"


@judges.needs_soffice
@judges.needs_validator
def test_sums_over_the_list_cover_every_model(tmp_path):
    """LibreOffice finds in the author's SUMIFS, totals and formulas what Python put into the rows."""
    report(tmp_path, budget())
    assert judges.validate(tmp_path / "plan.xlsx") == []
    book = load_workbook(judges.recalculate(tmp_path / "plan.xlsx", tmp_path / "out"), data_only=True, read_only=True)
    costs = column(book, "Training cost [USD m]")
    assert book["Sums"]["A1"].value == pytest.approx(sum(costs[:2]))
    assert book["Data"].cell(book["Data"].max_row, 4).value == pytest.approx(sum(costs))
    assert column(book, "Cost a parameter") == pytest.approx(
        [cost / size for cost, size in zip(costs, column(book, "Parameters (B)"), strict=True)]
    )


def test_the_totals_row_shows_what_python_computed(tmp_path):
    """The sum of a filled column stands beside its formula."""
    book, _ = report(tmp_path, budget())
    sheet = book["Data"]
    assert sheet.cell(sheet.max_row, 3).value == pytest.approx(sum(column(book, "Parameters (B)")), rel=1e-15)


def test_a_column_of_the_author_keeps_its_formula(tmp_path):
    """The first row's formula stands in every row, without a value that nobody computed."""
    report(tmp_path, budget())
    book = load_workbook(tmp_path / "plan.xlsx")
    assert column(book, "Cost a parameter") == [DATA["Cost a parameter"]] * 3


def test_an_unknown_column_is_blank_and_reported(tmp_path):
    """Nothing of the sample stays, and the remark names the cell."""
    book, remarks = report(tmp_path, budget(DATA | {"Paramters": 1}))
    assert column(book, "Owner") == [None] * 3
    assert "Data!I3: the column 'Owner' stays blank: this name is not recognized" in remarks
    assert (
        "Data!J3: the column 'Paramters' stays blank: this name is not recognized; did you mean 'Parameters'?"
        in remarks
    )


def test_a_column_of_sparklines_is_not_told(tmp_path):
    """They are drawn in cells that hold nothing."""
    group = (
        '<extLst><ext uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}" '
        'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main">'
        '<x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">'
        "<x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>Data!B4:C4</xm:f><xm:sqref>I4</xm:sqref>"
        "</x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst></worksheet>"
    )
    template = patched(budget(), "xl/worksheets/sheet1.xml", ("</worksheet>", group))
    assert not any("'Owner' stays blank" in remark for remark in report(tmp_path, template)[1])


def test_models_in_error_have_a_row_where_a_column_says_so(tmp_path):
    """With a column Status they stand in the list, without numbers; else a remark counts them."""
    book, remarks = report(tmp_path, budget(DATA | {"Status": "ok"}))
    assert column(book, "Status") == ["ok", "ok", "ok", "error"]
    assert column(book, "Parameters (B)")[3] is None
    assert not any("no row" in remark for remark in remarks)
    _, remarks = report(tmp_path, budget())
    assert "the table Data: 1 model in error has no row; add a column Status or Problems to list them" in remarks


FLAGS = {"text": ("No", "Yes"), "boolean": (True, True), "number": (1, 1), "blank": (None, 1)}


@pytest.mark.parametrize(("sample", "shown"), FLAGS.values(), ids=FLAGS)
def test_a_flag_is_shown_as_the_sample_shows_it(sample, shown, tmp_path):
    """Words, TRUE and FALSE, or 1 and 0, which sum."""
    book, _ = report(tmp_path, budget(DATA | {"Fits?": sample}), CONFIGS / "gpt2-xl")
    assert column(book, "Fits?") == [shown]
    assert type(column(book, "Fits?")[0]) is type(shown)


def test_a_percentage_follows_its_number_format(tmp_path):
    """A share stays a share under a format in percent, and is multiplied under any other."""
    book, _ = report(tmp_path, budget(DATA | {"MFU (%)": 40}), CONFIGS / "gpt2-xl")
    assert (column(book, "MFU"), column(book, "MFU (%)")) == ([0.35], [35])


FORMATS = {
    "a share under a format in percent": ("MFU", "0.0%", 0.35),
    "percent under a format in percent": ("MFU %", "0.0%", 0.35),
    "percent under a sign alone": ("MFU", '0.0"%"', 35),
    "thousands that the format divides": ("Training days (hours)", "0,", 24e3),
    "millions that the format divides": ("MFU (%)", '_(* #,##0.0,,_);(0,);"-"', 35e6),
    "a unit in the format alone": ("MFU", r"0.0\%", 35),
    "a scale that the format divides and names": ("Training cost", '$#,##0.0,,"m"', None),
}


@pytest.mark.parametrize(("header", "form", "value"), FORMATS.values(), ids=FORMATS)
def test_a_number_shows_what_header_and_format_say(header, form, value, tmp_path):
    """A format that divides, or writes a unit of its own, is part of the unit."""
    book = openpyxl.Workbook()
    add_table(book.active, "Data", 3, {"Model": "m", "Parameters": 1, header: 1}, totals=False)
    book.active["C4"].number_format = form
    filled, _ = report(tmp_path, saved(book), CONFIGS / "gpt2-xl")
    plan = planned(CONFIGS / "gpt2-xl")
    results = plan.training(plan.models[0], "base")
    expected = {
        "Training days (hours)": results["training_days"] * value if value else 0,
        "Training cost": results["training_cost"],
    }
    assert filled.active["C4"].value == pytest.approx(float(expected.get(header, value)))


ABOVE = {
    "a unit": ("Training cost", "USD m", "General", 1e6),
    "a unit in brackets over a sign": ("Training cost", "(USD k)", "$#,##0", 1e3),
    "another unit in the header": ("Training cost (USD m)", "USD k", "General", 1e6),
    "a scale in the format": ("Training cost", "USD", '$0.0"m"', 1e6),
    "words": ("Training cost", "Of the run, in USD m", "General", 1),
    "money of another country": ("Training cost", "EUR m", "General", None),
}


@pytest.mark.parametrize(("header", "above", "form", "size"), ABOVE.values(), ids=ABOVE)
def test_a_unit_may_be_above_a_header(header, above, form, size, tmp_path):
    """Planning books have a row of units: what it says counts where the header says none."""
    book = openpyxl.Workbook()
    add_table(book.active, "Data", 3, {"Model": "m", "Parameters": 1, header: 1}, totals=False)
    book.active["C2"], book.active["C4"].number_format = above, form
    filled, _ = report(tmp_path, saved(book), CONFIGS / "gpt2-xl")
    plan = planned(CONFIGS / "gpt2-xl")
    cost = float(plan.training(plan.models[0], "base")["training_cost"])
    assert filled.active["C4"].value == (pytest.approx(cost / size) if size else None)


def test_money_of_another_country_stays_blank(tmp_path):
    """Dollars never stand under a format in euros."""
    book = openpyxl.Workbook()
    add_table(book.active, "Data", 3, {"Model": "m", "Parameters": 1, "Cost": 1}, totals=False)
    book.active["C4"].number_format = "#,##0.00 [$€-407]"
    filled, remarks = report(tmp_path, saved(book), CONFIGS / "gpt2-xl")
    assert filled.active["C4"].value is None
    assert remarks == (
        (
            "Sheet!C3: the column 'Cost' stays blank: its number format: '€' is not in USD as training_cost is;"
            " to convert it, set report_currency and currency_rate under [inputs]"
        ),
    )


DOUBTS = {
    "percent under a share": (
        "MFU",
        35,
        "the sample is 35, but it shows shares such as 0.4; write 'MFU (%)' for percent",
    ),
    "a units row": ("Cost", "USD m", "the sample 'USD m' is text, but it shows numbers in USD"),
    "an unknown word": (
        "Fits?",
        "perhaps",
        "the sample 'perhaps' is not a known yes or no, so the column shows Yes and No",
    ),
}


@pytest.mark.parametrize(("header", "sample", "said"), DOUBTS.values(), ids=DOUBTS)
def test_a_sample_that_speaks_against_its_header_is_told(header, sample, said, tmp_path):
    """Whoever wrote the sample may expect another number."""
    book = openpyxl.Workbook()
    add_table(book.active, "Data", 3, {"Model": "m", "Parameters": 1, header: sample}, totals=False)
    _, remarks = report(tmp_path, saved(book), CONFIGS / "gpt2-xl")
    assert remarks == (f"Sheet!C3: the column {header!r}: {said}",)


def test_a_column_of_one_architecture_is_blank_for_others(tmp_path):
    """Heads of attention are nothing that Mamba has."""
    book, _ = report(tmp_path, budget(DATA | {"n_heads": 1, "Recurrent state (MiB)": 1}))
    assert [value is None for value in column(book, "n_heads")] == [False, False, True]
    assert [value is None for value in column(book, "Recurrent state (MiB)")] == [True, True, False]


def test_a_unit_of_another_kind_is_an_error_that_names_header_and_cell(tmp_path):
    """Nothing is written, and the message says where to look."""
    with pytest.raises(TemplateError, match=r"Data!J3: the header 'Training FLOP \[GiB\]': 'GiB' is a unit of bytes"):
        report(tmp_path, budget(DATA | {"Training FLOP [GiB]": 1}))
    assert not (tmp_path / "plan.xlsx").exists()


LEFT = {
    "a list of prices": {"Name": "H100", "Price": 2.5, "Unit": "USD", "Source": "mine"},
    "one chance header": {"Region": "EU", "Batch": 4},
    "nothing known": {"Month": "May", "Staff": 3},
}


@pytest.mark.parametrize("data", LEFT.values(), ids=LEFT)
def test_a_table_that_is_no_list_of_models_is_left_alone(data, tmp_path):
    """Words that stand in many tables make no list of models, and a person is told how one is made."""
    book = openpyxl.Workbook()
    add_table(book.active, "Mine", 3, data, totals=False)
    book.active["A1"] = "{{ title }}"
    filled, remarks = report(tmp_path, saved(book))
    assert [cell.value for cell in filled.active[4]] == list(data.values())
    assert remarks[-1].startswith("no table of the template is a list of models: choose Insert > Table")


def test_headers_in_no_table_are_no_list(tmp_path):
    """Rows that Excel does not know as a table cannot grow: the message says where they stand and what to do."""
    book = openpyxl.Workbook()
    book.active["B3"], book.active["C3"], book.active["B4"] = "Model", "Parameters (B)", "m"
    with pytest.raises(
        TemplateError, match=r"nothing in the template can be filled:\n.*select Sheet!B3:C3 with the rows"
    ):
        report(tmp_path, saved(book))
    assert not (tmp_path / "plan.xlsx").exists()


def test_an_empty_plan_leaves_one_blank_row(tmp_path):
    """No models, no rows, and no error value in what flopsheet writes."""
    (tmp_path / "template.xlsx").write_bytes(budget())
    write_workbook(make_plan(load(), []), tmp_path / "plan.xlsx", str(tmp_path / "template.xlsx"))
    book = load_workbook(tmp_path / "plan.xlsx", data_only=True)
    assert book["Data"].tables["Data"].ref == "A3:I5"
    assert [cell.value for cell in book["Data"][4]] == [None] * 9
    assert [cell.value for cell in book["Data"][5]][:3] == ["Total", None, 0]


def test_names_with_a_prefix_get_their_values(tmp_path):
    """Inputs, results, checks, and what made the workbook."""
    names = {"out_budget_cost": "$A$4", "out_total_cost": "$A$5", "chk_costed": "$A$6", "meta_n_models": "$A$7"}
    book, _ = report(tmp_path, budget(names=names), CONFIGS / "gpt2-xl")
    plan = planned(CONFIGS / "gpt2-xl")
    results = [book["Sums"][f"A{row}"].value for row in (2, 4, 5, 6, 7)]
    cost = plan.training(plan.models[0], "base")["training_cost"]
    assert results == [0.35, plan.cluster["base"]["budget_cost"], pytest.approx(cost), True, 1]


def test_the_properties_of_an_own_template_stay(tmp_path):
    """A document of the planner's keeps its title, and what the shipped template would have is not missed."""
    book = load_workbook(BytesIO(budget(names={"out_total_cost": "$A$5"})))
    book.properties.title = "Budget of Ann"
    filled, remarks = report(tmp_path, saved(book), CONFIGS / "gpt2-xl")
    before, after = (raw_entries((tmp_path / name).read_bytes()) for name in ("template.xlsx", "plan.xlsx"))
    assert after["docProps/core.xml"] == before["docProps/core.xml"]
    assert filled.properties.title == "Budget of Ann"
    assert not any("were replaced by their values" in remark for remark in remarks)


def test_an_unknown_name_is_reported_and_left(tmp_path):
    """A planner may have names with the same prefixes; a near one gets a hint."""
    book, remarks = report(tmp_path, budget(names={"in_growth": "$A$4", "out_budget_cots": "$B$2"}))
    assert book["Sums"]["B2"].value == "untouched"
    assert "the name out_budget_cots is the template's own; did you mean 'out_budget_cost'?" in remarks
    assert any(remark.startswith("the name in_growth is the template's own") for remark in remarks)


def test_a_name_of_one_sheet_is_filled(tmp_path):
    """Excel makes a name the sheet's own where it is told so: it is as clear as one of the workbook."""
    book = load_workbook(BytesIO(budget()))
    book["Sums"].defined_names["out_n_models"] = DefinedName("out_n_models", attr_text="Sums!$B$2")
    filled, remarks = report(tmp_path, saved(book))
    assert isinstance(filled["Sums"]["B2"].value, int)
    assert not any("out_n_models" in remark for remark in remarks)


def test_an_unknown_marker_stays_and_is_reported(tmp_path):
    """A text that is no marker of flopsheet's is the author's."""
    book, remarks = report(tmp_path, patched(budget(), "xl/worksheets/sheet1.xml", ("n_models", "n_model")))
    assert book["Data"]["A1"].value.endswith("{{ n_model }} models")
    assert "the marker {{ n_model }} stays: this name is not recognized; did you mean 'n_models'?" in remarks


def shipped_without(*sheets):
    """Return the shipped template without some sheets."""
    book = load_workbook("templates/flopsheet_templates/plan.xlsx")
    for sheet in sheets:
        del book[sheet]
    return saved(book)


SHEETS = {
    "no workings": ("Workings dense",),
    "no cards": ("Card dense",),
    "no models and charts": ("Models", "Charts"),
    "no assumptions": ("Assumptions",),
    "only About": ("Assumptions", "Budget", "Models", "Card dense", "Charts", "Rules", "Problems", "Checks",
                   "Provenance", "Workings budget", "Workings dense"),
}  # fmt: skip


@judges.needs_soffice
@judges.needs_validator
def test_copies_of_the_shipped_template_with_sheets_deleted_fill(tmp_path):
    """What stands is filled, and a formula that would refer to what is gone is a value; LibreOffice starts once."""
    books = [tmp_path / f"{left}.xlsx" for left in SHEETS]
    for book in books:
        report(tmp_path, shipped_without(*SHEETS[book.stem]))
        (tmp_path / "plan.xlsx").rename(book)
        errors = judges.validate(book)
        assert [one for one in errors if "styles.xml" not in one] == []  # openpyxl orders fonts as no schema does
    for book, found in zip(books, judges.calculated(books, tmp_path / "out"), strict=True):
        assert [one for one in found.values() if re.match(r"#[A-Z]|Err:", one)] == [], book.stem


def test_a_column_named_like_a_cell_is_no_cell(tmp_path):
    """The column `out_bias` of the workings needs no name: with the whole template, every formula stands."""
    filled = write_workbook(planned(CONFIGS / "gpt2-xl"), tmp_path / "plan.xlsx")
    assert filled.unbound == ()


@pytest.mark.parametrize("header", ["Length", "What_part"])
def test_a_column_added_to_a_shipped_list_stays(tmp_path, header):
    """The author's column follows the list's own, with its formula; `_part` alone makes it no part of another."""
    book = load_workbook("templates/flopsheet_templates/plan.xlsx")
    sheet = book["Problems"]
    table = sheet.tables["problems"]
    last = int(table.ref.partition(":E")[2])
    sheet["F4"] = header
    for row in range(5, last + 1):
        sheet[f"F{row}"] = "=LEN(problems[[#This Row],[What]])"
    table.ref = f"A4:F{last}"
    sheet.tables["problems"].tableColumns = []
    sheet.tables["problems"].autoFilter = None
    report(tmp_path, saved(book))
    filled = load_workbook(tmp_path / "plan.xlsx")["Problems"]
    assert filled["F4"].value == header
    last = filled.tables["problems"].ref.partition(":F")[2]
    assert filled[f"F{last}"].value == "=LEN(problems[[#This Row],[What]])"


def test_models_of_one_architecture_fill_a_table_of_its_name(tmp_path):
    """A table named dense holds dense models alone."""
    book = openpyxl.Workbook()
    add_table(book.active, "dense", 3, {"Model": "m", "Parameters": 1}, totals=False)
    filled, _ = report(tmp_path, saved(book))
    assert column(filled, "Model", "Sheet") == ["gpt2-xl", "Llama-3.1-8B"]


def test_names_that_look_like_formulas_stay_text(tmp_path):
    """A model called =1+1 is text in anybody's list."""
    config = write_config(tmp_path / "=1+1")
    book, _ = report(tmp_path, budget(), config)
    assert column(book, "Model") == ["=1+1"]
