"""The question "money": programs, months, owning and renting, each number worked by hand."""

import json

import openpyxl
import pytest
from planner import run
from samples import write_portfolio

MODEL = """
[[models]]
name = "Ours"
architecture = "dense"
tokens = 1e12
dimensions = { n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 11008, mlp_matrices = 3, vocab_size = 32000 }
"""
PLAIN = """
[inputs]
accelerators = 1000
days = 365.25
achieved_tflops = 400
goodput = 1
price_per_hour = 2
research_multiplier = 0.5
failed_share = 0.1
program_months = 10
program_storage_tb = 100
program_storage_price = 20
program_egress_tb = 10
program_egress_price = 50
program_staff = 6
program_staff_cost = 200_000
contingency_share = 0.2
"""


def planned(folder, text, *options):
    """Return the answers of the question "money" as a program reads them."""
    status, out, errors = run(
        "plan", write_portfolio(folder, text), "--question", "money", "--format", "json", *options
    )
    assert status == 0, errors
    return json.loads(out)


def table(document, name):
    """Return the only row of a table, or its rows."""
    rows = document["tables"][name]
    return rows[0] if len(rows) == 1 else rows


def test_a_program_is_its_final_run_and_what_goes_with_it(tmp_path):
    """Final run × (1 + 0.5 + 0.1), 20,000 of storage, 5,000 of network, 1,000,000 of staff, and 20% on top."""
    document = planned(tmp_path, PLAIN + MODEL)
    final = document["models"][0]["base"]["training_hours"] * 2
    result = table(document, "programme")
    assert result["final_run"] == pytest.approx(final)
    parts = [result[f"{part}_total"] for part in ("storage", "network", "staff")]
    assert parts == pytest.approx([20_000, 5_000, 1_000_000])
    assert result["cash_total"] == pytest.approx((1.6 * final + 1_025_000) * 1.2)
    assert result["levelized_cost"] == result["cash_if_on_demand"] == pytest.approx(result["cash_total"])
    assert document["models"][0]["base"]["programme_cost"] == result["cash_total"]
    assert result["reserve"] == pytest.approx(0.1 * result["peak_funding"])


def test_months_add_up_to_the_program(tmp_path):
    """Rented, the cash of all months is the program, and expense is cash; the run is at the end."""
    document = planned(tmp_path, PLAIN + MODEL)
    months, total = table(document, "programme_monthly"), table(document, "programme")["cash_total"]
    assert [row["month"] for row in months] == list(range(1, 11))
    assert sum(row["cash"] for row in months) == pytest.approx(total)
    assert months[-1]["cumulative_cash"] == pytest.approx(total)
    assert sum(row["expense"] for row in months) == pytest.approx(total)
    assert sum(row["final_share"] for row in months) == pytest.approx(1)
    assert months[0]["final_share"] == 0 < months[-1]["final_share"]


def test_months_need_the_hours_of_the_program(tmp_path):
    """Final run, research and failed runs; what a month needs beyond owned accelerators is its shortfall."""
    text = (
        "accelerators = 64\nacquisition = 'owned'\nprogram_months = 48\nresearch_multiplier = 1\nfailed_share = 0.1\n"
    )
    document = planned(tmp_path, f"[inputs]\n{text}{MODEL}")
    months, base = table(document, "programme_monthly"), document["models"][0]["base"]
    assert sum(row["need"] for row in months) == pytest.approx(2.1 * base["training_hours"], rel=1e-6)
    for row in months:
        assert row["held"] == pytest.approx(64 * 730.5)
        assert row["on_demand"] == 0
        assert row["shortfall"] == pytest.approx(max(row["need"] - 64 * 730.5, 0), abs=1e-6)
        assert row["month_utilization"] == pytest.approx(min(row["need"] / (64 * 730.5), 1))


