import pytest

from opforge import gluon, nd
from opforge.gluon import nn


def add(n):
    return nn.HybridLambda(lambda F, x: x + n)


@pytest.mark.parametrize("kind", [nn.Sequential, nn.HybridSequential])
def test_stack(kind):
    net = kind(prefix="net_")
    net.add(add(1), add(2))
    net.add(add(3))
    assert net(nd.zeros((1,))).asscalar() == 6
    assert len(net) == 3
    assert [net[0], net[-1]] == list(net)[::2]
    part = net[1:]
    assert type(part) is kind
    assert part.prefix == "net_"
    assert part(nd.zeros((1,))).asscalar() == 5
    with pytest.raises(IndexError):
        net[3]


def test_repr():
    net = nn.HybridSequential()
    net.add(nn.HybridLambda("tanh"), nn.HybridSequential())
    assert repr(net) == (
        "HybridSequential(\n  (0): HybridLambda(tanh)\n  (1): HybridSequential(\n  \n  )\n)"
    )


def test_lists_pass_from_block_to_block():
    net = nn.Sequential()
    net.add(nn.Lambda(lambda x: [x, x * 2]), nn.Lambda(lambda pair: pair[0] + pair[1]))
    assert net(nd.ones((1,))).asscalar() == 3


def test_hybridize_advises():
    net = nn.Sequential(prefix="net_")
    net.add(add(1))
    with pytest.warns(
        UserWarning, match="'net_' are HybridBlocks. Consider using HybridSequential"
    ):
        net.hybridize()
    net.add(gluon.Block())
    net.hybridize()


def test_subclass_may_override_hybrid_forward():
    class Twice(nn.HybridSequential):
        def hybrid_forward(self, F, x):
            return super().hybrid_forward(F, super().hybrid_forward(F, x))

    net = Twice()
    net.add(add(1))
    assert net(nd.zeros((1,))).asscalar() == 2


@pytest.mark.parametrize("kind", [nn.Sequential, nn.HybridSequential])
def test_blocks_as_arguments(kind):
    for net in (kind(add(1), add(2)), kind([add(1), add(2)]), kind((add(1), add(2)))):
        assert list(net._children) == ["0", "1"]
        assert net(nd.zeros((1,))).asscalar() == 3
    named = kind({"first": add(1), "second": add(2)}, prefix="net_")
    assert list(named._children) == ["first", "second"] and named.second is named[1]
    assert named(nd.zeros((1,))).asscalar() == 3 and named.prefix == "net_"


def test_prefix_and_params_by_position():
    shared = nn.HybridSequential("net_")
    assert shared.prefix == "net_"
    assert nn.HybridSequential(None, shared.params).params is not None
    assert nn.HybridSequential("other_", shared.params).prefix == "other_"


@pytest.mark.parametrize("kind", [nn.Sequential, nn.HybridSequential])
def test_other_objects_are_rejected(kind):
    with pytest.raises(TypeError, match=rf"{kind.__name__} got 3 of type int, expected a block"):
        kind(add(1), 3)
    with pytest.raises(TypeError, match=r"wrap functions: nn\.(Hybrid)?Lambda\(function\)"):
        kind(abs)
    with pytest.raises(ValueError, match="'add' is a method; choose another name"):
        kind({"add": add(1)})
