"""PEFT's adapter_config.json: the model that it adapts, and the rank of its matrices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flopsheet import Description, FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAX_BYTES = 2**22
GROUPS = ("lora_attention", "lora_mlp", "lora_shared_experts")
OFF: tuple[Any, ...] = (None, False, 0, "", "none", [], {})
"""Values of fields that ask for nothing."""
INERT = (
    *("base_model_name_or_path", "peft_type", "peft_version", "task_type", "auto_mapping", "revision"),
    *("inference_mode", "r", "target_modules", "lora_alpha", "alpha_pattern", "lora_dropout"),
    *("fan_in_fan_out", "use_rslora", "init_lora_weights", "loftq_config", "eva_config", "corda_config"),
    *("lora_ga_config", "layers_pattern", "megatron_core", "qalora_group_size", "runtime_config"),
    *("alora_invocation_tokens", "ensure_weight_tying"),
)
"""Fields that change no count, but for those that are read."""


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
    ranks, targets, problems = _ranks(fields)
    notes = (f"{fields.get('peft_type')} adapter of {base}",)
    return Description(base=base, given=ranks, targets=targets, problems=tuple(problems), notes=notes)


def _ranks(fields: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...], list[str]]:
    """Return the rank of adapters, the modules that they are for, and what of the adapter is not counted."""
    rank, targets = fields.get("r"), fields.get("target_modules")
    if fields.get("peft_type") != "LORA" or isinstance(rank, bool) or not isinstance(rank, int) or rank < 1:
        return (
            {},
            (),
            [f"an adapter of type {fields.get('peft_type')}: its base is counted, its own parameters are not"],
        )
    others = [name for name in fields if name not in INERT and fields[name] not in OFF]
    problems = [f"{name} = {fields[name]!r} of the adapter is not counted" for name in others]
    if targets == "all-linear":
        return dict.fromkeys(GROUPS, rank), (), problems
    if not isinstance(targets, list) or not targets or not all(isinstance(name, str) for name in targets):
        text = f"target_modules = {targets!r} of the adapter is not read: its parameters are not counted"
        return {}, (), [*problems, text]
    return dict.fromkeys(GROUPS, rank), tuple(targets), problems
