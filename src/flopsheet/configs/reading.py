"""From a config to a model: the family's data, the architecture's dimensions, and what remains to be said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import NOTHING, Architecture, Family, Reading
from flopsheet.accounting.values import shown
from flopsheet.accounting.words import names_like
from flopsheet.accounting.workload import MAX_POSITIONS
from flopsheet.configs.classes import completed, undeclared
from flopsheet.configs.fields import STORAGE, irrelevant, understood, unread
from flopsheet.configs.model import Model
from flopsheet.configs.wrapper import language_model
from flopsheet.errors import ConfigError, FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.host.host import Host

MOST_LAYERS = 100_000
"""Some types say what each layer is, one by one: a list that memory has to hold."""


def read_config(
    host: Host, config: Mapping[str, Any], *, read_as: str = "", rename: Mapping[str, str] = NOTHING
) -> Model:
    """Return the model of a config; what cannot be read is an error of the model, not an exception.

    `read_as` names the `model_type` whose rules apply instead of the config's own, `rename` maps its fields to that
    type's fields.
    """
    config, uncounted = (config, []) if read_as else language_model(host, config)
    try:
        _check_depth(config)
        family, architecture = _kind(host, config, read_as)
        model_type = str(config.get("model_type", ""))
        config = _renamed(config, rename)
        foreign = _foreign(architecture, family, config)
        renamed = _renamed({key: value for key, value in config.items() if key not in foreign}, family.rename)
        reading = _read(architecture, family, renamed)
        storage, stored = _storage(host, architecture, {**config, **renamed})
    except FlopsheetError as error:
        return Model(name="", model_type=str(config.get("model_type", "")), errors=(str(error),))
    fixed = _class(family, config, reading, borrowed=read_as not in ("", model_type))
    known = understood(architecture, family) | reading.keys
    problems = [*unread(renamed, known, family), *unread(foreign, family.irrelevant, family)]
    return Model(
        name="",
        model_type=model_type,
        read_as=read_as if read_as != model_type else "",
        architecture=architecture.name,
        given=_given(architecture, family, renamed, reading) | storage,
        defaults={**family.values, **fixed},
        fields=_numbers({**family.defaults, **renamed}),
        problems=(*uncounted, *reading.problems, *problems),
        notes=(*reading.notes, *stored, *_class_defaults(architecture, family, renamed)),
    )


def read_dimensions(host: Host, architecture: str, dimensions: Mapping[str, Any]) -> Model:
    """Return the model that a planner describes by its dimensions; unknown names are errors with a suggestion."""
    try:
        ledger = host.ledger(architecture)
    except FlopsheetError as error:
        return Model(name="", errors=(str(error),))
    names = {dimension.name for dimension in ledger.dimensions}
    errors = [f"dimensions.{name}: unknown{names_like(name, names)}" for name in dimensions if name not in names]
    return Model(name="", architecture=architecture, given=dict(dimensions), errors=tuple(errors))


def type_fields(host: Host, model_type: str) -> tuple[set[str], Mapping[str, str]]:
    """Return the config fields that a type is known to have, and the kind of those that hold a number or a flag."""
    family, architecture = _kind(host, {}, model_type)
    kinds = {key: d.kind for d in architecture.dimensions if d.kind != "choice" for key in d.keys}
    numeric = {key: kind for key, kind in kinds.items() if isinstance(family.defaults.get(key, 0), int | float)}
    known = understood(architecture, family).union(family.defaults, family.rename, irrelevant(), ("architectures",))
    return known, numeric | {key: numeric[name] for key, name in family.rename.items() if name in numeric}


def classes_of(host: Host, model_type: str) -> tuple[str, ...]:
    """Return the model classes of a type that are counted, its language model first."""
    return tuple(_kind(host, {"model_type": model_type}, "")[0].classes)


def class_of(host: Host, config: Mapping[str, Any]) -> str:
    """Return the model class of a config: the one that it names, else its type's language model, else nothing."""
    named = config.get("architectures")
    first = named[0] if isinstance(named, list) and named else None
    return first if isinstance(first, str) else next(iter(classes_of(host, str(config.get("model_type")))), "")


