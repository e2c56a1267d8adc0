import copy
import json
import tomllib

import pytest
from samples import CONFIGS, planned

from flopsheet.errors import UsageError
from flopsheet.export.difference import Move, compare, read_report, show_value
from flopsheet.export.difference_page import as_markdown, as_text
from flopsheet.export.toml import report_document


@pytest.fixture(scope="module")
def original():
    """Return the report of two models."""
    return tomllib.loads("".join(report_document(planned(CONFIGS / "gpt2-xl", CONFIGS / "mamba-2.8b"))))


@pytest.fixture
def changed(original):
    """Return a copy of the report to change."""
    return copy.deepcopy(original)


def test_a_report_does_not_differ_from_itself(original, changed):
    """The same numbers give no move and no remark."""
    result = compare(original, changed)
    assert not result.moved
    assert result.remarks == []


def test_figures_come_first_as_people_read_them(original, changed):
    """Those of questions in the Base case, by the name that --result takes; what did not move is left out."""
    for case in ("low", "base"):
        changed["answers"]["budget"]["cost"][case] *= 2
    result = compare(original, changed)
    (figure,) = result.figures
    assert (figure.path, figure.cause) == ("budget.cost", "+100%")
    assert figure.old.startswith("USD ")
    assert figure.old != figure.new
    said = as_text(result).splitlines()
    assert said[0] == "Figures, Base"
    assert said[1].startswith("  budget.cost  USD ")
    assert "| budget.cost | USD " in as_markdown(result)


def test_a_figure_that_no_other_number_explains_has_moved(original, changed):
    """A report whose answer was typed over contradicts its own scenarios: that is no report without a move."""
    old = original["answers"]["budget"]["cost"]["low"]
    changed["answers"]["budget"]["cost"]["low"] = 2
    assert compare(original, changed).moves == {"": [Move("answers.budget.cost.low", old, 2)]}


def test_tables_and_verdicts_of_checks_are_compared(original, changed):
    """A row of a question's table and a check's verdict are what a report says too."""
    original = copy.deepcopy(original)
    for report, share in ((original, 0.2), (changed, 0.3)):
        report["tables"]["rent_or_own"] = [{"used_share": share}]
    changed["checks"][0]["state"] = "fail"
    result = compare(original, changed)
    assert (result.tables, result.moved) == (["rent_or_own", "checks"], True)
    assert as_text(result).endswith("2 tables changed")


MOVES = {
    "total": (("models", 0, "totals", "parameters"), "totals.parameters"),
    "group": (("models", 0, "groups", "flops", "mlp"), "groups.flops.mlp"),
    "dimension": (("models", 0, "dimensions", "d_model"), "dimensions.d_model"),
    "plan of a model": (("models", 0, "scenarios", "low", "training_cost"), "scenarios.low.training_cost"),
}


@pytest.mark.parametrize(("place", "path"), MOVES.values(), ids=MOVES)
def test_a_number_that_moved_is_found_by_its_path(original, changed, place, path):
    """Every number of a model is compared, and named by where it stands."""
    table = changed
    for key in place[:-1]:
        table = table[key]
    old = table[place[-1]]
    table[place[-1]] = old * 2
    assert compare(original, changed).moves == {"gpt2-xl": [Move(path, old, old * 2)]}


def test_a_driver_that_moved_is_the_plans(original, changed):
    """Numbers outside of models stand under the empty name."""
    changed["inputs"]["goodput"]["low"] = 0.5
    assert compare(original, changed).moves == {"": [Move("inputs.goodput.low", 0.8, 0.5)]}


def test_words_about_a_driver_are_no_numbers(original, changed):
    """A source that was rewritten moves nothing."""
    changed["inputs"]["goodput"]["source"] = "someone else"
    assert not compare(original, changed).moved


def test_a_choice_that_changed_is_found(original, changed):
    """Another mask is told although it is a word."""
    changed["models"][0]["dimensions"]["mask"] = "causal"
    assert compare(original, changed).moves == {"gpt2-xl": [Move("dimensions.mask", "full", "causal")]}


def test_numbers_that_came_and_went_are_found(original, changed):
    """A total that only one report has is a move from or to nothing."""
    totals = changed["models"][0]["totals"]
    totals["new_total"] = 5
    gone = totals.pop("state_bytes")
    moves = compare(original, changed).moves["gpt2-xl"]
    assert moves == [Move("totals.state_bytes", gone, None), Move("totals.new_total", None, 5)]


