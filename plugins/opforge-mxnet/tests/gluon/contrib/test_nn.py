"""`gluon.contrib.nn` is a view of `gluon.nn`."""

from opforge.gluon import contrib, nn


def test_layers_of_core_and_plugins_are_those_of_nn():
    assert contrib.nn.HybridConcurrent is nn.HybridConcurrent
    assert contrib.nn.Dense is nn.Dense
