"""How a layout divides the accelerators: ranks, micro-batches, chunks and the busiest stage."""

from flopsheet.accounting.line import Line

LAYOUT = "How the accelerators are divided: Narayanan et al. 2104.04473, section 3"

RANKS = (
    Line(
        "stage_ranks",
        "tensor_parallel * context_parallel",
        "accelerators",
        title="Accelerators that share a stage",
        source=LAYOUT,
    ),
    Line(
        "data_parallel",
        "accelerators / (stage_ranks * pipeline_parallel)",
        "replicas",
        title="Data parallelism",
        about="What the other dimensions of the layout leave",
        source=LAYOUT,
    ),
    Line(
        "expert_tensor_parallel",
        "tensor_parallel if expert_parallel == 1 else 1",
        "accelerators",
        title="Tensor parallelism of experts",
        about="Experts are divided among accelerators, or else split like MLPs",
        source="Megatron-LM, expert tensor parallelism of 1",
    ),
    Line(
        "expert_accelerators",
        "expert_parallel * expert_tensor_parallel",
        "accelerators",
        title="Accelerators that share a stage's experts",
        source=LAYOUT,
    ),
    Line(
        "expert_ranks",
        "accelerators / (pipeline_parallel * expert_accelerators)",
        "replicas",
        title="Data parallelism of experts",
        source=LAYOUT,
    ),
    Line(
        "micro_batches",
        "max(global_batch / (data_parallel * micro_batch), 1)",
        "micro-batches",
        title="Micro-batches per step",
        about="That each pipeline passes before the optimizer step",
        source=LAYOUT,
    ),
    Line("whole_layers", "floor(pipeline_layers / pipeline_parallel)", "layers", title="Layers that every stage has"),
    Line(
        "planned_chunks",
        "virtual_stages if pipeline_parallel > 1 else 1",
        "chunks",
        title="Chunks per stage, as planned",
        about="Without a pipeline there is one",
        source=LAYOUT,
    ),
    Line(
        "stage_chunks",
        "max(min(planned_chunks, whole_layers), 1)",
        "chunks",
        title="Chunks of layers per stage",
        about="Virtual stages, as far as there are layers for them",
        source=LAYOUT,
    ),
    Line(
        "stage_layers",
        "ceil((pipeline_layers + mtp_layers) / pipeline_parallel)",
        "layers",
        title="Layers per stage",
        source=LAYOUT,
    ),
    Line("stage_share", "stage_layers / pipeline_layers", "share", title="Share of layers per stage", source=LAYOUT),
    Line("stream_split", "tensor_parallel if sequence_parallel else 1", "accelerators", title="Split of the stream"),
    Line(
        "sequence_share",
        "micro_batch / (batch * context_parallel)",
        "ratio",
        title="Micro-batch over the model's batch",
        about="The model's totals are for its workload's batch",
        source="Ratio",
    ),
)
