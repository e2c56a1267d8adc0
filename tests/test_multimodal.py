"""Multimodal models: parameters of the class that transformers builds, and what images and sound cost.

`data/towers.json` has the class and the parameters of each type at its class defaults, on torch's meta device
(transformers 5.23.0); `data/truth_multimodal.json`, which test_truth reads too, real configs.
"""

import json
from pathlib import Path

import pytest

import flopsheet
from flopsheet.accounting.line import TOWERS
from flopsheet.configs.classes import class_table
from flopsheet.configs.facts import Facts
from flopsheet.host.loading import load

DATA = Path(__file__).parent / "data"
DEFAULTS = json.loads((DATA / "towers.json").read_text("utf-8"))
LLAVA = {"model_type": "llava", "architectures": ["LlavaForConditionalGeneration"]}
TEXT = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
VISION = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4}
SMALL = LLAVA | {
    "text_config": TEXT | {"model_type": "llama", "vocab_size": 100, "tie_word_embeddings": False},
    "vision_config": VISION | {"model_type": "clip_vision_model", "image_size": 28, "patch_size": 7},
}


@pytest.mark.parametrize("model_type", DEFAULTS)
def test_parameters_at_class_defaults(model_type):
    """A config that says its type, class and what no default can be has the parameters that transformers builds."""
    row = DEFAULTS[model_type]
    model = flopsheet.evaluate({"model_type": model_type, "architectures": [row["class"]], **row.get("fields", {})})
    assert [text for text in model.problems if "neither depth nor width" not in text] == []
    assert model.totals["parameters"] == row["parameters"]


def test_text_costs_what_the_language_model_costs():
    """Without images a multimodal model has the FLOP of its language model alone."""
    alone = flopsheet.evaluate(SMALL["text_config"], seq_len=10).totals["flops_forward"]
    assert flopsheet.evaluate(SMALL, seq_len=10).totals["flops_forward"] == alone


def test_a_language_model_alone_has_no_lines_of_towers():
    """The ledger of a text model is as it was before towers came."""
    model = flopsheet.evaluate(SMALL["text_config"])
    assert model.model.architecture == "dense"
    assert not [line for line in model.lines if line["group"] in (*TOWERS, "projector")]


def test_an_image_costs_a_pass_through_its_tower():
    """16 patches and a class token pass three layers, and the patches two matrices of the projector."""
    plain, seen = (flopsheet.evaluate(SMALL, seq_len=32, images=images) for images in (0, 2))
    layers = 3 * (4 * 32 * 32 + 2 * 32 * 48)
    stem, core = 16 * 3 * 49 * 32, 3 * 2 * 17 * 17 * 32
    projector = 16 * (32 * 64 + 64 * 64)
    more = seen.totals["flops_forward"] - plain.totals["flops_forward"]
    assert more == 2 * 2 * (stem + 17 * layers + core + projector)
    assert seen.numbers["vision_outputs"] == 32
    assert seen.totals["flops_decode_step"] == plain.totals["flops_decode_step"]
    assert seen.totals["flops_prefill"] - plain.totals["flops_prefill"] == more


def test_towers_take_memory():
    """The weights of a tower are read like all others."""
    model = flopsheet.evaluate(SMALL)
    assert model.totals["weights_bytes"] == 2 * model.totals["parameters"]
    assert model.groups["parameters"]["vision"] > 0


def test_frozen_towers_take_no_gradients():
    """Their weights are not trained, and nothing runs backward through them; the projector is trained."""
    model, frozen = (flopsheet.evaluate(SMALL, images=1, towers_frozen=share) for share in (0, 1))
    vision = model.groups["flops"]["vision"]
    assert model.totals["flops_training_step"] - frozen.totals["flops_training_step"] == 2 * vision
    assert frozen.totals["parameters_trained"] == model.totals["parameters"] - model.groups["parameters"]["vision"]
    assert model.totals["flops_training_step"] == 3 * model.totals["flops_forward"]


def test_half_frozen_with_frozen_weights_elsewhere():
    """A share of all weights and a share of the towers are the larger of both for towers."""
    model = flopsheet.evaluate(SMALL, images=1, towers_frozen=0.5, frozen_share=0.75)
    assert model.totals["parameters_trained"] == model.totals["parameters"] * 0.25


