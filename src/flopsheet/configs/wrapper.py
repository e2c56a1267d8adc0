"""Multimodal wrappers: a config whose language model is alongside towers that are not counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import NOTHING
from flopsheet.configs.classes import class_table, part_fields
from flopsheet.configs.fields import STORAGE
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Family
    from flopsheet.configs.classes import ClassTable
    from flopsheet.host.host import Host

TEXTS = ("text_config", "llm_config", "language_config")
"""Where wrappers keep the config of their language model."""

SHARED = ("torch_dtype", "dtype", *STORAGE)
"""Fields that a wrapper states for its language model too."""

TIED = "tie_word_embeddings"


def joining_family(host: Host, model_type: str) -> Family | None:
    """Return the family of a type that is read by a joining architecture, or nothing."""
    if model_type not in host.families:
        return None
    family = host.family(model_type)
    return family if family.architecture in host.joining else None


def language_model(host: Host, config: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """Return the config of the language model inside a wrapper, and what is then not counted.

    A config of a type that some plugin reads is its own. So is one without a language model of such a type.
    """
    text = {} if _is_claimed(host, config) else _text(config)
    if not config.get("model_type") or not _is_claimed(host, text):
        return config, []
    towers = sorted(key.removesuffix("_config") for key, value in config.items() if _is_tower(key, value))
    others = f": not counted are {', '.join(towers)}, and what joins them to it" if towers else ""
    problem = f"{config['model_type']} is a wrapper: only its language model ({text['model_type']}) is counted{others}"
    common = {key: config[key] for key in SHARED if key in config}
    tying, contradiction = _read_tying(config, text)
    return {**common, **text, **tying}, [problem, *contradiction]


def text_of(config: Mapping[str, Any], table: ClassTable, family: Family) -> dict[str, Any]:
    """Return the language model's config inside one that a family reads, as its class makes it.

    The hint `text` of a family names the field, `text_type` the type of a language model whose fields are next to the
    parts, or the field that says it with the type for each of its values; those of older configs are there too.
    """
    field = family.hints.get("text", TEXTS[0])
    key = next((key for key in (field, *TEXTS) if isinstance(config.get(key), dict)), "")
    declaration = table.parts.get(key or field, NOTHING)
    fields = part_fields(key or field, declaration, config[key] if key else _beside(config, table, family) or None)
    model_type = declaration.get("type", table.text)
    if key and not declaration.get("fixed"):
        model_type = fields.get("model_type", model_type)
    common = {name: config[name] for name in SHARED if name in config}
    left_out = ("architectures", "model_type", *family.hints.get("text_irrelevant", ()))
    own = {name: value for name, value in fields.items() if name not in left_out}
    return {**common, **own, "model_type": _hinted_type(config, family) or model_type}


def _hinted_type(config: Mapping[str, Any], family: Family) -> str:
    """Return the type that a family names for its language model, or nothing; ConfigError where no value fits."""
    hint = family.hints.get("text_type", "")
    if isinstance(hint, str):
        return hint
    ((field, types),) = hint.items()
    if (value := str(config.get(field))) not in types:
        raise ConfigError(f"{field} = {value}: one of {', '.join(types)} is expected, which say the language model")
    return str(types[value])


def _beside(config: Mapping[str, Any], table: ClassTable, family: Family) -> dict[str, Any]:
    """Return the fields of a language model that are next to the parts of its model."""
    if not is_flat(config) and "text_type" not in family.hints:
        return {}
    others = {*family.hints["parts"], *family.irrelevant, *family.hints.get("beside", ())}
    own = table.defaults if "text_type" in family.hints else NOTHING
    fields = {**{key: value for key, value in own.items() if value is not None}, **config}
    passing = {key for key in fields if key.endswith("_token_id")} - {"pad_token_id"}
    return {key: value for key, value in fields.items() if key not in others | passing}


def is_flat(config: Mapping[str, Any]) -> bool:
    """Return whether a config has the fields of its language model next to its parts."""
    return not any(key in config for key in TEXTS) and "num_hidden_layers" in config


def _text(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the language model's config: a part of the wrapper's, or its own fields where older ones are flat."""
    table = class_table(str(config.get("model_type")))
    own = {"model_type": table.text} if table and table.text else {}
    part = next((config[key] for key in TEXTS if isinstance(config.get(key), dict)), None)
    if part is not None:
        return {**own, **part}
    flat = {key: value for key, value in config.items() if not _is_tower(key, value) and not key.endswith("_token_id")}
    return {**flat, **own, "architectures": None} if own else {}


def _read_tying(config: Mapping[str, Any], text: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return whether the head is tied, which the wrapper decides, and what is to be said where its part differs."""
    if TIED not in config:
        table, inner = class_table(str(config["model_type"])), class_table(text["model_type"])
        open_here = TIED not in text and not (inner and TIED in inner.defaults)
        return ({TIED: table.defaults[TIED]} if open_here and table and TIED in table.defaults else {}), []
    value, own = config[TIED], text.get(TIED, config[TIED])
    contradiction = f"{TIED} = {own} of the language model contradicts the wrapper's {value}, which is counted"
    return {TIED: value}, [contradiction] if own != value else []


def _is_claimed(host: Host, config: Mapping[str, Any]) -> bool:
    model_type = config.get("model_type")
    return isinstance(model_type, str) and model_type in host.families


def _is_tower(key: str, value: Any) -> bool:
    return key.endswith("_config") and key not in (*TEXTS, *STORAGE) and isinstance(value, dict)
