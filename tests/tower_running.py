"""Small multimodal models that see a picture or video or hear sound, and go on: FLOP and caches, counted and measured.

    python tests/tower_running.py                 # each config of tests/data/tower_flops.json
    python tests/tower_running.py llava voxtral

The prompt holds text around the places of a picture, video or sound. Held against flopsheet's are its FLOP with those
of the towers, what the cache holds after it, and the FLOP of the next token. Run it with a Python that has torch and
transformers.
"""

import copy
import inspect
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tower_inputs import AFTER, BEFORE, PICTURES, SOUNDS, VIDEOS

from flopsheet.accounting.line import TOWERS
from flopsheet.configs.classes import class_table
from flopsheet.configs.source import load_model
from flopsheet.errors import FlopsheetError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.verify import meta

RECORDS = json.loads((Path(__file__).parent / "data" / "tower_flops.json").read_text("utf-8"))
MARKS = {"image": 3, "audio": 4, "video": 5}
"""Tokens that stand for what is no text: small ones, that every vocabulary has."""
PHI = {"image": 200010, "audio": 200011}
VOCABULARY = 600
LARGE, LONG = 10**7, 10**10
"""Parameters and FLOP beyond which a model takes too long, or too much memory, here and there."""
SIZES = ("image_width", "image_height")
WIDTH = 64
"""Channels of all language models here, which the towers' last layers must have."""

