"""Symbols saved by opforge and read by MXNet; except for the bill, no byte changes."""

import opforge
from opforge import sym

from .networks import NETWORKS
from .saved import as_mxnet_writes


def composed():
    """Yield symbols with everything that a file can contain."""
    for build, _, _ in NETWORKS.values():
        yield build(sym)
    with opforge.AttrScope(ctx_group="first", __mood__="calm"):
        x = sym.var("x", shape=(0, 3), dtype="float16", lr_mult=2, init="ones", attr={"own": "é"})
        net = sym.FullyConnected(x, num_hidden=4, name="fc", attr={"wd_mult": "3"})
    shared = sym.var("mean")
    for at in range(3):
        net = sym.BatchNorm(net, moving_mean=shared, name=f"bn{at}")
    yield sym.Group([net, x, sym.topk(net, ret_typ="both")])
    yield sym.concat(*(sym.random.uniform(shape=(2, 3)) + at for at in range(12)), dim=0)
    deep = sym.var("x")
    for _ in range(10_000):
        deep = deep + 1
    yield deep


def test_mxnet_reads_files_of_opforge(oracle, tmp_path):
    symbols = list(composed())
    files = [f"{at}.json" for at in range(len(symbols))]
    for symbol, file in zip(symbols, files, strict=True):
        symbol.save(tmp_path / file)
    for symbol, found in zip(symbols, oracle("symbols", {"files": files}), strict=True):
        assert found["json"] == as_mxnet_writes(symbol)
        assert found["debug"] == symbol.debug_str()
        assert found["arguments"] == symbol.list_arguments()
        assert found["outputs"] == symbol.list_outputs()
        assert found["states"] == symbol.list_auxiliary_states()
        assert found["attributes"] == symbol.attr_dict()
        assert as_mxnet_writes(sym.load_json(found["json"])) == found["json"]
