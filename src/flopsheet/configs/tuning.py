"""Ways to fine-tune a model: what `method` in an entry of `[[models]]` says of its adapters and its frozen weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.accounting.adapters import FROZEN
from flopsheet.configs.files import parse_json
from flopsheet.configs.settings import LORA_RANK
from flopsheet.configs.source import load_model
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.configs.model import Model
    from flopsheet.host.host import Host

METHOD = "method"
NF4 = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True}
"""How QLoRA stores the frozen weights: 4 bits, with scales quantized again (Dettmers et al. 2305.14314, section 3)."""
RANK = {LORA_RANK: 16}
"""The rank of adapters where neither the workload nor the entry states one: judgment."""


class Method(NamedTuple):
    """What a method sets below the workload, which may state another rank, and above it, and how frozen weights lie."""

    below: Mapping[str, Any] = {}
    above: Mapping[str, Any] = {}
    stored: Mapping[str, Any] = {}


METHODS = {
    "full": Method(above={LORA_RANK: 0, FROZEN.name: 0}),
    "lora": Method(below=RANK),
    "qlora": Method(below=RANK, stored=NF4),
}
SPOKEN = {"full": "full fine-tuning", "lora": "LoRA", "qlora": "QLoRA"}
"""What the models of an entry with several methods are called, after their name."""


def each_method(entries: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Give the entries with their places; one with a list of methods once for each of them."""
    for place, entry in enumerate(entries):
        methods = entry.get(METHOD) if isinstance(entry, dict) else None
        for one in methods if isinstance(methods, list) else [methods]:
            yield place, entry if methods is None else {**entry, METHOD: one}


def named(name: str, entry: Mapping[str, Any]) -> str:
    """Return what the model of an entry is called: its name, and the method where it states one."""
    said = entry.get(METHOD)
    return f"{name}, {SPOKEN[said]}" if isinstance(said, str) and said in SPOKEN else name


def tuned(host: Host, model: Model, method: Method) -> Model:
    """Return a model as a method stores its frozen weights, which are as they were where they are quantized already."""
    if not method.stored or model.errors or model.given.get("quantized_bytes"):
        return model
    try:
        config = parse_json(model.data, Path(model.source))
    except ConfigError:
        return model.but(errors=(f"QLoRA needs the model's config.json, and {model.source} is none",))
    again = load_model(host, {**config, "quantization_config": dict(method.stored)})
    return again.but(name=model.name, source=model.source, data=model.data)
