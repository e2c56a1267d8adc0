"""Read JSON and TOML files with one clear message for each way they can be bad."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from stat import S_ISDIR, S_ISFIFO, S_ISREG
from typing import TYPE_CHECKING, Any

import tomli

from flopsheet.accounting.values import show_value
from flopsheet.configs.json_depth import check_levels
from flopsheet.configs.plain import read_tagged
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 64 * 2**20
"""Bytes; no config or portfolio of a person comes near."""

MAX_FIELDS = 10_000
"""Fields of a config, and keys of a TOML table; published configs have a few hundred at most."""

MAX_NESTED = 100_000
"""Fields of a config with those of all objects inside; two lists of 21,841 labels, in two places, are fewer."""

_HEADING = r"(?m)^[ \t]*(?=\[)"
_KEY = r"(?m)^[^\S\n]*[^\s#=\[]+[^\S\n]*="

MAX_PATH = 400
"""Characters of a path that messages show."""


def read_bytes(path: Path, most: int = 0) -> bytes:
    """Return a file's bytes, at most so many; ConfigError says what is at `path` instead."""
    most = most or MAX_BYTES
    try:
        status = path.stat()
        if S_ISDIR(status.st_mode):
            raise ConfigError(f"{path} is a directory; expected a file")
        if S_ISFIFO(status.st_mode) and path.parts[:2] != ("/", "dev"):  # a shell's <(…) is under /dev
            raise ConfigError(f"{path} is a pipe; expected a file")
        is_bounded = S_ISREG(status.st_mode) and status.st_size <= most
        with path.open("rb", buffering=0 if is_bounded else -1) as file:
            data = file.read() if is_bounded else file.read(most + 1)  # that of /dev/zero is said to be 0
    except OSError as error:
        raise ConfigError(f"{short_path(path)}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{short_path(path)!r}: not a file path: {error}") from None
    return checked_size(data, path, most)


def checked_size(data: bytes, path: Path, most: int = MAX_BYTES) -> bytes:
    """Return bytes that are not more than so many; ConfigError says that they are."""
    if len(data) > most:
        raise ConfigError(f"{path}: larger than {most // 2**20} MiB, the most that is read")
    return data


def parse_json(data: bytes, path: Path, most: int = MAX_NESTED) -> dict[str, Any]:
    """Return a JSON object of at most so many fields, nested ones too; ConfigError names the place where it breaks."""
    try:
        text = _text(data, path)
        check_levels(text)
        document = _decoder(most).decode(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise ConfigError(f"{path}: the file is empty; expected a JSON object {{…}}") from None
        if not text.lstrip().startswith(("{", "[", '"')):
            begins = show_value(text.split(maxsplit=1)[0])
            raise ConfigError(f"{path}: not JSON: it begins with {begins}; a config.json begins with {{") from None
        place = f"line {error.lineno}, column {error.colno}"
        raise ConfigError(f"{path}: invalid JSON at {place}: {error.msg}; was the file cut short?") from None
    except ValueError as error:
        raise ConfigError(f"{path}: unusable JSON: {error}") from None
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: found a JSON {_kind(document)}; expected an object {{…}}")
    if len(document) > MAX_FIELDS:
        raise ConfigError(f"{path}: {len(document):,} fields; at most {MAX_FIELDS:,} are read; is it a config?")
    return document


def _decoder(most: int) -> json.JSONDecoder:
    """Return what reads one text; ValueError says that it has too many fields, before anybody looks at them."""
    read = 0

    def count_pairs(pairs: list[tuple[str, Any]]) -> Any:
        nonlocal read
        read += len(pairs)
        if read > most:
            raise ValueError(f"more than {most:,} fields, the most that are read; is it a config?")
        return _object(pairs)

    return json.JSONDecoder(object_pairs_hook=count_pairs)


def _object(pairs: list[tuple[str, Any]]) -> Any:
    """Return a JSON object, or the number that it stands for.

    ValueError names a key that occurs twice, since readers differ in which one counts.
    """
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in table if keys.count(key) > 1)
        raise ValueError(f"the key {show_value(twice)} occurs {keys.count(twice)} times; leave one")
    return read_tagged(table)


def parse_toml(data: bytes, path: Path) -> dict[str, Any]:
    """Return a TOML document; ConfigError names the place where it breaks."""
    text = _text(data, path).replace("\r\n", "\n")
    check_keys(text, path)
    try:
        return tomli.loads(text)
    except (tomli.TOMLDecodeError, RecursionError, ValueError) as error:
        raise ConfigError(f"{path}: invalid TOML: {error}") from None


def check_keys(text: str, path: Path) -> None:
    """Refuse a table of more keys than anybody writes, before what reads TOML spends its time on them."""
    for table in re.split(_HEADING, text) if text.count("\n") > MAX_FIELDS else ():
        if table.count("\n") > MAX_FIELDS and (keys := len(re.findall(_KEY, table))) > MAX_FIELDS:
            heading = table.partition("\n")[0].strip("[] ") if table[:1] == "[" else "the beginning"
            raise ConfigError(f"{path}: {keys:,} keys under {heading[:MAX_PATH]}; at most {MAX_FIELDS:,} are read")


def sha256(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    import hashlib  # noqa: PLC0415 - only reports ask, and it starts OpenSSL

    return hashlib.sha256(data).hexdigest()


def _text(data: bytes, path: Path) -> str:
    try:
        return data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); is it a config?") from None


def short_path(path: Path) -> str:
    """Return a path as messages show it."""
    text = str(path)
    return text if len(text) <= MAX_PATH else f"{text[:MAX_PATH]}…"


def _kind(document: Any) -> str:
    return {list: "list", str: "text", bool: "truth value", type(None): "null"}.get(type(document), "number")
