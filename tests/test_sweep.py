"""Sweeps: designs along axes, evaluated as columns, filtered, ranked and written."""

import csv
import json
import subprocess
import sys
import zipfile

import judges
import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import flopsheet
from flopsheet.cli import main
from flopsheet.configs.inputs import read_inputs
from flopsheet.configs.settings import SHORT
from flopsheet.errors import PortfolioError, UsageError
from flopsheet.planning.costing import cost_all, dimension_values
from flopsheet.planning.designs.columns import searches
from flopsheet.planning.designs.design import CHUNK
from flopsheet.planning.designs.sweep import MODEL, Request, find_kept, open_sweep, run
from flopsheet.planning.making import make_plan
from flopsheet.planning.question import MODELS_TABLE, OVERRIDE
from flopsheet.planning.registry import input_checker
from flopsheet.planning.run import PlannedModel, Run
from flopsheet.planning.workers import Workers

DENSE = """
name = "Sizes"
[inputs]
accelerators = 1024
days = 60
[[models]]
name = "dense"
architecture = "dense"
[models.dimensions]
vocab_size = 128256
n_layers = 32
d_model = 4096
n_heads = 32
"""
LAID_OUT = DENSE.replace("[inputs]", "[inputs]\ntensor_parallel = 8")
"""A portfolio with one dense model."""
LAYERS = "[sweep.axes]\nn_layers = { from = 8, to = 40, step = 8 }\n"
RANDOM = """
kind = "random"
points = 10_000
[sweep.axes]
n_layers = { from = 8, to = 120 }
d_model = { from = 1024, to = 16384, multiple = 128 }
n_heads = [8, 16, 32]
seq_len = [2048, 4096, 8192]
tokens = { from = 1e11, to = 3e13, spacing = "log" }
mfu = { from = 0.2, to = 0.5 }
price_per_hour = { from = 1, to = 4 }
"""
MFU = "[sweep.axes]\nmfu = { from = 0.2, to = 0.6 }\n"
CLOSE = 1e-12


def opened(folder, sweep, portfolio=DENSE, **asked):
    """Return a design of a portfolio, ready to be evaluated, and what asked for it."""
    file = folder / "design.toml"
    file.write_text(f"{portfolio}\n[sweep]\n{sweep}", "utf-8")
    request = Request(str(file), {}, {}, **asked)
    return request, open_sweep(request)


def swept(folder, sweep, portfolio=DENSE, jobs=1):
    """Return the counts and rows of a sweep."""
    request, one = opened(folder, sweep, portfolio)
    return find_kept(one, run(request, one, Workers(jobs)))


def test_ten_thousand_random_designs_equal_the_exact_path(tmp_path):
    """Each row is what exact evaluation of that model under these inputs gives."""
    _, one = opened(tmp_path, RANDOM)
    lines = [line.name for line in one.plan.model_lines]
    one = replace(one, design=replace(one.design, columns=(*lines, "parameters", "flops_training_step")))
    counts, table = find_kept(one, map(one.evaluate_chunk, one.tasks))
    ledger = one.plan.costed[0].ledger
    axes = [axis.name for axis in one.design.axes if axis.name != "tokens"]
    own = [name for name in axes if name in ledger.places]
    inputs = [name for name in axes if name not in ledger.places]
    model = one.plan.costed[0].model
    assert counts.designs == counts.met == len(table[MODEL]) == 10_000

    subjects = []
    for place in range(10_000):
        given, _ = dimension_values(ledger, model, {**model.given, **{name: int(table[name][place]) for name in own}})
        state = {name: float(table[name][place]) for name in inputs}
        subjects.append(PlannedModel(place, {OVERRIDE: int(table["tokens"][place]), **state}, ledger.evaluate(given)))
    exact = Run(one.plan.program, one.plan.case("base"), subjects).table(MODELS_TABLE).columns
    exact |= {name: [subject.totals[name] for subject in subjects] for name in ("parameters", "flops_training_step")}
    for name, column in exact.items():
        assert np.allclose(table[name], np.array(column, np.float64), rtol=CLOSE, atol=0), name


