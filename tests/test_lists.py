"""Model lists from spreadsheets: what headers mean, what rows become, and what is refused by cell."""

import datetime as dt
import os
import zipfile

import openpyxl
import pytest
from click.testing import CliRunner

from flopsheet.cli import main
from flopsheet.configs.inputs import read_inputs
from flopsheet.errors import FlopsheetError
from flopsheet.host.host import load
from flopsheet.planning.costing import cost_all

LLAMA = "llama,4096,32,32,8,14336,128256"
FIELDS = "hidden_size,num_hidden_layers,num_attention_heads,num_key_value_heads,intermediate_size,vocab_size"
PARAMETERS = 8_030_261_248
DENSE = {
    "name": "Ours",
    "architecture": "dense",
    "n_layers": 32,
    "d_model": 4096,
    "n_heads": 32,
    "n_kv_heads": 8,
    "d_ff": 14336,
    "mlp_matrices": 3,
    "vocab_size": 128256,
}


def read(path, **options):
    """Return the costed models of a list."""
    host = load()
    models, _ = read_inputs(host, [str(path)], **options)
    return cost_all(host, models)


def csv_file(folder, *lines, name="models.csv", encoding="utf-8"):
    """Write the lines of a CSV file, and return its path."""
    path = folder / name
    path.write_bytes("\n".join(lines).encode(encoding))
    return path


def workbook(folder, rows, name="models.xlsx", sheet="Sheet1"):
    """Write rows to a sheet of a workbook, and return its path."""
    book = openpyxl.Workbook()
    book.active.title = sheet
    for row in rows:
        book.active.append(row)
    book.save(folder / name)
    return folder / name


def dense(folder, **changes):
    """Write a workbook with one dense model, some of its cells changed, and return its path."""
    cells = DENSE | changes
    return workbook(folder, [[int(c) if c.isdecimal() else c for c in cells], list(cells.values())])