def test_present_value_is_mid_month(tmp_path):
    """The third month's cash counts 2.5 months at a monthly rate of (1 + wacc)^(1/12) - 1."""
    month = table(planned(tmp_path, PLAIN + "wacc = 0.12\n" + MODEL), "programme_monthly")[2]
    assert month["present_cash"] == pytest.approx(month["cash"] / (1.12 ** (1 / 12)) ** 2.5)


CAPS = {
    "final run, ample": ("budget_usd = 1e8\n", 1e8, 1),
    "final run, short": ("budget_usd = 1e4\n", 1e4, 0),
    "whole program, short": ("budget_usd = 1.3e6\nbudget_covers = 'program'\n", 1.3e6, 0),
}


@pytest.mark.parametrize(("text", "cap", "within"), CAPS.values(), ids=CAPS)
def test_a_money_cap(tmp_path, text, cap, within):
    """Tokens within it are the fewer of what time and money allow; training on all that it pays for spends the cap."""
    document = planned(tmp_path, PLAIN + text + MODEL)
    result, paid = document["models"][0]["base"], table(document, "programme")["affordable"]
    assert result["within_budget"] == within
    assert result["tokens_within_budget"] == pytest.approx(min(result["affordable_tokens"], paid))
    (tmp_path / "again").mkdir()
    again = planned(tmp_path / "again", PLAIN + text + MODEL.replace("1e12", f"{int(paid)}"))
    assert table(again, "programme")["capped_cash"] == pytest.approx(cap)


def test_without_a_cap_everything_is_within_it(tmp_path):
    """Only the window bounds the tokens."""
    result = planned(tmp_path, PLAIN + MODEL)["models"][0]["base"]
    assert (result["within_budget"], result["tokens_within_budget"]) == (1, result["affordable_tokens"])


OWNED = """
acquisition = "owned"
purchase_price = 24_300
interconnect_share = 0.19
wacc = 0.1
owned_life_years = 5
residual_share = 0.1
owned_utilization = 0.8
colocation_price = 146
support_share = 0.05
tdp_w = 500
server_power_factor = 2
draw_fraction = 0.75
pue = 1.2
electricity_price = 0.1
"""


MONTHLY = [1.1 ** (-(month - 0.5) / 12) for month in range(1, 61)]
"""What a dollar in the middle of each month of five years is worth now, at 10%."""
CAPITAL = 30_000 * MONTHLY[0] - 3_000 * MONTHLY[-1]
"""24,300 / 0.81 in the first month, of which 10% comes back in the last."""


def test_an_owned_hour(tmp_path):
    """Its capital spread over sixty months at 10%, support of 1,500 a year and 146 for 1 kW, over 80% of the hours."""
    result = table(planned(tmp_path, PLAIN + OWNED + MODEL), "cases")
    standing, power = (CAPITAL / sum(MONTHLY) + 1_500 / 12 + 146) / 730.5, 1 * 0.75 * 1.2 * 0.1
    assert (result["cluster_price"], result["power_cost"]) == pytest.approx((30_000, power))
    assert result["owned_price"] == pytest.approx(standing / 0.8 + power)
    assert result["hour_price"] == result["owned_price"]
    assert result["break_even_utilization"] == pytest.approx(standing / (2 - power))


def test_owning_breaks_even_at_its_utilization(tmp_path):
    """At that utilization an owned hour costs what a rented one does, and above it owning is cheaper by the NPV too."""
    text = PLAIN + OWNED
    even = table(planned(tmp_path, text + MODEL), "cases")["break_even_utilization"]
    (tmp_path / "even").mkdir()
    at = table(planned(tmp_path / "even", text.replace("= 0.8\n", f"= {even}\n") + MODEL), "cases")
    assert at["owned_price"] == pytest.approx(2)
    assert at["npv"] == pytest.approx(0, abs=0.01)


def test_net_present_value_of_owning(tmp_path):
    """Sixty months, each discounted from its middle: rent saved, less purchase, support, colocation and electricity."""
    result = table(planned(tmp_path, PLAIN + OWNED + MODEL), "cases")
    rent, running = 2 * 0.8 * 730.5, 1_500 / 12 + 146 + 0.09 * 0.8 * 730.5
    assert result["npv"] == pytest.approx(1000 * (sum(MONTHLY) * (rent - running) - CAPITAL))


