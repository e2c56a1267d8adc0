"""From a config to a model, in a line of stages: each is a value in and a value out.

raw fields (`plain`) → the model to count (`subject`) → its type and class (`kinds`) → completed fields (`completing`) →
dimension values (`values`) → problems and notes (here). No formula is read on the way.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.accounting.line import NOTHING
from flopsheet.configs.classes import class_table
from flopsheet.configs.completing import fields_of, numeric
from flopsheet.configs.field_types import refused_values
from flopsheet.configs.fields import irrelevant, unread, unread_fields
from flopsheet.configs.heads import with_labels
from flopsheet.configs.kinds import counted_class, kind_of
from flopsheet.configs.missing_sizes import check_sizes
from flopsheet.configs.model import Model
from flopsheet.configs.plain import check_plain
from flopsheet.configs.rotary_heads import widened_heads
from flopsheet.configs.subject import subject_of
from flopsheet.configs.values import values_of
from flopsheet.configs.wrapper import joining_family
from flopsheet.errors import FlopsheetError
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.configs.completing import Fields
    from flopsheet.configs.kinds import Class, Kind
    from flopsheet.configs.subject import Subject
    from flopsheet.configs.values import Values
    from flopsheet.host.host import Host


BLANK = Model(name="")
"""What a model is made of: each has values of its own for what its config says."""
UNVERIFIED = "the type is counted by its description alone: neither its class nor a checkpoint of its has been compared"


def read_config(
    host: Host, config: Mapping[str, Any], *, read_as: str = "", rename: Mapping[str, str] = NOTHING
) -> Model:
    """Return the model of a config; what cannot be read is an error of the model, not an exception.

    `read_as` names the `model_type` whose rules apply instead of the config's own, `rename` maps its fields to that
    type's fields.
    """
    try:
        check_plain(config)
        subject = subject_of(host, config, read_as)
        if not read_as and not subject.problems and (joining := joining_family(host, subject.read_as)):
            from flopsheet.configs.joint_models import read_joined  # noqa: PLC0415 - most configs have no parts

            return read_joined(host, subject.config, joining, partial(read_config, host))
        return _read(host, subject, rename)
    except FlopsheetError as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001 - one config of a batch, whatever it holds, ends no other's count
        reason = f"the config cannot be read: {type(error).__name__}: {error}"
    model_type = config.get("model_type")
    return Model(name="", model_type=model_type if isinstance(model_type, str) else "", errors=(reason,))


def _read(host: Host, subject: Subject, rename: Mapping[str, str]) -> Model:
    kind = kind_of(host, subject.read_as)
    if problems := [] if subject.is_borrowed else refused_values(subject.read_as, subject.config):
        return Model(name="", model_type=subject.model_type, errors=tuple(problems))
    fields = fields_of(kind, subject.config, rename)
    model_class = counted_class(kind.family, subject.config.get("architectures"), is_borrowed=subject.is_borrowed)
    model_class = replace(model_class, values=with_labels(model_class.values, subject.config))
    return _model(subject, kind, fields, model_class, values_of(host, kind, fields, model_class))


def _model(subject: Subject, kind: Kind, fields: Fields, model_class: Class, values: Values) -> Model:
    reading = values.reading
    own = {key: value for key, value in fields.own.items() if key not in kind.known_fields}
    check_sizes(values.assumed, {**unread_fields(own, reading.keys, kind.family, fields.raw), **fields.foreign})
    return replace(
        BLANK,
        model_type=subject.model_type,
        read_as=subject.read_as if subject.is_borrowed else "",
        architecture=kind.architecture.name,
        given=values.given,
        defaults=values.defaults,
        assumed=values.assumed,
        fields=numeric(kind, fields),
        checks=kind.family.checks,
        drivers={},
        problems=(
            *subject.problems,
            *reading.problems,
            *([UNVERIFIED] if kind.family.hints.get("unverified") else ()),
            *model_class.problems,
            *widened_heads(class_table(subject.read_as), subject.config),
            *values.overruled,
            *unread(own, reading.keys, kind.family, fields.raw),
            *unread(fields.foreign, kind.family.irrelevant, kind.family),
            *values.storage_problems,
        ),
        notes=(
            *subject.notes,
            *reading.notes,
            *model_class.notes,
            *values.storage_notes,
        ),
    )


def read_dimensions(host: Host, architecture: str, dimensions: Mapping[str, Any]) -> Model:
    """Return the model that a planner describes by its dimensions; unknown names are errors with a suggestion."""
    try:
        ledger = host.ledger(architecture)
    except FlopsheetError as error:
        return Model(name="", errors=(str(error),))
    names = {dimension.name for dimension in ledger.dimensions}
    errors = [f"dimensions.{name}: unknown{names_like(name, names)}" for name in dimensions if name not in names]
    paper = ledger.architecture.on_paper
    return Model(name="", architecture=architecture, given=dict(dimensions), defaults=paper, errors=tuple(errors))


def type_fields(host: Host, model_type: str) -> tuple[set[str], Mapping[str, str]]:
    """Return the config fields that a type is known to have, and the kind of those that hold a number or a flag."""
    kind = kind_of(host, model_type)
    family, architecture = kind.family, kind.architecture
    kinds = {key: d.kind for d in architecture.dimensions if d.kind != "choice" for key in d.keys}
    numeric = {key: kind for key, kind in kinds.items() if isinstance(family.defaults.get(key, 0), int | float)}
    fields = set(kind.known_fields).union(family.defaults, family.rename, irrelevant(), ("architectures",))
    return fields, numeric | {key: numeric[name] for key, name in family.rename.items() if name in numeric}


def fields_of_dimensions(host: Host, model_type: str) -> Mapping[str, str]:
    """Return the config field that says a dimension of a type, for those that a field says."""
    kind = kind_of(host, model_type)
    fields = kind.known_fields - kind.passed_over
    keys = {d.name: next((key for key in d.keys if key in fields), "") for d in kind.architecture.dimensions}
    return {name: key for name, key in keys.items() if key and name not in kind.family.values}


def classes_of(host: Host, model_type: str) -> tuple[str, ...]:
    """Return the model classes of a type that are counted, its language model first."""
    return tuple(kind_of(host, model_type).family.classes)


def class_of(host: Host, config: Mapping[str, Any]) -> str:
    """Return the model class of a config: the one that it names, else its type's language model, else nothing."""
    classes = config.get("architectures")
    first = classes[0] if isinstance(classes, list) and classes else None
    return first if isinstance(first, str) else next(iter(classes_of(host, str(config.get("model_type")))), "")
