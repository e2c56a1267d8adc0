"""The section of docs/calibration.md on published training steps: how far predictions are off, and by what term."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.planning.calibration_steps import plan_step
from flopsheet.planning.datafiles import data_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

HEAD = """\
## Training

How far the throughput of the question `training` is from published ones: predicted over published tokens per second,
less 1. Its efficiencies are the same for every row, none is fitted per model or accelerator: {shared} are shared, and
three say how stacks differ. Only `watts_per_tflop` is a judgment; `tools/fit_training.py` fits the others on these
rows, and again without each model, without each source and without each term, from a start that knows no row.

"""
TERMS_HEAD = """
What each term is for: the median error where each model is left out of the fit, with the term taken out of the form.

"""
ROWS_HEAD = """
Every row, under the fit on all rows and under those without its model and its source. z is the ZeRO stage.

"""
TAIL = """
What stays off, and what is known of it:

- Mixtures are slower than predicted on servers of eight accelerators (B200, B300 and H100, up to 1.9 times) and faster
  on NVL72 (GB200, GB300): small products wait for their launch, and recipes differ in CUDA graphs and dispatchers,
  which no source states. Containers of one layout moved up to 1.8 times within a year.
- Context rings of 131,072 tokens in torchtitan take longer than what the attention cores do not hide.
- Small layers split among eight accelerators (Llama 3 8B, GPT-22B) are slower: no term says what a message costs.
- Attention cores are known from long sequences alone, so their efficiency is the least certain.
- The 26.02.01 row of Llama 3 70B in mxfp8 states one virtual stage, where sister rows have five.
"""


LORA_HEAD = """
### Adapters on a frozen model

LoRA of rank 16 where the source states none, under the same efficiencies; no row had a part in a fit. The median factor
is {factor:.2f}. AutoModel's steps with tensor parallelism are slower than anything in the form says.

"""


class StepComparison(NamedTuple):
    """A published step, its time in seconds, and the predicted one.

    `left_out` are the predictions of fits in which its model, or all steps of its source, had no part.
    """

    row: dict[str, Any]
    predicted: float
    left_out: tuple[float, ...]

    @property
    def errors(self) -> list[float]:
        """How far the throughput is off under the inputs' efficiencies, and under the fits without model and source."""
        return [float(self.row["seconds"]) / one - 1 for one in (self.predicted, *self.left_out)]


def published(kind: str = "runs") -> list[dict[str, Any]]:
    """Return the published steps of a table: the model's name, kind and config, the layout, and seconds of a step."""
    models = {model["name"]: model for model in data_rows("training_layouts", "models")}
    return [
        {**row, "name": row["model"], "kind": models[row["model"]]["kind"], "model": models[row["model"]]["config"]}
        for row in data_rows("training_layouts", kind)
    ]