def test_a_field_of_a_tower_that_nothing_reads_makes_the_model_approximate():
    """The field is named with the part that it stands in."""
    model = flopsheet.evaluate(SMALL | {"vision_config": SMALL["vision_config"] | {"num_registers": 4}})
    assert model.status == "approximate"
    assert any("vision_config" in problem and "num_registers" in problem for problem in model.problems)


def test_a_field_beside_the_parts_that_nothing_reads_makes_the_model_approximate():
    """A projector may depend on it."""
    model = flopsheet.evaluate(SMALL | {"projector_layers": 3})
    assert (model.status, len(model.problems)) == ("approximate", 1)
    assert "projector_layers" in model.problems[0]


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "gemma3n", "vision_config": {"num_classes": 2, "label_names": ["LABEL_0", "LABEL_1"]}},
        {"model_type": "deepseek_vl_hybrid", "high_res_vision_config": {"scale": 384}},
        {"model_type": "musicflamingo", "head_dim": 1280, "max_position_embeddings": 1200.0},
    ],
    ids=lambda config: config["model_type"],
)
def test_fields_that_transformers_saves_of_its_own_are_read(config):
    """Labels of no head, how weights are drawn, and turns of sound: checkpoints of these types are exact."""
    problems = flopsheet.evaluate(config).problems
    assert not [problem for problem in problems if "is not understood" in problem]


def test_a_tower_that_nobody_reads_is_named():
    """The rest of the model is counted."""
    model = flopsheet.evaluate(SMALL | {"vision_config": {"model_type": "swin"}})
    assert model.status in ("approximate", "error")
    assert any("swin" in problem or "vision" in problem for problem in model.problems)


def test_a_tower_is_no_model():
    """Its config alone is refused by its name."""
    model = flopsheet.evaluate({"model_type": "clip_vision_model"})
    assert model.status == "error"
    assert "part of multimodal models" in model.problems[0]


def test_a_part_that_is_no_table_is_refused():
    """A number in the place of a tower's config is an error of the model that names the field."""
    model = flopsheet.evaluate(SMALL | {"vision_config": 7})
    assert model.status == "error"
    assert "vision_config = 7" in model.problems[0]


def test_the_model_without_a_head_is_smaller_by_its_head():
    """LlavaModel ends before the head."""
    headless = flopsheet.evaluate(SMALL | {"architectures": ["LlavaModel"]})
    assert headless.status == "ok"
    assert flopsheet.evaluate(SMALL).totals["parameters"] - headless.totals["parameters"] == 100 * 64


@pytest.mark.parametrize("model_type", ["mistral_large4_text", "dots3_note_text", "glm5_next_text", "inkling_text"])
def test_a_text_model_alone_has_no_head(model_type):
    """A checkpoint of the stack alone, as MistralLarge4TextModel saves it, holds no output head."""
    model = flopsheet.evaluate({"model_type": model_type, "architectures": [class_table(model_type).classes["base"]]})
    assert model.dimensions["has_head"] == 0


def test_an_unknown_class_is_told():
    """It may have other parts."""
    model = flopsheet.evaluate(SMALL | {"architectures": ["LlavaForRetrieval"]})
    assert (model.status, "LlavaForRetrieval" in model.problems[0]) == ("approximate", True)


@pytest.mark.parametrize("classes", ["NoSuchModel", {"a": 1}, 7, [7]], ids=str)
def test_a_class_that_is_no_name_in_a_list_is_told(classes):
    """What is given and cannot be read is a problem, as for language models; only what is absent is a note."""
    model = flopsheet.evaluate(SMALL | {"architectures": classes})
    assert model.status == "approximate"
    assert "counted as LlavaForConditionalGeneration" in model.problems[0]


@pytest.mark.parametrize("classes", [None, []], ids=str)
def test_an_absent_class_is_a_note(classes):
    """The class with a head is counted."""
    model = flopsheet.evaluate(SMALL | {"architectures": classes})
    assert (model.status, model.problems) == ("ok", [])
    assert "the config names no class: counted as LlavaForConditionalGeneration" in model.notes


def test_a_tied_head_of_either_config_is_tied():
    """LLaVA ties its head where the language model's config says so, whatever its own says."""
    tied = SMALL | {"text_config": SMALL["text_config"] | {"tie_word_embeddings": True}}
    assert flopsheet.evaluate(tied).dimensions["tied_head"] == 1
    assert flopsheet.evaluate(SMALL).dimensions["tied_head"] == 0


