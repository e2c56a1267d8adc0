"""What a conformer of sound keeps for the backward pass: counted in what torch saves of its modules."""

import pytest

from flopsheet.accounting import formula
from flopsheet.host.loading import load

WIDTH, LENGTH, HEADS = 64, 96, 4
VALUES = {
    "encoder_layers": 1,
    "encoder_heads": HEADS,
    "encoder_d_head": WIDTH // HEADS,
    "d_model": WIDTH,
    "batch": 1,
    "source_len": LENGTH,
    "encoder_tokens": LENGTH,
    "encoder_conv_weights": 1,
    "encoder_position_weights": 1,
    "encoder_distances_once": 1,
    "encoder_scores_positions": 1,
    "encoder_scores_distances": 0,
}


def counted(name):
    """Return what a line gives for one layer."""
    ledger = load().training_ledger("encdec")
    line = next(entry.line for entry in ledger.entries if entry.line.name == name)
    return formula.read(line.formula).evaluate(VALUES)


def saved(version, module, *, position="", **given):
    """Return the sizes of the tensors that a module of SeamlessM4T saves, by shape; statistics of norms left out."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    name = "seamless_m4t_v2" if version else "seamless_m4t"
    models = pytest.importorskip(f"transformers.models.{name}.modeling_{name}")
    config = getattr(transformers, f"SeamlessM4T{version}Config")(hidden_size=WIDTH)
    config.speech_encoder_attention_heads, config.speech_encoder_dropout = HEADS, 0.0
    made = getattr(models, f"SeamlessM4T{version}Conformer{module}")(config, **given).train()
    sound, result = torch.randn(1, LENGTH, WIDTH, requires_grad=True), {}
    own = {one.untyped_storage().data_ptr() for one in made.parameters()}
    more = {}
    if position:
        more["relative_position_embeddings"] = models.SeamlessM4TConformerRelPositionalEmbedding(config)(sound)

    def pack(tensor):
        if tensor.untyped_storage().data_ptr() not in own:
            result[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        made(sound, **more)
    return [tensor.numel() for tensor in result.values() if tensor.numel() >= LENGTH * WIDTH]


def test_convolutions_keep_six_times_their_width():
    """Beside the inputs of their two norms, which the norms' line counts."""
    assert counted("encoder_conv_kept") == sum(saved("", "ConvolutionModule")) - 2 * LENGTH * WIDTH


def test_relative_positions_keep_projected_positions_and_a_second_query():
    """Beside what attention keeps anyway: its input, queries, keys, values, weights and output."""
    sizes = saved("", "SelfAttention", position="relative")
    attention = 5 * LENGTH * WIDTH + HEADS * LENGTH * LENGTH
    embedding = (2 * LENGTH - 1) * WIDTH  # of the model, shared by all layers
    assert counted("encoder_positions_kept") == sum(sizes) - attention - embedding


def test_keyed_positions_keep_a_vector_for_each_pair():
    """Looked up by each layer."""
    assert counted("encoder_keyed_positions_kept") in saved("v2", "SelfAttention")
