"""The answer in words: buy or rent, which model, to what loss and for how much, as arithmetic by hand has it."""

import re

import openpyxl
import pytest
from planner import run
from samples import write_portfolio

from flopsheet.export.terminal import BRIEF, LONGER, WIDTH

DATED = """
name = "USD 60m and 120 days from March 2027"
questions = [{questions}]

[inputs]
accelerator = "h200-sxm"
accelerators = 2048
price_kind = "on_demand"
price_per_hour = 3.5
list_price = 3.5
mfu = 0.4
goodput = 0.9
start = "2027-03-01"
end = "2027-06-29"
program_start = "2027-01-01"
program_months = 6
budget_usd = 60e6
budget_covers = "program"
report_date = "2026-11-23"
tokens = 10e12

[scenarios."Buy B200"]
accelerator = "b200-sxm"
acquisition = "owned"
purchase_price = 45_000

[[models]]
name = "70B"
architecture = "dense"
dimensions = {{ n_layers = 80, d_model = 8192, n_heads = 64, n_kv_heads = 8, d_head = 128, d_ff = 28672, \
mlp_matrices = 3, vocab_size = 128256 }}

[[models]]
name = "8B"
architecture = "dense"
dimensions = {{ n_layers = 32, d_model = 4096, n_heads = 32, n_kv_heads = 8, d_head = 128, d_ff = 14336, \
mlp_matrices = 3, vocab_size = 128256 }}
"""
PEAK, HOURS_OF_A_DAY = 989.5e12, 24
UPKEEP = 2000 * 21 + 100 * 50 + 20 * 400_000 / 12
"""Storage, network and staff of a month, at their defaults."""


def asked(folder, *questions):
    """Write the portfolio with some questions."""
    return write_portfolio(folder, DATED.format(questions=", ".join(f'"{one}"' for one in questions)))


def by_hand(flop_per_token):
    """Return days, cash and last day of March to June of a run of 10 T tokens with as much research again, rented."""
    hours = flop_per_token * 10e12 / (PEAK * 0.4 * 0.9) / 3600
    return hours / (2048 * HOURS_OF_A_DAY), (2 * hours * 3.5 + 6 * UPKEEP) * 1.15


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Return the lines that the terminal shows."""
    _, out, errors = run("plan", asked(tmp_path_factory.mktemp("answer"), "decision", "money"))
    assert out, errors
    return out.splitlines()


def test_the_first_ten_lines_answer(said):
    """Rent, which model, its cost and days, when it ends, peak cash of the cap, loss; and the options with reasons."""
    days, cash = by_hand(449_222_541_312)  # of the 70B with its attention at 8,192 tokens, as in tests/data/money.toml
    text = " ".join(said[:10])
    assert "Rent 2,048 H200 SXM 141GB and train 8B on 10.0 T tokens" in text
    assert re.search(r"peak cash USD [\d.]+m of USD 60m, loss \d\.\d{3}\. Runner-up: 70B\.", text)
    runner_up = next(line for line in said if line.startswith("70B"))
    match = re.search(r"USD ([\d.]+)m .*?% +([\d.]+) ", runner_up)
    assert match.groups() == (f"{cash / 1e6:.3g}", f"{days:.3g}")
    assert "✓" in runner_up


def test_a_cap_on_the_run_is_met_by_the_cash_of_the_run(tmp_path):
    """The program's peak cash is another amount than what such a cap meets, so the sentence does not call it that."""
    _, out, errors = run("plan", asked(tmp_path, "decision"), "--input", "budget_covers=final_run")
    text = " ".join(out.split())
    assert re.search(r", cash of the run USD [\d.]+m of USD 60m, loss", text), errors
    assert "peak cash" not in text


def test_the_share_of_the_cap_is_not_read_as_the_programs(tmp_path):
    """Where the cap is on the run, the amount of an option is the program's, and its share that of the run's cash."""
    _, out, _ = run("plan", asked(tmp_path, "decision"), "--input", "budget_covers=final_run")
    header = next(line for line in out.splitlines() if line.startswith("Option"))
    assert ("Program" in header, "Cap used" in header, "Cash" in header) == (True, True, False)


