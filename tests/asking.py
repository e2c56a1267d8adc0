"""The portfolio of a plan that asks whatever a test wants: two models by size, with inputs of their own."""

import json

PORTFOLIO = """
name = "Our next model"
questions = QUESTIONS
[inputs]
accelerators = 4096
days = 300
tokens = { low = 4e12, base = 6e12, high = 8e12, source = "Ours" }
budget_usd = BUDGET
purchase_price = { low = 25000, base = 30000, high = 38000, source = "Quote", date = 2026-01-01 }
inference_output_tokens = 1e12
mid_tokens = 5e11
long_tokens = 1e11
mfu_least = 0.01
mfu_sparse_least = 0.01
[layout]
tensor_parallel = 8
pipeline_parallel = 4
recompute = "selective"
[serving]
ttft_target_ms = 4000
tensor_parallel = 4
pipeline_parallel = 2
[[models]]
name = "70B"
size = "70B"
inputs = { quality = 71 }
[[models]]
name = "400B-A30B in fp8"
size = "400B-A30B"
[models.inputs]
quality = 75
precision = "fp8"
expert_parallel = 8
pipeline_parallel = 8
tensor_parallel = 4
serving_tensor_parallel = 2
serving_expert_parallel = 8
attention_data_parallel = 4
disaggregated = 1
draft_tokens = 1
"""
BUDGETS = {"passes": 900_000_000, "fails": 1_000_000}
"""A money cap under which the checks pass, and one that both models break."""


def portfolio(folder, state, *questions):
    """Write the portfolio of a plan whose checks pass or fail, and return its path."""
    path = folder / f"{state}.toml"
    asked = PORTFOLIO.replace("QUESTIONS", json.dumps(questions))
    path.write_text(asked.replace("BUDGET", str(BUDGETS[state])), "utf-8")
    return path