@pytest.mark.parametrize("questions", [["budget"], ["training", "money"], ["scaling", "feasible"]], ids=str)
def test_names_and_every_question_equal_a_plan_of_their_own(tmp_path, questions):
    """Accelerators, kinds of price, optimizers and sizes of cluster bring what a portfolio that names them gets."""
    axes = """
kind = "random"
points = 12
[sweep.axes]
accelerator = ["h100-sxm", "a100-sxm-80gb", "b200-sxm"]
accelerators = [256, 2048]
optimizer = ["adamw_mixed", "lion"]
d_model = { from = 2048, to = 8192, multiple = 256 }
tokens = { from = 1e11, to = 3e13, spacing = "log" }
"""
    request, one = opened(tmp_path, axes, f"questions = {json.dumps(questions)}\n{LAID_OUT}")
    tables = {"models": one.plan.model_lines, "cases": one.plan.case_lines}
    nodes = [(table, line.name) for table, lines in tables.items() for line in lines]
    names = [name for table, name in nodes if not searches(one.plan.program, (table, name))]
    one = replace(one, design=replace(one.design, columns=tuple(dict.fromkeys(names))))
    _, table = find_kept(one, map(one.evaluate_chunk, one.tasks))
    host = one.plan.host
    models, portfolios = read_inputs(host, [request.path], check_inputs=input_checker(host))
    dimensions = {dimension.name for dimension in one.plan.costed[0].ledger.dimensions}
    for place in range(len(table[MODEL])):
        said = {axis.name: axis.state_value(table[axis.name][place]) for axis in one.design.axes}
        settings = {name: value for name, value in said.items() if name in dimensions or name in SHORT}
        costed = cost_all(host, models, settings)
        plan = make_plan(host, costed, portfolios, inputs={k: v for k, v in said.items() if k not in settings})
        exact = {**plan.cluster["base"], **plan.training(plan.costed[0], "base")}
        for name, number in ((name, exact[name]) for name in names):
            assert table[name][place] == pytest.approx(float(number), rel=CLOSE), (name, said)


def test_lines_of_a_search_are_not_swept(tmp_path):
    """The fastest layout is searched for each plan: a sweep that asks for it is refused, and none shows it unasked."""
    portfolio = f'questions = ["training"]\n{LAID_OUT}'
    _, table = swept(tmp_path, LAYERS, portfolio)
    assert {"step_seconds", "fits_accelerator"} < table.keys()
    assert "fastest_step_seconds" not in table
    with pytest.raises(PortfolioError, match="'fastest_step_seconds' comes from a search"):
        swept(tmp_path, f'columns = ["fastest_step_seconds"]\n{LAYERS}', portfolio)


@pytest.mark.parametrize(("question", "lacks"), [("training", "layout"), ("serving", "layout of a replica")])
def test_a_sweep_of_training_or_serving_needs_a_layout(tmp_path, question, lacks):
    """A plan of each design would search for its own; a size among the axes is one."""
    portfolio = f'questions = ["{question}"]\n{DENSE}'
    with pytest.raises(PortfolioError, match=f"no {lacks} is given"):
        swept(tmp_path, LAYERS, portfolio)
    _, table = swept(tmp_path, f"{LAYERS}tensor_parallel = [4, 8]\n", portfolio)
    assert set(table["tensor_parallel"]) == {4, 8}


@pytest.mark.parametrize("given", [{"inputs": {"mfu": 0.3}}, {"n_layers": 4}], ids=str)
def test_what_an_axis_gives_is_not_given_again(tmp_path, given):
    """It would change nothing: the values of the axis stand."""
    file = tmp_path / "design.toml"
    file.write_text(f"{DENSE}[sweep]\n[sweep.axes]\nmfu = [0.4]\nn_layers = [8]\n", "utf-8")
    with pytest.raises(UsageError, match=r"an axis of .* gives its values"):
        flopsheet.sweep(file, **given)


