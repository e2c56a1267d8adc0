"""What formulas cannot read of a dense decoder's config: windows in their many forms, and odd fields of some types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Family, Reading, read_windows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


FULL, SLIDING = "full_attention", "sliding_attention"


def read(config: Mapping[str, Any], family: Family) -> Reading:
    """Read the windows, then what the family's hint `style` asks for."""
    reading = read_windows(config, family)
    _round_heads(config, family, reading)
    if style := STYLES.get(family.hints.get("style", "")):
        style(config, reading)
    return reading


def _round_heads(config: Mapping[str, Any], family: Family, reading: Reading) -> None:
    """Round a head size that no field names, for types whose class drops what is left of the width."""
    width, heads = config.get("hidden_size"), config.get("num_attention_heads")
    free = "head_dim" in family.hints.get("reads", ())
    if "d_head" in family.values or not free or config.get("head_dim") is not None:
        return
    if isinstance(width, int) and isinstance(heads, int) and heads > 0 and width % heads and width >= heads:
        reading.values["d_head"] = size = width // heads
        text = f"hidden_size = {width} is not a multiple of num_attention_heads = {heads}: heads of {size} channels"
        reading.notes.append(f"{text} are counted, as transformers builds them")


def _falcon(config: Mapping[str, Any], reading: Reading) -> None:
    """Read heads and norms: 7B has one key/value head and one norm, 40B groups of heads and two norms."""
    new, n_heads = bool(config.get("new_decoder_architecture")), config["num_attention_heads"]
    kv_heads = config.get("num_kv_heads") if new else 1 if config.get("multi_query") else n_heads
    reading.values["n_kv_heads"] = n_heads if kv_heads is None else kv_heads
    norms = config.get("num_ln_in_parallel_attn") or (2 if new else 1)
    two, parallel = norms == 2, bool(config.get("parallel_attn"))  # noqa: PLR2004 - norms are counted
    if (new and not parallel) or (two and parallel and not new):
        fields = "parallel_attn and num_ln_in_parallel_attn do not suit new_decoder_architecture"
        raise ValueError(f"{fields}: the class looks for norms that it does not build")
    reading.values["norms_per_layer"] = 2 if two or not parallel else 1
    if new and reading.values["n_kv_heads"] != n_heads:
        reading.notes.append("the cache is counted per key/value head; transformers' class keeps it per query head")
    reading.keys |= {"num_kv_heads", "multi_query", "num_ln_in_parallel_attn", "parallel_attn"}
    reading.keys.add("new_decoder_architecture")


def _local(config: Mapping[str, Any], reading: Reading) -> None:
    """Read GPT-Neo's local layers: `attention_types` repeats lists of names."""
    kinds = config.get("attention_types") or [[["global", "local"], 12]]
    names = [name for part, times in kinds for name in part * times]
    reading.keys |= {"attention_types", "attention_layers", "window_size"}
    if len(names) != config["num_hidden_layers"]:
        reading.problems.append(f"attention_types names {len(names)} layers, not {config['num_hidden_layers']}")
    reading.values |= {"n_window_layers": names.count("local"), "window": config["window_size"]}


def _read_unrotated(config: Mapping[str, Any], reading: Reading) -> None:
    """Read SmolLM3's windows, which are in the layers without rotary positions where they are switched on."""
    n_layers, interval = config["num_hidden_layers"], config.get("no_rope_layer_interval") or 4
    reading.keys |= {"no_rope_layers", "no_rope_layer_interval"}
    if config.get("use_sliding_window") and config.get("sliding_window") and not config.get("layer_types"):
        flags = config.get("no_rope_layers") or [(layer + 1) % interval for layer in range(n_layers)]
        reading.values |= {"n_window_layers": sum(not flag for flag in flags), "window": config["sliding_window"]}


def _xielu(config: Mapping[str, Any], reading: Reading) -> None:
    """Read whether the activation learns two numbers per layer."""
    has_weights = config.get("hidden_act", "xielu") == "xielu"
    reading.values["n_other_weights"] = 2 * config["num_hidden_layers"] if has_weights else 0


def _doge(config: Mapping[str, Any], reading: Reading) -> None:
    """Refuse Doge's experts, which are rows of tables; say what a decode step leaves out."""
    reading.keys.add("is_moe")
    reading.notes.append("a decode step gates the new token's values; transformers gates those of the cache again")
    if config.get("is_moe"):
        reading.problems.append("is_moe = True: Doge's experts are not understood; counted as plain MLPs")


def _modernbert(config: Mapping[str, Any], reading: Reading) -> None:
    """Read which layers look back, and say what a prefill computes that it need not."""
    reading.notes.append("a prefill passes every token through the square layer before the head; one of each would do")
    read_alternating(config, reading)


