"""JSON, YAML and argument files that say what a model is: which format a file is of, and its fields as a config's.

documents.toml says what each format's fields mean.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from flopsheet import Description, FlopsheetError
from flopsheet_formats.derived_fields import DERIVED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Table = dict[str, Any]
MAX_BYTES, MAX_FIELDS, SHOWN = 2**20, 5_000, 6
OFF = (None, False, 0, "", "none", "None")
"""Values of fields that ask for nothing: [] and {} too."""
NO_LIMIT = {"max_positions": 0}
ALIAS = re.compile(r"(^|[\s\[{:,-])[&*]\w", re.MULTILINE)
"""An anchor or alias of YAML, with which a short file can be a very long one."""


@cache
def formats() -> list[Table]:
    """Return the formats, in the order in which they are tried."""
    results: list[Table] = tomllib.loads((files(__package__) / "documents.toml").read_text("utf-8"))["formats"]
    return results


def format_of(path: Path, data: bytes) -> Table | None:
    """Return the format of a file: the first whose marks it names; None for none."""
    kind = path.suffix.lower()
    text = data.decode("utf-8", errors="replace")
    candidates = (form for form in formats() if kind in form["suffixes"])
    return next((form for form in candidates if all(_names(text, mark) for mark in form["marks"])), None)


def _names(text: str, mark: str) -> bool:
    """Tell whether a text has a field of a name: of JSON, YAML or arguments."""
    word = mark.replace("_", "[_-]")
    return re.search(rf"""(^|[\s{{,'"-]){word}['"]?\s*(:|=|\s|$)""", text, re.MULTILINE) is not None


def read(path: Path) -> Description:
    """Return the model of a file; FlopsheetError says what is missing."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FlopsheetError(f"larger than {MAX_BYTES // 2**20} MiB, the most that is read of such a file")
    form = format_of(path, data)
    if form is None:
        raise FlopsheetError("changed while it was read")
    fields = _with_computed(form, _section(form, _document(path, data.decode("utf-8-sig", errors="replace"))))
    missing = [name for name in form["needs"] if fields.get(name) in (None, "???")]
    if missing:
        raise FlopsheetError(f"this is {form['title']}, and it has no {', '.join(missing)}{form.get('hint', '')}")
    return _description(form, fields)


def _document(path: Path, text: str) -> Table:
    """Return the fields of a file: an object of JSON, a table of YAML, or arguments."""
    if path.suffix.lower() == ".json":
        result = _json(text)
    elif path.suffix.lower() in (".yaml", ".yml"):
        result = _yaml(text)
    else:
        result = _arguments(text)
    if not isinstance(result, dict):
        raise FlopsheetError("a table of fields is expected")
    return result


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FlopsheetError(f"invalid JSON: {error}") from None


def _yaml(text: str) -> Any:
    try:
        import yaml  # noqa: PLC0415 - the extra `yaml`
    except ImportError:
        raise FlopsheetError("this is YAML, and pyyaml is needed to read it: pip install 'flopsheet[yaml]'") from None
    if ALIAS.search(re.sub(r"\"[^\"\n]*\"|'[^'\n]*'|#.*", "", text)):
        raise FlopsheetError("this YAML has anchors or aliases (&, *), which are not read; write their values out")
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise FlopsheetError(f"invalid YAML: {' '.join(str(error).split())}") from None


def _arguments(text: str) -> Table:
    """Return arguments as Megatron takes them: `--num-layers 32`, and flags without a value."""
    try:
        words = shlex.split(text.replace("\\\n", " "), comments=True)
    except ValueError as error:
        raise FlopsheetError(f"these arguments cannot be read: {error}") from None
    result: Table = {}
    for word, after in zip(words, [*words[1:], "--"], strict=True):
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            result[name.replace("-", "_")] = _value(value or ("" if after.startswith("--") else after))
    return result


def _value(text: str) -> Any:
    """Return a number, or the text; a flag without a value is true."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or True


def _section(form: Table, document: Table) -> Table:
    """Return the fields of the section that describes the model, those of tables inside by `table.field`.

    Megatron takes its arguments with dashes, and some write its YAML so.
    """
    if not any(mark in document for mark in form["marks"]):
        document = {key.replace("-", "_") if isinstance(key, str) else key: value for key, value in document.items()}
    for name in form.get("sections", ()):
        if isinstance(document.get(name), dict):
            document = {key: value for key, value in document.items() if key in form["needs"]} | document[name]
            break
    return dict(_flat(document, ""))


def _flat(table: Mapping[Any, Any], before: str) -> list[tuple[str, Any]]:
    results: list[tuple[str, Any]] = []
    for key, value in table.items():
        inside = isinstance(value, dict) and value
        results += _flat(value, f"{before}{key}.") if inside else [(f"{before}{key}", value)]
        if len(results) > MAX_FIELDS:
            raise FlopsheetError(f"more than {MAX_FIELDS:,} fields; is it a model's?")
    return results


def _with_computed(form: Table, fields: Table) -> Table:
    """Return the fields by the names and words that the format's models use, and what `computed` makes of them."""
    names, words = form.get("names", {}), form.get("words", {})
    own = {names.get(key, key): value for key, value in fields.items()}
    own = {key: words.get(key, {}).get(str(value).lower(), value) for key, value in own.items()}
    return own | {name: DERIVED[step](own) for name, step in form.get("computed", {}).items()}


def _description(form: Table, fields: Table) -> Description:
    """Return the model of a format's first type that the fields fit."""
    table = next((model for model in form["models"] if _fits(model.get("when", {}), fields)), None)
    if table is None:
        values = ", ".join(f"{name} = {fields.get(name)!r}" for name in form["asks"])
        raise FlopsheetError(f"this is {form['title']}, of a model that is not read: {values}")
    own = {**form.get("defaults", {}), **{key: value for key, value in fields.items() if value is not None}}
    config_names = {**form.get("fields", {}), **table.get("fields", {})}
    config: Table = {"model_type": table["model_type"], "architectures": [table["class"]]}
    config |= {field: own[key] for key, field in config_names.items() if field and key in own}
    for field, name in {**form.get("derived", {}), **table.get("derived", {})}.items():
        config[field] = DERIVED[name](own)
    config |= table.get("fixed", {})
    wrong = [name for name, value in config.items() if isinstance(value, str) and name != "model_type"]
    if wrong:
        raise FlopsheetError(f"this is {form['title']}, whose {wrong[0]} = {config[wrong[0]]!r} is no number")
    config |= dict.fromkeys(set(form.get("null", ())) - config.keys())
    doubts = [doubt["says"] for doubt in form.get("doubts", ()) if _fits(doubt["when"], fields)]
    return Description(
        title=form["title"],
        config=config,
        given={} if config.get("max_position_embeddings") else NO_LIMIT,
        problems=(*_unread(form, table, fields, config_names), *doubts),
    )


def _fits(when: Mapping[str, Sequence[Any]], fields: Table) -> bool:
    """Tell whether each field has one of some values, "set" for any but those that ask for nothing."""
    return all(_is_any(fields.get(name), values, fields) for name, values in when.items())


def _is_any(value: Any, values: Sequence[Any], fields: Table) -> bool:
    equal = [fields.get(str(text)[1:]) for text in values if str(text).startswith("=")]
    return (
        value in equal
        or ("set" in values and not _is_off(value))
        or ("off" in values and _is_off(value))
        or value in values
    )


def _is_off(value: Any) -> bool:
    return value in OFF or value in ([], {})


def _unread(form: Table, table: Table, fields: Table, config_names: Mapping[str, str]) -> list[str]:
    """Return the problem of fields that nothing reads and that could change the count."""
    read = {*config_names, *form["reads"], *table.get("when", {}), *table.get("reads", ())}
    inert = re.compile(form["inert"])
    left = [
        f"{key} = {value!r}"
        for key, value in fields.items()
        if key not in read and not inert.search(key) and not _is_off(value)
    ]
    more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
    return [f"not understood, and may change the count: {', '.join(left[:SHOWN])}{more}"] if left else []
