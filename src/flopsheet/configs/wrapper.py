"""Multimodal wrappers: a config whose language model stands in `text_config`, beside towers that are not counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.host.host import Host

TEXT = "text_config"
SHARED = ("tie_word_embeddings", "torch_dtype", "dtype", "quantization_config")
"""Fields that a wrapper states for its language model too."""


def language_model(host: Host, config: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Return the config of the language model inside a wrapper, and what is then not counted.

    A config of a type that some plugin reads is its own. So is one without a `text_config` of such a type.
    """
    text = config.get(TEXT)
    if not config.get("model_type") or _claimed(host, config) or not isinstance(text, dict) or not _claimed(host, text):
        return config, []
    towers = sorted(key.removesuffix("_config") for key, value in config.items() if _is_tower(key, value))
    others = f": not counted are {', '.join(towers)}, and what joins them to it" if towers else ""
    problem = (
        f"{config.get('model_type')} is a wrapper: only its language model ({text['model_type']}) is counted{others}"
    )
    return {**{key: config[key] for key in SHARED if key in config}, **text}, [problem]


def _claimed(host: Host, config: Mapping[str, Any]) -> bool:
    model_type = config.get("model_type")
    return isinstance(model_type, str) and model_type in host.families


def _is_tower(key: str, value: Any) -> bool:
    return key.endswith("_config") and key not in (TEXT, "quantization_config") and isinstance(value, dict)
