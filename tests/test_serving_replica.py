"""What a replica of the question "serving" holds, and the peak at which it multiplies."""

import pytest

from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.kit.default_config import default_config
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan

AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", "zero_point": True}
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}


def plan_of(config, **inputs):
    """Return the plan of serving a model on one accelerator unless said otherwise."""
    host = load()
    return make_plan(
        host, [cost(host, load_model(host, config))], inputs={"tensor_parallel": 1, **inputs}, questions=["serving"]
    )


def served(config, **inputs):
    """Return a model's planning lines in the Base case."""
    plan = plan_of(config, **inputs)
    return plan.training(plan.costed[0], "base")


@pytest.mark.parametrize(("accelerator", "unpacked"), [("h100-sxm", "peak_tflops"), ("b200-sxm", "fp8_tflops")])
def test_weights_of_a_4_bit_checkpoint_are_unpacked(accelerator, unpacked):
    """As experts are: to bf16, or to fp8 where the accelerator has fp4; what is stored in fp8 multiplies in fp8."""
    wide, narrow, eight = (
        served(LLAMA | {"quantization_config": stored} if stored else LLAMA, accelerator=accelerator)
        for stored in (None, AWQ, {"quant_method": "fbgemm_fp8"})
    )
    peaks = {"peak_tflops": wide["served_tflops"], "fp8_tflops": eight["served_tflops"]}
    assert narrow["served_tflops"] == peaks[unpacked]
    assert peaks["fp8_tflops"] == 2 * peaks["peak_tflops"]


def test_experts_of_a_checkpoint_multiply_in_a_type_of_their_own():
    """gpt-oss has its experts in 4 bits, for fp8 on a B200, next to attention in bf16."""
    config = default_config("gpt_oss") | {"quantization_config": {"quant_method": "mxfp4"}}
    result = served(config, accelerator="b200-sxm", weight_precision="checkpoint")
    assert (result["served_tflops"], result["expert_tflops"]) == (2250, 4500)
