"""Dimensions that follow others are formulas of their row until typed over, and rows are held to the reader's rules."""

import judges
import openpyxl
import pytest
from planner import Planner, run
from samples import CONFIGS

MODELS = ("DeepSeek-V3", "Llama-3.1-8B", "gpt2-xl")


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a portfolio of three models and its workbook."""
    entries = "".join(f'[[models]]\nconfig = "{CONFIGS / name / "config.json"}"\n' for name in MODELS)
    head = 'name = "rules"\n[inputs]\naccelerators = 1024\ndays = 90\n'
    (tmp_path / "portfolio.toml").write_text(head + entries, "utf-8")
    run("report", tmp_path / "portfolio.toml", "-o", tmp_path / "plan.xlsx")
    return tmp_path


def typed(folder, *edits):
    """Type numbers into cells of workings and return what the recalculated workbook holds."""
    planner = Planner(folder)
    for table, key, header, value in edits:
        planner.cell(table, key, header).value = value
    planner.save()
    (folder / "live").mkdir()
    return openpyxl.load_workbook(judges.recalculate(folder / "plan.xlsx", folder / "live"), data_only=True)


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
    book = typed(folder, ("moe", 1, "n_layers", 122))
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


@judges.needs_soffice
@pytest.mark.parametrize(
    ("edits", "said", "model"),
    [
        ([("dense", 2, "n_heads", 33)], "Dense decoder: Head size must be a whole number", "Llama-3.1-8B"),
        ([("dense", 2, "n_kv_heads", 5)], "query heads must be a multiple of key/value heads", "Llama-3.1-8B"),
        ([("moe", 1, "n_moe_layers", 40)], "dense and expert layers must add up to the layers", "DeepSeek-V3"),
        ([("moe", 1, "n_layers", 2)], "Expert layers must be at least 0", "DeepSeek-V3"),
        ([("moe", 1, "top_k", 300)], "a token cannot use more experts than there are", "DeepSeek-V3"),
    ],
)
def test_a_row_that_a_reader_would_refuse_fails_a_check(edits, said, model, folder):
    """Its title is the rule's sentence, and its reason names the first such row."""
    book = typed(folder, *edits)
    result = {title: why for title, why in failing(book).items() if said in title}
    assert len(result) == 1
    assert f"First: {model}" in next(iter(result.values()))


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
