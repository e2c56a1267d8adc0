"""From a config to a model: every rule of status, with its reason."""

import json
from enum import Enum
from importlib.metadata import entry_points

import pytest
from msgspec.structs import replace
from toy_plugins import MATRIX, PRODUCT, WIDTH, Point, plugin

import flopsheet
from flopsheet import Architecture, Dimension, Family, Reading
from flopsheet.configs.model import Published
from flopsheet.configs.reading import read_config, read_dimensions
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load, load_from
from flopsheet.planning.costing import cost

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "vocab_size": 101,
}
MATRICES = 3 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 96)
LLAMA_PARAMETERS = MATRICES + 2 * 101 * 64 + (2 * 3 + 1) * 64
MIXTRAL = LLAMA | {
    "architectures": ["MixtralForCausalLM"],
    "model_type": "mixtral",
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
}
MISTRAL = LLAMA | {"architectures": ["MistralForCausalLM"], "model_type": "mistral"}
DEEPSEEK = {
    "architectures": ["DeepseekV3ForCausalLM"],
    "model_type": "deepseek_v3",
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "num_nextn_predict_layers": 1,
}


def evaluated(config, **changes):
    """Return a config's model with some fields changed; None takes a field away."""
    changed = {key: value for key, value in (config | changes).items() if value is not None}
    return flopsheet.evaluate(changed)


def test_a_plain_config_is_ok():
    """Nothing is left to say of it."""
    model = evaluated(LLAMA)
    assert (model.status, model.problems, model.notes) == ("ok", [], [])
    assert model.totals["parameters"] == LLAMA_PARAMETERS


OK = {
    "a field at its class default": {"attention_bias": False, "mlp_bias": False},
    "a field that is null": {"n_adapters": None},
    "a field that changes no count": {"rope_theta": 1e6, "initializer_range": 0.1},
    "a head size that is said": {"head_dim": 16},
}


@pytest.mark.parametrize("fields", OK.values(), ids=OK)
def test_fields_that_leave_the_count_exact(fields):
    """The count is the plain one, and ok."""
    model = flopsheet.evaluate(LLAMA | fields)
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == LLAMA_PARAMETERS


@pytest.mark.parametrize("fields", [{"adapter_rank": 8}, {"use_extra_norm": False}, {"sliding_window": 128}])
def test_an_unread_field_makes_the_count_approximate(fields):
    """Each field is named with its value; the number is still given."""
    model = evaluated(LLAMA, **fields)
    ((name, value),) = fields.items()
    assert model.status == "approximate"
    assert model.problems == [f"field {name} = {value!r} is not understood: it may change the count"]
    assert model.totals["parameters"] == LLAMA_PARAMETERS


def test_an_unknown_class_makes_the_count_approximate():
    """A classifier has another head; the language model is counted in its place."""
    model = evaluated(LLAMA, architectures=["LlamaForRewardModel"])
    assert model.status == "approximate"
    assert model.problems == ["class LlamaForRewardModel is not known: counted as LlamaForCausalLM"]


@pytest.mark.parametrize("classes", [None, []])
def test_an_absent_class_is_a_note(classes):
    """The type's causal language model is counted."""
    model = evaluated({key: value for key, value in LLAMA.items() if key != "architectures"}, architectures=classes)
    assert (model.status, model.notes) == ("ok", ["the config names no class: counted as LlamaForCausalLM"])
    assert model.totals["parameters"] == LLAMA_PARAMETERS


@pytest.mark.parametrize(
    "classes", [[{}], [["LlamaForCausalLM"]], [None], [7], "LlamaForCausalLM", {"a": 1}], ids=json.dumps
)
def test_a_class_that_is_no_name_is_no_crash(classes):
    """Whatever stands in `architectures`, the model is counted as the type's class and something is said."""
    model = evaluated(LLAMA, architectures=classes)
    assert model.problems or model.notes
    assert model.totals["parameters"] == LLAMA_PARAMETERS


@pytest.mark.parametrize("config", [LLAMA, MIXTRAL], ids=["llama", "mixtral"])
def test_a_class_names_the_type_of_a_config_without_one(config):
    """Old and foreign configs name their class alone; it is one type's, and a note says so."""
    model = evaluated({key: value for key, value in config.items() if key != "model_type"})
    assert (model.status, model.totals) == ("ok", evaluated(config).totals)
    assert f"model_type is not given: {config['model_type']} by its class" in model.notes[0]


