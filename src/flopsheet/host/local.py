"""Plugins that are used without being installed: a Python file, a package's folder, a project's folder, or a module."""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from flopsheet.errors import PluginError, UsageError
from flopsheet.host.entry_points import Package
from flopsheet.host.hookspecs import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.host.entry_points import Point

Given = str | ModuleType
"""A path, or a module that is imported already."""
INIT = "__init__.py"
WRITTEN = ".toml"
"""The suffix of a plugin without code."""
CONTENT = ("*.py", "*.toml")
"""What of a folder is a plugin's content."""
DIGITS = 12
"""Digits of a SHA-256 that are shown."""


class Choice(NamedTuple):
    """Which plugins are used: all that are installed, but some `without`, and some `plugins` that are not installed."""

    without: tuple[str, ...] = ()
    plugins: tuple[Given, ...] = ()

    def options(self) -> list[tuple[str, str]]:
        """Return the options of the command line that make this choice."""
        return [("--without", name) for name in self.without] + [("--plugin", str(plugin)) for plugin in self.plugins]


def choose(plugins: Iterable[Path | Given], without: Iterable[str] = ()) -> Choice:
    """Return the choice of who gives plugins as paths or modules, in Python."""
    given = several("plugins", plugins)
    return Choice(several("without", without), tuple(str(one) if isinstance(one, Path) else one for one in given))


def several(what: str, values: Iterable[Any]) -> tuple[Any, ...]:
    """Return what is given of a parameter that takes several; UsageError for a text, whose letters nobody means."""
    if isinstance(values, str | Path):
        raise UsageError(f"{what} is {str(values)!r} alone: a list is expected, such as [{str(values)!r}]")
    return tuple(values)


class LocalPoint(Struct, frozen=True):
    """What stands for an entry point: `value` is the module's name, `file` what it is imported from."""

    name: str
    value: str
    file: str
    dist: Package
    digest: str = ""
    module: ModuleType | None = None

    def load(self) -> Any:
        """Return the module; PluginError where another one has its name, else whatever its import raises."""
        if self.file.endswith(WRITTEN):
            from flopsheet.host.toml_plugin import document_of, module_of  # noqa: PLC0415 - few starts read a file

            return module_of(self.value, document_of(Path(self.file)))
        return self.module or _import_file(self.value, Path(self.file), self.digest)


def local_points(plugins: Iterable[Given], points: Sequence[Point]) -> list[LocalPoint]:
    """Return what is to be loaded of files, folders and modules; UsageError for what is not one of them.

    A plugin that is installed too keeps the name of its entry point, in whose place it is used. One that is given twice
    is taken once.
    """
    names = {point.value: point.name for point in points}
    return list(dict.fromkeys(point for plugin in plugins for point in _points(plugin, names)))


def user_folder() -> Path:
    """Return the folder of the user's configuration in which plugins without code count in every command."""
    if sys.platform == "linux":  # platformdirs says the same, and takes a twentieth of a start to import
        base = Path(os.environ.get("XDG_CONFIG_HOME", "").strip())
        home = base if base.is_absolute() else Path(os.path.expanduser("~/.config"))  # noqa: PTH111 - there may be none
        return home / PROJECT / "plugins"
    from platformdirs import user_config_path  # noqa: PLC0415 - see above

    return user_config_path(PROJECT, appauthor=False) / "plugins"


def of_user() -> list[str]:
    """Return the plugins without code that lie in the folder `plugins` of the user's configuration."""
    folder = user_folder()
    return [str(file) for file in sorted(folder.glob(f"*{WRITTEN}"))] if folder.is_dir() else []


def in_place_of(local: Sequence[LocalPoint], points: Iterable[Point]) -> list[Point]:
    """Return the installed plugins whose modules are not given otherwise."""
    modules = {point.value for point in local}
    return [point for point in points if point.value not in modules]


def _points(plugin: Given, names: dict[str, str]) -> list[LocalPoint]:
    if isinstance(plugin, ModuleType):
        name = plugin.__name__
        return [LocalPoint(names.get(name, name), name, "", Package(f"module {name}", "unknown"), module=plugin)]
    path = Path(plugin)
    if path.is_dir() and (path / "pyproject.toml").exists():
        return _project(path)
    file = path / INIT if path.is_dir() else path
    if file.suffix not in (".py", WRITTEN) or not file.is_file():
        text = f"a .toml or .py file, or a folder with {INIT} or pyproject.toml, is expected"
        raise UsageError(f"{plugin}: not a plugin: {text}")
    name = path.resolve().stem if path.is_dir() else path.stem
    digest = _digest(file)
    return [LocalPoint(names.get(name, name), name, str(file), Package(plugin, f"sha256:{digest[:DIGITS]}"), digest)]


def _project(folder: Path) -> list[LocalPoint]:
    """Return the entry points that a project declares, of its modules next to pyproject.toml or under src."""
    from flopsheet.host.projects import declared_in  # noqa: PLC0415 - few starts read a project

    project = declared_in(folder / "pyproject.toml")
    results = []
    for name, value in project.points.items():
        places = [folder / side / part for side in ("", "src") for part in (f"{value}.py", f"{value}/{INIT}")]
        file = next((place for place in places if place.is_file()), None)
        if file is None:
            raise UsageError(f"{folder}: the module {value} of the entry point {name} is neither there nor under src")
        digest = _digest(file)
        package = Package(project.name, f"{project.version}+{digest[:DIGITS]}", project.needs)
        results.append(LocalPoint(name, value, str(file), package, digest))
    if not results:
        raise UsageError(f"{folder}: pyproject.toml has no entry point in the group {PROJECT!r}")
    return results


def _digest(file: Path) -> str:
    """Return the SHA-256 of a module, or of all that a package holds."""
    from hashlib import sha256  # noqa: PLC0415 - most starts use what is installed

    if file.name != INIT:
        return sha256(file.read_bytes()).hexdigest()
    content = sorted(path for pattern in CONTENT for path in file.parent.rglob(pattern))
    return sha256(b"\0".join(f"{path.name}\0".encode() + path.read_bytes() for path in content)).hexdigest()


_IMPORTED: dict[str, str] = {}
"""The digest of each module that was imported here, by its name."""


def _import_file(name: str, file: Path, digest: str) -> ModuleType:
    """Return the module of a file, imported again where it has changed."""
    old = sys.modules.get(name)
    if old is not None:
        same = Path(getattr(old, "__file__", None) or "").resolve() == file.resolve()
        if same and _IMPORTED.get(name, digest) == digest:
            return old
        if not same and name not in _IMPORTED:
            raise PluginError(f"another module named {name} is in use ({_origin(old)}): give {file} another name")
        _forget(name)
    _IMPORTED[name] = digest
    return _fresh(name, file)


def _origin(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or "built into Python"


def _fresh(name: str, file: Path) -> ModuleType:
    """Import a file under a name; its neighbors can be imported by it, after everything that is installed."""
    package = file.name == INIT
    spec = spec_from_file_location(name, file, submodule_search_locations=[str(file.parent)] if package else None)
    if spec is None or spec.loader is None:
        raise PluginError(f"{file} cannot be imported")
    if not package and str(file.parent.resolve()) not in sys.path:
        sys.path.append(str(file.parent.resolve()))
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        _forget(name)
        raise
    return module


def _forget(name: str) -> None:
    for module in [module for module in sys.modules if module == name or module.startswith(f"{name}.")]:
        del sys.modules[module]
