"""How large a model should be for a training budget, and which loss to expect: scaling laws side by side."""

from dataclasses import replace
from functools import cache

from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Link, Question, Rows, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.scaling.laws import ScalingLaw, chosen_by, notes_of, rows_of
from flopsheet.planning.questions.scaling.lifetime import LIFETIME_LINES
from flopsheet.planning.questions.scaling.lines import CASE_LINES, FORM_LINKS, ISOFLOP_LINES, LAW_LINES, LAW_LINKS
from flopsheet.planning.questions.scaling.models import MODEL_LAW_LINES, MODEL_LINES

LAWS = rows_of(())
"""The place of laws among the rows of tables: `with_laws` fills it."""
GOALS = Rows(
    "goal", "Minimized", values=({"goal": 1, "in_dollars": 0}, {"goal": 2, "in_dollars": 1}), labels=("FLOP", "Cost")
)
SIZES = Rows("size_factor", "Multiple of the optimum", values=(0.1, 0.25, 0.5, 0.7, 1, 1.5, 2, 3, 5))

CHOICE = "scaling_law"
"""The input that names the law behind the headline size."""
BEST = tuple(
    Link(f"best_{name.removeprefix('law_')}", "laws", f"chosen_{name}", "sum", f"{title}, chosen law")
    for name, title in (("law_a", "A"), ("law_b", "B"), ("law_e", "E"), ("alpha", "alpha"), ("beta", "beta"))
)
"""The constants of the chosen law; 0 where it has another form."""
MODEL_BEST = tuple(
    Link(name, "model_laws", f"chosen_{name}", "sum", f"{title}, chosen law")
    for name, title in (
        ("size_loss", "Loss of the size"),
        ("model_b", "B of this model"),
        ("model_beta", "beta of this model"),
        ("repeats", "R of repeats"),
    )
)
"""The chosen law for one model, as a function of its tokens; 0 where it has another form."""

QUESTION = question_from(
    __name__,
    (
        Table(CASES_TABLE, "Cluster", CASE_LINES),
        Table(
            "laws",
            "Scaling laws",
            LAW_LINES,
            (LAWS,),
            (
                Link("cluster_flop", CASES_TABLE, "trainable_flop", title="FLOP of the cluster"),
                Link("least_off", "model_laws", "off_optimum", "min", "Smallest distance of a model"),
                Link("least_loss", "model_laws", "predicted_loss", "min", "Lowest loss of a model"),
            ),
        ),
        Table(
            "model_laws",
            "Predicted loss of each model, by law",
            MODEL_LAW_LINES,
            (MODELS, LAWS),
            (
                Link("tokens_trained", MODELS_TABLE, "training_tokens", title="Training tokens"),
                *(Link(name, "laws", name) for name in LAW_LINKS),
                Link("law_effect", "laws", "expert_effect", title="Effect of the plan's expansion"),
                Link("of_law_flop", "laws", "law_flop", title="Training FLOP of the law"),
                Link("of_size_exponent", "laws", "size_exponent", title="Exponent of the optimal size"),
                Link("law_is_chosen", "laws", "is_chosen", title="Whether it is the chosen law"),
            ),
        ),
        Table(
            MODELS_TABLE,
            "Models",
            MODEL_LINES,
            (MODELS,),
            (Link("loss_of_law", "model_laws", "chosen_law_loss", "sum", "Predicted loss, chosen law"),),
        ),
        Table(
            "isoflop",
            "The same FLOP at other sizes",
            ISOFLOP_LINES,
            (SIZES,),
            (
                Link("best_parameters", "laws", "chosen_parameters", "sum"),
                Link("best_tokens", "laws", "chosen_tokens", "sum"),
                Link("best_loss", "laws", "chosen_loss", "sum"),
                Link("best_flop", "laws", "chosen_flop", "sum"),
                *BEST,
            ),
        ),
        Table(
            "scaling_lifetime",
            "Size and tokens with the lowest cost of training and serving",
            LIFETIME_LINES,
            (LAWS, GOALS),
            (
                *(Link(name, "laws", name) for name in FORM_LINKS),
                Link("train_parameters", "laws", "optimal_parameters", title="Optimum of training alone"),
                Link("train_tokens", "laws", "optimal_tokens", title="Its tokens"),
                Link(
                    "trained_rate", CASES_TABLE, "flops_per_accelerator", title="FLOP/s of an accelerator in training"
                ),
            ),
        ),
    ),
)


@cache
def with_laws(laws: tuple[ScalingLaw, ...]) -> Question:
    """Return the question under laws in their order, of which the input `scaling_law` chooses one by its name."""
    rows, question = rows_of(laws), QUESTION
    return replace(
        question,
        inputs=tuple(chosen_by(entry, laws) if entry.name == CHOICE else entry for entry in question.inputs),
        tables=tuple(
            table._replace(rows=tuple(rows if row == LAWS else row for row in table.rows)) for table in question.tables
        ),
        sheet={**question.sheet, "notes": [*question.sheet["notes"], *notes_of(laws)]},
    )
