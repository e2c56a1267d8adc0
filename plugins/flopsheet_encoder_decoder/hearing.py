"""What the configs of encoders that hear say in lists: convolutions over the sound, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONVOLUTION = ("conv_dim", "conv_kernel", "conv_stride", "num_feat_extract_layers", "feat_extract_norm", "conv_bias")
POSITIONS = ("num_conv_pos_embeddings", "num_conv_pos_embedding_groups")
SPOKEN = {
    *("speech_encoder_layers", "speech_encoder_attention_heads", "speech_encoder_intermediate_size"),
    *("conv_depthwise_kernel_size", "feature_projection_input_dim", "position_embeddings_type", "add_adapter"),
    *("num_adapter_layers", "adaptor_kernel_size", "adaptor_stride"),
    *("left_max_position_embeddings", "right_max_position_embeddings"),
}
MASKED = ("mask_time_prob", "mask_feature_prob")


def moonshine(config: Mapping[str, Any]) -> Reading:
    """Read three convolutions over samples, and heads for keys and values."""
    width = config["hidden_size"]
    weights = [127 * width, 7 * width * 2 * width, 3 * 2 * width * width]
    stem = _sum_unpadded(weights, kernels=[127, 7, 3], strides=[64, 3, 2])
    reading = Reading(values={**stem, "stem_vectors": 5 * width}, keys={"pad_head_dim_to_multiple_of"})
    for side in ("encoder", "decoder"):
        key = f"{side}_num_key_value_heads"
        reading.keys.add(key)
        reading.values[f"{side}_kv_heads"] = config.get(key) or config[f"{side}_num_attention_heads"]
    _share_heads(config, reading)
    if config.get("pad_head_dim_to_multiple_of"):
        reading.notes.append("FLOP are those of heads that are not padded (pad_head_dim_to_multiple_of)")
    return reading


def halving(config: Mapping[str, Any]) -> Reading:
    """Read convolutions over mel frames, each of which halves them; a gate takes half of what each gives."""
    kernels, middle, width = config["conv_kernel_sizes"], config["conv_channels"], config["d_model"]
    into = [config["input_feat_per_channel"] * config["input_channels"], *[middle // 2] * (len(kernels) - 1)]
    out = [*[middle] * (config["num_conv_layers"] - 1), *[2 * width] * len(kernels)][: len(kernels)]
    weights = [a * b * kernel for a, b, kernel in zip(into, out, kernels, strict=True)]
    products = sum(size * 2**place for place, size in enumerate(reversed(weights)))
    keys = {"conv_kernel_sizes", "conv_channels", "input_feat_per_channel", "input_channels", "num_conv_layers"}
    reading = Reading(
        values={"stem_weights": sum(weights), "stem_products": products, "stem_vectors": sum(out)}, keys=keys
    )
    if config["num_conv_layers"] != len(kernels):
        raise ValueError(f"num_conv_layers = {config['num_conv_layers']}, conv_kernel_sizes has {len(kernels)}")
    if any(kernel % 2 == 0 for kernel in kernels):
        reading.problems.append("conv_kernel_sizes: an even kernel gives one position more, which is not counted")
    return reading


def _share_heads(config: Mapping[str, Any], reading: Reading) -> None:
    """Give the decoder the encoder's heads: building the encoder writes them into the config that both share."""
    heads, own = config["encoder_num_attention_heads"], config["decoder_num_attention_heads"]
    kv_heads, own_kv = reading.values["encoder_kv_heads"], reading.values["decoder_kv_heads"]
    if (heads, kv_heads) == (own, own_kv) or not config["encoder_num_hidden_layers"]:
        return
    reading.values |= {"decoder_heads": heads, "decoder_kv_heads": kv_heads}
    reading.notes.append(
        f"the decoder is counted with the encoder's {heads} heads, not its own {own}: transformers builds it so"
    )


