"""Published quantized checkpoints: their lists of modules unfolded, and the bytes of their tensors by module names.

`python tests/published.py` derives the bytes of every model of data/quantized.json again, from classes that
transformers builds on the meta device and tensors as tests/stored.py lays them out; no formula of flopsheet is asked.
"""

import json
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import stored

FILE = Path(__file__).parent / "data" / "quantized.json"
KEPT = json.loads(FILE.read_text("utf-8"))
FORMS = {
    "NVFP4": stored.nvfp4,
    "W4A16_NVFP4": lambda rows, columns: stored.nvfp4(rows, columns, 1),
    "FP8": stored.fp8_matrix,
    "MXFP8": lambda rows, columns: [(rows * columns, stored.BYTE), (rows * columns // 32, stored.BYTE)],
    "MXFP4": stored.mxfp4,
    "fp8": stored.fp8_blocks,
    "mxfp4": stored.mxfp4,
}
PLAIN = re.compile(r"lm_head$|weights_proj$|compressor\.(indexer\.)?(kv|gate)_proj$|visual|vision|embed_vision")
"""What no format of these checkpoints quantizes: DeepSeek's indexer and compressors are sums in higher precision."""
SAME_AS = {"kimi_k2": ("deepseek_v3", "DeepseekV3ForCausalLM")}
"""Types of repositories whose class is that of a type in transformers."""
NAMES = {
    "nemotron_h": {r"^model\.layers": "backbone.layers"},
    "minimax_m3_vl": {
        r"^model\.language_model\.": "language_model.model.",
        r"\.mlp\.(shared_)?experts": r".block_sparse_moe.\1experts",
        r"(\.experts\.\d+)\.gate_proj": r"\1.w1",
        r"(\.experts\.\d+)\.up_proj": r"\1.w3",
        r"(\.experts\.\d+)\.down_proj": r"\1.w2",
        r"gate_up_proj": "up_proj",
        r"indexer\.([qk])_proj": r"index_\1_proj",
    },
    "deepseek_v4": {r"^model\.": "", r"\.mlp\.": ".ffn.", r"(\.experts)\.\d+\..*": r"\1"},
}
"""How checkpoints name modules that transformers names otherwise."""


def unfolded(entry):
    """Return the names that an entry with ranges of numbers in braces stands for."""
    if not (match := re.search(r"\{([\d,-]+)\}", entry)):
        return [entry]
    ends = (part.partition("-") for part in match[1].split(","))
    numbers = (number for first, _, last in ends for number in range(int(first), int(last or first) + 1))
    return [name for number in numbers for name in unfolded(f"{entry[: match.start()]}{number}{entry[match.end() :]}")]


def storage(folded):
    """Return a section of a config as it is published, its lists of modules unfolded."""
    lists = {key: _names(value) for key, value in folded.items() if isinstance(value, list) and _is_text(value)}
    layers = {name: form for names, form in folded.get("quantized_layers", ()) for name in _names(names)}
    groups = {key: _group(group) for key, group in folded.get("config_groups", {}).items()}
    return (
        folded
        | lists
        | {key: value for key, value in (("quantized_layers", layers), ("config_groups", groups)) if value}
    )


def _group(group):
    return group | ({"targets": _names(group["targets"])} if "targets" in group else {})


def _is_text(value):
    return all(isinstance(entry, str) for entry in value)


def _names(entries):
    return [name for entry in entries for name in unfolded(entry)]


def config_of(kept):
    """Return the config of a kept model with its storage, also where a file of its own says it."""
    config = dict(kept["config"])
    if "text_quantization_config" in kept:
        config["text_config"] = config["text_config"] | {
            "quantization_config": storage(kept["text_quantization_config"])
        }
    if "quantization_config" in kept:
        config["quantization_config"] = storage(kept["quantization_config"])
    elif "hf_quant_config" in kept:
        config["quantization_config"] = {"quant_method": "modelopt"} | storage(kept["hf_quant_config"])
    return config


def derived(kept):
    """Return the bytes of a kept model's tensors, each module stored as its section says."""
    from flopsheet.verify import meta  # noqa: PLC0415 - other tests need no torch

    config = kept["config"]
    model_type = config["model_type"]
    same, class_name = SAME_AS.get(model_type, (model_type, config["architectures"][0]))
    model = meta.build(config | {"model_type": same}, class_name)
    section = storage(kept.get("hf_quant_config") or kept["quantization_config"])
    matrices = stored.matrices(model)
    forms = {name: _form(_published(name, model_type), section, config) for name in matrices}
    chosen = {name: FORMS[form] for name, form in forms.items() if form}
    everything = sum(parameter.numel() for parameter in {id(p): p for p in model.parameters()}.values())
    plain = everything - sum(matrices[name][0] * matrices[name][1] for name in chosen)
    return 2 * plain + sum(stored.size(tensors(*matrices[name])) for name, tensors in chosen.items())


def _published(name, model_type):
    for pattern, text in NAMES.get(model_type, {}).items():
        name = re.sub(pattern, text, name)
    return name


def _form(name, section, config):
    """Return the form of a module's tensors, an empty text where it keeps its type."""
    if layers := section.get("quantized_layers"):
        listed = next((layers[place] for place in _places(name) if place in layers), None)
        if listed or config["model_type"] != "deepseek_v4":
            return listed["quant_algo"] if listed else ""
    method = section.get("quant_algo") or section["quant_method"]
    if method == "mxfp4":
        return method if ".experts." in name else ""
    entries = section.get("exclude_modules") or section.get("modules_to_not_convert") or section.get("ignore") or ()
    if PLAIN.search(name) and (
        method == "fp8" or config["model_type"] == "deepseek_v4" or name == "lm_head" in entries
    ):
        return ""
    if config["model_type"] == "deepseek_v4":
        return "MXFP4" if name.endswith(".ffn.experts") else "fp8"
    matched = fnmatchcase if method != "fp8" else lambda name, entry: name in _places(entry) or entry in _places(name)
    return "" if any(matched(name, entry) for entry in entries) else method


def _places(name):
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(len(parts), 0, -1)]


def main():
    """Print the models whose kept bytes are not those of their tensors, by the models' names in the arguments."""
    for name in sys.argv[1:] or KEPT:
        kept = KEPT[name].get("bytes")
        result = kept and derived(KEPT[name])
        print(name, result, "as kept" if result == kept else kept)  # noqa: T201 - a command


if __name__ == "__main__":
    main()
