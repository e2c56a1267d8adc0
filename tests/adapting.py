"""Rows and columns of the linear layers that transformers builds, which adapters take, for every type that has any."""

import random
import re

from flopsheet.configs.classes import class_table
from flopsheet.configs.reading import class_of, classes_of
from flopsheet.configs.source import load_model
from flopsheet.errors import FlopsheetError
from flopsheet.host.host import load
from flopsheet.planning.costing import cost

NONE = re.compile(r"router|mlp\.gate\b|shared_expert_gate|per_layer|project_(in|out)$")
"""Routers, gates of experts, per-layer inputs and projections of narrow embeddings have no adapters."""
UNKNOWN = ("axk2", "doge", "gemma3n_text", "hy_v4", "jetmoe", "longcat_flash", "modernbert-decoder")
"""Types with attention made by experts, linear layers of their own, or counted by their checkpoint: no adapters."""
DRAWS = 50


def types():
    """Return the model_types whose architecture has adapters."""
    host = load()
    families = {name: host.families[name][0] for name in sorted(host.families)}
    adapted = [name for name, family in families.items() if host.architecture(family.architecture).adapters]
    return [name for name in adapted if name not in UNKNOWN and class_table(name)]  # others have no class to build


def sides(model_type, seed):
    """Return rows and columns as counted and as built, for the first config drawn that both sides accept."""
    import drawing  # noqa: PLC0415 - it needs the class tables

    from flopsheet.verify import meta  # noqa: PLC0415 - it needs torch and transformers

    for number in range(DRAWS):
        rng = random.Random(f"{seed} adapters {model_type} {number}")  # noqa: S311 - reproducible, not secret
        config = drawing.draw(model_type, classes_of(load(), model_type), rng)
        model = cost(load(), load_model(load(), config), {"lora_rank": 1})
        try:
            built = meta.build(config, class_of(load(), config))
        except FlopsheetError:
            continue
        if model.status == "ok":
            return model.totals["parameters_trained"], _built(built)
    raise LookupError(f"no config of {model_type} is exact and can be built")


def _built(model):
    import torch  # noqa: PLC0415 - few tests need it
    from transformers.pytorch_utils import Conv1D  # noqa: PLC0415 - same reason

    head = model.get_output_embeddings()
    modules = [(name, module) for name, module in model.named_modules() if isinstance(module, torch.nn.Linear | Conv1D)]
    return sum(sum(module.weight.shape) for name, module in modules if module is not head and not NONE.search(name))