@pytest.mark.parametrize(
    ("more", "words"),
    [("owned_accelerators=500", "Rent 1,548 and buy 500 H200"), ("acquisition=owned", "Buy 2,048 H200")],
)
def test_the_answer_says_how_many_are_rented_and_bought(tmp_path, more, words):
    """A fleet of both is neither rented nor bought as a whole."""
    path = asked(tmp_path, "decision")
    _, out, errors = run("plan", path, *(f"--input={item}" for item in (more, "rest=on_demand", "budget_usd=1e9")))
    assert words in " ".join(out.split()[:30]), errors


def test_buying_breaks_the_cap_in_the_first_month(said):
    """2,048 × 45,000 / (1 - 0.19) is USD 114m in January."""
    line = next(line for line in said if line.startswith("Buy B200: 8B"))
    assert "✗ cap, month 1" in line
    assert float(re.search(r"USD (\d+)m", line)[1]) > 113


@pytest.mark.parametrize(
    ("together", "words"), [(0, "Serve 8B on"), (1, "All models are served; the cheapest per token is 8B")]
)
def test_a_flag_has_a_word_for_each_of_its_values(tmp_path, together, words):
    """Models that are served together are no alternatives, and the sentence says so, here and in the workbook."""
    path = asked(tmp_path, "serving")
    _, out, errors = run("plan", path, "--input", f"serve_all={together}")
    assert words in " ".join(out.splitlines()[:6]), errors
    run("report", path, "--input", f"serve_all={together}", "-o", tmp_path / "plan.xlsx")
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True)
    assert any(words in str(cell.value) for row in book["About"].iter_rows(max_row=8) for cell in row)


QUESTIONS = ("decision", "money", "feasible", "scaling", "training", "serving", "phases", "runs", "comparison")


@pytest.mark.parametrize("questions", [*((one,) for one in QUESTIONS), QUESTIONS], ids=" ".join)
def test_the_terminal_is_brief(tmp_path, questions):
    """One question takes 40 lines, several 120, at 100 columns; what is left out is named."""
    _, out, _ = run("plan", asked(tmp_path, *questions))
    lines = out.splitlines()
    assert len(lines) <= (BRIEF if len(questions) == 1 else LONGER)[0]
    assert max(map(len, lines)) <= WIDTH
    assert any(line.startswith("More: --all") for line in lines)


def test_one_table_is_shown_alone(tmp_path):
    """`--table` shows all rows of a table to read; another format has every table anyway."""
    path = asked(tmp_path, "money")
    _, out, _ = run("plan", path, "--table", "programme_monthly")
    assert out.startswith("Program month by month: 70B")
    assert "What can we train" not in out
    status, _, errors = run("plan", path, "--table", "programme_monthly", "--format", "json")
    assert (status, "json has every table" in errors) == (2, True)


def test_the_cover_says_the_same(tmp_path):
    """About begins with the option, its cost, its end and its peak cash, in cells that follow the scenario."""
    run("report", asked(tmp_path, "decision", "money"), "-o", tmp_path / "plan.xlsx")
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True, read_only=True)
    answer = book["About"]["A5"].value
    assert answer.startswith("Rent 2,048 H200 SXM 141GB and train 8B on 10.0 T tokens: USD ")
    assert re.search(r"done by 2027-03-\d\d, peak cash USD [\d.]+m of USD 60\.0m, loss \d\.\d{3}\.", answer)


def test_the_option_that_comes_nearest_to_a_loss_is_named(tmp_path):
    """Both options are within the window and the cap, and the larger one lacks less of the loss."""
    _, out, errors = run("plan", asked(tmp_path, "decision"), "--input", "target_loss=1.9", "--input", "budget_usd=1e9")
    text = " ".join(out.split()[:60])
    assert "No option is viable. 70B on 2,048 H200" in text, errors
    assert ", where 1.900 is to be reached." in text


