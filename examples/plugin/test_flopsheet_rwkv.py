"""One golden number says that the plugin is installed and counts right."""

import flopsheet


def test_rwkv_4_169m():
    """The smallest released RWKV-4 has 169,342,464 parameters."""
    model = flopsheet.evaluate("rwkv-4-169m/config.json")
    assert (model.status, model.problems) == ("ok", [])
    assert model.totals["parameters"] == 169_342_464
    assert model.totals["kv_cache_bytes"] == 0
    assert model.plugin.package == "flopsheet-rwkv"
