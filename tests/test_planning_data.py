import json
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from flopsheet.host.loading import load
from flopsheet.planning.catalog import FROM, accelerators
from flopsheet.planning.listing import list_inputs

FULL_DATE = re.compile(r"20\d\d-[01]\d-[0-3]\d")
PARTIAL_DATE = re.compile(r"20\d\d(-[01]\d-[0-3]\d)?")
DRIVERS = [
    *("accelerators", "days", "peak_tflops", "memory_gb", "tdp_w", "server_power_factor", "mfu", "mfu_sparse"),
    *("mfu_least", "mfu_most", "mfu_sparse_least", "mfu_sparse_most"),
    *("achieved_tflops", "goodput", "memory_usable", "tokens", "price_per_hour", "price_age", "price_max_age"),
    *("draw_fraction", "pue"),
    *("electricity_price", "carbon"),
]

EXAMPLES = Path(__file__).parents[1] / "examples"
PORTFOLIOS = sorted((EXAMPLES / "portfolios").glob("*.toml"))
CONFIGS = sorted((EXAMPLES / "configs").glob("*/config.json"))


def rows(table):
    """Read a table from the data file of its name."""
    file = files("flopsheet.planning") / "data" / f"{table}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))[table]


ACCELERATORS = {row["name"]: row for row in rows("accelerators")}
BY_DRIVER = {row["name"]: row for row in list_inputs(load()) if row["question"] == "budget"}

each_accelerator = pytest.mark.parametrize("row", ACCELERATORS.values(), ids=list(ACCELERATORS))
each_driver = pytest.mark.parametrize("row", BY_DRIVER.values(), ids=list(BY_DRIVER))


def test_accelerators_are_sorted_and_unique():
    """Stable files make stable workbooks."""
    names = [row["name"] for row in rows("accelerators")]
    assert names == sorted(set(names))
    assert len(names) == 42


def test_drivers_stand_in_display_order():
    """Other rooms name drivers, so their names are a contract."""
    assert list(BY_DRIVER) == DRIVERS


@each_accelerator
def test_every_accelerator_has_a_source_and_a_date(row):
    """A figure without a source is a rumour."""
    assert row["source"]
    assert row["server_power_source"]
    assert FULL_DATE.fullmatch(row["date"])
    assert (row["confidence"] == "read") == ("memory_fields" not in row)
    assert set(row.get("memory_fields", ())) <= set(row)


@each_accelerator
def test_accelerator_figures_have_the_right_size(row):
    """A figure in the wrong unit is off by far more than these bounds."""
    assert 50 <= row["peak_tflops"] <= 2600
    assert row["peak_tflops"] <= row.get("fp8_tflops", row["peak_tflops"]) <= 4 * row["peak_tflops"]
    assert 16 <= row["memory_gb"] <= 310
    assert 0.3 <= row["bandwidth_tbs"] <= 8
    assert 70 <= row.get("tdp_w", 70) <= 1400
    assert 1.3 <= row["server_power_factor"] <= 2.1


def test_no_price_is_typed():
    """Prices of an hour are computed from observed ones, and no default that comes from the accelerator is typed."""
    assert not [key for row in ACCELERATORS.values() for key in row if key.startswith("price_")]
    tables = sorted((files("flopsheet.planning") / "questions").glob("*/inputs.toml"))
    typed = [
        row
        for path in tables
        for row in tomllib.loads(path.read_text("utf-8"))["inputs"]
        if FROM in str(row.get("keys"))
    ]
    assert len(typed) > 20
    assert not [row["name"] for row in typed if row.keys() & {"low", "default", "high", "source", "date"}]


def test_most_accelerators_have_prices():
    """A catalog without prices plans nothing."""
    assert sum(one.price_base is not None for one in accelerators().values()) >= 8


