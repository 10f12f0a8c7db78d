import pytest

from opforge import gluon
from opforge.gluon import nn
from opforge.op.registry import registry


def test_layers_come_from_the_registry():
    class TestOnlyLayer(gluon.HybridBlock):
        pass

    with pytest.raises(KeyError), registry.transaction():
        registry.register_layer(TestOnlyLayer, provider="test")
        assert nn.TestOnlyLayer is TestOnlyLayer
        assert "TestOnlyLayer" in dir(nn)
        raise KeyError  # undo the registration


def test_unknown_layers():
    with pytest.raises(AttributeError, match="NoSuchLayer"):
        _ = nn.NoSuchLayer
    assert not hasattr(nn, "_private")
