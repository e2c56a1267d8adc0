"""Measure training steps on this machine's GPU: what the plan of one accelerator is compared with.

`python tools/measure_training.py > src/flopsheet/planning/data/measured_times.toml`, or with a number the steps from
that place on, to be added. Needs torch with CUDA and transformers, and about 80 GB of GPU memory; flopsheet itself is
not used. Each step of measured_steps.toml is built with random weights in bf16, its layers and loss compiled, and
trained by AdamW with a master copy in fp32. With `lora_attention` the layers' products get adapters of that rank and
all else is frozen; with `quantized_bytes = 1` their frozen weights are stored in 8 bits. `seconds` is an optimizer step
of the whole batch; `memory_bytes` the most that torch held during forward and backward passes.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")  # memory near its end is not fragmented

import torch
import transformers
from transformers.modeling_layers import GradientCheckpointingLayer

STEPS = Path(__file__).parent.parent / "src" / "flopsheet" / "planning" / "data" / "measured_steps.toml"
DROPOUTS = (
    *("dropout", "dropout_rate", "attention_dropout", "activation_dropout"),
    *("attn_pdrop", "embd_pdrop", "resid_pdrop"),
)
"""What configs call the dropout that is turned off."""
UNTIL_WARM, TIMED = 2, 3
"""Passes before anything is timed, of which the first ones compile, and steps of which the median is taken."""


class Training:
    """A model with its optimizer, and one micro-batch of random tokens."""

    def __init__(self, step: dict[str, Any]) -> None:
        """Build the model of a step on the GPU."""
        self.model = built(dict(step["model"]))
        if rank := step.get("lora_attention", 0):
            self.model.requires_grad_(requires_grad=False)
            adapt(self.model, rank, step.get("quantized_bytes", 0) == 1)
        if step["recompute"] == "full":
            self.model.gradient_checkpointing_enable({"use_reentrant": False})
        self.parameters = [one for one in self.model.parameters() if one.requires_grad]
        self.master = [one.detach().float().requires_grad_() for one in self.parameters]
        self.optimizer = torch.optim.AdamW(self.master, lr=1e-4, fused=True)
        shape = (step["micro_batch"], step["seq_len"])
        self.tokens = torch.randint(0, self.model.config.vocab_size, shape, device="cuda")

    def forward_and_backward(self) -> None:
        """Run one micro-batch; gradients add up."""
        self.model(input_ids=self.tokens, labels=self.tokens, use_cache=False).loss.backward()

    def update(self) -> None:
        """Run the optimizer on the master copy, and copy it back."""
        for one, master in zip(self.parameters, self.master, strict=True):
            master.grad = None if one.grad is None else one.grad.float()
        self.optimizer.step()
        with torch.no_grad():
            torch._foreach_copy_(self.parameters, self.master)
        for one in (*self.parameters, *self.master):
            one.grad = None


class Stored(torch.autograd.Function):
    """A product with frozen weights that are stored in 8 bits: the backward pass expands them again."""

    @staticmethod
    def forward(ctx: Any, inputs: Any, weights: Any, scales: Any) -> Any:
        """Return the product with the expanded weights."""
        ctx.save_for_backward(weights, scales)
        return inputs @ (weights.to(inputs.dtype) * scales).T

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        """Return the gradient of the inputs alone."""
        weights, scales = ctx.saved_tensors
        return gradient @ (weights.to(gradient.dtype) * scales), None, None


class Adapted(torch.nn.Module):
    """A frozen linear layer with an adapter."""

    def __init__(self, linear: torch.nn.Linear, rank: int, *, stored: bool) -> None:
        """Keep the layer, or its weights in 8 bits, and add two narrow ones."""
        super().__init__()
        new = {"bias": False, "device": "cuda", "dtype": torch.bfloat16}
        self.down = torch.nn.Linear(linear.in_features, rank, **new)
        self.up = torch.nn.Linear(rank, linear.out_features, **new)
        self.linear, self.stored = (None, stored) if stored else (linear, stored)
        if stored:
            scales = linear.weight.detach().abs().amax(1, keepdim=True) / 127
            self.register_buffer("weights", (linear.weight.detach() / scales).round().to(torch.int8))
            self.register_buffer("scales", scales)

    def forward(self, inputs: Any) -> Any:
        """Return the layer's output with what the adapter adds."""
        frozen = Stored.apply(inputs, self.weights, self.scales) if self.stored else self.linear(inputs)
        return frozen + self.up(self.down(inputs))


def adapt(model: Any, rank: int, stored: bool) -> None:  # noqa: FBT001 - one call
    """Put an adapter beside each linear layer of the model's layers."""
    layers = [one for one in model.modules() if isinstance(one, GradientCheckpointingLayer)]
    for module in [one for layer in layers for one in layer.modules()]:
        for name, child in list(module.named_children()):
            if isinstance(child, torch.nn.Linear):
                setattr(module, name, Adapted(child, rank, stored=stored))


def built(fields: dict[str, Any]) -> Any:
    """Return a model in training mode on the GPU, its layers and its loss compiled; dropout is off."""
    kind = fields.pop("model_type")
    config = transformers.AutoConfig.for_model(kind, **{**dict.fromkeys(DROPOUTS, 0.0), **fields})
    auto = transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else transformers.AutoModelForCausalLM
    grouped = {"experts_implementation": "grouped_mm"} if "moe_intermediate_size" in fields else {}
    with torch.device("cuda"):
        model = auto.from_config(config, attn_implementation="sdpa", dtype=torch.bfloat16, **grouped)
    for layer in (one for one in model.modules() if isinstance(one, GradientCheckpointingLayer)):
        layer.compile()
    if not config.is_encoder_decoder:
        model.loss_function = torch.compile(model.loss_function)
    return model.train()


def measured(step: dict[str, Any]) -> tuple[float, int]:
    """Return the seconds of an optimizer step, and the most bytes that were held."""
    training = Training(step)
    for _ in range(UNTIL_WARM):
        training.forward_and_backward()
        training.update()
    micro_batches = step["global_batch"] // step["micro_batch"]
    times = [seconds_of(training, micro_batches) for _ in range(TIMED)]
    training.forward_and_backward()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    training.forward_and_backward()
    torch.cuda.synchronize()
    return median(times), torch.cuda.max_memory_allocated()


def seconds_of(training: Training, micro_batches: int) -> float:
    """Return the seconds of one optimizer step."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(micro_batches):
        training.forward_and_backward()
    training.update()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def main() -> None:
    """Print what was measured, as TOML."""
    print("# What tools/measure_training.py measured: seconds of an optimizer step, and the most bytes that were held.")
    print(f'\nday = "{datetime.now(UTC).date()}"\naccelerator = "{torch.cuda.get_device_name()}"')
    print(f'software = "torch {torch.__version__}, transformers {transformers.__version__}, compiled"')
    first = int(sys.argv[1]) if sys.argv[1:] else 0
    for step in tomllib.loads(STEPS.read_text(encoding="utf-8"))["measured_steps"][first:]:
        seconds, held = measured(step)
        print(f'\n[[measured_times]]\nname = "{step["name"]}"')
        print(f"seconds = {seconds:.4f}\nmemory_bytes = {held}", flush=True)
        gc.collect()
        torch.cuda.empty_cache()
        torch.compiler.reset()


if __name__ == "__main__":
    main()
