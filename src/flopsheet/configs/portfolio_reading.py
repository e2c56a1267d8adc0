"""A portfolio file read into what it says; everything that is wrong with it is reported at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.files import parse_toml, read_bytes, sha256
from flopsheet.configs.made_with import changed_plugins, missing_plugins
from flopsheet.configs.portfolio import SECTIONS, TABLES, KnownInputs, Portfolio, long_name, unchecked
from flopsheet.configs.portfolio_models import EntryReader
from flopsheet.configs.portfolio_values import texts_of, values_of
from flopsheet.configs.readers import document_of, reader_of
from flopsheet.configs.require import unmet
from flopsheet.configs.scenarios import CASES, read_scenarios
from flopsheet.configs.settings import SHORT
from flopsheet.configs.tuning import each_method
from flopsheet.errors import PortfolioError, list_problems
from flopsheet.host.candidate import Plugin
from flopsheet.host.loading import list_installed
from flopsheet.host.local import WRITTEN
from flopsheet.units.numbers import number_of
from livesheets.suggestions import names_like, unknown_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from flopsheet.host.host import Host

KINDS = {dict: "table", list: "list", str: "text"}
OF_A_REPORT = {
    *("schema", "flopsheet", "plugins", "files", "templates", "errors", "missing", "reasons"),
    *("answers", "checks", "tables", "fingerprints"),
}
_WORKLOAD = {dimension.name: dimension for dimension in WORKLOAD}


def read_portfolio(
    host: Host, path: Path, check_inputs: KnownInputs = unchecked, data: bytes | None = None
) -> Portfolio:
    """Return a portfolio; PortfolioError lists everything wrong with it, each with its place in the file.

    `data` is what is to be written there, where the file is not what counts.
    """
    data = read_bytes(path) if data is None else data
    language = reader_of(host, path)
    document = document_of(language, data, path) if language else parse_toml(data, path)
    problems = _unknown_tables(document, check_inputs)
    document = {key: value for key, value in document.items() if isinstance(value, TABLES.get(key, object))}
    problems += [f"require: {text}" for text in unmet(document.get("require", []))]
    problems += _left_out(host, document, problems)
    problems += _missing_files(document, path)
    settings, inputs, sections = _inputs(document, check_inputs, problems)
    scenarios = read_scenarios(document, {*_WORKLOAD, *SHORT}, check_inputs, problems)
    problems += _unknown_scenario(document, [scenario.name for scenario in scenarios])
    questions = texts_of(document, "questions", "questions", problems)
    problems += check_inputs.together(questions, inputs)
    workload = values_of(host, "workload", settings, _WORKLOAD, problems)
    reader = EntryReader(host, path.parent, "schema" in document, workload, problems, check_inputs)
    models = [reader.model(place, entry) for place, entry in each_method(document.get("models", []))]
    made_with = _made_with(document)
    problems = [*_missing_plugins(host, document, made_with, problems), *problems]
    if problems:
        raise PortfolioError(list_problems(f"{path}: {number_of(len(problems), 'problem')}", problems))
    return Portfolio(
        document.get("name", path.stem),
        str(path),
        sha256(data),
        tuple(models),
        workload,
        inputs,
        document.get("scenario", ""),
        questions,
        sections,
        document.get("sweep", {}),
        scenarios,
        tuple(f"{path} was {text}" for text in changed_plugins(host, made_with)),
    )


def _inputs(
    document: Mapping[str, Any], check_inputs: KnownInputs, problems: list[str]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """Return what a portfolio says of the workload, the inputs of its plan, and the heading of each input."""
    workload = dict(document.get("workload", {}))
    inputs: dict[str, Any] = {}
    sections: dict[str, str] = {}
    names = check_inputs.names() if any(document.get(section) for section in SECTIONS) else ()
    for section in SECTIONS:
        table = document.get(section, {})
        workload |= {name: value for name, value in table.items() if name in _WORKLOAD or name in SHORT}
        values = {name: value for name, value in table.items() if name not in workload}
        own = {long_name(section, name, names): value for name, value in values.items()}
        problems += _twice(section, values, sections, names)
        problems += check_inputs(f"{section}.", own)
        inputs |= own
        sections |= dict.fromkeys(own, section)
    return workload, inputs, sections


def _twice(section: str, values: Collection[str], sections: Mapping[str, str], names: Collection[str]) -> Iterator[str]:
    """Yield what is said of inputs that a heading states once more; nothing for who does not know the inputs."""
    for name in values if names else ():
        own = long_name(section, name, names)
        if own in sections:
            yield f"{section}.{name}: already given under [{sections[own]}]"
        elif own != name and own in values:
            yield f"{section}.{name}: also given as {own}"


def _unknown_tables(document: Mapping[str, Any], known_inputs: KnownInputs) -> list[str]:
    keys = {*TABLES, *OF_A_REPORT} if "schema" in document else {*TABLES}
    hint = f"; expected one of {', '.join(TABLES)}"
    unknown_keys = document.keys() - keys
    inputs = sorted(unknown_keys.intersection(known_inputs.names())) if unknown_keys else []
    problems = [f"{name}: an input; put it under [inputs]" for name in inputs]
    others = {name: value for name, value in document.items() if name not in inputs}
    problems += [text if ";" in text else f"{text}{hint}" for text in unknown_names(others, keys)]
    problems += [
        f"{key}: a {KINDS[kind]} is expected"
        for key, kind in TABLES.items()
        if key in document and not isinstance(document[key], kind) and not _old_files(document, key)
    ]
    if "schema" in document and document["schema"] != 1:
        problems.append(f"schema: {document['schema']!r} is newer than this flopsheet reads; 1 is expected")
    return problems


def _made_with(document: Mapping[str, Any]) -> list[Plugin]:
    """Return the plugins that a report was made with; none for a portfolio, whose plugins are files."""
    plugins = document.get("plugins", ()) if "schema" in document else ()
    tables = [plugin for plugin in plugins if isinstance(plugin, dict)]
    return [Plugin(*(str(plugin.get(field, "")) for field in Plugin._fields)) for plugin in tables]


def _missing_plugins(
    host: Host, document: Mapping[str, Any], made_with: Sequence[Plugin], problems: Sequence[str]
) -> list[str]:
    """Say which plugins of a report are missing, where one of its models or something that is unknown is of one."""
    entries = (table.get("plugin") for table in document.get("models", ()) if isinstance(table, dict))
    names = {table.get("name") for table in entries if isinstance(table, dict)}
    plugins = [plugin for plugin in made_with if problems or plugin.name in names]
    return [f"the report was made with a plugin that is missing: {text}" for text in missing_plugins(host, plugins)]


def _left_out(host: Host, document: Mapping[str, Any], problems: list[str]) -> list[str]:
    """Say which plugins are left out under a name that is almost one; one that is not installed is left out anyway."""
    plugin_names = list_installed()
    names = texts_of(document, "without", "without", problems)
    result = {name: names_like(name, plugin_names) for name in names if name not in plugin_names}
    late = [name for name in names if name in plugin_names and name not in host.without]
    return [
        *(f"without: {name!r}: no plugin has this name{hint}" for name, hint in result.items() if hint),
        *(f"without: {name!r}: only TOML portfolios leave plugins out; use --without {name}" for name in late),
    ]


def _missing_files(document: Mapping[str, Any], path: Path) -> list[str]:
    """Say which files of plugins a portfolio names that are not there, or that hold code: data runs none."""
    entries = [] if "schema" in document else document.get("plugins", [])
    if entries and path.suffix != WRITTEN:
        return [f"plugins: only TOML portfolios name plugins; use --plugin {entries[0]}"]
    codes = [text for text in entries if not isinstance(text, str) or not text.endswith(WRITTEN)]
    missing = [text for text in entries if text not in codes and not (path.parent / text).is_file()]
    return [
        *(
            f"plugins: {text!r} is not a {WRITTEN} file; what contains code is installed, or given by --plugin"
            for text in codes
        ),
        *(f"plugins: {text} does not exist" for text in missing),
    ]


def _unknown_scenario(document: Mapping[str, Any], scenarios: Sequence[str]) -> list[str]:
    """Say that the scenario to show is not one of the cases, and none that the portfolio names."""
    names = (*CASES, *scenarios)
    name = document.get("scenario", "base")
    return [] if name in names else [f"scenario: {name!r}; one of {', '.join(names)} is expected"]


def _old_files(document: Mapping[str, Any], key: str) -> bool:
    """Tell the list of files that reports called `inputs` before inputs of a plan had that name."""
    return key == "inputs" and "schema" in document and isinstance(document[key], list)