def changed(path, before, after, part="xl/worksheets/sheet1.xml"):
    """Replace a text in a part of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert before.encode(errors="surrogateescape") in parts[part]
    parts[part] = parts[part].replace(before.encode(errors="surrogateescape"), after.encode(errors="surrogateescape"))
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


FOUR = '<c r="D2" t="n"><v>4096</v>'
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


def test_decimal_comma_on_request(tmp_path):
    """With the option, 15,6 is fifteen and six tenths."""
    path = csv_file(
        tmp_path, f"model_type,{FIELDS},tokens (T)".replace(",", ";"), f"{LLAMA};".replace(",", ";") + "15,6"
    )
    assert read(path, decimal_comma=True)[0].model.drivers == {"tokens": 15_600_000_000_000}
    assert "--decimal-comma" in read(path)[0].problems[0]


REFUSED = {
    "thousands comma": ('"4,096"', "4,096' has a comma"),
    "thousands space": ("4 096", "the text '4 096' stands here"),
    "thousands point": ("4.000", "may have thousands separators"),
    "text": ("many", "the text 'many' stands here; a number is expected"),
    "fraction": ("40.5", "40.5 is out of range; a whole number of at least 1 is expected"),
    "negative": ("-4", "out of range"),
    "not a number": ("nan", "here stands nan; a number is expected"),
    "hundreds of digits": ("9" * 400, "is out of range"),
    "beyond numbers": ("1e999", "here stands inf; a number is expected"),
}


@pytest.mark.parametrize(("cell", "message"), REFUSED.values(), ids=REFUSED)
def test_a_bad_number_is_refused_by_its_cell(tmp_path, cell, message):
    """The message says file, cell and header; the other rows go on."""
    row = "Bad,dense,32,{},32,8,14336,3,128256"
    bad, good = read(csv_file(tmp_path, ",".join(DENSE), row.format(cell), row.format(4096)))
    assert (bad.status, good.status) == ("error", "ok")
    assert message in bad.problems[0]
    assert "models.csv: D2 (d_model): " in bad.problems[0]


CELLS = {
    "text": ("4096", "Sheet1!D2 (d_model): the text '4096' stands here"),
    "date": (dt.date(2026, 4, 9), "Sheet1!D2 (d_model): here stands 2026-04-09"),
    "formula without a value": ("=64*64", "Sheet1!D2 (d_model): here stands a formula without a value"),
    "truth value": (True, "True is not a number"),
}


@pytest.mark.parametrize(("cell", "message"), CELLS.values(), ids=CELLS)
def test_a_cell_that_holds_no_number_is_refused(tmp_path, cell, message):
    """What a workbook says to be no number is never taken for one."""
    (model,) = read(dense(tmp_path, d_model=cell))
    assert model.status == "error"
    assert message in model.problems[0]


@pytest.mark.parametrize(
    ("cell", "message"),
    [("<v>4096</v>", ""), ("<f>64*64</f><v>4096</v>", ""), ("<v>#N/A</v>", "the error #N/A")],
    ids=["number", "formula", "error"],
)
def test_formulas_count_with_their_values(tmp_path, cell, message):
    """A calculated value is a value; an error is none."""
    kind = 't="e"' if message else ""
    (model,) = read(changed(dense(tmp_path), FOUR, f'<c r="D2" {kind}>{cell}'))
    assert message in "".join(model.problems)
    assert (model.status == "error") == bool(message)


def test_a_number_that_nothing_reads_makes_the_row_approximate(tmp_path):
    """A column may be misspelt; a comment is none."""
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
    "per cent": ({"budget": "38 %"}, "(budget) = 38 % is not understood"),
    "misspelt flag": ({"tie_word_embedings": "yes"}, "= yes is not understood"),
    "no value": ({"link": '=HYPERLINK("a")'}, "(link) = a formula without a value"),
    "headed by a year": ({"2026": 5}, "(2026) = 5 is not understood"),
}


@pytest.mark.parametrize(("cells", "message"), UNREAD.values(), ids=UNREAD)
def test_what_may_have_meant_a_number_makes_the_row_approximate(tmp_path, cells, message):
    """A text that reads like a number, a cell without a value, and whatever stands under a misspelt header."""
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


def test_a_field_out_of_range_is_told_by_its_cell(tmp_path):
    """A config field that gives a dimension an impossible value is found where it stands."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS}", f"Ours,{LLAMA.replace('14336', '14.336')}"))
    assert "models.csv: G2 (intermediate_size): 14.336 is out of range" in model.problems[0]


