"""The workload: what is asked of a model, as dimensions and helper lines that every FLOP and memory line may name."""

from flopsheet.accounting.adapters import DIMENSIONS as ADAPTERS
from flopsheet.accounting.blocks.kinds import bytes_each, optional
from flopsheet.accounting.line import Dimension, Line
from flopsheet.accounting.media import DIMENSIONS as MEDIA
from flopsheet.accounting.quantized_weights import DIMENSIONS as QUANTIZED

MASK = Dimension(
    "mask",
    "Attention mask counted",
    kind="choice",
    default=1,
    labels=("full", "causal", "window"),
    about="full: every pair, what counters count. causal: pairs that a token may see. window: those inside windows",
)
WORKLOAD = (
    Dimension("batch", "Batch", unit="sequences", default=1),
    Dimension(
        "seq_len",
        "Sequence length",
        unit="tokens",
        default="min(max_positions, 4096) if max_positions else 4096",
        about="Tokens of one sequence of a forward pass; an encoder-decoder's source",
    ),
    Dimension("target_len", "Target length", unit="tokens", default="seq_len", about="An encoder-decoder's target"),
    Dimension(
        "context",
        "Context",
        unit="tokens",
        default="min(max_positions, 4096) if max_positions else 4096",
        about="Tokens that the caches hold",
    ),
    MASK,
    Dimension(
        "recompute",
        "Activations recomputed",
        kind="choice",
        default=2,
        labels=("none", "selective", "full"),
        about="What a training step runs forward again in place of storing it. selective: the attention core, as"
        " FlashAttention does. full: all but the head",
        source="Korthikanti et al. 2205.05198, section 5",
    ),
    *MEDIA,
    bytes_each("weight_dtype_bytes", "Bytes per weight", default=2),
    *QUANTIZED,
    *ADAPTERS,
    bytes_each("kv_dtype_bytes", "Bytes per cached key or value", default=2),
    bytes_each(
        "state_dtype_bytes",
        "Bytes per state element",
        default=2,
        about="2 as caches in the model's own 16-bit type; kernels that keep the state in fp32 take 4",
    ),
    bytes_each("conv_dtype_bytes", "Bytes per convolution state element", default="state_dtype_bytes"),
    bytes_each(
        "training_dtype_bytes",
        "Bytes per weight in training",
        default="weight_dtype_bytes",
        about="The weight that forward and backward passes read; a master copy belongs to the optimizer",
    ),
    bytes_each("gradient_dtype_bytes", "Bytes per gradient", default=2),
    bytes_each(
        "optimizer_bytes",
        "Optimizer bytes per parameter",
        default=12,
        about="AdamW in mixed precision: 4 for the master weight and 4 for each of two moments",
        source="Rajbhandari et al. 1910.02054, section 3.1",
    ),
)
"""The workload's dimensions. `max_positions` is the longest sequence that a model takes; 0 where it has no limit."""

MAX_POSITIONS = optional(
    "max_positions",
    "Longest sequence",
    unit="tokens",
    keys=("max_position_embeddings",),
    about="What the model was made for; 0 where nothing limits it",
)

_CAUSAL_PAIRS = "Counted: a token sees itself and all before it, s(s+1)/2 pairs"

HELPERS = (
    Line("target_tokens", "batch * target_len", "tokens", title="Target tokens", decode="batch", additive=False),
    Line("full_pairs", "seq_len * seq_len", "pairs", title="Pairs of the full square", additive=False),
    Line(
        "pairs",
        "seq_len * seq_len if mask_is_full else seq_len * (seq_len + 1) / 2",
        "pairs",
        title="Query-key pairs",
        source=_CAUSAL_PAIRS,
        decode="context",
        additive=False,
    ),
    Line(
        "target_pairs",
        "target_len * target_len if mask_is_full else target_len * (target_len + 1) / 2",
        "pairs",
        title="Query-key pairs of the target",
        source=_CAUSAL_PAIRS,
        decode="context",
        additive=False,
    ),
)
"""Helper lines of the workload; a ledger keeps those that its lines name. `tokens` is the source or only sequence."""

TOKENS = Line("tokens", "batch * seq_len", "tokens", title="Tokens of a forward pass", decode="batch", additive=False)
