"""Blocks: what each part of a model adds, against numbers counted by hand, and how blocks are made and reused."""

import pytest

from flopsheet import Architecture, Dimension, Line, blocks
from flopsheet.accounting.building import build
from flopsheet.accounting.values import fill_in


def lines(block, **given):
    """Return every line of a block in an architecture that has whatever dimensions are given."""
    own = [dimension.name for dimension in block.dimensions]
    missing = [Dimension(name, name, default=0, minimum=0) for name in given if name not in own]
    free = [d for d in missing if d.name not in WORKLOAD]
    toy = Architecture("toy", "Toy", "A block", (*free, *block.dimensions))
    ledger = build(toy, block.parameters, block.flops, block.memory)
    values, problems = fill_in(ledger.dimensions, given)
    assert problems == {}
    return ledger.evaluate(values)


WORKLOAD = {"batch", "seq_len", "target_len", "context", "mask", "kv_dtype_bytes", "state_dtype_bytes"}


def picked(found, expected):
    """Return the lines that are expected."""
    return {name: found[name] for name in expected}


def test_a_linear_layer_is_stated_once():
    """Weights × copies are stored, 2 × tokens × weights × copies is computed."""
    layer = blocks.linear("layer", "d_model * d_out", group="mlp", title="Layer", source="Anybody")
    result = lines(layer, n_layers=3, d_model=4, d_out=5, batch=2, seq_len=7)
    assert (result["layer"], result["layer_flops"]) == (60, 2 * 14 * 60)
    assert [(line.group, line.label) for line in (*layer.parameters, *layer.flops)] == [("mlp", "Layer")] * 2
    assert layer.flops[0].work == "linear"


def test_uses_differ_from_copies():
    """A block that is stored once and passed six times costs six times its weights."""
    layer = blocks.linear("shared", "d_model * d_model", group="mlp", copies="1", uses="n_layers")
    result = lines(layer, n_layers=6, d_model=4, seq_len=1)
    assert (result["shared"], result["shared_flops"]) == (16, 2 * 6 * 16)


def test_biases_are_parameters_and_no_flops():
    """A bias is an addition that no count of matrix products has."""
    layer = blocks.linear("layer", "d_model * d_out", group="mlp", bias="has_bias * d_out", title="Layer")
    result = lines(layer, n_layers=3, d_model=4, d_out=5, has_bias=1, seq_len=1)
    assert (result["layer_bias"], result["parameters"], result["flops_forward"]) == (15, 75, 120)
    assert layer.parameters[1].title == "Layer bias"


def test_a_layer_may_see_other_tokens():
    """A decoder's layers see the target; a formula that mentions tokens elsewhere keeps them."""
    layer = blocks.linear("layer", "d_model * d_out", group="mlp", tokens="target_tokens")
    assert lines(layer, n_layers=1, d_model=2, d_out=1, seq_len=9, target_len=3)["layer_flops"] == 12


def test_a_layers_share_and_kind_are_its_parameters():
    """Active share and shard stand on the weights, where they are asked about."""
    layer = blocks.linear("layer", "d_model", group="experts", active="1 / 2", shard="expert")
    assert (layer.parameters[0].active, layer.parameters[0].shard) == ("1 / 2", "expert")


def test_blocks_share_dimensions():
    """A dimension that two blocks have stands once, as the first block says it."""
    first = blocks.Block((Dimension("width", "Width"), Dimension("depth", "Depth")))
    second = blocks.Block((Dimension("width", "Another width"), Dimension("height", "Height")))
    assert [d.title for d in (first + second).dimensions] == ["Width", "Depth", "Height"]


PAIR = blocks.Block(
    dimensions=(Dimension("width", "Width"),),
    parameters=(Line("matrix", "width * depth", "parameters", active="width / depth"),),
    flops=(Line("product", "2 * matrix", "FLOP", title="The product", full="matrix + matrix"),),
    memory=(Line("cache", "product", "bytes"),),
)


