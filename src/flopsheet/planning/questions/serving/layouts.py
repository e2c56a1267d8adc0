"""The layouts of a replica side by side; the cheapest per token is what a model takes where nobody gives one."""

from __future__ import annotations

from flopsheet.accounting.formula.compose import substitute, times
from flopsheet.planning.question import MODELS, Link, Rows, RowSearch, Table
from flopsheet.planning.questions.serving.links import SERVED
from flopsheet.planning.questions.serving.memory import LAYOUTS
from flopsheet.planning.questions.serving.search import BRINGS, REPLICAS_TABLE, replicas
from flopsheet.planning.questions.training.divisions import experts_divide, heads_divide
from flopsheet.planning.written_lines import lines_from

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
        " its targets in the Base case, and keeps it in all others, on other accelerators too: {models}; set"
        " tensor_parallel and the rest under [serving], or under [models.inputs] of one model",
    ),
)
"""The layouts that are compared, found for each model: all else is the plan's own."""

RANKS = lines_from(
    __package__,
    "layouts.toml",
    "ranks",
    {
        "replica_shares_heads": heads_divide("served_tensor"),
        "replica_divides": times("replica_shares_heads", experts_divide("served_experts")),
        "missed_by": substitute("limit * target_missed if replica_usable else limit * limit", {"limit": LIMIT}),
    },
)

REPLICAS = Table(
    REPLICAS_TABLE,
    "Layouts of a replica",
    (*SERVED, *RANKS),
    (MODELS, REPLICA),
    (Link("cheaper_layouts", REPLICAS_TABLE, "ranked_by", "below", "Layouts that cost less"),),
)
