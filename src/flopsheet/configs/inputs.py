"""What a command line names: configs, folders of them, globs, portfolios, model lists, models of the local cache."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.configs.files import read_bytes
from flopsheet.configs.folders import configs_in, exists, is_folder, tables_in
from flopsheet.configs.hub_cache import cached_config, repository_of
from flopsheet.configs.model import Model, told_apart
from flopsheet.configs.source import load_named
from flopsheet.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.configs.portfolio import KnownInputs, Portfolio
    from flopsheet.host.host import Host

STDIN = "-"
"""What stands for standard input."""
PATTERN = "*?["
"""Signs of a glob."""
SIGNS = f"{PATTERN}#"
"""Signs of what is more than a path."""
LARGEST_LIST = 2**28
"""Bytes of a list of inputs."""

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
    require_any(inputs)
    models: list[Model] = []
    portfolios: list[Portfolio] = []
    for path in (Path(path) for text in inputs for path in expand(text, host)):
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
        from flopsheet.configs.model_list import open_list  # noqa: PLC0415 - configs alone need none

        sheet = open_list(host, path, decimal_comma=decimal_comma)
        pairs = zip(sheet.list_names(), sheet.contents(), strict=True)
        return [row.load(host, name) for (name, _), row in pairs], None
    return [load_named(host, str(path))], None


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
    """Tell whether a plugin reads a file as a portfolio, and none as a description of one model."""
    if path.suffix in ("", ".json"):
        return False
    from flopsheet.configs.readers import model_reader_of, reader_of  # noqa: PLC0415 - configs need none

    return reader_of(host, path) is not None and model_reader_of(host, path) is None


def is_list(path: Path) -> bool:
    """Return whether a path names a spreadsheet, perhaps with one of its sheets behind a `#`."""
    return path.name.partition("#")[0].lower().endswith(LISTS)


def require_any(inputs: Sequence[str]) -> None:
    """Raise UsageError where none of some inputs is there."""
    if inputs and all(map(_is_missing, inputs)):
        more = f"; of {len(inputs):,} inputs none is there" if len(inputs) > 1 else ""
        raise UsageError(f"{inputs[0]}: cannot be read: No such file or directory{more}")


def _is_missing(text: str) -> bool:
    """Tell whether an input names neither what is there, nor a model of the Hub, nor perhaps a part of a file."""
    path = Path(text)
    if text in ("", STDIN) or any(sign in text for sign in SIGNS) or exists(path) or cached_config(text):
        return False
    return repository_of(text) is None or is_folder(path.parent)


def expand(text: str, host: Host | None = None) -> list[str]:
    """Return the files that one input names: itself, a folder's config.json files, a glob's, a cached model's.

    With a host, a folder without a config.json stands for the files there that a plugin reads as models.
    """
    if not text:
        raise UsageError("an input is empty; use '.' for this folder")
    path = Path(text)
    if is_folder(path):
        return _require_paths(
            configs_in(path, host) or tables_in(path), text, "this folder has no config.json and no .parquet file"
        )
    if exists(path) or not any(sign in text for sign in PATTERN):
        return [str(path if exists(path) else cached_config(text) or _missing(text, path))]
    import glob  # noqa: PLC0415 - few inputs are patterns

    names = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 - a pattern may be absolute, Path.glob takes none
    matches = [file for name in names for file in _expand_match(Path(name), host)]
    return _require_paths(matches, text, "no config matches this pattern")


def _expand_match(path: Path, host: Host | None) -> list[str]:
    """Return what one match of a glob stands for: files that are no model's config are passed over."""
    if is_folder(path):
        return configs_in(path, host)
    return [] if path.name in PASSED_OVER else [str(path)]


def _missing(text: str, path: Path) -> Path:
    """Return a path that is not there so that it stays one: ./org/name is no model of the Hub."""
    return path if repository_of(text) or not repository_of(str(path)) else path.absolute()


def _require_paths(paths: list[str], text: str, reason: str) -> list[str]:
    if not paths:
        raise UsageError(f"{text}: {reason}")
    return paths


def path_of(model: Model) -> str:
    """Return the path of a model's own file, "" for a row of a list."""
    return "" if is_list(Path(model.source)) else model.source


def names_of(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return a different name for each model of a name and a path: those that share one take their path, or a number.

    What is given is gone through twice where names are shared.
    """
    names = [name for name, _ in pairs]
    counts = Counter(names)
    if len(counts) == len(names):
        return names
    return told_apart((path or name) if counts[name] > 1 else name for name, path in pairs)
