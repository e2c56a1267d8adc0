"""What a cluster buys, and what each model takes of it: FLOP, hours, days, money and energy."""

from flopsheet.planning.inputs import inputs_from, sheet_from
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Figure, Heeded, Question, Table
from flopsheet.planning.questions.budget.checks import CHECKS
from flopsheet.planning.questions.budget.lines import CLUSTER_LINES, MODEL_LINES

QUESTION = Question(
    name="budget",
    title="What can we train on this cluster?",
    about="What a cluster computes in a number of days, what that costs, and what each model takes of it.",
    inputs=inputs_from(__name__),
    tables=(
        Table(CASES_TABLE, "Cluster", CLUSTER_LINES),
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,)),
    ),
    figures=(
        Figure(
            "budget",
            "Compute, dense models",
            CASES_TABLE,
            "budget_flop",
            "FLOP that end up in the models; 1 ZFLOP is 1e21",
        ),
        Figure(
            "budget_sparse",
            "Compute, mixtures of experts",
            CASES_TABLE,
            "budget_flop_sparse",
            "The same, at their lower MFU",
        ),
        Figure("hours", "Accelerator-hours", CASES_TABLE, "accelerator_hours", "Accelerators × days × 24"),
        Figure("cost", "Cost", CASES_TABLE, "budget_cost", "Accelerator-hours × price"),
        Figure("energy", "Energy", CASES_TABLE, "energy_kwh", "With servers and cooling"),
        Figure("carbon", "Emissions", CASES_TABLE, "carbon_kg", "Energy × carbon intensity of the grid"),
    ),
    checks=CHECKS,
    sheet=sheet_from(__name__),
    heeds=(Heeded("budget_usd", "money"),),
)
