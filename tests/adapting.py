"""Rows and columns of the linear layers that transformers builds, which adapters take, for every type that has any."""

import random
import re

from flopsheet.configs.classes import class_table
from flopsheet.configs.reading import classes_of
from flopsheet.configs.source import load_model
from flopsheet.errors import FlopsheetError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost

NONE = re.compile(r"router|mlp\.gate\b|shared_expert_gate|per_layer|project_(in|out)$")
"""Routers, gates of experts, per-layer inputs and projections of narrow embeddings have no adapters."""
UNKNOWN = (
    *("axk2", "doge", "gemma3n_text", "hy_v4", "hy_v4_vl_text", "inkling_text", "jetmoe", "longcat_flash"),
    *("modernbert-decoder", "muse_glimmer_text", "voxtral_realtime_text"),
)
"""Types with attention made by experts, shared experts in one tensor, linear layers of their own, or counted by their
checkpoint: no adapters."""
INSIDE = (
    *("ernie4_5_vl_moe_text", "kosmos_2_text_model", "kosmos_2_5_text_model", "mistral_large4_text"),
    "mllama_text_model",
)
"""Language models that are exact inside their multimodal model only: transformers builds none of them alone."""
DRAWS = 50


def types():
    """Return the model_types whose architecture has adapters."""
    host = load()
    families = {name: host.families[name][0] for name in sorted(host.families)}
    adapted = [name for name, family in families.items() if host.architecture(family.architecture).adapters]
    passed_over = {*UNKNOWN, *INSIDE}
    return [name for name in adapted if name not in passed_over and class_table(name)]  # others have no class to build


def sides(model_type, seed):
    """Return rows and columns as counted and as built, for the first config drawn that both sides accept."""
    import drawing  # noqa: PLC0415 - it needs the class tables

    from flopsheet.verify import meta  # noqa: PLC0415 - it needs torch and transformers

    classes = _of_own_config(model_type)
    for number in range(DRAWS):
        rng = random.Random(f"{seed} adapters {model_type} {number}")  # noqa: S311 - reproducible, not secret
        config = drawing.draw(model_type, classes, rng)
        named = config.setdefault("architectures", classes[:1])
        model = cost(load(), load_model(load(), config), {"lora_rank": 1})
        try:
            built = meta.build(config, named[0])
        except FlopsheetError:
            continue
        if model.status == "ok":
            return model.totals["parameters_trained"], _built(built)
    raise LookupError(f"no config of {model_type} is exact and can be built")


def _of_own_config(model_type):
    """Return the counted classes that take the type's own config, not that of a multimodal model around it."""
    import transformers  # noqa: PLC0415 - few tests need it

    declared = class_table(model_type).config
    kinds = {name: getattr(transformers, name, None) for name in classes_of(load(), model_type)}
    return [name for name, kind in kinds.items() if kind is None or kind.config_class.__name__ == declared]


def _built(model):
    import torch  # noqa: PLC0415 - few tests need it
    from transformers.pytorch_utils import Conv1D  # noqa: PLC0415 - same reason

    head = model.get_output_embeddings()
    modules = [(name, module) for name, module in model.named_modules() if isinstance(module, torch.nn.Linear | Conv1D)]
    return sum(sum(module.weight.shape) for name, module in modules if module is not head and not NONE.search(name))