def test_every_value_of_a_family_is_a_dimension():
    """A misspelled name in a table would be lost; `weights` of a part are what the model's own formulas sum."""
    host = load()
    ledgers = [host.ledger(host.join(language, "mm")) for language in ("dense", "encdec")]
    known = {dimension.name for ledger in ledgers for dimension in ledger.dimensions}
    prefixes = ("", "vision_", "detail_", "audio_", "resampler_", "listener_")
    unknown = []
    for model_type, (family, _) in list(host.families.items()):
        if family.architecture == "mm":
            table, whole = class_table(model_type), host.family(model_type)
            is_part = table.tower if table else "parts" not in whole.hints
            ways = prefixes[1:] if is_part else prefixes[:1]
            names = whole.values.keys() - {"weights"}
            unknown += [(model_type, name) for name in names if not any(way + name in known for way in ways)]
    assert unknown == []


def test_mixtures_of_experts_have_towers_too():
    """One ledger has the experts' lines and the tower's, once each."""
    model = flopsheet.evaluate({"model_type": "qwen3_vl_moe", "architectures": ["Qwen3VLMoeForConditionalGeneration"]})
    assert model.model.architecture == "moe_mm"
    names = [line["name"] for line in model.lines]
    assert {"experts_in", "vision_mlp"} <= {*names}
    assert len(names) == len({*names})
    assert model.totals["parameters_active"] < model.totals["parameters"]


def test_flop_of_a_tower_that_is_not_costed_are_refused():
    """Parameters of one that no picture can pass are exact; what its images cost is not guessed."""
    config = {"model_type": "florence2", "vision_config": {"num_groups": [4, 8, 16, 7]}}
    model = flopsheet.evaluate(config, images=1)
    assert model.status == "error"
    assert "FLOP of its vision tower are not counted" in model.problems[0]
    seen = flopsheet.evaluate(config)
    assert (seen.status, seen.problems) == ("ok", [])
    assert any("num_groups do not divide embed_dim: the class runs text, but no picture" in note for note in seen.notes)


def test_videos_that_take_another_way_than_images_are_refused():
    """Frames of LLaVA-NeXT-Video are pooled before they are projected."""
    config = {"model_type": "llava_next_video", "architectures": ["LlavaNextVideoForConditionalGeneration"]}
    assert flopsheet.evaluate(config, images=1, seq_len=4096).status == "ok"
    assert "FLOP of its videos" in flopsheet.evaluate(config, video_frames=2).problems[0]


def test_tiles_in_a_row_are_an_assumption_that_is_told():
    """Phi-4 writes a learned vector after each row, and how an image is cut is the processor's choice."""
    model = flopsheet.evaluate({"model_type": "phi4_multimodal"}, images=1, image_tiles=3, seq_len=8192)
    assert any("one row" in note for note in model.notes)
    assert not any("one row" in note for note in flopsheet.evaluate({"model_type": "phi4_multimodal"}).notes)


def test_a_clip_shorter_than_a_piece_is_told():
    """Qwen3-Omni's convolutions work on seconds: 13 positions each, and 8 for 0.6 seconds."""
    config = {"model_type": "qwen3_omni_moe_thinker", "text_config": {"head_dim": 128}}
    short = flopsheet.evaluate(config, audio_seconds=0.6)
    assert short.numbers["audio_clip"] == 8
    assert any("shorter than a piece" in note for note in short.notes)
    assert not any("shorter than a piece" in note for note in flopsheet.evaluate(config, audio_seconds=2).notes)


def test_a_tower_of_timm_is_known_by_its_name():
    """Another name, or arguments of its own, make the model approximate: transformers has no code of such towers."""
    config = {"model_type": "gemma3n", "architectures": ["Gemma3nForConditionalGeneration"]}
    assert flopsheet.evaluate(config).status == "ok"
    for changed, reason in (
        ({"architecture": "mobilenetv9"}, "'mobilenetv9'"),
        ({"model_args": {"in_chans": 1}}, "timm may"),
    ):
        model = flopsheet.evaluate(config | {"vision_config": changed})
        assert model.status == "approximate"
        assert any(reason in problem for problem in model.problems)


