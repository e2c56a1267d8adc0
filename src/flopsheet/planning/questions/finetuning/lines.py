"""What fine-tuning takes: tokens, steps, a teacher, the cost of one tuned model, and a fleet of them."""

from flopsheet.accounting.line import Line

TEACHER = (
    "Hinton et al. 1503.02531, section 2; Kaplan et al. 2001.08361, section 2.1: 2 FLOP per active parameter and token"
)
SHENG = "Sheng et al. 2311.03285 (S-LoRA), section 4: one base, many adapters"

FINETUNING = (
    Line(
        "tuning_fits",
        "own_fits",
        "flag",
        title="Fits under its layout",
        about="No: what follows is that of a layout that does not fit",
        source="Training",
    ),
    Line(
        "finetuning_tokens",
        "finetuning_examples * example_tokens * finetuning_epochs",
        "tokens",
        title="Tokens of a fine-tuning",
        source="Examples × tokens × epochs",
    ),
    Line(
        "finetuning_steps",
        "ceil(finetuning_tokens / own_tokens)",
        "steps",
        title="Optimizer steps",
        source="Tokens / tokens per step",
    ),
    Line(
        "finetuning_duration",
        "finetuning_steps * own_step / (3600 * goodput)",
        "h",
        title="Time of a fine-tuning",
        source="Steps × step time / goodput",
    ),
    Line(
        "finetuning_hours",
        "finetuning_duration * accelerators",
        "GPU-h",
        title="Accelerator-hours of a fine-tuning",
        source="Time × accelerators",
    ),
    Line(
        "teacher_hours",
        "2 * teacher_parameters * finetuning_tokens / (peak_tflops * 1000000000000 * mfu * goodput * 3600)",
        "GPU-h",
        title="Accelerator-hours of a teacher",
        about="Its forward pass over the same tokens, for distillation; 0: there is none",
        source=TEACHER,
    ),
    Line(
        "synthetic_cost",
        "synthetic_tokens * synthetic_usd_per_mtok / (1000 * 1000)",
        "USD",
        title="Cost of synthetic data",
        about="Written once, for all fine-tunings",
        source="Tokens × price",
    ),
    Line(
        "finetuning_cost",
        "(finetuning_hours + teacher_hours) * price_per_hour",
        "USD",
        title="Cost of a fine-tuning",
        about="With its teacher, without synthetic data",
        source="Hours × price",
    ),
    Line(
        "tuned_bytes",
        "2 * parameters_trained",
        "bytes",
        title="Bytes of a tuned model",
        about="What was trained, at 16 bits: an adapter, or all weights",
        source="Parameters trained",
    ),
    Line(
        "fleet_cost",
        "finetuned_models * finetuning_cost + synthetic_cost",
        "USD",
        title="Cost of all fine-tunings",
        source="Fine-tunings × cost, and synthetic data",
    ),
    Line(
        "fleet_bytes",
        "finetuned_models * tuned_bytes + (weights_bytes if parameters_frozen > 0 else 0)",
        "bytes",
        title="Bytes of all tuned models",
        about="Adapters share one frozen base",
        source=SHENG,
    ),
    Line(
        "fleet_accelerators",
        "ceil(fleet_bytes / (memory_gb * 1000000000 * memory_usable))",
        "accelerators",
        title="Accelerators that hold them all",
        about="To serve any of them at once; caches need room besides",
        source="Bytes / usable memory",
    ),
)
"""Lines of a model, after those of its training."""
