"""Numbers of the paper's largest model, derived by hand and by torch's FlopCounterMode."""

from pathlib import Path

import flopsheet
from flopsheet.testing import PluginSuite

CONFIG = Path(__file__).parent / "dit-xl-2" / "config.json"


def test_dit_xl_2():
    """A pass reads the 256 patches of one image, and writes no token."""
    model = flopsheet.evaluate(CONFIG, plugins=[CONFIG.parent.parent])
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == 675_129_632
    assert model.totals["flops_forward"] == 237_242_843_136
    assert model.totals["flops_per_token"] * 256 == 237_242_843_136
    assert model.totals["flops_decode_step"] == 0


class TestDit(PluginSuite):
    """Every check, and the weights and FLOP of a module of torch for one image and for two."""

    plugin = "flopsheet_dit.py"
    configs = ("dit-xl-2/config.json",)
    published = {"dit-xl-2/config.json": {"parameters": 675_129_632}}  # noqa: RUF012 - as the page has it

    def torch_module(self, config):
        """Build it as the authors' code does."""
        return dit(config)

    def torch_inputs(self, config, length):  # noqa: ARG002 - an image has a size of its own
        """Return one latent image, its time and its class."""
        import torch  # noqa: PLC0415 - who runs the other tests need not have it

        size = config["input_size"]
        image = torch.zeros(1, config["in_channels"], size, size, device="meta")
        return image, torch.zeros(1, 256, device="meta"), torch.zeros(1, dtype=torch.long, device="meta")


def dit(config):
    """Return a module with the weights and products of DiT."""
    import torch  # noqa: PLC0415 - who runs the other tests need not have it
    from torch import nn  # noqa: PLC0415 - same

    width, patch, channels = config["hidden_size"], config["patch_size"], config["in_channels"]
    count = (config["input_size"] // patch) ** 2

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.scales = nn.Linear(width, 6 * width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, tokens, given):
            scale, shift, *_ = self.scales(given).chunk(6, -1)
            found = tokens * (1 + scale[:, None]) + shift[:, None]
            heads = (
                one.unflatten(-1, (config["num_attention_heads"], -1)).transpose(1, 2)
                for one in self.qkv(found).chunk(3, -1)
            )
            queries, keys, values = heads
            weights = (queries @ keys.transpose(-1, -2)).softmax(-1)
            return tokens + self.mlp(self.out((weights @ values).transpose(1, 2).flatten(-2)))

    class Dit(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(channels, width, patch, patch)
            self.positions = nn.Parameter(torch.zeros(1, count, width))
            self.time = nn.Sequential(nn.Linear(256, width), nn.SiLU(), nn.Linear(width, width))
            self.classes = nn.Embedding(config["num_classes"] + 1, width)
            self.layers = nn.ModuleList(Layer() for _ in range(config["num_hidden_layers"]))
            self.scales = nn.Linear(width, 2 * width)
            self.last = nn.Linear(width, 2 * channels * patch**2)

        def forward(self, image, time, label):
            tokens = self.patches(image).flatten(2).transpose(1, 2) + self.positions
            given = self.time(time) + self.classes(label)
            for layer in self.layers:
                tokens = layer(tokens, given)
            return self.last(tokens * self.scales(given)[:, None, :width])

    return Dit()
