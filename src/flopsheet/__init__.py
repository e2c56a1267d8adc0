"""flopsheet: what a model costs, as named formulas that Python, NumPy, Excel and people read alike."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import ModuleType

    from flopsheet.accounting import blocks
    from flopsheet.accounting.blocks.block import Block
    from flopsheet.accounting.formula import compose
    from flopsheet.accounting.line import Architecture, Dimension, Family, Input, Line, Number, Reading, Rule
    from flopsheet.accounting.optimizers import Optimizer
    from flopsheet.accounting.tables import families_from, rules_from
    from flopsheet.accounting.windows import read_windows
    from flopsheet.configs.portfolio import Portfolio
    from flopsheet.configs.quantized import WeightFormat
    from flopsheet.configs.readers import Description, ModelReader, Reader
    from flopsheet.errors import FlopsheetError
    from flopsheet.export.exporters import Exporter
    from flopsheet.export.notebook import PlanResult, SweepResult, load_portfolio, plan, sweep
    from flopsheet.export.reporting import report
    from flopsheet.host.hookspecs import API_VERSION, hookimpl
    from flopsheet.planning.catalog import Accelerator, Price, accelerators
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.inputs import inputs_from, sheet_from
    from flopsheet.planning.question import MODELS, OTHERS, Check, Figure, Link, Question, Rows, Table
    from flopsheet.planning.questions.scaling.laws import ScalingLaw

    __version__: str

__all__ = [
    "API_VERSION",
    "MODELS",
    "OTHERS",
    "Accelerator",
    "Architecture",
    "Block",
    "Check",
    "Costed",
    "Description",
    "Dimension",
    "Exporter",
    "Family",
    "Figure",
    "FlopsheetError",
    "Input",
    "Line",
    "Link",
    "ModelReader",
    "Number",
    "Optimizer",
    "PlanResult",
    "Portfolio",
    "Price",
    "Question",
    "Reader",
    "Reading",
    "Rows",
    "Rule",
    "ScalingLaw",
    "SweepResult",
    "Table",
    "WeightFormat",
    "accelerators",
    "blocks",
    "compose",
    "evaluate",
    "families_from",
    "hookimpl",
    "inputs_from",
    "load_portfolio",
    "plan",
    "read_windows",
    "report",
    "rules_from",
    "sheet_from",
    "sweep",
]

_FOR_USERS = {
    **dict.fromkeys(("PlanResult", "SweepResult", "load_portfolio", "plan", "sweep"), "flopsheet.export.notebook"),
    "report": "flopsheet.export.reporting",
    "Portfolio": "flopsheet.configs.portfolio",
    "Costed": "flopsheet.planning.costing",
    "accelerators": "flopsheet.planning.catalog",
    "FlopsheetError": "flopsheet.errors",
}
_FOR_AUTHORS = {
    "blocks": "flopsheet.accounting.blocks",
    "compose": "flopsheet.accounting.formula.compose",
    **dict.fromkeys(
        ("Architecture", "Dimension", "Family", "Input", "Line", "Number", "Reading", "Rule"),
        "flopsheet.accounting.line",
    ),
    "Block": "flopsheet.accounting.blocks.block",
    **dict.fromkeys(("families_from", "rules_from"), "flopsheet.accounting.tables"),
    **dict.fromkeys(
        ("MODELS", "OTHERS", "Check", "Figure", "Link", "Question", "Rows", "Table"), "flopsheet.planning.question"
    ),
    **dict.fromkeys(("inputs_from", "sheet_from"), "flopsheet.planning.inputs"),
    "read_windows": "flopsheet.accounting.windows",
    **dict.fromkeys(("Accelerator", "Price"), "flopsheet.planning.catalog"),
    "Optimizer": "flopsheet.accounting.optimizers",
    "WeightFormat": "flopsheet.configs.quantized",
    "ScalingLaw": "flopsheet.planning.questions.scaling.laws",
    "Exporter": "flopsheet.export.exporters",
    **dict.fromkeys(("Description", "ModelReader", "Reader"), "flopsheet.configs.readers"),
    **dict.fromkeys(("API_VERSION", "hookimpl"), "flopsheet.host.hookspecs"),
}
_HOMES = {**_FOR_USERS, **_FOR_AUTHORS}
"""Where each public name is defined: it is imported on first use, so that the command line starts quickly."""
_MODULES = ("blocks", "compose")


def __getattr__(name: str) -> Any:
    """Return a public name from the module that defines it, or the version of the installed package."""
    if name == "__version__":
        return globals().setdefault(name, _version())
    if name not in _HOMES:
        raise AttributeError(f"module 'flopsheet' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    value = globals()[name] = home if name in _MODULES else getattr(home, name)
    return value


def _version() -> str:
    """Return the version that the tag gave the installed package; a source tree that is not installed has none."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slower to import than all of this

    try:
        return version("flopsheet")
    except PackageNotFoundError:
        return "0+unknown"


def evaluate(
    config: Path | str | Mapping[str, Any],
    *,
    plugins: Iterable[Path | str | ModuleType] = (),
    without: Iterable[str] = (),
    require: Iterable[str] = (),
    **workload: Any,
) -> Costed:
    """Return what a model costs: an object with `.totals .groups .lines .dimensions .status .problems .notes`.

    `config` is a config.json's path or its content. `workload` takes workload names and dimensions, such as
    `batch=2, context=8192, kv_dtype_bytes=1`. `plugins` are used without being installed: modules, .py files, folders
    of packages or projects; those named in `without` are left out. `require` names packages that must be installed,
    such as `flopsheet-moe>=1.2`.

    A config that cannot be counted gives status `error` and no totals; a name that nothing knows, a plugin that is not
    there, a package that is required and missing, and a `config` that is neither a path nor a mapping, raise
    UsageError. Nothing else is raised: what a file holds, or what a plugin does with it, is the error of its model.
    """
    from flopsheet.host.local import choose  # noqa: PLC0415 - plugins import this package first
    from flopsheet.planning.costing import evaluate_config  # noqa: PLC0415 - same reason

    return evaluate_config(config, workload, choose(plugins, without), require)
