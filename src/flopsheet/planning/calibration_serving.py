"""Published serving throughput next to that of the question `serving`: its part of docs/calibration.md."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

DESCRIBED = {"model", "throughput", "title", "line", "value", "source"}
"""What a row says next to its inputs."""
TWICE = 2
"""The factor that the page counts rows by."""
MOST = "max_output_tokens_per_second_per_accelerator"
HEAD = """
## Serving

Output tokens per second per accelerator at maximum load, predicted by the question `serving` in the Base case and
published in {source}.
An accelerator's time is the sum of products, memory reads of weights and caches, elementwise traffic, collectives, and
an overhead per layer: the sum comes closer than the largest part. The batch is what memory has room for. Nine
efficiencies are the same for every row. `served_expert_efficiency`, `served_core_efficiency`, `read_efficiency`,
`served_traffic_passes`, `layer_overhead_us` and `served_link_efficiency` were fitted on these rows;
`product_efficiency`, `four_bit_speed` and `sequence_limit` are judgments within what the rows allow.

"""
LEFT_OUT = """
With the six fitted on all models but one, rows of the model that is left out are off by a factor of 1.15 in the median
and of 1.68 at most (`tools/fit_serving.py`).

### Serving, measured elsewhere

No efficiency was fitted on these rows. DeepSeek's decided the form of one part: exchange with experts in other servers
runs during products. Its time between tokens is in seconds, at the concurrency that was measured; all else is tokens
per second per accelerator.

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
    return tomllib.loads((files(__package__) / "data" / "serving_measurements.toml").read_text(encoding="utf-8"))


def at_maximum_load() -> list[Served]:
    """Return every published throughput at maximum load with its prediction."""
    found = data()
    return [Served(row, row["throughput"], predicted(found, row, MOST)) for row in found["measurements"]]


def elsewhere() -> list[Served]:
    """Return what was measured in service and in other benchmarks, with its prediction."""
    found = data()
    return [Served(row, row["value"], predicted(found, row, row["line"])) for row in found["profiles"]]


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
    head = HEAD.format(source=data()["source"])
    return (
        "".join(
            (head, _table(_rows(rows)), summary, LEFT_OUT, _table(_others(others)), _latencies(others), NOT_COMPARED)
        )
        + f"\nSources:\n\n{sources}\n{TAIL}"
    )


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
    yield ("Model", "Accelerator", "Layout", "Precision", "Tokens in / out", "Published", "Predicted", "Ratio")
    for one in rows:
        row = one.row
        lengths = f"{row['input_tokens']:,} / {row['output_tokens']:,}"
        numbers = (f"{one.published:,.0f}", f"{one.predicted:,.0f}", f"{one.ratio:.2f}")
        yield (row["model"], row["accelerator"], _layout(row), row["weight_precision"], lengths, *numbers)


def _layout(row: Mapping[str, Any]) -> str:
    """Return a layout as engines write it: TP2, TP1 PP2, or DEP4."""
    if row["attention_data_parallel"] > 1:
        return f"DEP{row['attention_data_parallel']}"
    return f"TP{row['tensor_parallel']}" + (f" PP{row['pipeline_parallel']}" if row["pipeline_parallel"] > 1 else "")


def _others(rows: Iterable[Served]) -> Iterator[Sequence[str]]:
    yield ("Measurement", "Published", "Predicted", "Ratio")
    for one in rows:
        yield (one.row["title"], *(f"{number:,.4g}" for number in (one.published, one.predicted)), f"{one.ratio:.2f}")


def _table(rows: Iterator[Sequence[str]]) -> str:
    header = next(rows)
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"
