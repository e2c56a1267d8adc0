"""Memory of the busiest accelerator under a layout: weights, gradients, optimizer, activations, logits, buffers."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.training.ranks import LAYOUT, RANKS

ZERO = "Rajbhandari et al. 1910.02054, sections 3 and 5"
KEPT = "Korthikanti et al. 2205.05198, section 4"
STAGES = "Narayanan et al. 2104.04473, section 2.2: the first stage has the most micro-batches in flight"
HELD = "The model's lines by who holds them; the stage with the most layers and the larger of tables and head"


def _sharing(below: int, part: str) -> tuple[Line, ...]:
    """Return whether data-parallel accelerators share a part of the state, above a ZeRO stage, and among how many."""
    return (
        Line(
            f"{part}_shared",
            fill("1 if zero_stage > BELOW else 0", BELOW=below),
            "flag",
            title=f"Data-parallel accelerators share {part}",
            source=ZERO,
        ),
        Line(
            f"{part}_shards",
            fill("data_parallel * context_parallel if PART_shared else 1", PART=part),
            "accelerators",
            title=f"Accelerators that share {part}",
            source=ZERO,
        ),
        Line(
            f"{part}_expert_shards",
            fill("expert_ranks if PART_shared else 1", PART=part),
            "accelerators",
            title=f"Accelerators that share {part} of experts",
            source=ZERO,
        ),
    )


STATE = (
    Line(
        "parameters_layers",
        "parameters - parameters_replicated - parameters_expert - parameters_tables - parameters_head_stored",
        "parameters",
        title="Parameters that tensor parallelism splits, tables and head apart",
        source=HELD,
    ),
    Line(
        "parameters_ends",
        "parameters_tables + parameters_head_stored if pipeline_parallel == 1"
        " else max(parameters_tables, parameters_head)",
        "parameters",
        title="Parameters of tables and head on the busiest stage",
        source=HELD,
    ),
    Line(
        "parameters_per_accelerator",
        "(parameters_layers * stage_share + parameters_ends) / tensor_parallel + parameters_replicated * stage_share",
        "parameters",
        title="Parameters per accelerator, experts apart",
        source=HELD,
    ),
    Line(
        "expert_parameters_per_accelerator",
        "parameters_expert * stage_share / expert_accelerators",
        "parameters",
        title="Expert parameters per accelerator",
        source=HELD,
    ),
    Line("trained_share", "parameters_trained / parameters", "share", title="Share of parameters trained"),
    Line(
        "held_weight_bytes",
        "training_dtype_bytes + (frozen_saved - frozen_saved_experts) / (parameters - parameters_expert)",
        "bytes",
        title="Bytes per weight, experts apart",
        about="Frozen weights stay as they are stored",
        source="Dettmers et al. 2305.14314 (QLoRA), section 3",
    ),
    Line(
        "held_expert_bytes",
        "training_dtype_bytes + frozen_saved_experts / max(parameters_expert, 1)",
        "bytes",
        title="Bytes per weight of experts",
        source="Dettmers et al. 2305.14314 (QLoRA), section 3",
    ),
    *(line for below, part in enumerate(("optimizer", "gradients", "weights")) for line in _sharing(below, part)),
    Line(
        "weights_bytes_per_accelerator",
        "held_weight_bytes * parameters_per_accelerator / weights_shards"
        " + held_expert_bytes * expert_parameters_per_accelerator / weights_expert_shards",
        "bytes",
        title="Weights per accelerator",
        source=ZERO,
    ),
    *(
        Line(
            f"{part}_bytes_per_accelerator",
            fill(
                "EACH * (parameters_per_accelerator / PART_shards"
                " + expert_parameters_per_accelerator / PART_expert_shards)",
                EACH=each,
                PART=part,
            ),
            "bytes",
            title=title,
            source=ZERO,
        )
        for part, each, title in (
            ("gradients", "gradient_dtype_bytes * trained_share", "Gradients per accelerator"),
            (
                "optimizer",
                "optimizer_bytes * trained_share * (1 - offloaded_optimizer)",
                "Optimizer state per accelerator",
            ),
        )
    ),
)

ACTIVATIONS = (
    Line(
        "up_share",
        "1 - d_head_v / max(2 * (d_head_nope + d_head_rope + d_head_v), 1) if n_latent_layers > 0 else 0",
        "share",
        title="Share of kept heads that an up-projection gives",
        about="Of latent attention: queries, keys and values, all but the outputs",
        source="DeepSeek-V3 2412.19437, section 3.2.3",
    ),
    Line(
        "recomputed_heads",
        "recompute_activations * kept_hidden / max(mlp_matrices, expert_matrices, 2)"
        " + recompute_up_projections * up_share * kept_heads",
        "elements",
        title="Outputs of activation functions and up-projections that are recomputed",
        about="A gated MLP keeps three tensors of its width, a plain one two, and one of them is such an output",
        source="Megatron-Core, recompute_modules: moe_act, mla_up_proj",
    ),
    Line(
        "whole_bytes",
        "activation_dtype_bytes * (kept_replicated - recompute_norms * kept_inputs) + has_dropout * kept_masks",
        "bytes",
        title="Kept whole on tensor ranks, unless the sequence is split",
        source=KEPT,
    ),
    Line(
        "split_bytes",
        "activation_dtype_bytes * (kept_tensor + kept_expert - recomputed_heads)",
        "bytes",
        title="Kept in parts on tensor ranks",
        source=KEPT,
    ),
    Line(
        "traffic_bytes",
        "kept_factor * (whole_bytes / stream_split + split_bytes / tensor_parallel)",
        "bytes",
        title="Kept by all layers, attention weights apart",
        about="Per tensor rank, for the workload's batch",
        source=KEPT,
    ),
    Line(
        "kept_bytes",
        "traffic_bytes + (1 - recompute_is_selective - recompute_is_full) * kept_core * (activation_dtype_bytes"
        " + has_dropout * (1 + activation_dtype_bytes)) / tensor_parallel",
        "bytes",
        title="Kept by all layers",
        about="Fused attention, such as FlashAttention, keeps no attention weights: recompute selective",
        source=KEPT,
    ),
    Line(
        "recomputed",
        "recompute_is_full * recomputed_share",
        "share",
        title="Share of the layers that are recomputed",
        source="Workload, and input recomputed_share",
    ),
    Line(
        "written_bytes",
        "sequence_share * (recomputed * activation_dtype_bytes * layer_inputs / stream_split"
        " + (1 - recomputed) * kept_bytes)",
        "bytes",
        title="Kept by all layers of a micro-batch, on accelerator and host",
        about="Full recomputation keeps the input of each layer alone",
        source=KEPT,
    ),
    Line(
        "stack_bytes",
        "written_bytes * (1 - offloaded_activations)",
        "bytes",
        title="Kept by all layers of a micro-batch",
        source="Input offloaded_activations",
    ),
    Line(
        "chunks_in_flight",
        "pipeline_parallel if stage_chunks == 1 else pipeline_parallel * stage_chunks + pipeline_parallel - 1",
        "chunks",
        title="Chunks of layers in flight on the first stage at most",
        about="Interleaving keeps (p - 1)/(p·v) more",
        source=STAGES,
    ),
    Line(
        "in_flight",
        "stage_share / stage_chunks * min(chunks_in_flight, micro_batches * stage_chunks)",
        "stacks",
        title="Stacks of layers in flight on the first stage",
        about="No more than there are micro-batches",
        source=STAGES,
    ),
    Line(
        "last_in_flight",
        "stage_share / stage_chunks * min((stage_chunks - 1) * pipeline_parallel + 1, micro_batches * stage_chunks)",
        "stacks",
        title="Stacks of layers in flight on the last stage",
        source=STAGES,
    ),
    Line(
        "activations_bytes_per_accelerator",
        "stack_bytes * in_flight",
        "bytes",
        title="Activations per accelerator",
        about="Of the first stage, which keeps the most",
        source=KEPT,
    ),
    Line(
        "head_bytes",
        "sequence_share * (logits * logits_dtype_bytes / tensor_parallel"
        " + 2 * activation_dtype_bytes * stack_inputs / pipeline_layers / stream_split)",
        "bytes",
        title="Logits and inputs of head and final norm",
        source=KEPT,
    ),
    Line(
        "logits_bytes_per_accelerator",
        "head_bytes if pipeline_parallel == 1 else max(head_bytes - stack_bytes * (in_flight - last_in_flight), 0)",
        "bytes",
        title="Logits per accelerator",
        about="In a pipeline, what the last stage needs beyond the first",
        source=KEPT,
    ),
    Line(
        "live_layer_bytes",
        "recompute_is_full * kept_bytes * sequence_share / pipeline_layers",
        "bytes",
        title="A layer that is being recomputed",
        source=KEPT,
    ),
    Line(
        "gathered_bytes",
        "weights_shared * 2 * training_dtype_bytes"
        " * (parameters_per_accelerator + expert_parameters_per_accelerator) / stage_layers",
        "bytes",
        title="Two layers that ZeRO stage 3 has gathered",
        source=ZERO,
    ),
    Line(
        "buffers_bytes_per_accelerator",
        "live_layer_bytes + gathered_bytes",
        "bytes",
        title="Buffers per accelerator",
        about="A layer that is recomputed, and two layers that ZeRO stage 3 has gathered",
        source=ZERO,
    ),
)

FIT = (
    Line(
        "memory_bytes_per_accelerator",
        "weights_bytes_per_accelerator + gradients_bytes_per_accelerator + optimizer_bytes_per_accelerator"
        " + activations_bytes_per_accelerator + logits_bytes_per_accelerator + buffers_bytes_per_accelerator",
        "bytes",
        title="Memory per accelerator",
        about="Without fragmentation and communication buffers, which the usable share of the memory leaves room for",
        source="Sum",
    ),
    Line("usable_bytes", "memory_gb * 1000000000 * memory_usable", "bytes", title="Usable memory", source="Inputs"),
    Line(
        "fits_accelerator",
        "1 if memory_bytes_per_accelerator <= usable_bytes else 0",
        "flag",
        title="Fits in memory",
        source="Memory against usable memory",
    ),
    Line(
        "batch_bytes",
        "activations_bytes_per_accelerator + logits_bytes_per_accelerator + live_layer_bytes",
        "bytes",
        title="Memory that grows with the micro-batch",
        source="Sum",
    ),
    Line(
        "largest_micro_batch",
        "max(floor(micro_batch * (usable_bytes - memory_bytes_per_accelerator + batch_bytes) / batch_bytes), 0)",
        "",
        title="Largest micro-batch",
        about="Sequences that fit, with as many micro-batches in flight; 0: not one fits",
        source="Free memory / memory per sequence",
    ),
    Line(
        "shared_bytes",
        "weights_bytes_per_accelerator * weights_shared + gradients_bytes_per_accelerator * gradients_shared"
        " + optimizer_bytes_per_accelerator * optimizer_shared",
        "bytes",
        title="Memory that more accelerators share",
        about="Twice the accelerators halve it",
        source=ZERO,
    ),
    Line(
        "unshared_bytes",
        "memory_bytes_per_accelerator - shared_bytes",
        "bytes",
        title="Memory that stays however many there are",
        source=ZERO,
    ),
    Line(
        "wider_group",
        "max(stage_ranks, expert_accelerators)",
        "accelerators",
        title="Accelerators that share a stage, or its experts where those are more",
        source=LAYOUT,
    ),
    Line(
        "narrower_group",
        "min(stage_ranks, expert_accelerators)",
        "accelerators",
        title="Accelerators that share a stage, or its experts where those are fewer",
        source=LAYOUT,
    ),
    Line(
        "replica_accelerators",
        "pipeline_parallel * wider_group"
        " * (1 if floor(wider_group / narrower_group) * narrower_group == wider_group else narrower_group)",
        "accelerators",
        title="Accelerators of the smallest replica",
        about="Those that share one copy of the model, or of its experts where that is more",
        source=LAYOUT,
    ),
    Line(
        "fewest_accelerators",
        "replica_accelerators"
        " * max(ceil(accelerators * shared_bytes / (replica_accelerators * (usable_bytes - unshared_bytes))), 1)"
        " if unshared_bytes < usable_bytes else 0",
        "accelerators",
        title="Fewest accelerators",
        about="On which this layout fits, with a batch in proportion to them; 0: on no number of them",
        source="Memory that data parallelism shares, and what it leaves",
    ),
)

MEMORY = (*RANKS, *STATE, *ACTIVATIONS, *FIT)
"""Lines of one model under one layout: their names are inputs, the model's totals, and each other."""