def test_owning_is_compared_over_no_more_than_its_life(tmp_path):
    """Past its useful life an accelerator would have to be bought again, so that a longer horizon counts no more."""
    life = table(planned(tmp_path, PLAIN + OWNED + MODEL), "cases")
    longer = table(planned(tmp_path, PLAIN + OWNED + "horizon_months = 120\n" + MODEL), "cases")
    assert (longer["horizon"], longer["npv"]) == (60, life["npv"])


def test_cash_and_expense_of_an_owned_cluster_reconcile(tmp_path):
    """Cash less expense is what stands in the books: the purchase less its depreciation."""
    months = table(planned(tmp_path, PLAIN + OWNED + MODEL), "programme_monthly")
    assert months[0]["purchase"] == pytest.approx(30_000_000)
    assert months[0]["depreciation"] == pytest.approx(30_000_000 * 0.9 / 60)
    gap = sum(row["cash"] - row["expense"] for row in months)
    assert gap == pytest.approx(months[-1]["book_value"]) == pytest.approx(30_000_000 * (1 - 0.9 * 10 / 60))


@pytest.mark.usefixtures("few_prices")
def test_ways_to_have_accelerators(tmp_path):
    """Each way has the price of its kind: an H100 is 4 on demand, and 2.7 was seen for a contract."""
    rows = {row["way"]: row for row in table(planned(tmp_path, "[inputs]\naccelerators = 64\n" + MODEL), "supply_ways")}
    assert rows["Capacity on demand"]["way_price"] == 4
    assert rows["Capacity reserved for 3 to 12 months"]["way_price"] == 2.7
    assert rows["Capacity reserved for 3 to 12 months"]["way_discount"] == pytest.approx(1 - 2.7 / 4)
    assert 0 < rows["Owned"]["way_price"] < 4
    assert rows["Owned"]["way_discount"] == pytest.approx(1 - rows["Owned"]["way_price"] / 4)


@pytest.mark.parametrize(("own", "reach"), [("price_per_hour = 1", "price_per_hour"), ("mfu = 0.3", "")])
def test_a_note_says_which_inputs_of_a_model_do_not_reach_its_program(tmp_path, own, reach):
    """A program has the prices of the plan: a model's own would be passed over in silence."""
    text = f"questions = ['money']\n{MODEL}inputs = {{ {own} }}\n"
    _, _, errors = run("plan", write_portfolio(tmp_path, text))
    notes = [line.partition(" do not reach ")[0] for line in errors.splitlines() if " do not reach " in line]
    assert notes == ([f"note: Ours: its own {reach}"] if reach else [])


@pytest.mark.parametrize(
    ("more", "told"), [("", True), ("spot_price = 1.2\n", False), ("price_per_hour = 1.2\n", False)]
)
def test_a_note_says_where_a_price_counts_as_one_of_another_kind(tmp_path, more, told):
    """A quote on demand is what a scenario on spot pays too, unless it has a price of its own."""
    quote = "[inputs]\nprice_kind = 'on_demand'\nprice_per_hour = 2.6\n"
    text = f"questions = ['money']\n{quote}[scenarios.Spot]\nprice_kind = 'spot'\n{more}{MODEL}"
    _, _, errors = run("plan", write_portfolio(tmp_path, text))
    assert ("scenario Spot: price_per_hour of this plan also counts as its price of kind spot" in errors) == told


def test_a_way_is_shown_with_its_own_price(tmp_path):
    """On the terminal too: no row has prices of other ways, and each its cost."""
    status, out, errors = run(
        "plan", write_portfolio(tmp_path, "questions = ['money']\n" + MODEL), "--table", "supply_ways"
    )
    assert status == 0, errors
    heading = out.partition("Capacity on demand")[0]
    assert ("reserved" in heading, "Discount" in heading) == (False, True)


