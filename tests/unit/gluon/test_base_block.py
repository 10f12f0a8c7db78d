from typing import get_type_hints

import numpy as np
import pytest

import opforge as mx
from opforge import gluon, nd
from opforge.gluon import nn


def pair_of(scale):
    made = nn.Sequential(prefix="net_")
    with made.name_scope():
        made.add(scale(), scale())
    return made


def test_call_and_forward(scale):
    block = scale()
    block.initialize()
    assert block(nd.array([1, 2])).asnumpy().tolist() == [1, 2]
    with pytest.raises(TypeError):
        block(nd.array([1, 2]), 3)
    with pytest.raises(NotImplementedError, match="Block must define forward"):
        gluon.Block()(1)


def test_uninitialised(scale):
    with pytest.raises(RuntimeError, match=r"has not been initialized\. Call net\.initialize\(\)"):
        scale()(nd.array([1, 2]))


def test_attributes_register(scale):
    class Pair(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.left = scale(prefix="left_")
            self.right = scale(prefix="right_")
            self.own = self.params.get("own", shape=(1,))
            self.nothing = None

    pair = Pair(prefix="pair_")
    assert list(pair._children) == ["left", "right"]
    assert list(pair.params) == ["pair_own"]
    assert list(pair.collect_params()) == ["pair_own", "left_factor", "right_factor"]
    assert list(pair.collect_params("left|pair")) == ["pair_own", "left_factor"]
    assert list(pair._collect_params_with_prefix()) == ["own", "left.factor", "right.factor"]
    pair.nothing = 3
    pair.left = scale(prefix="other_")
    assert pair._children["left"].prefix == "other_"
    with pytest.raises(TypeError, match="Changing attribute type for left from"):
        pair.left = 3
    with pytest.raises(AssertionError, match="Overriding Parameter attribute own"):
        pair.own = gluon.Parameter("other")


def test_repr(scale):
    net = pair_of(scale)
    assert repr(scale()) == "Scale()"
    assert repr(net) == "Sequential(\n  (0): Scale()\n  (1): Scale()\n)"
    outer = gluon.Block(prefix="o_")
    outer.first = scale()
    assert repr(outer) == "Block(\n  (first): Scale()\n)"


def test_blocks_in_lists_are_warned_of(scale):
    block = scale()
    block.more = {"a": [scale()]}
    with pytest.warns(UserWarning, match=r'"Scale.more" is an unregistered container'):
        block.collect_params()
    block.register_child(block.more["a"][0])
    assert len(block.collect_params()) == 2


def test_hooks(scale):
    block = scale()
    block.initialize()
    seen = []
    before = block.register_forward_pre_hook(lambda b, x: seen.append((b, len(x))))
    after = block.register_forward_hook(lambda b, x, y: seen.append((b, len(x), y.shape)))
    block(nd.ones((3, 2)))
    assert seen == [(block, 1), (block, 1, (3, 2))]
    before.detach()
    after.detach()
    block(nd.ones((3, 2)))
    assert len(seen) == 2


def test_apply_visits_children_first(scale):
    net = pair_of(scale)
    seen = []
    assert net.apply(lambda b: seen.append(b.name)) is net
    assert seen == ["net_scale0", "net_scale1", "net"]


def test_cast_zero_grad_reset_ctx(scale):
    net = pair_of(scale)
    net.initialize()
    net[0].factor.grad()[:] = 3
    net.zero_grad()
    assert net[0].factor.grad().asnumpy().sum() == 0
    net.cast("float64")
    assert net(nd.ones((2,), dtype="float64")).dtype is np.float64
    net.reset_ctx(mx.cpu(1))
    assert net(nd.ones((2,), dtype="float64", ctx=mx.cpu(1))).context == mx.cpu(1)


def test_initialize_arguments(scale):
    net = pair_of(scale)
    net.initialize(mx.init.Zero(), ctx=[mx.cpu(0), mx.cpu(1)])
    assert net[0].factor.data(mx.cpu(1)).asnumpy().tolist() == [1, 1]  # its own setting
    with pytest.warns(UserWarning, match="already initialized"):
        net.initialize()
    net[0].factor.set_data(nd.zeros((2,)))
    net.initialize(force_reinit=True)
    assert net[0].factor.data().asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("base", [gluon.Block, gluon.HybridBlock])
def test_missing_call_of_init(base):
    class Net(base):
        def __init__(self):
            self.size = 3
            self.layer = nn.HybridLambda("tanh")

    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) first in Net.__init__"):
        Net()


def test_type_checkers_see_an_array():
    assert get_type_hints(gluon.Block.__call__)["return"] is nd.NDArray
