"""What of a layout has to divide: heads, layers, experts, accelerators and the batch."""

from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.accounting.line import Line

_WHOLE = "(1 if floor(whole / part) * part == whole else 0)"
_SHARED = """\
(1 if (n_kv_heads - floor(n_kv_heads / part) * part) * (part - floor(part / max(n_kv_heads, 1)) * n_kv_heads) == 0 \
else 0)"""
"""Ranks have whole heads of keys and values each, or whole groups of ranks have one each: else no engine starts."""
SOURCE = "Whole numbers of everything that is divided"


def _divides(whole: str, part: str) -> str:
    return substitute(_WHOLE, {"whole": whole, "part": part})


def _line(name: str, title: str, formula: str) -> Line:
    return Line(f"divides_{name}", formula, "flag", title=title, source=SOURCE)


def heads_divide(ranks: str) -> str:
    """Return the formula that tells whether tensor ranks divide a model's heads, and share those of keys and values."""
    return times(_divides("n_heads", ranks), substitute(_SHARED, {"part": ranks}))


def experts_divide(ranks: str) -> str:
    """Return the formula that tells whether ranks divide a model's routed experts; one rank divides any model."""
    alone = substitute("max(1 if kept_routed else 0, 1 if ranks == 1 else 0)", {"ranks": ranks})
    return times(_divides("n_experts", ranks), alone)


_DIVISIONS = (
    _line("heads", "Tensor parallelism divides the heads", _divides("n_heads", "tensor_parallel")),
    _line("kv_heads", "Tensor ranks share keys and values", substitute(_SHARED, {"part": "tensor_parallel"})),
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
