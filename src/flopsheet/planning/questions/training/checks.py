"""Layouts that no framework runs: what does not divide, and types that the accelerator lacks."""

from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.accounting.line import Line
from flopsheet.planning.question import MODELS_TABLE, Check

_WHOLE = "(1 if floor(whole / part) * part == whole else 0)"
SOURCE = "Whole numbers of everything that is divided"


def _divides(whole: str, part: str) -> str:
    return substitute(_WHOLE, {"whole": whole, "part": part})


def _line(name: str, title: str, formula: str) -> Line:
    return Line(f"divides_{name}", formula, "flag", title=title, source=SOURCE)


def heads_divide(ranks: str) -> str:
    """Return the formula that tells whether tensor ranks divide a model's heads."""
    return _divides("n_heads", ranks)


def experts_divide(ranks: str) -> str:
    """Return the formula that tells whether ranks divide a model's routed experts; one rank divides any model."""
    alone = substitute("max(1 if kept_routed else 0, 1 if ranks == 1 else 0)", {"ranks": ranks})
    return times(_divides("n_experts", ranks), alone)


_DIVISIONS = (
    _line("heads", "Tensor parallelism divides the heads", heads_divide("tensor_parallel")),
    _line(
        "accelerators",
        "The layout divides the accelerators",
        _divides("accelerators", "stage_ranks * pipeline_parallel"),
    ),
    _line("stages", "Every stage has a layer", "1 if pipeline_parallel <= pipeline_layers else 0"),
    _line(
        "batch",
        "The batch divides into micro-batches",
        times(_divides("global_batch", "data_parallel * micro_batch"), "(1 if global_batch >= data_parallel else 0)"),
    ),
    _line("experts", "Expert parallelism divides the experts", experts_divide("expert_parallel")),
    _line(
        "expert_ranks",
        "The experts' layout divides the accelerators",
        _divides("accelerators", "pipeline_parallel * expert_accelerators"),
    ),
)
DIVISIONS = (
    *_DIVISIONS,
    Line(
        "layout_divides",
        times(*(line.name for line in _DIVISIONS)),
        "flag",
        title="Layout divides the model",
        about="Heads, layers, experts, accelerators and batch",
        source=SOURCE,
    ),
)
"""Lines of one model under one layout: what divides without a remainder."""
CHUNKS = "max(1 if stage_chunks == virtual_stages else 0, 1 if pipeline_parallel == 1 else 0)"


def _check(name: str, title: str, formula: str, message: str, remedy: str, *, warning: bool = False) -> Check:
    return Check(f"layout_{name}", title, MODELS_TABLE, formula, message, remedy, warning=warning)


CHECKS = (
    _check(
        "memory",
        "Every model fits in memory under its layout",
        "fits_accelerator",
        "A model does not fit: its weights, optimizer and activations are more than an accelerator's usable memory",
        "Take a layout that fits: a note of the report names the nearest, and Layouts compared on Training has the"
        " others with the fewest accelerators of each",
    ),
    _check(
        "goodput",
        "Goodput is within what interruptions leave",
        "1 if goodput <= worked_goodput else 0",
        "{goodput} is above what interruptions of so many accelerators, restarts and checkpoints leave",
        "Lower {goodput} to the one worked out on Training, or correct {interruptions} and {restart_seconds}",
        warning=True,
    ),
    _check(
        "heads",
        "Tensor parallelism divides the heads",
        "divides_heads",
        "{tensor_parallel} does not divide the model's attention heads",
        "Choose a {tensor_parallel} that divides the attention heads",
    ),
    _check(
        "accelerators",
        "The layout divides the accelerators",
        "divides_accelerators",
        "{tensor_parallel} × {pipeline_parallel} × {context_parallel} does not divide accelerators",
        "Choose sizes whose product divides accelerators; the rest is data parallelism",
    ),
    _check(
        "stages",
        "Every stage has a layer",
        "divides_stages",
        "{pipeline_parallel} is more than the model's layers",
        "Choose a smaller {pipeline_parallel}",
    ),
    _check(
        "layers",
        "The pipeline divides the layers",
        _divides("pipeline_layers", "pipeline_parallel * stage_chunks"),
        "{pipeline_parallel} × {virtual_stages} does not divide the model's layers: the fullest stage sets memory and"
        " step time",
        "Choose {pipeline_parallel} and {virtual_stages} whose product divides the layers",
        warning=True,
    ),
    _check(
        "chunks",
        "Every virtual stage has a layer",
        CHUNKS,
        "{pipeline_parallel} × {virtual_stages} is more than the model's layers: fewer virtual stages are counted",
        "Choose fewer {virtual_stages}",
    ),
    _check(
        "batch",
        "The batch divides into micro-batches",
        "divides_batch",
        "{global_batch} is not a multiple of data parallelism × {micro_batch}",
        "Choose a {global_batch} that every data-parallel rank can cut into micro-batches",
    ),
    _check(
        "experts",
        "Expert parallelism divides the experts",
        "divides_experts",
        "{expert_parallel} does not divide the model's routed experts, or the model has none",
        "Choose an {expert_parallel} that divides the routed experts; 1 for dense models",
    ),
    _check(
        "expert_ranks",
        "The experts' layout divides the accelerators",
        "divides_expert_ranks",
        "{pipeline_parallel} × {expert_parallel} does not divide accelerators",
        "Choose an {expert_parallel} within the accelerators of a stage",
    ),
    _check(
        "speed",
        "MFU and the layout's step time agree",
        "1 if max(step_mfu, typed_mfu) <= (1 + speed_gap) * min(step_mfu, typed_mfu) else 0",
        "Days by the MFU and by the layout's step time differ by more than {speed_gap}; {speed_basis} says which of"
        " them count",
        "Take the one that you trust with {speed_basis}, and correct the other",
        warning=True,
    ),
    _check(
        "precision",
        "The accelerator supports the precision",
        "precision_is_bf16 + precision_is_fp8 * (1 if fp8_tflops > 0 else 0)"
        " + precision_is_fp4 * (1 if fp4_tflops > 0 else 0)",
        "The accelerator does not compute in this precision: its bf16 peak is used",
        "Choose precision = 'bf16', or an accelerator whose fp8_tflops or fp4_tflops is above 0",
    ),
)
