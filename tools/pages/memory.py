"""The page on bytes per parameter: `python -m pages.memory > docs/memory.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.optimizers import recipes
from flopsheet.configs.quantization_config import formats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.accounting.optimizers import Optimizer
    from flopsheet.configs.weight_format import WeightFormat

HEAD = """\
# Memory

Made by `make docs`; a test keeps it current.

## Training: optimizer recipes

`--set optimizer=NAME`, or `optimizer = "NAME"` under `[workload]` or in an entry of `[[models]]`, sets three
dimensions: `training_dtype_bytes` (the weight that forward and backward passes read), `gradient_dtype_bytes` and
`optimizer_bytes` (the optimizer's state, a master copy included). They are blue cells in the workbook. Bytes that
are set next to a recipe win over it. Without a recipe they are those of `adamw_mixed`, and weights in training take
`weight_dtype_bytes`.

| optimizer | is | weight | gradient | state | bytes per parameter | about | source |
|---|---|---|---|---|---|---|---|
"""
TUNED = """
## Training: adapters and frozen weights

`--set lora_rank=16` gives the matrices of attention, MLP and shared experts low-rank adapters; `lora_attention`,
`lora_mlp` and `lora_shared_experts` give each group a rank of its own, 0 for none. Each matrix of the class has an
adapter, as under PEFT's `target_modules="all-linear"`: GPT-2's `c_attn` one, Llama's queries, keys and values three.
Routed experts, routers, tables, heads and projections of narrow embeddings have none. Decoders of the architectures
`dense` and `moe` can have adapters.

`frozen_share` is the share of the other weights that training leaves as they are: 1 where there are adapters, else 0,
unless set. Frozen weights take no gradient and no optimizer state (`parameters_trained` is what does), and their matrix
products are counted twice in a training step, not three times: the forward pass and the gradient of the input, the
first layer's included. Parameters, weights and FLOPs hold the adapters, unmerged; in training they take the bytes of
all other weights.
"""
STORED = """
## Stored weights: quantized formats

Parameters and FLOPs do not depend on how a checkpoint stores its weights; `weights_bytes` does. Where a config's
`quantization_config` (`quantization` of MLX) is of a form below, each matrix of a linear layer takes these bits per
weight and the further bytes of its scales, zero points and indexes, a formula of its `rows` and `columns`, and the
model's note says so. Where the config has none, `hf_quant_config.json`, `quantize_config.json` or `quant_config.json`
next to it is read. Tables, routers, norms and biases take `weight_dtype_bytes` (MLX quantizes tables and routers too),
and so do the modules that the config exempts, by name, by pattern (`*`, `re:`), in all layers or in some; entries by
module may give them another form. The dimensions `quantized_attention`, `quantized_mlp` and their like are the share of
each group that is quantized, `quantized_bytes` and `quantized_expert_bytes` the average bytes per weight. Of any other
form, all weights take `weight_dtype_bytes`, and the model is approximate with the reason. Multi-token prediction
layers, which no class counts, are not in the bytes either. `--set weight_dtype_bytes=…` wins over the format. Training
does not follow it.

| quant_method | where | bits per weight | further bytes per matrix | left out | source |
|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    return f"{HEAD}{_rows(map(_recipe, recipes().values()))}{TUNED}{STORED}{_rows(map(_format, formats()))}"


def _recipe(recipe: Optimizer) -> tuple[object, ...]:
    numbers = list(recipe.values.values())
    return (f"`{recipe.name}`", recipe.title, *numbers, sum(numbers), recipe.about, recipe.source)


def _format(form: WeightFormat) -> tuple[object, ...]:
    apart = {"routed experts": form.expert_bits, "head": form.head_bits}
    bits = "; ".join([f"`{form.bits}`", *(f"{name} `{own}`" for name, own in apart.items() if own)])
    more = f"`{form.more}`" if form.more != "0" else ""
    left_out = "; ".join(filter(None, (form.left_out, form.inexact)))
    return (f"`{form.method}`", _conditions(form), bits, more, left_out, form.source)


def _conditions(form: WeightFormat) -> str:
    return "; ".join(f"`{name}`: {', '.join(map(_shown, values))}" for name, values in form.when.items())


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rows(rows: Iterable[Iterable[object]]) -> str:
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in rows)


if __name__ == "__main__":
    print(page(), end="")
