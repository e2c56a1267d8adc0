"""Published serving throughput next to that of the question `serving`: its part of docs/calibration.md."""

from __future__ import annotations

import tomllib
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.accounting.data import read_text
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

DESCRIBED = {"model", "throughput", "title", "line", "value", "source", "submission", "fitted"}
"""What a row says next to its inputs."""
TWICE = 2
"""The factor that the page counts rows by."""
NUMBERS = ("Published", "Predicted", "Ratio")
MOST = "max_output_tokens_per_second_per_accelerator"
HEAD = """
## Serving

Output tokens per second per accelerator at maximum load, predicted by the question `serving` in the Base case and
published in the sources below the table.
An accelerator's time is the sum of products, memory reads of weights and caches, elementwise traffic, collectives, and
an overhead per layer: the sum comes closer than the largest part. The batch is what memory has room for. Eleven
efficiencies are the same for every row. `served_expert_efficiency`, `expert_half_width`, `expert_padding`,
`served_core_efficiency`, `read_efficiency`, `served_traffic_passes`, `layer_overhead_us` and `served_link_efficiency`
were fitted on these rows, and on those of DeepSeek-V3's services under the next heading; `product_efficiency`,
`four_bit_speed` and `sequence_limit` are judgments within what the rows allow.

The products of a routed expert reach a share of the peak that grows with its width on an accelerator, w:
served_expert_efficiency / (1 + expert_half_width / w). In each pass an expert takes as long as its own tokens and
expert_padding more, or as its own tokens and reading its weights where that takes longer. So experts of 14,336 reach
45%, and those of 768 7%, before padding.

"""
LEFT_OUT = """
With the eight fitted on all models but one, rows of the model that is left out are off by a factor of 1.17 in the
median and of 2.0 at most, each model by 1.53 at most in the median (`tools/fit_serving.py`).

### Serving, measured elsewhere

The efficiencies were fitted on the first six rows too, and on no other. DeepSeek's decided the form of one part:
exchange with experts in other servers runs during products. Time between tokens is in seconds, at the concurrency that
was measured; all else is tokens per second per accelerator.

The collected measurements have no curves of throughput over concurrency, so latency is compared where a source states
it: as seconds, or as the throughput that a target allows. The curves on the sheet Roofline are predictions.

"""
NOT_COMPARED = """
Not compared: DeepSeek-V2's service (arXiv 2405.04434, section 3.2.3: more than 6,250 output and 12,500 prompt tokens
per second per H800), whose lengths are not published and whose cache has 6 bits; the time to the first token of the
phone, whose peak is not published; and numbers of simulators, such as llm-d-planner's, which are no measurements.
"""
LATENCY = ("itl_seconds", "output_tokens_per_second_per_accelerator")
"""Lines that are a latency, or a throughput at its target."""
TAIL = """
Published throughput is that of well-tuned engines. MLPerf's interactive targets are percentiles of requests that
arrive at random, and the question's are means: plan with a shorter target.
"""


class Served(NamedTuple):
    """A published measurement of serving, its value, and the predicted one."""

    row: Mapping[str, Any]
    published: float
    predicted: float

    @property
    def ratio(self) -> float:
        """The prediction over what was measured."""
        return self.predicted / self.published

    @property
    def off(self) -> float:
        """The factor between the two, at least 1."""
        return max(self.ratio, 1 / self.ratio)


def data() -> dict[str, Any]:
    """Return the published measurements with their models."""
    return tomllib.loads(read_text("flopsheet.planning", "data", "serving_measurements.toml"))


def at_maximum_load() -> list[Served]:
    """Return every published throughput at maximum load with its prediction."""
    result = data()
    return [Served(row, row["throughput"], predicted(result, row, MOST)) for row in result["measurements"]]


def elsewhere() -> list[Served]:
    """Return what was measured in service and in other benchmarks, with its prediction."""
    result = data()
    return [Served(row, row["value"], predicted(result, row, row["line"])) for row in result["profiles"]]


