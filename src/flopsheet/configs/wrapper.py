"""Multimodal wrappers: a config whose language model stands beside towers that are not counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.configs.classes import class_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.host.host import Host

TEXTS = ("text_config", "llm_config", "language_config")
"""Where wrappers keep the config of their language model."""

SHARED = ("torch_dtype", "dtype", "quantization_config")
"""Fields that a wrapper states for its language model too."""

TIED = "tie_word_embeddings"


def language_model(host: Host, config: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Return the config of the language model inside a wrapper, and what is then not counted.

    A config of a type that some plugin reads is its own. So is one without a language model of such a type.
    """
    text = {} if _claimed(host, config) else _text(config)
    if not config.get("model_type") or not _claimed(host, text):
        return config, []
    towers = sorted(key.removesuffix("_config") for key, value in config.items() if _is_tower(key, value))
    others = f": not counted are {', '.join(towers)}, and what joins them to it" if towers else ""
    problem = f"{config['model_type']} is a wrapper: only its language model ({text['model_type']}) is counted{others}"
    shared = {key: config[key] for key in SHARED if key in config}
    tied, contradiction = _tied(config, text)
    return {**shared, **text, **tied}, [problem, *contradiction]


def _text(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the language model's config: a part of the wrapper's, or its own fields where older ones are flat."""
    table = class_table(str(config.get("model_type")))
    own = {"model_type": table.text} if table and table.text else {}
    part = next((config[key] for key in TEXTS if isinstance(config.get(key), dict)), None)
    if part is not None:
        return {**own, **part}
    flat = {key: value for key, value in config.items() if not _is_tower(key, value) and not key.endswith("_token_id")}
    return {**flat, **own, "architectures": None} if own else {}


def _tied(config: Mapping[str, Any], text: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return whether the head is tied, which the wrapper decides, and what is to be said where its part differs."""
    if TIED not in config:
        table, inner = class_table(str(config["model_type"])), class_table(text["model_type"])
        open_here = TIED not in text and not (inner and TIED in inner.defaults)
        return ({TIED: table.defaults[TIED]} if open_here and table and TIED in table.defaults else {}), []
    said, own = config[TIED], text.get(TIED, config[TIED])
    contradiction = f"{TIED} = {own} of the language model contradicts the wrapper's {said}, which is counted"
    return {TIED: said}, [contradiction] if own != said else []


def _claimed(host: Host, config: Mapping[str, Any]) -> bool:
    model_type = config.get("model_type")
    return isinstance(model_type, str) and model_type in host.families


def _is_tower(key: str, value: Any) -> bool:
    return key.endswith("_config") and key not in (*TEXTS, "quantization_config") and isinstance(value, dict)
