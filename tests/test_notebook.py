"""Plans and sweeps in Python: typed results, their tables, their pages and plots."""

import pickle
import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import flopsheet
from flopsheet.errors import UsageError

ROOT = Path(__file__).parent.parent
PORTFOLIO = ROOT / "examples" / "portfolios" / "frontier.toml"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture(autouse=True)
def _no_screen():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def plan():
    """Return the plan of the example portfolio."""
    return flopsheet.plan(PORTFOLIO)


def test_every_block_of_the_page_runs(tmp_path, monkeypatch, capsys):
    """docs/notebook.md does what it says, block after block."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = BLOCK.findall((ROOT / "docs" / "notebook.md").read_text("utf-8"))
    for block in blocks:
        exec(block, names)  # noqa: S102 - our own page
    assert len(blocks) >= 6
    assert {path.name for path in tmp_path.glob("*.png")} == {"costs.png", "front.png"}
    assert "3510 designs" in capsys.readouterr().out


def test_a_plan_has_its_figures_by_case(plan):
    """The same numbers as `flopsheet plan --format json`."""
    cost = plan.answers["budget"]["cost"]
    assert cost["low"] < cost["base"] < cost["high"]
    assert cost["unit"] == "USD"
    assert [case for case in plan.cases if case in ("low", "base", "high")] == ["low", "base", "high"]


def test_inputs_may_be_numbers_of_numpy():
    """As those of a data frame are, in a range too."""
    given = {"mfu": {"low": np.float32(0.25), "base": 0.5, "high": 0.75}, "tokens": np.int64(10**12)}
    plain = {"mfu": {"low": 0.25, "base": 0.5, "high": 0.75}, "tokens": 10**12}
    assert flopsheet.plan(PORTFOLIO, inputs=given).answers == flopsheet.plan(PORTFOLIO, inputs=plain).answers


def test_results_go_to_other_processes(plan):
    """A pipeline plans in many processes; what comes back has the same answers, and can be written."""
    result = pickle.loads(pickle.dumps(plan))  # noqa: S301 - our own
    assert result.answers == plan.answers
    assert result.report == plan.report


def test_results_fit_on_a_line(plan):
    """A prompt shows what a result is of, and not all of its numbers."""
    assert repr(plan).startswith("<plan 'Frontier models")
    assert repr(plan).endswith(" of 20 models: budget>")
    texts = {repr(model) for model in plan.plan.models}
    assert "<model 'Llama 3.1 8B': ok, 8,030,261,248 parameters>" in texts
    assert all(text.startswith("<model ") and len(text) < 100 for text in texts)


def test_models_are_rows_per_case(plan):
    """One row per model and case, with units in the Arrow schema."""
    frame = plan.to_pandas()
    costed = [model for model in plan.plan.models if model.ledger]
    assert len(frame) == len(costed) * len(plan.cases)
    assert plan.to_arrow().schema.field("training_cost").metadata[b"unit"] == b"USD"
    base = frame[frame["case"] == "base"].set_index("name")
    assert base["training_cost"][costed[0].name] == pytest.approx(
        float(plan.plan.training(costed[0], "base")["training_cost"])
    )


def test_days_and_verdicts_of_a_plan_are_text(tmp_path):
    """As `rows` has them: a plan with dates is a data frame too."""
    (tmp_path / "dated.toml").write_text('questions = ["feasible"]\n[inputs]\nstart = "2026-03-01"\ndays = 90\n')
    config = ROOT / "examples" / "configs" / "gpt2-xl" / "config.json"
    frame = flopsheet.plan(tmp_path / "dated.toml", config).to_pandas()
    assert frame["run_begins"].tolist() == ["2026-03-01"] * len(frame)
    assert frame["training_cost"].dtype == float


def test_an_unknown_table_is_refused(plan):
    """The message names the tables that there are."""
    with pytest.raises(UsageError, match="no table 'months'; expected one of models, "):
        plan.to_pandas("months")


def test_a_plot_of_no_number_is_refused():
    """No model is counted."""
    with pytest.raises(UsageError, match="no model of the plan has a number of training_cost"):
        flopsheet.plan().plot("training_cost")


def test_a_plot_shows_the_main_line_of_what_was_asked(plan):
    """Training cost of a plan of training, the price of tokens of one of serving; an unknown line is refused."""
    serving = flopsheet.plan(PORTFOLIO.with_name("serving.toml"))
    assert "Training cost" in plan.plot().get_xlabel()
    assert "USD/Mtok" in serving.plot().get_xlabel()
    with pytest.raises(UsageError, match="no line 'training_cst' with a number per model; did you mean"):
        plan.plot("training_cst")


def test_a_list_of_portfolios_is_refused():
    """Each is an argument of its own, and a list is no path."""
    with pytest.raises(UsageError, match="a portfolio is a list: a path is expected, each as an argument of its own"):
        flopsheet.plan([PORTFOLIO])


def test_an_unknown_input_is_refused():
    """The message names the nearest input."""
    with pytest.raises(UsageError, match="mfuu: unknown; did you mean"):
        flopsheet.plan(PORTFOLIO, inputs={"mfuu": 0.4})


def test_notebooks_show_a_page_or_tables(plan, monkeypatch):
    """A plan is its page, in a frame that may run scripts alone; of very many models it is tables."""
    live = plan._repr_html_()
    assert live.startswith("<iframe ")
    assert "&lt;!DOCTYPE html&gt;" in live
    monkeypatch.setattr("flopsheet.export.page.page.MOST_MODELS", 0)
    page = plan._repr_html_()
    assert page.count("<table>") >= 1
    assert "Low cost" in page
    front = flopsheet.sweep(ROOT / "examples" / "designs" / "dense-sizes.toml", inputs={"days": 30})
    assert "3,510 designs" in front._repr_html_()
    assert repr(front).endswith(f": {len(front)} designs>")
    assert front._repr_html_().count("<tr>") == 21