FAILING = {
    "over the cap": ("budget_usd = 1\n", "within_cap"),
    "run longer than the program": ("accelerators = 1\n", "within_program"),
    "owned without a price": ("acquisition = 'owned'\npurchase_price = 0\n", "purchase_known"),
    "a run on spot beyond its window": ("accelerators = 40\nrest = 'spot'\nspot_goodput = 0.5\n", "spot_in_time"),
    "owned beyond the useful life": ("owned_accelerators = 8\nprogram_months = 100\nrest = 'spot'\n", "owned_for_life"),
    "a purchase after the program": ("owned_accelerators = 8\npurchase_month = 13\nrest = 'spot'\n", "owned_within"),
    "a reservation after the program": ("reserved_accelerators = 8\nreserved_from = 13\n", "reserved_within"),
    "a currency without a rate": ("report_currency = 'EUR'\n", "rate_given"),
    "a rate without a currency": ("currency_rate = 0.92\n", "rate_given"),
}


@pytest.mark.parametrize(("text", "name"), FAILING.values(), ids=FAILING)
def test_bad_plans_fail_a_check(tmp_path, text, name):
    """Each with its own check, whose message says what to do."""
    checks = {check["name"]: check for check in planned(tmp_path, f"[inputs]\n{text}{MODEL}")["checks"]}
    assert checks[name]["state"] != "pass"
    assert "." in checks[name]["message"]


def test_a_model_that_is_planned_on_no_tokens_takes_no_days(tmp_path):
    """What its cluster costs is answered all the same: nothing is divided by its days."""
    text = f"{PLAIN}tokens = 0\n{MODEL}".replace("tokens = 1e12\n", "")
    status, out, errors = run("plan", write_portfolio(tmp_path, text), "--question", "budget", "--format", "json")
    assert status == 0, errors
    base = json.loads(out)["models"][0]["base"]
    assert (base["training_days"], base["affordable_tokens"]) == (0, 0)


SPOT = PLAIN + 'price_kind = "spot"\nspot_goodput = 0.5\n'


@pytest.mark.parametrize(
    ("fleet", "state"),
    [
        ("reserved_accelerators = 3\nowned_accelerators = 8\nrest = 'on_demand'\n", "pass"),
        ("reserved_accelerators = 8\nrest = 'spot'\n", "warning"),
    ],
)
def test_a_reservation_is_held_against_its_own_hours(tmp_path, fleet, state):
    """A purchase beside it makes no reservation too dear, and cheap hours on spot beside it no idle one worth it."""
    prices = (
        "price_kind = 'on_demand'\nprice_per_hour = 3\nreserved_price = 2\nspot_price = 0.1\nresearch_multiplier = 1\n"
    )
    checks = planned(tmp_path, f"[inputs]\n{fleet}{prices}{MODEL}")["checks"]
    assert next(check["state"] for check in checks if check["name"] == "worth_reserving") == state


def test_a_levelized_program_has_each_hour_at_its_own_price(tmp_path):
    """Of hours on spot with what interruptions take, of reserved and owned ones those that are used."""
    fleet = (
        "reserved_accelerators = 3\nowned_accelerators = 2\nprice_kind = 'spot'\nrest = 'spot'\nprice_per_hour = 1.5\n"
    )
    document = planned(tmp_path, f"[inputs]\n{fleet}reserved_price = 2\ncontingency_share = 0\n{MODEL}")
    row = table(document, "programme")
    hours = row["spot_total"] * 1.5 + row["reserved_total"] * 2 + row["owned_total"] * row["levelized_price"]
    others = sum(row[f"{name}_total"] for name in ("storage", "network", "staff"))
    assert row["levelized_cost"] == pytest.approx(hours + others)
    assert row["final_run"] == pytest.approx(document["models"][0]["base"]["training_cost"])


