"""What a command line names: configs, folders of them, globs, portfolios, model lists, models of the local cache."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.configs.files import read_bytes
from flopsheet.configs.model import Model, told_apart
from flopsheet.configs.source import load_model, name_of
from flopsheet.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.configs.portfolio import KnownInputs, Portfolio
    from flopsheet.host.host import Host

STDIN = "-"
"""What stands for standard input."""
LARGEST_LIST = 2**28
"""Bytes of a list of inputs."""
REPOSITORY = r"[\w.-]+/[\w.-]+"

LISTS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".csv", ".tsv")
"""How the names of spreadsheets end."""

PASSED_OVER = frozenset(
    {
        "adapter_config.json",
        "added_tokens.json",
        "generation_config.json",
        "hf_quant_config.json",
        "model.safetensors.index.json",
        "preprocessor_config.json",
        "processor_config.json",
        "pytorch_model.bin.index.json",
        "quant_config.json",
        "quantize_config.json",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.json",
    }
)
"""Files next to a config that a wide glob matches and that describe no model."""


def read_inputs(
    host: Host, inputs: Sequence[str], *, decimal_comma: bool = False, check_inputs: KnownInputs | None = None
) -> tuple[list[Model], list[Portfolio]]:
    """Return the models of all inputs in order, each under its own name, and the portfolios among the inputs.

    UsageError where an input names nothing; PortfolioError where a portfolio has problems. A config file that cannot
    be read is a model in error, and so is a row of a model list. `decimal_comma` is how lists in CSV write numbers,
    `check_inputs` says what is wrong with the inputs of a plan.
    """
    models: list[Model] = []
    portfolios: list[Portfolio] = []
    for path in (Path(path) for text in inputs for path in expand(text)):
        more, portfolio = read_input(host, path, decimal_comma=decimal_comma, check_inputs=check_inputs)
        models += more
        portfolios += [portfolio] if portfolio else []
    if len(models) > 1:  # one is hashed when that is asked for: few commands on one config ask
        models = [model.without_bytes() for model in models]
    names = names_of([(model.name, path_of(model)) for model in models])
    return [replace(model, name=name) for model, name in zip(models, names, strict=True)], portfolios


def read_input(
    host: Host, path: Path, *, decimal_comma: bool = False, check_inputs: KnownInputs | None = None
) -> tuple[Sequence[Model], Portfolio | None]:
    """Return the models of one file, and the portfolio where it is one; errors are those of `read_inputs`."""
    if path.suffix == ".toml" or has_reader(host, path):
        from flopsheet.configs.portfolio import unchecked  # noqa: PLC0415 - configs need none
        from flopsheet.configs.portfolio_reading import read_portfolio  # noqa: PLC0415 - same

        portfolio = read_portfolio(host, path, check_inputs or unchecked)
        return portfolio.models, portfolio
    if is_list(path):
        from flopsheet.configs.listed import open_list  # noqa: PLC0415 - configs alone need none

        opened = open_list(host, path, decimal_comma=decimal_comma)
        named = zip(opened.named(), opened.contents(), strict=True)
        return [one.load(host, name) for (name, _), one in named], None
    return [_uncached(path) or _unreadable(path) or load_model(host, path)], None


def read_list_of_inputs(file: str) -> list[str]:
    """Return the inputs that a file names, one a line; `-` is stdin. Empty lines and those with # are passed over.

    ConfigError says why it cannot be read.
    """
    data = sys.stdin.buffer.read(LARGEST_LIST + 1) if file == STDIN else read_bytes(Path(file), LARGEST_LIST)
    if len(data) > LARGEST_LIST:
        raise UsageError(f"--input-list: more than {LARGEST_LIST // 2**20} MiB, the most that is read")
    lines = data.decode("utf-8-sig", errors="surrogateescape").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def has_reader(host: Host, path: Path) -> bool:
    """Tell whether a plugin reads a file as a portfolio."""
    if path.suffix in ("", ".json"):
        return False
    from flopsheet.configs.readers import reader_of  # noqa: PLC0415 - configs need none

    return reader_of(host, path) is not None


def is_list(path: Path) -> bool:
    """Return whether a path names a spreadsheet, perhaps with one of its sheets behind a `#`."""
    return path.name.partition("#")[0].lower().endswith(LISTS)


def expand(text: str) -> list[str]:
    """Return the files that one input names: itself, a folder's config.json files, a glob's, a cached model's."""
    if not text:
        raise UsageError("an input is empty; use '.' for this folder")
    path = Path(text)
    if is_folder(path):
        return _required(_configs(path) or _tables(path), text, "this folder has no config.json and no .parquet file")
    if _exists(path) or not _is_pattern(text):
        return [str(path if _exists(path) else _cached(text) or path)]
    import glob  # noqa: PLC0415 - few inputs are patterns

    names = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 - a pattern may be absolute, Path.glob takes none
    matches = [found for name in names for found in _matched(Path(name))]
    return _required(matches, text, "no config matches this pattern")


