"""The rules of thumb that flopsheet ships, and models of the truth table to hold them against."""

import json
from pathlib import Path

import flopsheet
from flopsheet.accounting import formula
from flopsheet.host.loading import load
from flopsheet.planning.rules import apply_rules

ROOT = Path(__file__).parent.parent
HOST = load()
RULES = {name: {rule.name: rule for rule in HOST.rules(name)} for name in HOST.architectures if HOST.rules(name)}
TRUTH = {record["id"]: record for record in json.loads((ROOT / "tests/data/truth.json").read_text("utf-8"))}


GPT2 = ["gpt2/gpt2", "gpt2/gpt2-medium", "gpt2/gpt2-large", "gpt2/gpt2-xl"]
PYTHIA = ["gpt_neox/pythia-70m", "gpt_neox/pythia-1b", "gpt_neox/pythia-12b"]
OPT = ["opt/opt-1.3b", "opt/opt-66b"]
LLAMA2 = ["llama/Llama-2-7b", "llama/Llama-2-13b"]
SHARED_HEADS = ["llama/Llama-2-70b", "llama/Llama-3.1-70B", "qwen3/Qwen3-32B", "gemma/gemma-2-27b"]
MAMBA1 = [f"mamba1/mamba-{size}" for size in ("130m", "370m", "790m", "1.4b", "2.8b")]
MAMBA2 = [f"mamba2/mamba2-{size}" for size in ("130m", "370m", "780m", "1.3b", "2.7b")]
T5 = [f"t5/t5-{size}" for size in ("small", "base", "large", "3b", "11b")]
GATED_T5 = ["t5/flan-t5-xl", "t5/mt5-xxl"]
BART = ["bart/bart-base", "bart/bart-large-cnn"]


XL = {"vocab_size": 50257, "seq_len": 1024, "n_layers": 48, "d_model": 1600, "n_heads": 25, "d_ff": 6400}


def published(name, architecture="dense", **dimensions):
    """Compute a rule as it was published."""
    return formula.read(RULES[architecture][name].formula).evaluate(dimensions)


def corrected(name, architecture="dense", **dimensions):
    """Compute the corrected form of a rule."""
    return formula.read(RULES[architecture][name].corrected).evaluate(dimensions)


def costed(model, **workload):
    """Cost a model of the truth table."""
    return flopsheet.evaluate(TRUTH[model]["config"], **workload)


def outcome(name, model, **workload):
    """Give what one rule comes to for one model of the truth table."""
    return next(one for one in apply_rules(HOST, costed(model, **workload)) if one.rule.name == name)
