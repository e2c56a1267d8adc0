"""Alternating updates and low-rank residuals: several copies of the stream, of which a layer computes one."""

from typing import Any

from flopsheet import Line, blocks

ALTUP_SOURCE = "Baykal et al. 2301.13310 (AltUp), section 3; transformers models/gemma3n/modeling_gemma3n.py"
LAUREL_SOURCE = "Menghani et al. 2411.07501 (LAuReL), section 2; transformers models/gemma3n/modeling_gemma3n.py"


def _linear(name: str, weights: str, title: str, source: str = ALTUP_SOURCE, **more: Any) -> blocks.Block:
    return blocks.linear(name, weights, group="other", title=title, source=source, shard="replicated", **more)


ALTUP = (
    blocks.Block(
        dimensions=(
            blocks.optional(
                "n_streams",
                "Copies of the residual stream",
                "A layer computes one of them and predicts the others",
                keys=("altup_num_inputs",),
                source=ALTUP_SOURCE,
            ),
            blocks.optional("laurel_rank", "Rank of the residual", keys=("laurel_rank",)),
        ),
        parameters=(
            blocks.whole_weights(
                "altup_scale",
                "n_layers * min(n_streams, 1) * d_model",
                "other",
                "Scale of the corrected stream",
                source=ALTUP_SOURCE,
            ),
        ),
        flops=(
            Line(
                "altup_mix_flops",
                "2 * tokens * n_layers * n_streams * n_streams * d_model",
                "FLOP",
                "other",
                title="Prediction of the streams",
                about="A product of the streams with a small matrix of each token",
                source=ALTUP_SOURCE,
                work="attention_core",
            ),
        ),
    )
    + _linear(
        "altup_projections",
        "d_model * d_model",
        "Projections to and from the streams",
        sides="2 * d_model",
        rows="d_model",
        copies="2 * max(n_streams - 1, 0)",
    )
    + _linear(
        "altup_router",
        "n_streams * d_model",
        "Router of the streams",
        sides="n_streams + d_model",
        rows="n_streams",
        uses="2 * n_layers",
        about="Asked before and after a layer",
    )
    + _linear("altup_coefficients", "(n_streams + 1) * n_streams * n_streams", "Coefficients of the streams")
    + _linear(
        "laurel",
        "2 * d_model * laurel_rank",
        "Low-rank residual",
        LAUREL_SOURCE,
        sides="2 * (laurel_rank + d_model)",
        rows="laurel_rank + d_model",
    )
    + blocks.Block(
        activations=(
            blocks.activation_line(
                "altup_kept",
                "tokens * n_layers * (2 * n_streams * d_model + 2 * laurel_rank)",
                "other",
                "Streams before and after a layer, and the low-rank residual",
                "replicated",
            ),
        )
    )
)
