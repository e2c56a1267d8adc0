"""What formulas cannot read of a draft's config: which states it reads, and the heads of its table of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Family, Reading, read_windows

if TYPE_CHECKING:
    from collections.abc import Mapping

    Config = Mapping[str, Any]

OPTIONS = "dflash_config"
IN_BLOCKS = (
    "FLOP are those of as many masked tokens as states, without a block's attention over all earlier states and without"
    " the head that it borrows; parameters are exact"
)


def read(config: Config, family: Family) -> Reading:
    """Read windows, then what the family's hint `style` asks for."""
    reading = read_windows(config, family)
    reading.keys |= {OPTIONS, "eagle_config", "num_target_layers", "fc_norm"}
    STYLES[family.hints["style"]](config, reading)
    return reading


def _eagle(config: Config, reading: Reading) -> None:
    """EAGLE-3: one layer reads a token next to three states, which may have norms of their own."""
    layer_ids = (config.get("eagle_config") or {}).get("eagle_aux_hidden_state_layer_ids")
    states, width = len(layer_ids) if layer_ids else 3, config.get("target_hidden_size") or config["hidden_size"]
    vectors = config["hidden_size"] + (states * width if config.get("fc_norm") else 0)
    reading.values |= {"n_wide_layers": 1, "n_target_states": states, "n_draft_vectors": vectors}


def _peagle(config: Config, reading: Reading) -> None:
    """P-EAGLE: as EAGLE-3, and a learned state stands for those that are not there yet."""
    _eagle(config, reading)
    width = config.get("target_hidden_size") or config["hidden_size"]
    reading.values["n_draft_vectors"] += 3 * width


def _dflash(config: Config, reading: Reading) -> None:
    """DFlash: every layer's keys and values come from states too; table and head are borrowed."""
    options = config.get(OPTIONS) or {}
    states = options.get("target_layer_ids")
    reading.problems.append(IN_BLOCKS)
    if states is None:
        reading.problems.append(f"{OPTIONS}.target_layer_ids is missing: as many states as layers are counted")
    reading.values |= {
        "n_target_states": config["num_hidden_layers"] if states is None else len(states),
        "n_state_layers": config["num_hidden_layers"],
        "n_draft_vectors": config["hidden_size"],
    }


def _dspark(config: Config, reading: Reading) -> None:
    """DSpark: as DFlash, with a head that reads the last token, and one that says how sure it is."""
    _dflash(config, reading)
    options, width, words = config.get(OPTIONS) or {}, config["hidden_size"], config["vocab_size"]
    rank, kind = options.get("markov_rank") or 0, options.get("markov_head_type", "vanilla")
    extra = {"vanilla": (0, 0), "gated": ((width + rank) * rank, rank)}
    if rank and kind not in extra:
        reading.problems.append(f"{OPTIONS}.markov_head_type = {kind} is not understood: counted as vanilla")
    matrix, bias = extra.get(kind, (0, 0)) if rank else (0, 0)
    sure = options.get("enable_confidence_head", (options.get("confidence_head_alpha") or 0) > 0)
    source = width + (rank if options.get("confidence_head_with_markov") else 0)
    reading.values["n_draft_tables"] = rank * words
    reading.values["n_draft_matrices"] = rank * words + matrix + (source if sure else 0)
    reading.values["n_draft_vectors"] += bias + bool(sure)


def _domino(config: Config, reading: Reading) -> None:
    """Domino: as DFlash, with a recurrent layer over what was guessed and two matrices to the words."""
    _dflash(config, reading)
    options, width = config.get(OPTIONS) or {}, config["hidden_size"]
    state, inner = options.get("gru_hidden_dim", 1024), options.get("emb_dim", config.get("emb_dim", 256))
    reading.keys.add("emb_dim")
    recurrent = 3 * state * (width + state)
    reading.values["n_draft_matrices"] = recurrent + (width + state) * inner + inner * config["vocab_size"]


STYLES = {"eagle": _eagle, "peagle": _peagle, "dflash": _dflash, "dspark": _dspark, "domino": _domino}