def test_an_instance_has_its_own_names():
    """Lines refer to each other under the prefix, dimensions as they are renamed; titles say whose they are."""
    own = blocks.instance(PAIR, "left_", {"width": "left_width"})
    assert own.dimensions == ()
    assert [line.name for line in (*own.parameters, *own.flops, *own.memory)] == [
        *("left_matrix", "left_product", "left_cache")
    ]
    assert (own.parameters[0].formula, own.parameters[0].active) == ("left_width * depth", "left_width / depth")
    assert (own.flops[0].formula, own.flops[0].full) == ("2 * left_matrix", "left_matrix + left_matrix")
    assert own.memory[0].formula == "left_product"
    assert own.flops[0].title == "Left the product"


def test_an_instance_without_prefix_renames_alone():
    """Then names and titles of lines stay."""
    own = blocks.instance(PAIR, "", {"depth": "n_layers"})
    assert (own.parameters[0].name, own.parameters[0].formula) == ("matrix", "width * n_layers")
    assert own.flops[0].title == "The product"


def test_an_instance_changes_fields():
    """What is the same for all lines can be set at once."""
    assert blocks.instance(PAIR, "left_", {}, full="").flops[0].full == ""


def test_two_instances_stand_side_by_side():
    """Layers of different shape are two instances of one block."""
    both = blocks.instance(PAIR, "wide_", {"width": "wide"}) + blocks.instance(PAIR, "slim_", {"width": "slim"})
    result = lines(both, wide=8, slim=2, depth=4)
    assert (result["wide_matrix"], result["slim_matrix"], result["parameters"]) == (32, 8, 40)


