"""The page of a plan, in a real browser: every number as the engine has it, and nothing that it must not do."""

import json
import math
import random
import tomllib
from html import unescape
from pathlib import Path

import pytest
import tomli_w
from asking import portfolio
from browser import AXE, needs_axe, needs_browser
from msgspec.structs import replace
from planner import run
from samples import planned, write_portfolio

import flopsheet
from flopsheet.errors import UsageError
from flopsheet.export.page import page
from flopsheet.export.page.page import plan_page
from flopsheet.export.plan_answers import plan_document
from flopsheet.export.plan_tables import cell
from flopsheet.export.sentences import answers

PORTFOLIOS = Path(__file__).parent / "data" / "portfolios"
EDITS = 30
HOSTILE = "</script><img src=x onerror=alert(1)> & \u2028 {version} \\"
TUNING = Path(__file__).parent.parent / "examples" / "portfolios" / "tuning.toml"
SETS = {**{name: PORTFOLIOS / f"{name}.toml" for name in ("q1", "q3", "q8")}, "tuning": TUNING}
"""Portfolios with named scenarios, models that serve, most questions, and models that are tuned."""


def written(folder, plan):
    """Write the page of a plan, and return its path."""
    path = folder / "plan.html"
    path.write_text(plan_page(plan), "utf-8")
    return path


def changed(plan, edits):
    """Return a plan with inputs changed as a page changes them; its layouts stay."""
    edits = ({"price_age": 0} if "price_per_hour" in edits else {}) | edits
    return replace(plan, drivers=tuple(_changed(plan, one, edits.get(one.name)) for one in plan.drivers))


def _changed(plan, one, given):
    if given is None:
        return one
    made = one.with_values(given)
    name = "price_per_hour" if one.name == "price_age" else one.name
    stated = [name in scenario.inputs for scenario in plan.named]
    named = tuple(own if is_own else made.base for own, is_own in zip(one.named, stated, strict=True))
    return replace(made, named=named)


def drawn_edits(plan, seed):
    """Return changes of some inputs within their ranges, a single value or a range each."""
    drawn = random.Random(seed)  # noqa: S311 - which inputs a test tries is no secret
    ranged = [one for one in plan.drivers if one.low != one.high and not one.input.labels]
    result = {}
    for one in drawn.sample(ranged, min(3, len(ranged))):
        low, high = float(one.low), float(one.high)
        value = low + (high - low) * drawn.random()
        value = round(value) if one.input.kind == "count" else value
        whole = drawn.random() < 0.5
        result[one.name] = value if whole else {"low": one.low, "base": value, "high": one.high}
    return {name: json.loads(json.dumps(given, default=float)) for name, given in result.items()}


