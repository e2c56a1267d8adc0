"""Model lists from spreadsheets: what headers mean, and what rows become."""

import datetime as dt

import pytest
from click.testing import CliRunner
from model_lists import DENSE, FIELDS, LLAMA, PARAMETERS, csv_file, dense, read, workbook

from flopsheet.cli import main
from flopsheet.configs.inputs import read_inputs
from flopsheet.host.loading import load

GOOD = {
    "config fields": (f"name,model_type,{FIELDS}", f"Ours,{LLAMA}"),
    "dimensions": (",".join(DENSE), ",".join(map(str, DENSE.values()))),
    "titles": (
        "Model,Architecture,Layers,Model width,Query heads,Key/value heads,MLP width,MLP matrices,Vocabulary",
        ",".join(map(str, DENSE.values())),
    ),
    "fields of an architecture": (f"name,architecture,{FIELDS},mlp_matrices", f"Ours,dense{LLAMA[5:]},3"),
    "units row": (f"name,model_type,{FIELDS}", ",,,layers,heads,heads,,tokens", f"Ours,{LLAMA}"),
    "blank rows and columns": ("", ",,,", f",name,model_type,,{FIELDS}", "", f",Ours,llama,,{LLAMA[6:]}", ",,,,,,"),
    "semicolons": (f"name;model_type;{FIELDS}".replace(",", ";"), f"Ours;{LLAMA}".replace(",", ";")),
    "mixed case": (f"NAME,Model Type,{FIELDS.replace('_', ' ').title()}", f"Ours,{LLAMA}"),
    "punctuation": (f"Name:,Model-type,{FIELDS.replace('hidden_size', 'HiddenSize')}", f"Ours,{LLAMA}"),
    "planners' words": (
        "Model,Architecture,Layers,Hidden size,Heads (#),Key/value heads,MLP width,MLP matrices,Vocabulary [k tokens]",
        ",".join(map(str, DENSE.values()))[:-3] + ".256",
    ),
    "unit behind a comma": (
        f'name,model_type,{FIELDS.replace("vocab_size", "")}"vocab_size, thousand"',
        f"Ours,{LLAMA[:-3]}.256",
    ),
    "scaled": (f"name,model_type,{FIELDS.replace('vocab_size', 'vocab_size (k)')}", f"Ours,{LLAMA[:-3]}.256"),
}


@pytest.mark.parametrize("lines", GOOD.values(), ids=GOOD)
def test_a_row_is_a_model(tmp_path, lines):
    """Headers may be config fields, dimensions or their titles, with units and gaps as people leave them."""
    (model,) = read(csv_file(tmp_path, *lines))
    assert (model.name, model.problems) == ("Ours", [])
    assert model.totals["parameters"] == PARAMETERS


