"""Layers between an encoder that hears and its decoder, which shorten what cross attention reads."""

from flopsheet import Dimension, Line, blocks

SEAMLESS = "Barrault et al. 2308.11596, section 4.1; transformers models/seamless_m4t/modeling_seamless_m4t.py"
COUNTED = "torch.utils.flop_counter: bmm_flop"

ADAPTER = (
    blocks.Block(
        dimensions=(
            blocks.optional("adapter_layers", "Adapter layers", maximum=1),
            Dimension("adapter_kernel", "Adapter kernel", unit="positions", default=1),
            Dimension("adapter_stride", "Adapter stride", unit="positions", default=1),
            blocks.optional("adapter_d_ff", "Adapter MLP width"),
        ),
        flops=(
            blocks.helper(
                "adapter_padding", "2 * floor(adapter_stride / 2)", "positions", "Adapter padding", source=SEAMLESS
            ),
            blocks.helper(
                "heard_len",
                "min(1, source_len) * (floor((source_len + adapter_padding - adapter_kernel) / adapter_stride) + 1)"
                " if adapter_layers else source_len",
                "tokens",
                "Positions that cross attention reads",
                about="Those of the source, or as many as an adapter's convolution leaves",
                source=SEAMLESS,
            ),
            blocks.helper("heard_tokens", "batch * heard_len", "tokens", "Source positions of the batch"),
            Line(
                "adapter_conv_flops",
                "2 * heard_tokens * adapter_layers * 4 * adapter_kernel * d_model * d_model",
                "FLOP",
                "conv",
                title="Adapter convolutions",
                source=SEAMLESS,
                work="other",
                decode="0",
            ),
            Line(
                "adapter_core_flops",
                "2 * 2 * batch * adapter_layers * heard_len * heard_len * d_model",
                "FLOP",
                "cross_attention",
                title="Adapter attention core",
                about="Scores and their product with the values: 2 FLOP each for a pair and channel",
                source=COUNTED,
                work="attention_core",
                decode="0",
            ),
        ),
        parameters=(
            blocks.whole_weights(
                "adapter_conv",
                "adapter_layers * 4 * adapter_kernel * d_model * d_model",
                "conv",
                "Adapter convolutions",
                about="Two, each twice as wide as the model, since a gate takes half",
                source=SEAMLESS,
            ),
            blocks.whole_weights(
                "adapter_vectors",
                "adapter_layers * (15 * d_model + adapter_d_ff)",
                "other",
                "Adapter norms and biases",
                source=SEAMLESS,
            ),
        ),
    )
    + blocks.linear(
        "adapter_attention",
        "4 * d_model * d_model",
        group="cross_attention",
        copies="adapter_layers",
        tokens="heard_tokens",
        decode="0",
        title="Adapter attention",
        source=SEAMLESS,
    )
    + blocks.linear(
        "adapter_mlp",
        "2 * d_model * adapter_d_ff",
        group="mlp",
        copies="adapter_layers",
        tokens="heard_tokens",
        decode="0",
        title="Adapter MLP",
        source=SEAMLESS,
    )
)
"""Nothing of it is there in most types: cross attention then reads the source."""
