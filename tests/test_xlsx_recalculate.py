import stat
import time
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from judges import needs_soffice
from openpyxl import load_workbook
from rich_template import rich_template
from xlsx_templates import cell_xml, filled, part, patched, raw_entries, template

from flopsheet.cli import main
from flopsheet.errors import CalculationError
from livesheets import libreoffice
from livesheets.allow import WORDS
from livesheets.engine import Fill, TableFill, fill, recalculate

LISTS = "xl/worksheets/sheet3.xml"
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")  # it says what it would lose
CONFIG = Path(__file__).parent.parent / "examples" / "configs" / "gpt2-xl"


def recalculated(folder, monkeypatch, ours, theirs):
    """Fill in the values of A1 and A2 on the sheet Lists from a calculated copy; return the file and what was said."""
    book = filled(folder, patched(template(), LISTS, ("$7)</f><v></v>", f"$7)</f>{ours}")))
    copy = folder / "copy.xlsx"
    copy.write_bytes(patched(template(), LISTS, ('<c r="A1"><f>SUM(Models!$B$6:$B$7)</f><v></v>', theirs)))
    monkeypatch.setattr(recalculate, "recalculate_copy", lambda *_: copy)
    before = raw_entries(book.read_bytes())
    remarks = recalculate.recalculate(book)
    after = raw_entries(book.read_bytes())
    assert list(after) == list(before)
    assert {name for name in before if before[name] != after[name]} <= {LISTS}
    return book, remarks


FORMULA = "<f>SUM(Models!$B$6:$B$7)</f>"


@pytest.mark.parametrize(
    ("theirs", "cell"),
    [
        ('<c r="A1"><v>30</v>', f'<c r="A1">{FORMULA}<v>30</v></c>'),
        ('<c r="A1" t="n"><v>0.5</v>', f'<c r="A1">{FORMULA}<v>0.5</v></c>'),
        ('<c r="A1" t="b"><v>1</v>', f'<c r="A1" t="b">{FORMULA}<v>1</v></c>'),
        ('<c r="A1" t="str"><v>a &lt; b</v>', f'<c r="A1" t="str">{FORMULA}<v>a &lt; b</v></c>'),
        ('<c r="A1" t="str"><v></v>', f'<c r="A1" t="str">{FORMULA}<v></v></c>'),
        ('<c r="A1" t="e"><v>#N/A</v>', f'<c r="A1" t="e">{FORMULA}<v>#N/A</v></c>'),
    ],
    ids=["whole", "decimal", "truth value", "text", "empty text", "error"],
)
@pytest.mark.parametrize("ours", ["", "<v/>", "<v></v>"], ids=["none", "empty element", "empty text"])
def test_a_missing_value_is_written(ours, theirs, cell, tmp_path, monkeypatch):
    """A formula without a value gets the calculated one with its type, and no other entry of the zip changes."""
    book, remarks = recalculated(tmp_path, monkeypatch, ours, theirs)
    assert cell_xml(book, LISTS, "A1") == cell
    assert remarks == []


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ("<v>30</v>", '<c r="A1"><v>30.00000000001</v>', []),
        ("<v>30</v>", '<c r="A1"><v>31</v>', ["Lists!A1 holds '30', and LibreOffice calculates '31'"]),
        ("<v>1</v>", '<c r="A1" t="b"><v>1</v>', []),
        ("<v>1</v>", '<c r="A1" t="str"><v>1</v>', ["Lists!A1 holds '1', and LibreOffice calculates '1'"]),
        ("<v>1</v>", '<c r="A1" t="e"><v>#DIV/0!</v>', ["Lists!A1 holds '1', and LibreOffice calculates '#DIV/0!'"]),
    ],
    ids=["near", "far", "truth value", "text", "error"],
)
def test_a_stored_value_is_compared(ours, theirs, said, tmp_path, monkeypatch):
    """A value that is there stays, and one that the calculation contradicts is named."""
    book, remarks = recalculated(tmp_path, monkeypatch, ours, theirs)
    assert ours in cell_xml(book, LISTS, "A1")
    assert remarks == said