def test_a_workbook_is_read_like_a_csv(tmp_path):
    """Numbers of cells are numbers."""
    (model,) = read(dense(tmp_path))
    assert model.totals["parameters"] == PARAMETERS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_names_of_any_script(tmp_path, encoding):
    """Excel writes a mark in front of UTF-8 that is no part of the first header."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS}", f"модель,{LLAMA}", encoding=encoding))
    assert model.name == "модель"


def test_tokens_and_published_counts_follow_their_units(tmp_path):
    """A unit stands in the header or under it, and numbers stay exact."""
    head = f"name,model_type,{FIELDS},tokens (T),published,published_source"
    (model,) = read(csv_file(tmp_path, head, ",,,,,,,,,B,", f"Ours,{LLAMA},15.6,8.03,a paper"))
    assert model.model.drivers == {"tokens": 15_600_000_000_000}
    assert (model.model.published.parameters, model.model.published.source) == (8_030_000_000, "a paper")


@pytest.mark.parametrize("day", [dt.date(2024, 7, 23), "2024-07-23"], ids=["date", "text"])
def test_the_date_of_a_published_count_may_be_a_date(day, tmp_path):
    """Excel makes one of a date that is typed; it reads like the text."""
    (model,) = read(dense(tmp_path, published=PARAMETERS, published_date=day))
    assert model.model.published.date == "2024-07-23"


def test_decimal_comma_on_request(tmp_path):
    """With the option, 15,6 is fifteen and six tenths."""
    path = csv_file(
        tmp_path, f"model_type,{FIELDS},tokens (T)".replace(",", ";"), f"{LLAMA};".replace(",", ";") + "15,6"
    )
    assert read(path, decimal_comma=True)[0].model.drivers == {"tokens": 15_600_000_000_000}
    assert "--decimal-comma" in read(path)[0].problems[0]


def test_a_number_that_nothing_reads_makes_the_row_approximate(tmp_path):
    """A column may be misspelled; a comment is none."""
    (model,) = read(dense(tmp_path, n_layer=3, owner="Ann"))
    assert model.status == "approximate"
    assert "n_layer) = 3 is not understood: it may change the count; did you mean 'n_layers'?" in model.problems[0]
    assert "column 'owner' is not read" in model.notes


YIELDING = {
    "result": ({"parameters": 1, "Published (B)": 8.03}, "'parameters' is not read: 'Published (B)' says it"),
    "tokens": ({"Tokens (T)": 1, "tokens_override": 2}, "'Tokens (T)' is not read: 'tokens_override' says it"),
    "planner's word": ({"Family": "Llama 3"}, "'Family' is not read: 'architecture' says it"),
    "cost": ({"Training cost [USD m]": 1.5}, "'Training cost [USD m]' is not read: it is a result"),
    "line": ({"MLP in (M)": 58.7}, "'MLP in (M)' is not read: it is a result"),
}


@pytest.mark.parametrize(("cells", "note"), YIELDING.values(), ids=YIELDING)
def test_what_a_report_says_is_no_input_where_another_column_is(tmp_path, cells, note):
    """A result beside the input that it would stand for, and any other result, is passed over with a note."""
    (model,) = read(dense(tmp_path, **cells))
    assert model.status == "ok"
    assert [f"column {note}"] == [text for text in model.notes if "not read" in text]


@pytest.mark.parametrize("header", ["tokens (T)", "training_tokens (T)", "Own tokens, T", "tokens_override [trillion]"])
def test_tokens_have_several_names(tmp_path, header):
    """Whatever a template calls the tokens of a model, a list may."""
    (model,) = read(dense(tmp_path, **{header: 15.6}))
    assert model.model.drivers == {"tokens": 15_600_000_000_000}


UNREAD = {
    "number as text": (
        {"n_layer": "32"},
        "n_layer) = 32 is not understood: it may change the count; did you mean 'n_layers'?",
    ),
    "thousands": ({"budget": "4,096"}, "(budget) = 4,096 is not understood"),
    "percent": ({"budget": "38%"}, "(budget) = 38% is not understood"),
    "misspelled flag": ({"tie_word_embedings": "yes"}, "= yes is not understood"),
    "no value": ({"link": '=HYPERLINK("a")'}, "(link) = a formula without a value"),
    "headed by a year": ({"2026": 5}, "(2026) = 5 is not understood"),
}


@pytest.mark.parametrize(("cells", "message"), UNREAD.values(), ids=UNREAD)
def test_what_may_have_meant_a_number_makes_the_row_approximate(tmp_path, cells, message):
    """A text that reads like a number, a cell without a value, and whatever stands under a misspelled header."""
    (model,) = read(dense(tmp_path, **cells))
    assert model.status == "approximate"
    assert message in model.problems[0]


@pytest.mark.parametrize(
    "value", [dt.date(2026, 4, 9), "see paper", "2026-04-09"], ids=["date", "text", "date as text"]
)
def test_a_comment_is_told_and_passed_over(tmp_path, value):
    """Dates and texts beside the model change nothing."""
    (model,) = read(dense(tmp_path, release=value))
    assert (model.status, "column 'release' is not read" in model.notes) == ("ok", True)


@pytest.mark.parametrize(("cell", "flag"), [("yes", 1), ("Nein", 0), ("TRUE", 1), ("0", 0)])
def test_flags_may_be_words(tmp_path, cell, flag):
    """A flag of a config and one of an architecture are read as a template writes them."""
    one, two = (
        (f"name,model_type,{FIELDS},tie_word_embeddings", f"Ours,{LLAMA},{cell}"),
        (f"{','.join(DENSE)},tie_word_embeddings", f"{','.join(map(str, DENSE.values()))},{cell}"),
    )
    models = [read(csv_file(tmp_path, *lines))[0] for lines in (one, two)]
    assert [(model.status, model.dimensions["tied_head"]) for model in models] == [("ok", flag)] * 2


def test_cells_beside_the_list_are_told(tmp_path):
    """An index in front of the names, and what stands beside a list on a sheet, are no part of it."""
    (one,) = read(csv_file(tmp_path, f",name,model_type,{FIELDS}", f"0,Ours,{LLAMA}"))
    (two,) = read(workbook(tmp_path, [list(DENSE), [*DENSE.values(), None, 7]]))
    assert [model.status for model in (one, two)] == ["ok", "ok"]
    assert "A2 is under no header: it was ignored" in one.notes
    assert "Sheet1!K2 is under no header: it was ignored" in two.notes


@pytest.mark.parametrize("end", ["\u2028", "\x0b", "\x85"])
def test_a_name_may_hold_what_ends_lines_elsewhere(tmp_path, end):
    """Only line feeds and carriage returns end the lines of a CSV file."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS}", f"Our{end}s,{LLAMA}"))
    assert model.name == f"Our{end}s"


