"""Adapters inside the layers: one for each language, of which a text passes its own."""

from flopsheet import Line, blocks

XMOD = "Pfeiffer et al. 2205.06266 (X-MOD), section 3; transformers models/xmod/modeling_xmod.py"

ADAPTERS = blocks.Block(
    dimensions=(
        blocks.optional("n_adapters", "Adapters per layer", "One per language"),
        blocks.optional("d_adapter", "Adapter width"),
        blocks.flag("adapter_norms", "Norms before the adapters", "Of their own, one per layer"),
    ),
    parameters=(
        blocks.whole_weights(
            "adapters",
            "n_layers * n_adapters * (2 * d_model * d_adapter + d_adapter + d_model)",
            "mlp",
            "Adapters",
            about="Two matrices with biases per language; a text passes those of its own",
            source=XMOD,
            active="1 / max(n_adapters, 1)",
        ),
        blocks.whole_weights(
            "adapter_norm",
            "n_layers * adapter_norms * norm_vectors * d_model",
            "norm",
            "Norms before the adapters",
            source=XMOD,
        ),
    ),
    flops=(
        Line(
            "adapters_flops",
            "4 * layer_tokens * n_layers * min(n_adapters, 1) * d_model * d_adapter",
            "FLOP",
            "mlp",
            title="Adapters",
            about="A multiply and an add for each weight and token of one language",
            source="2 FLOP per weight and token: torch.utils.flop_counter.mm_flop",
            work="linear",
        ),
    ),
)
