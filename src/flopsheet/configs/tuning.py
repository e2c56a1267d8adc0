"""Ways to fine-tune a model: what `method` in an entry of `[[models]]` says of its adapters and its frozen weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.adapters import FROZEN
from flopsheet.accounting.adapters import RANK as ADAPTER
from flopsheet.configs.quantization_config import with_storage
from flopsheet.configs.settings import LORA_RANK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.configs.model import Model
    from flopsheet.host.host import Host

METHOD = "method"
NF4 = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True}
"""How QLoRA stores the frozen weights: 4 bits, with scales quantized again (Dettmers et al. 2305.14314, section 3)."""
RANK = {LORA_RANK: 16}
"""The rank of adapters where neither the workload nor the entry states one: judgment."""


class Method(Struct, frozen=True):
    """What a method sets below the workload, which may state another rank, and above it, and how frozen weights lie."""

    below: Mapping[str, Any] = {}
    above: Mapping[str, Any] = {}
    quantization: Mapping[str, Any] = {}


METHODS = {
    "full": Method(above={LORA_RANK: 0, FROZEN.name: 0}),
    "lora": Method(below=RANK),
    "qlora": Method(below=RANK, quantization=NF4),
}
SPOKEN = {"full": "full fine-tuning", "lora": "LoRA", "qlora": "QLoRA"}
"""What the models of an entry with several methods are called, after their name."""


def each_method(entries: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Give the entries with their places; one with a list of methods once for each of them."""
    for place, entry in enumerate(entries):
        methods = entry.get(METHOD) if isinstance(entry, dict) else None
        for method in methods if isinstance(methods, list) else [methods]:
            yield place, entry if methods is None else {**entry, METHOD: method}


def name_entry(name: str, entry: Mapping[str, Any]) -> str:
    """Return what the model of an entry is called: its name, and the method where it states one."""
    method = entry.get(METHOD)
    return f"{name}, {SPOKEN[method]}" if isinstance(method, str) and method in SPOKEN else name


def tune(host: Host, model: Model, method: Method) -> Model:
    """Return a model as a method stores its frozen weights, which are as they were where they are quantized already.

    What the entry states of them wins. One that can have no adapters is in error under a method that has them.
    """
    if not method.below or model.errors or not model.architecture:
        return model
    ledger = host.ledger(model.architecture)
    if not any(dimension.name.startswith(ADAPTER) for dimension in ledger.dimensions):
        text = f'the architecture {model.architecture} has no adapters: method = "full" is what can be counted'
        return replace(model, errors=(text,))
    if not method.quantization or model.given.get("quantized_bytes"):
        return model
    config = {"model_type": model.model_type, "quantization_config": dict(method.quantization)}
    stored = with_storage(host, model, config)
    return replace(stored, given={**stored.given, **model.given})