def groups(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return what a published step is left out with: its model, and its source in all its versions."""
    return str(row["name"]), str(row["source"]).partition("@")[0].partition(" 2205")[0]


def kind_of(row: Mapping[str, Any]) -> str:
    """Return what a published step is counted with: TPUs, or the kind of its model."""
    return "TPU" if row["accelerator"].startswith("tpu") else str(row["kind"])


def fits() -> dict[str, dict[str, float]]:
    """Return the efficiencies that were fitted without each model and source; "" has those of the fit on all rows."""
    rows = ({**row} for row in data_rows("training_fits", "training_fits"))
    return {row.pop("without"): row for row in rows}


def compared() -> Iterator[StepComparison]:
    """Give every published step with its prediction in the Base case, and those of the fits without it."""
    result = fits()
    for row in published():
        plan = plan_step(row)
        cases = [{**plan.case("base"), **result[group]} for group in groups(row)]
        runs = [plan.alone(plan.costed[0], case, ["step_seconds"]) for case in cases]
        main = plan.training(plan.costed[0], "base")["step_seconds"]
        yield StepComparison(row, float(main), tuple(float(one["step_seconds"]) for one in runs))


def adapted() -> Iterator[StepComparison]:
    """Give every published step of adapters on a frozen model with its prediction; no fit has seen them."""
    for row in published("lora"):
        plan = plan_step(row)
        yield StepComparison(row, float(plan.training(plan.costed[0], "base")["step_seconds"]), ())


def factor(rows: Iterable[StepComparison]) -> float:
    """Return the median factor by which predictions are off, in either direction."""
    return median(max(1 + one.errors[0], 1 / (1 + one.errors[0])) for one in rows)


def training_section(rows: Sequence[StepComparison]) -> str:
    """Return the part of the page as Markdown: errors by kind, what each term does, and every row."""
    shared = sum(not name.startswith(("torchtitan", "automodel", "unfused")) for name in fits()[""])
    parts = [HEAD.format(shared=_counted(shared)), _by_kind(rows), TERMS_HEAD, _terms(), ROWS_HEAD, _every(rows)]
    tuned = [*adapted()]
    parts += [TAIL, LORA_HEAD.format(factor=factor(tuned)), _every(tuned)]
    sources = "\n".join(f"- {source}" for source in dict.fromkeys(one.row["source"] for one in [*rows, *tuned]))
    return f"{''.join(parts)}\nSources:\n\n{sources}\n"


def _counted(number: int) -> str:
    return ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")[number]


def by_kind(rows: Iterable[StepComparison]) -> dict[str, list[StepComparison]]:
    """Return the steps of each kind of model, of TPUs, and all of them."""
    result: dict[str, list[StepComparison]] = {}
    for one in rows:
        for kind in (kind_of(one.row), "all"):
            result.setdefault(kind, []).append(one)
    return {kind: result[kind] for kind in (*(kind for kind in result if kind != "all"), "all")}


def off(rows: Iterable[StepComparison], place: int) -> tuple[float, float]:
    """Return the median error of steps under the fit in a place, and the share of them within 30%."""
    errors = [abs(one.errors[place]) for one in rows]
    return median(errors), sum(error <= 0.3 for error in errors) / len(errors)  # noqa: PLR2004 - the page's own bound


def _by_kind(rows: Sequence[StepComparison]) -> str:
    lines = [["Rows", "Number", "Fitted", "Model left out", "Source left out"], ["---", *["---:"] * 4]]
    for kind, ones in by_kind(rows).items():
        texts = [f"{error:.1%} ({within:.0%})" for error, within in (off(ones, place) for place in range(3))]
        lines.append([kind, str(len(ones)), *texts])
    return f"{table(lines)}\nMedian error, and the share of rows within 30%.\n"


def _terms() -> str:
    rows = data_rows("training_fits", "terms")
    kinds = ["dense", "mixture", "hybrid", "TPU", "all"]
    lines = [["Without", *kinds], ["---", *["---:"] * len(kinds)]]
    lines += [[row["without"], *(f"{row[kind]:.1%}" for kind in kinds)] for row in rows]
    return table(lines)


def _every(rows: Sequence[StepComparison]) -> str:
    headers = ["Model", "Accelerators", "Layout", "Tokens", "Stack", "Published s", "Predicted s"]
    off = ["Off", "Model left out", "Source left out"][: len(rows[0].errors)]
    lines = [[*headers, *off], [*["---"] * 3, "---:", "---", "---:", "---:", *["---:"] * len(off)]]
    for one in rows:
        row = one.row
        place = f"{row['accelerators']} × {row['accelerator']}, {row['precision']}"
        tokens, times = f"{row['seq_len']:,}", (f"{row['seconds']:.2f}", f"{one.predicted:.2f}")
        errors = (f"{error:+.0%}" for error in one.errors)
        lines.append([row["name"], place, _layout(row), tokens, row["stack"], *times, *errors])
    return table(lines)


def _layout(row: Mapping[str, Any]) -> str:
    short = {"tensor": "TP", "pipeline": "PP", "context": "CP", "expert": "EP"}
    sizes = [f"{word}{row[f'{name}_parallel']}" for name, word in short.items() if row.get(f"{name}_parallel", 1) > 1]
    return " ".join([*sizes, f"z{row.get('zero_stage', 1)}", str(row["recompute"])])


def table(lines: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown, its header and alignment first."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
