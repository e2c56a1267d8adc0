"""A rate card: what a team is charged for training on accelerators of its own company."""

from flopsheet import MODELS, Figure, Input, Line, Question, Table, hookimpl

RATE = Input(
    "charged_rate",
    "Rate of an accelerator-hour",
    "USD/h",
    kind="ratio",
    low=2.2,
    default=2.5,
    high=3,
    minimum=0,
    better="low",
    section="chargeback",
    about="What the platform team charges a team for an hour of one accelerator.",
    source="Rate card 2026",
    date="2026-07-01",
)
OVERHEAD = Input(
    "charged_overhead",
    "Overhead",
    kind="share",
    default=0.08,
    minimum=0,
    section="chargeback",
    about="What is added for storage, network and support.",
    source="Rate card 2026",
    date="2026-07-01",
)
LINES = (
    Line(
        "charged",
        "training_hours * charged_rate * (1 + charged_overhead)",
        "USD",
        title="Charged to the team",
        source="Hours × rate × (1 + overhead)",
    ),
)
CASES = (
    Line(
        "charged_cluster",
        "accelerator_hours * charged_rate * (1 + charged_overhead)",
        "USD",
        title="Whole cluster",
        source="Hours × rate × (1 + overhead)",
    ),
)
QUESTION = Question(
    name="chargeback",
    title="What is a team charged?",
    about="Each model, and the whole cluster, at the company's own rate card.",
    inputs=(RATE, OVERHEAD),
    tables=(Table("models", "Models", LINES, (MODELS,)), Table("cases", "Cluster", CASES)),
    figures=(Figure("cluster", "Charged for the cluster", "cases", "charged_cluster", "At the rate card"),),
    optional=True,
)

flopsheet_questions = hookimpl(lambda: [QUESTION])
