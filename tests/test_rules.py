"""Rules of thumb are read and applied, those that fail are told, and the page of them is up to date."""

import shutil

import pytest
from msgspec.structs import replace
from pages.rules import page
from rule_samples import HOST, ROOT, RULES, TRUTH, costed, outcome

import flopsheet
from flopsheet import Rule
from flopsheet.configs.model import Model
from flopsheet.errors import ConfigError, PluginError
from flopsheet.host.candidate import Plugin, PluginResult
from flopsheet.host.host import Host
from flopsheet.planning.costing import cost
from flopsheet.planning.rules import apply_rules

SOMEBODY = Plugin("somebody", "somebodys-rules", "2.0")


def host_with(rule):
    """Give a host whose dense decoder has one rule, somebody's."""
    return replace(HOST, answers={"dense": [PluginResult(SOMEBODY, {}, lambda: [rule], list)]}, answered_rules={})


def rule(**parts):
    """Give a rule that is right: parameters are parameters."""
    whole = {"name": "somebodys", "title": "Somebody's", "formula": "parameters", "compares": "parameters"}
    return Rule(**{**whole, "unit": "parameters", "source": "Somebody", **parts})


@pytest.mark.parametrize("architecture", RULES)
def test_every_rule_has_a_source_and_mends_what_errs(architecture):
    """An erratum and a corrected form come together."""
    assert RULES[architecture]
    for one in RULES[architecture].values():
        assert one.source
        assert bool(one.erratum) == bool(one.corrected)


def test_a_rule_that_does_not_apply_is_left_out():
    """The rule for untied heads is silent on a model whose head is tied."""
    for model, there in (("gpt2/gpt2", False), ("llama/Llama-2-7b", True)):
        names = [one.rule.name for one in apply_rules(HOST, costed(model))]
        assert ("kipply_parameters_head" in names) is there


def test_a_model_without_what_a_rule_counts_is_left_out():
    """A class without an output head has no FLOP of a head to compare with."""
    config = TRUTH["gpt2/gpt2"]["config"] | {"architectures": ["GPT2Model"]}
    names = [one.rule.name for one in apply_rules(HOST, flopsheet.evaluate(config))]
    assert "notebook_output" not in names
    assert "notebook_flops" in names


def test_a_model_in_error_has_no_rules():
    """There is no number to compare with."""
    broken = cost(HOST, Model("broken", architecture="dense", errors=("bad",)))
    assert apply_rules(HOST, broken) == []


def test_a_rule_without_a_corrected_form_has_no_corrected_number():
    """Nothing errs, so nothing is mended."""
    result = outcome("walkthrough_mlp", "gpt2/gpt2")
    assert (result.corrected, result.corrected_difference) == (None, None)


def test_differences_are_shares_of_the_exact_number():
    """Half of the parameters is -50%, a quarter more +25%."""
    somebodys = rule(formula="parameters / 2", erratum="Half", corrected="parameters * 5 / 4")
    (result,) = apply_rules(host_with(somebodys), costed("gpt2/gpt2"))
    assert (result.difference, result.corrected_difference) == (-0.5, 0.25)


@pytest.mark.parametrize("part", ["formula", "corrected", "compares", "applies"])
def test_an_unknown_name_is_told_with_rule_and_plugin(part):
    """Each formula of a rule may name only dimensions and lines of its architecture."""
    with pytest.raises(PluginError) as caught:
        apply_rules(host_with(rule(**{part: "d_modle * 2"})), costed("gpt2/gpt2"))
    assert "rule somebodys of somebody (somebodys-rules 2.0):" in str(caught.value)
    assert "d_model" in str(caught.value)


def test_a_rule_that_gives_no_number_is_told_with_rule_and_plugin():
    """Dividing by a dimension that is 0 is the rule's mistake."""
    with pytest.raises(PluginError, match=r"rule somebodys of somebody \(somebodys-rules 2\.0\)"):
        apply_rules(host_with(rule(formula="parameters / window")), costed("gpt2/gpt2"))


def test_plugins_are_asked_for_rules_once_and_when_needed():
    """Few commands show rules: none are asked for until somebody needs them."""
    asked = []

    def ask():
        asked.append(1)
        return [rule()]

    host = Host(answers={"dense": [PluginResult(SOMEBODY, {}, ask, list)]})
    assert asked == []
    assert host.rules("dense") == host.rules("dense") == [rule()]
    assert asked == [1]


def test_a_plugin_that_fails_at_its_rules_is_told_and_harms_no_other():
    """Its rules are left out with the reason; others keep theirs."""

    def fail():
        raise ValueError("no such table")

    other = PluginResult(Plugin("other", "others-rules", "1.0"), {}, lambda: [rule()], list)
    host = Host(answers={"dense": [PluginResult(SOMEBODY, {}, fail, list), other]})
    assert host.rules("dense") == host.rules("dense") == [rule()]
    (failure,) = host.failures
    assert failure.plugin == SOMEBODY
    assert failure.reason == "its rules are left out: ValueError: no such table"


def test_the_page_of_rules_is_up_to_date():
    """docs/rules.md is what the generator prints."""
    assert (ROOT / "docs/rules.md").read_text("utf-8") == page(ROOT / "examples/configs")


@pytest.mark.parametrize("architecture", RULES)
def test_the_page_holds_every_rule(architecture):
    """Each rule has its heading under its architecture."""
    text = (ROOT / "docs/rules.md").read_text("utf-8")
    section = text.split(f"## {HOST.architecture(architecture).title}\n")[1].split("\n## ")[0]
    for one in RULES[architecture].values():
        assert f"### {one.title}\n" in section


def test_the_page_rests_on_exact_examples_alone(tmp_path):
    """A model that is not counted exactly stops the page, and so does a missing one."""
    shutil.copytree(ROOT / "examples/configs", tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "llama-with-extra-field/config.json", tmp_path / "gpt2-xl/config.json")
    with pytest.raises(ConfigError, match=r"an example must be exact: .*residual_gate_rank"):
        page(tmp_path)
    with pytest.raises(ConfigError, match="an example must be exact"):
        page(tmp_path / "gpt2-xl")
