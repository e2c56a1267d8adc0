import json
import re
import subprocess
import sys
import tomllib
import zipfile

import pytest
from budget_template import budget
from click.testing import CliRunner
from openpyxl import load_workbook
from samples import CONFIGS, FRONTIER, PROGRAM, costed, with_macros, write_config, write_portfolio
from xlsx_templates import patched

from flopsheet.cli import main
from flopsheet.planning.prices import day_collected

NOTE = (
    f"note: assumed H100 SXM5 80GB, 1,024 accelerators, 90 days, prices as of {day_collected()}; set accelerator,"
    " accelerators, days, report_date under [inputs] in the portfolio, or use --input"
)
"""The first line on stderr where no input gives a cluster."""


def run(*arguments):
    """Run `flopsheet report`, and return the result; a traceback fails the test."""
    result = CliRunner().invoke(main, ["report", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def out(tmp_path):
    """Return the path of an output in a folder of its own."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "plan.toml"


def test_the_last_line_counts_models_and_names_outputs(out):
    """The contract's line ends stdout, and the outputs stand there as they were given."""
    result = run(FRONTIER, "-o", out, "-o", out.with_suffix(".csv"))
    statuses = [model.status for model in costed(FRONTIER)]
    counts = f"{len(statuses)} models: {statuses.count('ok')} ok, 1 approximate, 1 error"
    assert result.stdout.splitlines()[-1] == f"{counts} → {out}, {out.with_suffix('.csv')}"
    assert sorted(path.name for path in out.parent.iterdir()) == ["plan.csv", "plan.toml"]


def test_one_model_is_not_plural(out):
    """One model is `1 model`."""
    assert run(CONFIGS / "gpt2-xl", "-o", out).stdout == f"1 model: 1 ok, 0 approximate, 0 error → {out}\n"


def unreasoned(stderr):
    """Return stderr without the lines that count models by reason."""
    return re.sub(r"note: \d+ models?: .*\n", "", stderr)


def test_first_problems_go_to_stderr(out):
    """Each model that is not ok has one line on stderr, and stdout is left to the result."""
    result = run(CONFIGS / "broken", CONFIGS / "llama-with-extra-field", "-o", out)
    note, *lines = unreasoned(result.stderr).splitlines()
    assert note == NOTE
    assert [line.split(": ")[:2] for line in lines] == [
        ["error", "broken"],
        ["approximate", "llama-with-extra-field"],
    ]
    assert len(result.stdout.splitlines()) == 1


def test_a_long_list_of_problems_is_cut(out, tmp_path):
    """A batch of many models with problems shows the first two hundred, those in error first."""
    rows = [f"m{at},llama,{'x' if at == 240 else 4096},1" for at in range(250)]
    models = tmp_path / "models.csv"
    models.write_text("\n".join(["name,model_type,hidden_size,budget", *rows]))
    note, *lines = unreasoned(run(models, "-o", out).stderr).splitlines()
    assert note == NOTE
    assert (len(lines), lines[-1]) == (201, "… and 50 more lines")
    assert lines[0].startswith("error: m240: ")


STATUSES = {
    "ok": (["gpt2-xl"], [], 0),
    "approximate": (["gpt2-xl", "llama-with-extra-field"], [], 0),
    "error": (["gpt2-xl", "broken"], [], 1),
    "strict ok": (["gpt2-xl"], ["--strict"], 0),
    "strict approximate": (["gpt2-xl", "llama-with-extra-field"], ["--strict"], 1),
    "strict error": (["broken"], ["--strict"], 1),
}


@pytest.mark.parametrize(("names", "options", "status"), STATUSES.values(), ids=STATUSES)
def test_exit_status(out, names, options, status):
    """0 for ok and approximate, 1 for error, with --strict for approximate too; all is written in any case."""
    result = run(*(CONFIGS / name for name in names), *options, "-o", out)
    assert result.exit_code == status
    assert [model["name"] for model in tomllib.loads(out.read_text("utf-8"))["models"]] == names


def test_the_same_inputs_give_the_same_bytes(out):
    """A second run, to another folder, writes the same bytes."""
    twice = []
    for name in ("one", "two"):
        folder = out.parent / name
        folder.mkdir()
        run(FRONTIER, *(arg for suffix in ("toml", "json", "csv", "md") for arg in ("-o", folder / f"a.{suffix}")))
        twice.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert len(twice[0]) == 4
    assert twice[0] == twice[1]


def test_a_setting_is_applied(out):
    """`--set` reaches every model."""
    run(FRONTIER, "--set", "batch=3", "--set", "kv_dtype_bytes=1", "-o", out)
    models = tomllib.loads(out.read_text("utf-8"))["models"]
    assert {model["dimensions"]["batch"] for model in models if model["dimensions"]} == {3}


def test_a_setting_that_only_some_models_have_is_a_note_for_the_others(out):
    """`top_k` means something to Mixtral and nothing to GPT-2."""
    result = run(CONFIGS / "gpt2-xl", CONFIGS / "Mixtral-8x7B", "--set", "top_k=1", "-o", out)
    gpt2, mixtral = tomllib.loads(out.read_text("utf-8"))["models"]
    assert result.exit_code == 0
    assert gpt2["notes"] == ["set but not used by this architecture: top_k"]
    assert (mixtral["dimensions"]["top_k"], mixtral["notes"]) == (1, [])


def test_name_and_scenario_can_be_given(out):
    """`--name` and `--case` stand over the portfolio's."""
    run(FRONTIER, "--name", "Ours", "--case", "low", "-o", out)
    report = tomllib.loads(out.read_text("utf-8"))
    assert (report["name"], report["scenario"]) == ("Ours", "low")


def test_a_plugin_can_be_left_out(out):
    """Without the plugin that reads it, a model is in error, and says which type nothing reads."""
    result = run(CONFIGS / "Mixtral-8x7B", "--without", "moe", "-o", out)
    assert result.exit_code == 1
    assert "model_type 'mixtral' is not supported" in result.stderr


def test_two_models_of_one_name_take_their_paths(tmp_path, out):
    """Names are unique in a report, so that `diff` can tell models apart."""
    first, second = (write_config(tmp_path / folder / "same") for folder in "ab")
    run(first, second, first, "-o", out)
    names = [model["name"] for model in tomllib.loads(out.read_text("utf-8"))["models"]]
    assert names == [str(first), str(second), f"{first} (2)"]


def test_models_of_one_name_in_two_portfolios_are_numbered(tmp_path, out):
    """No path tells models apart that portfolios describe, so a number does; a name that is alone stays."""
    paper = 'architecture = "dense"\ndimensions = { n_layers = 2, d_model = 64, n_heads = 4, vocab_size = 100 }\n'
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text(f'[[models]]\nname = "Same"\n{paper}', "utf-8")
    second.write_text(f'[[models]]\nname = "Same"\n{paper}[[models]]\nname = "Other"\n{paper}', "utf-8")
    run(first, second, "-o", out)
    names = [model["name"] for model in tomllib.loads(out.read_text("utf-8"))["models"]]
    assert names == ["Same", "Same (2)", "Other"]


def test_globs_pass_over_what_is_no_model(tmp_path, out):
    """A wide glob takes configs and folders of them, and no tokenizer, generation config or empty folder."""
    write_config(tmp_path / "a")
    (tmp_path / "a" / "generation_config.json").write_text("{}")
    (tmp_path / "a" / "tokenizer.json").write_text("{}")
    (tmp_path / "a" / "empty").mkdir()
    result = run(tmp_path / "a" / "*", "-o", out)
    assert result.stdout.startswith("1 model: 1 ok")


BAD_FIELDS = {
    "NaN": {"hidden_size": float("nan")},
    "infinite": {"hidden_size": float("inf")},
    "negative": {"hidden_size": -4096},
    "zero": {"num_attention_heads": 0},
    "huge": {"hidden_size": 10**400},
    "beyond a cell": {"hidden_size": 2**60},
    "fraction": {"hidden_size": 4096.5},
    "text": {"hidden_size": "x" * 40_000},
    "list": {"hidden_size": [1]},
    "null": {"hidden_size": None},
    "heads": {"num_key_value_heads": 5},
    "type": {"model_type": "t" * 40_000},
    "type of no text": {"model_type": 3},
    "half a character": {"model_type": "\ud800"},
}


@pytest.mark.parametrize("fields", BAD_FIELDS.values(), ids=BAD_FIELDS)
def test_a_bad_field_is_an_error_of_its_model(tmp_path, out, fields):
    """A bad value is named in one short line, and the other model of the batch is counted."""
    result = run(write_config(tmp_path / "bad", **fields), CONFIGS / "gpt2-xl", "-o", out)
    assert result.exit_code == 1
    assert result.stdout.startswith("2 models: 1 ok, 0 approximate, 1 error")
    note, told = result.stderr.split("\n", 1)
    assert note == NOTE
    assert told.startswith("error: bad: ")
    assert len(told) < 500


ODD_CLASSES = {"dict": [{}], "list": [["x"]], "number": [3]}


@pytest.mark.parametrize("classes", ODD_CLASSES.values(), ids=ODD_CLASSES)
def test_an_odd_class_is_a_problem(tmp_path, out, classes):
    """A class that is no text is not known, so the count is approximate."""
    result = run(write_config(tmp_path / "odd", architectures=classes), "-o", out)
    assert result.stdout.startswith("1 model: 0 ok, 1 approximate")


BAD_FILES = {
    "truncated": (b'{"model_type": "lla', "invalid JSON at line 1"),
    "binary": (bytes(range(256)), "not UTF-8 text"),
    "list": (b"[1, 2]", "found a JSON list"),
    "empty": (b"", "the file is empty"),
    "deep": (b"[" * 100_000, "unusable JSON"),
    "digits": (b'{"hidden_size": ' + b"9" * 5000 + b"}", "unusable JSON"),
    "no model": (b"{}", "the config has no model_type"),
}


@pytest.mark.parametrize(("content", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_an_error_of_its_model(tmp_path, out, content, message):
    """A file that is no config is named with what it is, and the report is written."""
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    result = run(path, "-o", out)
    assert result.exit_code == 1
    assert message in result.stderr
    assert out.is_file()


def test_a_missing_file_is_an_error_of_its_model(tmp_path, out):
    """A config that is not there is told by its path, among others that are."""
    result = run(tmp_path / "nowhere.json", CONFIGS / "gpt2-xl", "-o", out)
    assert result.exit_code == 1
    assert f"{tmp_path / 'nowhere.json'}: cannot be read: No such file or directory" in result.stderr


@pytest.mark.parametrize("names", [["nowhere.json"], ["nowhere", "no/where.json"]])
def test_where_no_input_is_there_nothing_is_written(out, names):
    """A mistyped path does not replace a good report by one without models."""
    out.write_text("good", "utf-8")
    result = run(*names, "-o", out)
    assert (result.exit_code, out.read_text("utf-8")) == (2, "good")
    assert f"flopsheet: {names[0]}: cannot be read: No such file or directory" in result.stderr


BAD_USAGE = {
    "no output": (["{config}"], "Missing option '-o'"),
    "no input": (["-o", "{out}"], "Missing argument 'INPUT...'"),
    "unknown suffix": (["{config}", "-o", "{folder}/plan.pdf"], "unsupported extension '.pdf'; use one of .xlsx"),
    "missing folder": (["{config}", "-o", "{folder}/no/plan.toml"], "does not exist; make it first"),
    "output is a folder": (["{config}", "-o", "{folder}/folder.toml"], "is a directory"),
    "one output twice": (["{config}", "-o", "{out}", "-o", "{folder}/./out/plan.toml"], "is given twice"),
    "errors are an output": (["{config}", "-o", "{folder}/x.csv", "--errors", "{folder}/x.csv"], "is given twice"),
    "errors are an output by a link": (
        ["{config}", "-o", "{folder}/x.csv", "--errors", "{folder}/linked.csv"],
        "x.csv are the same file; give each output a name of its own",
    ),
    "no name": (["{config}", "-o", ""], "an output has no name; give a file such as plan.xlsx"),
    "output is input": (["{config}", "-o", "{config}"], "is an input"),
    "empty input": (["", "-o", "{out}"], "an input is empty"),
    "empty folder": (["{folder}/folder.toml", "-o", "{out}"], "this folder has no config.json"),
    "no match": (["{folder}/*.nothing", "-o", "{out}"], "no config matches this pattern"),
    "missing portfolio": (["{folder}/no.toml", "-o", "{out}"], "cannot be read: No such file or directory"),
    "unknown setting": (
        ["{config}", "--set", "batchh=2", "-o", "{out}"],
        "--set batchh: no model has such a dimension",
    ),
    "no value": (["{config}", "--set", "batch", "-o", "{out}"], "'batch' is not NAME=VALUE"),
    "unknown scenario": (
        ["{config}", "--case", "medium", "-o", "{out}"],
        "the case 'medium' is unknown",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_USAGE.values(), ids=BAD_USAGE)
def test_a_request_that_makes_no_sense_is_exit_2(tmp_path, out, arguments, message):
    """Nothing is written, stdout is empty, and one message says what to change."""
    config = write_config(tmp_path / "model").rename(tmp_path / "model.json")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "linked.csv").symlink_to(tmp_path / "x.csv")
    before = sorted(tmp_path.rglob("*"))
    result = run(*(text.format(config=config, out=out, folder=tmp_path) for text in arguments))
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_an_unknown_setting_is_suggested(out):
    """A slip of the finger is answered with the name that was meant."""
    assert "did you mean 'batch'?" in run(CONFIGS / "gpt2-xl", "--set", "batchh=2", "-o", out).stderr


MANY_PROBLEMS = """
[workload]
batc = 1
seq_len = 0
[[models]]
config = "config.json"
rename = { hidden_size = 3 }
[[models]]
name = "a"
[[models]]
architecture = "dense"
n_layer = 3
dimensions = { d_modle = 3, d_model = -1 }
tokens = "many"
published = 5
"""
ALL_OF_THEM = [
    "workload.batc: unknown; did you mean 'batch'?",
    "workload.seq_len: 0 is out of range; a whole number of at least 1 is expected",
    "models[0].rename.hidden_size: 3 is not the name of a field",
    'models[1]: needs config = "path", size = "70B", or architecture and dimensions',
    "models[2].n_layer: unknown; did you mean 'n_layers'?",
    "models[2].dimensions.d_modle: unknown; did you mean 'd_model'?",
    "models[2].dimensions.d_model: -1 is out of range; a whole number of at least 1 is expected",
    "models[2].tokens: 'many'; a whole number from 1 to 9e15 is expected, such as 15e12 or '15T'",
    'models[2].published: { parameters = 8_030_261_248, source = "…", date = "…" } is expected',
]


def test_all_problems_of_a_portfolio_are_told_at_once(tmp_path, out):
    """Each problem stands on a line with its place and what was meant, and the first line counts them."""
    write_config(tmp_path)
    result = run(write_portfolio(tmp_path, MANY_PROBLEMS), "-o", out)
    first, *problems = result.stderr.splitlines()
    assert result.exit_code == 2
    assert first.endswith("portfolio.toml: 9 problems")
    assert [problem.strip() for problem in problems] == ALL_OF_THEM


BAD_PORTFOLIOS = {
    "unknown table": ("[worklod]\n", "worklod: unknown; did you mean 'workload'?"),
    "input": ('report_currency = "EUR"\n', "report_currency: an input; put it under [inputs]"),
    "scenario": ('scenario = "medium"\n', "scenario: 'medium'; one of low, base, high is expected"),
    "models no list": ("models = 3\n", "models: a list is expected"),
    "model no table": ("models = [3]\n", "models[0]: a table is expected"),
    "require no list": ("require = 3\n", "require: a list is expected"),
    "require": ('require = ["flopsheet>=99"]\n', "require: flopsheet>=99 is required"),
    "newer": ("schema = 2\n", "schema: 2 is newer than this flopsheet reads"),
    "accelerator": ('[cluster]\naccelerator = "h100x"\n', "no accelerator is named 'h100x'"),
    "driver": (
        "[drivers]\ngoodputt = 1\n",
        "drivers.goodputt: unknown; did you mean 'goodput' (under [inputs]; efficiency: Goodput)?",
    ),
    "NaN driver": ("[drivers]\ndays = nan\n", "drivers.days: nan is out of range; a number greater than 0 is expected"),
    "zero divisor": (
        "[cluster]\naccelerators = 0\n",
        "cluster.accelerators: 0 is out of range; a whole number",
    ),
    "no TOML": ("x = \n", "invalid TOML"),
    "status": (
        'schema = 1\n[[models]]\nstatus = "ok"\nproblems = 3\n',
        "models[0].problems: a list of texts is expected",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD_PORTFOLIOS.values(), ids=BAD_PORTFOLIOS)
def test_a_bad_portfolio_is_exit_2(tmp_path, out, text, message):
    """What a portfolio has wrong is told by its place, and nothing is written."""
    result = run(write_portfolio(tmp_path, text), "-o", out)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not out.exists()


def test_a_path_that_no_file_can_have_is_an_error_of_its_model(tmp_path, out):
    """A null character in a portfolio's path is told as it is."""
    result = run(write_portfolio(tmp_path, '[[models]]\nconfig = "a\\u0000b"\n'), "-o", out)
    assert result.exit_code == 1
    assert re.search("'/.*/a.x00b': not a file path: .*embedded null", result.stderr)  # in the words of each Python


def test_the_program_reports(out):
    """The installed command writes a report, with no progress bar where stderr is no terminal."""
    command = [PROGRAM, "report", CONFIGS / "gpt2-xl", "-o", out]
    environment = {"PYTHONWARNINGS": "error", "PYTHONUTF8": "1"}
    result = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8", env=environment)
    assert result.stdout == f"1 model: 1 ok, 0 approximate, 0 error → {out}\n"
    assert result.stderr == f"{NOTE}\n"


CLUSTERS = {
    heading: f'[{heading}]\naccelerator = "h100-sxm"\naccelerators = 1024\ndays = 20\nreport_date = 2026-12-01\n'
    for heading in ("inputs", "cluster")
}


@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
def test_a_plan_with_a_cluster_assumes_none(tmp_path, out, cluster):
    """Where a portfolio gives a cluster, even that of the defaults, nothing stands on stderr."""
    write_config(tmp_path)
    result = run(write_portfolio(tmp_path, f'{cluster}[[models]]\nconfig = "config.json"\n'), "-o", out)
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_cluster_on_the_command_line_is_not_assumed(out):
    """What --input gives needs no note; what is left open has one."""
    options = ["--input", "accelerators=8", "--input", "days=5"]
    told = run(CONFIGS / "gpt2-xl", *options, "-o", out).stderr
    assert told.startswith(
        f"note: assumed H100 SXM5 80GB, prices as of {day_collected()}; set accelerator, report_date"
    )


def test_a_terminal_of_few_characters_is_no_problem(out):
    """Where the terminal's encoding has no arrow, another sign stands there."""
    command = [PROGRAM, "report", CONFIGS / "gpt2-xl", "-o", out]
    environment = {"PYTHONIOENCODING": "latin-1"}
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert re.search(r"0 error \? ", result.stdout)
    assert result.stderr == f"{NOTE}\n"


def test_a_refused_template_leaves_every_output_alone(out, tmp_path):
    """Active content is refused in one line that names the template and the part; no output is written or replaced."""
    out.write_text("old")
    book = with_macros(tmp_path / "budget.xlsm")
    result = run(CONFIGS / "gpt2-xl", "-o", out, "-o", out.with_suffix(".xlsm"), "--template", book)
    assert result.exit_code == 2
    assert result.stderr == (
        f"flopsheet: {book}: the template has active content: macros (xl/vbaProject.bin); "
        "take it out, or keep it with --allow macros\n"
    )
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert out.read_text() == "old"


def test_what_a_template_brings_along_is_told(out, tmp_path):
    """What --allow keeps is listed on stderr, once however many workbooks have it."""
    book = with_macros(tmp_path / "budget.xlsm")
    outputs = ["-o", out.with_name("a.xlsm"), "-o", out.with_name("b.xlsm")]
    result = run(CONFIGS / "gpt2-xl", *outputs, "--template", book, "--allow", "dde,macros")
    assert (result.exit_code, unreasoned(result.stderr)) == (0, f"{NOTE}\nkept: macros (xl/vbaProject.bin)\n")
    with zipfile.ZipFile(out.with_name("b.xlsm")) as archive:
        assert archive.read("xl/vbaProject.bin") == b"code"
    rows = load_workbook(out.with_name("b.xlsm"))["Provenance"].iter_rows(values_only=True)
    assert [row[:3] for row in rows if row[0] == "Kept"] == [("Kept", "macros", "xl/vbaProject.bin")]


def test_an_unknown_word_is_refused_before_anything_is_read(out):
    """A slip in --allow is a usage error."""
    result = run("nowhere.json", "-o", out, "--allow", "macro")
    assert (result.exit_code, result.stderr) == (
        2,
        "flopsheet: --allow does not know 'macro'; did you mean 'macros'?\n",
    )


def test_a_format_that_lacks_its_module_leaves_the_others(tmp_path, out, monkeypatch):
    """It is said before anything runs, with what to install; the exit status says that an output is missing."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    config, missing = write_config(tmp_path / "model"), tmp_path / "plan.parquet"
    result = run(config, "-o", out, "-o", missing)
    remedy = f"{missing} is not written: pyarrow is not installed; pip install 'flopsheet[sweep]'"
    assert (result.exit_code, result.stderr.splitlines()[0]) == (1, f"error: {remedy}")
    assert out.is_file()
    assert not missing.exists()
    alone = run(config, "-o", missing)
    assert (alone.exit_code, alone.stderr) == (2, f"flopsheet: {remedy}\n")


def test_a_field_longer_than_a_cell_stops_no_workbook(tmp_path):
    """The message about it is cut, in the workbook as on the terminal."""
    folder = tmp_path / "long"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", "x" * 33_000: 1}), "utf-8")
    assert run(folder, "-o", tmp_path / "plan.xlsx").exit_code == 0
    rows = [cell.value for row in load_workbook(tmp_path / "plan.xlsx")["Problems"].rows for cell in row]
    assert any(str(text).startswith("field xxx") and str(text).endswith("…") for text in rows)


@pytest.mark.parametrize("sheet", [" ", "'", "A!B", "x" * 31, "日本語 ü"])
def test_a_template_with_an_odd_name_of_a_sheet_is_filled(sheet, tmp_path):
    """Excel writes none of them, other programs do."""
    data = patched(budget(), "xl/workbook.xml", ('name="Data"', f'name="{sheet}"'))
    (tmp_path / "mine.xlsx").write_bytes(data)
    checked = CliRunner().invoke(main, ["templates", "check", str(tmp_path / "mine.xlsx")])
    assert (checked.exit_code, "Parameters (B)" in checked.output) == (1, True)
    result = run(write_config(tmp_path / "model"), "--template", tmp_path / "mine.xlsx", "-o", tmp_path / "plan.xlsx")
    assert result.exit_code == 0
    assert load_workbook(tmp_path / "plan.xlsx").worksheets[0]["A4"].value == "model"


def test_what_changes_numbers_is_counted_by_reason_where_it_is_read(tmp_path):
    """On the terminal, on the cover and in Markdown; the sheet Problems tells of each model."""
    config = write_config(tmp_path / "Unknown", quantization_config={"quant_method": "vptq"})
    outputs = [tmp_path / "plan.xlsx", tmp_path / "plan.md"]
    result = CliRunner().invoke(main, ["report", str(config), *(part for one in outputs for part in ("-o", str(one)))])
    reason = "1 model: weights counted without quantization, format unknown"
    assert f"note: {reason}" in result.stderr
    book = load_workbook(outputs[0])
    ((sheet, cell),) = book.defined_names["out_reasons"].destinations
    assert sheet == "About"
    assert reason in book[sheet][cell.replace("$", "")].value
    assert f"- {reason}" in outputs[1].read_text("utf-8")
