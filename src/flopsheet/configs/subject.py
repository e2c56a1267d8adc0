"""First stage: from the raw fields of a config to the model that is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.values import show_value
from flopsheet.configs.classes import class_table
from flopsheet.configs.wrapper import language_model
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Family
    from flopsheet.host.host import Host

LAYERS = ("layer", "layers")
NUMERIC = (int, float)
MAX_LAYERS = 100_000
"""Some types say what each layer is, one by one: a list that memory has to hold."""


class Subject(Struct, frozen=True):
    """The model to count: its fields by the names that the file uses, the type that reads it, and what is left out."""

    config: Mapping[str, Any]
    model_type: str
    """What the config calls itself; "" where it has no usable name."""
    read_as: str
    """The type whose rules apply."""
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_borrowed(self) -> bool:
        """Whether the rules are those of another type."""
        return self.read_as != self.model_type


def subject_of(host: Host, config: Mapping[str, Any], read_as: str = "") -> Subject:
    """Return the model that a config means: itself, or the language model inside a wrapper.

    ConfigError where no type is given, or where there are more layers than memory holds.
    """
    config, problems = (config, []) if read_as else language_model(host, config)
    _check_depth(config)
    if not read_as and (only := _type_of_class(host, config)):
        note = f"model_type is not given: {only} by its class {config['architectures'][0]}"
        return Subject({**config, "model_type": only}, only, only, tuple(problems), (note,))
    own = _class_family(host, config) or config.get("model_type")
    type_name = read_as or own
    if type_name is not None and not isinstance(type_name, str):
        raise ConfigError(f"model_type = {show_value(type_name)}: a text is expected, such as 'llama'")
    if not type_name:
        hint = ", only its text_config has one" if "text_config" in config else "; is it a transformers config.json?"
        raise ConfigError(f"the config has no model_type{hint}")
    return Subject(config, own if isinstance(own, str) else "", type_name, tuple(problems))


def _type_of_class(host: Host, config: Mapping[str, Any]) -> str:
    """Return the type whose class a config without a type names; an empty text where there is none, or several.

    Of several the one counts that the class is called after: others borrow it.
    """
    classes = config.get("architectures")
    if config.get("model_type") is not None or not isinstance(classes, list) or not classes:
        return ""
    types = [family.model_type for family, _ in host.families.values() if classes[0] in _own_classes(family)]
    if len(types) > 1:
        types = [name for name in types if _is_called_after(classes[0], name)]
    return types[0] if len(types) == 1 else ""


def _is_called_after(class_name: str, model_type: str) -> bool:
    table = class_table(model_type)
    stem = model_type.replace("_", "").replace("-", "")
    return table is not None and not table.text and class_name.lower().startswith((f"{stem}for", f"{stem}lm"))


def _own_classes(family: Family) -> set[str]:
    table = class_table(family.model_type)
    return {*family.classes, *(table.classes.values() if table else ())}


def _class_family(host: Host, config: Mapping[str, Any]) -> str:
    """Return the class that a config names, where a family has its name: a draft's type is that of its layers."""
    classes = config.get("architectures")
    first = classes[0] if isinstance(classes, list) and classes else None
    return first if isinstance(first, str) and first in host.families else ""


def _check_depth(config: Mapping[str, Any]) -> None:
    for key, value in config.items():
        if key.endswith(LAYERS) and isinstance(value, NUMERIC) and value > MAX_LAYERS:
            raise ConfigError(f"{key} = {show_value(value)}: at most {MAX_LAYERS:,} layers are read")
