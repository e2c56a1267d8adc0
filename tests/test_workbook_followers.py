"""Dimensions that follow others are formulas of their row until typed over, and rows are held to the reader's rules."""

import shutil

import judges
import openpyxl
import pytest
from planner import Planner, run
from samples import CONFIGS

MODELS = ("DeepSeek-V3", "Llama-3.1-8B", "gpt2-xl")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return a folder with a portfolio of three models and its workbook."""
    folder = tmp_path_factory.mktemp("models")
    entries = "".join(f'[[models]]\nconfig = "{CONFIGS / name / "config.json"}"\n' for name in MODELS)
    head = 'name = "rules"\n[inputs]\naccelerators = 1024\ndays = 90\n'
    (folder / "portfolio.toml").write_text(head + entries, "utf-8")
    run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")
    return folder


@pytest.fixture
def folder(models, tmp_path):
    """Return a copy of one's own of it."""
    return shutil.copytree(models, tmp_path / "plan")


def typed(folder, *edits):
    """Type numbers into cells of workings and return the workbook."""
    planner = Planner(folder)
    for table, key, header, value in edits:
        planner.cell(table, key, header).value = value
    planner.save()
    return folder / "plan.xlsx"


def rows(book, table, key):
    """Return the rows of a table of a recalculated workbook by a column, each by its headers."""
    sheet = next(sheet for sheet in book if table in sheet.tables)
    head, *body = [[cell.value for cell in row] for row in sheet[sheet.tables[table].ref]]
    return {row[head.index(key)]: dict(zip(head, row, strict=True)) for row in body}


def failing(book):
    """Return the checks that fail, each with its reason."""
    return {
        title: row["Why, or what a failure means"]
        for title, row in rows(book, "checks", "Check").items()
        if row["Pass"] == 0
    }


def test_what_a_config_does_not_state_follows_in_black(folder):
    """Facts stay blue; a head size that a config states is one."""
    planner = Planner(folder)
    follows = planner.cell("dense", 2, "d_head")
    assert follows.value == "=dense[[#This Row],[d_model]]/dense[[#This Row],[n_heads]]"
    fact = planner.cell("dense", 2, "n_heads")
    assert (follows.font.color.rgb[2:], fact.font.color.rgb[2:]) == ("000000", "0000FF")
    assert follows.fill.fgColor.rgb == fact.fill.fgColor.rgb
    assert not follows.protection.locked
    assert (
        planner.cell("moe", 1, "n_moe_layers").value == "=moe[[#This Row],[n_layers]]-moe[[#This Row],[n_dense_layers]]"
    )


@judges.needs_soffice
def test_costs_follow_twice_the_layers_as_the_engine_says(folder):
    """In every line: layers with experts, attention and caches are those of a config with 122 layers."""
    live = judges.recalculate(typed(folder, ("moe", 1, "n_layers", 122)), folder / "live")
    book = openpyxl.load_workbook(live, data_only=True)
    assert failing(book).keys() <= {"Models changed since issue"}
    code, out, _ = run("import", folder / "plan.xlsx", "-o", folder / "portfolio.toml", "--yes")
    assert code == 0, out
    assert "written out" not in out
    assert "n_layers = 122" in (folder / "portfolio.toml").read_text("utf-8")
    run("report", folder / "portfolio.toml", "-o", folder / "again.xlsx")
    again = openpyxl.load_workbook(folder / "again.xlsx", data_only=True)
    for name in ("parameters", "training_cost"):
        live, engine = (rows(one, "models", "No")[1][name] for one in (book, again))
        assert live == pytest.approx(engine, rel=1e-9)


REFUSED = {
    "Dense decoder: Head size must be a whole number": (("dense", 2, "n_heads", 33), "Llama-3.1-8B"),
    "query heads must be a multiple of key/value heads": (("dense", 2, "n_kv_heads", 5), "Llama-3.1-8B"),
    "dense and expert layers must add up to the layers": (("moe", 1, "n_moe_layers", 40), "DeepSeek-V3"),
    "Expert layers must be at least 0": (("moe", 1, "n_layers", 2), "DeepSeek-V3"),
    "a token cannot use more experts than there are": (("moe", 1, "top_k", 300), "DeepSeek-V3"),
}


@pytest.fixture(scope="module")
def refused(models, tmp_path_factory):
    """Return workbooks with rows that a reader would refuse, recalculated by one LibreOffice, by the rule."""
    folder = tmp_path_factory.mktemp("refused")
    books = []
    for at, (edit, _) in enumerate(REFUSED.values()):
        mine = shutil.copytree(models, folder / f"{at}")
        books.append(typed(mine, edit).rename(folder / f"refused {at}.xlsx"))
    return dict(zip(REFUSED, judges.recalculate_all(books, folder / "live"), strict=True))


@judges.needs_soffice
@pytest.mark.parametrize("rule", REFUSED)
def test_a_row_that_a_reader_would_refuse_fails_a_check(refused, rule):
    """Its title is the rule's sentence, and its reason names the first such row."""
    book = openpyxl.load_workbook(refused[rule], data_only=True)
    result = {title: why for title, why in failing(book).items() if rule in title}
    assert len(result) == 1
    assert f"First: {REFUSED[rule][1]}" in next(iter(result.values()))


def test_an_untouched_workbook_has_no_edits(folder):
    """Formulas of dimensions are as delivered."""
    code, out, _ = run("import", folder / "plan.xlsx", "-o", folder / "portfolio.toml", "--dry-run")
    assert (code, "no input was changed" in out) == (0, True)


def test_a_number_typed_over_a_formula_is_imported(folder):
    """It is stated, and nothing else."""
    planner = Planner(folder)
    planner.cell("dense", 2, "d_head").value = 64
    planner.save()
    code, out, _ = run("import", folder / "plan.xlsx", "-o", folder / "portfolio.toml", "--yes")
    assert code == 0
    assert "formula" not in out
    text = (folder / "portfolio.toml").read_text("utf-8")
    assert "d_head = 64" in text
    assert text.count(" = ") == 3 + len(MODELS) + 1


def test_another_formula_in_place_of_one_is_refused(folder):
    """Nothing says what it means in a portfolio."""
    planner = Planner(folder)
    planner.cell("dense", 2, "d_head").value = "=128+0"
    planner.save()
    code, out, err = run("import", folder / "plan.xlsx", "-o", folder / "portfolio.toml", "--yes")
    assert code == 2
    assert "found the formula =128+0; type its value" in out + err


def test_ends_of_a_range_are_blue_and_those_of_none_follow_base(folder):
    """In the shipped template the first row follows; values take after a row that does not."""
    planner = Planner(folder)
    ends = {name: planner.cell("drivers", name, "Low cost") for name in ("accelerators", "mfu")}
    assert ends["accelerators"].value == "=drivers[[#This Row],[Base]]"
    assert {name: cell.font.color.rgb[2:] for name, cell in ends.items()} == {"accelerators": "000000", "mfu": "0000FF"}
