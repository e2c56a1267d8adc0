from dataclasses import FrozenInstanceError

import pytest
from msgspec.structs import replace

from flopsheet.accounting.nonumber import first_gap, no_number
from flopsheet.errors import PortfolioError
from flopsheet.host.loading import load
from flopsheet.planning.catalog import accelerator, accelerators
from flopsheet.planning.chosen_accelerator import with_accelerator
from flopsheet.planning.inputs import as_defined
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import BASE, program
from flopsheet.planning.remarks import assumed_price


def drivers():
    """Give every input of every plan as it comes."""
    return [as_defined(one) for one in program(load(), BASE).inputs.values()]


def filled(name):
    """Give the drivers by name, filled with an accelerator's figures."""
    return {driver.name: driver for driver in with_accelerator(drivers(), accelerator(name, accelerators()))}


def test_accelerators_come_by_name():
    """The mapping is sorted, read once and cannot be written."""
    known = accelerators()
    assert list(known) == sorted(known)
    assert known["h100-sxm"].peak_tflops == 989.5
    assert accelerators() is known
    with pytest.raises(TypeError):
        known["h100-sxm"] = known["a10"]


def test_an_accelerator_is_frozen():
    """Nobody changes the catalog by accident."""
    with pytest.raises(FrozenInstanceError):
        accelerator("h100-sxm", accelerators()).peak_tflops = 1979


def test_figures_that_nobody_publishes_are_none():
    """An unknown figure is not 0."""
    tpu, v100 = accelerator("tpu-v6e", accelerators()), accelerator("v100-sxm2-32gb", accelerators())
    assert tpu.tdp_w is None
    assert tpu.price_base is not None
    assert v100.fp8_tflops is None
    assert accelerator("mi325x", accelerators()).price_base is None
    assert "tdp_w" in accelerator("mi250x", accelerators()).memory_fields


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("h100", "'h100-nvl' or 'h100-pcie' or 'h100-sxm'"),
        ("H100 SXM", "'h100-sxm'"),
        ("h100_smx", "'h100-sxm'"),
        ("a100-sxm", "'a100-sxm-40gb' or 'a100-sxm-80gb'"),
    ],
)
def test_an_unknown_accelerator_gets_a_suggestion(asked, meant):
    """The error suggests what begins alike or is spelled alike."""
    with pytest.raises(PortfolioError) as caught:
        accelerator(asked, accelerators())
    assert str(caught.value).endswith(f"; did you mean {meant}?")


def test_an_unlike_name_gets_the_list_alone():
    """A suggestion that is no better than chance is left out."""
    with pytest.raises(PortfolioError, match=r"no accelerator is named 'zzz'; expected one of a10,"):
        accelerator("zzz", accelerators())


def test_the_default_accelerator_changes_no_driver():
    """The placeholders are the H100 SXM's figures."""
    after = filled("h100-sxm")
    for driver in drivers():
        assert after[driver.name].cases == driver.cases


@pytest.mark.usefixtures("few_prices")
def test_another_accelerator_brings_figures_sources_and_dates():
    """Exactly the drivers that come from the accelerator change."""
    after = filled("a100-sxm-80gb")
    assert after["peak_tflops"].cases == (312, 312, 312)
    assert after["server_power_factor"].cases == (2.031, 2.031, 2.031)
    assert after["price_per_hour"].cases == (1, 2, 3)
    assert after["price_per_hour"].date == accelerator("a100-sxm-80gb", accelerators()).price_date
    assert after["price_per_hour"].source.startswith("3 on-demand prices of 2026-07-28: median")
    assert after["peak_tflops"].source.startswith("A100 SXM4 80GB: ")
    assert after["server_power_factor"].source == "A100 SXM4 80GB: nameplate of the server"
    for driver in drivers():
        assert driver.input.keys or after[driver.name] == driver


def test_recalled_figures_stay_marked():
    """What was quoted from memory is not shown as read."""
    after = filled("mi250x")
    assert after["tdp_w"].source.endswith("(from memory)")
    assert not after["peak_tflops"].source.endswith("(from memory)")


def test_an_accelerator_without_a_price_asks_for_one():
    """Its cases are no numbers, which say which input to give."""
    after = filled("mi325x")
    assert after["price_per_hour"].low is None
    lacking = [no_number(value) for value in after["price_per_hour"].cases]
    assert {(one.why, one.input) for one in lacking} == {("no price: give price_per_hour", "price_per_hour")}


def test_every_missing_figure_is_named():
    """Each input without a value says what to give."""
    result = {one.name: first_gap(one.cases) for one in filled("trainium3").values()}
    assert [lacking.why for lacking in result.values() if lacking is not None] == [
        "no thermal design power: give tdp_w",
        "no price: give price_per_hour",
    ]


def test_a_given_price_completes_the_drivers():
    """The plan's own value takes the place of the missing one."""
    after = filled("mi325x")
    after["price_per_hour"] = replace(after["price_per_hour"], low=2.0, base=2.5, high=3.0)
    assert after["price_per_hour"].cases == (2.0, 2.5, 3.0)


@pytest.mark.parametrize("name", accelerators())
def test_every_accelerator_can_be_filled(name):
    """A priced accelerator with a power figure leaves nothing unset."""
    after, chosen = filled(name), accelerator(name, accelerators())
    assert after["price_per_hour"].base == chosen.price_base
    assert after["tdp_w"].base == chosen.tdp_w
    lacking = {name for name, one in after.items() if first_gap(one.cases) is not None}
    wanted = {"price_per_hour": chosen.price_base, "tdp_w": chosen.tdp_w}
    assert lacking == {name for name, figure in wanted.items() if figure is None}


PRICED = {
    "large and long": ({"accelerators": 4096, "days": 90}, 2.7),
    "small": ({"accelerators": 64, "days": 90}, 4),
    "short": ({"accelerators": 4096, "days": 7}, 4),
    "assumed": ({}, 4),
    "named": ({"accelerators": 4096, "days": 90, "price_kind": "on_demand"}, 4),
    "spot": ({"price_kind": "spot"}, 1.6),
    "three years": ({"price_kind": "reserved_3y"}, 1.76),
    "quoted": ({"accelerators": 4096, "days": 90, "price_per_hour": 2.1}, 2.1),
}


@pytest.mark.usefixtures("few_prices")
@pytest.mark.parametrize(("given", "price"), PRICED.values(), ids=PRICED)
def test_a_plan_takes_the_kind_of_price_that_fits_its_size(given, price):
    """H100 on demand is 4; a contract was seen at 2.7, and what a planner quotes wins."""
    plan = make_plan(load(), [], inputs=given)
    assert plan.case("base")["price_per_hour"] == price
    assert bool(assumed_price(plan)) == (price not in (4, 2.1))


def test_an_unknown_kind_of_price_is_refused():
    """The message lists the kinds."""
    with pytest.raises(PortfolioError, match="price_kind: 'list' is not one of automatic, on_demand, reserved"):
        make_plan(load(), [], inputs={"price_kind": "list"})
