"""Rules of the operator lists for the nodes of a graph."""

import pytest

from opforge import sym
from opforge.contrib.amp.rules import Rules

X = sym.var("x")


def rule(symbol, target=None, wide=None, conditional=None, excluded=None):
    return Rules(target, wide, conditional, excluded).of(symbol.edges[0][0])


@pytest.mark.plugins
def test_default_lists():
    assert rule(sym.FullyConnected(X, num_hidden=2)) == "float16"
    assert rule(sym.exp(X)) == "float32"
    assert rule(X + X) == "widest"
    assert rule(sym.relu(X)) is None


@pytest.mark.plugins
def test_values_of_attributes_and_names_of_nodes_count():
    assert rule(sym.Activation(X, act_type="softrelu")) == "float32"
    assert rule(sym.Activation(X, act_type="relu")) is None
    assert rule(sym.exp(X, name="e"), excluded=["e"]) is None
    tanh = [("Activation", "act_type", ["tanh", "relu"])]
    assert rule(sym.Activation(X, act_type="relu"), conditional=tanh) == "float32"


def test_lists_of_ones_own():
    assert rule(sym.exp(X), target=["exp"], wide=[]) == "float16"
    assert (
        rule(sym.FullyConnected(X, num_hidden=2), target=[], wide=["FullyConnected"]) == "float32"
    )


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({"target": ["exp"]}, "'exp' is in target_dtype_ops and fp32_ops"),
        ({"wide": ["nope"]}, "fp32_ops has 'nope', which is not an operator"),
        ({"conditional": [("exp", "a", ["b"])]}, "in fp32_ops and conditional_fp32_ops"),
        ({"excluded": "exp"}, "excluded_sym_names should be a list, got 'exp'"),
    ],
)
def test_lists_that_contradict(lists, message):
    with pytest.raises(AssertionError, match=message):
        rule(X + X, **lists)
