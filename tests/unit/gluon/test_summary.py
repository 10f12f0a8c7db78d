import pytest

from opforge import nd
from opforge.base.numpy_semantics import np_shape
from opforge.gluon import nn

EXPECTED = """\
--------------------------------------------------------------------------------
        Layer (type)                                Output Shape         Param #
================================================================================
               Input                                      (5, 3)               0
             Scale-1                                      (5, 3)               3
            _Dense-2                                      (5, 4)              16
            _Dense-3                                      (5, 2)              10
================================================================================
Parameters in forward computation graph, duplicate included
   Total params: 29
   Trainable params: 26
   Non-trainable params: 3
Shared params in forward computation graph: 0
Unique parameters in model: 29
--------------------------------------------------------------------------------
"""


def three_layers(dense, scale):
    made = nn.Sequential()
    made.add(scale(), dense(4), dense(2))
    made[0].factor._shape = (3,)
    made[0].factor.grad_req = "null"
    made.initialize()
    return made


def test_table(dense, scale, capsys):
    net = three_layers(dense, scale)
    net.summary(nd.ones((5, 3)))
    assert capsys.readouterr().out == EXPECTED
    net(nd.ones((5, 3)))
    assert capsys.readouterr().out == ""  # the hooks are removed


def test_shared(dense, capsys):
    first = dense(3, in_units=3)
    net = nn.HybridSequential()
    net.add(first, dense(3, in_units=3, params=first.params))
    net.initialize()
    net.summary(nd.ones((1, 3)))
    out = capsys.readouterr().out
    assert "Shared params in forward computation graph: 12" in out
    assert "Unique parameters in model: 12" in out


def test_several_inputs_and_outputs(capsys):
    net = nn.Lambda(lambda x, y: [x, [y]])
    net.summary(nd.ones((1,)), nd.ones((2, 3)))
    out = capsys.readouterr().out
    assert "(1,), (2, 3)" in out
    assert "(1,), [(2, 3)]" in out


def test_hybridised_blocks_are_rejected(dense):
    net = nn.HybridSequential(prefix="net_")
    net.add(dense(2))
    net.initialize()
    net.hybridize()
    with pytest.raises(AssertionError, match="must not be hybridized to print summary"):
        net.summary(nd.ones((1, 3)))


@pytest.mark.plugins
def test_an_input_is_required():
    with pytest.raises(ValueError, match=r"Dense\.summary needs an input: net\.summary\(x\)"):
        nn.Dense(2).summary()


@pytest.mark.parametrize("unknown", [0, -1])
def test_a_layer_that_is_not_called_has_no_numbers_yet(dense, capsys, unknown):
    net = nn.Lambda(lambda x: x)
    net.params.update(dense(4).params)
    (weight, *_) = net.params.values()
    weight._shape = (4, unknown)
    with np_shape():
        net.summary(nd.ones((5, 3)))
    assert "Total params: 4\n" in capsys.readouterr().out