def _configs(folder: Path) -> list[str]:
    """Return the config.json files of a folder, and the folders inside that cannot be looked into."""
    unreadable: list[str] = []
    walk = os.walk(folder, onerror=lambda error: unreadable.append(str(error.filename)))
    found = [os.path.join(inside, "config.json") for inside, _, names in walk if "config.json" in names]  # noqa: PTH118 - a crawl has a million
    here = f"{os.curdir}{os.sep}"
    return sorted((path.removeprefix(here) for path in (*found, *unreadable)), key=_parts)


def _tables(folder: Path) -> list[str]:
    """Return the Parquet files of a folder that holds a table in parts; hidden ones are left out, as Hive does."""
    found = (path.relative_to(folder).parts for path in folder.rglob("*.parquet") if path.is_file())
    shown = (parts for parts in found if not any(part.startswith((".", "_")) for part in parts))
    return [str(folder.joinpath(*parts)) for parts in sorted(shown)]


def _parts(path: str) -> list[str]:
    return path.split(os.sep)  # noqa: PTH206 - as above


def _matched(path: Path) -> list[str]:
    """Return what one match of a glob stands for: files that are no model's config are passed over."""
    if is_folder(path):
        return _configs(path)
    return [] if path.name in PASSED_OVER else [str(path)]


def is_folder(path: Path) -> bool:
    """Tell whether a path is a folder; one that cannot be looked at is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def _required(paths: list[str], text: str, reason: str) -> list[str]:
    if not paths:
        raise UsageError(f"{text}: {reason}")
    return paths


def _uncached(path: Path) -> Model | None:
    """Return a model in error for `org/name` that is neither a file nor in the local cache, else nothing."""
    text = path.as_posix()
    if path.suffix == ".json" or not re.fullmatch(REPOSITORY, text) or _exists(path) or is_folder(path.parent):
        return None
    reason = "not in the local Hugging Face cache; download its config.json or give a path"
    return Model(name=name_of(path), source=text, errors=(f"{text}: {reason}",))


def _unreadable(path: Path) -> Model | None:
    """Return a model in error for a folder that cannot be looked into: whatever is there is not left out unsaid."""
    if not is_folder(path):
        return None
    return Model(name=name_of(path), source=str(path), errors=(f"{path}: this folder cannot be opened",))


def _cached(text: str) -> Path | None:
    """Return the config of `org/name` in the local Hugging Face cache; the network is never asked."""
    if not re.fullmatch(REPOSITORY, text):
        return None
    folder = _cache() / f"models--{text.replace('/', '--')}"
    head = folder / "refs" / "main"
    revisions = [head.read_text("utf-8").strip()] if head.is_file() else []
    found = [folder / "snapshots" / revision / "config.json" for revision in revisions]
    return next((path for path in (*found, *sorted(folder.glob("snapshots/*/config.json"))) if path.is_file()), None)


def _cache() -> Path:
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    return Path(os.environ.get("HF_HUB_CACHE", home / "hub"))


def path_of(model: Model) -> str:
    """Return the path of a model's own file, "" for a row of a list."""
    return "" if is_list(Path(model.source)) else model.source


def names_of(named: Iterable[tuple[str, str]]) -> list[str]:
    """Return a different name for each model of a name and a path: those that share one take their path, or a number.

    What is given is gone through twice where names are shared.
    """
    names = [name for name, _ in named]
    counts = Counter(names)
    if len(counts) == len(names):
        return names
    return told_apart((path or name) if counts[name] > 1 else name for name, path in named)
