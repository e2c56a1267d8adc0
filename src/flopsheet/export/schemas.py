"""The JSON Schemas of portfolios and of plugins without code, which editors complete and check such files with."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import Architecture, Family
from flopsheet.accounting.optimizers import Optimizer
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.portfolio import CATALOGED, DATED, ENTRY, RANGE, SECTIONS, TABLES
from flopsheet.configs.settings import SHORT
from flopsheet.configs.tuning import METHOD, METHODS
from flopsheet.configs.weight_format import WeightFormat
from flopsheet.host.candidate import API
from flopsheet.host.json_schema import DIALECT, of_record, schema_of
from flopsheet.host.loading import load
from flopsheet.host.toml_plugin import ABOUT, ARCHITECTURES, EXTENDS, FAMILIES, QUESTIONS, READY, Lines
from flopsheet.planning.catalog import Accelerator, Price, price_kinds
from flopsheet.planning.question import Question
from flopsheet.planning.questions.scaling.laws import ScalingLaw
from flopsheet.planning.registry import all_inputs
from flopsheet.units.amounts import AMOUNT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Dimension

RECORDS: Mapping[str, type] = {
    "accelerators": Accelerator,
    "prices": Price,
    "optimizers": Optimizer,
    "weight_formats": WeightFormat,
    "scaling_laws": ScalingLaw,
}
"""The record of each list of a file."""
TYPES = {dict: "object", list: "array", str: "string"}
ANY: dict[str, Any] = {}
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
AMOUNTS = {"amount": {"type": ["number", "string"], "pattern": f"^{AMOUNT.pattern}$"}}
"""A number, or one with its scale or unit, as people write it."""
WRITTEN = {"$ref": "#/$defs/amount"}


def plugin_schema() -> dict[str, Any]:
    """Return the schema of plugins without code."""
    definitions: dict[str, Any] = {}
    lines = of_record(Lines, definitions)
    own = definitions["Lines"]["properties"]
    of_record(Architecture, definitions, ("name", "about"))
    definitions["Architecture"]["properties"] |= own
    records = {
        ARCHITECTURES: {"$ref": "#/$defs/Architecture"},
        EXTENDS: lines,
        FAMILIES: of_record(Family, definitions, ("model_type", "architecture"), ("table", "package")),
        QUESTIONS: of_record(Question, definitions, ("name",)),
    }
    tables = {name: {"type": "object", "additionalProperties": schema} for name, schema in records.items()}
    lists = {name: {"type": "array", "items": schema_of(kind, definitions)} for name, kind in RECORDS.items()}
    definitions["Line"]["required"].remove("unit")  # its list says it
    _add_words(definitions)
    return _whole("A plugin of flopsheet without code", {API: TEXT, ABOUT: TEXT, **tables, **lists}, definitions)


def _add_words(definitions: Mapping[str, Any]) -> None:
    """Say which fields of records hold one of some words, which their types do not say."""
    for record in ("Lines", "Architecture"):
        definitions[record]["properties"]["blocks"] = {"type": "array", "items": {"enum": [*READY]}}
    definitions["Price"]["properties"]["kind"] = {"enum": [*price_kinds()]}


def portfolio_schema() -> dict[str, Any]:
    """Return the schema of portfolios; inputs of plugins' questions, and dimensions of models, may be there too."""
    inputs: dict[str, Any] = {name: _range(dimension) for name, dimension in all_inputs(load()).items()}
    inputs |= {**dict.fromkeys(CATALOGED, TEXT), **dict.fromkeys(DATED, ANY)}
    workload: dict[str, Any] = {dimension.name: _value(dimension) for dimension in WORKLOAD} | dict.fromkeys(SHORT, ANY)
    either, table = {"$ref": "#/$defs/inputs"}, {"type": "object"}
    definitions = {
        **AMOUNTS,
        "inputs": {"type": "object", "properties": {**inputs, **workload}},
        "workload": {"type": "object", "properties": workload},
    }
    entry = {
        **dict.fromkeys(sorted(ENTRY), TEXT),
        "size": ANY,
        "tokens": {"minimum": 1, **WRITTEN},
        METHOD: {"anyOf": [{"enum": [*METHODS]}, {"type": "array", "items": {"enum": [*METHODS]}}]},
        **dict.fromkeys(("dimensions", "inputs", "rename"), table),
        "published": {"type": "object", "required": ["parameters"], "properties": {"parameters": {"type": "integer"}}},
    }
    properties = {
        **{name: {"type": TYPES[kind]} for name, kind in TABLES.items()},
        **dict.fromkeys(("questions", "require", "without", "plugins"), TEXTS),
        **dict.fromkeys(SECTIONS, either),
        "workload": {"$ref": "#/$defs/workload"},
        "scenarios": {"type": "object", "additionalProperties": either},
        "models": {"type": "array", "items": {"type": "object", "properties": {**workload, **entry}}},
    }
    return _whole("A portfolio of flopsheet", properties, definitions)


def _whole(title: str, properties: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    body = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"$schema": DIALECT, "title": title, **body, "$defs": dict(sorted(definitions.items()))}


def _range(dimension: Dimension) -> dict[str, Any]:
    """Return the schema of an input: one value for all cases, or a range with its source."""
    value = _value(dimension)
    if "type" in value:
        value = {key: bound for key, bound in value.items() if key != "type"} | WRITTEN
    ends = dict.fromkeys(RANGE[:3], value)
    words = {"source": TEXT, "date": ANY}
    table = {"type": "object", "properties": {**ends, **words}, "additionalProperties": False}
    return {"title": dimension.title, "description": dimension.about, "anyOf": [value, table]}


def _value(dimension: Dimension) -> dict[str, Any]:
    """Return the schema of a dimension's value."""
    if dimension.kind == "choice":
        return {"enum": [*dimension.labels, *range(1, len(dimension.labels) + 1)]}
    if dimension.kind == "flag":
        return {"enum": [0, 1, False, True]}
    least = {"exclusiveMinimum": dimension.above} if dimension.above is not None else {"minimum": dimension.minimum}
    most = 1 if dimension.kind == "share" else dimension.maximum
    return {"type": "number", **least, **({"maximum": most} if most is not None else {})}


FILES = {"plugin": plugin_schema, "portfolio": portfolio_schema}


def text_of(name: str) -> str:
    """Return a schema as the file that is published."""
    return json.dumps(FILES[name](), indent=1, ensure_ascii=False) + "\n"


MATCHES = {
    "plugin": ["*.plugin.toml", "**/flopsheet/plugins/*.toml"],
    "portfolio": ["portfolio.toml", "*.portfolio.toml", "**/portfolios/*.toml"],
}
"""The files that an editor takes for each kind."""
CATALOG = "https://json.schemastore.org/schema-catalog.json"


def catalog_of(address: str) -> dict[str, Any]:
    """Return the catalog of the schemas at an address, in the form that Taplo and SchemaStore read."""
    schemas = [
        {
            "name": f"flopsheet {name}",
            "description": FILES[name]()["title"],
            "fileMatch": MATCHES[name],
            "url": f"{address.rstrip('/')}/{name}.schema.json",
        }
        for name in FILES
    ]
    return {"$schema": CATALOG, "version": 1, "schemas": schemas}


def write(folder: Path, address: str = "") -> None:
    """Write the schemas into a folder and, where it has an address, their catalog."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / f"{name}.schema.json").write_text(text_of(name), encoding="utf-8")
    if address:
        (folder / "catalog.json").write_text(json.dumps(catalog_of(address), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), *sys.argv[2:3])
