"""Wrong rows of the catalog: accelerators, prices, optimizers, scaling laws and weight formats."""

from dataclasses import replace

from test_plugin_hooks import H100, LAW, LAWS, PRICE, REFUSED
from toy_plugins import plugin
from wrong import Wrong

from flopsheet import Optimizer, WeightFormat

RECORDS = {f"catalog: {what}": Wrong("catalog", plugin(**answers)) for what, (answers, _) in REFUSED.items()}
RECORDS |= {f"law: {what}": Wrong("law", plugin(scaling_laws=[law])) for what, (law, _) in LAWS.items()}
OPTIMIZER = {"training_dtype_bytes": 2, "gradient_dtype_bytes": 2, "optimizer_bytes": 8, "about": "A", "source": "S"}
NAMED = {"name": "mine", "title": "Mine"}
FORMAT = {"method": "mine", "bits": "4", "head": "lm_head", "source": "S"}
NUMBERS = {
    "accelerator": (
        "accelerators",
        lambda **fields: replace(H100, **{"name": "mine", "title": "Mine", **fields}),
        {
            "a name of None": {"name": None},
            "no name": {"name": ""},
            "a memory below nothing": {"memory_gb": -80},
            "a peak of infinity": {"peak_tflops": float("inf")},
            "a bandwidth that is no number": {"bandwidth_tbs": float("nan")},
            "a peak of 1e300": {"peak_tflops": 1e300},
            "fp8 below nothing": {"fp8_tflops": -5},
            "a scale-up of 0": {"scale_up_size": 0},
            "a scale-up of half": {"scale_up_size": 2.5},
            "power below nothing": {"tdp_w": -700},
            "a year that is a text": {"year": "2022"},
            "memory_fields that are none": {"memory_fields": ("nope",)},
            "a purchase without source": {"purchase_low": -1, "purchase_base": 2, "purchase_high": 3},
            "a date that is none": {"date": "soon"},
            "a confidence that is none": {"confidence": "sure"},
        },
    ),
    "price": (
        "prices",
        lambda **fields: replace(PRICE, **{"accelerator": "b200", "kind": "spot", **fields}),
        {
            "of None": {"accelerator": None},
            "below nothing": {"low": -1},
            "that is no number": {"base": float("nan")},
            "of infinity": {"high": float("inf")},
            "of True": {"low": True},
            "a source of None": {"source": None},
            "a date after all": {"date": "9999-99-99"},
            "a date that is a number": {"date": 2026},
        },
    ),
    "optimizer": (
        "optimizers",
        lambda **fields: Optimizer(**{**NAMED, **OPTIMIZER, **fields}),
        {
            "a name of None": {"name": None},
            "below nothing": {"optimizer_bytes": -8},
            "of infinity": {"training_dtype_bytes": float("inf")},
            "that is no number": {"training_dtype_bytes": float("nan")},
            "of a text": {"gradient_dtype_bytes": "two"},
            "of 0 bytes": {"training_dtype_bytes": 0},
        },
    ),
    "law": (
        "scaling_laws",
        lambda **fields: replace(LAW, **fields),
        {
            "a name of None": {"name": None},
            "a name with blanks": {"name": "my law, yes"},
            "a form that is none": {"form": "cubic"},
            "an exponent of infinity": {"exponent": float("inf")},
            "an exponent that is no number": {"exponent": float("nan")},
            "an exponent of 400": {"exponent": 400},
            "a loss below nothing": {"form": "loss", "law_a": 1, "law_b": 1, "alpha": 1, "beta": 1, "law_e": -1e9},
            "tokens below nothing": {"max_tokens": -5},
            "a title of None": {"title": None},
            "a confidence of None": {"confidence": None},
        },
    ),
    "weight format": (
        "weight_formats",
        lambda **fields: WeightFormat(**{**FORMAT, **fields}),
        {
            "of None": {"method": None},
            "bits of an unknown name": {"bits": "nope + 1"},
            "bits that are a number": {"bits": 4},
            "bits below nothing": {"bits": "0 - 4"},
            "no formula": {"bits": "4 +"},
            "a bundled method": {"method": "gptq"},
            "when that is a list": {"when": ["x"]},
            "kept that is a text": {"kept": "lm_head"},
        },
    ),
}
MEANT = {
    "weight format: bits of an unknown name": "its formulas name fields of configs; a config without one says so",
    "weight format: a bundled method": "it may add to a method: bundled formats that fit come first",
}
RECORDS |= {
    f"{kind}: {what}": Wrong(kind, plugin(**{hook: [made_of(**fields)]}), harmless=MEANT.get(f"{kind}: {what}", ""))
    for kind, (hook, made_of, cases) in NUMBERS.items()
    for what, fields in cases.items()
}
