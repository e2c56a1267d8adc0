"""JSON Schemas of records: from the same types that tables are read with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from flopsheet.host.typed_records import fields_of, is_record

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
}


def schema_of(kind: Any, definitions: dict[str, Schema]) -> Schema:
    """Return the schema of a type; those of records are entered in `definitions` and referred to."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[1]
    if is_record(kind):
        return of_record(kind, definitions)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": [word for word in inner if word]}
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(part, definitions) for part in inner if part is not type(None)]}
    if origin in (tuple, Sequence):
        return {"type": "array", "items": schema_of(inner[0], definitions)}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": schema_of(inner[1], definitions)}
    return dict(PLAIN.get(kind, {}))


def of_record(
    kind: type, definitions: dict[str, Schema], optional: Sequence[str] = (), without: Sequence[str] = ()
) -> Schema:
    """Return a reference to the schema of a record; `optional` are fields that the place of a table says already."""
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # a record may hold its like
        fields = {key: field for key, field in fields_of(kind).items() if key not in without}
        definitions[name] = {
            "type": "object",
            "description": (kind.__doc__ or "").split("\n\n")[0].replace("\n    ", " "),
            "properties": {key: schema_of(field.type, definitions) for key, field in fields.items()},
            "required": [key for key, field in fields.items() if field.is_required and key not in optional],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
