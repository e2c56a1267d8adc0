"""What one config costs, without a portfolio."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.configs.python_values import from_python
from flopsheet.configs.require import unmet
from flopsheet.configs.source import load_model
from flopsheet.errors import UsageError
from flopsheet.host.loading import load
from flopsheet.host.local import choose, several
from flopsheet.planning.costing import cost_all

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from flopsheet.planning.costed_model import Costed


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
    choice = choose(plugins, without)
    content = from_python(config)
    if not isinstance(content, str | Path | Mapping):
        raise UsageError(f"config is a {type(content).__name__}: a path of a config.json or its content is expected")
    if problems := unmet(several("require", require)):
        raise UsageError("\n".join(problems))
    host = load(*choice)
    return cost_all(host, [load_model(host, content)], from_python(workload))[0]
