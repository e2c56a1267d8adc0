"""What the config files of encoder-decoders say in words, in steps and in nested parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading
from flopsheet_encoder_decoder.composite import composite
from flopsheet_encoder_decoder.hearing import halving, moonshine, parakeet, seamless, wav2vec
from flopsheet_encoder_decoder.side_configs import read_nested

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family

T5_FIELDS = (
    *("feed_forward_proj", "is_gated_act", "dense_act_fn"),
    *("scale_decoder_outputs", "relative_attention_max_distance"),
)
SIDES = ("encoder", "decoder")
OF_A_SIDE = ("layers", "moe_layers", "window_layers", "final_norms", "position_rows", "position_tables")
ABSENT: Mapping[str, Mapping[str, int | str | float]] = {
    "encoder": dict.fromkeys(
        ("n_own_tables", "n_target_tables", "stem_weights", "stem_products", "stem_vectors", "n_global_layers"), 0
    ),
    "decoder": dict.fromkeys(("n_own_tables", "n_target_tables", "n_predict_streams"), 0),
}
"""What is not there in a class of one side alone, next to the dimensions of the other side's layers and tables."""
TOP_2 = (
    "FLOP are those of two experts per token, as the paper says; transformers' class takes its mask for expert numbers"
    " and passes a token once for each expert"
)
UNTIED = (
    "tie_word_embeddings = false: the head is counted as weights of its own, as checkpoints store it; transformers 5"
    " ties it anyway"
)
NO_DECODER = "is_decoder = true in a class of the encoder alone: some types then build a decoder; not counted"
UNTIED_STYLES = ("t5", "longt5")
PAGE_POSITIONS = [{"type": "1d"}, {"type": "horizontal"}, {"type": "vertical"}]
SMALLEST_WINDOW = 4
"""What the class's masks of its first and last positions want; halves of it lie on both sides."""
LOCAL, GLOBAL = "local", "transient-global"


def read(config: Mapping[str, Any], family: Family) -> Reading:
    """Return what the family's style of config says beyond declared keys, for the sides that the class has."""
    reading = _read_style(config, family)
    class_values = _read_fixed(config, family)
    is_untied = family.hints.get("style") in UNTIED_STYLES and config.get("tie_word_embeddings") is False
    if is_untied and class_values.get("has_head", 1):
        reading.notes.append(UNTIED)
    for side in SIDES:
        if class_values.get(f"has_{side}", 1) == 0:
            absent = {**{f"{side}_{name}": 0 for name in OF_A_SIDE}, **ABSENT[side], **class_values}
            reading.values |= {name: value for name, value in absent.items() if not isinstance(value, str)}
            if side == "decoder" and config.get("is_decoder"):
                reading.problems.append(NO_DECODER)
        elif config.get(f"{side}_layers") == 0:
            reading.problems.append(f"{side}_layers = 0: a stack without layers is not counted")
    if not reading.values.get("has_encoder", 1) and "target_vocab_size" in reading.values:
        reading.values["vocab_size"] = reading.values["target_vocab_size"]
    return reading


def _read_fixed(config: Mapping[str, Any], family: Family) -> Mapping[str, float | str]:
    """Return what the class fixes that is counted: the one that is named, or the type's first."""
    classes = config.get("architectures")
    first = classes[0] if isinstance(classes, list) and classes and isinstance(classes[0], str) else ""
    return family.classes.get(first, next(iter(family.classes.values()), {}))


def _read_style(config: Mapping[str, Any], family: Family) -> Reading:
    style = family.hints.get("style")
    if style == "nested":
        return read_nested(config, family)
    if style == "tower":
        return _tower(config, family)
    return STYLES[style](config) if style else Reading()