NOT_RUN = {
    "gemma3n": "its pictures need timm's tower, without which the class is not built",
    "evolla": "what stands beside its text has no FLOP",
    "idefics": "its class keeps no keys and values of pictures",
    "kyutai_speech_to_text": "what stands beside its text has no FLOP",
    "molmo2": "FLOP of its pictures are refused",
    "qwen2_5_omni": "its class has no forward pass; its thinker runs",
    "qwen3_omni_moe": "its class has no forward pass; its thinker runs",
}
"""Types with towers that see and hear nothing here, and why."""
CONVOLVED = "alongside short convolutions, the counter cannot tell experts from other products"
SCANNED = "alongside a scan, the counter cannot tell experts from other products"
CACHE_ALONE = {
    "glm5_next": SCANNED,
    "inkling2": CONVOLVED,
    "inkling_mm_model": CONVOLVED,
    "llama4": "transformers runs every expert on every token, and zeroes those that are not chosen",
    "qwen3_5_moe": SCANNED,
}
"""Types of which only caches are compared, and why."""
EXPANDED = "transformers expands the whole latent cache in each step; flopsheet counts it absorbed"
NO_STEP = {
    "dots3_note": EXPANDED,
    "kimi_k25": EXPANDED,
    "voxtral_realtime": "each new token hears more sound, whose tower has a cache of its own",
}
"""Types whose step is not compared, and why."""
ENCODER = "its language model is an encoder, which keeps nothing"
NOT_KEPT = {"blip": "its class gives no cache away", "modernvbert": ENCODER, "ultravbert": ENCODER}
"""Types of which only the prompt is compared, and why."""
AS_IMAGES = {"glm4v", "glm4v_moe", "glm46v", "glmga"}
"""Types that mark places of a video as those of images."""
APART = {"qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "qwen3_omni_moe_thinker", "cosmos3_edge"}
APART |= {"qwen4_exp"} | AS_IMAGES
"""Types that put text between the frames of a video, such as when each was taken."""
FRAMES = (1, 2, 4)
NEWLINES = {"llava_next", "llava_onevision", "llava_next_video"}
"""Types that put newlines between rows of tiles, as many as the processor's cutting asks for."""
DECODERS = {"kosmos-2": "text_model", "kosmos-2.5": "text_model", "instructblip": "language_model"}
DECODERS |= {"blip-2": "language_model"}
"""Where the class sees its picture again in every pass, the part that decodes, as its `generate` calls it."""

SEEN = [
    record
    for record in RECORDS
    if record["config"]["model_type"] not in NOT_RUN and "video_frames" not in record["workload"]
]
"""Configs that run here; some of those that see pictures are given videos."""
TYPES = sorted({record["config"]["model_type"] for record in SEEN})

TURNED = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
HALF = {**TURNED, "partial_rotary_factor": 0.5, "mrope_section": [1, 1, 2]}
MIXED = {"layer_types": ["linear_attention", "full_attention"]}
JOINED = {
    "qwen2_vl": {"text_config": {"rope_parameters": TURNED}, "vision_config": {"hidden_size": WIDTH}},
    "paligemma": {"": {"projection_dim": WIDTH}, "vision_config": {"projection_dim": WIDTH}},
    "kimi_k25": {"text_config": {"head_dim": 64, "qk_head_dim": 192}},
    "qwen3_5": {"text_config": MIXED},
    "qwen3_5_moe": {"text_config": MIXED},
    "lfm3_vl": {"text_config": {"layer_types": ["conv", "full_attention"]}},
    "glm4v_moe": {"text_config": {"rope_parameters": HALF}},
    "step3p7": {"text_config": {"sliding_window": 32}},
    "exaone4_5": {"vision_config": {"depth": 2, "fullatt_block_indexes": [1]}},
} | {
    name: {"text_config": {"rope_parameters": TURNED}}
    for name in ("qwen2_5_vl", "glm4v", "glm_ocr", "glm46v", "glmga", "qwen2_5_omni_thinker", "paddleocr_vl")
}
JOINED["qwen2_5_vl"] |= JOINED["exaone4_5"]
"""What records of towers alone lack for the class to run whole."""
LAYERS = {"num_hidden_layers", "depth", "encoder_layers", "layers", "num_layers"}
WIDTHS = {"intermediate_size", "encoder_ffn_dim", "moe_intermediate_size", "ffn_dim", "d_ff"}
HEADS = 4
ALL_HEADS = {"glm5_next", "kimi_k25"}
"""Types whose heads share no keys and values."""
TIED = {("fun_asr_nano", "adaptor_config"), ("llama4", "vision_config")}
"""Parts whose widths follow from others."""


BESIDE = (*TOWERS, "projector")
LINEAR = ("mm", "addmm")
"""What torch counts of linear layers."""


@dataclass
class Run:
    """FLOP of a prompt and of the next token, and elements in the cache between them: None where they are not compared.

    Where the language model has scans or short convolutions, whose count is the implementation's, FLOP are of linear
    layers.
    """

    prompt: int | None
    cache: int | None
    step: int | None


def joined(record):
    """Return a record's config such that its class runs: tokens inside a small vocabulary, towers of its width."""
    config = copy.deepcopy(record["config"])
    kind = config["model_type"]
    for name in class_table(kind).defaults:
        if mark := re.fullmatch(r"(image|audio|video)_token_(id|index)", name):
            config[name] = MARKS[mark[1]]
    if "text_config" in config:
        text = config["text_config"]
        text["vocab_size"] = min(text.get("vocab_size", VOCABULARY), VOCABULARY)
    for key, said in class_table(kind).parts.items():
        table = class_table(config.get(key, {}).get("model_type") or said["type"])
        wide = {"out_hidden_size", "output_dim"} & (table.defaults.keys() if table else set())
        if key in config and key != "text_config":
            config[key] |= dict.fromkeys(wide, WIDTH)
    for key, fields in JOINED.get(kind, {}).items():
        (config[key] if key else config).update(fields)
    return config


def drawn(model_type, rng):
    """Return one of a type's configs with other layers, widths and shared heads, and what it sees or hears."""
    record = rng.choice([record for record in SEEN if record["config"]["model_type"] == model_type])
    config = joined(record)
    for part in (part for name, part in config.items() if isinstance(part, dict) and (model_type, name) not in TIED):
        listed = any(isinstance(value, list) and len(value) == part.get("num_hidden_layers") for value in part.values())
        for name in sorted(part.keys() & (WIDTHS if listed else LAYERS | WIDTHS)):
            more = rng.choice([0, 0, 1] if name in LAYERS else [0, 16, 48])
            part[name] = [each + more for each in part[name]] if isinstance(part[name], list) else part[name] + more
    text = config.get("text_config", {})
    if text.get("num_attention_heads") == HEADS and "num_key_value_heads" in text and model_type not in ALL_HEADS:
        text["num_key_value_heads"] = rng.choice([1, 2, 4])
    sizes = {name: record["workload"][name] * rng.choice([1, 2]) for name in SIZES if name in record["workload"]}
    workload = record["workload"] | sizes
    if model_type in VIDEOS and "images" in workload and rng.random() < 1 / 3:
        workload |= {"images": 0, "video_frames": rng.choice(FRAMES)}
    return config, workload


def counted(config, workload, tokens, *, linear):
    """Return what flopsheet says of a prompt of so many tokens, what it leaves in the cache, and the token after it."""
    kind, lengths = config["model_type"], {"seq_len": tokens, "target_len": tokens, "context": tokens}
    whole = _cost(config, workload | lengths | {"kv_dtype_bytes": 1}).totals
    if linear:
        step = _cost(config, {"seq_len": 1}).totals["flops_forward_linear"]
        return _kept(kind, Run(whole["flops_forward_linear"], whole["kv_cache_bytes"], step))
    step = _cost(config, workload | {"seq_len": tokens, "context": tokens + 1}).totals["flops_decode_step"]
    return _kept(kind, Run(whole["flops_forward"], whole["kv_cache_bytes"], step))


def measured(model, workload, numbers, *, linear):
    """Return what torch counts, and the tokens of the prompt; FlopsheetError says why the class does not run."""
    kind = model.config.model_type
    model.requires_grad_(requires_grad=False)  # the counter stumbles over parameters among the inputs
    try:
        prompt = _prompt(model, workload, numbers)
        flops, result = _flops(model, prompt, linear=linear)
        if kind in NOT_KEPT:
            return Run(flops, None, None), _length(prompt)
        held = _held(_cache(result))
        part = getattr(model, DECODERS[kind]) if kind in DECODERS else model
        step = 0 if kind in NO_STEP else _flops(part, _next(model, result), linear=linear)[0]
    except Exception as error:
        raise FlopsheetError(f"the class does not run: {type(error).__name__}: {error}") from error
    return _kept(kind, Run(flops, held, step)), _length(prompt)


def _kept(kind, run):
    """Return a run without what is not compared of a type."""
    run.prompt = None if kind in CACHE_ALONE else run.prompt
    run.step = None if kind in {*CACHE_ALONE, *NO_STEP, *NOT_KEPT} else run.step
    run.cache = None if kind in NOT_KEPT else run.cache
    return run


def quick():
    """Return the types whose configs are built with values in a moment."""
    slow = {record["config"]["model_type"] for record in SEEN if is_large(joined(record), record["workload"])}
    return [model_type for model_type in TYPES if model_type not in slow]


def is_large(config, workload):
    """Tell whether a config's class is not to be built with values in a moment, or not to be run."""
    seen = _cost(config, workload | {"seq_len": 1}).totals
    return seen.get("parameters", 0) > LARGE or seen.get("flops_forward", 0) > LONG


def differences(config, workload):
    """Return what differs between both, "" where nothing does; FlopsheetError says why the class does not run.

    Windows and pictures of one position look like outer products, which do not count.
    """
    seen = _cost(config, workload)
    if seen.status != "ok" or _sees_single_positions(seen) or _is_short(config):
        return ""
    model = meta.build(config, config["architectures"][0], "cpu").eval()
    linear = _only_linear(seen)
    result, tokens = measured(model, workload, seen.numbers, linear=linear)
    expected = counted(config, workload, tokens, linear=linear)
    pairs = {name: (getattr(expected, name), getattr(result, name)) for name in ("prompt", "cache", "step")}
    texts = [f"{name}: {own:,} counted, {real:,} measured" for name, (own, real) in pairs.items() if own != real]
    return "; ".join(texts)


def _sees_single_positions(seen):
    pictures = seen.numbers.get("vision_pictures")
    return seen.dimensions.get("vision_window") == 1 or (pictures and pictures == seen.numbers.get("vision_pairs"))


def _is_short(config):
    """Tell whether the vocabulary has no room for what stands for a picture."""
    return config.get("text_config", {}).get("vocab_size", VOCABULARY) <= max(MARKS.values())


def _cost(config, settings):
    return cost(load(), load_model(load(), config), settings)


def _only_linear(model):
    """Tell whether the language model has scans or short convolutions."""
    own = [each.line for each in model.ledger.entries if each.line.group not in BESIDE]
    return any(model.numbers.get(line.name) for line in own if line.work in ("scan", "other"))


def _prompt(model, workload, numbers):
    """Return tokens around the places of what is seen or heard, and what that is."""
    import torch  # noqa: PLC0415 - the configs are of use without it

    kind, sense = model.config.model_type, _sense(workload)
    given = {"audio": SOUNDS, "image": PICTURES, "video": VIDEOS}[sense][kind](model, numbers, workload)
    takes = inspect.signature(model.forward).parameters
    if model.config.is_encoder_decoder and "input_ids" not in takes:
        return {"decoder_input_ids": torch.ones(1, BEFORE + AFTER, dtype=torch.long)} | given
    places = int(numbers["audio_outputs" if sense == "audio" else "vision_outputs"])
    if kind in NEWLINES:
        places = sum(len(each) for each in model.model.get_image_features(**given).pooler_output)
    mark = PHI[sense] if kind == "phi4_multimodal" else MARKS["image" if kind in AS_IMAGES else sense]
    frames = int(numbers["vision_pictures"]) if sense == "video" and kind in APART else 1
    seen = [mark] * (places // frames)
    tokens = [1] * BEFORE + seen + [1, *seen] * (frames - 1) + [1] * AFTER
    tokens = {**dict.fromkeys(("mllama", "blip"), [1] * (BEFORE + AFTER)), "voxtral_realtime": [1] * places}.get(
        kind, tokens
    )
    prompt = torch.tensor([tokens])
    where = (prompt == mark).long() * (2 if sense == "video" else 1)
    told = {name: where for name in ("mm_token_type_ids", "moe_mm_token_type_ids", "token_type_ids") if name in takes}
    told |= {"image_embeds_position_mask": where.bool()} if "image_embeds_position_mask" in takes else {}
    told |= {"decoder_input_ids": torch.ones_like(prompt)} if "decoder_input_ids" in takes else {}
    return {"input_ids": prompt} | told | given


def _sense(workload):
    """Return what a workload brings beside text."""
    return "audio" if "audio_seconds" in workload else "video" if workload.get("video_frames") else "image"


def _length(prompt):
    return prompt.get("input_ids", prompt.get("decoder_input_ids")).shape[1]


def _next(model, result):
    """Return the arguments of a pass of one more token."""
    import torch  # noqa: PLC0415 - the configs are of use without it

    token, cache = torch.ones(1, 1, dtype=torch.long), _cache(result)
    if model.config.is_encoder_decoder:
        from transformers.modeling_outputs import BaseModelOutputWithPooling  # noqa: PLC0415 - same

        last = result.encoder_last_hidden_state  # what is not None is seen, and already cached
        source = BaseModelOutputWithPooling(last, last)
        return {"decoder_input_ids": token, "encoder_outputs": source, "past_key_values": cache}
    return {"input_ids": token, "past_key_values": cache}


def _cache(result):
    return getattr(result, "past_key_values", None) or result.language_model_outputs.past_key_values


def _held(cache):
    """Return the elements of all keys and values in a cache, and of keys of indexers, on both sides of it."""
    sides = (
        [cache.self_attention_cache, cache.cross_attention_cache]
        if hasattr(cache, "cross_attention_cache")
        else [cache]
    )
    layers = [layer for side in sides for layer in side.layers if getattr(layer, "keys", None) is not None]
    kept = [getattr(layer, name, None) for layer in layers for name in ("keys", "values", "indexer_keys")]
    return sum(each.numel() for each in kept if each is not None)


def _flops(part, arguments, *, linear):
    """Return the FLOP of a pass, products of one channel left out, and its result."""
    import torch  # noqa: PLC0415 - the configs are of use without it
    from torch.utils.flop_counter import FlopCounterMode  # noqa: PLC0415 - same

    products = {torch.ops.aten.bmm: meta._product_flops}  # noqa: SLF001 - what the forward pass is counted with
    with torch.no_grad(), FlopCounterMode(display=False, custom_mapping=products) as counter:
        result = part(**arguments, use_cache=True)
    counts = counter.get_flop_counts()["Global"].items()
    return sum(count for kind, count in counts if not linear or str(kind).rsplit(".", 1)[-1] in LINEAR), result


def main():
    """Run the script."""
    failed = False
    for record in (each for each in SEEN if each["id"] in sys.argv[1:] or not sys.argv[1:]):
        config, workload = joined(record), record["workload"]
        try:
            said = differences(config, workload) or "equal"
        except FlopsheetError as error:
            said = str(error)
        failed |= said != "equal"
        print(f"{record['id']}: {said}", flush=True)  # noqa: T201 - a script
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