def test_json_that_breaks_off_is_refused_by_its_cell(tmp_path):
    """What begins like a list or a table is one, or an error."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS},rope_scaling", f'Ours,{LLAMA},"{{""a"": 1"'))
    assert "I2 (rope_scaling): no valid JSON" in model.problems[0]


def test_a_value_that_a_separator_parts_is_refused(tmp_path):
    """`1,5` without quotes is two cells, of which the second stands under no header."""
    (model,) = read(csv_file(tmp_path, f"name,model_type,{FIELDS},tokens (T)", f"Ours,{LLAMA},1,5"))
    assert model.status == "error"
    assert "J2 stands under no header: '5'; a value with a separator in it has to stand in quotes" in model.problems[0]


def test_cells_beside_the_list_are_told(tmp_path):
    """An index in front of the names, and what stands beside a list on a sheet, are no part of it."""
    (one,) = read(csv_file(tmp_path, f",name,model_type,{FIELDS}", f"0,Ours,{LLAMA}"))
    (two,) = read(workbook(tmp_path, [list(DENSE), [*DENSE.values(), None, 7]]))
    assert [model.status for model in (one, two)] == ["ok", "ok"]
    assert "A2 stands under no header: it is not read" in one.notes
    assert "Sheet1!K2 stands under no header: it is not read" in two.notes


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
    assert "I2 (tokens (T)): here stands inf; a number is expected" in model.problems[0]


ROWS = {
    "no kind": ("Ours,,1,2", "row 2: says no architecture, model_type or config"),
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
    assert ("Sheet1!J2 (optimizer): 'lyon' is no recipe" in "".join(model.problems)) == (status == "error")


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


LISTS = {
    "same header twice": (
        f"name,model_type,{FIELDS},hidden_size",
        "I1: 'hidden_size' says the same as 'hidden_size' in C1",
    ),
    "two names": (f"name,model,model_type,{FIELDS}", "B1: 'model' says the same as 'name' in A1"),
    "unknown unit": (
        f"name,model_type,{FIELDS} (furlongs)",
        "H1: the unit 'furlongs' is not understood; it can be tokens, ",
    ),
    "unit of another kind": (f"name,model_type,{FIELDS} (GiB)", "H1: the unit 'GiB' is not understood"),
    "unit of a text": (f"name,model_type (B),{FIELDS}", "B1: the unit 'B' is not understood; there is none here"),
    "second list below": (
        f"name,model_type,{FIELDS}\nname,architecture,d_model",
        "A2: another header stands in this row",
    ),
    "no list": ("a,b,c", "models.csv holds no model list: a header row"),
    "empty": ("", "models.csv holds no model list"),
    "open quote": ('name,"model_type', "no valid CSV"),
}


@pytest.mark.parametrize(("head", "message"), LISTS.values(), ids=LISTS)
def test_a_bad_header_refuses_the_list(tmp_path, head, message):
    """What concerns every row is told once."""
    with pytest.raises(FlopsheetError) as caught:
        read(csv_file(tmp_path, head, f"Ours,{LLAMA}"))
    assert message in str(caught.value)


def test_the_sheet_with_the_list_is_found(tmp_path):
    """Other sheets, and titles above the table, do no harm."""
    path = dense(tmp_path)
    book = openpyxl.load_workbook(path)
    book.create_sheet("Notes", 0)["A1"] = "What this is about"
    book["Sheet1"].insert_rows(1, 2)
    book["Sheet1"]["A1"] = "Our models"
    book.save(path)
    assert read(path)[0].totals["parameters"] == PARAMETERS


def test_two_lists_ask_for_a_sheet(tmp_path):
    """`models.xlsx#Sheet` chooses; without it nothing is guessed."""
    path = dense(tmp_path)
    book = openpyxl.load_workbook(path)
    book.copy_worksheet(book["Sheet1"]).title = "v. 2"
    book.save(path)
    with pytest.raises(FlopsheetError, match=r"on the sheets 'Sheet1' and 'v\. 2'; say"):
        read(path)
    assert read(f"{path}#v. 2")[0].status == "ok"
    with pytest.raises(FlopsheetError, match=r"has no sheet 'x'; it has 'Sheet1', 'v\. 2'"):
        read(f"{path}#x")


MALFORMED = {
    "number": (
        FOUR,
        '<c r="D2" t="n"><v>4o96</v>',
        "'Sheet1' of .* cannot be read: D2 holds '4o96' of the kind 'n'; save",
    ),
    "truth value": (FOUR, '<c r="D2" t="b"><v>7</v>', "D2 holds '7' of the kind 'b'"),
    "kind": (FOUR, '<c r="D2" t="zz"><v>7</v>', "D2 holds '7' of the kind 'zz'"),
    "string": (FOUR, '<c r="D2" t="s"><v>999</v>', "cannot be read: .*shared strings"),
    "row": (FOUR, '<c r="D3"><v>4096</v>', "the sheet 'Sheet1' of .* has a cell 'D3' in row 2; save it again"),
    "address": (FOUR, '<c r="2D"><v>4096</v>', "has a cell '2D' in row 2"),
    "bytes": ("4096</v>", "4\udcff96</v>", r"sheet1\.xml in .* is not readable XML: .*; save it again"),
    "far cell": (
        "</sheetData>",
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
        "the sheet 'Sheet1' of .* reaches to XFD1048576, and nearly all of it is empty; delete",
    ),
}


@pytest.mark.parametrize(("before", "after", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_sheet_that_breaks_its_format_is_refused(tmp_path, before, after, message):
    """One line says where and what, whatever the reader of values makes of it."""
    with pytest.raises(FlopsheetError, match=message) as caught:
        read(changed(dense(tmp_path), before, after))
    assert "\n" not in str(caught.value)


def test_cells_without_addresses_follow_each_other(tmp_path):
    """Addresses are optional; a formula without a value is found all the same."""
    path = dense(tmp_path, d_model="=64*64")
    for place in (*(f'c r="{letter}2"' for letter in "ABCDEFGHI"), 'row r="2"'):
        changed(path, f"<{place}", f"<{place.split()[0]}")
    assert "Sheet1!D2 (d_model): here stands a formula without a value" in read(path)[0].problems[0]


@pytest.mark.parametrize(
    ("part", "before", "after", "message"),
    [
        ("xl/_rels/workbook.xml.rels", "sheet1.xml", "sheet9.xml", "the sheet 'Sheet1' of .* has no part"),
        ("xl/workbook.xml", "schemas.openxmlformats.org/spreadsheetml/2006", "x", "is a Strict Open XML Spreadsheet"),
    ],
    ids=["no part", "strict"],
)
def test_a_workbook_whose_sheets_are_not_found_is_refused(tmp_path, part, before, after, message):
    """A sheet that is not where it should be is never taken for an empty one."""
    with pytest.raises(FlopsheetError, match=message):
        read(changed(dense(tmp_path), before, after, part))


def test_rows_of_two_lists_with_one_name_keep_it(tmp_path):
    """A number tells rows apart, since the path of a list names all of its rows."""
    lists = [csv_file(tmp_path, f"name,model_type,{FIELDS}", f"A,{LLAMA}", name=name) for name in ("1.csv", "2.csv")]
    assert [model.name for model in read_inputs(load(), map(str, lists))[0]] == ["A", "A (2)"]


def test_a_pipe_is_refused(tmp_path):
    """A named pipe that nobody writes to would be waited for without end."""
    os.mkfifo(tmp_path / "models.csv")
    with pytest.raises(FlopsheetError, match="a pipe stands here; a file is expected"):
        read(tmp_path / "models.csv")


WRONG = {
    "csv that is xlsx": ("models.csv", b"PK\x03\x04", "this is an Excel workbook (.xlsx), no CSV file"),
    "csv that is xls": ("models.csv", b"\xd0\xcf\x11\xe0", "this is an Excel workbook (.xls), no CSV file"),
    "xlsx that is csv": ("models.xlsx", b"name,model_type\n", "is not an Excel workbook"),
    "xls": ("models.xls", b"", ".xls files are not read; save it as .xlsx or as .csv"),
    "UTF-16": ("models.csv", "name".encode("utf-16"), "not UTF-8 text"),
}


@pytest.mark.parametrize(("name", "data", "message"), WRONG.values(), ids=WRONG)
def test_a_file_of_another_kind_is_named(tmp_path, name, data, message):
    """One line says what it is and what to do; nothing is written."""
    tmp_path.joinpath(name).write_bytes(data)
    result = CliRunner().invoke(main, ["report", str(tmp_path / name), "-o", str(tmp_path / "out.toml")])
    assert result.exit_code == 2
    assert message in result.stderr
    assert not tmp_path.joinpath("out.toml").exists()


def test_a_list_reports_through_the_command_line(tmp_path):
    """The report's last line counts the rows."""
    path = csv_file(tmp_path, f"name,model_type,{FIELDS}", f"Good,{LLAMA}", "Bad,llama,x,1,1,1,1,1")
    result = CliRunner().invoke(main, ["report", str(path), "-o", str(tmp_path / "out.toml")])
    assert result.exit_code == 1
    assert result.stdout.startswith("2 models: 1 ok, 0 approximate, 1 error → ")