def test_days_of_the_nearest_option_are_held_against_those_of_its_program(tmp_path):
    """From 1 March on, a program of two months from February has 31 days, whatever the window."""
    short = ("program_start=2027-02-01", "program_months=2", "accelerators=200", "budget_usd=1e9")
    _, out, errors = run("plan", asked(tmp_path, "decision"), *(f"--input={item}" for item in short))
    assert re.search(r"No option is viable\. 8B on 200 H200 SXM 141GB comes nearest: 83\.\d days of 31,", out), errors


def test_an_input_that_every_model_states_is_not_what_the_plan_has(tmp_path):
    """The page that is signed says that the tokens are those of the models, and not what the plan has for others."""
    own = DATED.format(questions='"decision"').replace(
        'architecture = "dense"', 'architecture = "dense"\ntokens = 5e12'
    )
    run("report", write_portfolio(tmp_path, own), "-o", tmp_path / "plan.xlsx")
    page = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True)["Decision"]
    said = [str(row[0].value) for row in page.iter_rows(min_row=20, max_row=60)]
    assert "Training tokens: as each model states it [4]" in said
    assert any(text.startswith("Goodput: 90.0%") for text in said)


def test_without_a_viable_option_the_nearest_is_named(tmp_path):
    """A cap that nothing meets: terminal and cover name the option whose cash and days are the least over theirs."""
    text = DATED.format(questions='"decision"').partition("[scenarios")
    poor = text[0].replace("60e6", "1e6") + "[[models]]" + text[2].partition("[[models]]")[2]
    path = write_portfolio(tmp_path, poor)
    wanted = r"No option is viable\. 8B on 2,048 H200 SXM 141GB comes nearest: [\d.]+ days of 120(\.0)?, "
    wanted += r"peak cash USD [\d.]+m, with USD 1(\.0)?m to spend, predicted loss \d\.\d{3}\."
    _, out, _ = run("plan", path)
    assert re.search(wanted, " ".join(out.split()))
    run("report", path, "-o", tmp_path / "plan.xlsx")
    about = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True, read_only=True)["About"]
    assert re.fullmatch(wanted, about["A5"].value)
    assert about["A6"].value in (None, "")


def test_a_scenario_is_held_against_base(tmp_path):
    """`--compare` shows each figure in Base and in the scenario, and what differs, with its sign."""
    path = asked(tmp_path, "decision", "money")
    _, out, _ = run("plan", path, "--compare", "Buy B200")
    result = next(line for line in out.splitlines() if line.startswith("Cheapest program")).split("  ")
    base, scenario, less = (float(re.sub(r"[^\d.-]", "", text)) for text in filter(None, result[1:]))
    assert less == pytest.approx(scenario - base, rel=0.01)
    status, _, errors = run("plan", path, "--compare", "Buy B300")
    assert (status, "the case 'Buy B300' is unknown; did you mean 'Buy B200'?" in errors) == (2, True)


def test_an_option_without_a_price_is_not_ranked(tmp_path):
    """An accelerator that nobody prices: the option says what is missing, days and loss stay."""
    text = DATED.format(questions='"decision"').replace("h200-sxm", "h800-sxm").partition("[scenarios")
    priceless = (
        re.sub(r"(price_per_hour|list_price|price_kind) = .*\n", "", text[0])
        + "[[models]]"
        + text[2].partition("[[models]]")[2]
    )
    _, out, _ = run("plan", write_portfolio(tmp_path, priceless))
    assert "No option is viable." in out
    assert re.search(r"^70B +\? no .*price +no .*price +[\d.]+", out, re.MULTILINE)


def test_a_page_to_sign_needs_its_prices(tmp_path):
    """Where a price is missing, the workbook is written, and the page of the decision has no answer to sign."""
    text = re.sub(r"(price_per_hour|list_price|price_kind) = .*\n", "", DATED.partition("[scenarios")[0])
    text += "[[models]]" + DATED.partition("[[models]]")[2]
    path = write_portfolio(tmp_path, text.format(questions='"decision"').replace("h200-sxm", "h800-sxm"))
    status, _, errors = run("report", path, "-o", tmp_path / "plan.xlsx")
    assert (status, "no price: give price_per_hour" in errors) == (0, True)
    page = openpyxl.load_workbook(tmp_path / "plan.xlsx")["Decision"]
    assert all("Prepared by" not in str(cell.value) for row in page for cell in row)


