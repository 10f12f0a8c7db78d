import pytest
from opforge_mxnet.initializer.packed_rnn import PackedWeights

from opforge import init, nd
from opforge.initializer import InitDesc


def filled(initializer, fallback=None):
    packed = PackedWeights(3, 2, "lstm", True)
    vector = nd.zeros(packed.size(5))
    desc = InitDesc("parameters", {"__init__": initializer.dumps()}, fallback)
    (fallback or initializer)(desc, vector)
    return {name: view.asnumpy() for name, view in packed.views(vector).items()}


def test_each_gate_is_filled():
    parts = filled(init.FusedRNN(None, 3, 2, "lstm", True, forget_bias=2.0), init.One())
    for name, part in parts.items():
        expected = 1 if name.endswith("weight") else 2 if name.endswith("_f_bias") else 0
        assert (part == expected).all(), name


@pytest.mark.parametrize("own", [init.Constant(3.0), "one", init.Constant(3.0).dumps()])
def test_an_initializer_of_its_own_is_kept_in_the_text(own):
    made = init.create(init.FusedRNN(own, 3, 2, "lstm", True).dumps())
    parts = filled(made, init.Zero())
    assert (parts["r1_h2h_o_weight"] == (1 if own == "one" else 3)).all()


def test_without_any_initializer_it_says_so():
    with pytest.raises(ValueError, match="'p' has no initializer"):
        init.FusedRNN(None, 3, 2, "lstm", True)._init_weight("p", nd.zeros(4))
