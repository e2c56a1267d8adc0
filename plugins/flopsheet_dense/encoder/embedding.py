"""What encoders look tokens up in: words, positions, types, and the projection of what is found."""

from flopsheet import Dimension, blocks

BERT = "Devlin et al. 1810.04805; transformers models/bert/modeling_bert.py"
ROC_BERT = "Su et al. 2022 (RoCBert), ACL 2022.acl-long.65; transformers models/roc_bert/modeling_roc_bert.py"

EMBEDDING = (
    blocks.EMBEDDING
    + blocks.Block(blocks.POSITIONS.dimensions)
    + blocks.instance(blocks.POSITIONS, "", {"d_model": "d_position"})
    + blocks.RELATIVE_POSITIONS
    + blocks.Block(
        dimensions=(
            Dimension("d_position", "Width of a position", default="d_embedding"),
            blocks.optional("n_token_types", "Token types", keys=("type_vocab_size",)),
            Dimension("embedding_norms", "Norms of the embedding", default=1, minimum=0),
            blocks.optional(
                "n_further_weights",
                "Weights of further tables",
                "Tables that tokens are looked up in besides the vocabulary's, such as sounds and shapes",
            ),
            Dimension(
                "d_joined",
                "Width of all tables together",
                default="d_embedding",
                about="What the projection reads; wider than the embedding where it reads several tables side by side",
            ),
            blocks.optional("n_embedding_projections", "Embedding projections"),
            Dimension("has_projection_bias", "Bias on the projection", kind="flag", default=1),
        ),
        parameters=(
            blocks.whole_weights(
                "token_type_embedding", "n_token_types * d_embedding", "embedding", "Token type embedding", source=BERT
            ),
            blocks.whole_weights(
                "further_embeddings", "n_further_weights", "embedding", "Further tables", source=ROC_BERT
            ),
            blocks.whole_weights(
                "embedding_norm",
                "embedding_norms * norm_vectors * d_embedding",
                "norm",
                "Norm of the embedding",
                source=BERT,
            ),
        ),
    )
    + blocks.linear(
        "embedding_projection",
        "d_joined * d_model",
        group="other",
        copies="n_embedding_projections",
        bias="has_projection_bias * d_model",
        title="Embedding projection",
        about="From the embedding's width to the model's",
        source="Lan et al. 1909.11942, section 3.1",
        shard="replicated",
    )
)
