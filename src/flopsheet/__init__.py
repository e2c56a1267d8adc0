"""flopsheet: what a model costs, as named formulas that Python, NumPy, Excel and people read alike.

The public names are in `__init__.pyi`, those for users and those for authors of plugins.
"""

from typing import Any

import lazy_loader

_import_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Return a public name from the module that defines it, or the version of the installed package."""
    return globals().setdefault(name, _version() if name == "__version__" else _import_public(name))


def _version() -> str:
    """Return the version that the tag gave the installed package; a source tree that is not installed has none."""
    from flopsheet.host.entry_points import installed_version  # noqa: PLC0415 - few ask for it

    try:
        return installed_version()
    except ImportError:  # PackageNotFoundError is one
        return "0+unknown"
