"""What changes the numbers of some models, counted by reason: what people read before the messages of each model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.planning.costed_model import Costed

REASONS: Mapping[str, str] = {
    "but weights_bytes takes weight_dtype_bytes per weight": "weights counted without quantization, format unknown",
    "weights are stored quantized": "weights counted as stored, quantized",
    "the config names neither depth nor width": "no sizes in the config, the class's own are counted",
    "not in the config, class defaults taken": "class defaults in place of fields that the config leaves out",
    "is not understood: it may change the count": "fields that are not understood",
    "is not known: counted as": "an unknown class, counted as the type's own",
    "is a wrapper: only its language model": "only the language model is counted",
}
"""What a message says, and the reason that people read; the first that a message fits is its own."""


def reasons_of(models: Iterable[Costed]) -> Counter[str]:
    """Return how many models there are by reason, each model once for a reason."""
    result: Counter[str] = Counter()
    for model in models:
        texts = (*model.problems, *model.notes)
        result.update({next((part for part in REASONS if part in text), "") for text in texts} - {""})
    return result


def reason_lines(counts: Mapping[str, int]) -> list[str]:
    """Return a line for each reason, in the order of the table."""
    return [f"{number_of(counts[part], 'model')}: {text}" for part, text in REASONS.items() if counts.get(part)]


def reason_rows(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return how many models each reason is true of, in the order of the table, as rows for programs."""
    return [{"models": counts[part], "reason": text} for part, text in REASONS.items() if counts.get(part)]


def reason_texts(model: Costed) -> list[str]:
    """Return the reasons of a model, in the order of the table."""
    counts = reasons_of([model])
    return [text for part, text in REASONS.items() if part in counts]
