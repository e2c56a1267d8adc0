"""Configs without sizes: nothing but class defaults, or sizes under names that the class does not read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDTHS = frozenset({"d_model", "decoder_d_model"})
DEPTHS = frozenset({"n_layers", "encoder_layers", "decoder_layers", "n_attention_layers"})
"""Dimensions of the two sizes that a model of any type has."""
SIZE = (
    r"(num_|n_)?(hidden_)?(layers?|heads?|blocks?)|(num_|n_)?attn_heads|(hidden|model|emb|embed|embedding|d)_?(dim|model|size)"
    r"|dim|n_embd|n_embed|depth|width|n_layer|n_head|n_kv_heads|n_ctx_embd"
)
"""Names that other programs have for the width, the layers and the heads of a model."""
WIDTH = r"(hidden|model|emb|embed|d)_?(dim|model|size)|dim|n_embd|n_embed|width"
DEPTH = r"(num_|n_)?(hidden_)?(layers|blocks)|n_layer|depth"
"""Those of them for the width, and for the layers."""


def without_sizes(class_defaults: Mapping[str, str]) -> str:
    """Return the class defaults of depth and width where a config names neither of them, "" where it names one."""
    if class_defaults.keys().isdisjoint(WIDTHS) or class_defaults.keys().isdisjoint(DEPTHS):
        return ""
    return ", ".join(dict.fromkeys(text for name, text in class_defaults.items() if name in WIDTHS | DEPTHS))


def check_sizes(class_defaults: Mapping[str, str], unread: Mapping[str, Any]) -> None:
    """Refuse a config with a size under a name that its class does not read, whose default is another model's.

    That is any size where depth and width are both defaults, and a width or a depth where it is one itself.
    """
    defaults = without_sizes(class_defaults) or _find_replaced(class_defaults, unread)
    foreign = {name: value for name, value in unread.items() if re.fullmatch(SIZE, name) and isinstance(value, int)}
    if not defaults or not foreign:
        return
    result = ", ".join(f"{name} = {value}" for name, value in foreign.items())
    names = ", ".join(text.partition(" = ")[0] for text in defaults.split(", "))
    raise ConfigError(
        f"sizes under names that the class does not read: {result}. It reads {names}, whose defaults would be counted"
        f" ({defaults}); rename them, in the file or with rename = {{…}} in a portfolio"
    )


def _find_replaced(class_defaults: Mapping[str, str], unread: Mapping[str, Any]) -> str:
    """Return the class default of a width or depth that a field of another name says otherwise, "" without one."""
    for dimensions, pattern in ((WIDTHS, WIDTH), (DEPTHS, DEPTH)):
        for text in (class_defaults[name] for name in class_defaults if name in dimensions):
            values = {value for name, value in unread.items() if re.fullmatch(pattern, name) and type(value) is int}
            if {*map(str, values)} - {text.rpartition(" = ")[2]}:
                return text
    return ""
