"""The layouts of a replica side by side; the cheapest per token is what a model takes where nobody gives one."""

from __future__ import annotations

from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.accounting.line import Line
from flopsheet.planning.question import MODELS, Link, Rows, RowSearch, Table
from flopsheet.planning.questions.serving.links import SERVED
from flopsheet.planning.questions.serving.memory import LAYOUTS
from flopsheet.planning.questions.serving.search import BRINGS, REPLICAS_TABLE, replicas
from flopsheet.planning.questions.training.checks import experts_divide, heads_divide

LIMIT = "1000000000000"
"""More accelerators than there are: what layouts that miss a target are ranked with."""

REPLICA = Rows(
    "replica_layout",
    "Layout of a replica",
    search=RowSearch(
        replicas,
        BRINGS,
        "replica_rank",
        instead=LAYOUTS,
        taken="no layout of replicas is given, so each model takes the cheapest per token of those compared that meet"
        " its targets: {models}; set tensor_parallel and the rest under [serving], or under [models.inputs] of one"
        " model",
    ),
)
"""The layouts that are compared, found for each model: all else is the plan's own."""

RANKS = (
    Line(
        "replica_divides",
        times(heads_divide("served_tensor"), experts_divide("served_experts")),
        "flag",
        title="Layout divides the model",
        about="Heads and routed experts",
        source="Checks of the plan",
    ),
    Line(
        "replica_usable",
        "replica_divides * weights_fit * min(max_batch, 1)",
        "flag",
        title="Usable",
        about="Divides the model, and fits with one sequence",
        source="Checks of the plan, and memory",
    ),
    Line(
        "target_missed",
        "max(itl_at_quantile * 1000 / itl_target_ms, ttft_at_quantile * 1000 / ttft_target_ms,"
        " peak_requests / (replicas * replica_requests) if replicas * replica_requests else 0)",
        "ratio",
        title="Worst of latency and demand over its target",
        about="Time between tokens, time to first token, and the peak over what replicas serve; 1: all met",
        source="Times and requests over the targets",
    ),
    Line(
        "targets_met",
        "replica_usable if target_missed <= 1 else 0",
        "flag",
        title="Usable, and meets every target",
        source="Worst of latency and demand",
    ),
    Line(
        "missed_by",
        substitute("limit * target_missed if replica_usable else limit * limit", {"limit": LIMIT}),
        "accelerators s",
        title="What it is ranked with if it misses a target",
        about="Above every layout that meets its targets; the nearest to them ranks first",
        source="Worst of latency and demand",
    ),
    Line(
        "ranked_by",
        "serving_accelerators / mean_requests if targets_met else missed_by",
        "accelerators s",
        title="What it is ranked with",
        about="At one price, fewer accelerators per request are a lower cost per token, whatever the price",
        source="Accelerators of the demand / requests",
    ),
    Line(
        "replica_rank",
        "cheaper_layouts + 1 if replica_usable else 0",
        "",
        title="Rank",
        about="By cost per token among the usable layouts of the model; 0: not usable",
        source="Layouts that cost less",
    ),
)

REPLICAS = Table(
    REPLICAS_TABLE,
    "Layouts of a replica",
    (*SERVED, *RANKS),
    (MODELS, REPLICA),
    (Link("cheaper_layouts", REPLICAS_TABLE, "ranked_by", "below", "Layouts that cost less"),),
)
