"""PEFT's adapter_config.json: the model that it adapts, and the rank of its matrices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flopsheet import Description, FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAX_BYTES = 2**22
ALL = {
    "attention": frozenset(["q_proj", "k_proj", "v_proj", "o_proj"]),
    "mlp": frozenset(["gate_proj", "up_proj", "down_proj"]),
}
"""All matrices of a group in models of Llama's kind: a rank is counted next to each."""
CHANGING = (
    "modules_to_save",
    "rank_pattern",
    "use_dora",
    "trainable_token_indices",
    "layers_to_transform",
    "lora_bias",
)
"""Fields that change how many numbers an adapter has, and that are not read."""


def read(path: Path) -> Description:
    """Return the base of an adapter with the adapter's rank; FlopsheetError where the file names none."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES)
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        raise FlopsheetError("this adapter_config.json is not whole JSON; download it again") from None
    base = fields.get("base_model_name_or_path") if isinstance(fields, dict) else None
    if not isinstance(base, str) or not base:
        raise FlopsheetError("this is a PEFT adapter that does not name its base; give the config.json of the base")
    ranks, problems = _ranks(fields)
    kind = fields.get("peft_type")
    return Description(base=base, given=ranks, problems=tuple(problems), notes=(f"{kind} adapter of {base}",))


def _ranks(fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the rank of each group's adapters, and what of the adapter is not counted."""
    rank = fields.get("r")
    if fields.get("peft_type") != "LORA" or isinstance(rank, bool) or not isinstance(rank, int) or rank < 1:
        return {}, [f"an adapter of type {fields.get('peft_type')}: its base is counted, its own parameters are not"]
    targets = fields.get("target_modules")
    problems = [f"{name} = {fields[name]!r} of the adapter is not counted" for name in CHANGING if fields.get(name)]
    if targets == "all-linear":
        return {"lora_attention": rank, "lora_mlp": rank, "lora_shared_experts": rank}, problems
    if not isinstance(targets, list) or not all(isinstance(name, str) for name in targets):
        return {}, [
            *problems,
            f"target_modules = {targets!r} of the adapter is not read: its parameters are not counted",
        ]
    names = {name.rpartition(".")[2] for name in targets}
    groups = {group: modules for group, modules in ALL.items() if modules <= names}
    if rest := sorted(names.difference(*groups.values())):
        problems.append(f"the adapter's matrices next to {', '.join(rest)} are not counted")
    return {f"lora_{group}": rank for group in groups}, problems