def test_what_libreoffice_cannot_calculate_stays_without_a_value(tmp_path, monkeypatch):
    """An unknown function is no error of the workbook: the cell is left blank and named."""
    book, remarks = recalculated(tmp_path, monkeypatch, "", '<c r="A1" t="e"><v>#NAME?</v>')
    assert cell_xml(book, LISTS, "A1") == f'<c r="A1">{FORMULA}</c>'
    assert remarks == ["Lists!A1 has no value: LibreOffice, which cannot calculate it, gives #NAME?"]


def test_what_libreoffice_may_not_fetch_stays_without_a_value(tmp_path, monkeypatch):
    """It is told to follow no links, so that its error says nothing of the formula."""
    asks = "<f>WEBSERVICE(Models!$F$1)+SUM(Models!$B$6:$B$7)</f>"
    data = patched(template(), LISTS, (f"{FORMULA}<v></v>", asks))
    book = tmp_path / "filled.xlsx"
    fill(data, Fill(allow=WORDS), book)
    copy = tmp_path / "copy.xlsx"
    copy.write_bytes(patched(template(), LISTS, (f'<c r="A1">{FORMULA}<v></v>', '<c r="A1" t="e"><v>#N/A</v>')))
    monkeypatch.setattr(recalculate, "recalculate_copy", lambda *_: copy)
    assert recalculate.recalculate(book) == [
        "Lists!A1 has no value: LibreOffice, which cannot calculate it, gives #N/A"
    ]
    assert cell_xml(book, LISTS, "A1") == f'<c r="A1">{asks}</c>'


def test_libreoffice_gets_nothing_to_fetch(tmp_path, monkeypatch):
    """A picture from the web stays in the workbook, and is not in what LibreOffice opens."""
    rels = "xl/worksheets/_rels/sheet1.xml.rels"
    image = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
    arrow = f'<Relationship Id="rIdX" Type="{image}" Target="http://example.org/x.png" TargetMode="External"/>'
    book = tmp_path / "filled.xlsx"
    fill(patched(template(), rels, ("</Relationships>", f"{arrow}</Relationships>")), Fill(allow=WORDS), book)
    given = []
    monkeypatch.setattr(recalculate, "recalculate_copy", lambda path, _: given.append(part(path, rels)) or path)
    recalculate.recalculate(book)
    assert "example.org" in part(book, rels)
    assert "example.org" not in given[0]
    assert 'Target="/xl/tables/table1.xml"' in given[0]


WHOLE = {
    "SUM(models)*2": "SUM(models[])*2",
    "INDEX(Models,1,2)": "INDEX(Models[],1,2)",
    "ROWS(models[#Data])": "ROWS(models[])",
    "SUM(models[size])+models[[#This Row],[size]]": "SUM(models[size])+models[[#This Row],[size]]",
    "\"models\"&amp;models!A1&amp;'models'!A1": "\"models\"&amp;models!A1&amp;'models'!A1",
    "other[all models]+models2+my.models+models(1)": "other[all models]+models2+my.models+models(1)",
    "models[[#This Row],[of models]]+models": "models[[#This Row],[of models]]+models[]",
}


@pytest.mark.parametrize(("ours", "theirs"), WHOLE.items(), ids=WHOLE)
def test_libreoffice_reads_a_whole_table_as_excel_does(ours, theirs, tmp_path, monkeypatch):
    """It takes a table's bare name for the header too; the workbook itself keeps its formula."""
    book = filled(tmp_path, patched(template(), LISTS, (FORMULA, f"<f>{ours}</f>")))
    given = []
    monkeypatch.setattr(recalculate, "recalculate_copy", lambda path, _: given.append(part(path, LISTS)) or path)
    recalculate.recalculate(book)
    assert f"<f>{theirs}</f>" in given[0]
    assert f"<f>{ours}</f>" in part(book, LISTS)