def test_a_class_without_head_has_none():
    """`LlamaModel` ends at its last norm."""
    model = evaluated(LLAMA, architectures=["LlamaModel"])
    assert model.status == "ok"
    assert model.totals["parameters"] == LLAMA_PARAMETERS - 101 * 64
    assert model.groups["parameters"]["lm_head"] == 0


def test_a_missing_field_takes_the_class_default_and_says_so():
    """Absent is not null: each type knows the default of its class."""
    model = evaluated(LLAMA, num_hidden_layers=None, vocab_size=None)
    assert model.status == "ok"
    assert model.notes == ["not in the config, class defaults taken: num_hidden_layers = 32, vocab_size = 32000"]
    assert model.dimensions["n_layers"] == 32


@pytest.mark.parametrize("model_type", ["qwen3_next", "rwkv"], ids=["kinds of layers", "read without a function"])
def test_more_layers_than_memory_holds_are_refused(model_type):
    """Layers are listed one by one in many places; a huge number is an error and takes no memory."""
    model = read_config(load(), {"model_type": model_type, "num_hidden_layers": 2**53 + 1})
    assert model.errors == ("num_hidden_layers = 9007199254740993: at most 100,000 layers are read",)


def test_null_is_not_the_class_default():
    """DeepSeek's null rank means full queries, an absent one the class's rank of 1536."""
    null, absent = flopsheet.evaluate(DEEPSEEK | {"q_lora_rank": None}), evaluated(DEEPSEEK)
    assert (null.dimensions["q_rank"], absent.dimensions["q_rank"]) == (0, 1536)


def test_null_of_a_field_that_is_needed_is_an_error():
    """There is nothing to count with."""
    model = flopsheet.evaluate(LLAMA | {"hidden_size": None})
    assert model.status == "error"
    assert "hidden_size = null has a wrong type: a whole number is expected" in model.problems[0]


def test_quantized_weights_are_a_note():
    """Parameters and FLOP stay what they are."""
    model = evaluated(LLAMA, quantization_config={"quant_method": "fp8", "bits": 8})
    assert model.status == "ok"
    assert model.totals["parameters"] == LLAMA_PARAMETERS
    (note,) = model.notes
    assert "stored quantized (fp8)" in note


@pytest.mark.parametrize(("layers", "noted"), [(1, True), (0, False), (None, False)])
def test_multi_token_prediction_is_a_note(layers, noted):
    """Its layers are in no class; the count leaves them out."""
    model = evaluated(DEEPSEEK, num_nextn_predict_layers=layers)
    assert model.status == "ok"
    assert any("multi-token prediction layers are not counted" in note for note in model.notes) == noted


def test_a_context_beyond_the_maximum_is_a_note():
    """The sums are right, the model was not made for it."""
    model = flopsheet.evaluate(LLAMA, context=512, seq_len=300)
    assert model.status == "ok"
    assert model.notes == [
        "seq_len = 300 is beyond the model's maximum of 256",
        "context = 512 is beyond the model's maximum of 256",
    ]


WINDOWS = {
    "all layers": ({"sliding_window": 32}, 3 * 31),
    "null": ({"sliding_window": None}, 3 * 256),
    "wider than the context": ({"sliding_window": 1000}, 3 * 256),
}


@pytest.mark.parametrize(("fields", "columns"), WINDOWS.values(), ids=WINDOWS)
def test_windows_bound_the_cache(fields, columns):
    """A window layer keeps one token less than its window, or the context where that is shorter."""
    model = flopsheet.evaluate(MISTRAL | fields)
    assert model.status == "ok"
    assert model.totals["kv_cache_bytes"] == 2 * 2 * 2 * 16 * columns