def test_a_grid_is_every_combination(tmp_path):
    """Lists, steps and factors, each combination once; a range of a whole dimension holds whole numbers."""
    _, table = swept(tmp_path, f"{LAYERS}d_model = [2048, 4096]\nmfu = {{ from = 0.1, to = 0.4, points = 4 }}\n")
    rows = set(zip(table["n_layers"], table["d_model"], table["mfu"].round(6), strict=True))
    assert rows == {(n, d, m) for n in (8, 16, 24, 32, 40) for d in (2048, 4096) for m in (0.1, 0.2, 0.3, 0.4)}
    _, table = swept(tmp_path, '[sweep.axes]\nn_layers = { from = 1, to = 100, points = 5, spacing = "log" }\n')
    assert table["n_layers"].tolist() == [1, 3, 10, 32, 100]


@pytest.mark.parametrize("kind", ["random", "sobol"])
def test_drawn_designs_are_the_same_for_a_seed(tmp_path, kind):
    """The same seed draws the same designs, whatever the number of processes; another seed draws others."""
    sweep = '\nkind = "{}"\npoints = 40_000\nseed = {}\ncolumns = ["parameters"]\n'
    request, one = opened(tmp_path, sweep.format(kind, 1) + MFU)
    alone = find_kept(one, run(request, one))[1]["mfu"]
    together = find_kept(one, run(request, one, Workers(2)))[1]["mfu"]
    other = swept(tmp_path, sweep.format(kind, 2) + MFU)[1]["mfu"]
    assert len(alone) == 40_000 > 2 * CHUNK
    assert np.array_equal(alone, together)
    assert not np.array_equal(alone, other)
    assert 0.2 <= alone.min() < 0.21
    assert 0.59 < alone.max() < 0.6


def test_conditions_leave_designs_out(tmp_path):
    """All conditions must hold; designs that cannot exist are counted apart."""
    counts, table = swept(
        tmp_path,
        f'where = ["training_cost < 5e6 and n_layers > 8", "parameters > 1e9"]\n{LAYERS}n_heads = [7, 32]\n',
    )
    assert counts.designs == 10
    assert counts.exist == 5  # 4,096 channels are not 7 heads
    assert counts.met == len(table[MODEL]) > 0
    assert (table["training_cost"] < 5e6).all()
    assert (table["n_layers"] > 8).all()


def test_inputs_are_written_as_in_a_portfolio(tmp_path):
    """Amounts and shares on an axis, in lists and at the ends of ranges."""
    axes = 'tokens = ["1T", "15T"]\nmfu = { from = "30%", to = 0.4, points = 2 }'
    _, table = swept(tmp_path, f"columns = ['parameters']\n[sweep.axes]\n{axes}\n")
    assert table["tokens"].tolist() == [1e12, 1e12, 15e12, 15e12]
    assert table["mfu"].tolist() == pytest.approx([0.3, 0.4] * 2)


def test_steps_of_a_range_are_decimals(tmp_path):
    """The end of the range meets a condition that names it, and so does each step."""
    counts, table = swept(
        tmp_path, "where = ['mfu <= 0.7']\n[sweep.axes]\nmfu = { from = 0.1, to = 0.7, step = 0.1 }\n"
    )
    assert table["mfu"].tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert counts.met == counts.designs


def test_ranks_of_adapters_are_numbers(tmp_path):
    """Conditions compare them, ranges hold them, and rows count their adapters."""
    axis = '{ from = 4, to = 64, points = 5, spacing = "log" }'
    columns = 'columns = ["lora_mlp", "parameters_trained"]'
    _, table = swept(tmp_path, f"where = ['lora_rank >= 16']\n{columns}\n[sweep.axes]\nlora_rank = {axis}\n")
    assert table["lora_rank"].tolist() == table["lora_mlp"].tolist() == [16, 32, 64]
    per_rank = table["parameters_trained"] / table["lora_rank"]
    assert per_rank.tolist() == [per_rank[0]] * 3


