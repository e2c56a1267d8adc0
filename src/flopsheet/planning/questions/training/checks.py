"""Layouts that no framework runs: what does not divide, and types that the accelerator lacks."""

from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.planning.question import MODELS_TABLE, Check

_WHOLE = "(1 if floor(whole / part) * part == whole else 0)"


def _divides(whole: str, part: str) -> str:
    return substitute(_WHOLE, {"whole": whole, "part": part})


HEADS = _divides("n_heads", "tensor_parallel")
ACCELERATORS = _divides("accelerators", "tensor_parallel * pipeline_parallel * context_parallel")
STAGES = "(1 if pipeline_parallel <= pipeline_layers else 0)"
CHUNKS = "1 if stage_chunks == virtual_stages else (1 if pipeline_parallel == 1 else 0)"
BATCH = times(_divides("global_batch", "data_parallel * micro_batch"), "(1 if global_batch >= data_parallel else 0)")
EXPERTS = times(_divides("n_experts", "expert_parallel"), "(1 if kept_routed else (1 if expert_parallel == 1 else 0))")
EXPERT_RANKS = _divides("accelerators", "pipeline_parallel * expert_parallel * expert_tensor_parallel")
DIVIDES = times(HEADS, ACCELERATORS, STAGES, BATCH, EXPERTS, EXPERT_RANKS)
"""1 for a layout that divides heads, layers, experts, accelerators and batch."""


def _check(name: str, title: str, formula: str, message: str, remedy: str) -> Check:
    return Check(f"layout_{name}", title, MODELS_TABLE, formula, message, remedy)


CHECKS = (
    _check(
        "heads",
        "Tensor parallelism divides the heads",
        HEADS,
        "tensor_parallel does not divide the model's attention heads",
        "Choose a tensor_parallel that divides n_heads",
    ),
    _check(
        "accelerators",
        "The layout divides the accelerators",
        ACCELERATORS,
        "tensor_parallel × pipeline_parallel × context_parallel does not divide accelerators",
        "Choose sizes whose product divides accelerators; the rest is data parallelism",
    ),
    _check(
        "stages",
        "Every stage has a layer",
        STAGES,
        "pipeline_parallel is more than the model's layers",
        "Choose a smaller pipeline_parallel",
    ),
    _check(
        "chunks",
        "Every virtual stage has a layer",
        CHUNKS,
        "pipeline_parallel × virtual_stages is more than the model's layers: fewer virtual stages are counted",
        "Choose fewer virtual_stages",
    ),
    _check(
        "batch",
        "The batch divides into micro-batches",
        BATCH,
        "global_batch is not a multiple of data parallelism × micro_batch",
        "Choose a global_batch that every data-parallel rank can cut into micro-batches",
    ),
    _check(
        "experts",
        "Expert parallelism divides the experts",
        EXPERTS,
        "expert_parallel does not divide the model's routed experts, or the model has none",
        "Choose an expert_parallel that divides n_experts; 1 for dense models",
    ),
    _check(
        "expert_ranks",
        "The experts' layout divides the accelerators",
        EXPERT_RANKS,
        "pipeline_parallel × expert_parallel does not divide accelerators",
        "Choose an expert_parallel within the accelerators of a stage",
    ),
    _check(
        "precision",
        "The accelerator has the precision",
        "(1 if fp8_tflops > 0 else 0) if precision_is_fp8 else ((1 if fp4_tflops > 0 else 0) if precision_is_fp4"
        " else 1)",
        "The accelerator has no products in this precision: its bf16 peak is taken",
        "Choose precision = 'bf16', or an accelerator whose fp8_tflops or fp4_tflops is above 0",
    ),
)