def test_a_row_of_totals_is_no_model(tmp_path):
    """A row that says no kind of model and is called a total is passed over."""
    total = "Total:,,4096,,,,,"
    assert [m.name for m in read(csv_file(tmp_path, f"name,model_type,{FIELDS}", f"Ours,{LLAMA}", total))] == ["Ours"]


def test_a_scaled_number_beyond_numbers_is_refused(tmp_path):
    """Infinity times a million is no number of tokens."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS},tokens (T)", f"Ours,{LLAMA},inf"))
    assert "I2 (tokens (T)): found inf; a number is expected" in model.problems[0]


ROWS = {
    "no kind": ("Ours,,1,2", "row 2: has no architecture, model_type or config"),
    "unknown type": ("Ours,llamo,1,2", "did you mean 'llama'?"),
}


@pytest.mark.parametrize(("row", "message"), ROWS.values(), ids=ROWS)
def test_a_row_that_is_no_model_is_told_by_its_row(tmp_path, row, message):
    """One bad row never kills a list."""
    bad, good = read(csv_file(tmp_path, f"name,model_type,{FIELDS}", row, f"Good,{LLAMA}"))
    assert (bad.status, good.status) == ("error", "ok")
    assert message in bad.problems[0]


@pytest.mark.parametrize(("name", "status"), [("lion", "ok"), ("lyon", "error")])
def test_an_optimizer_is_named(tmp_path, name, status):
    """A recipe sets the bytes of its moments; one that nobody knows is told by its cell."""
    (model,) = read(dense(tmp_path, optimizer=name))
    assert model.status == status
    assert ("Sheet1!J2 (optimizer): unknown optimizer recipe 'lyon'" in "".join(model.problems)) == (status == "error")


def test_configs_by_path_take_changes(tmp_path):
    """A list may name config files, beside itself, and change a dimension of them."""
    tmp_path.joinpath("small").mkdir()
    tmp_path.joinpath("small", "config.json").write_text('{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}')
    one, two = read(csv_file(tmp_path, "config,n_layers", "small/config.json,", "small/config.json,2"))
    assert (one.dimensions["n_layers"], two.dimensions["n_layers"]) == (12, 2)


def test_rows_of_one_name_are_told_apart(tmp_path):
    """A name that stands twice gets a number, one that is missing the row's."""
    path = csv_file(tmp_path, f"name,model_type,{FIELDS}", *(f"{name},{LLAMA}" for name in ("A", "A", "", "A (2)")))
    assert [model.name for model in read(path)] == ["A", "A (2)", "models row 4", "A (2) (2)"]


def test_rows_of_two_lists_with_one_name_keep_it(tmp_path):
    """A number tells rows apart, since the path of a list names all of its rows."""
    lists = [csv_file(tmp_path, f"name,model_type,{FIELDS}", f"A,{LLAMA}", name=name) for name in ("1.csv", "2.csv")]
    assert [model.name for model in read_inputs(load(), [*map(str, lists)])[0]] == ["A", "A (2)"]


def test_a_list_reports_through_the_command_line(tmp_path):
    """The report's last line counts the rows."""
    path = csv_file(tmp_path, f"name,model_type,{FIELDS}", f"Good,{LLAMA}", "Bad,llama,x,1,1,1,1,1")
    result = CliRunner().invoke(main, ["report", str(path), "-o", str(tmp_path / "out.toml")])
    assert result.exit_code == 1
    assert result.stdout.startswith("2 models: 1 ok, 0 approximate, 1 error → ")
