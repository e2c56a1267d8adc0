"""Memory of the busiest accelerator under a layout: weights, gradients, optimizer, activations, logits, buffers."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

ZERO = "Rajbhandari et al. 1910.02054, sections 3 and 5"


def _sharing(below: int, part: str) -> tuple[Line, ...]:
    """Return whether data-parallel accelerators share a part of the state, above a ZeRO stage, and among how many."""
    return (
        Line(
            f"{part}_shared",
            fill("1 if zero_stage > BELOW else 0", BELOW=below),
            "flag",
            title=f"Data-parallel accelerators share {part}",
            source=ZERO,
        ),
        Line(
            f"{part}_shards",
            fill("data_parallel * context_parallel if PART_shared else 1", PART=part),
            "accelerators",
            title=f"Accelerators that share {part}",
            source=ZERO,
        ),
        Line(
            f"{part}_expert_shards",
            fill("expert_ranks if PART_shared else 1", PART=part),
            "accelerators",
            title=f"Accelerators that share {part} of experts",
            source=ZERO,
        ),
    )


STATE = (
    *lines_from(__package__, "memory.toml", "parameters_layers"),
    *(line for below, part in enumerate(("optimizer", "gradients", "weights")) for line in _sharing(below, part)),
    *lines_from(__package__, "memory.toml", "weights", zero=ZERO),
    *(
        Line(
            f"{part}_bytes_per_accelerator",
            fill(
                "EACH * (parameters_per_accelerator / PART_shards"
                " + expert_parameters_per_accelerator / PART_expert_shards)",
                EACH=each,
                PART=part,
            ),
            "bytes",
            title=title,
            source=ZERO,
        )
        for part, each, title in (
            ("gradients", "gradient_dtype_bytes * trained_share", "Gradients per accelerator"),
            (
                "optimizer",
                "optimizer_bytes * trained_share * (1 - offloaded_optimizer)",
                "Optimizer state per accelerator",
            ),
        )
    ),
)

MEMORY = (
    *lines_from(__package__, "ranks.toml", "ranks"),
    *STATE,
    *lines_from(__package__, "memory.toml", "memory", zero=ZERO),
)
"""Lines of one model under one layout: their names are inputs, the model's totals, and each other."""