ERRORS = {
    "heads do not share keys evenly": (LLAMA, {"num_key_value_heads": 3}, "multiple of key/value heads"),
    "width is no multiple of heads": (
        LLAMA,
        {"num_attention_heads": 5, "num_key_value_heads": 5},
        "hidden_size = 64 must be a multiple of num_attention_heads = 5",
    ),
    "more experts used than there are": (MIXTRAL, {"num_experts_per_tok": 9}, "more experts than there are"),
    "zero layers": (LLAMA, {"num_hidden_layers": 0}, "n_layers = 0 is out of range"),
    "negative width": (LLAMA, {"hidden_size": -64}, "hidden_size = -64 is out of range"),
    "not a number": (LLAMA, {"hidden_size": float("nan")}, "hidden_size = nan has a wrong type"),
    "infinite": (LLAMA, {"hidden_size": float("inf")}, "hidden_size = inf has a wrong type"),
    "half a layer": (LLAMA, {"num_hidden_layers": 2.5}, "num_hidden_layers = 2.5 has a wrong type"),
    "huge": (LLAMA, {"hidden_size": 10**400}, "is out of range"),
    "text": (LLAMA, {"hidden_size": "64"}, "hidden_size = '64' has a wrong type: a whole number"),
    "truth value": (LLAMA, {"num_hidden_layers": True}, "num_hidden_layers = True has a wrong type"),
    "a whole number as a decimal": (LLAMA, {"hidden_size": 64.0}, "hidden_size = 64.0 has a wrong type"),
    "activation": (LLAMA, {"hidden_act": "no_such"}, "hidden_act = 'no_such' is not an activation"),
    "padding": (LLAMA, {"pad_token_id": 101}, "pad_token_id = 101 is outside the vocabulary"),
    "share": (LLAMA, {"attention_dropout": 1.5}, "attention_dropout = 1.5 is not a share"),
    "rotary scaling": (LLAMA, {"rope_scaling": "linear"}, "rope_scaling = 'linear' has a wrong type"),
    "list": (LLAMA, {"num_hidden_layers": [3, 3]}, "num_hidden_layers = [3, 3] has a wrong type"),
    "flag of three": (LLAMA, {"attention_bias": 3}, "attention_bias = 3 has a wrong type: true or false"),
    "neither type nor class": (
        LLAMA,
        {"model_type": None, "architectures": None},
        "the config has no model_type; is it a transformers config.json?",
    ),
    "a class of no type": (LLAMA, {"model_type": None, "architectures": ["AForCausalLM"]}, "has no model_type"),
    "no text as model_type": (LLAMA, {"model_type": ["llama"]}, "model_type = ['llama']: a text is expected"),
    "packed": ({}, {"text_config": LLAMA}, "the config has no model_type, only its text_config has one"),
    "unknown type": (LLAMA, {"model_type": "lama"}, "'lama' is not supported; did you mean 'llama'?"),
    "layers of windows without end": (
        MISTRAL,
        {"num_hidden_layers": 10**18, "sliding_window": 8},
        "at most 100,000 layers are read",
    ),
    "kinds of layers that are numbers": (
        LLAMA | {"model_type": "gemma2"},
        {"layer_types": [1, [2]], "sliding_window": 8},
        "layer_types = [1, [2]] has a wrong type: a list (each a text) or null is expected",
    ),
    "two fields of one meaning": (
        {"model_type": "gpt2", "n_embd": 64, "hidden_size": 32},
        {},
        "n_embd = 64 contradicts hidden_size = 32; leave one out",
    ),
    "rank of no width": ({"model_type": "mamba"}, {"hidden_size": "wide"}, "hidden_size = 'wide' has a wrong type"),
    "heads of no state": (
        {"model_type": "mamba2", "num_heads": 7},
        {},
        "their size must be the inner width",
    ),
}


@pytest.mark.parametrize(("config", "fields", "reason"), ERRORS.values(), ids=ERRORS)
def test_what_cannot_be_counted_is_an_error_with_its_reason(config, fields, reason):
    """There are no totals then, and no traceback."""
    model = evaluated(config, **fields)
    assert model.status == "error"
    assert reason in "\n".join(model.problems)
    assert (model.totals, model.lines, model.dimensions) == ({}, [], {})


def test_all_missing_dimensions_are_told_at_once():
    """A planner who describes a model sees everything that is missing."""
    model = cost(load(), read_dimensions(load(), "dense", {"n_layers": 2, "n_heads": 4}))
    assert [problem.split()[0] for problem in model.problems] == ["d_model", "vocab_size"]


def test_unknown_dimensions_are_errors_with_a_suggestion():
    """A misspelled name would otherwise be a default taken in silence."""
    model = read_dimensions(load(), "dense", {"n_layer": 2})
    assert model.errors == ("dimensions.n_layer: unknown; did you mean 'n_layers'?",)


def test_an_unknown_architecture_is_an_error():
    """It is told with a suggestion too."""
    assert "no plugin has an architecture 'dnese'" in read_dimensions(load(), "dnese", {}).errors[0]


STRANGER = {**LLAMA, "model_type": "stranger", "architectures": ["StrangerForCausalLM"]}


def borrowed(path, **arguments):
    """Return the model of a config at a path that is read as another type."""
    return cost(load(), load_model(load(), path, **{"read_as": "llama"} | arguments))