def parakeet(config: Mapping[str, Any]) -> Reading:
    """Read the convolutions over mel bins and time, each of which halves both, and the decoder's heads."""
    names = ("factor", "conv_stride", "conv_kernel_size", "conv_channels")
    factor, stride, kernel, channels = (config[f"encoder_subsampling_{name}"] for name in names)
    halvings = factor.bit_length() - 1
    bins, frames = config["encoder_num_mel_bins"], stride**halvings
    sums = dict.fromkeys(("stem_weights", "stem_products", "stem_vectors"), 0)
    for layer in range(halvings):
        bins, frames = (bins + 2 * ((kernel - 1) // 2) - kernel) // stride + 1, frames // stride
        weights = kernel * kernel * channels + (channels * channels if layer else 0)
        sums["stem_weights"] += weights
        sums["stem_products"] += weights * frames * bins
        sums["stem_vectors"] += channels * (2 if layer else 1)
    bins_left = config["encoder_num_mel_bins"] // stride**halvings
    sums["stem_vectors"] += config["encoder_hidden_size"]
    sums["stem_linear_weights"] = channels * bins_left * config["encoder_hidden_size"]
    heads = config["num_attention_heads"]
    sums["decoder_kv_heads"] = config.get("num_key_value_heads") or heads
    sums["decoder_d_head"] = config.get("head_dim") or config["hidden_size"] // heads
    keys = {"encoder_num_mel_bins", "num_key_value_heads", "head_dim", *(f"encoder_subsampling_{n}" for n in names)}
    return Reading(values=sums, keys=keys)


def wav2vec(config: Mapping[str, Any]) -> Reading:
    """Read the convolutions over samples, the convolution that tells positions, and the table of relative ones."""
    stem = wav2vec_stem(config)
    largest, heads = config["encoder_max_relative_position"], config["encoder_attention_heads"]
    stem["stem_vectors"] += 2 * largest * (config["hidden_size"] // heads)
    return Reading(values=stem, keys={*CONVOLUTION, *POSITIONS, *MASKED, "encoder_max_relative_position"})


def wav2vec_stem(fields: Mapping[str, Any]) -> dict[str, int]:
    """Return what is before the layers of wav2vec 2.0: convolutions, a projection, and positions by convolution."""
    width, groups = fields["hidden_size"], fields["num_conv_pos_embedding_groups"]
    channels, kernels = fields["conv_dim"], fields["conv_kernel"]
    weights = [a * b * k for a, b, k in zip([1, *channels[:-1]], channels, kernels, strict=True)]
    stem = _sum_unpadded(weights, kernels, fields["conv_stride"])
    reach = fields["num_conv_pos_embeddings"]
    positions = width * width // groups * reach
    norm_widths = channels[:1] if fields["feat_extract_norm"] == "group" else channels
    vectors = 2 * sum(norm_widths) + (sum(channels) if fields["conv_bias"] else 0)
    vectors += 2 * channels[-1] + width + width + reach
    vectors += width if any(fields[name] > 0 for name in MASKED) else 0
    return {
        "stem_weights": stem["stem_weights"] + positions,
        "stem_products": stem["stem_products"] + positions,
        "stem_edge_products": stem["stem_edge_products"] + positions * (1 - reach % 2),
        "stem_linear_weights": channels[-1] * width,
        "stem_vectors": vectors,
    }


def seamless(config: Mapping[str, Any]) -> Reading:
    """Read the conformer of a class that hears, with its adapter; the text encoder needs nothing beyond its fields."""
    classes = config.get("architectures") or [""]
    if "TextToText" in str(classes[0]):
        return Reading(values={"n_own_tables": 0 if config["tie_word_embeddings"] else 2}, keys=SPOKEN)
    if config["conv_depthwise_kernel_size"] % 2 == 0:
        raise ValueError("conv_depthwise_kernel_size must be odd: the class refuses others")
    width, wide = config["hidden_size"], config["speech_encoder_intermediate_size"]
    heads, frame, kind = (
        config[name]
        for name in ("speech_encoder_attention_heads", "feature_projection_input_dim", "position_embeddings_type")
    )
    reach = sum(config.get(f"{side}_max_position_embeddings", 0) for side in ("left", "right")) + 1
    is_second = "left_max_position_embeddings" in config
    relative, is_keyed = kind == "relative" and not is_second, kind == "relative_key" and is_second
    values = {
        "encoder_layers": config["speech_encoder_layers"],
        "encoder_heads": heads,
        "encoder_kv_heads": heads,
        "encoder_d_head": width // heads,
        "encoder_d_ff": wide,
        "encoder_mlp_matrices": 4,
        "encoder_mlp_bias": 0,
        "encoder_norms": 6,
        "encoder_conv_weights": width * (3 * width + config["conv_depthwise_kernel_size"]),
        "encoder_layer_vectors": 2 * (wide + width) + (2 * width if relative else reach * (width // heads) * is_keyed),
        "encoder_position_weights": width * width if relative else 0,
        "encoder_distances_once": 1,
        "encoder_scores_positions": int(relative or is_keyed),
        "encoder_scores_distances": int(relative),
        "stem_linear_weights": frame * width + 2 * width * wide,
        "stem_vectors": 2 * frame + width + wide + width + 2 * width,
        "n_own_tables": 0 if config["tie_word_embeddings"] else 1,
    }
    reading = Reading(values=values, keys=SPOKEN)
    if config["add_adapter"]:
        names = {"layers": "num_adapter_layers", "kernel": "adaptor_kernel_size", "stride": "adaptor_stride"}
        values |= {f"adapter_{name}": config[key] for name, key in names.items()} | {"adapter_d_ff": wide}
    if not relative and not is_keyed:
        reading.notes.append(f"position_embeddings_type = {kind!r} adds no weights to the conformer")
    return reading


def _sum_unpadded(weights: Sequence[int], kernels: Sequence[int], strides: Sequence[int]) -> dict[str, int]:
    """Return the sums over convolutions without padding, for the shortest recording that has s positions in the end.

    A convolution with p positions out needs (p - 1) x stride + kernel in: a x s + b, from the last to the first.
    """
    each, edge, products, edges = 1, 0, 0, 0
    for size, kernel, stride in zip(reversed(weights), reversed(kernels), reversed(strides), strict=True):
        products, edges = products + size * each, edges + size * edge
        each, edge = each * stride, (edge - 1) * stride + kernel
    return {"stem_weights": sum(weights), "stem_products": products, "stem_edge_products": edges}
