"""The class tables: what transformers declares for each model_type, and how families are completed with them."""

import json
from pathlib import Path

import pytest

import flopsheet
import flopsheet.configs.classes
from flopsheet import Family
from flopsheet.configs.classes import class_table, complete_family, find_undeclared

FOLDER = Path(flopsheet.configs.classes.__file__).with_name("classes")
TABLES = sorted(path.stem for path in FOLDER.glob("*.json"))
WINDOWED = Family("mistral", "dense", hints={"unfilled": ["vocab_size"]})


def test_every_table_is_whole_and_sorted():
    """It has a config's class, classes and defaults, and is written as the generator writes it."""
    for name in TABLES:
        table = class_table(name)
        assert table.config.endswith("Config"), name
        assert table.defaults, name
        text = (FOLDER / f"{name}.json").read_text("utf-8")
        assert text == json.dumps(json.loads(text), indent=1, sort_keys=True) + "\n", name


def test_there_is_a_table_for_each_language_model():
    """Causal, sequence-to-sequence, masked-word and image-text types, and what stands inside them."""
    assert len(TABLES) >= 360
    assert class_table("qwen2_5_vl").text == "qwen2_5_vl_text"
    assert {"llama", "gpt2", "t5", "bart", "bert", "xlm-roberta", "whisper", "deepseek_v3"} <= set(TABLES)


@pytest.mark.parametrize("name", ["no_such_type", "../irrelevant", "", "a/b", ".", "t" * 9999])
def test_other_types_have_none(name):
    """Neither do names that are paths."""
    assert class_table(name) is None


def test_defaults_are_declared_ones():
    """What a class derives from other fields is open in its table."""
    assert class_table("llama").defaults["num_key_value_heads"] is None
    assert class_table("gpt2").attribute_map["hidden_size"] == "n_embd"


def test_a_field_takes_the_name_that_the_architecture_reads():
    """GPT-2 declares n_embd and knows it as hidden_size; both stand for one field."""
    family = complete_family(Family("gpt2", "dense"), {"hidden_size"}, ())
    assert family.rename["n_embd"] == "hidden_size"
    assert family.defaults["hidden_size"] == 768


def test_an_alias_goes_to_the_field_where_that_is_read():
    """Mixtral declares num_local_experts, which the architecture reads, and knows it as num_experts."""
    family = complete_family(Family("mixtral", "moe"), {"num_local_experts"}, ())
    assert family.rename == {"num_experts": "num_local_experts"}


def test_the_familys_own_words_win():
    """A default or a name of the family stands over the table's."""
    family = complete_family(Family("gpt2", "dense", rename={"n_embd": "width"}, defaults={"width": 8}), {"width"}, ())
    assert family.defaults["width"] == 8
    assert family.rename["hidden_size"] == "width"


def test_irrelevant_aliases_are_not_followed():
    """Two fields that change no count may contradict each other."""
    assert "attention_probs_dropout_prob" not in complete_family(Family("led", "x"), (), ["attention_dropout"]).rename


def test_some_fields_are_never_filled():
    """Where absence says something, absent stays absent; so does what the class leaves open."""
    defaults = complete_family(WINDOWED, {"hidden_size"}, ()).defaults
    assert {"sliding_window", "vocab_size", "head_dim"}.isdisjoint(defaults)
    assert defaults["num_key_value_heads"] == 8


def test_classes_come_from_the_table():
    """The language model first, then the base, which has no head, and what has a head of labels."""
    classes = complete_family(Family("olmo2", "dense"), (), ()).classes
    scored = {"has_head": 0, "n_other_matrices": "num_labels * d_model"}
    assert list(classes.items()) == [
        ("Olmo2ForCausalLM", {}),
        ("Olmo2Model", {"has_head": 0}),
        ("Olmo2ForSequenceClassification", scored),
    ]
    assert next(iter(complete_family(Family("bart", "encdec"), (), ()).classes)) == "BartForConditionalGeneration"
    assert complete_family(Family("olmo2", "dense", classes={"Mine": {}}), (), ()).classes == {"Mine": {}}


def test_a_type_without_a_table_stays_as_it_is():
    """A third party's type has only what its family says."""
    family = Family("stranger", "dense", defaults={"hidden_size": 8})
    assert complete_family(family, {"hidden_size"}, ()) is family
    assert find_undeclared(family, {"hidden_size"}) == frozenset()


def test_fields_that_the_class_does_not_have_are_named():
    """Unless the family knows that the class looks at them."""
    assert find_undeclared(Family("gpt2", "dense"), {"head_dim", "hidden_size", "n_embd"}) == {"head_dim"}
    assert find_undeclared(Family("gpt2", "dense", hints={"reads": ["head_dim"]}), {"head_dim"}) == frozenset()


def test_a_field_of_another_type_is_never_counted():
    """GPT-2's class ignores head_dim, so it must not change the count in silence."""
    plain = {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2}
    model = flopsheet.evaluate(plain | {"head_dim": 32})
    assert model.problems == ["field head_dim = 32 is not understood: it may change the count"]
    assert model.totals["parameters"] == flopsheet.evaluate(plain).totals["parameters"]


def test_a_field_equal_to_its_class_default_is_fine():
    """One that differs from it, and that nothing reads, is a problem."""
    plain = {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2}
    assert flopsheet.evaluate(plain | {"add_cross_attention": False}).status == "ok"
    assert flopsheet.evaluate(plain | {"add_cross_attention": True}).status == "approximate"
