"""Change a person's portfolio in place: comments, order and the spelling of numbers stay as they were."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from datetime import date
from typing import TYPE_CHECKING, Any

import tomli

from flopsheet.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.export.roundtrip.changes import Changes
    from flopsheet.export.roundtrip.findings import Where

LONG = 100_000
"""Whole numbers from here on are written with underscores between thousands."""
MAX_LINE = 120
"""Characters of a line; a longer table gets lines of its own."""
UNUSUAL = (
    "the portfolio is written in a way that import cannot keep, such as [[models]] in two places; make the changes that"
    " are listed above by hand"
)
HEAD = re.compile(r"\s*\[\[?\s*([\w-]+)")
Table = dict[str, Any]


def edit_portfolio(data: bytes, changes: Changes) -> bytes:
    """Return a portfolio's bytes with its changes; UsageError where it is written in a way that cannot be kept."""
    import tomlkit  # noqa: PLC0415 - only import edits portfolios

    text = data.decode("utf-8-sig")
    plain = text.replace("\r\n", "\n")
    target = tomli.loads(plain)
    heads = [str(path[0]) for path in changes.values if len(path) > 1]
    plain = plain.rstrip("\n") + "\n" + "".join(f"\n[{head}]\n" for head in dict.fromkeys(heads) if head not in target)
    document = tomlkit.parse(plain)
    is_exact = tomlkit.dumps(document) == plain
    if _close(tomlkit.dumps(document)) != _close(plain):
        raise UsageError(UNUSUAL)
    for path, value in changes.values.items():
        _put(document, path, value)
        _want(target, path, value)
    result = _with_models(document, changes.models)
    if changes.models:
        target.setdefault("models", []).extend(changes.models)
    result = result if is_exact else _as_spaced(result, plain)
    if tomli.loads(result) != target:
        raise UsageError(UNUSUAL)
    result = result.replace("\n", "\r\n") if "\r\n" in text else result
    return (BOM_UTF8 if data.startswith(BOM_UTF8) else b"") + result.encode("utf-8")


def _close(text: str) -> str:
    """Return a text without spaces: tomlkit loses the one behind a date in an inline table."""
    return text.replace(" ", "")


def _as_spaced(text: str, before: str) -> str:
    """Return a text with the spaces that its lines had before."""
    lines = {_close(line): line for line in before.split("\n")}
    return "\n".join(lines.get(_close(line), line) for line in text.split("\n"))


def _want(target: Any, path: Where, value: Any) -> None:
    """Make a change in plain data, to hold the edited text against."""
    document, (*heads, last) = target, path
    for head in heads:
        document = document.setdefault(head, {}) if isinstance(document, dict) else document[head]
    if value is None:
        del document[last]
    else:
        document[last] = value


def _put(document: Any, path: Where, value: Any) -> None:
    """Set one value, or take it out if it is None; the comment behind it stays."""
    from tomlkit.items import InlineTable  # noqa: PLC0415 - only import edits portfolios

    holder, *rest = document, *path
    for place, head in enumerate(rest[:-1]):
        inner = holder[head]
        if isinstance(inner, InlineTable):
            holder[head] = _parse_value(_inline(inner, str(rest[place + 1]), value))
            return
        holder = inner
    last = rest[-1]
    if value is None:
        del holder[last]
    elif last in holder:
        holder[last] = _parse_value(_spell_value(value, holder[last].as_string()))
    else:
        _append(holder, str(last), _parse_value(_spell_value(value)))


def _append(holder: Any, key: str, item: Any) -> None:
    """Put a value behind the last one of its table, in front of comments that belong to what follows."""
    from tomlkit.items import AoT, SingleKey, Table  # noqa: PLC0415 - only import edits portfolios

    body = getattr(getattr(holder, "value", None), "body", [])
    keys = [name for name, inner in body if name is not None and not isinstance(inner, Table | AoT)]
    if not keys:
        holder[key] = item
        return
    item.trivia.trail = "\n"
    after = holder.value._insert_after  # noqa: SLF001 - append would put it behind the comments of the next table
    after(keys[-1], SingleKey(key), item)


