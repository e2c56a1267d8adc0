"""JSON Schemas of records: from the same types that tables are read with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from flopsheet.host.typed import fields_of, is_record

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
}


def schema_of(kind: Any, known: dict[str, Schema]) -> Schema:
    """Return the schema of a type; those of records are entered in `known` and referred to."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[1]
    if is_record(kind):
        return of_record(kind, known)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": [word for word in inner if word]}
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(one, known) for one in inner if one is not type(None)]}
    if origin in (tuple, Sequence):
        return {"type": "array", "items": schema_of(inner[0], known)}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": schema_of(inner[1], known)}
    return dict(PLAIN.get(kind, {}))


def of_record(kind: type, known: dict[str, Schema], given: Sequence[str] = (), without: Sequence[str] = ()) -> Schema:
    """Return a reference to the schema of a record; `given` are fields that the place of a table says already."""
    name = kind.__name__
    if name not in known:
        known[name] = {}  # a record may hold its like
        fields = {key: one for key, one in fields_of(kind).items() if key not in without}
        known[name] = {
            "type": "object",
            "description": (kind.__doc__ or "").split("\n\n")[0].replace("\n    ", " "),
            "properties": {key: schema_of(one.type, known) for key, one in fields.items()},
            "required": [key for key, one in fields.items() if one.required and key not in given],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
