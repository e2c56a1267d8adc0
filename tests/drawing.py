"""Draw random configs of a model_type from what its config's class declares: small, odd, and mostly possible.

A field gets a value by the role that its name (or the name that it has elsewhere) tells. Fields are left out or null
now and then, flags are flipped, fields that change no count move too, and sometimes a field of another type comes in.
"""

import functools
import re

from flopsheet.configs.classes import class_table

TIED = {"attention_types", "layer_types", "attn_layer_period", "attn_layer_offset", "expert_layer_period"}
DIVISORS = {1: (1,), 2: (1, 2), 3: (1, 3), 4: (1, 2, 4), 6: (1, 2, 3, 6), 8: (1, 2, 4, 8)}
NEVER = re.compile(r"(pad|bos|eos|sep|cls|unk|mask|start|image|audio|video|vision|bo[ia]|eo[ia]|eod)\w*_(id|index)$")
"""Token numbers: they must stand inside the vocabulary, and count nothing."""

FIXED = {
    "tie_word_embeddings": {"t5", "mt5", "umt5", "longt5"},  # flopsheet follows checkpoints, transformers ties all
    "is_encoder_decoder": {"*"},
    "moe_apply_router_weight_on_input": {"laguna"},  # its class refuses the other value
    "use_cache": {"*"},
    "qk_rope_head_dim": {"glm5_next_text"},  # its class refuses all but the default
}
ALL_HEADS = {"glm5_next_text"}
"""Types whose class refuses heads that share keys and values."""
PADDED = {"inkling2_text": 201024}
"""Types whose head checkpoints and transformers 5.23 pad to `vocab_size`, with its default; 5.24 drops the padding."""
SECTIONED = frozenset(
    f"{name}_text"
    for name in (
        "ernie4_5_vl_moe",
        "glm4v",
        "hunyuan_vl",
        "hy_v4_vl",
        "glm4v_moe",
        "glm_ocr",
        "paddleocr_vl",
        "qwen2_5_omni",
        "qwen2_5_vl",
        "qwen2_vl",
    )
)
"""Types whose class runs only where the sections of a head, one for each axis of a position, add up to half of it."""
FOREIGN = {"head_dim": 6, "num_key_value_heads": 1, "intermediate_size": 40, "embedding_size": 12, "hidden_size": 24}
FOREIGN |= {"attention_bias": True, "mlp_bias": True, "sliding_window": 8, "num_local_experts": 4, "d_kv": 6}
LAYERS, WIDTH, POSITIONS, NULL, ABSENT, STRANGE, CLOSED = (1, 5), (8, 72), (16, 64), 0.08, 0.12, 0.1, 0.8


def draw(model_type, classes, rng):
    """Return a config of a type and one of its classes, mostly the first; the same random numbers draw the same."""
    table = class_table(model_type)
    shape = Shape(model_type, table, rng)
    named = rng.choice([*classes[:1] * 6, *classes[1:], None])
    config = {"model_type": model_type} | ({"architectures": [named]} if named else {})
    for name, default in table.defaults.items():
        value = shape.value(name, default)
        if value is not NOTHING:
            config[name] = value
    if "vocab_size" in table.defaults and isinstance(table.defaults.get("pad_token_id"), int):
        config["pad_token_id"] = rng.choice([0, 1])
    if model_type == "dbrx":
        config |= {"tie_word_embeddings": False, **_kept(shape, config)}
    if model_type == "dots3_note_text":
        config |= _sliding(rng) | {"num_key_value_heads": config.get("num_attention_heads", 128)}
    if model_type == "qwen4_exp_text":
        config |= _chosen_and_hashed(config, rng)
    if model_type in SECTIONED:
        config["rope_parameters"] = {"rope_type": "default", "mrope_section": _sections(config, table)}
    if rng.random() < STRANGE:
        strange = FOREIGN | _derived(model_type)
        name = rng.choice(sorted(strange.keys() - config.keys()))
        config[name] = strange[name]
    return config


def pad_head(config):
    """Let a config say that its head is padded to the vocabulary, where transformers would drop the padding."""
    table = class_table(config["model_type"])
    kind = table and (table.text or config["model_type"])
    if kind in PADDED:
        text = config if kind == config["model_type"] else config.get("text_config") or {}
        if isinstance(text, dict):
            text["unpadded_vocab_size"] = text.get("vocab_size", PADDED[kind])
            config |= {} if text is config else {"text_config": text}


