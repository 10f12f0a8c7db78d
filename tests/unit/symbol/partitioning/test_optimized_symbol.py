"""`Symbol.optimize_for` and the dicts of parameters that it updates."""

import pytest

from opforge import nd, subgraph, sym
from opforge.base.errors import OpforgeError


class Folding(subgraph.SubgraphBackend):
    """Replaces ``x + bias`` by ``x`` and another parameter, or by ``x``."""

    def __init__(self, name=None):
        self.name = name

    def supports(self, node):
        return node.operator == "elemwise_add"

    def replace(self, subgraph):
        x, bias = subgraph.nodes[0].inputs
        if self.name is None:
            return x
        return x + subgraph.add_parameter(self.name, subgraph.args[bias.name] * 1)


@pytest.fixture
def net():
    return sym.elemwise_add(sym.var("x"), sym.var("bias"), name="y")


def test_new_parameters_are_added_and_unused_ones_removed(net):
    args, aux = {"x": nd.ones(2), "bias": nd.ones(2), "other": nd.ones(1)}, {}
    optimized = net.optimize_for(Folding, args, aux, name="packed")
    assert sorted(args) == ["other", "packed", "x"] and not aux
    assert optimized.list_arguments() == ["x", "packed"]
    assert optimized.eval(x=args["x"], packed=args["packed"])[0].asnumpy().tolist() == [2, 2]


def test_new_parameters_need_a_dict(net):
    class Adding(Folding):
        def replace(self, subgraph):
            return subgraph.symbol + subgraph.add_parameter("zero", nd.zeros(2))

    with pytest.raises(OpforgeError, match=r"Cannot add new args.*since args is None.*zero"):
        net.optimize_for(Adding)


def test_removed_parameters_without_a_dict_are_warned_of(net):
    with pytest.warns(UserWarning, match=r"no args dictionary was provided: bias\."):
        assert net.optimize_for(Folding).list_arguments() == ["x"]


@pytest.mark.plugins
def test_a_state_may_become_an_argument():
    class Predicting(subgraph.SubgraphBackend):
        def supports(self, node):
            return node.operator == "BatchNorm"

        def replace(self, subgraph):
            x, _, beta, mean, _ = subgraph.nodes[0].inputs
            return sym.broadcast_add(sym.broadcast_sub(x, mean), beta)

    bn = sym.BatchNorm(sym.var("x"), name="bn")
    args = {name: nd.ones(2) for name in ("bn_gamma", "bn_beta")}
    aux = {name: nd.ones(2) for name in ("bn_moving_mean", "bn_moving_var")}
    optimized = bn.optimize_for(Predicting, args, aux)
    assert sorted(args) == ["bn_beta", "bn_moving_mean"] and not aux
    assert optimized.list_auxiliary_states() == []


def test_wrong_arguments_are_rejected(net):
    with pytest.raises(TypeError, match="args must be a dict of NDArray by name, got list"):
        net.optimize_for(Folding, [nd.ones(2)])
    with pytest.raises(TypeError, match="'x' of args must be an NDArray, got list"):
        net.optimize_for(Folding, {"x": [1, 2]})
    with pytest.raises(ValueError, match="shape_dict has 3 for 'x'"):
        net.optimize_for(Folding, shape_dict={"x": 3})
    with pytest.raises(TypeError, match="backend must be a name"):
        net.optimize_for(None)


def test_mxnets_other_arguments_have_no_effect(net):
    optimized = net.optimize_for(
        subgraph.SubgraphBackend,
        {},
        {},
        None,
        {"x": (2,)},
        {"x": "float32"},
        {"x": "default"},
        True,
        dedup_subgraph=True,
    )
    assert optimized.tojson() == net.tojson()
