"""Models of the Hugging Face Hub: `org/name[@revision]`, fetched by its library as far as a count needs.

That is the config and the small files next to it, into the library's cache, and the headers of the weights by range
requests. The library brings the endpoint, the token and the cache; it is the extra `hub`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from logging import CRITICAL
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.configs.files import MAX_BYTES, parse_json, read_bytes
from flopsheet.configs.hub_cache import CONFIG, Repository, cache_folder
from flopsheet.configs.hub_errors import reason_of
from flopsheet.configs.hub_headers import SOURCE, Tensor, keep, kept_headers, sum_up
from flopsheet.configs.model import Model
from flopsheet.configs.weights import INDEX
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flopsheet.host.host import Host

BESIDE = ("hf_quant_config.json", "quantize_config.json", "quant_config.json", INDEX)
"""Files that are read next to a config."""
DESCRIPTIONS = ("params.json", "adapter_config.json", "model_config.yaml")
"""Files that say what a model is where it has no config.json."""
OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
TRUE = frozenset({"1", "ON", "YES", "TRUE"})
UNCACHED = "not in the local Hugging Face cache"
SECONDS = 10.0
THREADS = 8
SINGLE = "model.safetensors"
MAX_SHARDS = 1_000


class Download(Struct, frozen=True):
    """The file that describes a model, in the local cache, and what is to be said of its weights."""

    path: Path
    notes: tuple[str, ...] = ()


def fetch(host: Host, repository: Repository) -> Download:
    """Return the file that describes a model of the Hub, in the local cache with what is read next to it.

    What the headers of its weights say is kept. ConfigError says in one line why there is no such model.
    """
    text = f"{repository.name}@{repository.revision}" if repository.revision else repository.name
    if any(os.environ.get(name, "").upper() in TRUE for name in OFFLINE):
        raise ConfigError(
            f"{text}: {UNCACHED}, and HF_HUB_OFFLINE keeps it from being fetched; unset it, or give a path"
        )
    try:
        import huggingface_hub.utils  # noqa: PLC0415 - the extra `hub`
    except ImportError:
        reason = "to read it from the Hub: pip install 'flopsheet[hub]'; or give the path of its config.json"
        raise ConfigError(f"{text}: {UNCACHED}; {reason}") from None
    try:
        with _quiet(huggingface_hub.utils):
            return _fetch(host, huggingface_hub, repository)
    except ConfigError as error:
        raise ConfigError(f"{text}: {error}") from None
    except Exception as error:  # noqa: BLE001 - a network fails in any way, and so does a library
        raise ConfigError(f"{text}: {UNCACHED}, and the Hub {reason_of(error, repository)}") from None


@contextmanager
def _quiet(utils: Any) -> Iterator[None]:
    """Keep the library from drawing progress bars and logging retries meanwhile: what fails is one line of a model."""
    level, were_disabled = utils.logging.get_verbosity(), utils.are_progress_bars_disabled()
    utils.logging.set_verbosity(CRITICAL)
    utils.disable_progress_bars()
    try:
        yield
    finally:
        utils.logging.set_verbosity(level)
        if not were_disabled:
            utils.enable_progress_bars()


def endpoint() -> str | None:
    """Return the Hub's address where the environment names one."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or None


def _seconds() -> float:
    """Return how long the Hub may take to answer."""
    try:
        return float(os.environ.get("HF_HUB_ETAG_TIMEOUT", SECONDS))
    except ValueError:
        return SECONDS


def _fetch(host: Host, library: Any, repository: Repository) -> Download:
    api = library.HfApi(endpoint=endpoint())
    revision = repository.revision or None
    info = api.model_info(repository.name, revision=revision, timeout=_seconds(), files_metadata=True)
    sizes = {file.rfilename: file.size for file in info.siblings or ()}
    name = next((file for file in (CONFIG, *DESCRIPTIONS) if file in sizes), "")
    if not name:
        raise ConfigError(_without_config(sizes))
    path, *_ = [_download(library, repository, file, sizes[file]) for file in (name, *BESIDE) if file in sizes]
    if name != CONFIG or kept_headers(path):
        return Download(path)
    return Download(path, _headers(host, api, repository, path, sizes))


def _content(path: Path) -> dict[str, Any]:
    try:
        return parse_json(read_bytes(path), path)
    except ConfigError:
        return {}


def _download(library: Any, repository: Repository, name: str, size: int | None) -> Path:
    """Return a file of a model in the library's cache."""
    if size is not None and size > MAX_BYTES:
        raise ConfigError(f"its {name} is larger than {MAX_BYTES // 2**20} MiB, the most that is read")
    result = library.hf_hub_download(
        repository.name,
        name,
        revision=repository.revision or None,
        cache_dir=cache_folder(),
        endpoint=endpoint(),
        etag_timeout=_seconds(),
    )
    return Path(result)


def _headers(
    host: Host, api: Any, repository: Repository, config: Path, sizes: dict[str, int | None]
) -> tuple[str, ...]:
    """Keep what the headers of the weights say; return a note where they cannot be read, which ends no count."""
    try:
        names = [SINGLE] if SINGLE in sizes else _shards(config.with_name(INDEX)) if INDEX in sizes else []
        tensors = list(_tensors(api, repository, config.parent.name, names))
    except Exception as error:  # noqa: BLE001 - as above
        reason = str(error) if isinstance(error, ConfigError) else f"the Hub {reason_of(error, repository)}"
        return (f"{SOURCE} is not compared: {reason}",)
    if tensors:
        keep(config, sum_up(host, _content(config), tensors))
    return ()


def _shards(index: Path) -> list[str]:
    """Return the files that an index names."""
    weight_map = parse_json(read_bytes(index), index).get("weight_map")
    names = sorted({str(name) for name in weight_map.values()}) if isinstance(weight_map, dict) else []
    if len(names) > MAX_SHARDS:
        raise ConfigError(f"{len(names):,} files of weights; the headers of at most {MAX_SHARDS:,} are read")
    return names


def _tensors(api: Any, repository: Repository, revision: str, names: list[str]) -> Iterator[Tensor]:
    """Yield the tensors of files of weights: the library asks for the beginning of each."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - few models come over the network

    with ThreadPoolExecutor(THREADS) as pool:
        files = [
            pool.submit(api.parse_safetensors_file_metadata, repository.name, name, revision=revision) for name in names
        ]
        for file in files:
            for name, tensor in file.result().tensors.items():
                begin, end = tensor.data_offsets
                yield Tensor(name, tuple(tensor.shape), end - begin)


def _without_config(sizes: dict[str, int | None]) -> str:
    """Say what a repository without a config has instead."""
    kinds = {".gguf": "GGUF files", ".safetensors": "safetensors files", ".nemo": "a NeMo archive"}
    kinds["model_index.json"] = "the parts of a Diffusers pipeline"
    has = next(((what, name) for end, what in kinds.items() for name in sizes if name.endswith(end)), None)
    return f"it has no {CONFIG}" + (f", but {has[0]}, such as {has[1]}; download one and give its path" if has else "")


def load_from_hub(host: Host, repository: Repository, load: Callable[[Path], Model]) -> Model:
    """Return the model that `load` reads of what the Hub has; what the Hub refuses is a model in error."""
    try:
        result = fetch(host, repository)
    except ConfigError as error:
        return Model(name=repository.name, source=repository.name, errors=(str(error),))
    model = load(result.path)
    return replace(model, notes=(*model.notes, *result.notes))
