"""flopsheet: what a model costs, as named formulas that Python, NumPy, Excel and people read alike."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from flopsheet.accounting import blocks
    from flopsheet.accounting.line import Architecture, Dimension, Family, Line, Reading, Rule
    from flopsheet.accounting.tables import families_from, rules_from
    from flopsheet.accounting.windows import read_windows
    from flopsheet.errors import FlopsheetError
    from flopsheet.host.hookspecs import hookimpl
    from flopsheet.planning.costing import Costed

__all__ = [
    "Architecture",
    "Dimension",
    "Family",
    "FlopsheetError",
    "Line",
    "Reading",
    "Rule",
    "blocks",
    "evaluate",
    "families_from",
    "hookimpl",
    "read_windows",
    "rules_from",
]
__version__ = "0.1.0"

_HOMES = {
    "blocks": "flopsheet.accounting",
    **dict.fromkeys(("Architecture", "Dimension", "Family", "Line", "Reading", "Rule"), "flopsheet.accounting.line"),
    **dict.fromkeys(("families_from", "rules_from"), "flopsheet.accounting.tables"),
    "read_windows": "flopsheet.accounting.windows",
    "FlopsheetError": "flopsheet.errors",
    "hookimpl": "flopsheet.host.hookspecs",
}
"""Where each public name stands: it is imported when it is first asked for, so that the command line starts first."""


def __getattr__(name: str) -> Any:
    """Return a public name from the module that it stands in."""
    if name not in _HOMES:
        raise AttributeError(f"module 'flopsheet' has no attribute {name!r}")
    value = import_module(f"{_HOMES[name]}.blocks") if name == "blocks" else getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def evaluate(config: Path | str | Mapping[str, Any], **workload: Any) -> Costed:
    """Return what a model costs: an object with `.totals .groups .lines .dimensions .status .problems .notes`.

    `config` is a config.json's path or its content. `workload` takes workload names and dimensions, such as
    `batch=2, context=8192, kv_dtype_bytes=1`. A config that cannot be counted gives status `error` and no totals;
    a name that nothing knows raises UsageError.
    """
    from flopsheet.planning.costing import evaluate_config  # noqa: PLC0415 - plugins import this package first

    return evaluate_config(config, workload)