def _sections(config, table):
    """Return sections that add up to half of the channels that positions turn."""
    fields = table.defaults | config
    half = (
        fields.get("qk_rope_head_dim")
        or fields.get("head_dim")
        or fields["hidden_size"] // max(fields["num_attention_heads"], 1)
    ) // 2
    return [half - 2 * (half // 3), half // 3, half // 3]


def _chosen_and_hashed(config, rng):
    """Return heads, an indexer and tables of n-grams that fit to Qwen4-Exp's layers, without which none is built."""
    block, heads, ngram_size, hashes = (rng.randint(low, high) for low, high in ((1, 4), (1, 4), (2, 4), (1, 3)))
    kinds = config.get("layer_types") or ()
    layers = [number for number, kind in enumerate(kinds, 1) if kind == "linear_attention"]
    return {
        "linear_num_key_heads": heads,
        "linear_num_value_heads": heads * rng.randint(1, 3),
        "indexer_n_heads": rng.randint(1, 4),
        "indexer_kv_heads": 1,
        "indexer_head_dim": config.get("head_dim", 256) + 2 * rng.randint(0, 2),
        "indexer_budget": block * rng.randint(1, 3),
        "indexer_compress_ratio": block,
        "ple_layer_ids": sorted(rng.sample(layers, rng.randint(0, len(layers)))),
        "ple_embed_dim": (ngram_size - 1) * hashes * rng.randint(1, 3),
        "ngram_size": ngram_size,
        "heads_per_ngram": hashes,
        "ngram_vocab_size_base": rng.randint(1, 60),
        "eos_token_id": 0,
    }


def _kept(shape, config):
    """Return the nested parts without which the class cannot be built."""
    return {name: config.get(name) or role(shape) for (kind, name), role in NESTED.items() if kind == shape.model_type}


def _sliding(rng):
    """Return the shape of dots3's sliding layers, in the published fields, which its class does not declare."""
    heads, nope, rope = rng.choice([1, 2, 3]), 2 * rng.randint(1, 8), 2 * rng.randint(1, 8)
    shape = {"num_attention_heads": heads, "num_key_value_heads": heads, "q_lora_rank": rng.choice([4, 10])}
    shape |= {"kv_lora_rank": rng.choice([3, 6]), "v_head_dim": 2 * rng.randint(1, 8)}
    shape |= {"qk_nope_head_dim": nope, "qk_rope_head_dim": rope, "head_dim": nope + rope}
    return {f"swa_{name}": value for name, value in shape.items()}


NOTHING = object()


class Shape:
    """Numbers that fit together, drawn once a config."""

    def __init__(self, model_type, table, rng):
        """Draw the numbers that several fields share."""
        self.model_type, self.table, self.rng = model_type, table, rng
        self.heads = rng.choice(sorted(DIVISORS))
        self.kv_heads = self.heads if model_type in ALL_HEADS else rng.choice(DIVISORS[self.heads])
        self.head = rng.choice([2, 4, 6, 8, 16])
        declares_head = "head_dim" in table.defaults or "d_kv" in table.defaults
        mixes = model_type == "mamba2" or "mamba_n_heads" in table.defaults
        self.free = declares_head and not mixes and rng.random() < 0.5
        self.width = 4 * rng.randint(2, 16) if self.free else self.heads * self.head
        self.experts = rng.choice([2, 3, 4, 6, 8])
        self.expand = rng.choice([1, 2, 3])
        self.layers = {"": rng.randint(*LAYERS), "encoder": rng.randint(*LAYERS), "decoder": rng.randint(*LAYERS)}
        self.names = {declared: alias for alias, declared in table.attribute_map.items()}

    def value(self, name, default):
        """Return a value for a field, or NOTHING where it is left out."""
        types = FIXED.get(name, ())
        if NEVER.search(name) or self.model_type in types or "*" in types:
            return NOTHING
        drawn = self._drawn(name, default)
        kept = "layers" in name or name.removeprefix("n_") == "layer" or name in self._tied()
        if default is None and not kept and self.rng.random() < NULL:
            return None
        absent = ABSENT / 4 if "heads" in name or "experts" in name else ABSENT
        return NOTHING if not kept and self.rng.random() < absent else drawn

    def _tied(self):
        """Return the fields that must fit to another: leaving one out would make most configs impossible."""
        return TIED | ({"num_heads", "head_dim"} if self.model_type == "mamba2" else set())

    def _drawn(self, name, default):
        rng = self.rng
        for pattern, role in ROLES:
            for called in (name, self.names.get(name, name)):
                if re.fullmatch(pattern, called):
                    return role(self, called)
        if isinstance(default, bool):
            return rng.random() < 0.5
        if isinstance(default, int):
            return rng.randint(1, 16)
        if isinstance(default, float):
            return default * rng.choice([0.5, 1.0])
        return NOTHING

    def side(self, name):
        """Return the layers of the side that a field's name tells."""
        return self.layers["decoder" if "decoder" in name else "encoder" if "encoder" in name else ""]

    def kinds(self, name):
        """Return kinds of layers for a list of them, one a layer."""
        kinds = _kinds(self.model_type, name)
        return [self.rng.choice(kinds) for _ in range(self.layers[""])] if kinds else NOTHING


@functools.cache
def _derived(model_type):
    """Return fields that the class derives from others, each with a value that contradicts them."""
    import transformers  # noqa: PLC0415 - only drawing needs it

    saved = transformers.AutoConfig.for_model(model_type).to_dict()
    known = {*class_table(model_type).defaults, *transformers.PreTrainedConfig().to_dict(), "model_type"}
    derived = {name: value for name, value in saved.items() if name not in known and not NEVER.search(name)}
    changed = {bool: lambda value: not value, int: lambda value: max(4, value // 2), str: lambda _: "relu"}
    return {name: changed[type(value)](value) for name, value in derived.items() if type(value) in changed}


@functools.cache
def _kinds(model_type, name):
    """Return the kinds of layers that the class's own default has."""
    import transformers  # noqa: PLC0415 - only drawing needs it

    made = transformers.AutoConfig.for_model(model_type)
    named = getattr(made, name, None) or KINDS.get(model_type, [])
    if model_type == "deepseek_v4" and name == "layer_types":
        named = V4
    return sorted({kind for kind in named if isinstance(kind, str)})


def _even(low, high):
    return lambda shape, _: 2 * shape.rng.randint(low, high)


def _between(low, high):
    return lambda shape, _: shape.rng.randint(low, high)


def _width(shape, _):
    return shape.rng.randint(*WIDTH) if shape.rng.random() < 0.5 else 4 * shape.width


def _window(shape, name):
    return shape.rng.choice(
        [4, 9, 32] if shape.table.defaults.get(name) and shape.rng.random() < CLOSED else [None, 4, 9]
    )


def _rates(shape):
    kinds = {"compressed_sparse_attention": shape.rng.randint(2, 5), "heavily_compressed_attention": 6}
    return shape.rng.choice([None, kinds, {}])


def _rank(shape, name):
    return shape.rng.choice([6, 10, 24] if shape.table.types.get(name) == "int" else [None, 6, 10, 24])


V4 = ["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"]
KINDS = {"lfm2_moe": ["full_attention", "conv"]}
"""Kinds of layers where the class has no default."""

NESTED = {
    ("dbrx", "attn_config"): lambda shape: {"kv_n_heads": shape.kv_heads, "clip_qkv": 8, "rope_theta": 500000.0},
    ("dbrx", "ffn_config"): lambda shape: {
        "ffn_hidden_size": shape.rng.randint(*WIDTH),
        "moe_num_experts": shape.experts,
        "moe_top_k": shape.rng.randint(1, min(4, shape.experts)),
    },
    ("mpt", "attn_config"): lambda shape: {"alibi": shape.rng.random() < 0.8},
}
"""Configs inside configs, by type and field."""

ROLES = [
    (r".*vocab_size", _between(20, 200)),
    (r"(attn|expert)_layer_period", _between(2, 4)),
    (r"(attn|expert)_layer_offset|num_kv_shared_layers", _between(0, 1)),
    (r"attention_types", lambda shape, _: [[["global"], shape.layers[""]]]),
    (r"attention_window", _even(2, 8)),
    (r"layer_types|\w+_layer_types|layers_block_type", lambda shape, name: shape.kinds(name)),
    (r"max_window_layers|first_k_dense_replace|num_dense_layers", _between(0, 5)),
    (r"(num_|n_)?(hidden_|encoder_|decoder_)?layers?", lambda shape, name: shape.side(name)),
    (r"hidden_size|d_model|n_embd", lambda shape, _: shape.width),
    (r"word_embed_proj_dim|embedding_size", lambda shape, _: shape.rng.choice([shape.width, 12, 20])),
    (r"head_dim", lambda shape, _: shape.head * (shape.expand if shape.model_type == "mamba2" else 1)),
    (r"(num_|n_|encoder_|decoder_)?(attention_)?heads?", lambda shape, _: shape.heads),
    (r"(num_|n_)?(key_value|kv)_heads", lambda shape, _: shape.kv_heads),
    (r"swa_num_attention_heads", lambda shape, _: 2 * shape.heads),
    (r"swa_num_key_value_heads", lambda shape, _: shape.heads),
    (
        r"mamba_n_heads|mamba_num_heads|n_mamba_heads|num_(encoder|decoder)_attention_heads",
        lambda shape, _: shape.heads,
    ),
    (r"mamba_d_head", lambda shape, _: shape.rng.choice(["auto", shape.expand * shape.width // shape.heads])),
    (r"mamba_d_ssm", lambda shape, _: shape.expand * shape.width),
    (r"attn_config|ffn_config", lambda shape, name: NESTED.get((shape.model_type, name), lambda _: NOTHING)(shape)),
    (r"d_kv|d_head|kv_channels", lambda shape, _: shape.head),
    (r"(num_|n_)(local_|routed_)?experts|moe_num_experts", lambda shape, _: shape.experts),
    (r"num_experts_per_tok|moe_k|moe_topk|top_k_experts", lambda shape, _: shape.rng.randint(1, min(4, shape.experts))),
    (r"(num_|n_)shared_experts|moe_num_shared_experts", _between(1, 3)),
    (r"n_group|topk_group", lambda _, __: 1),
    (r"(q|o)_lora_rank", _rank),
    (r"index_kpool", lambda shape, _: shape.rng.choice([1, 2, 4])),
    (r"index_topk", lambda shape, _: 4 * shape.rng.randint(1, 4)),
    (r"o_groups", lambda shape, _: shape.rng.choice(DIVISORS[shape.heads])),
    (r"partial_rotary_factor", lambda shape, _: 0.5 if shape.model_type == "deepseek_v4" else NOTHING),
    (r"compress_rates", lambda shape, _: _rates(shape)),
    (r"(kv_lora_rank|v_head_dim|qk_\w+_dim)", _even(1, 8)),
    (r"max_position_embeddings|\w*max\w*position\w*|n_positions|n_ctx", _between(*POSITIONS)),
    (r"sliding_window", _window),
    (r"expand|mamba_expand", lambda shape, _: shape.expand),
    (r"\w*intermediate_size\w*|\w*ffn_dim|\w*ffn_hidden_size|d_ff|n_inner|dim_ff|dff|hidden_dim", _width),
    (r"\w*conv_kernel\w*|\w*d_conv", _between(2, 5)),
    (r"n_groups|mamba_n_groups", lambda shape, _: shape.rng.choice(DIVISORS[shape.heads])),
    (r"time_step_rank|mamba_dt_rank", lambda shape, _: shape.rng.choice(["auto", 3, 7])),
    (r"relative_attention_num_buckets", _even(2, 16)),
    (r"feed_forward_proj", lambda shape, _: shape.rng.choice(["relu", "gated-gelu", "gated-silu"])),
    (r"decoder_sparse_step|moe_layer_freq|moe_layer_interval|n_layers_per_attn_res_block", _between(1, 3)),
    (r"mlp_only_layers", lambda shape, _: sorted(shape.rng.sample(range(5), shape.rng.randint(0, 2)))),
    (r"\w*norm_eps(ilon)?|initializer\w*|init_std|\w*dropout\w*|\w*pdrop|rope_theta", lambda _, __: NOTHING),
]
"""What a field of a name gets, the first pattern that fits it wins."""
