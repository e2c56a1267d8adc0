"""Numbers derived by hand say that the plugin is installed and counts right."""

import flopsheet


def test_gmlp_small():
    """Two projections, the matrix over positions with its bias, and two norms, in each of 12 layers."""
    model = flopsheet.evaluate("gmlp-small/config.json")
    assert (model.status, model.problems) == ("ok", [])
    layer = (512 * 3072 + 3072) + (512 * 512 + 512) + (1536 * 512 + 512) + 2 * 1536 + 2 * 512
    assert model.totals["parameters"] == 12 * layer + 2 * 512 + 32000 * 512 == 47_940_608
    products = 12 * (512 * 3072 + 512 * 1536 + 1536 * 512) + 512 * 32000
    assert model.totals["flops_forward"] == 2 * 512 * products == 55_431_921_664
    assert model.totals["kv_cache_bytes"] == 2 * 12 * 512 * 1536
    assert model.plugin.package == "flopsheet-gmlp"