def read_alternating(config: Mapping[str, Any], reading: Reading) -> None:
    """Read which layers look `local_attention // 2` tokens away: all but every n-th, from the first."""
    reading.keys |= {"layer_types", "global_attn_every_n_layers", "local_attention", "sliding_window"}
    n_layers, period = config["num_hidden_layers"], config.get("global_attn_every_n_layers", 3)
    kinds = config.get("layer_types") or [SLIDING if layer % period else FULL for layer in range(n_layers)]
    if len(kinds) != n_layers or set(kinds) - {FULL, SLIDING}:
        reading.problems.append(f"layer_types is not understood for {n_layers} layers: {sorted(set(kinds))}")
    reading.values |= {"n_window_layers": kinds.count(SLIDING), "window": config["local_attention"] // 2}


def _blocksparse(config: Mapping[str, Any], reading: Reading) -> None:
    """Say that layers with block-sparse attention are counted in full: heads see blocks of their own."""
    period = config.get("dense_attention_every_n_layers")
    reading.keys.add("dense_attention_every_n_layers")
    sparse = config["num_hidden_layers"] - (config["num_hidden_layers"] // period if period else 0)
    if sparse:
        text = f"{sparse} layers have block-sparse attention, whose core and cache are counted in full"
        reading.problems.append(f"{text}: FLOP and decode steps are too many, parameters exact")


def _prediction(config: Mapping[str, Any], reading: Reading) -> None:
    """Leave out layers that predict further tokens, as for types whose classes leave them out."""
    field = "num_nextn_predict_layers"
    reading.keys.add(field)
    if config.get(field):
        reading.notes.append(f"multi-token prediction layers are not counted ({config[field]}): decoding skips them")


def _hunyuan(config: Mapping[str, Any], reading: Reading) -> None:
    """Read an older name of the head size, which the class does not read: it must say the same."""
    old_head, head = config.get("attention_head_dim"), config.get("head_dim")
    head = config["hidden_size"] // config["num_attention_heads"] if head is None else head
    reading.keys.add("attention_head_dim")
    if old_head not in (None, head):
        reading.problems.append(f"attention_head_dim = {old_head} is not the head size {head} that the class builds")


def _image_layers(config: Mapping[str, Any], reading: Reading) -> None:
    """Leave Mllama's layers that see images to the model around the language model."""
    field = "cross_attention_layers"
    reading.keys.add(field)
    if config.get("architectures") != ["MllamaForConditionalGeneration"]:
        reading.problems.append(f"{field}: layers that see images are counted with the vision tower's config only")


def _molmo(config: Mapping[str, Any], reading: Reading) -> None:
    """Read whether queries and keys are normed by head, as in Qwen3, or over all heads, as in OLMo."""
    kind, head = config.get("qk_norm_type", "qwen3"), config["head_dim"]
    heads = {"qwen3": (1, 1), "olmo": (config["num_attention_heads"], config["num_key_value_heads"])}
    reading.keys.add("qk_norm_type")
    if kind not in heads:
        reading.problems.append(f"qk_norm_type = {kind} is not understood: counted as qwen3")
    query, key = heads.get(kind, (1, 1))
    reading.values |= {"q_norm_width": query * head, "k_norm_width": key * head}


def _sections(config: Mapping[str, Any], reading: Reading) -> None:  # noqa: ARG001 - styles have one shape
    """Refuse sections of rotary positions that do not fill half a head: the class does."""
    sections = (config.get("rope_parameters") or {}).get("mrope_section", [24, 20, 20])
    width = config["head_dim"] or config["hidden_size"] // config["num_attention_heads"]
    if len(sections) != len(("time", "height", "width")) or sum(sections) != width // 2:
        raise ValueError(
            f"mrope_section = {sections}: three numbers that sum to half of a head of {width} are expected"
        )


DENOISED = (
    "text is denoised: a step passes all of it, or a block, without a causal mask, and costs flops_forward_full;"
    " decode steps and caches are those of a model that continues text"
)


def _read_denoising(config: Mapping[str, Any], reading: Reading) -> None:  # noqa: ARG001 - styles have one shape
    """Say what a step of a diffusion language model is, which no total but the forward pass says."""
    reading.problems.append(f"{DENOISED}; parameters are exact")


def _llada(config: Mapping[str, Any], reading: Reading) -> None:
    """Read LLaDA's table, which may have more rows than there are words."""
    rows, words = config.get("embedding_size"), config["vocabulary"]
    reading.keys |= {"vocabulary", "embedding_size"}
    reading.values["vocab_size"] = rows or words
    _read_denoising(config, reading)


def _loops(config: Mapping[str, Any], reading: Reading) -> None:
    """Say that layers which are passed several times count once."""
    reading.keys.add("total_ut_steps")
    if (times := config["total_ut_steps"]) != 1:
        text = f"total_ut_steps = {times}: FLOP, caches and activations of layers are those of one pass of {times}"
        reading.problems.append(f"{text}; parameters are exact")


STYLES: dict[str, Callable[[Mapping[str, Any], Reading], None]] = {
    "blocksparse": _blocksparse,
    "denoised": _read_denoising,
    "doge": _doge,
    "falcon": _falcon,
    "hunyuan": _hunyuan,
    "llada": _llada,
    "loops": _loops,
    "image_layers": _image_layers,
    "prediction": _prediction,
    "local": _local,
    "modernbert": _modernbert,
    "molmo": _molmo,
    "unrotated": _read_unrotated,
    "sections": _sections,
    "xielu": _xielu,
}
