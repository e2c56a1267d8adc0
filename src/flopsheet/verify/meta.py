"""Build a model class on torch's meta device: its tensors and its FLOP, without memory and without weights.

torch and transformers are imported when a model is built; the extra `verify` installs them.
"""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.line import NOTHING
from flopsheet.configs.classes import class_table
from flopsheet.configs.groups import group_of
from flopsheet.errors import ConfigError, UsageError
from flopsheet.verify.tensors import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NOT_BUILT = ("quantization_config", "auto_map", "dtype", "torch_dtype", "cache_implementation")
"""Fields that say how weights or caches are stored, or which code from elsewhere to run; none changes what is built."""

ENDINGS = {
    "ForCausalLM": "causal",
    "ForConditionalGeneration": "seq2seq",
    "WithLMHeadModel": "seq2seq",
    "LMHeadModel": "causal",
    "Model": "base",
}
"""Kinds of classes by the ends of their names, the first that fits."""

CONVOLUTIONS = ("convolution", "_convolution", "cudnn_convolution")
LINEAR = ("mm", "addmm")


class Flops(Struct, frozen=True):
    """Forward FLOP as torch's counter sees them: all matrix products, and those of layers with one 2-D weight."""

    matmul: int
    linear: int


def build(config: Mapping[str, Any], class_name: str, device: str = "meta") -> Any:
    """Return the model of a config; ConfigError says why transformers refuses it.

    On the meta device it takes no memory. Some classes look at values when they run, and need another device.
    """
    with _quiet():
        transformers = _import_transformers()
        kind = getattr(transformers, class_name, None) or _instead(transformers, config, class_name)
        if kind is None:
            raise ConfigError(f"transformers {transformers.__version__} has no class {class_name}")
        try:
            return _build_model(transformers, kind, _of_shapes(config), device)
        except Exception as error:
            raise ConfigError(f"transformers refuses the config: {type(error).__name__}: {error}") from error


def version() -> str:
    """Return the version of transformers."""
    return str(_import_transformers().__version__)


def tensors(model: Any) -> list[Tensor]:
    """Return the parameters of a model, a shared one once: as an embedding where that is one of its names."""
    result: dict[int, Tensor] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if id(parameter) not in result or group_of(name) == "embedding":
            result[id(parameter)] = Tensor(name, tuple(parameter.shape))
    return list(result.values())


def forward_flops(model: Any, seq_len: int, target_len: int = 0) -> Flops:
    """Return the FLOP of one forward pass of batch 1; `target_len` is the decoder's part of an encoder-decoder."""
    inputs = _inputs(model, seq_len, target_len)
    reasons = []
    for options in ({"use_cache": False}, {"use_cache": True}, {}):  # a cache spares some classes a look at the values
        try:
            return flops_of(model, (), inputs | options)
        except Exception as error:  # noqa: BLE001 - classes fail in many ways where there are no values
            reasons.append(error)
    raise ConfigError(f"the class does not run: {type(reasons[0]).__name__}: {reasons[0]}")


def flops_of(module: Any, values: Sequence[Any] = (), keywords: Mapping[str, Any] = NOTHING) -> Flops:
    """Return the FLOP of one forward pass of a torch module with these arguments; whatever it raises passes."""
    import torch  # noqa: PLC0415 - most commands work without it
    from torch.utils.flop_counter import FlopCounterMode  # noqa: PLC0415 - same

    products = {torch.ops.aten.bmm: _product_flops}
    with _quiet(), torch.no_grad(), FlopCounterMode(display=False, custom_mapping=products) as counter:
        module.eval()(*values, **keywords)
    return _sum_flops(counter)


def _instead(transformers: Any, config: Mapping[str, Any], class_name: str) -> Any:
    """Return the class that transformers maps a type to where the config names one from code of its own."""
    table = class_table(str(config.get("model_type")))
    kind = next((kind for ending, kind in ENDINGS.items() if class_name.endswith(ending)), "")
    return getattr(transformers, table.classes[kind], None) if table and kind in table.classes else None


def _of_shapes(fields: Any) -> Any:
    """Return a copy of a config, and of those inside it, without fields that change no shape."""
    if isinstance(fields, dict):
        return {key: _of_shapes(value) for key, value in fields.items() if key not in NOT_BUILT}
    return [_of_shapes(each) for each in fields] if isinstance(fields, list) else fields


def _build_model(transformers: Any, kind: Any, config: Mapping[str, Any], device: str) -> Any:
    import torch  # noqa: PLC0415 - most commands work without it

    settings = transformers.AutoConfig.for_model(**config)
    with torch.device(device):
        return kind._from_config(settings, attn_implementation="eager", experts_implementation="batched_mm")  # noqa: SLF001 - what AutoModel.from_config calls


def _inputs(model: Any, seq_len: int, target_len: int) -> dict[str, Any]:
    import torch  # noqa: PLC0415 - most commands work without it

    config, device = model.config, next(model.parameters()).device

    def tokens(length: int) -> Any:
        return torch.zeros(1, length, dtype=torch.long, device=device)

    if not config.is_encoder_decoder:
        return {"input_ids": tokens(seq_len)}
    targets = {"decoder_input_ids": tokens(target_len or seq_len)}
    if hasattr(config, "num_mel_bins") and hasattr(config, "max_source_positions"):
        sound = torch.zeros(1, config.num_mel_bins, 2 * config.max_source_positions, device=device)
        return {"input_features": sound} | targets
    return {"input_ids": tokens(seq_len)} | targets


def _product_flops(a: Sequence[int], b: Sequence[int], *_: Any, **__: Any) -> int:
    """Count a batch of matrix products, but none of an outer product: rotary tables are made so."""
    batch, rows, inner = a
    return 2 * batch * rows * inner * b[-1] if inner > 1 else 0


def _sum_flops(counter: Any) -> Flops:
    by_operator = counter.get_flop_counts().get("Global", {})
    counts = {str(operator).rsplit(".", 1)[-1]: int(count) for operator, count in by_operator.items()}
    return Flops(
        matmul=sum(count for name, count in counts.items() if name not in CONVOLUTIONS),
        linear=sum(counts.get(name, 0) for name in LINEAR),
    )


def _import_transformers() -> Any:
    """Return transformers, set up to ask no network and to say nothing."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        import torch  # noqa: F401, PLC0415 - both are needed; most commands work without them
        import transformers  # noqa: PLC0415 - same
    except ImportError as error:
        raise UsageError(f"torch and transformers are needed ({error}); pip install 'flopsheet[verify]'") from None
    logging: Any = transformers.logging
    logging.set_verbosity_error()
    return transformers


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