def _tower(config: Mapping[str, Any], family: Family) -> Reading:
    """Say that a decoder that reads a tower has no source of its own: only in its whole model is one known."""
    if config.get("architectures") == [next(iter(family.classes))] or not _read_fixed(config, family).get(
        "has_encoder", 1
    ):
        return Reading()
    text = "cross attention is counted over seq_len positions of a source, which only the whole model's tower gives"
    lacking = [name for name in family.hints.get("hears_with", ()) if config.get(name) is False]
    parameters = f"parameters too with {lacking[0]} = false" if lacking else "parameters exact"
    return Reading(problems=[f"{text}; alone, a class ignores it: FLOP are too many, {parameters}"])


def _streams(_: Mapping[str, Any]) -> Reading:
    """Note the convention for ProphetNet's predicting streams, each of which sees the main stream and itself."""
    note = "under a causal mask a predicting stream is counted with every earlier position of its own, not only its own"
    return Reading(notes=[f"{note} position: up to twice its attention core; the full square is exact"])


def _t5(config: Mapping[str, Any]) -> Reading:
    """Read gated MLPs; say what transformers 5 hides of heads."""
    reading = _read_gating(config)
    if config.get("tie_word_embeddings") is not False and config.get("scale_decoder_outputs") is False:
        reading.problems.append(
            "tie_word_embeddings = true with scale_decoder_outputs = false: transformers 5 writes this for tied and"
            " untied heads alike; counted as tied"
        )
    return reading


def _page(config: Mapping[str, Any]) -> Reading:
    """Say what UDOP's pictures cost; refuse kinds of relative positions and heads of which the class makes its own."""
    reading = _read_gating(config)
    kinds = config.get("relative_bias_args")
    reading.keys |= {"relative_bias_args", "tie_word_embeddings"}
    if kinds not in (None, PAGE_POSITIONS):
        reading.problems.append(f"relative_bias_args = {kinds}: counted as one table each along, across and down")
    if config.get("tie_word_embeddings") is False:
        reading.problems.append("tie_word_embeddings = false: the class ties the head anyway; counted as tied")
    reading.values["tied_head"] = 1
    reading.notes.append("the source is words and patches together; the patches' convolution costs no counted FLOP")
    return reading


def _read_gating(config: Mapping[str, Any]) -> Reading:
    reading = Reading(keys=set(T5_FIELDS))
    is_gated = config.get("is_gated_act", str(config.get("feed_forward_proj", "relu")).startswith("gated-"))
    reading.values["mlp_matrices"] = 3 if is_gated else 2
    return reading


def _longt5(config: Mapping[str, Any]) -> Reading:
    """Read the encoder's attention: local, or local with the sums of global blocks."""
    reading = _read_gating(config)
    reading.keys |= {"encoder_attention_type", "local_radius", "global_block_size"}
    reading.values["local_block"] = config["local_radius"] + 1
    kind = config.get("encoder_attention_type")
    if kind == GLOBAL:
        layers = config["encoder_layers"]
        reading.values |= {"global_block": config["global_block_size"], "encoder_position_tables": 2}
        reading.values["encoder_norms"] = 3 if layers else 2
    elif kind != LOCAL:
        reading.problems.append(f"encoder_attention_type = {kind!r} is not understood: counted as {LOCAL}")
    return reading


def _switch(config: Mapping[str, Any]) -> Reading:
    """Read which layers have experts: every `sparse_step`-th, beginning with the second."""
    reading = Reading(keys={"relative_attention_max_distance"})
    for side in SIDES:
        layers = config.get(f"{side}_layers")
        layers = config["encoder_layers"] if layers is None else layers
        sparse = f"num_sparse_{side}_layers"
        reading.keys |= {sparse, f"{side}_sparse_step"}
        step = layers // config[sparse] if config[sparse] > 0 else layers
        step = config.get(f"{side}_sparse_step", step)
        reading.values[f"{side}_moe_layers"] = layers if step == 1 else len(range(1, layers, step)) if step > 0 else 0
    reading.notes.append("FLOP are those of one expert for every token: none is dropped beyond expert_capacity")
    return reading


def _nllb(config: Mapping[str, Any]) -> Reading:
    """Read which layers have experts: every `sparse_step`-th."""
    reading = Reading()
    for side in SIDES:
        step, layers = config[f"{side}_sparse_step"], config[f"{side}_layers"]
        reading.keys.add(f"{side}_sparse_step")
        reading.values[f"{side}_moe_layers"] = layers // step if step > 0 else 0
    reading.notes.append(TOP_2)
    return reading


