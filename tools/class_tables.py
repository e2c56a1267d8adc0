"""Write the class tables: what transformers declares for each model_type, one JSON file a type.

    python tools/class_tables.py

Run it with a Python that has transformers installed; torch and a network are not needed. It writes
`src/flopsheet/configs/classes/<model_type>.json` for every type of transformers' causal, sequence-to-sequence,
masked-word, multimodal and speech mappings and for the configs inside them, and removes the files of types that are
gone. The output depends on the version of transformers alone, which is in `classes.json` next to the folder.

A table holds the config's class, the model classes (`causal`, `seq2seq`, `masked`, `multimodal`, `base`), the defaults
that the fields of the config's class declare, its `attribute_map`: other names of fields, `text`: the type of the
language model inside it, if there is one, and `parts`: for each config inside it the type, whether its class is
fixed whatever type it names, whether null means that there is none, the fields that it gets where it is absent, and
whether these are `merged` with those of one that is there.
`tower` marks a type that is inside others only, and is no language model. Defaults are taken before
`__post_init__` runs, since what it derives depends on other fields; those that JSON cannot hold are left out.

`types` are the types that the class demands of its fields' values, as `int|None` or `list[str]`; a field of any type is
left out, and one of a table inside that has no type of its own is `attn_config.alibi`. `activations` are the fields
that name an activation function. `pads` marks a class whose token table has to hold the padding token, `turns` one that
needs the share of a head that rotary positions turn, `heads_divide` one that refuses a width which its heads do not
divide, `windowed` one that masks by a window whether a layer has one or not. `share` is the share of a head that rotary
positions turn where a config says none and it is not all. `classes.json` next to the folder holds the names of all
activations and kinds of layers, and the types of fields that all configs have.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import json
import os
import re
import sys
import types
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ["HF_HUB_OFFLINE"] = "1"

import transformers
from huggingface_hub.errors import StrictDataclassClassValidationError
from transformers import configuration_utils
from transformers.models.auto import modeling_auto as auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parents[1] / "src" / "flopsheet" / "configs" / "classes"
MAPPINGS = {
    "causal": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    "seq2seq": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    "masked": auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    "multimodal": {
        **auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
        **auto.MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES,
        **auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    },
    "base": auto.MODEL_MAPPING_NAMES,
}
OTHER_TOWERS = {"clip_vision_model", "siglip_vision_model", "siglip2_vision_model", "pixtral", "whisper"}
"""Towers that real configs name where the class declares another one."""

GENERIC = frozenset(field.name for field in dataclasses.fields(transformers.PreTrainedConfig))
OWN_WORDS = frozenset({"architectures", "dtype", "transformers_version"})
"""Fields of all configs that flopsheet has sentences of its own for, or that do not reach the class."""
PLAIN = {kind: kind.__name__ for kind in (int, float, bool, str, dict, list)} | {type(None): "None", None: "None"}
PADS = re.compile(r"padding_idx|Embedding\([^()]*pad_token_id")
TURNS = re.compile(r"""rope_parameters\[["']partial_rotary_factor["']\]""")
WINDOWED = re.compile(r""""sliding_attention": create_sliding_window_causal_mask""")
CLASS = re.compile(r"^class (\w+)\(", re.MULTILINE)
ACTIVATION = re.compile(r"(?:ACT2FN\[|get_activation\()\s*(?:self\.)?config\.(\w+)")
OLDER_KINDS = ("mamba", "attention", "deepseek_sparse_attention", "qwen_sparse_attention")
"""Kinds of layers that transformers gives their present names."""
HEADS = "self.hidden_size % self.num_attention_heads != 0"


def main() -> None:
    """Write every table and remove what no type has any more."""
    FOLDER.mkdir(exist_ok=True)
    named = set[str]().union(*(names for kind, names in MAPPINGS.items() if kind != "base"))
    known = named | {text for name in named if (text := _text(name)) in CONFIG_MAPPING}
    kept = sorted(_with_parts(known))
    for path in FOLDER.glob("*.json"):
        if path.stem not in kept:
            path.unlink()
    for model_type in kept:
        tower = {} if model_type in known else {"tower": True}
        text = json.dumps(table(model_type) | tower, indent=1, sort_keys=True, allow_nan=False)
        (FOLDER / f"{model_type}.json").write_text(f"{text}\n", "utf-8")
    text = json.dumps(shared(), indent=1, sort_keys=True)
    FOLDER.with_suffix(".json").write_text(f"{text}\n", "utf-8")
    print(f"{len(kept)} tables of transformers {transformers.__version__} in {FOLDER}")


def table(model_type: str) -> dict[str, Any]:
    """Return what transformers declares for one type."""
    config, text = CONFIG_MAPPING[model_type], _text(model_type)
    declared = {
        "config": config.__name__,
        "classes": {kind: _first(names[model_type]) for kind, names in MAPPINGS.items() if model_type in names},
        "defaults": dict(sorted(_defaults(config).items())),
        "attribute_map": dict(config.attribute_map),
    }
    specs = config.sub_configs_defaults.items()
    parts = {key: part | _merged(config, key, spec) for key, spec in specs if (part := _part(config, key, spec))}
    more = {
        "text": text,
        "parts": parts,
        "types": _types(config),
        "activations": _activations(config),
        "pads": _says(PADS, config, model_type),
        "turns": _says(TURNS, config, model_type),
        "heads_divide": _heads_divide(config),
        "windowed": "sliding_window" in _defaults(config) and _says(WINDOWED, config, model_type),
        "share": _share(config),
    }
    return declared | {name: value for name, value in more.items() if value}


def shared() -> dict[str, Any]:
    """Return what transformers declares for all types."""
    torch = types.SimpleNamespace(dtype=str)
    hints = typing.get_type_hints(transformers.PreTrainedConfig, localns={"torch": torch})
    return {
        "transformers": transformers.__version__,
        "types": {name: text for name in GENERIC - OWN_WORDS if (text := _type(hints[name]))},
        "activations": sorted(_activation_names()),
        "layer_types": sorted({*configuration_utils.ALLOWED_ATTN_LAYER_TYPES, *OLDER_KINDS}),
        "mlp_layer_types": sorted(configuration_utils.ALLOWED_MLP_LAYER_TYPES),
    }


def _types(config: type) -> dict[str, str]:
    named = {f.name: _type(f.type) for f in dataclasses.fields(config) if f.name not in GENERIC}
    for field in dataclasses.fields(config):
        for inside in filter(_is_config, (field.type, *typing.get_args(field.type))):
            own = {} if inside.model_type else _types(inside)
            named |= {f"{field.name}.{name}": text for name, text in own.items()}
    return {name: text for name, text in sorted(named.items()) if text}


def _type(annotation: Any) -> str:
    """Return the JSON types that an annotation lets through, nothing where it lets everything through."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in PLAIN:
        return PLAIN[annotation]
    if origin in (typing.Union, types.UnionType):
        parts = [_type(each) for each in inner if typing.get_origin(each) is not tuple and each is not tuple]
        return "|".join(dict.fromkeys(parts)) if all(parts) else ""
    if origin is list:
        return f"list[{_type(inner[0])}]" if inner and _type(inner[0]) else "list"
    if origin is dict or typing.is_typeddict(annotation) or _is_config(annotation):
        return "dict"
    if origin is typing.Literal and all(isinstance(each, str) for each in inner):
        return "|".join(repr(each) for each in inner)
    return ""


def _is_config(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, transformers.PreTrainedConfig)


def _activations(config: type) -> list[str]:
    """Return the fields by which the classes of a config look an activation up."""
    folder, names = Path(inspect.getfile(config)).parent, {**config.attribute_map}
    sources = [path.read_text("utf-8") for path in sorted(folder.glob("modeling_*.py"))]
    parts = [part for source in sources for part in ast.parse(source).body if _may_take(part, config)]
    used = {names.get(name, name) for part in parts for name in ACTIVATION.findall(ast.unparse(part))}
    known = _activation_names()
    return sorted(name for name, value in _defaults(config).items() if name in used and value in known)


def _may_take(part: ast.stmt, config: type) -> bool:
    """Tell whether a class or function of a modeling file may get a config: its annotation names no other."""
    makers = [node for node in ast.walk(part) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    named = [
        ast.unparse(arg.annotation)
        for node in makers
        for arg in node.args.args
        if arg.arg == "config" and arg.annotation
    ]
    if not named:
        return all((word in getattr(part, "name", "")) <= (word in config.__name__) for word in ("Vision", "Audio"))
    return any(config.__name__ in name for name in named)


def _activation_names() -> set[str]:
    """Return the names of `transformers.activations`, which cannot be imported without torch."""
    tree = ast.parse(Path(transformers.__file__).with_name("activations.py").read_text("utf-8"))
    tables = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "ACT2CLS"
    ]
    return {key.value for table in tables for key in table.keys if isinstance(key, ast.Constant)}


def _says(pattern: re.Pattern[str], config: type, model_type: str) -> bool:
    """Tell whether the code of the classes of a config has a pattern; some types have the classes of another."""
    folder = Path(inspect.getfile(config)).parent
    named = {_first(names[model_type]) for names in MAPPINGS.values() if model_type in names}
    paths = {*folder.glob("modeling_*.py"), *(_homes()[name] for name in named if name in _homes())}
    return any(pattern.search(path.read_text("utf-8")) for path in paths)


def _share(config: type) -> float | None:
    """Return the share of a head that the class turns by default, None where that is all of it or none."""
    try:
        rotary = getattr(config(), "rope_parameters", None) or {}
    except (TypeError, ValueError, AttributeError, StrictDataclassClassValidationError):
        return None  # some classes take no empty config
    share = rotary.get("partial_rotary_factor")
    return share if isinstance(share, float) and share != 1 else None


@functools.cache
def _homes() -> dict[str, Path]:
    """Return the file of each model class."""
    paths = sorted(Path(transformers.__file__).parent.glob("models/*/modeling_*.py"))
    return {name: path for path in paths for name in CLASS.findall(path.read_text("utf-8"))}


def _heads_divide(config: type) -> bool:
    check = getattr(config, "validate_architecture", None)
    if check is None or check.__qualname__.startswith("PreTrainedConfig"):
        return False
    tree = ast.parse(Path(sys.modules[check.__module__].__file__ or "").read_text("utf-8"))
    owner = check.__qualname__.partition(".")[0]
    (body,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == owner]
    return any(isinstance(node, ast.If) and ast.unparse(node.test) == HEADS for node in ast.walk(body))


def _with_parts(types: Iterable[str]) -> set[str]:
    """Return the types, and those of the configs inside them, however deep."""
    result = set(types)
    specs = [spec for name in result for spec in CONFIG_MAPPING[name].sub_configs_defaults.values()]
    inner = {spec.model_type for spec in specs if spec.model_type in CONFIG_MAPPING} | OTHER_TOWERS
    return result if inner <= result else _with_parts(result | inner)


def _part(config: type, key: str, spec: Any) -> dict[str, Any]:
    """Return what is declared for a config inside another; nothing for one that no type is declared for."""
    fixed = issubclass(spec.config_class, transformers.PreTrainedConfig) or _overrides(config, key, spec)
    absent = {name: value for name, value in spec.init_kwargs.items() if _is_json(value)}
    if not spec.model_type:
        return {}
    return {"type": spec.model_type, "fixed": fixed, "absent": absent, "optional": spec.optional}


def _overrides(config: type, key: str, spec: Any) -> bool:
    """Tell whether a class makes a config inside of its own type whatever type that names, though others would do."""
    try:
        part = getattr(config(**{key: {"model_type": "clip_vision_model"}}), key)
    except (AttributeError, StrictDataclassClassValidationError):  # the other type does not fit: it is not overridden
        return False
    return bool(part.model_type == spec.model_type != "clip_vision_model")


def _merged(config: type, key: str, spec: Any) -> dict[str, bool]:
    """Return `merged` where the fields of a config that is left out also complete one that is there."""
    if not spec.init_kwargs:
        return {}
    try:
        part = getattr(config(**{key: {"model_type": spec.model_type}}), key)
    except StrictDataclassClassValidationError:  # what the class makes does not fit to its other parts: not completed
        return {}
    declared, plain = {field.name for field in dataclasses.fields(part)}, type(part)()
    absent = [(name, value) for name, value in spec.init_kwargs.items() if name in declared]
    told = any(getattr(plain, name) != value for name, value in absent)
    return {"merged": True} if told and all(getattr(part, name) == value for name, value in absent) else {}


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