def test_all_cells_of_an_array_are_written(tmp_path, monkeypatch):
    """The cells that an array formula fills have no formula of their own, and get their values too."""
    array = '<c r="A1"><f t="array" ref="A1:B1">x</f></c><c r="B1" s="0"/><c r="C1"/></row>'
    book = filled(tmp_path, patched(template(), LISTS, (f'<c r="A1">{FORMULA}<v></v></c></row>', array)))
    values = '<c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="C1"><v>3</v></c></row>'
    copy = tmp_path / "copy.xlsx"
    copy.write_bytes(patched(template(), LISTS, (f'<c r="A1">{FORMULA}<v></v></c></row>', values)))
    monkeypatch.setattr(recalculate, "recalculate_copy", lambda *_: copy)
    recalculate.recalculate(book)
    assert cell_xml(book, LISTS, "A1") == '<c r="A1"><f t="array" ref="A1:B1">x</f><v>1</v></c>'
    assert cell_xml(book, LISTS, "B1") == '<c r="B1" s="0"><v>2</v></c>'
    assert cell_xml(book, LISTS, "C1") == '<c r="C1"/>'


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Return what makes a script the only LibreOffice on the path."""

    def make(script):
        program = tmp_path / "bin" / "soffice"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")

    return make


def test_a_program_that_hangs_is_ended(stand_in, tmp_path):
    """After the time limit the program and what it started are ended, and the message says so."""
    stand_in(f"(sleep 2; touch {tmp_path}/late) & sleep 60")
    book = filled(tmp_path, template())
    with pytest.raises(CalculationError, match=r"did not calculate the workbook within 0\.01 minutes"):
        libreoffice.recalculate_copy(book, tmp_path / "work", 0.6)
    time.sleep(2)
    assert not (tmp_path / "late").exists()


def test_a_program_that_fails_is_quoted(stand_in, tmp_path):
    """The last line that the program says is the reason."""
    stand_in("echo starting; echo no space left on device >&2; exit 1")
    with pytest.raises(CalculationError, match=r"could not calculate filled\.xlsx: no space left on device"):
        libreoffice.recalculate_copy(filled(tmp_path, template()), tmp_path / "work")


@pytest.mark.parametrize(
    ("output", "message"),
    [("plan.xlsx", "needs LibreOffice"), ("plan.toml", "needs a workbook among the outputs")],
    ids=["no program", "no workbook"],
)
def test_without_libreoffice_nothing_is_written(output, message, tmp_path, monkeypatch):
    """The command ends with status 2 and one line before it reads or writes anything."""
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(main, ["report", str(CONFIG), "-o", str(tmp_path / output), "--recalculate"])
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@needs_soffice
def test_libreoffice_fills_in_what_the_template_computes(tmp_path):
    """The author's formulas over 200 rows show their values, in a file that is otherwise the same.

    To Excel 0^0 is an error value, which it stored, and to LibreOffice 1: what depends on it stays without a value.
    """
    book = tmp_path / "filled.xlsm"
    rows = [(f"model {at}", "moe" if at % 4 else "dense", at + 1, 1.5 * (at + 1), "yes", 1.5) for at in range(200)]
    odd = '<c r="X9" t="e"><f>0^0</f><v>#NUM!</v></c><c r="Y9"><f>IFERROR(X9,5)*B9</f><v>10</v></c></row></sheetData>'
    template = patched(rich_template(), "xl/worksheets/sheet2.xml", ("</row></sheetData>", odd))
    fill(template, Fill(tables={"Data": TableFill(rows)}, allow=WORDS), book)
    before = raw_entries(book.read_bytes())
    remarks = recalculate.recalculate(book)
    summary = load_workbook(BytesIO(book.read_bytes()), data_only=True, read_only=True)["Summary"]
    assert [summary[cell].value for cell in ("B2", "B5", "B6", "B9")] == [7_425, 30_150, 30_150, 200]
    after = raw_entries(book.read_bytes())
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {f"xl/worksheets/sheet{at}.xml" for at in (1, 2, 6)}
    assert [remark.split()[0] for remark in remarks[:2]] == ["Summary!F2", "Summary!F3"]
    assert remarks[2:] == [
        "Summary!X9 holds '#NUM!', and LibreOffice calculates '1'",
        "Summary!Y9 has no value: it depends on one that LibreOffice contradicts",
    ]
    with zipfile.ZipFile(book) as archive:
        assert archive.testzip() is None


@needs_soffice
def test_report_tells_what_a_template_brought_along(tmp_path):
    """What is kept, refreshed later and not calculated is told once, a line each."""
    template_file, output = tmp_path / "rich.xlsm", tmp_path / "plan.xlsm"
    template_file.write_bytes(rich_template())
    asked = ["report", str(CONFIG), "-o", str(output), "--template", str(template_file), "--recalculate"]
    done = CliRunner().invoke(main, [*asked, "--allow", "macros,external-links,connections"])
    assert done.exit_code == 0
    lines = done.stderr.splitlines()
    assert "kept: macros (xl/vbaProject.bin)" in lines
    assert "refreshed on opening in Excel: the pivot table CostByFamily (Pivot!A3:B6)" in lines
    assert lines[-2].startswith("recalculated: Summary!F2 has no value")


@needs_soffice
def test_report_recalculates(tmp_path):
    """The shipped template has nothing to calculate, and LibreOffice agrees with every value that it holds."""
    output = tmp_path / "plan.xlsx"
    done = CliRunner().invoke(main, ["report", str(CONFIG), "-o", str(output), "--recalculate"])
    assert done.exit_code == 0
    assert done.stderr.startswith("note: assumed H100 SXM5 80GB, 1,024 accelerators")
    assert len(done.stderr.splitlines()) == 1
    assert output.exists()


def test_what_depends_on_a_contradicted_value_stays_without_one(tmp_path, monkeypatch):
    """Its calculated value is of another input than the workbook shows; what depends on nothing of it is written."""
    book, remarks = recalculated(
        tmp_path,
        monkeypatch,
        '<v>30</v></c><c r="Y1"><f>1+1</f></c><c r="Z1"><f>A1*2</f>',
        '<c r="A1"><v>31</v></c><c r="Y1"><v>2</v></c><c r="Z1"><v>62</v>',
    )
    assert [cell_xml(book, LISTS, at) for at in ("Y1", "Z1")] == [
        '<c r="Y1"><f>1+1</f><v>2</v></c>',
        '<c r="Z1"><f>A1*2</f></c>',
    ]
    assert remarks == [
        "Lists!A1 holds '30', and LibreOffice calculates '31'",
        "Lists!Z1 has no value: it depends on one that LibreOffice contradicts",
    ]


def test_what_if_tables_are_left_to_excel(tmp_path, monkeypatch):
    """LibreOffice gets them wrong where they go through other cells: neither they nor what reads them gets a value."""
    table = '<c r="B1"><f t="dataTable" ref="B1:C1" r1="Z1"/></c><c r="C1"/>'
    readers = '<c r="D1"><f>C1*2</f></c><c r="E1"><f>C1*3</f><v>9</v></c><c r="F1"><f>1+1</f>'
    book, remarks = recalculated(
        tmp_path,
        monkeypatch,
        f"<v>30</v></c>{table}{readers}",
        '<c r="A1"><v>30</v></c><c r="B1"><v>5</v></c><c r="C1"><v>5</v></c><c r="D1"><v>10</v></c>'
        '<c r="E1"><v>15</v></c><c r="F1"><v>2</v>',
    )
    assert f"{table}{readers}<v>2</v></c>" in part(book, LISTS)
    why = "has no value: LibreOffice calculates what-if data tables, and so what may depend on them, in its own way"
    assert remarks == [f"Lists!B1:C1 {why}", f"Lists!D1 {why}"]
