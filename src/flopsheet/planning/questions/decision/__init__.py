"""Which option to choose: every model side by side in each case, its rank, and what would change the choice."""

from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, Link, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.decision.lines import ENDS_LINES, OPTION_LINES
from flopsheet.planning.questions.scaling import MODEL_BEST

OPTIONS, ENDS = "decision_options", "decision_ends"


def _in_cases(name: str, line: str, title: str, table: str = MODELS_TABLE) -> tuple[Link, ...]:
    return tuple(Link(f"{name}_{case}", table, line, title=f"{title}: {TITLES[case]}", case=case) for case in CASES)


LINKS = (
    *(
        link
        for name, line, title in (
            ("spent", "programme_cost", "Program"),
            ("under_cap", "capped_cost", "Cash under the cap"),
            ("why_not", "verdict", "Why not"),
            ("run_days", "training_days", "Days"),
            ("run_mfu", "model_mfu", "MFU"),
            ("run_tokens", "training_tokens", "Training tokens"),
        )
        for link in _in_cases(name, line, title)
    ),
    *_in_cases("hour", "rented_hour", "Price of an hour", CASES_TABLE),
    Link("own_tokens", MODELS_TABLE, "training_tokens", title="Training tokens"),
    Link("own_mfu", MODELS_TABLE, "model_mfu", title="MFU"),
    Link("own_loss", MODELS_TABLE, "predicted_loss", title="Predicted loss"),
    Link("own_memory", MODELS_TABLE, "fits_layout", title="Fits in memory"),
    Link("own_time", MODELS_TABLE, "fits_time", title="Within schedule"),
    Link("own_money", MODELS_TABLE, "within_budget", title="Within the cap"),
    Link("own_reason", MODELS_TABLE, "verdict", title="Why not"),
    Link("own_program", MODELS_TABLE, "programme_cost", title="Program"),
    Link("own_days", MODELS_TABLE, "training_days", title="Days"),
    Link("own_capped", "programme", "capped_cash", title="Cash under the cap"),
    Link("own_over", "programme", "over_month", title="First month over the cap"),
    Link("reserved_count", CASES_TABLE, "reserved_count", title="Reserved accelerators"),
    Link("owned_count", CASES_TABLE, "owned_count", title="Owned accelerators"),
    Link("own_end", "programme", "run_end", title="Last day of the final run"),
    Link("own_moving", "programme", "program_moving", title="Cash that fewer hours save"),
    Link("own_added", "programme", "program_added", title="Cash of as many hours again"),
    Link("own_idle", "programme", "idle_hours", title="Held hours that more work would take first"),
    Link("own_taken", "programme", "taken_hours", title="Held hours that less work would leave idle in the end"),
    Link("own_highest", "programme", "highest_price", title="Highest price under the cap"),
    Link("own_room", "programme", "room_days", title="Days that the final run may take"),
    Link("room_known", CASES_TABLE, "room_known", title="What is held says how much work it has room for"),
    Link("window_tokens", "programme", "time_tokens", title="Tokens within window and program"),
    Link("paid_tokens", "programme", "affordable", title="Tokens that the cap pays for"),
    Link("laws_of_lowest_loss", "model_laws", "loss_is_lowest", "sum", "Laws under which its loss is lowest"),
    *MODEL_BEST,
    *(Link(f"cheaper_{case}", OPTIONS, f"order_{case}", "below", f"Cheaper options: {TITLES[case]}") for case in CASES),
    Link("cheaper_options", OPTIONS, "cost_order", "below", "Cheaper options"),
    Link("preferred_options", OPTIONS, "choice_order", "below", "Options that are preferred"),
    Link("better_options", OPTIONS, "loss_order", "below", "Options with a lower loss"),
    Link("nearer_options", OPTIONS, "near_order", "below", "Options that come nearer"),
    *(Link(line.name, ENDS, line.name, title=line.title) for line in ENDS_LINES),
)
GATHERED = (
    *(
        Link(f"most_{name}_{what}", OPTIONS, f"{name}_{what}", "max", f"{name.capitalize()} by {what}")
        for what in ("cost", "loss")
        for name in ("first", "second")
    ),
    Link("most_under_cap", OPTIONS, "capped_high", "max", "Highest cost under the cap"),
)

QUESTION = question_from(
    __name__,
    (
        Table(OPTIONS, "Options side by side", OPTION_LINES, (MODELS,), LINKS),
        Table(ENDS, "The first two options", ENDS_LINES, (), GATHERED),
    ),
)