@pytest.fixture
def stranger(tmp_path):
    """Return the path of a config whose type nobody claims and whose class is Llama's."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(STRANGER | {"architectures": ["LlamaForCausalLM"]}), "utf-8")
    return path


def test_a_borrowed_reading_is_approximate(stranger):
    """Nothing confirms that the type works like the other."""
    model = borrowed(stranger)
    assert model.status == "approximate"
    assert model.problems == [
        "model_type 'stranger' is read as 'llama' and no weights' index or published count confirms the count"
    ]
    assert model.totals["parameters"] == LLAMA_PARAMETERS


@pytest.mark.parametrize(("stored", "status"), [(LLAMA_PARAMETERS, "ok"), (LLAMA_PARAMETERS + 64, "approximate")])
def test_a_borrowed_reading_is_ok_if_the_weights_tie_out(stranger, stored, status):
    """The index beside the config says how many parameters there are."""
    index = {"metadata": {"total_parameters": stored}, "weight_map": {}}
    stranger.with_name("model.safetensors.index.json").write_text(json.dumps(index), "utf-8")
    assert borrowed(stranger).status == status


def test_a_borrowed_reading_may_rename_fields(tmp_path):
    """The type's own field names are mapped to the other's."""
    config = {key: value for key, value in STRANGER.items() if key != "hidden_size"} | {"n_embd": 64}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    assert borrowed(path, rename={"n_embd": "hidden_size"}).totals["parameters"] == LLAMA_PARAMETERS


def test_reading_a_type_as_itself_borrows_nothing():
    """`read_as` with the config's own type changes nothing."""
    assert read_config(load(), LLAMA, read_as="llama").read_as == ""
    assert cost(load(), read_config(load(), LLAMA, read_as="llama")).status == "ok"


def test_a_borrowed_class_is_no_doubt_once_a_count_confirms_the_reading(tmp_path):
    """A type read as another is ok when its published count ties out, whatever its class is called."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA | {"model_type": "sparrow", "architectures": ["SparrowForCausalLM"]}), "utf-8")
    host = load()
    model = load_model(host, path, read_as="llama")
    count = flopsheet.evaluate(LLAMA).totals["parameters"]
    assert cost(host, replace(model, published=Published(count))).status == "ok"
    assert cost(host, replace(model, published=Published(count + 1))).status == "approximate"


def test_a_width_that_is_no_number_is_told_as_such():
    """NaN differs from itself, but does not contradict itself."""
    model = flopsheet.evaluate({"model_type": "gpt2", "n_embd": float("nan")})
    assert model.status == "error"
    assert model.problems == ["n_embd = nan has a wrong type: a whole number is expected"]


def test_a_model_type_of_any_length_gives_a_short_message():
    """A message shows the start of a name, not forty thousand characters."""
    model = flopsheet.evaluate({"model_type": "x" * 40_000})
    assert model.status == "error"
    assert all(len(problem) < 300 for problem in model.problems)


def test_reading_compiles_no_formula():
    """Reading needs dimensions only; the ledger is built when a model is costed."""
    host = load_from(sorted(entry_points(group="flopsheet")))
    models = [read_config(host, config) for config in (LLAMA, MIXTRAL, DEEPSEEK)]
    assert [model.errors for model in models] == [(), (), ()]
    assert host.ledgers == {}


def test_a_required_null_is_an_error_without_a_note_that_contradicts_it():
    """The class default does not take the place of null, so nothing says that it does."""
    model = flopsheet.evaluate(LLAMA | {"num_hidden_layers": None})
    assert model.problems == ["num_hidden_layers = null has a wrong type: a whole number is expected"]
    assert model.notes == []


def test_a_class_default_that_a_setting_replaces_is_not_reported_as_taken():
    """The note lists the values that were counted."""
    config = {key: value for key, value in LLAMA.items() if key not in ("num_hidden_layers", "vocab_size")}
    model = flopsheet.evaluate(config, n_layers=2)
    assert model.notes == ["not in the config, class defaults taken: vocab_size = 32000"]


ORDER = {
    "a setting": ({"depth": 9}, {"n_depth": 2}, [], 9),
    "what read says": ({}, {"n_depth": 2, "read_depth": 3}, [], 3),
    "the config's field": ({}, {"n_depth": 2}, [], 2),
    "the class default": ({}, {}, [], 4),
    "what the counted class fixes": ({}, {}, ["n_depth"], 5),
    "what the type fixes": ({}, {}, ["n_depth", "classes"], 6),
    "the dimension's default": ({}, {}, ["n_depth", "classes", "values"], 7),
}
"""Where a dimension's value comes from, the first first: settings, fields, sources that are taken away, the value."""


