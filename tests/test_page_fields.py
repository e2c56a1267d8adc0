"""The fields, the link and the print of a page, as people use them: what they type, and where they are afterwards."""

import pytest
from browser import needs_browser
from samples import planned, write_portfolio
from test_page import PORTFOLIOS, written

WINDOW = """
questions = ["decision"]
[inputs]
accelerators = 1024
start = 2027-01-15
days = 90
report_date = 2026-11-23
budget_usd = 30_000_000
[scenarios.Own]
mfu = 0.37
[[models]]
size = "8B"
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Write the page of a plan with a window, a price of its catalog and a scenario, and return its path."""
    folder = tmp_path_factory.mktemp("page")
    return written(folder, planned(write_portfolio(folder, WINDOW)))


@pytest.fixture
def shown(path, opened):
    """Open the page with all fields to be seen."""
    with opened(path) as page:
        page.evaluate("document.querySelectorAll('#inputs > details').forEach((one) => { one.open = true; })")
        page.wait_for_selector("[data-input=run_start]")
        yield page


def typed(page, name, text):
    """Type into a field, and return its value afterwards and what is said there."""
    box = page.locator(f"[data-input={name}]")
    box.fill(text)
    box.press("Enter")
    box.blur()
    return page.evaluate(f"state.changed['{name}']"), said(page, name)


def said(page, name):
    """Return what a field says of what was typed."""
    return page.locator(".field", has=page.locator(f"[data-input={name}]")).locator("[role=alert]").text_content()


@needs_browser
@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("mfu", "0.3, 0.35, 0.4", {"low": 0.3, "base": 0.35, "high": 0.4}),
        ("run_start", "2027-03-01", 46447),
        ("mfu", "0,4", None),
        ("mfu", "", None),
        ("accelerators", "1,100,200", None),
        ("run_start", "March", None),
    ],
)
def test_a_field_takes_what_a_portfolio_does(name, text, value, shown):
    """A range as in a link, and a date; a comma of decimals or thousands is refused with what is expected."""
    result, why = typed(shown, name, text)
    assert (result, bool(why)) == (value, value is None)
    assert "expected" in why or not why


@needs_browser
def test_a_date_is_shown_as_one(shown):
    """In its field and in the lines for a portfolio, which takes it."""
    assert shown.locator("[data-input=run_start]").input_value() == "2027-01-15"
    shown.evaluate("flopsheet.set({run_start: 46447})")
    assert "run_start = { base = 2027-03-01" in shown.evaluate("document.getElementById('toml').value")


@needs_browser
def test_a_refusal_goes_with_what_was_refused(shown):
    """Once the field has its value again, nothing is said of another."""
    assert typed(shown, "mfu", "7")[1]
    shown.click("#reset")
    assert said(shown, "mfu") == ""


@needs_browser
def test_a_scenario_that_keeps_its_own_value_says_so(shown):
    """Else what is typed there would seem to be lost."""
    shown.evaluate("flopsheet.set({case: 'Own'})")
    assert "Own states its own" in typed(shown, "mfu", "0.2")[1]


@needs_browser
def test_the_focus_stays_where_it_was(shown):
    """On a case that was chosen, a question that was opened, and in the explanation of a number."""
    where = "[document.activeElement.tagName, document.activeElement.dataset.case]"
    shown.focus("[data-case=high]")
    shown.keyboard.press("Enter")
    assert shown.evaluate(where) == ["BUTTON", "high"]
    shown.locator("#questions summary").nth(1).focus()
    shown.keyboard.press("Enter")
    shown.wait_for_selector("#questions details:nth-of-type(2) p")
    assert shown.evaluate(where)[0] == "SUMMARY"
    shown.click('tr[data-figure="budget.cost"] td[data-case="base"] button')
    shown.locator("dialog td button").first.focus()
    shown.keyboard.press("Enter")
    assert shown.evaluate("document.activeElement.closest('dialog') !== null")


@needs_browser
def test_another_link_is_followed(shown):
    """In the same tab too; what it lacks is as delivered, and a value that is none changes nothing."""
    shown.evaluate("flopsheet.set({days: 60})")
    shown.evaluate("location.hash = '#mfu=0.2'")
    shown.wait_for_function("state.changed.mfu === 0.2")
    assert shown.evaluate("state.changed") == {"mfu": 0.2}
    shown.evaluate("location.hash = '#mfu=0.2,0.3'")
    shown.wait_for_function("!('mfu' in state.changed)")
    assert "were left out" in shown.locator("#changed").text_content()


@needs_browser
def test_a_typed_price_is_current(tmp_path, opened):
    """As in a portfolio, which dates it, also in scenarios that have it."""
    verdict = "verdict(D.verdicts.find((one) => one.name === 'price_current')).state"
    with opened(written(tmp_path, planned(PORTFOLIOS / "q9.toml"))) as page:
        assert page.evaluate(verdict) == "warning"
        page.evaluate("flopsheet.set({price_per_hour: 2.4})")
        assert page.evaluate(verdict) == "pass"


@needs_browser
def test_a_print_says_what_was_changed(shown):
    """On paper there are no fields."""
    shown.evaluate("flopsheet.set({mfu: 0.4, acquisition: 2})")
    shown.emulate_media(media="print")
    assert shown.locator("#changed").is_visible()
    assert "MFU, dense models 40%; Accelerators are owned" in shown.locator("#changed").text_content()


@needs_browser
def test_nothing_is_wider_than_a_phone(tmp_path, opened):
    """Names of files are broken; tables scroll by themselves."""
    folder = tmp_path / ("deep" * 20)
    folder.mkdir()
    plan = planned(write_portfolio(folder, WINDOW))
    with opened(written(tmp_path, plan), viewport={"width": 360, "height": 800}) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") == 360


@needs_browser
def test_a_range_without_a_number_in_a_case_says_so(shown):
    """It is no range from nothing: in that case there is none."""
    told = shown.locator("[data-answer]").text_content()
    assert "Cheapest viable program: USD" in told
    assert "(none or USD" in told
