"""What one config costs, without a portfolio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.host.local import choose
from flopsheet.planning.costing import evaluate_config

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import ModuleType

    from flopsheet.planning.costed import Costed


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
    return evaluate_config(config, workload, choose(plugins, without), require)