@pytest.mark.parametrize(("settings", "fields", "without", "value"), ORDER.values(), ids=ORDER)
def test_the_order_of_defaults(settings, fields, without, value):
    """Each source wins over those below it."""
    sources = {"classes": {"ToyModel": {"depth": 5}}, "values": {"depth": 6}, "defaults": {"n_depth": 4}}
    if "values" not in without and "classes" not in without:
        sources.pop("values")  # a value that the type fixes is read from no field
    kept = {key: value for key, value in sources.items() if key not in without}
    if "n_depth" in without:
        kept.pop("defaults", None)
    depth = Dimension("depth", "Depth", keys=("n_depth",), default=7)

    def read(config, _):
        said = {"depth": config["read_depth"]} if "read_depth" in config else {}
        return Reading(values=said, keys={"read_depth"})

    architecture = Architecture("toy", "Toy", "One matrix", (WIDTH, depth), read=read)
    host = load_from(
        [
            Point(
                "toys",
                plugin(
                    architectures=[architecture],
                    families=[Family("toy", "toy", **kept)],
                    parameters=[MATRIX],
                    flops=[PRODUCT],
                ),
            )
        ]
    )
    model = cost(host, read_config(host, {"model_type": "toy", "hidden_size": 3} | fields), settings)
    assert (model.problems, model.dimensions["depth"]) == ([], value)


FIXED = {
    "another number": ({"n_depth": 3}, ["n_depth = 3", "depth = 6 was counted"]),
    "the same number": ({"n_depth": 6}, []),
    "a field that changes no count": ({"n_old_depth": 3}, []),
}


@pytest.mark.parametrize(("fields", "said"), FIXED.values(), ids=FIXED)
def test_a_field_that_contradicts_what_the_type_fixes_makes_the_count_approximate(fields, said):
    """The type's number is counted, and the config's is named next to it."""
    depth = Dimension("depth", "Depth", keys=("n_depth", "n_old_depth"), default=7)
    family = Family("toy", "toy", values={"depth": "2 * width"}, irrelevant=("n_old_depth",))
    toy = Architecture("toy", "Toy", "One matrix", (WIDTH, depth))
    toys = plugin(architectures=[toy], families=[family], parameters=[MATRIX], flops=[PRODUCT])
    host = load_from([Point("toys", toys)])
    model = cost(host, read_config(host, {"model_type": "toy", "hidden_size": 3} | fields))
    assert model.dimensions["depth"] == 6
    assert len(model.problems) == bool(said)
    assert all(text in model.problems[0] for text in said)


@pytest.mark.parametrize(
    "error", [AttributeError("no such thing"), RecursionError("too deep"), SystemExit(3)], ids=repr
)
def test_whatever_a_reader_raises_is_the_models_error(error):
    """It names the plugin, and the batch goes on."""

    def read(*_):
        raise error

    architecture = Architecture("toy", "Toy", "One matrix", (WIDTH,), read=read)
    host = load_from([Point("toys", plugin(architectures=[architecture], families=[Family("toy", "toy")]))])
    (reason,) = read_config(host, {"model_type": "toy", "hidden_size": 3}).errors
    text = f"plugin toys (package-toys 1.0) failed on the config: {type(error).__name__}: {error}"
    assert reason.startswith(f"{text} (tests/test_reading.py, line ")


def test_fields_without_names_are_an_error():
    """JSON has none, a dictionary of Python may."""
    model = flopsheet.evaluate(LLAMA | {None: 4})
    assert model.problems == ["field null: names of fields must be text"]


def test_numbers_that_transformers_saves_as_tables_are_read(tmp_path):
    """Version 5 writes the unlimited time step of every Mamba-2 so, since JSON has no infinity."""
    config = {"model_type": "mamba2", "num_hidden_layers": 2, "time_step_limit": [0.0, {"__float__": "Infinity"}]}
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config), "utf-8")
    assert [flopsheet.evaluate(given).problems for given in (file, config)] == [[], []]


def test_a_dictionary_of_transformers_is_read_as_its_json():
    """Whole numbers name the labels of every `config.to_dict()`, and a member of an enumeration the quantization."""
    method = Enum("Method", {"BITS_AND_BYTES": "bitsandbytes"}, type=str).BITS_AND_BYTES
    labels = {"id2label": {0: "LABEL_0", 1: "LABEL_1"}}
    assert flopsheet.evaluate(LLAMA | labels).status == "ok"
    assert (
        flopsheet.evaluate(LLAMA | {"quantization_config": {"quant_method": method, "load_in_4bit": True}}).status
        == "ok"
    )
