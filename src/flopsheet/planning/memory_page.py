"""The page on bytes a parameter: `python -m flopsheet.planning.memory_page > docs/memory.md`."""

from flopsheet.accounting.optimizers import recipes

HEAD = """\
# Memory

Made by `make docs`; a test holds it to the code.

## Training: optimizer recipes

`--set optimizer=NAME`, or `optimizer = "NAME"` under `[workload]` or in an entry of `[[models]]`, sets three
dimensions: `training_dtype_bytes` (the weight that forward and backward passes read), `gradient_dtype_bytes` and
`optimizer_bytes` (the optimizer's state, a master copy included). They stand as blue cells in the workbook. Bytes that
are set beside a recipe win over it. Without a recipe they are those of `adamw_mixed`, and weights in training take
`weight_dtype_bytes`.

| optimizer | is | weight | gradient | state | bytes a parameter | about | source |
|---|---|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    rows = []
    for name, recipe in recipes().items():
        numbers = list(recipe.values.values())
        cells = (f"`{name}`", recipe.title, *numbers, sum(numbers), recipe.about, recipe.source)
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201 - this is what the module is run for
