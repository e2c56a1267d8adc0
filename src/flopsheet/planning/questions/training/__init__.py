"""Does a model fit on the accelerators of a layout, and how long does a step take: memory, step time, layouts."""

from functools import partial

from flopsheet.accounting.formula import compose
from flopsheet.accounting.line import Line
from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, RowSearch, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.budget.lines import MODEL_LINES
from flopsheet.planning.questions.training.divisions import DIVISIONS
from flopsheet.planning.questions.training.memory import MEMORY
from flopsheet.planning.questions.training.search import BRINGS, layouts
from flopsheet.planning.questions.training.speed import SPEED
from flopsheet.planning.written_lines import lines_from

TYPED, PUBLISHED, FLOPS = (
    next(line for line in MODEL_LINES if line.name == name) for name in ("model_mfu", "most_mfu", "training_flops")
)
MFU = TYPED._replace(
    formula="step_mfu if speed_basis_is_layout else typed_mfu",
    about="Of the layout's step time, or as typed: see Speed from",
    source="Step time, or the drivers of this plan",
)
MOST = PUBLISHED._replace(
    formula=compose.fill("PUBLISHED * matmul_rate / (1000000000000 * peak_tflops)", PUBLISHED=PUBLISHED.formula),
    about="Of models of its kind in bf16, times what the precision multiplies faster",
)
WHOLE = FLOPS._replace(
    formula=compose.fill("(1 + mtp_share) * COUNTED", COUNTED=FLOPS.formula),
    about="At the workload's sequence length and mask, with layers for multi-token prediction",
)


LAYOUT = Rows(
    "layout",
    "Layout",
    search=RowSearch(
        layouts,
        BRINGS,
        "layout_rank",
        taken="no layout is given, so each model takes the fastest of those compared that fits: {models}; set"
        " tensor_parallel and the rest under [layout], or under [models.inputs] of one model",
    ),
)
"""The layouts that are compared, found for each model: all else is the plan's own."""
_within_limit = partial(compose.fill, LIMIT="1000000")
"""More than any step takes or any layout needs: what layouts that are not usable are ranked with."""

FIT_LINES = lines_from(
    __package__,
    "layouts.toml",
    "fit",
    {"smallest_accelerators": _within_limit("smallest_cluster if smallest_cluster < LIMIT else 0")},
)
RANK_LINES = lines_from(
    __package__,
    "layouts.toml",
    "ranks",
    {
        "ranked_seconds": _within_limit("step_seconds if usable else LIMIT"),
        "ranked_fewest": _within_limit("fewest_accelerators if fewest_accelerators else LIMIT"),
    },
)
"""One row per model and layout."""

PARTS = (
    *(
        (name, f"{name}_bytes_per_accelerator", title)
        for name, title in (
            ("weights", "Weights"),
            ("gradients", "Gradients"),
            ("optimizer", "Optimizer"),
            ("activations", "Activations"),
            ("logits", "Logits"),
            ("buffers", "Buffers"),
            ("memory", "Total"),
        )
    ),
    ("usable", "usable_bytes", "Usable"),
)
"""What an accelerator holds: a name, the line of Models that it is, and its title."""

QUESTION = question_from(
    __name__,
    (
        Table(
            MODELS_TABLE,
            "Models",
            (
                *MEMORY,
                *SPEED,
                *lines_from(__package__, "goodput.toml", "goodput"),
                *DIVISIONS,
                TYPED._replace(name="typed_mfu", title="MFU as typed"),
                MFU,
                MOST,
                WHOLE,
                *FIT_LINES,
            ),
            (MODELS,),
            (
                Link("fastest_layout", "layouts", "best_seconds", "max", "Fastest step that fits"),
                Link("smallest_cluster", "layouts", "ranked_fewest", "min", "Fewest accelerators that train it"),
            ),
            replaces=(MFU.name, MOST.name, WHOLE.name, "fits_layout"),
        ),
        Table(
            "accelerator_memory",
            "Memory per accelerator",
            tuple(
                Line(f"{part}_memory", f"own_{part}", "bytes", title=title, source="This model's layout")
                for part, _, title in PARTS
            ),
            (MODELS,),
            tuple(
                Link(f"own_{part}", MODELS_TABLE, line, title=f"{title}, from Models") for part, line, title in PARTS
            ),
        ),
        Table(
            "layouts",
            "Layouts compared",
            (
                *MEMORY,
                *SPEED,
                *DIVISIONS,
                *RANK_LINES,
            ),
            (MODELS, LAYOUT),
            (Link("better_layouts", "layouts", "ranked_seconds", "below", "Layouts with a shorter step"),),
        ),
    ),
)
