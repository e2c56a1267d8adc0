"""Fields of a config that other programs compute from several of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LARGEST = 2**40


def _whole(fields: Mapping[str, Any], name: str, default: int = 0) -> int:
    """Return a field that is a whole number above 0, or the default where it is missing."""
    value = fields.get(name)
    value = default if value is None else value
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 or not 0 < value < LARGEST:
        raise FlopsheetError(f"{name} = {value!r}: a whole number above 0 is expected")
    return int(value)


def _up(value: int, step: int) -> int:
    return -(-value // step) * step


def meta_hidden(fields: Mapping[str, Any]) -> int:
    """Return the width of the MLP as Meta's model.py has it: 2/3 of 4·dim, times a factor, up to a multiple."""
    width = 2 * 4 * _whole(fields, "dim") // 3
    factor = fields.get("ffn_dim_multiplier")
    if factor is not None and (isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor < 100):  # noqa: PLR2004 - a factor near 1
        raise FlopsheetError(f"ffn_dim_multiplier = {factor!r}: a factor such as 1.3 is expected")
    return _up(int((factor or 1) * width), _whole(fields, "multiple_of", 256))


def meta_vocabulary(fields: Mapping[str, Any]) -> int:
    """Return the vocabulary; -1 leaves it to the tokenizer, which has 32,000 tokens in Llama 1 and 2."""
    return 32_000 if fields.get("vocab_size") == -1 else _whole(fields, "vocab_size")


def megatron_vocabulary(fields: Mapping[str, Any]) -> int:
    """Return the rows of the token table, which Megatron pads to a multiple for each rank of tensor parallelism."""
    if fields.get("padded_vocab_size") is not None:
        return _whole(fields, "padded_vocab_size")
    if not fields.get("vocab_size"):
        raise FlopsheetError("it leaves the vocabulary to its tokenizer: add vocab_size = the number of its tokens")
    step = _whole(fields, "make_vocab_size_divisible_by", 128) * _whole(fields, "tensor_model_parallel_size", 1)
    return _up(_whole(fields, "vocab_size"), step)


def megatron_mlp(fields: Mapping[str, Any]) -> int:
    """Return the width of the MLP: as given, else 4·h, of which a gated one takes 2/3 in steps of 64."""
    if fields.get("ffn_hidden_size") is not None:
        return _whole(fields, "ffn_hidden_size")
    width = 4 * _whole(fields, "hidden_size")
    return int(width * 2 / 3 / 64) * 64 if fields.get("swiglu") else width


def megatron_experts(fields: Mapping[str, Any]) -> int:
    """Return the width of a routed expert."""
    width = fields.get("moe_ffn_hidden_size")
    return megatron_mlp(fields) if width is None else _whole(fields, "moe_ffn_hidden_size")


def megatron_kv_heads(fields: Mapping[str, Any]) -> int:
    """Return the heads of keys and values: groups only where they are asked for."""
    has_groups = fields.get("group_query_attention", fields.get("num_query_groups") is not None)
    heads = _whole(fields, "num_attention_heads")
    return _whole(fields, "num_query_groups", heads if has_groups is not True else 1) if has_groups else heads


def megatron_tied(fields: Mapping[str, Any]) -> bool:
    """Return whether the head shares the token table."""
    return bool(
        fields.get("share_embeddings_and_output_weights", not fields.get("untie_embeddings_and_output_weights"))
    )


def megatron_biased(fields: Mapping[str, Any]) -> bool:
    """Return whether linear layers have biases."""
    return bool(fields.get("add_bias_linear", not fields.get("disable_bias_linear")))


def _heads(name: str) -> Callable[[Mapping[str, Any]], int]:
    """Return what reads a number of heads for keys and values, by default as many as for queries."""
    return lambda fields: _whole(fields, name, _whole(fields, "n_heads" if name == "n_kv_heads" else "n_head"))


def litgpt_width(fields: Mapping[str, Any]) -> int:
    """Return the width of the MLP; 4·n_embd where none is given."""
    return _whole(fields, "intermediate_size", 4 * _whole(fields, "n_embd"))


def litgpt_head(fields: Mapping[str, Any]) -> int:
    """Return the width of a head."""
    return _whole(fields, "head_size", _whole(fields, "n_embd") // _whole(fields, "n_head"))


DERIVED: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "meta_hidden": meta_hidden,
    "meta_vocabulary": meta_vocabulary,
    "meta_kv_heads": _heads("n_kv_heads"),
    "litgpt_kv_heads": _heads("n_query_groups"),
    "litgpt_width": litgpt_width,
    "litgpt_head": litgpt_head,
    "litgpt_biased": lambda fields: bool(fields.get("attn_bias") or fields.get("bias")),
    "megatron_vocabulary": megatron_vocabulary,
    "megatron_mlp": megatron_mlp,
    "megatron_experts": megatron_experts,
    "megatron_kv_heads": megatron_kv_heads,
    "megatron_tied": megatron_tied,
    "megatron_biased": megatron_biased,
}
"""What documents.toml names."""