SMALL = {"n_layers": 2, "d_model": 8, "n_heads": 4, "d_head": 3, "batch": 2, "seq_len": 6, "context": 10}
BASIC = {"attention_q": 192, "attention_k": 192, "attention_v": 192, "attention_out": 192}
COUNTED = {
    "multi-head": (blocks.ATTENTION, {}, BASIC | {"kv_cache": 2 * 2 * 2 * 4 * 3 * 2 * 10}),
    "grouped": (
        blocks.ATTENTION,
        {"n_kv_heads": 2},
        BASIC | {"attention_k": 96, "attention_v": 96, "kv_cache": 2 * 2 * 2 * 2 * 3 * 2 * 10},
    ),
    "multi-query": (blocks.ATTENTION, {"n_kv_heads": 1}, {"attention_k": 48, "kv_cache": 2 * 2 * 2 * 1 * 3 * 2 * 10}),
    "biases": (
        blocks.ATTENTION,
        {"n_kv_heads": 2, "qkv_bias": 1, "out_bias": 1},
        {"attention_q_bias": 24, "attention_k_bias": 12, "attention_v_bias": 12, "attention_out_bias": 16},
    ),
    "query and key norms": (blocks.ATTENTION, {"q_norm_width": 3, "k_norm_width": 3}, {"qk_norm": 12}),
    "core": (blocks.ATTENTION, {}, {"attention_core_flops": 4 * 2 * 36 * 2 * 12}),
    "core, causal": (blocks.ATTENTION, {"mask": "causal"}, {"attention_core_flops": 4 * 2 * 21 * 2 * 12}),
    "core, window mask without windows": (
        blocks.ATTENTION,
        {"mask": "window"},
        {"attention_core_flops": 4 * 2 * 21 * 2 * 12},
    ),
    "core inside windows": (
        blocks.ATTENTION,
        {"mask": "window", "n_window_layers": 1, "window": 3},
        {"attention_core_flops": 4 * 2 * 12 * (21 + 15), "kv_cache": 2 * 2 * 2 * 4 * 3 * (10 + 2)},
    ),
    "windows that are wider than the sequence": (
        blocks.ATTENTION,
        {"mask": "window", "n_window_layers": 2, "window": 30},
        {"attention_core_flops": 4 * 2 * 21 * 2 * 12, "kv_cache": 2 * 2 * 2 * 4 * 3 * 2 * 10},
    ),
    "full mask over windows": (
        blocks.ATTENTION,
        {"n_window_layers": 2, "window": 3},
        {"attention_core_flops": 4 * 2 * 36 * 2 * 12},
    ),
    "plain MLP": (blocks.MLP, {"d_ff": 5}, {"mlp_in": 80, "mlp_out": 80, "mlp_in_flops": 2 * 12 * 80}),
    "gated MLP": (blocks.MLP, {"d_ff": 5, "mlp_matrices": 3}, {"mlp_in": 160, "mlp_out": 80}),
    "MLP biases": (
        blocks.MLP,
        {"d_ff": 5, "mlp_matrices": 3, "mlp_bias": 1},
        {"mlp_in_bias": 20, "mlp_out_bias": 16},
    ),
    "MLP width": (blocks.MLP, {}, {"mlp_in": 2 * 8 * 32}),
    "norms": (blocks.LAYER_NORMS, {"norms_per_layer": 4, "norm_vectors": 2}, {"layer_norms": 128}),
    "final norms": (
        blocks.LAYER_NORMS + blocks.FINAL_NORM,
        {"final_norms": 2, "norm_vectors": 2},
        {"final_norm": 32},
    ),
    "tied head": (
        blocks.EMBEDDING + blocks.HEAD,
        {"vocab_size": 11, "tied_head": 1},
        {"token_embedding": 88, "lm_head": 0, "lm_head_flops": 2 * 12 * 88},
    ),
    "untied head": (blocks.EMBEDDING + blocks.HEAD, {"vocab_size": 11}, {"lm_head": 88, "lm_head_flops": 2 * 12 * 88}),
    "no head": (
        blocks.EMBEDDING + blocks.HEAD,
        {"vocab_size": 11, "has_head": 0},
        {"lm_head": 0, "lm_head_flops": 0},
    ),
    "narrow embedding": (
        blocks.EMBEDDING + blocks.PROJECTIONS + blocks.HEAD,
        {"vocab_size": 11, "d_embedding": 4, "n_embedding_projections": 2},
        {"token_embedding": 44, "embedding_projection": 64, "lm_head": 44},
    ),
    "positions": (blocks.POSITIONS, {"n_position_rows": 12}, {"position_embedding": 96}),
    "relative positions": (
        blocks.RELATIVE_POSITIONS,
        {"n_position_buckets": 32, "n_position_tables": 2},
        {"relative_positions": 256},
    ),
    "experts": (
        blocks.EXPERTS,
        {"n_experts": 6, "top_k": 2, "d_expert": 5},
        {
            "router": 2 * 48,
            "experts_in": 2 * 6 * 80,
            "experts_out": 2 * 6 * 40,
            "experts_in_flops": 2 * 12 * 2 * 2 * 80,
            "experts_in_active": 2 * 2 * 80,
            "shared_experts_in": 0,
        },
    ),
    "shared experts": (
        blocks.EXPERTS,
        {"n_experts": 6, "top_k": 2, "d_expert": 5, "n_shared_experts": 3, "n_moe_layers": 1},
        {"router": 48, "shared_experts_in": 3 * 80, "shared_experts_out": 3 * 40},
    ),
    "Mamba": (
        blocks.MAMBA1,
        {"d_inner": 10, "d_state": 3, "dt_rank": 2, "d_conv": 4},
        {
            "ssm_in": 2 * 160,
            "ssm_x": 2 * 10 * 8,
            "ssm_dt": 2 * 20,
            "ssm_dt_bias": 20,
            "ssm_out": 2 * 80,
            "ssm_a": 60,
            "ssm_d": 20,
            "conv": 2 * 10 * 5,
            "scan_flops": 9 * 12 * 2 * 30,
            "ssm_state": 2 * 2 * 2 * 30,
            "conv_state": 2 * 2 * 2 * 40,
        },
    ),
    "Mamba-2": (
        blocks.MAMBA2,
        {"n_ssm_heads": 4, "d_state": 3, "n_groups": 2, "d_conv": 4, "chunk": 2},
        {
            "ssm_in": 2 * 8 * (32 + 12 + 4),
            "ssm_out": 2 * 128,
            "ssm_vectors": 2 * 12,
            "conv": 2 * (16 + 12) * 5,
            "ssm_norm": 32,
            "scan_flops": 12 * 2 * (2 * 2 * 2 * 3 + 2 * 2 * 16 + 4 * 16 * 3),
            "state_passing_flops": 12 * 2 * 16 * 3,
            "ssm_state": 2 * 2 * 2 * 16 * 3,
            "conv_state": 2 * 2 * 2 * (16 + 12) * 4,
        },
    ),
}


