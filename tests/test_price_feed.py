"""`flopsheet prices update`: prices of accelerators from somebody's feed, as a plugin without code."""

import json

import pytest
from planner import run

FEED = """GPU,Price,GPUs,Kind,Provider,Region,Date
H100 SXM5 80GB,$24.0,8,on-demand,Acme,us-east,2026-11-20
h100-sxm,2.5,,On Demand,Bolt,us-east,2026-11-21
h100-sxm,1.9,,spot,Bolt,us-east,2026-11-21
h200-sxm,3.1,1,ondemand,Acme,eu-west,2026-11-21T10:00:00Z
Abacus 9,1,1,ondemand,Acme,eu-west,2026-11-21
"""
PLAN = """
[cluster]
accelerator = "h100-sxm"
accelerators = 64
days = 10
[[models]]
size = "8B"
"""


def updated(folder, text, *options, name="feed.csv"):
    """Run the command on a feed, and return its status, output and errors."""
    (folder / name).write_text(text, "utf-8")
    return run("prices", "update", folder / name, "-o", folder / "prices.toml", *options)


def rows(folder, text, *options):
    """Return the prices of a feed by accelerator and kind."""
    _, out, errors = updated(folder, text, "--json", *options)
    assert out, errors
    return {(row["accelerator"], row["kind"]): row for row in json.loads(out)["prices"]}


def test_the_median_of_each_accelerator_and_kind_counts(tmp_path):
    """Accelerators go by name or title, prices of a server by its accelerators, kinds by the words of feeds."""
    result = rows(tmp_path, FEED)
    assert {key: row["base"] for key, row in result.items()} == {
        ("h100-sxm", "on_demand"): 2.75,
        ("h100-sxm", "spot"): 1.9,
        ("h200-sxm", "on_demand"): 3.1,
    }
    assert result["h100-sxm", "on_demand"]["source"] == "feed.csv: 2 prices of Acme, Bolt"
    assert result["h200-sxm", "on_demand"]["date"] == "2026-11-21"


def test_a_region_can_be_taken_alone(tmp_path):
    """Rows of other regions do not count."""
    assert [*rows(tmp_path, FEED, "--region", "eu-west")] == [("h200-sxm", "on_demand")]


def test_a_plan_uses_the_prices(tmp_path):
    """A portfolio that names the file pays what the feed says, and repeats where that is from."""
    updated(tmp_path, FEED)
    (tmp_path / "plan.toml").write_text(f'plugins = ["prices.toml"]\n{PLAN}', "utf-8")
    _, out, errors = run("plan", tmp_path / "plan.toml", "--format", "json")
    cost = json.loads(out)["answers"]["budget"]["cost"]
    assert cost["base"] == pytest.approx(64 * 240 * 2.75), errors


def test_accelerators_that_the_catalog_lacks_are_said(tmp_path):
    """They are left out, with how many rows there were."""
    _, out, _ = updated(tmp_path, FEED)
    assert "left out: Abacus 9 (1), which the catalog does not have" in out


def test_a_toml_feed_is_read_too(tmp_path):
    """An array of tables, whatever it is called, with numbers and dates as TOML has them."""
    text = '[[quotes]]\naccelerator = "h100-sxm"\nusd = 2.2\ndate = 2026-11-20\n'
    _, out, errors = updated(tmp_path, text, name="feed.toml")
    assert "h100-sxm, on_demand: USD 2.2" in out, errors


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("h100-sxm,free,,spot,,,2026-11-21", "line 2: usd: 'free'; a number above 0 is expected"),
        ("h100-sxm,2,,lease,,,2026-11-21", "line 2: kind: 'lease'; one of on_demand, reserved"),
        ("h100-sxm,2,,spot,,,yesterday", "line 2: date: 'yesterday"),
        ("h100-sxm,2,,spot,,,", "line 2: no date (date, day, observed, timestamp)"),
    ],
)
def test_a_row_that_is_no_price_is_refused_with_its_line(tmp_path, row, said):
    """Nothing is written."""
    status, _, errors = updated(tmp_path, f"gpu,price,gpus,kind,provider,region,date\n{row}\n")
    assert status == 2
    assert said in errors
    assert not (tmp_path / "prices.toml").exists()


def test_a_feed_without_a_known_accelerator_is_refused(tmp_path):
    """A plugin without prices would change nothing, silently."""
    _, _, errors = updated(tmp_path, "accelerator,usd,date\nabacus,2,2026-01-01\n")
    assert "no row is of an accelerator of the catalog" in errors


def test_a_feed_of_one_price_is_called_that(tmp_path):
    """The last line counts what was written."""
    _, out, _ = updated(tmp_path, "accelerator,usd,date\nh100-sxm,2.2,2026-11-01\n")
    assert out.splitlines()[-1].startswith("1 price → ")
