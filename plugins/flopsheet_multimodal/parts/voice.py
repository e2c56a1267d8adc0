"""Voices of omni models: a talker that writes codes of speech, and what makes sound of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading
from flopsheet_multimodal.parts.layers import attention, conv, linear

if TYPE_CHECKING:
    from collections.abc import Mapping

SNAKE = 2
"""Numbers per channel of the activation SnakeBeta (Ziyin et al. 2006.08195)."""

TIME_CHANNELS = 256
"""Sines of a diffusion step, from which its vector is made."""

ENDS, POINT = 7, 1
"""Widths of a vocoder's first and last convolutions, and of those that mix channels alone."""


def flow(config: Mapping[str, Any]) -> Reading:
    """Sum a transformer that makes spectrograms of codes by flow matching, with the encoder of a speaker's voice."""
    width, inner = config["hidden_size"], config["head_dim"] * config["num_attention_heads"]
    mel, wide = config["mel_dim"], config["ff_mult"] * config["hidden_size"]
    read = mel + config["enc_dim"] + config["enc_emb_dim"] + config["emb_dim"]
    layer = linear(width, 6 * width) + 3 * linear(width, inner) + linear(inner, width)
    layer += linear(width, wide) + linear(wide, width)
    steps = linear(TIME_CHANNELS, width) + linear(width, width)
    ends = (config["num_embeds"] + 1) * config["emb_dim"] + linear(read, width) + linear(width, 2 * width)
    total = steps + ends + linear(width, mel) + config["num_hidden_layers"] * layer + _speaker(config)
    return Reading({"weights": total})


def _speaker(config: Mapping[str, Any]) -> int:
    """Return an ECAPA-TDNN (Desplanques et al. 2005.07143): squeezed Res2Net blocks, and attentive pooling."""
    widths, kernels, last = config["enc_channels"], config["enc_kernel_sizes"], config["enc_channels"][-1]
    if not len(widths) == len(kernels) == len(config["enc_dilations"]):
        raise ValueError("enc_channels, enc_kernel_sizes and enc_dilations must be of one length")
    total = conv(config["mel_dim"], widths[0], kernels[0]) + conv(last, last, kernels[-1])
    squeeze, scale, inner = config["enc_se_channels"], config["enc_res2net_scale"], config["enc_attention_channels"]
    for source, width, kernel in zip(widths, widths[1:-1], kernels[1:-1], strict=False):
        total += linear(source, width) + linear(width, width) + linear(width, squeeze) + linear(squeeze, width)
        total += (scale - 1) * conv(width // scale, width // scale, kernel)
    pooling = linear(3 * last, inner) + linear(inner, last) + linear(2 * last, config["enc_dim"])
    return int(total + pooling)


def bigvgan(config: Mapping[str, Any]) -> Reading:
    """Sum the vocoder BigVGAN (Lee et al. 2206.04658): each stage halves the channels of a longer signal."""
    width = config["upsample_initial_channel"]
    total = conv(config["mel_dim"], width, ENDS)
    for stage, kernel in enumerate(config["upsample_kernel_sizes"][: len(config["upsample_rates"])]):
        source, half = width // 2**stage, width // 2 ** (stage + 1)
        total += conv(source, half, kernel)
        total += sum(6 * (conv(half, half, each) + SNAKE * half) for each in config["resblock_kernel_sizes"])
    last = width // 2 ** len(config["upsample_rates"])
    return Reading({"weights": int(total + SNAKE * last + ENDS * last)})


def waves(config: Mapping[str, Any]) -> Reading:
    """Sum what makes sound of codes without a spectrogram: a transformer, and convolutions that lengthen the signal."""
    width = config["hidden_size"]
    layer = attention(config, width // config["num_attention_heads"]) + 3 * width * config["intermediate_size"]
    total = config["num_hidden_layers"] * (layer + 4 * width) + width
    total += config["codebook_size"] * config["num_quantizers"] * width
    block = 7 * width + width + 2 * width + linear(width, 4 * width) + linear(4 * width, width) + width
    total += sum(conv(width, width, factor) + block for factor in config["upsampling_ratios"])
    first, last = config["decoder_dim"], config["decoder_dim"] // 2 ** len(config["upsample_rates"])
    total += conv(width, first, ENDS) + SNAKE * last + conv(last, 1, ENDS)
    for stage, rate in enumerate(config["upsample_rates"]):
        source, half = first // 2**stage, first // 2 ** (stage + 1)
        unit = 2 * SNAKE * half + conv(half, half, ENDS) + conv(half, half, POINT)
        total += SNAKE * source + conv(source, half, 2 * rate) + 3 * unit
    return Reading({"weights": int(total)})
