"""Names of lines and inputs that other tools rely on: renaming one is a break, so each is listed here."""

import pytest

from flopsheet.accounting.workload import WORKLOAD
from flopsheet.host.loading import load
from flopsheet.planning.registry import program

LINES = {
    "training": """weights_bytes_per_accelerator gradients_bytes_per_accelerator optimizer_bytes_per_accelerator
        activations_bytes_per_accelerator logits_bytes_per_accelerator memory_bytes_per_accelerator fits_accelerator
        step_seconds step_mfu step_hfu tokens_per_second_per_accelerator training_days training_hours training_cost
        training_energy data_parallel""",
    "serving": """max_batch batch_at_target prefill_seconds itl_seconds ttft_seconds
        output_tokens_per_second_per_accelerator max_output_tokens_per_second_per_accelerator replicas
        serving_accelerators serving_cost_per_month usd_per_mtok_input usd_per_mtok_output usd_per_mtok_blended""",
    "scaling": "optimal_parameters optimal_tokens predicted_loss loss_at_budget extrapolated",
    "money": """programme_cost cash cumulative_cash depreciation npv break_even_utilization tokens_within_budget
        within_budget""",
}
INPUTS = {
    "training": """tensor_parallel sequence_parallel pipeline_parallel virtual_stages context_parallel expert_parallel
        zero_stage micro_batch global_batch seq_len recompute precision mfu achieved_tflops""",
    "serving": """tensor_parallel expert_parallel attention_data_parallel weight_precision kv_precision input_tokens
        output_tokens requests_per_second peak_to_mean ttft_target_ms itl_target_ms cache_hit_rate redundancy
        headroom""",
    "money": "budget_usd",
}


@pytest.mark.parametrize("question", LINES)
def test_every_line_that_others_rely_on_has_its_name(question):
    """A question's tables, those of the questions that it needs included, hold each."""
    results = {line.name for table in program(load(), [question]).tables.values() for line in table.lines}
    assert {*LINES[question].split()} <= results


@pytest.mark.parametrize("question", INPUTS)
def test_every_input_that_others_rely_on_has_its_name(question):
    """An input of the plan, or a setting of the workload."""
    results = {*program(load(), [question]).inputs, *(one.name for one in WORKLOAD)}
    assert {*INPUTS[question].split()} <= results