def _kind(host: Host, config: Mapping[str, Any], read_as: str) -> tuple[Family, Architecture]:
    model_type = read_as or config.get("model_type")
    if not isinstance(model_type, str) or not model_type:
        raise ConfigError(f"the config has no model_type{_hint(config)}")
    family = host.family(model_type)
    architecture = host.architecture(family.architecture)
    return completed(family, understood(architecture, family), irrelevant().union(family.irrelevant)), architecture


def _hint(config: Mapping[str, Any]) -> str:
    if "text_config" in config:
        return ", only its text_config has one"
    return "; is it a transformers config.json?"


def _renamed(config: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    renamed = {key: value for key, value in config.items() if key not in names}
    for key, name in names.items():
        if key not in config:
            continue
        known = renamed.setdefault(name, config[key])
        if known is not config[key] and known != config[key]:
            raise ConfigError(f"{key} = {config[key]!r} contradicts {name} = {known!r}; leave one out")
    return renamed


def _foreign(architecture: Architecture, family: Family, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that the architecture reads in other types and that this type's class passes over."""
    read = {key for dimension in architecture.dimensions for key in dimension.keys}
    passed_over = undeclared(family, read).difference(MAX_POSITIONS.keys).union(family.irrelevant)
    return {key: value for key, value in config.items() if key in passed_over}


def _check_depth(config: Mapping[str, Any]) -> None:
    for key, value in config.items():
        if key.endswith(("layer", "layers")) and isinstance(value, int | float) and value > MOST_LAYERS:
            raise ConfigError(f"{key} = {shown(value)}: at most {MOST_LAYERS:,} layers are read")


def _read(architecture: Architecture, family: Family, config: Mapping[str, Any]) -> Reading:
    if architecture.read is None:
        return Reading()
    try:
        return architecture.read({**family.defaults, **config}, family)
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        raise ConfigError(f"the config does not make sense: {type(error).__name__}: {error}") from None


def _class(family: Family, config: Mapping[str, Any], reading: Reading, *, borrowed: bool) -> Mapping[str, float | str]:
    """Return the dimension values that the counted class fixes, and say which class that is where it is not plain.

    A type that is read as another has classes of its own, and a count has to confirm the reading anyway.
    """
    classes = config.get("architectures") or []
    default = next(iter(family.classes), "")
    if not isinstance(classes, list) or not classes:
        if default:
            reading.notes.append(f"the config names no class: counted as {default}")
        return family.classes.get(default, NOTHING)
    named = classes[0] if isinstance(classes[0], str) else repr(classes[0])
    if named not in family.classes and family.classes:
        said = reading.notes if borrowed else reading.problems
        said.append(f"class {named} is not known: counted as {default}")
        return family.classes[default]
    return family.classes.get(named, NOTHING)


def _given(architecture: Architecture, family: Family, config: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    fields = {**family.defaults, **config}
    given = {
        dimension.name: next((fields[key] for key in dimension.keys if fields.get(key) is not None), None)
        for dimension in architecture.dimensions
        if dimension.name not in family.values
    }
    return {name: value for name, value in given.items() if value is not None} | reading.values


def _numbers(fields: Mapping[str, Any]) -> dict[str, float]:
    return {
        key: int(value) if isinstance(value, bool) else value
        for key, value in fields.items()
        if isinstance(value, bool | int | float)
    }


def _storage(host: Host, architecture: Architecture, config: Mapping[str, Any]) -> tuple[dict[str, float], list[str]]:
    if not any(config.get(name) for name in STORAGE):
        return {}, []
    from flopsheet.configs.quantised import quantised  # noqa: PLC0415 - few configs are of quantised weights

    return quantised(config, [dimension.name for dimension in host.ledger(architecture.name).dimensions])


def _class_defaults(architecture: Architecture, family: Family, config: Mapping[str, Any]) -> list[str]:
    missing = [
        key
        for dimension in architecture.dimensions
        if dimension.default is None and dimension.name not in family.values
        for key in dimension.keys[:1]
        if config.get(key) is None and key in family.defaults
    ]
    said = ", ".join(f"{key} = {family.defaults[key]}" for key in missing)
    return [f"not in the config, class defaults taken: {said}"] if said else []