def _marian(config: Mapping[str, Any]) -> Reading:
    """Read whether both sides share one vocabulary."""
    reading = Reading(keys={"decoder_vocab_size", "share_encoder_decoder_embeddings"})
    source, is_tied = config["vocab_size"], config["tie_word_embeddings"]
    target = config.get("decoder_vocab_size") or source
    if not config["share_encoder_decoder_embeddings"]:
        reading.values |= {"n_target_tables": 1, "target_vocab_size": target}
        if target != source and not is_tied and "MarianForCausalLM" in (config.get("architectures") or ()):
            reading.problems.append(f"the class's head has vocab_size = {source} words: counted as {target}")
        return reading
    reading.values["n_own_tables"] = 0 if is_tied else 2
    if target != source:
        text = f"decoder_vocab_size = {target} next to a shared vocabulary of {source}"
        reading.problems.append(f"{text}: counted as {source}")
    return reading


def _fsmt(config: Mapping[str, Any]) -> Reading:
    """Read two vocabularies; tied, both sides and the head read the target's table."""
    reading = Reading(keys={"src_vocab_size", "tgt_vocab_size", "vocab_size"})
    source, target, is_tied = config["src_vocab_size"], config["vocab_size"], config["tie_word_embeddings"]
    reading.values |= {"target_vocab_size": target, "vocab_size": target if is_tied else source}
    reading.values["n_target_tables"] = 0 if is_tied else 1
    if is_tied and source != target:
        reading.problems.append(f"src_vocab_size = {source} is tied to tgt_vocab_size = {target}: counted as {target}")
    return reading


def _read_led(config: Mapping[str, Any]) -> Reading:
    """Read the windows of the encoder's layers: one number, or one a layer."""
    reading = Reading(keys={"attention_window"})
    window, layers = config["attention_window"], config["encoder_layers"]
    windows = window if isinstance(window, list) else [window] * layers
    if len(windows) != layers:
        raise ValueError(f"attention_window names {len(windows)} layers, encoder_layers says {layers}")
    if odd := [size for size in windows if size % 2 or size < SMALLEST_WINDOW]:
        raise ValueError(f"attention_window = {odd[0]}: an even number of at least {SMALLEST_WINDOW} is expected")
    halves = [size // 2 for size in windows]
    reading.values |= {"sum_reach": sum(halves), "sum_reach_squares": sum(half * half for half in halves)}
    reading.values["source_multiple"] = max(windows, default=1)
    reading.notes.append("FLOP are those without global tokens, which only a caller can name")
    return reading


def _bigbird(config: Mapping[str, Any]) -> Reading:
    """Read the encoder's attention: sparse blocks for long sources, or all pairs."""
    reading = Reading(keys={"attention_type", "block_size", "num_random_blocks"})
    kind = config["attention_type"]
    if kind == "block_sparse":
        reading.values |= {"sparse_block": config["block_size"], "n_random_blocks": config["num_random_blocks"]}
    elif kind != "original_full":
        reading.problems.append(f"attention_type = {kind!r} is not understood: counted as original_full")
    return reading


def _whisper(config: Mapping[str, Any]) -> Reading:
    """Say that the source does not follow the workload."""
    length = config["max_source_positions"]
    text = f"the source is always {length} positions, as every recording is padded to max_source_positions"
    return Reading(notes=[text])


STYLES = {
    "streams": _streams,
    "t5": _t5,
    "longt5": _longt5,
    "page": _page,
    "switch": _switch,
    "nllb": _nllb,
    "marian": _marian,
    "fsmt": _fsmt,
    "led": _read_led,
    "bigbird": _bigbird,
    "whisper": _whisper,
    "halving": halving,
    "moonshine": moonshine,
    "parakeet": parakeet,
    "seamless": seamless,
    "wav2vec": wav2vec,
    "composite": composite,
}
