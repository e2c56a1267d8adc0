"""LongCat-Flash: experts of which some do nothing, and layers of two attentions and two MLPs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe.fixed_fields import hold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Reading

    Config = Mapping[str, Any]


def read_longcat(config: Config, reading: Reading) -> None:
    """LongCat-Flash: some of the chosen experts do nothing, so a token passes as many as are left on average."""
    n_experts, n_idle = config["num_local_experts"], config.get("zero_expert_num") or 0
    top_k, n_sublayers = config["num_experts_per_tok"], 2 * config["num_layers"]
    reading.keys.update(("zero_expert_num", "num_layers", "qk_head_dim", "head_dim"))
    parts = config["qk_nope_head_dim"] + config["qk_rope_head_dim"]
    if config.get("qk_head_dim") not in (None, parts):
        raise ValueError(f"qk_head_dim = {config['qk_head_dim']}: its parts are {parts} wide together")
    if config["head_dim"] != config["qk_rope_head_dim"]:
        raise ValueError(f"head_dim = {config['head_dim']}, which positions take, is not qk_rope_head_dim")
    hold(config, reading, {"num_hidden_layers_beside_num_layers": n_sublayers})
    reading.values["top_k"] = max(round(top_k * n_experts / (n_experts + n_idle)), 1)
    if not n_idle:
        return
    reading.notes.append(
        f"top_k = {reading.values['top_k']}: of {top_k} chosen experts, those that do nothing at an even choice among"
        f" {n_experts} and {n_idle} idle ones are left out, as LongCat-Flash is trained to"
    )
    reading.problems.append(
        f"parameters are those of the checkpoints: transformers' class allocates inputs of {n_idle} idle experts too"
    )