def _inline(table: Any, key: str, value: Any) -> str:
    """Return an inline table with one value changed, the others spelled as they were."""
    texts = {name: item.as_string() for name, item in table.value.items()}
    texts.pop(key, None) if value is None else texts.update({key: _spell_value(value, texts.get(key, ""))})
    return _write_braces(texts)


def _with_models(document: Any, models: list[Table]) -> str:
    """Return the portfolio with models behind its last one."""
    import tomlkit  # noqa: PLC0415 - only import edits portfolios
    from tomlkit.items import Array  # noqa: PLC0415 - only import edits portfolios

    array = document.get("models")
    if isinstance(array, Array):
        for model in models:
            array.append(_parse_value(_spell_value(model)))
        return tomlkit.dumps(document)
    text: str = tomlkit.dumps(document)
    if not models:
        return text
    lines = text.split("\n")
    place = _behind_models(lines)
    before, after = ("\n".join(part) for part in (lines[:place], lines[place:]))
    new = "".join(map(_model, models))
    return before.rstrip("\n") + "\n" + new + (f"\n{after}" if after else "")


def _behind_models(lines: list[str]) -> int:
    """Return the line at which another table's part begins behind the last model: its comment, or its head."""
    heads = [(place, match[1]) for place, line in enumerate(lines) if (match := HEAD.match(line))]
    last = max((place for place, name in heads if name == "models"), default=len(lines))
    place = next((place for place, _ in heads if place > last), len(lines))
    while 0 < place < len(lines) and lines[place - 1].lstrip().startswith("#"):
        place -= 1
    return place


def _model(model: Mapping[str, Any]) -> str:
    """Return a model as a table of its own, its tables last."""
    return "\n[[models]]\n" + _body("models", dict(sorted(model.items(), key=lambda item: isinstance(item[1], dict))))


def written_toml(document: Mapping[str, Any]) -> str:
    """Return a whole portfolio as a person would write it: a line per input, and its models last."""
    plain = {key: value for key, value in document.items() if not isinstance(value, dict) and key != "models"}
    parts = [_lines(plain)]
    for key, value in document.items():
        if key == "scenarios":
            heads = {f"{key}.{_spell_key(name)}": own for name, own in value.items()}
            parts += [f"[{head}]\n{_body(head, own)}" for head, own in heads.items()]
        elif isinstance(value, dict):
            parts.append(f"[{key}]\n{_body(key, value)}")
    return "\n".join(parts) + "".join(map(_model, document.get("models", ())))


def _body(head: str, table: Mapping[str, Any]) -> str:
    """Return what is below the head of a table: what fits on a line first, then long ones under heads of their own."""
    tables = {key: value for key, value in table.items() if isinstance(value, dict)}
    long = {key: value for key, value in tables.items() if len(_lines({key: value}).rstrip()) > MAX_LINE}
    short = _lines({key: value for key, value in table.items() if key not in long})
    return short + "".join(f"\n[{head}.{key}]\n{_lines(value)}" for key, value in long.items())


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_spell_value(value)}\n" for key, value in table.items())


def _parse_value(text: str) -> Any:
    import tomlkit  # noqa: PLC0415 - only import edits portfolios

    return tomlkit.value(text)


def _spell_value(value: Any, old: str = "") -> str:  # noqa: PLR0911 - a return per kind of value
    """Return a value as TOML; a number in the manner of the one that was there: 1e12, 1_000."""
    import tomlkit  # noqa: PLC0415 - only import edits portfolios

    if isinstance(value, dict):
        return _write_braces({key: _spell_value(item, old) for key, item in value.items()})
    if isinstance(value, list):
        return f"[{', '.join(map(_spell_value, value))}]"
    if isinstance(value, str):
        return tomlkit.string(value).as_string()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    _, sign, exponent = old.lower().partition("e")
    if sign and exponent.lstrip("+-").isdigit():
        short = f"{value / 10 ** int(exponent):.15g}e{exponent}"
        if float(short) == value:
            return short
    if isinstance(value, int) and (abs(value) >= LONG or "_" in old):
        return f"{value:_}"
    return repr(value)


def _write_braces(texts: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{_spell_key(key)} = {text}" for key, text in texts.items()) + " }"


def _spell_key(key: str) -> str:
    import tomlkit  # noqa: PLC0415 - only import edits portfolios

    return tomlkit.key(key).as_string()