def differing(expected, found, place=""):
    """Give the places at which two documents differ, numbers by more than twelve digits."""
    if isinstance(expected, dict):
        keys = expected.keys() & found.keys() if isinstance(found, dict) else set()
        if not isinstance(found, dict) or expected.keys() ^ found.keys():
            yield place, sorted(expected), sorted(found) if isinstance(found, dict) else found
        for key in keys:
            yield from differing(expected[key], found[key], f"{place}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for at, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from differing(one, other, f"{place}[{at}]")
    elif isinstance(expected, int | float) and isinstance(found, int | float):
        if not math.isclose(expected, found, rel_tol=1e-12):
            yield place, expected, found
    elif expected != found:
        yield place, expected, found


def document(plan):
    """Return what `flopsheet plan --format json` has, as far as a page has it: messages name rows there."""
    result = {key: value for key, value in plan_document(plan).items() if key not in ("errors", "reasons")}
    return result | {"checks": [(one["name"], one["state"], one["cases"]) for one in result["checks"]]}


def results(shown):
    """Return the same of a page."""
    result = shown.evaluate("flopsheet.results()")
    return result | {"checks": [(one["name"], one["state"], one["cases"]) for one in result["checks"]]}


@needs_browser
@pytest.mark.parametrize("name", SETS)
def test_every_number_is_the_engines(name, tmp_path, opened):
    """Figures, models, tables and checks, untouched, in another case, and after random edits; the console is silent."""
    plan = planned(SETS[name])
    with opened(written(tmp_path, plan)) as shown:
        assert list(differing(document(plan), results(shown))) == []
        other = plan.show_case(plan.cases[-1])
        shown.evaluate("(name) => flopsheet.set({case: name})", other.scenario)
        assert list(differing(document(other), results(shown))) == []
        for seed in range(EDITS // len(SETS)):
            edits = drawn_edits(plan, f"{name}{seed}")
            shown.evaluate("(edits) => flopsheet.set(edits)", edits)
            assert (edits, list(differing(document(changed(other, edits)), results(shown)))) == (edits, [])
            shown.evaluate("(names) => flopsheet.set(Object.fromEntries(names.map((one) => [one, null])))", [*edits])
        assert list(differing(document(other), results(shown))) == []
        assert shown.said == []
        assert [url for url in shown.asked if not url.startswith("file:")] == []


@needs_browser
def test_numbers_are_written_as_on_the_terminal(tmp_path, opened):
    """Each figure and line of the tables reads as `flopsheet plan` writes it."""
    plan = planned(portfolio(tmp_path, "passes"))
    with opened(written(tmp_path, plan)) as shown:
        result = shown.evaluate(
            "D.figures.map((one) => [one.unit, figure(runs.base, one), cell(figure(runs.base, one), one.unit)])"
        )
        lines = shown.evaluate("""Object.entries(SEEN.tables).flatMap(([table, seen]) => seen.shown.flatMap((line) =>
            [...runs.base.tables[table].columns[line]].slice(0, 20).map((value) =>
            [seen.lines[line].unit, value, cell(value, seen.lines[line].unit)])))""")
    known = [(unit, value, text) for unit, value, text in (*result, *lines) if value is not None]
    assert len(known) > 1_000
    assert [one for one in known if cell(whole(one[1]), one[0], "") != one[2]] == []


def whole(value):
    """Return a float that is whole as an int, as plans have it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@needs_browser
def test_a_link_holds_what_was_changed(tmp_path, opened):
    """The address is the state: opened again, the page shows the same; as TOML it is what a portfolio takes."""
    plan = planned(PORTFOLIOS / "q3.toml")
    path = written(tmp_path, plan)
    with opened(path) as shown:
        shown.evaluate("flopsheet.set({mfu: 0.41, goodput: {low: 0.8, base: 0.85, high: 0.9}, case: 'high'})")
        link, told, lines = shown.evaluate(
            "[location.hash, flopsheet.results(), document.getElementById('toml').value]"
        )
        shown.goto(f"{path.as_uri()}{link}")
        shown.reload()
        shown.wait_for_selector("[data-answer]")
        assert list(differing(told, shown.evaluate("flopsheet.results()"))) == []
    again = write_portfolio(tmp_path, f"{lines}\n[[models]]\nsize = '8B'\n", "again.toml")
    assert planned(again).case("base")["mfu"] == 0.41


@needs_browser
def test_a_change_reaches_scenarios_as_in_a_portfolio(tmp_path, opened):
    """One that states the input keeps its value, also where that is Base's; one whose accelerator gave it does not."""
    text = (PORTFOLIOS / "q9.toml").read_text("utf-8") + '[scenarios."As long"]\ndays = 120\n'
    plan = planned(write_portfolio(tmp_path, text.replace("[inputs]", 'name = "q9"\n[inputs]')))
    again = text.replace("[inputs]", 'name = "q9"\n[inputs]\npeak_tflops = 900').replace("days=120", "days=60")
    with opened(written(tmp_path, plan)) as shown:
        shown.evaluate("flopsheet.set({peak_tflops: 900, days: 60})")
        found = results(shown)
    assert list(differing(document(planned(write_portfolio(tmp_path, again, "again.toml"))), found)) == []


@needs_browser
@pytest.mark.parametrize(
    ("edits", "own"),
    [
        ({"price_per_hour": 2.4}, {}),
        ({"accelerators": 256}, {}),
        ({"rented_as": 1}, {}),
        ({"price_per_hour": 2.4}, {"reserved_price": 2.5}),
    ],
)
def test_lines_for_a_portfolio_keep_the_kind_of_price(tmp_path, edits, own, opened):
    """A price that is typed, or a smaller cluster, would be one on demand in a portfolio that names no kind."""
    document = tomllib.loads((PORTFOLIOS / "q1c.toml").read_text("utf-8"))
    document["inputs"] |= own
    plan = planned(write_portfolio(tmp_path, tomli_w.dumps(document)))
    with opened(written(tmp_path, plan)) as shown:
        shown.evaluate("(edits) => flopsheet.set(edits)", edits)
        lines = shown.evaluate("document.getElementById('toml').value").removeprefix("[inputs]")
    inputs = {"inputs": {**document["inputs"], **tomllib.loads(lines)}}
    again = planned(write_portfolio(tmp_path, tomli_w.dumps(document | inputs)))
    expected = {one.name: one.base for one in plan.drivers} | edits
    assert {one.name for one in again.drivers if one.base != expected[one.name]} - {"price_age"} == set()


@needs_browser
def test_what_an_input_cannot_be_is_refused(tmp_path, opened):
    """The plan stays what it was, and the message says what is expected, as a portfolio's does."""
    plan = planned(PORTFOLIOS / "q3.toml")
    with opened(written(tmp_path, plan)) as shown:
        before = shown.evaluate("flopsheet.results()")
        for given in ("{mfu: 7}", "{mfu: 0}", "{accelerators: 1.5}", "{nothing: 1}", "{mfu: '0.4'}", "{case: 'x'}"):
            assert shown.evaluate(
                f"(() => {{ try {{ flopsheet.set({given}) }} catch (error) {{ return error.message }} }})()"
            )
        assert list(differing(before, shown.evaluate("flopsheet.results()"))) == []
        shown.evaluate("document.querySelectorAll('#inputs > details').forEach((one) => { one.open = true; })")
        shown.locator("[data-input=mfu]").fill("7")
        shown.locator("[data-input=mfu]").press("Enter")
        assert "at most 1" in shown.locator(".field", has=shown.locator("[data-input=mfu]")).inner_text()


@needs_browser
def test_a_layout_that_was_found_is_not_changed_in_part(tmp_path, opened):
    """Its inputs are refused, since a portfolio that states one takes no layout of the search; other edits say so."""
    with opened(written(tmp_path, planned(TUNING))) as shown:
        tried = "try { flopsheet.set({expert_parallel: 2}); '' } catch (error) { error.message }"
        assert "was found by a search" in shown.evaluate(tried)
        assert shown.locator("[data-check=layouts]").count() == 0
        shown.evaluate("flopsheet.set({kept_factor: 0.9})")
        assert "searches again" in shown.locator("[data-check=layouts]").text_content()


@needs_browser
def test_hostile_names_stay_text(tmp_path, opened):
    """A name with markup runs nothing, closes nothing and is read as it is."""
    text = f'name = {json.dumps(HOSTILE)}\n[[models]]\nname = {json.dumps(HOSTILE)}\nsize = "8B"\n'
    plan = planned(write_portfolio(tmp_path, text))
    with opened(written(tmp_path, plan)) as shown:
        assert shown.title() == " ".join(HOSTILE.replace("\u2028", " ").split()) or HOSTILE in shown.title()
        assert shown.evaluate("D.models[0].name") == plan.costed[0].name
        assert shown.locator("img").count() == 0
        assert shown.said == []


@needs_browser
def test_a_number_says_how_it_was_computed(tmp_path, opened):
    """A click shows the formula in words, what it read, and where that is from; each part can be asked again."""
    plan = planned(PORTFOLIOS / "q9.toml")
    with opened(written(tmp_path, plan)) as shown:
        shown.click('tr[data-figure="budget.cost"] td[data-case="base"] button')
        text = shown.inner_text("dialog")
        assert "Accelerator-hours · GPU-hour price" in text
        assert plan.drivers[[one.name for one in plan.drivers].index("price_per_hour")].source[:40] in text
        shown.click("dialog td button")
        assert "Accelerators · Days" in shown.inner_text("dialog")


@needs_browser
@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_no_violation(tmp_path, width, scheme, opened):
    """Labels, contrast, order and names hold for screen readers and keyboards, wide and narrow, light and dark."""
    plan = planned(PORTFOLIOS / "q3.toml")
    size = {"width": width, "height": 900}
    with opened(written(tmp_path, plan), viewport=size, color_scheme=scheme, bypass_csp=True) as shown:
        shown.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        shown.add_script_tag(path=str(AXE))
        result = shown.evaluate("axe.run().then((one) => one.violations.map(({id, nodes}) => [id, nodes[0].html]))")
    assert result == []


def test_a_report_is_a_page(tmp_path):
    """`flopsheet report -o plan.html` writes it; the policy allows its own script and style alone."""
    code, _, errors = run("report", PORTFOLIOS / "q9.toml", "-o", tmp_path / "plan.html")
    assert code == 0, errors
    text = (tmp_path / "plan.html").read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "default-src 'none'; script-src 'sha256-" in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_page_has_as_many_models_as_a_browser_computes(monkeypatch):
    """More are refused with what to write instead."""
    monkeypatch.setattr(page, "MOST_MODELS", 1)
    with pytest.raises(UsageError, match="more than the 1 that a page"):
        plan_page(planned(PORTFOLIOS / "q1.toml"))


def answered(plan):
    """Return the sentences that answer the questions of a plan, without the largest risks."""
    return [text for text in answers(plan) if not text.startswith("Largest risks")]


@needs_browser
@pytest.mark.parametrize("name", SETS)
def test_the_answer_in_words_follows_every_edit(name, tmp_path, opened):
    """As the terminal says it: as delivered, in each case, and after edits that turn it."""
    plan = planned(SETS[name])
    with opened(written(tmp_path, plan)) as shown:
        for seed in range(8):
            edits = drawn_edits(plan, seed) if seed else {}
            case = plan.cases[seed % len(plan.cases)] if seed else plan.scenario
            before = dict.fromkeys(shown.evaluate("Object.keys(state.changed)"))
            shown.evaluate("changes => set(changes)", {**before, **edits, "case": case})
            said = shown.evaluate("[...document.querySelectorAll('[data-sentence]')].map(one => one.textContent)")
            assert said == answered(changed(plan, edits).show_case(case)), (seed, case)


SWEPT = """
[cluster]
accelerator = "h100-sxm"
[[models]]
name = "70B"
size = "70B"
tokens = 1e12
[sweep]
minimize = "training_days"
columns = ["training_days", "training_cost"]
[sweep.axes]
mfu = [0.3, 0.4]
accelerators = [512, 1024, 2048]
"""


@needs_browser
def test_a_sweep_in_a_notebook_is_a_page_that_shows_each_design(tmp_path, opened):
    """A click on a design changes the inputs to its own, and the figures are those of its row."""
    design = tmp_path / "sweep.toml"
    design.write_text(SWEPT, "utf-8")
    result = flopsheet.sweep(design)
    path = tmp_path / "page.html"
    path.write_text(unescape(result._repr_html_().partition('srcdoc="')[2].removesuffix('"></iframe>')), "utf-8")
    with opened(path) as shown:
        for place in (0, 3, 5):
            shown.click(f"[data-design='{place}']")
            days = shown.evaluate("runs[state.case].tables.models.columns.training_days[0]")
            assert days == pytest.approx(float(result.table["training_days"][place]))
            assert shown.get_attribute(f"[data-design='{place}']", "aria-pressed") == "true"
            assert shown.get_attribute("[data-design='1']", "aria-pressed") == "false"
        assert shown.said == []
