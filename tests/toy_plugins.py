"""Plugins made for a test, in packages that are not installed."""

from types import ModuleType

from flopsheet import Architecture, Dimension, Family, Line, Rule, hookimpl

WIDTH = Dimension("width", "Width", keys=("hidden_size",))
TOY = Architecture("toy", "Toy", "One matrix", (WIDTH,))
MATRIX = Line("matrix", "width * width", "parameters", "mlp")
PRODUCT = Line("product", "2 * batch * width * width", "FLOP", "mlp", work="linear")
VECTOR = Line("vector", "batch * width", "bytes", "state")
RULE = Rule("squared", "Width squared", "width * width", "parameters", "parameters", "Anybody")


class Distribution:
    """An installed package, as far as plugins need one."""

    def __init__(self, name, version):
        """Keep what the metadata says."""
        self.text = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n\nReadme: no field\n"

    def read_text(self, file):
        """Return the metadata file."""
        return self.text if file == "METADATA" else None


class Point:
    """An entry point that gives what it is told to, or raises it."""

    def __init__(self, name, plugin, package="", version="1.0"):
        """Keep the plugin."""
        self.name, self.value, self.plugin = name, name, plugin
        self.dist = Distribution(package or f"package-{name}", version)

    def load(self):
        """Import the plugin."""
        if isinstance(self.plugin, BaseException):
            raise self.plugin
        return self.plugin


def plugin(extends=(), **answers):
    """Return a plugin module that answers each hook, such as parameters=[…], or raises the answer."""
    module = ModuleType("fake")
    module.extends = extends
    for hook, answer in answers.items():
        setattr(module, f"flopsheet_{hook}", hookimpl(answering(answer)))
    return module


def answering(answer):
    """Return a hook that gives or raises the answer."""

    def hook():
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return hook


def toy(**answers):
    """Return a good plugin, or one with other answers."""
    good = {"architectures": [TOY], "families": [Family("toy", "toy")], "parameters": [MATRIX], "flops": [PRODUCT]}
    return plugin(**good | answers)


def other(**answers):
    """Return a second plugin, with an architecture and a model_type of its own."""
    architecture = Architecture("other", "Other", "Another matrix", (WIDTH,))
    return toy(**{"architectures": [architecture], "families": [Family("other", "other")]} | answers)


def counted(host, architecture="toy"):
    """Return the parameters of an architecture three wide."""
    return host.ledger(architecture).evaluate({"width": 3, "weight_dtype_bytes": 2, **WORKLOAD})["parameters"]


WORKLOAD = {
    "max_positions": 0,
    "batch": 1,
    "recompute": 1,
    "seq_len": 4,
    "frozen_share": 0,
    "training_dtype_bytes": 2,
    "gradient_dtype_bytes": 2,
    "optimizer_bytes": 12,
}