def test_a_run_that_begins_before_its_program_fails_a_check(tmp_path):
    """A start of the program after that of the run is said, and nothing breaks."""
    text = DATED.format(questions='"decision"').replace("2027-01-01", "2027-05-01")
    _, out, _ = run("plan", write_portfolio(tmp_path, text))
    assert "FAIL  A final run begins before the program or takes longer than it has" in out


def test_a_wrong_date_is_said_with_its_place(tmp_path):
    """What is no date is refused at the input."""
    text = DATED.format(questions='"money"').replace('"2027-01-01"', '"next year"')
    status, _, errors = run("plan", write_portfolio(tmp_path, text))
    assert status == 2
    assert "inputs.program_start: 'next year' is not a date; write it as \"2027-01-31\"" in errors


SERVED = 'questions = ["serving"]\n[inputs]\naccelerator = "h100-sxm"\n[[models]]\nsize = "8B"\n'


def test_serving_is_answered_in_a_sentence(tmp_path):
    """The model, accelerators, money and time of what it costs to serve, on the terminal, on About and on its page."""
    path = write_portfolio(tmp_path, SERVED)
    status, out, errors = run("plan", path)
    assert status == 0, errors
    flat = " ".join(out.split())
    wanted = r"Serve 8B on \d+ H100 SXM5 80GB: USD [\d.]+k in the first month, [\d.]+ USD per million tokens"
    assert re.search(wanted, flat)
    run("report", path, "-o", tmp_path / "plan.xlsx")
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True, read_only=True)
    assert book["About"]["A5"].value.startswith("Serve 8B on ")
    assert book["Serving"]["A3"].value == book["About"]["A5"].value


def test_a_cover_of_serving_alone_says_nothing_of_training(tmp_path):
    """What a cluster could train is no answer to what was asked."""
    run("report", write_portfolio(tmp_path, SERVED), "-o", tmp_path / "plan.xlsx")
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True, read_only=True)
    texts = {str(value) for row in book["About"].iter_rows(values_only=True) for value in row if value is not None}
    assert "What does it cost to serve?" in texts
    assert {book[name].sheet_state for name in ("Budget", "Models", "Charts")} == {"hidden"}
    assert not {"Compute, dense models", "What the cluster delivers", "Emissions"} & texts


def test_of_options_that_miss_the_cap_alike_the_lower_loss_is_nearest(tmp_path):
    """A reservation above the cap costs the same whatever runs on it."""
    held = "reserved_accelerators = 2048\nresearch_multiplier = 0"
    text = DATED.format(questions='"decision"').replace('price_kind = "on_demand"', held).replace("60e6", "1e6")
    before, _, scenario = text.replace("list_price = 3.5", "reserved_price = 2.0").partition('[scenarios."Buy B200"]')
    _, out, _ = run("plan", write_portfolio(tmp_path, before + scenario[scenario.index("[[models]]") :]))
    assert "No option is viable. 70B on 2,048 H200" in " ".join(out.split())


def test_options_of_one_cost_are_ranked_by_loss(tmp_path):
    """A reservation costs the same whatever runs on it, so the larger model is the better choice."""
    held = "reserved_accelerators = 2048\nresearch_multiplier = 0"
    text = DATED.format(questions='"decision"').replace('price_kind = "on_demand"', held)
    before, _, scenario = text.replace("list_price = 3.5", "reserved_price = 2.0").partition('[scenarios."Buy B200"]')
    path = write_portfolio(tmp_path, before + scenario[scenario.index("[[models]]") :])
    status, out, errors = run("plan", path)
    assert status == 0, errors
    assert "train 70B" in " ".join(out.split())