@pytest.mark.parametrize(("block", "given", "expected"), COUNTED.values(), ids=COUNTED)
def test_a_block_counts(block, given, expected):
    """Two layers eight wide, four heads of three, two sequences of six tokens."""
    assert picked(lines(block, **SMALL | given), expected) == expected


LATENT = {"n_latent_layers": 2, "kv_rank": 5, "d_head_nope": 3, "d_head_rope": 2, "d_head_v": 4}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"q_rank": 6},
            {"latent_q_down": 2 * 48, "latent_q_up": 2 * 6 * 4 * 5, "latent_norm": 2 * 11},
        ),
        ({"q_rank": 0}, {"latent_q_down": 0, "latent_q_up": 2 * 8 * 4 * 5, "latent_norm": 2 * 5}),
        (
            {},
            {
                "latent_kv_down": 2 * 8 * 7,
                "latent_kv_up": 2 * 5 * 4 * 7,
                "latent_out": 2 * 4 * 4 * 8,
                "latent_core_flops": 2 * 2 * 36 * 2 * 4 * 9,
                "latent_cache": 2 * 2 * 2 * 7 * 10,
            },
        ),
    ],
    ids=["low-rank queries", "plain queries", "keys and values"],
)
def test_latent_attention(given, expected):
    """Only the latent vector and one position key are cached, whatever the number of heads."""
    assert picked(lines(blocks.LATENT_ATTENTION, **SMALL | LATENT | given), expected) == expected


def test_cross_attention():
    """Queries come from the target, keys and values from the source and are cached for the source."""
    given = {"n_layers": 2, "d_model": 8, "n_heads": 4, "d_head": 3, "qkv_bias": 1, "out_bias": 1}
    given |= {"n_kv_heads": 2, "d_source": 10, "k_bias": 0}
    result = lines(blocks.CROSS_ATTENTION, **given, seq_len=6, target_len=5)
    expected = {
        "attention_kv": 2 * 2 * 10 * 6,
        "attention_kv_bias": 2 * 6,
        "attention_q_flops": 2 * 5 * 192,
        "attention_kv_flops": 2 * 6 * 240,
        "attention_core_flops": 4 * 5 * 6 * 2 * 12,
        "kv_cache": 2 * 2 * 2 * 6 * 6,
    }
    assert picked(result, expected) == expected


PARTS = {name: part for name, part in vars(blocks).items() if isinstance(part, blocks.Block)}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_every_line_says_where_it_comes_from(part):
    """Auditors find a source, a title and a known group on each line that is summed."""
    for line in (*part.parameters, *part.flops, *part.memory):
        assert line.title, line.name
        assert line.source or not line.additive, line.name


@pytest.mark.parametrize("name", ["HEADS_FIT", "WINDOWS_FIT", "GROUPS_FIT", "LATENT_FIT", "DELTA_FIT", "WINDOW_NOTES"])
def test_checks_and_notes_of_blocks_are_changed_by_no_plugin(name):
    """An author's `checks |= …` would change those of every other plugin; `checks | …` is a table of one's own."""
    checks = getattr(blocks, name)
    with pytest.raises(TypeError, match="is not supported"):
        checks |= {"0": "never"}
    assert (checks | {"0": "never"})["0"] == "never"