def test_bytes_on_an_axis_win_over_the_recipe_of_another(tmp_path):
    """As `--set optimizer_bytes=4 --set optimizer=lion` has them."""
    axes = "optimizer = ['lion', 'muon']\noptimizer_bytes = [4]"
    _, table = swept(tmp_path, f"columns = ['optimizer_state_bytes', 'parameters']\n[sweep.axes]\n{axes}\n")
    assert (table["optimizer_state_bytes"] == 4 * table["parameters"]).all()


def test_the_best_designs_come_first(tmp_path):
    """Minimize and maximize order the kept rows, and keep says how many there are."""
    _, least = swept(tmp_path, f'minimize = "training_cost / parameters"\nkeep = 2\n{LAYERS}')
    _, most = swept(tmp_path, f'maximize = "parameters"\nkeep = 3\n{LAYERS}')
    assert least["n_layers"].tolist() == [8, 16]
    assert most["n_layers"].tolist() == [40, 32, 24]


@pytest.mark.parametrize("objectives", [["training_cost", "-parameters"], ["training_cost", "-parameters", "-mfu"]])
def test_a_pareto_front_holds_what_nothing_beats(tmp_path, objectives):
    """A design is on the front exactly when no other is as good in everything and better in something."""
    axes = f'\nkind = "random"\npoints = 400\n{MFU}n_layers = {{ from = 8, to = 80 }}\n'
    _, everything = swept(tmp_path, f"columns = ['parameters', 'training_cost']{axes}")
    _, front = swept(tmp_path, f"pareto = {json.dumps(objectives)}\ncolumns = ['parameters', 'training_cost']{axes}")
    columns = [everything[name.lstrip("-")] * (-1 if name[0] == "-" else 1) for name in objectives]
    points = np.stack(columns, axis=1)
    beaten = [bool(((points <= point).all(axis=1) & (points < point).any(axis=1)).any()) for point in points]
    expected = {tuple(point) for point, worse in zip(points, beaten, strict=True) if not worse}
    rows = np.stack([front[name.lstrip("-")] * (-1 if name[0] == "-" else 1) for name in objectives], axis=1)
    assert {tuple(row) for row in rows} == expected
    assert 1 < len(expected) < 400


