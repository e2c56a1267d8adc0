"""Small models whose prefill and decode step were measured: batch 2, 11 tokens of prompt, 9 of context.

    python tests/decoding.py

measures them again; run it with a Python that has torch and transformers. Attention is eager, experts are `batched_mm`.
"""

import functools

BATCH, PROMPT, CONTEXT = 2, 11, 9
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}
SHAPE = {"hidden_size": 48, "intermediate_size": 80, "vocab_size": 101}
LATENT = {"q_lora_rank": 16, "kv_lora_rank": 20, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 10}
SPARSE = {"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "n_shared_experts": 1}
BART = {"encoder_layers": 2, "decoder_layers": 3, "d_model": 48, "vocab_size": 101, "max_position_embeddings": 64}
BART |= {"encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 72}
PROPHET = {"hidden_size": 48, "num_encoder_layers": 2, "num_decoder_layers": 2, "vocab_size": 101}
PROPHET |= {"num_encoder_attention_heads": 4, "num_decoder_attention_heads": 4}
PROPHET |= {"encoder_ffn_dim": 64, "decoder_ffn_dim": 72}
T5 = {
    "num_layers": 2,
    "num_decoder_layers": 3,
    "d_model": 48,
    "d_ff": 64,
    "num_heads": 4,
    "d_kv": 10,
    "vocab_size": 101,
}

CONFIGS = {
    "llama": SHAPE | HEADS | {"num_hidden_layers": 3},
    "gpt2": {"n_layer": 2, "n_embd": 48, "n_head": 4, "vocab_size": 97, "n_positions": 64},
    "gemma2": SHAPE | HEADS | {"num_hidden_layers": 4, "head_dim": 12, "sliding_window": 5},
    "gpt_neo": {"num_layers": 2, "hidden_size": 48, "num_heads": 4, "vocab_size": 101, "window_size": 5}
    | {"attention_types": [[["global", "local"], 1]]},
    "mixtral": SHAPE | HEADS | {"num_hidden_layers": 2, "num_local_experts": 4, "num_experts_per_tok": 2},
    "gpt_oss": SHAPE
    | HEADS
    | {"num_hidden_layers": 2, "head_dim": 12, "sliding_window": 5}
    | {"num_local_experts": 4, "num_experts_per_tok": 2},
    "deepseek_v3": SHAPE
    | LATENT
    | SPARSE
    | {"num_attention_heads": 4, "num_key_value_heads": 4}
    | {"num_hidden_layers": 3, "first_k_dense_replace": 1, "n_group": 2, "topk_group": 1},
    "bert": SHAPE | {"num_hidden_layers": 2, "num_attention_heads": 4, "is_decoder": True},
    "t5": T5,
    "bart": BART,
    "prophetnet": PROPHET,
}
MEASURED = {
    "llama": (2_591_808, 250_944),
    "gpt2": (2_544_576, 246_720),
    "gemma2": (3_449_280, 325_056),
    "gpt_neo": (2_545_344, 247_488),
    "mixtral": (2_764_992, 267_456),
    "gpt_oss": (2_764_992, 265_920),
    "deepseek_v3": (2_398_560, 371_808),
    "bert": (1_608_384, 170_688),
    "t5": (1_800_832, 250_560),
    "bart": (2_052_864, 291_264),
    "prophetnet": (1_850_112, 731_520),
}
"""FLOP of prefill and decode step: torch 2.13, transformers 5.23."""
CLASSES = {
    "bert": "BertLMHeadModel",
    "t5": "T5ForConditionalGeneration",
    "bart": "BartForConditionalGeneration",
    "prophetnet": "ProphetNetForConditionalGeneration",
}
"""Which class is measured, where it is not the type's causal language model."""


def config_of(model_type):
    """Return the config of a small model."""
    classes = {"architectures": [CLASSES[model_type]]} if model_type in CLASSES else {}
    return {"model_type": model_type, **CONFIGS[model_type], **classes}


def measured(model_type):
    """Return the FLOP of matrix products in a prefill and in a decode step, as torch's counter sees them."""
    import torch  # noqa: PLC0415 - the configs are of use without it

    model = _built(model_type)
    with torch.no_grad():
        return _of_encoder_decoder(model) if model.config.is_encoder_decoder else _of_decoder(model)


def _built(model_type):
    import transformers  # noqa: PLC0415 - the configs are of use without it
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES  # noqa: PLC0415 - same

    transformers.logging.set_verbosity_error()
    config = transformers.AutoConfig.for_model(model_type, **CONFIGS[model_type], use_cache=True)
    kind = getattr(transformers, CLASSES.get(model_type) or MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[model_type])
    return kind._from_config(config, attn_implementation="eager", experts_implementation="batched_mm").eval()  # noqa: SLF001 - what AutoModel.from_config calls


def _of_decoder(model):
    """Rotary tables are made as outer products, which are no work of the model's."""
    count = functools.partial(_counted, lambda *shapes, **_: _product(*shapes) if shapes[0][2] > 1 else 0)
    prefill, _ = count(model, PROMPT, logits_to_keep=1)
    return prefill, _step(count, model)


def _of_encoder_decoder(model):
    """Measure cross keys and values, the decoder's part of a prefill, as what they save once they are cached."""
    from transformers import DynamicCache, EncoderDecoderCache  # noqa: PLC0415 - the configs are of use without it

    def decoder(tokens, **given):
        return model(encoder_outputs=source, decoder_input_ids=tokens, **given)

    count = functools.partial(_counted, _product)
    encoder, source = count(model.get_encoder(), PROMPT)
    first, filled = count(decoder, 2)
    known = EncoderDecoderCache(DynamicCache(), filled.past_key_values.cross_attention_cache)
    return encoder + first - count(decoder, 2, past_key_values=known)[0], _step(count, decoder)


def _step(count, model):
    """Return the FLOP of the token that fills the cache."""
    _, filled = count(model, CONTEXT - 1)
    return count(model, 1, past_key_values=filled.past_key_values)[0]


def _counted(product, model, length, **given):
    """Return the FLOP of a call with so many tokens, and what it gives; `product` counts a batch of products."""
    import torch  # noqa: PLC0415 - the configs are of use without it
    from torch.utils.flop_counter import FlopCounterMode  # noqa: PLC0415 - same

    tokens = torch.ones(BATCH, length, dtype=torch.long)
    with FlopCounterMode(display=False, custom_mapping={torch.ops.aten.bmm: product}) as counter:
        result = model(tokens, **given)
    return counter.get_total_flops(), result


def _product(left, right, *_, **__):
    return 2 * left[0] * left[1] * left[2] * right[2]


def main():
    """Print what is measured."""
    for model_type in CONFIGS:
        prefill, step = measured(model_type)
        print(f'    "{model_type}": ({prefill:_}, {step:_}),')  # noqa: T201 - a script


if __name__ == "__main__":
    main()
