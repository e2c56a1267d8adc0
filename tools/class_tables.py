"""Write the class tables: what transformers declares for each model_type, one JSON file a type.

    python tools/class_tables.py

Run it with a Python that has transformers installed; torch and a network are not needed. It writes
`src/flopsheet/configs/classes/<model_type>.json` for every type of transformers' causal, sequence-to-sequence,
masked-word and image-text mappings and for the language models inside them, and removes the files of types that are
gone. The output depends on the version of transformers alone, which stands in each file.

A table holds the config's class, the model classes (`causal`, `seq2seq`, `masked`, `multimodal`, `base`), the defaults
that the fields of the config's class declare, its `attribute_map`: other names of fields, and `text`: the type of the
language model inside it, if there is one. Defaults are taken before
`__post_init__` runs, since what it derives depends on other fields; those that JSON cannot hold are left out.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import transformers
from huggingface_hub.errors import StrictDataclassClassValidationError
from transformers.models.auto import modeling_auto as auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

FOLDER = Path(__file__).parents[1] / "src" / "flopsheet" / "configs" / "classes"
MAPPINGS = {
    "causal": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    "seq2seq": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    "masked": auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    "multimodal": auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    "base": auto.MODEL_MAPPING_NAMES,
}
GENERIC = frozenset(field.name for field in dataclasses.fields(transformers.PreTrainedConfig))


def main() -> None:
    """Write every table and remove what no type has any more."""
    FOLDER.mkdir(exist_ok=True)
    named = set[str]().union(*(names for kind, names in MAPPINGS.items() if kind != "base"))
    types = sorted(named | {text for name in named if (text := _text(name)) in CONFIG_MAPPING})
    for path in FOLDER.glob("*.json"):
        if path.stem not in types:
            path.unlink()
    for model_type in types:
        text = json.dumps(table(model_type), indent=1, sort_keys=True, allow_nan=False)
        (FOLDER / f"{model_type}.json").write_text(f"{text}\n", "utf-8")
    print(f"{len(types)} tables of transformers {transformers.__version__} in {FOLDER}")


def table(model_type: str) -> dict[str, Any]:
    """Return what transformers declares for one type."""
    config, text = CONFIG_MAPPING[model_type], _text(model_type)
    declared = {
        "transformers": transformers.__version__,
        "config": config.__name__,
        "classes": {kind: _first(names[model_type]) for kind, names in MAPPINGS.items() if model_type in names},
        "defaults": dict(sorted(_defaults(config).items())),
        "attribute_map": dict(config.attribute_map),
    }
    return declared | ({"text": text} if text else {})


def _text(model_type: str) -> str:
    """Return the type of the language model inside the type's own config, or nothing where its class leaves it open."""
    config = CONFIG_MAPPING[model_type]
    text = config.sub_configs.get("text_config")
    if text is None or hasattr(text, "model_type"):
        return getattr(text, "model_type", "")
    try:
        return str(config().text_config.model_type)
    except StrictDataclassClassValidationError:
        return ""


def _first(names: str | tuple[str, ...]) -> str:
    return names if isinstance(names, str) else names[0]


def _defaults(config: type) -> dict[str, Any]:
    declared = {field.name: _default(field) for field in dataclasses.fields(config) if field.name not in GENERIC}
    return {name: value for name, value in declared.items() if _is_json(value)}


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


if __name__ == "__main__":
    main()