def test_the_first_of_a_front_are_on_the_front_of_all_chunks(tmp_path):
    """A front of which some are kept is found whole: no chunk leaves out designs that beat those of another."""
    axes = f'\nkind = "random"\npoints = {2 * CHUNK}\n{MFU}n_layers = {{ from = 8, to = 80 }}\n'
    front = 'pareto = ["training_cost", "-parameters"]\nminimize = "mfu"\ncolumns = ["parameters"]'
    _, whole = swept(tmp_path, front + axes)
    _, some = swept(tmp_path, f"keep = 3\n{front}{axes}")
    assert len(whole[MODEL]) > 3
    assert some["n_layers"].tolist() == whole["n_layers"].tolist()[:3]
    assert some["mfu"].tolist() == whole["mfu"].tolist()[:3]


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ("keep = 3", "sweep.axes: at least one axis"),
        ("keep = -1\n[sweep.axes]\nmfu = [0.3]\n", "sweep.keep: -1; a whole number of at least 0 is expected"),
        ("minimise = 'x'\n[sweep.axes]\nmfu = [0.3]\n", "sweep.minimise: unknown; did you mean 'minimize'?"),
        ("[sweep.axes]\nlayers = [3]\n", "sweep.axes.layers: no dimension or input has this name"),
        ("[sweep.axes]\nmfu = [0.3, 30]\n", "sweep.axes.mfu: 30 is out of range"),
        ("[sweep.axes]\nmfu = { from = 0.2, to = 0.5 }\n", "sweep.axes.mfu: a grid needs points or step"),
        ("[sweep.axes]\nmfu = { from = 0.5, to = 0.2, points = 3 }\n", "from 0.5 to 0.2"),
        ("[sweep.axes]\nmfu = { from = 0.2, to = 0.5, pionts = 3 }\n", "pionts: unknown; did you mean 'points'?"),
        ("[sweep.axes]\naccelerator = { from = 1, to = 2 }\n", "a list of names is expected"),
        ("[sweep.axes]\naccelerator = ['h1000']\n", "no accelerator is named 'h1000'"),
        ("kind = 'sobol'\n[sweep.axes]\nmfu = [0.3]\n", "sweep.points: missing"),
        ("kind = 'latin'\n[sweep.axes]\nmfu = [0.3]\n", "sweep.kind: 'latin' is not one of grid, random, sobol"),
        (
            "where = ['training_cst < 1']\n[sweep.axes]\nmfu = [0.3]\n",
            "has no 'training_cst'; did you mean 'training_cost'",
        ),
        (
            "where = ['fits_accelerator']\n[sweep.axes]\nmfu = [0.3]\n",
            "has no 'fits_accelerator'; the question 'training' has it, which is not asked: add it to questions",
        ),
        ("where = ['mfu <']\n[sweep.axes]\nmfu = [0.3]\n", "sweep.where: mfu <"),
        (
            "where = ['optimizer > 1']\n[sweep.axes]\noptimizer = ['lion', 'muon']\n",
            "sweep.axes.optimizer: a formula reads it, and names are no numbers",
        ),
        ("pareto = ['mfu']\n[sweep.axes]\nmfu = [0.3]\n", "two or three are expected"),
        ("[sweep.axes]\nn_heads = [7, 11]\n", "none of 100 designs can be counted: dense:"),
    ],
)
def test_a_design_that_cannot_be_swept_is_refused(tmp_path, sweep, said):
    """One message names the key, what was found and what is expected."""
    with pytest.raises(PortfolioError) as refused:
        swept(tmp_path, sweep)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("cumulative_cash", "has a number for each model and month, and a design has one of each line"),
        ("expense", "name a line of models or cases"),
    ],
)
def test_a_line_of_months_is_no_objective(tmp_path, line, said):
    """The message says what it is, and what may be named in its place; not another name that is near."""
    text = f'questions = ["money"]\n{DENSE}\n[sweep]\nminimize = "{line}"\n[sweep.axes]\nmfu = [0.3, 0.4]\n'
    (tmp_path / "design.toml").write_text(text, "utf-8")
    result = CliRunner().invoke(main, ["sweep", str(tmp_path / "design.toml")])
    assert (result.exit_code, said in result.stderr, "did you mean" in result.stderr) == (2, True, False)


def command(folder, sweep, *arguments):
    """Run `flopsheet sweep` on a design."""
    (folder / "design.toml").write_text(f"{DENSE}\n[sweep]\n{sweep}", "utf-8")
    return CliRunner().invoke(main, ["sweep", str(folder / "design.toml"), *map(str, arguments)])


def test_parquet_carries_units_and_sources(tmp_path):
    """Pandas reads the rows, and the schema says what each column is."""
    file = tmp_path / "rows.parquet"
    done = command(tmp_path, f'columns = ["parameters", "training_cost"]\n{LAYERS}', "-o", file)
    assert done.exit_code == 0, done.output
    frame = pd.read_parquet(file)
    assert frame["n_layers"].tolist() == [8, 16, 24, 32, 40]
    assert frame["n_layers"].dtype == np.int64
    assert frame["parameters"].is_monotonic_increasing
    schema = pq.read_schema(file)
    told = schema.field("training_cost").metadata
    assert told[b"unit"] == b"USD"
    assert told[b"formula"]
    assert json.loads(schema.metadata[b"flopsheet"])["case"] == "Base"