def test_models_that_came_and_went_are_found(original, changed):
    """Models are matched by name."""
    changed["models"][1]["name"] = "another"
    result = compare(original, changed)
    assert (result.added, result.removed, result.moved) == (["another"], ["mamba-2.8b"], True)


def test_the_order_of_models_does_not_matter(original, changed):
    """A model that moved down the list did not change."""
    changed["models"].reverse()
    assert not compare(original, changed).moved


def test_a_status_that_changed_counts(original, changed):
    """A number that is no longer exact is not the same number."""
    changed["models"][0]["status"] = "approximate"
    result = compare(original, changed)
    assert (result.statuses, result.moved) == ({"gpt2-xl": ("ok", "approximate")}, True)


def test_versions_that_changed_are_remarks(original, changed):
    """A new plugin version is told, and alone moves nothing."""
    changed["plugins"][0]["version"] = "9.9"
    changed["flopsheet"]["version"] = "9.9"
    del changed["plugins"][1]
    result = compare(original, changed)
    own = original["flopsheet"]["version"]
    assert not result.moved
    assert result.remarks == [
        f"flopsheet: {own} → 9.9",
        f"plugin dense: flopsheet {own} → flopsheet 9.9",
        f"plugin encoder-decoder: flopsheet {own} → not there",
    ]


def test_a_config_that_changed_is_a_remark(original, changed):
    """Another hash of the same model's file is told."""
    changed["models"][0]["sha256"] = "0" * 64
    assert compare(original, changed).remarks == ["config of gpt2-xl: the file's content changed"]


@pytest.mark.parametrize(("tolerance", "moved"), [(0, True), (1e-4, True), (1e-2, False)])
def test_tolerance_is_relative(original, changed, tolerance, moved):
    """One per mille is a move unless the tolerance is larger."""
    changed["models"][0]["totals"]["parameters"] *= 1.001
    assert compare(original, changed, tolerance).moved is moved


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        (100, 110, "+10%"),
        (8_030_261_248, 8_038_291_509, "+0.1%"),
        (3, 1, "-66.6667%"),
        (10**12, 10**12 + 1, "+1e-10%"),
        (0, 5, "from 0"),
        (None, 5, "new"),
        (5, None, "gone"),
        ("full", "causal", "changed"),
    ],
)
def test_a_change_is_told_in_percent(old, new, change):
    """How far a number moved is told in percent where that means something."""
    assert Move("x", old, new).change == change


def test_values_are_shown_with_their_digits():
    """Numbers show every digit, words themselves, and what is missing a word."""
    assert [show_value(value) for value in (8_030_261_248, "full", None)] == ["8,030,261,248", "full", "nothing"]


def test_json_reports_are_read(original, tmp_path):
    """The JSON report is the same document."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(original))
    assert read_report(path) == original


NO_REPORTS = {
    "portfolio": ("a.toml", '[[models]]\nconfig = "x"\n', "not a flopsheet report"),
    "newer": ("a.toml", "schema = 2\n", "schema 2 is newer"),
    "no models": ("a.toml", "schema = 1\nmodels = 3\n", "not a flopsheet report"),
    "bad TOML": ("a.toml", "schema = \n", "invalid TOML"),
    "bad JSON": ("a.json", "{", "invalid JSON"),
    "JSON list": ("a.json", "[]", "found a JSON list"),
    "binary": ("a.toml", "\udcff\udcfe", "not UTF-8 text"),
    "bad plugins": ("a.toml", "schema = 1\nplugins = [1]\n", "not a flopsheet report"),
    "bad flopsheet": ("a.toml", "schema = 1\nflopsheet = 3\n", "not a flopsheet report"),
}


@pytest.mark.parametrize(("name", "text", "message"), NO_REPORTS.values(), ids=NO_REPORTS)
def test_what_is_no_report_is_refused(tmp_path, name, text, message):
    """A file that is something else is named with what it is."""
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=message):
        read_report(tmp_path / name)


def test_a_report_of_many_models_has_more_fields_than_a_config(tmp_path):
    """The limit that guards configs is none for reports, whose models are many."""
    path = tmp_path / "many.json"
    models = [{"name": f"m{at}", "totals": {f"line{line}": line for line in range(200)}} for at in range(600)]
    path.write_text(json.dumps({"schema": 1, "models": models}), "utf-8")
    assert len(read_report(path)["models"]) == 600