def test_changed_towers_have_the_parameters_of_their_class():
    """Random changes of fields of towers and projectors give what transformers builds, or are not called ok."""
    pytest.importorskip("transformers")
    tower_oracle = pytest.importorskip("tower_oracle")
    results = [(config, reason) for config, said, reason in tower_oracle.run(40, "test") if said == "differs"]
    assert results == []


CONFIGS = {each["id"]: each["config"] for each in json.loads((DATA / "tower_flops.json").read_text("utf-8"))}
WIDE_TEXT = {"text_config": CONFIGS["idefics2"]["text_config"] | {"hidden_size": 65}}
WIDE_SOUND = {"audio_config": CONFIGS["phi4_multimodal sound"]["audio_config"] | {"ext_pw_out_channel": 56}}


@pytest.mark.parametrize(
    ("name", "changes", "parameters"),
    [("idefics2", WIDE_TEXT, 355_204), ("phi4_multimodal sound", WIDE_SOUND, 25_919_992)],
)
def test_widths_that_follow_others(name, changes, parameters):
    """Idefics2's resampler is as wide as its text; Phi-4's convolutions end at the tower's width: as built."""
    model = flopsheet.evaluate(CONFIGS[name] | changes)
    assert (model.status, model.totals["parameters"]) == ("ok", parameters)


ADAPTOR = CONFIGS["fun_asr_nano"]["adaptor_config"]


@pytest.mark.parametrize(
    ("changes", "reason"), [({"hidden_size": 32}, "must be the text's"), ({"intermediate_size": 32}, "a quarter")]
)
def test_an_adaptor_that_does_not_fit_its_text_is_an_error(changes, reason):
    """Transformers refuses it."""
    model = flopsheet.evaluate(CONFIGS["fun_asr_nano"] | {"adaptor_config": ADAPTOR | changes})
    assert model.status == "error"
    assert reason in model.problems[0]


LISTS = Facts({"kinds": ["conv", "full_attention", "conv"], "wide": [2, 5, 5, 9, -1], "depth": 9, "none": None})


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("kinds_with_conv", 2),
        ("kinds_with_mamba", 0),
        ("none_with_conv", 0),
        ("kinds_count", 3),
        ("wide_below_depth", 2),
    ],
)
def test_formulas_count_what_lists_hold(name, number):
    """Words of a list, and different indexes below a number of layers."""
    assert LISTS.get(name) == number


def test_indexes_that_are_no_numbers_say_nothing():
    """A formula that needs them is refused."""
    assert LISTS.get("kinds_below_depth") is None


def test_layers_that_see_images_run_only_where_there_are_images():
    """Mllama passes over them in a pass of text alone, and keeps no keys of images."""
    config = {"model_type": "mllama", "architectures": ["MllamaForConditionalGeneration"]}
    plain, seen = (flopsheet.evaluate(config, seq_len=16, images=images) for images in (0, 1))
    assert plain.numbers["image_mlp_in_flops"] == plain.numbers["image_queries_and_out_flops"] == 0
    assert seen.numbers["image_mlp_in_flops"] == 2 * 16 * 8 * 2 * 4096 * 14336
    assert seen.numbers["image_mlp_out_flops"] == 2 * 16 * 8 * 4096 * 14336
    assert seen.numbers["image_kv_cache"] == 2 * 2 * 8 * 8 * 128 * 4 * 1025
    assert plain.totals["kv_cache_bytes"] + seen.numbers["image_kv_cache"] == seen.totals["kv_cache_bytes"]


def test_a_picture_smaller_than_a_patch_is_told():
    """The tower's convolution refuses it; the class runs text alone."""
    tower = CONFIGS["gemma3"]["vision_config"]
    notes = [
        flopsheet.evaluate(
            CONFIGS["gemma3"] | {"mm_tokens_per_image": 1, "vision_config": tower | {"image_size": size}}
        ).notes
        for size in (8, 16)
    ]
    assert ["image_size of a tower is smaller than a patch" in " ".join(said) for said in notes] == [True, False]


def test_a_tower_without_a_row_for_its_first_patch_is_told():
    """KOSMOS-2.5 counts rows of patches from 1: with one patch it runs text alone."""
    tower = CONFIGS["kosmos-2.5"]["vision_config"]
    notes = [
        flopsheet.evaluate(CONFIGS["kosmos-2.5"] | {"vision_config": tower | {"max_num_patches": count}}).notes
        for count in (1, 2)
    ]
    assert ["but no picture or sound" in " ".join(said) for said in notes] == [True, False]


