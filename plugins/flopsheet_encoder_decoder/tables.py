"""Tables of both sides, and the output head."""

from flopsheet import Dimension, Line, blocks

OWN_TABLES = blocks.Block(
    dimensions=(
        blocks.optional(
            "n_own_tables",
            "Further token tables",
            "2 where encoder and decoder each store a token table beside the shared one",
        ),
        Dimension("target_vocab_size", "Target vocabulary", unit="tokens", default="vocab_size"),
        blocks.optional(
            "n_target_tables", "Token tables of the target", "1 where the decoder has a vocabulary or width of its own"
        ),
    ),
    parameters=(
        Line(
            "own_token_tables",
            "n_own_tables * vocab_size * d_embedding",
            "parameters",
            "embedding",
            title="Token tables of encoder and decoder",
            about="Untied, transformers keeps the shared table and one for each side",
            source="transformers models/bart/modeling_bart.py, _tied_weights_keys",
        ),
        Line(
            "target_embedding",
            "n_target_tables * target_vocab_size * decoder_d_model",
            "parameters",
            "embedding",
            title="Token embedding of the target",
            source="transformers models/marian/modeling_marian.py, share_encoder_decoder_embeddings",
        ),
    ),
)

HEAD = blocks.instance(
    blocks.HEAD,
    "",
    {"tokens": "head_tokens", "vocab_size": "target_vocab_size", "d_embedding": "decoder_d_model"},
)

PAGE = blocks.Block(
    parameters=(
        blocks.whole_weights(
            "page_weights",
            "n_page_weights",
            "conv",
            "Patches and places of a page",
            source="Tang et al. 2212.02623, section 3.1; transformers models/udop/modeling_udop.py",
        ),
    ),
)
"""What makes vectors of a page's picture, and relates the places of its words."""

BERT = "Devlin et al. 1810.04805; transformers models/bert/modeling_bert.py, BertPooler and BertLMPredictionHead"

ENDS = (
    blocks.Block(
        dimensions=(
            blocks.optional("pooler_weights", "Pooler: weights", "Of a matrix that one position of each source passes"),
            blocks.optional("pooler_vectors", "Pooler: biases", "Of that matrix"),
            blocks.optional(
                "head_matrix_weights", "Matrix before the head: weights", "Every position at the head passes it"
            ),
            blocks.optional("head_vectors", "Vectors before the head", "Bias and norm of that matrix"),
        )
    )
    + blocks.linear(
        "pooler",
        "pooler_weights",
        group="other",
        copies="1",
        tokens="batch",
        decode="0",
        bias="pooler_vectors",
        title="Pooler of the encoder",
        source=BERT,
    )
    + blocks.linear(
        "head_matrix",
        "head_matrix_weights",
        group="lm_head",
        copies="1",
        tokens="head_tokens",
        bias="head_vectors",
        title="Matrix before the head",
        source=BERT,
    )
)
"""What encoders and decoders of BERT's kind have after their layers."""