def test_days_and_verdicts_are_text(tmp_path):
    """As a plan has them, wherever a design is shown: not days counted from 1900, and places among verdicts."""
    dated = DENSE.replace("[inputs]", '[inputs]\nstart = "2026-03-01"').replace(
        '"Sizes"', '"Sizes"\nquestions = ["feasible"]'
    )
    file, book, text = (tmp_path / name for name in ("design.toml", "designs.xlsx", "designs.csv"))
    columns = '[sweep]\nkeep = 1\ncolumns = ["run_begins", "verdict"]\n[sweep.axes]\ntokens = [9e15]\n'
    file.write_text(f"{dated}{columns}", "utf-8")
    shown = CliRunner().invoke(main, ["sweep", str(file)], catch_exceptions=False)
    CliRunner().invoke(main, ["sweep", str(file), "-o", str(book), "-o", str(text)], catch_exceptions=False)
    said = ["2026-03-01", "program shorter than the run"]
    assert all(word in shown.output for word in said)
    assert list(csv.reader(text.read_text("utf-8").splitlines()))[1][2:] == said
    cells = openpyxl.load_workbook(book)["Designs"]
    assert [cells["C5"].value, cells["D5"].value] == said


def test_csv_and_a_workbook_hold_the_kept_rows(tmp_path):
    """The same designs in both; the workbook has headers with units, a chart, and what each column means."""
    files = [tmp_path / "rows.csv", tmp_path / "rows.xlsx"]
    done = command(tmp_path, f'maximize = "parameters"\nkeep = 3\n{LAYERS}', "-o", files[0], "-o", files[1])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(files[0].read_text("utf-8").splitlines()))
    assert [row["n_layers"] for row in rows] == ["40", "32", "24"]
    book = openpyxl.load_workbook(files[1])
    assert book.sheetnames == ["Designs", "Chart", "Columns"]
    assert [book["Designs"].cell(row, 2).value for row in (5, 6, 7)] == [40, 32, 24]
    assert "Training cost (USD)" in {cell.value for cell in book["Designs"][4]}
    with zipfile.ZipFile(files[1]) as parts:
        assert b'<ext cx="0"' not in parts.read("xl/drawings/drawing1.xml")  # LibreOffice draws no chart without a size
    assert judges.ooxml_validator() is None or judges.validate(files[1]) == []


def test_without_a_file_the_first_rows_are_printed(tmp_path):
    """How many designs there were, then a table with units."""
    done = command(tmp_path, f'where = ["n_layers < 40"]\ncolumns = ["parameters"]\n{LAYERS}')
    assert done.exit_code == 0
    assert done.output.startswith("5 designs, 4 meet every condition\n\nn_layers  parameters\n")


def test_how_many_more_there_are_counts_every_chunk(tmp_path):
    """The rows that are printed are of the first chunk; those of the others are more of them."""
    done = command(tmp_path, f'kind = "random"\npoints = {2 * CHUNK}\ncolumns = ["parameters"]\n{MFU}')
    assert done.output.splitlines()[-1].endswith(f"has {2 * CHUNK - 20:,} more")


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        (["a.parquet", "b.csv"], "write one .parquet or .csv"),
        (["a.xlsx"], "write one .parquet or .csv"),
        (["a.toml"], "unsupported extension '.toml'"),
        (["design.toml"], "unsupported extension"),
    ],
)
def test_outputs_that_do_not_fit_are_refused(tmp_path, outputs, said):
    """Before anything is written."""
    arguments = [text for name in outputs for text in ("-o", tmp_path / name)]
    done = command(tmp_path, LAYERS, *arguments)
    assert done.exit_code == 2
    assert said in done.output
    assert {path.name for path in tmp_path.iterdir()} == {"design.toml"}


def test_a_script_of_a_few_lines_may_ask_for_processes(tmp_path):
    """They do not run it again: it needs no `if __name__ == "__main__"`."""
    script = tmp_path / "script.py"
    script.write_text(
        "import operator\n"
        "from flopsheet.planning.workers import Run, Workers, in_order\n"
        "print(list(in_order(Run(3, abs, operator.add), 3, [1, 2], Workers(2))))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[4, 5]\n", "")