def test_what_was_not_bought_is_not_sold(tmp_path):
    """A purchase after the program is not in its cash, and neither is the sale of what would have been bought."""
    late = "owned_accelerators = 8\npurchase_month = 13\ndisposal_share = 0.5\nrest = 'on_demand'\n"
    row = table(planned(tmp_path, f"[inputs]\n{late}{MODEL}"), "programme")
    assert (row["purchase_total"], row["disposal_total"], row["book_value"]) == (0, 0, 0)
    assert row["cash_total"] == pytest.approx(row["cash_if_on_demand"])


@pytest.mark.parametrize(
    "more", ["price_kind = 'reserved'\nprice_per_hour = 0\n", "reserved_accelerators = 8\nreserved_from = 13\n"]
)
def test_a_reservation_that_costs_nothing_is_held(tmp_path, more):
    """Donated capacity, or a contract after the program: no cap is too small for it."""
    row = table(planned(tmp_path, f"[inputs]\nbudget_usd = 1e6\n{more}{MODEL}"), "programme")
    assert (row["rent_reserved_total"], row["cap_accelerators"] > 0) == (0, True)


def test_interruptions_on_spot_lengthen_the_run_and_its_bill(tmp_path):
    """At half the goodput a run takes twice the days and the paid hours: in the models, the program and its months."""
    whole, spot = planned(tmp_path, PLAIN + MODEL), planned(tmp_path, SPOT + MODEL)
    before, after = whole["models"][0]["base"], spot["models"][0]["base"]
    assert after["training_days"] == table(spot, "programme")["run_days"] == 2 * before["training_days"]
    assert after["training_cost"] == pytest.approx(2 * before["training_cost"])
    assert after["affordable_tokens"] == pytest.approx(before["affordable_tokens"] / 2)
    assert after["training_hours"] == before["training_hours"]


def test_accelerators_that_are_held_are_not_interrupted(tmp_path):
    """Of 1,000 accelerators 500 are owned: what the others do on spot at half the goodput makes up 750."""
    owned = (
        "owned_accelerators = 500\npurchase_price = 30_000\nrest = 'spot'\nprice_kind = 'spot'\nspot_goodput = 0.5\n"
    )
    days = [table(planned(tmp_path, PLAIN + more + MODEL), "programme")["run_days"] for more in ("", owned)]
    assert days[1] == pytest.approx(days[0] * 1000 / 750)


@pytest.mark.parametrize("cap", [100_000_000, 1_000_000, 1])
def test_a_cap_pays_for_no_more_held_hours_than_it_can_hold(tmp_path, cap):
    """Where 500 of 1,000 accelerators are bought at 30,000 USD, hours that are held shrink with the cap, to none."""
    owned = f"owned_accelerators = 500\npurchase_price = 30_000\nrest = 'on_demand'\nbudget_usd = {cap}\n"
    base = table(planned(tmp_path, PLAIN + owned + MODEL), "cases")
    share = base["held_work"] / base["held_capacity"]
    assert share == 1 if cap > 15e6 else cap / 30e6 < share + 1 / 500 <= cap / 15e6 + 1 / 500


@pytest.mark.parametrize(("covers", "thousands"), [("final_run", 3000), ("program", 365.25 * 24 * 2)])
def test_a_chart_of_runs_shows_the_cap_on_a_run_alone(tmp_path, covers, thousands):
    """A cap on a whole program is not held against the rent of its final run: the cost of the cluster is."""
    path = write_portfolio(
        tmp_path, f'questions = ["money"]\n{PLAIN}budget_usd = 3e6\nbudget_covers = "{covers}"\n{MODEL}'
    )
    run("report", path, "-o", tmp_path / "plan.xlsx")
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True)
    sheet = next(sheet for sheet in book if "top" in sheet.tables)
    headers, first, *_ = sheet[sheet.tables["top"].ref]
    shown = {head.value: row.value for head, row in zip(headers, first, strict=True)}
    assert shown["Money cap, or cost of the cluster (USD k)"] == pytest.approx(thousands)
