"""What a laboratory measured for itself: an optimizer, a format of quantized weights, and a scaling law."""

from flopsheet import Optimizer, ScalingLaw, WeightFormat, hookimpl

SHAMPOO = Optimizer(
    name="our_shampoo",
    title="Shampoo, bf16 preconditioners",
    training_dtype_bytes=2,
    gradient_dtype_bytes=4,
    optimizer_bytes=10,
    about="fp32 master weight, one momentum of 4, preconditioners of 2 per parameter",
    source="Internal note 12",
)
TERNARY = WeightFormat(
    method="our_ternary",
    bits="1.6 + 16 / group_size",
    head="always",
    defaults={"group_size": 128},
    source="Internal note 14: five weights a byte, one fp16 scale a group",
)
LAW = ScalingLaw(
    name="our_data",
    title="Our data mix",
    form="loss",
    law_a=420,
    law_b=1900,
    law_e=1.75,
    alpha=0.345,
    beta=0.36,
    max_parameters=3e9,
    max_tokens=60e9,
    source="Internal note 17, fitted with flopsheet fit",
    confidence="read",
)

flopsheet_optimizers = hookimpl(lambda: [SHAMPOO])
flopsheet_weight_formats = hookimpl(lambda: [TERNARY])
flopsheet_scaling_laws = hookimpl(lambda: [LAW])
