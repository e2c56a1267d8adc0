"""The page on bytes per parameter: `python -m flopsheet.planning.memory_page > docs/memory.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.optimizers import recipes
from flopsheet.configs.quantized import formats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.accounting.optimizers import Optimizer
    from flopsheet.configs.quantized import WeightFormat

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
`quantization_config` is of a form below, the matrices of linear layers take these bits, and the model's note says so.
Tables, routers, convolutions, norms and biases take `weight_dtype_bytes`, and so do the groups that the config exempts:
the dimensions `quantized_attention`, `quantized_mlp` and their like say which are quantized. What a config exempts only
in some layers, and every other form, is not counted: all weights take `weight_dtype_bytes`, and the note gives the
reason. `--set weight_dtype_bytes=…` wins over the format. Training does not follow it.

| quant_method | where | bits per weight | left out | source |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    return f"{HEAD}{_rows(map(_recipe, recipes().values()))}{TUNED}{STORED}{_rows(map(_format, formats()))}"


def _recipe(recipe: Optimizer) -> tuple[object, ...]:
    numbers = list(recipe.values.values())
    return (f"`{recipe.name}`", recipe.title, *numbers, sum(numbers), recipe.about, recipe.source)


def _format(form: WeightFormat) -> tuple[object, ...]:
    bits = f"`{form.bits}`" + (f"; routed experts `{form.expert_bits}`" if form.expert_bits else "")
    return (f"`{form.method}`", _conditions(form), bits, form.left_out, form.source)


def _conditions(form: WeightFormat) -> str:
    return "; ".join(f"`{name}`: {', '.join(map(_shown, values))}" for name, values in form.when.items())


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rows(rows: Iterable[Iterable[object]]) -> str:
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in rows)


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201 - this is what the module is run for