@pytest.mark.parametrize(
    ("name", "parameters", "step", "cache"),
    [
        ("BlipForConditionalGeneration", 261_256, 290_048, 9_984),
        ("BlipForQuestionAnswering", 452_312, 280_832, 5_376),
        ("BlipForImageTextRetrieval", 258_058, 0, 0),
        ("BlipModel", 263_089, 0, 0),
    ],
)
def test_each_class_of_blip_has_stacks_of_its_own(name, parameters, step, cache):
    """Parameters, FLOP of the next token and what the cache holds, as measured of transformers 5.23.0.

    The captioner's decoder keeps the picture; an answerer's encoder looks at it once, its decoder keeps the question.
    """
    config = CONFIGS["blip"] | {"architectures": [name], "projection_dim": 20, "image_text_hidden_size": 12}
    target = 5 if name == "BlipForQuestionAnswering" else 9
    lengths = {"seq_len": 9, "target_len": target, "images": 1, "kv_dtype_bytes": 1}
    kept, next_one = (flopsheet.evaluate(config, **lengths, context=target + more) for more in (0, 1))
    assert (kept.status, kept.totals["parameters"]) == ("ok", parameters)
    assert (next_one.totals["flops_decode_step"], kept.totals["kv_cache_bytes"]) == (step, cache)


def test_a_language_model_without_its_image_layers_is_approximate():
    """The config of Mllama's language model alone has layers that see images."""
    model = flopsheet.evaluate({"model_type": "mllama_text_model"})
    assert model.status == "approximate"
    assert "cross_attention_layers" in model.problems[0]


def test_experts_for_pictures_are_not_active_in_text():
    """ERNIE 4.5 VL has as many of them as for text; a token of text passes neither them nor their router."""
    model = flopsheet.evaluate(
        {"model_type": "ernie4_5_vl_moe", "architectures": ["Ernie4_5_VLMoeForConditionalGeneration"]}
    )
    assert model.numbers["picture_experts_weights"] == 27 * 64 * 3 * 2560 * 512
    idle = 27 * 64 * (3 * 2560 * 512 + 2561) + 27 * 58 * 3 * 2560 * 1536
    assert model.totals["parameters"] - model.totals["parameters_active"] == idle
    alone = flopsheet.evaluate({"model_type": "ernie4_5_vl_moe_text"})
    assert (alone.status, "experts for pictures" in alone.problems[0]) == ("approximate", True)


def test_adapters_of_layers_that_look_at_images_are_unknown():
    """They would change more linear layers than those of the text."""
    config = {"model_type": "mllama", "architectures": ["MllamaForConditionalGeneration"]}
    assert flopsheet.evaluate(config).status == "ok"
    model = flopsheet.evaluate(config, lora_rank=8)
    assert model.status == "error"
    assert "adapters of the layers that look at images are unknown" in str(model.problems)


def test_a_picture_costs_gemma_3ns_tower_what_torch_counts_in_timm():
    """A picture of 768 x 768 in mobilenetv5_300m_enc of timm 1.0.31, under torch's counter, and 256 projected rows."""
    none, one = (flopsheet.evaluate({"model_type": "gemma3n"}, images=images).totals for images in (0, 1))
    projected = 2 * 256 * 2048 * 2048
    assert one["flops_forward"] - none["flops_forward"] == 775_676_657_664 + 95_806_291_968 + projected


def test_fast_vlm_costs_what_torch_counts_with_its_tower_of_timm():
    """Its class at its defaults with timm 1.0.31: parameters, a picture of 1,024 x 1,024 through tower and projector.

    A tower that is not timm's has outputs of another shape.
    """
    config = {"model_type": "fast_vlm", "architectures": ["FastVlmForConditionalGeneration"]}
    none, one = (flopsheet.evaluate(config, images=images) for images in (0, 1))
    assert (none.status, none.totals["parameters"], one.numbers["vision_outputs"]) == ("ok", 7_762_651_744, 256)
    assert one.totals["flops_forward"] - none.totals["flops_forward"] == 498_921_635_840
    other = flopsheet.evaluate(config | {"vision_config": {"model_type": "clip_vision_model"}})
    assert any("but no picture or sound" in note for note in other.notes)
