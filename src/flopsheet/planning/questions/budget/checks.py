"""What a plan of a cluster should not rest on: an MFU that was never measured, and prices that are old or 0."""

from flopsheet.accounting.formula.compose import substitute
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE, Check

_REACHABLE = "1 if reached <= most else 0"
_USUAL = "1 if reached >= least else 0"
_REACHED = "(model_flops_per_accelerator / (1000000000000 * peak_tflops))"


_RANGE = "widen the range ({mfu_least}, {mfu_most}, {mfu_sparse_least}, {mfu_sparse_most}) with a source"


def _typed_checks(name: str, what: str) -> tuple[Check, Check]:
    """Return that an MFU was reached before, which must hold, and that it is no slower than all runs, which warns."""
    names = {"reached": name, "most": f"{name}_most", "least": f"{name}_least"}
    published = f"what published runs of this generation reached: {{{name}_least}} to {{{name}_most}}"
    return (
        Check(
            f"{name}_published",
            f"MFU of {what} was reached by published runs",
            CASES_TABLE,
            substitute(_REACHABLE, names),
            f"{{{name}}} is above {published}",
            f"Set {{{name}}} within that range, or widen it with a source",
        ),
        Check(
            f"{name}_usual",
            f"MFU of {what} is no lower than that of published runs",
            CASES_TABLE,
            substitute(_USUAL, names),
            f"{{{name}}} is below {published}",
            f"Keep it if the run is meant to be that slow; otherwise set {{{name}}} within that range",
            warning=True,
        ),
    )


CHECKS = (
    *_typed_checks("mfu", "dense models"),
    *_typed_checks("mfu_sparse", "mixtures of experts"),
    Check(
        "achieved_published",
        "The speed that was typed was reached by published runs",
        CASES_TABLE,
        substitute(
            _REACHABLE, {"reached": "(achieved_tflops / peak_tflops)", "most": "max(mfu_most, mfu_sparse_most)"}
        ),
        "{achieved_tflops} over the bf16 peak is above the MFU that published runs of this generation reached",
        f"Change {{achieved_tflops}}, or {_RANGE}",
    ),
    Check(
        "price_current",
        "The GPU-hour price is current",
        CASES_TABLE,
        "0 if price_per_hour * max(price_age - price_max_age, 0) else 1",
        "{price_per_hour} is older than {price_max_age} days: see {price_age}",
        "Enter {price_per_hour} with the date of a new quote",
        warning=True,
    ),
    Check(
        "price_given",
        "There is a GPU-hour price",
        CASES_TABLE,
        "1 if price_per_hour > 0 else 0",
        "{price_per_hour} is 0, and so is every cost of computing",
        "Enter {price_per_hour}, or ignore the costs in this plan",
    ),
    Check(
        "speed_published",
        "Every model's speed was reached by published runs",
        MODELS_TABLE,
        substitute(_REACHABLE, {"reached": _REACHED, "most": "most_mfu"}),
        "The speed over the bf16 peak is above the MFU that published runs of this generation and kind reached",
        f"Take a slower layout or change {{mfu}}, {{mfu_sparse}} or {{achieved_tflops}}, or {_RANGE}",
        warning=True,
    ),
    Check(
        "speed_usual",
        "Every model's speed is no lower than that of published runs",
        MODELS_TABLE,
        substitute(_USUAL, {"reached": _REACHED, "least": "least_mfu"}),
        "The speed over the bf16 peak is below the MFU that published runs of this generation and kind reached",
        "Keep it if the run is meant to be that slow;"
        " otherwise change {mfu}, {mfu_sparse}, {achieved_tflops} or the layout",
        warning=True,
    ),
)
