"""Classes with another head than a language model's: labels of a sequence, or rewards."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.data import read_table
from flopsheet.accounting.formula.compose import substitute

if TYPE_CHECKING:
    from collections.abc import Mapping

ARCHITECTURES = ("dense", "moe", "indexed", "varied_moe", "inkling")
"""Architectures whose lines hold such a head."""
ENDINGS = ("ForCausalLM", "LMHeadModel")
LABELS, DEFAULT_LABELS = "num_labels", 2


@cache
def _heads() -> Mapping[str, Mapping[str, float | str]]:
    """Return the dimension values of each class of heads.toml."""
    table = read_table("flopsheet.configs", "heads.toml")
    return {name: head["values"] for head in table.values() for name in head["classes"].split()}


def heads_of(language_model: str) -> dict[str, Mapping[str, float | str]]:
    """Return the classes with other heads that go with a language model's class, by its name."""
    stem = next((language_model.removesuffix(end) for end in ENDINGS if language_model.endswith(end)), "")
    return {name: values for name, values in _heads().items() if stem and name.rpartition("For")[0] == stem}


def with_labels(values: Mapping[str, float | str], config: Mapping[str, Any]) -> Mapping[str, float | str]:
    """Return the values that a class fixes, with the labels that a config lists in place of their name."""
    if not any(isinstance(value, str) and LABELS in value for value in values.values()):
        return values
    labels = {LABELS: str(_labels(config))}
    return {name: substitute(value, labels) if isinstance(value, str) else value for name, value in values.items()}


def _labels(config: Mapping[str, Any]) -> int:
    labels, number = config.get("id2label"), config.get(LABELS)
    if isinstance(labels, dict) and labels:
        return len(labels)
    return number if isinstance(number, int) and number > 0 else DEFAULT_LABELS
