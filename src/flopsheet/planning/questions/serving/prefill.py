"""What a prompt costs: rates of the accelerator, products, attention cores, traffic and links."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.serving.prefixes import PREFIXES

FORM = "Form and efficiencies: docs/calibration.md"
PEAKS = "Precision, and the accelerator's peaks"
MEGATRON = "Shoeybi et al. 1909.08053, section 3"

RATES = (
    Line(
        "eight_bit_tflops",
        "max(fp8_tflops, peak_tflops)",
        "TFLOP/s",
        title="Peak in fp8 or the next wider type",
        source=PEAKS,
    ),
    Line(
        "four_bit_tflops",
        "max(fp4_tflops * four_bit_speed, eight_bit_tflops)",
        "TFLOP/s",
        title="Peak in fp4 or the next wider type",
        source=PEAKS,
    ),
    Line(
        "wide_tflops",
        "eight_bit_tflops if dense_stored_bytes < 2 * dense_parameters else peak_tflops",
        "TFLOP/s",
        title="Peak of the checkpoint's own type",
        about="fp8 where the checkpoint's layers are in fewer than two bytes",
        source=PEAKS,
    ),
    Line(
        "narrow_tflops",
        "weight_precision_is_fp8 * eight_bit_tflops + weight_precision_is_fp4 * four_bit_tflops",
        "TFLOP/s",
        title="Peak of products in fp8 or fp4",
        about="0 in other precisions",
        source=PEAKS,
    ),
    Line(
        "served_tflops",
        "weight_precision_is_checkpoint * wide_tflops"
        " + (weight_precision_is_bf16 + weight_precision_is_int4) * peak_tflops + narrow_tflops",
        "TFLOP/s",
        title="Peak of products",
        source=PEAKS,
    ),
    Line(
        "unpacked_tflops",
        "eight_bit_tflops if fp4_tflops > 0 else peak_tflops",
        "TFLOP/s",
        title="Peak for experts of a 4-bit checkpoint",
        about="Their weights are unpacked: to fp8 on accelerators with fp4, to bf16 on others",
        source=PEAKS,
    ),
    Line(
        "expert_tflops",
        "min(served_tflops, unpacked_tflops) if expert_stored_bytes < 1 else served_tflops",
        "TFLOP/s",
        title="Peak of experts' products",
        source=PEAKS,
    ),
    Line(
        "read_rate",
        "bandwidth_tbs * 1000000000000 * read_efficiency",
        "bytes/s",
        title="Bandwidth reached",
        source=FORM,
    ),
    Line(
        "tensor_link_rate",
        "1000000000 * served_link_efficiency"
        " * (scale_up_gbs if served_tensor <= scale_up_size else between_servers_gbs)",
        "bytes/s",
        title="Bandwidth among tensor ranks reached",
        source=FORM,
    ),
    Line(
        "expert_servers",
        "max(served_experts / scale_up_size, 1)",
        "servers",
        title="Servers among which a replica's experts are divided",
        source=FORM,
    ),
    Line(
        "far_copies",
        "expert_servers * (1 - power(1 - 1 / expert_servers, max(top_k, 1))) * (expert_servers - 1) / expert_servers",
        "copies",
        title="Copies of a token sent to other servers in serving",
        about="One per server that has any of its experts",
        source=FORM,
    ),
)

TOKEN = (
    Line(
        "token_stream",
        "stack_inputs / (batch * sequence_tokens)",
        "elements",
        title="Inputs of the layers, per token",
        about="Towers are passed once per prompt",
        source="The model's layers",
    ),
    Line(
        "expert_width",
        "max(d_expert * served_experts / stage_accelerators, 1)",
        "channels",
        title="Width of an expert on an accelerator",
        about="Ranks that do not divide the experts cut each of them",
        source="The model's experts, and the layout",
    ),
    Line(
        "token_expert_product_seconds",
        "prompt_expert_flops / (expert_tflops * served_expert_efficiency * 1000000000000)"
        " * (1 + expert_half_width / expert_width)",
        "s",
        title="Experts' products of a token",
        about="Narrow experts reach a smaller share of the peak: half at the input expert_half_width",
        source=FORM,
    ),
    Line(
        "token_product_seconds",
        "(prompt_token_flops - prompt_expert_flops) / (served_tflops * product_efficiency * 1000000000000)"
        " + token_expert_product_seconds",
        "s",
        title="Products of a token",
        about="On one accelerator, as all times per token or prompt",
        source=FORM,
    ),
    Line(
        "token_traffic_seconds",
        "2 * token_stream * served_traffic_passes / read_rate",
        "s",
        title="Norms, activations and other elementwise work of a token",
        source=FORM,
    ),
    Line(
        "token_tensor_seconds",
        "2 * 2 * 2 * token_stream * (served_tensor - 1) / tensor_link_rate",
        "s",
        title="Tensor-parallel collectives of a token",
        about="Two all-reduces per layer, each there and back, of two bytes per value",
        source=MEGATRON,
    ),
    Line(
        "token_near_seconds",
        "2 * 2 * kept_routed / (batch * sequence_tokens) * (served_experts - 1) / served_experts"
        " / (scale_up_gbs * 1000000000 * served_link_efficiency)",
        "s",
        title="Exchange of a token with experts inside a server",
        about="There and back, two bytes per value",
        source=FORM,
    ),
    Line(
        "token_far_seconds",
        "2 * 2 * kept_routed / max(top_k, 1) / (batch * sequence_tokens) * far_copies"
        " / (between_servers_gbs * 1000000000 * served_link_efficiency)",
        "s",
        title="Exchange of a token with experts in other servers",
        about="It runs during the products of another half of the batch: what they do not hide counts",
        source="DeepSeek-V3, arXiv 2412.19437, section 3.4",
    ),
    Line(
        "token_link_seconds",
        "token_tensor_seconds + token_near_seconds + max(token_far_seconds - token_product_seconds, 0)",
        "s",
        title="Collectives of a token",
        source="Sum",
    ),
    Line(
        "token_seconds",
        "token_product_seconds + token_traffic_seconds + token_link_seconds",
        "s",
        title="A token without attention",
        source="Sum",
    ),
)

PROMPT = (
    Line(
        "cached_tokens",
        "decodes * input_tokens * prompt_hit_rate",
        "tokens",
        title="Prompt tokens found in the cache",
        about="0 of models that write no tokens: each token of an input attends to all others",
        source="Input tokens × share found in a cache",
    ),
    Line(
        "pair_ratio",
        "prompt_pair_flops / (step_per_token + step_capped / step_cap) if step_per_token + step_capped > 0 else 0",
        "ratio",
        title="Attention of a prompt over that of a step",
        about="Per pair of tokens: latent attention works on keys in prompts and on the latent in steps",
        source="The model's attention cores",
    ),
    Line("prompt_window", "min(input_tokens, step_cap)", "tokens", title="Prompt inside windows", source="Input"),
    Line(
        "cached_window", "min(cached_tokens, step_cap)", "tokens", title="Cached prompt inside windows", source="Input"
    ),
    Line(
        "prompt_pairs",
        "(input_tokens * (input_tokens + 1) - cached_tokens * (cached_tokens + 1)) / 2",
        "pairs",
        title="Pairs of a prompt",
        about="Each token that is not cached attends to all before it",
        source="Sum over the prompt's tokens",
    ),
    Line(
        "prompt_full_windows",
        "input_tokens - cached_tokens - prompt_window + cached_window"
        " + (prompt_window * (prompt_window + 1) - cached_window * (cached_window + 1)) / 2 / step_cap",
        "windows",
        title="Windows that a prompt's tokens fill",
        about="A token near the start fills a part of one",
        source="Sum over the prompt's tokens",
    ),
    Line(
        "read_core_flops",
        "input_tokens * (read_per_token * input_tokens + read_capped * min(input_tokens / read_cap, 1))",
        "FLOP",
        title="Attention cores of an input, where nothing is written",
        about="Every pair, windows apart",
        source="The model's attention cores",
    ),
    Line(
        "prompt_core_flops",
        "pair_ratio * (step_per_token * prompt_pairs + step_capped * prompt_full_windows)"
        " if decodes else read_core_flops",
        "FLOP",
        title="Attention cores of a prompt",
        about="Causal pairs; where no tokens are written every pair, windows apart",
        source="The model's attention cores",
    ),
    Line(
        "prompt_core_seconds",
        "prompt_core_flops / (peak_tflops * 1000000000000 * served_core_efficiency)",
        "s",
        title="Part in attention cores",
        source=FORM,
    ),
    Line(
        "prompt_tower_seconds",
        "prompt_tower_flops / (peak_tflops * 1000000000000 * product_efficiency)"
        " + prompt_tower_stream * (token_traffic_seconds + token_tensor_seconds) / token_stream",
        "s",
        title="Part in towers and projectors",
        about="Products, elementwise work and collectives, these in proportion to the inputs of layers",
        source=FORM,
    ),
    Line(
        "prompt_accelerator_seconds",
        "(input_tokens - cached_tokens) * token_seconds + prompt_core_seconds + prompt_tower_seconds",
        "s",
        title="Accelerator time of a prompt",
        source=FORM,
    ),
    Line(
        "prompt_tokens_per_second_per_accelerator",
        "(input_tokens - cached_tokens) / prompt_accelerator_seconds",
        "tokens/s",
        title="Prompt tokens per second per accelerator",
        about="Those that are not cached, on accelerators that do nothing else",
        source="Tokens / accelerator time",
    ),
    Line(
        "pass_seconds",
        "((dense_bytes + parameters_head * weight_dtype_bytes) / served_tensor) / read_rate"
        " + pipeline_layers * layer_overhead_us / 1000000",
        "s",
        title="A pass without tokens",
        about="Weights of layers and head read, and the overhead of each layer",
        source=FORM,
    ),
    Line(
        "expert_pass_seconds",
        "max(expert_bytes / read_rate, token_expert_product_seconds * expert_padding * n_experts / max(top_k, 1))"
        " / stage_accelerators",
        "s",
        title="All experts read",
        about="Or the products of their padding, where those take longer: both happen at once",
        source=FORM,
    ),
    Line(
        "prefill_seconds",
        "pass_seconds + expert_pass_seconds + prompt_accelerator_seconds / served_tensor + prompt_fetch_seconds",
        "s",
        title="Prefill of a prompt",
        about="Alone on its tensor ranks",
        source=FORM,
    ),
)

PREFILL = (*RATES, *TOKEN, *PREFIXES, *PROMPT)
"""Lines of one model's prompts, after those of its memory."""