def predicted(found: Mapping[str, Any], row: Mapping[str, Any], line: str) -> float:
    """Return a line of the question in the Base case, for the model and inputs of a row."""
    host = load()
    inputs = {name: value for name, value in row.items() if name not in DESCRIBED}
    model = cost(host, load_model(host, found["models"][row["model"]]))
    plan = make_plan(
        host, [model], inputs={**inputs, "price_per_hour": 1}, questions=["serving"]
    )  # no speed has a price
    return float(plan.training(plan.costed[0], "base")[line])


def section(rows: Sequence[Served], others: Sequence[Served]) -> str:
    """Return the part of the page as Markdown."""
    off = [one.off for one in rows]
    within = sum(one <= TWICE for one in off) / len(rows)
    summary = (
        f"\nWithin a factor of {TWICE}: {within:.0%} of {len(rows)} rows."
        f" Median factor {median(off):.2f}, largest {max(off):.2f}.\n"
    )
    sources = "\n".join(f"- {one.row['title']}: {one.row['source']}" for one in others)
    read = "\nSources:\n\n" + "\n".join(f"- {name}: {text}" for name, text in data()["sources"].items()) + "\n"
    parts = (HEAD, _table(_rows(rows)), summary, _by_model(rows), read, LEFT_OUT, _table(_others(others)))
    return "".join((*parts, _latencies(others), NOT_COMPARED)) + f"\nSources:\n\n{sources}\n{TAIL}"


def by_model(rows: Iterable[Served]) -> dict[str, list[float]]:
    """Return how far the rows of each model are off."""
    off: dict[str, list[float]] = {}
    for one in rows:
        off.setdefault(one.row["model"], []).append(one.off)
    return off


def _by_model(rows: Iterable[Served]) -> str:
    """Return a sentence with the median factor of each model."""
    return f"By model: {', '.join(f'{model} {median(off):.2f}' for model, off in by_model(rows).items())}.\n"


def of_latency(rows: Iterable[Served]) -> list[Served]:
    """Return the rows that state a latency, in seconds or as the target of a throughput."""
    return [one for one in rows if one.row["line"] in LATENCY]


def _latencies(others: Sequence[Served]) -> str:
    off = [one.off for one in of_latency(others)]
    within = sum(one <= TWICE for one in off)
    return (
        f"\nOf {len(off)} rows of latency, in seconds or as a target, {within} are within a factor of {TWICE}."
        f" Median factor {median(off):.2f}, largest {max(off):.2f}.\n"
    )


def _rows(rows: Iterable[Served]) -> Iterator[Sequence[str]]:
    yield ("Model", "Accelerator", "Layout", "Precision", "Tokens in / out", "Source", *NUMBERS)
    for one in rows:
        row = one.row
        lengths = f"{row['input_tokens']:,} / {row['output_tokens']:,}"
        numbers = (f"{one.published:,.0f}", f"{one.predicted:,.0f}", f"{one.ratio:.2f}")
        yield (row["model"], row["accelerator"], _layout(row), row["weight_precision"], lengths, _source(row), *numbers)


def _source(row: Mapping[str, Any]) -> str:
    """Return where a row was published, with its submission."""
    return f"{row['source']}, {row['submission']}" if "submission" in row else str(row["source"])


def _layout(row: Mapping[str, Any]) -> str:
    """Return a layout as engines write it: TP2, TP1 PP2, or DEP4."""
    if row["attention_data_parallel"] > 1:
        return f"DEP{row['attention_data_parallel']}"
    return f"TP{row['tensor_parallel']}" + (f" PP{row['pipeline_parallel']}" if row["pipeline_parallel"] > 1 else "")


def _others(rows: Iterable[Served]) -> Iterator[Sequence[str]]:
    yield ("Measurement", *NUMBERS)
    for one in rows:
        yield (one.row["title"], *(f"{number:,.4g}" for number in (one.published, one.predicted)), f"{one.ratio:.2f}")


def _table(rows: Iterator[Sequence[str]]) -> str:
    header = next(rows)
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"
