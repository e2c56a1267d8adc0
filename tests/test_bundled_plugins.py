"""Each bundled plugin, and examples that bring a question or a format, by the suite that anybody's is tested with."""

from flopsheet.testing import PluginSuite

EXAMPLES = "../examples/configs"


class TestDense(PluginSuite):
    """Llama and GPT-2, as their cards say."""

    plugin = "dense"
    published = {
        f"{EXAMPLES}/Llama-3.1-8B/config.json": {"parameters": 8_030_261_248},
        f"{EXAMPLES}/bert-base-uncased/config.json": {"parameters": 109_514_298},
    }


class TestMoe(PluginSuite):
    """Mixtral's checkpoint index."""

    plugin = "moe"
    published = {f"{EXAMPLES}/Mixtral-8x7B/config.json": {"parameters": 46_702_792_704}}


class TestMamba1(PluginSuite):
    """The stored weights of state-spaces/mamba-2.8b-hf."""

    plugin = "mamba1"
    published = {f"{EXAMPLES}/mamba-2.8b/config.json": {"parameters": 2_768_345_600}}


class TestMamba2(PluginSuite):
    """The stored weights of state-spaces/mamba2-2.7b."""

    plugin = "mamba2"
    published = {f"{EXAMPLES}/mamba2-2.7b/config.json": {"parameters": 2_702_599_680}}


class TestHybrid(PluginSuite):
    """Nemotron-H-56B, as its class in transformers has it."""

    plugin = "hybrid"
    published = {f"{EXAMPLES}/Nemotron-H-56B/config.json": {"parameters": 56_324_350_464}}


class TestEncoderDecoder(PluginSuite):
    """T5 and BART."""

    plugin = "encoder-decoder"
    published = {
        f"{EXAMPLES}/t5-11b/config.json": {"parameters": 11_307_321_344},
        f"{EXAMPLES}/bart-large/config.json": {"parameters": 406_291_456},
    }


class TestMultimodal(PluginSuite):
    """Models of its types are compared with their classes in tests/test_multimodal.py."""

    plugin = "multimodal"


class TestRwkv(PluginSuite):
    """The stored weights of RWKV/rwkv-4-169m-pile."""

    plugin = "rwkv"
    published = {f"{EXAMPLES}/rwkv-4-169m/config.json": {"parameters": 169_342_464}}


class TestParquet(PluginSuite):
    """An exporter: its reports are read in tests/test_plugin_hooks.py."""

    plugin = "parquet"


class TestChargeback(PluginSuite):
    """A question of a distribution that is not bundled, recalculated by LibreOffice where that is installed."""

    plugin = "../examples/plugins/chargeback"
    slow = True


class TestPage(PluginSuite):
    """An exporter of a distribution that is not bundled."""

    plugin = "../examples/plugins/page"