def test_h100_sxm():
    """The default accelerator, figure by figure."""
    h100 = ACCELERATORS["h100-sxm"]
    assert (h100["peak_tflops"], h100["fp8_tflops"]) == (989.5, 1979)
    assert (h100["memory_gb"], h100["bandwidth_tbs"], h100["tdp_w"]) == (85.5, 3.35, 700)
    assert h100["server_power_factor"] == 1.82


@pytest.mark.parametrize(
    ("name", "dense"),
    [
        ("a100-sxm-80gb", 312),
        ("h100-pcie", 756.5),
        ("h100-sxm", 989.5),
        ("h200-sxm", 989.5),
        ("b200-sxm", 2250),
        ("l4", 121),
        ("rtx-4090", 165.2),
        ("mi300x", 1307.4),
        ("tpu-v5e", 197),
        ("trainium2", 667),
    ],
)
def test_peaks_are_dense(name, dense):
    """Sheets print twice these, with structured sparsity or with fp16 accumulation."""
    assert ACCELERATORS[name]["peak_tflops"] == dense


@each_driver
def test_every_driver_is_complete(row):
    """Assumptions show title, unit, source, date and explanation of every row."""
    assert all(row[key] for key in ("title", "unit", "source", "about"))
    assert FULL_DATE.fullmatch(row["date"])
    assert row["kind"] in {"count", "ratio", "share", "flag"}
    assert row["section"] in {"cluster", "efficiency", "model", "price", "energy"}
    if row["kind"] == "count":
        assert isinstance(row["default"], int)


@each_driver
def test_an_input_says_which_end_is_cheaper(row):
    """Cases take the fitting end of each range, so every input has one that makes a plan cheaper."""
    assert row["better"] in ("low", "high")
    assert row.get("low", row["default"]) <= row["default"] <= row.get("high", row["default"])


@pytest.mark.parametrize("name", ["mfu", "mfu_sparse", "goodput", "memory_usable"])
def test_efficiencies_are_better_when_high(name):
    """An efficiency is a share of the whole, and the cheap case takes its high end."""
    assert (BY_DRIVER[name]["better"], BY_DRIVER[name]["kind"]) == ("high", "share")


@each_driver
def test_placeholders_are_the_default_accelerator(row):
    """Drivers that come from the accelerator show the H100 SXM's numbers."""
    if row["name"] in ACCELERATORS["h100-sxm"]:
        assert row["default"] == ACCELERATORS["h100-sxm"][row["name"]]
        assert row["low"] == row["high"] == row["default"]


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.parent.name)
def test_example_configs_are_listed_with_their_origin(file):
    """Every config names its model type and class, and the README says where it came from."""
    config = json.loads(file.read_text(encoding="utf-8"))
    assert config["model_type"]
    assert config["architectures"]
    assert f"| `{file.parent.name}` |" in (EXAMPLES / "configs" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", PORTFOLIOS, ids=lambda file: file.stem)
def test_example_portfolios_name_what_there_is(file):
    """Models point at config files, clusters at the catalog, overrides at drivers; published counts have sources."""
    portfolio = tomllib.loads(file.read_text(encoding="utf-8"))
    assert portfolio["cluster"]["accelerator"] in ACCELERATORS
    assert set(portfolio["drivers"]) <= set(BY_DRIVER)
    for model in portfolio["models"]:
        assert "dimensions" in model or (file.parent / model["config"]).is_file()
        assert set(model.get("published", ())) in (set(), {"parameters", "source", "date"})
    assert len({model["name"] for model in portfolio["models"]}) == len(portfolio["models"])


def test_the_walkthrough_gives_its_budget():
    """400 TFLOP/s x 64 x 60 days is 1.3271e23 FLOP."""
    plan = tomllib.loads((EXAMPLES / "portfolios" / "walkthrough.toml").read_text(encoding="utf-8"))
    cluster, given = plan["cluster"], plan["drivers"]
    tera = given["achieved_tflops"] * given["goodput"] * cluster["accelerators"] * cluster["days"] * 86_400
    assert tera == 132_710_400_000
