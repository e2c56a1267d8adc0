"""What a model with compressed attention is described by."""

from flopsheet import Dimension, blocks

V4 = "DeepSeek-V4 technical report, section 2.3; transformers models/deepseek_v4/modeling_deepseek_v4.py"
MHC = "Xie et al. 2512.24880 (manifold-constrained hyper-connections); DeepSeek-V4 technical report, section 2.2"

N_STREAMS = Dimension(
    "n_streams",
    "Residual streams",
    keys=("hc_mult",),
    about="Copies of the residual stream, mixed by small matrices of each token",
    source=MHC,
)
STACK = (
    Dimension("n_layers", "Layers", keys=("num_hidden_layers",), about="Blocks of the stack"),
    blocks.optional("n_sparse_layers", "Layers with compressed sparse attention", source=V4),
    blocks.optional("n_pooled_layers", "Layers with heavily compressed attention", source=V4),
    Dimension("d_model", "Model width", keys=("hidden_size",), about="Width of each residual stream"),
    N_STREAMS,
)

ATTENTION = (
    Dimension("n_heads", "Query heads", keys=("num_attention_heads",), about="All read one key/value head"),
    Dimension("d_head", "Head size", keys=("head_dim",), about="One vector serves as key and value"),
    Dimension("q_rank", "Query rank", keys=("q_lora_rank",)),
    Dimension("n_out_groups", "Groups of the output projection", keys=("o_groups",)),
    Dimension("out_rank", "Rank of an output group", keys=("o_lora_rank",)),
    Dimension("window", "Window", unit="tokens", keys=("sliding_window",), about="Tokens that every layer sees"),
    Dimension("sparse_rate", "Tokens pooled, sparse layers", unit="tokens", default=4, minimum=1, source=V4),
    Dimension("pooled_rate", "Tokens pooled, heavily compressed layers", unit="tokens", default=128, minimum=1),
    Dimension("index_top_k", "Pooled entries that a token reads", keys=("index_topk",), about="Of a sparse layer"),
    Dimension("n_index_heads", "Indexer heads", keys=("index_n_heads",)),
    Dimension("d_index_head", "Indexer head size", keys=("index_head_dim",)),
)

EXPERTS = (
    Dimension("d_expert", "Expert width", keys=("moe_intermediate_size",)),
    blocks.flag("fused_mlp_in", "Up and gate in one matrix"),
    Dimension("n_shared_experts", "Shared experts", default=1, minimum=0, about="The class builds one"),
    blocks.flag("shared_bias", "Biases in shared experts", keys=("mlp_bias",)),
)

POSITIONS = tuple(dimension for dimension in blocks.POSITIONS.dimensions if dimension.name == "max_positions")
DIMENSIONS = (*STACK, *ATTENTION, *EXPERTS, *POSITIONS)
