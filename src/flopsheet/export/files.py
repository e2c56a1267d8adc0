"""Where outputs go: refused before any work where they cannot."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from flopsheet.configs.files import short_path
from flopsheet.errors import UsageError

FORMATS: Mapping[str, str] = {
    ".xlsx": "workbook",
    ".xlsm": "workbook with macros",
    ".toml": "report that is a portfolio again",
    ".json": "the same report as JSON",
    ".csv": "one row per model",
    ".md": "a page to read",
    ".html": "a page that recalculates in the browser",
}
"""What an output can be, by suffix."""
WORKBOOKS = (".xlsx", ".xlsm")

Writer = Callable[[Path], object]
"""Writes one output to the path that it is given."""


def check_outputs(
    outputs: Sequence[Path],
    formats: Mapping[str, str] = FORMATS,
    others: Mapping[Path, Mapping[str, str]] = MappingProxyType({}),
) -> None:
    """Raise UsageError for an output that could not be written, before anything is computed.

    `others` are further files that the command writes, each with the formats that it may have.
    """
    for output, output_formats in (*((output, formats) for output in outputs), *others.items()):
        with explain_refusal(output):
            _check_place(output, output_formats)
    check_distinct([*outputs, *others])


def check_distinct(outputs: Iterable[Path]) -> None:
    """Refuse two outputs that are one file, whatever their names: the first one would be lost."""
    earlier: list[Path] = []
    for output in outputs:
        for other in earlier:
            if same := _as_one_file(output, other):
                raise UsageError(f"{output} {same}; give each output a name of its own")
        earlier.append(output)


def _as_one_file(output: Path, other: Path) -> str:
    """Say why two outputs are one file, here or where others run the same command; "" for two files."""
    if same_file(output, other):
        return "is given twice" if output == other else f"and {other} are the same file"
    alike = str(real_path(output)).casefold() == str(real_path(other)).casefold()
    return f"and {other} differ only in case: they are one file on Windows and macOS" if alike else ""


def check_inputs_kept(outputs: Iterable[Path], inputs: Iterable[str | Path]) -> None:
    """Raise UsageError for an output that would overwrite an input."""
    targets = list(outputs)
    places = {place for place in map(_place, targets) if place}
    for path in inputs:
        place = _place(path)
        if place is not None and place not in places:
            continue  # a file that is not one of the outputs, as most are
        output = next((target for target in targets if same_file(target, Path(path))), None)
        if output is not None:
            alias = "" if str(output) == str(path) else f" ({path})"
            raise UsageError(f"{output} is an input{alias}; give the output another name")


def _place(path: str | Path) -> tuple[int, int] | None:
    """Return the device and number of a file; None where there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - a text of a crawl is looked at without a path of it
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def same_file(one: Path, other: Path) -> bool:
    """Return whether two paths name one file, whether it exists or not."""
    if "\0" in f"{one}{other}":
        return False
    try:
        return one.samefile(other)
    except OSError:
        is_alike = os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))
        return is_alike and one.exists() == other.exists()


def shown_path(path: str | Path) -> str:
    """Return a path as outputs state it: from the folder in which flopsheet runs, wherever the output stands.

    What lies outside of that folder keeps the path that it was given; slashes part folders on every system.
    """
    if not str(path):
        return ""
    plain = Path(os.path.normpath(path))
    here = Path.cwd()
    return (plain.relative_to(here) if plain.is_relative_to(here) else plain).as_posix()


def _check_place(output: Path, formats: Mapping[str, str]) -> None:
    if output == Path():
        raise UsageError("an output has no name; give a file such as plan.xlsx")
    if "\0" in str(output):
        raise UsageError(f"{short_path(output)!r}: not a file path: it has a null character")
    if (there := _status(output)) and stat.S_ISDIR(there.st_mode):
        raise UsageError(f"{output} is a directory; expected a file")
    if output.suffix.lower() not in formats:
        choices = ", ".join(f"{suffix} ({what})" for suffix, what in formats.items())
        what = f"unsupported extension {output.suffix!r}" if output.suffix else "no extension"
        raise UsageError(f"{output}: {what}; use one of {choices}")
    real = real_path(output)
    if real.is_symlink():
        raise UsageError(f"{output} is a symbolic link that leads back to itself; give the output another name")
    if not real.parent.is_dir():
        what = "is not a folder" if real.parent.exists() else "does not exist"
        raise UsageError(f"{output}: the folder {shown_path(real.parent)} {what}; make it first")
    if real.exists():
        _check_existing(output, real.stat().st_mode)


def _status(path: Path) -> os.stat_result | None:
    """Return what is at a path, None for nothing; OSError says why a path cannot be one, unlike `is_dir`."""
    try:
        return path.stat()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise


def _check_existing(output: Path, mode: int) -> None:
    """Refuse to replace what people locked, and to write over disks and sockets."""
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise UsageError(f"{output} is neither a file nor a pipe; give the output another name")
    if stat.S_ISREG(mode) and not (mode & 0o222 and os.access(output, os.W_OK)):
        raise UsageError(f"{output} is read-only; make it writable, or give the output another name")


def write_lines(path: Path, texts: Iterable[str]) -> None:
    """Write a text, piece by piece, whose lines end as they are."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(texts)


def real_path(output: Path) -> Path:
    """Return the path behind symbolic links; of those that lead to each other, one of them."""
    return Path(os.path.realpath(output))


@contextmanager
def explain_refusal(output: Path) -> Iterator[None]:
    """Say of which output the system refused something."""
    try:
        yield
    except OSError as error:
        Path.cwd()  # of a folder that is gone the command's end tells
        raise UsageError(f"{short_path(output)}: cannot be written: {error.strerror or error}") from None
