"""Hybrid blocks with subgraph backends."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from opforge import autograd, cpu, gluon, nd, subgraph, sym
from opforge.base.errors import OpforgeError
from opforge.gluon import HybridBlock, Trainer
from opforge.gluon.block import Block
from opforge.symbol.partitioning import backend as backends


class Packing(subgraph.SubgraphBackend):
    """Replaces products by those with a parameter of twice the size."""

    calls = 0

    def __init__(self, depth=1):
        self.depth = depth

    def supports(self, node):
        return node.operator == "broadcast_mul"

    def replace(self, subgraph):
        type(self).calls += 1
        x, weight = subgraph.nodes[0].inputs
        if weight.name not in subgraph.args:
            return None
        assert list(subgraph.args) == [weight.name], "values of inputs are not constants"
        packed = subgraph.add_parameter(f"{subgraph.name}_packed", subgraph.args[weight.name] * 2)
        return sym.broadcast_mul(x, packed) / 2


class Scale(HybridBlock):
    """Multiplies by a parameter."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.factor = self.params.get("factor", shape=(1, 3), init="ones")

    def hybrid_forward(self, F, x, factor):
        return F.exp(F.broadcast_mul(x, factor))


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(backends._registry._own, "packing", Packing)
    monkeypatch.setattr(Packing, "calls", 0)


def scale():
    """Return a block whose factors are 1, 2 and 3."""
    block = Scale(prefix="scale_")
    block.initialize()
    block.factor.set_data(nd.array([[1.0, 2.0, 3.0]]))
    return block


X = nd.array([[0.1, 0.2, 0.3]])


def operators(net):
    return [n.operation.name for n in net._graph.last_trace().symbol.nodes() if n.operation]


def test_optimize_for_replaces_parts_without_computing():
    net = scale()
    expected = net(X).asnumpy()
    assert net.optimize_for(X, backend="packing", depth=2) is None
    assert Packing.calls == 1
    assert operators(net) == ["broadcast_mul", "_div_scalar", "exp"]
    np.testing.assert_allclose(net(X).asnumpy(), expected, rtol=1e-6)
    assert Packing.calls == 1


def test_hybridize_takes_a_backend_and_its_options():
    net = scale()
    net.hybridize(backend="packing", depth=2, static_alloc=True)
    assert net._backends == (("packing", {"depth": 2}),)
    net(X)
    assert operators(net) == ["broadcast_mul", "_div_scalar", "exp"]
    net.hybridize(backend="packing", backend_opts={"depth": 3})
    assert net._backends == (("packing", {"depth": 3}),)
    net.hybridize()
    net(X)
    assert operators(net) == ["broadcast_mul", "exp"]


def test_backends_are_applied_one_after_the_other():
    net = scale()

    class Sines(subgraph.SubgraphBackend):
        def supports(self, node):
            return node.operator == "_div_scalar"

        def replace(self, subgraph):
            return sym.broadcast_mul(*subgraph.inputs.values(), sym.ones((1,)) / 2)

    net.optimize_for(X, backend="packing")
    net.optimize_for(X, backend=Sines)
    assert "_div_scalar" not in operators(net)[1:2] and Packing.calls == 2
    net.optimize_for(X, backend="packing", clear=True)
    assert operators(net) == ["broadcast_mul", "_div_scalar", "exp"]


def test_unknown_backends_and_options_are_rejected_at_once():
    net = scale()
    with pytest.raises(OpforgeError, match=r"Cannot find backend no.*Registered: .*packing"):
        net.hybridize(backend="no")
    with pytest.raises(TypeError, match="'width'"):
        net.optimize_for(X, backend="packing", width=1)
    with pytest.raises(TypeError, match="unknown flags depth"):
        net.hybridize(depth=1)
    with pytest.raises(ValueError, match='Must specify "backend" to optimize_for'):
        net.optimize_for(X)
    assert net._backends == ()


def test_added_parameters_are_trained_and_kept():
    net = scale()
    net.hybridize(backend="packing")
    with autograd.record():
        loss = net(X).sum()
    loss.backward()
    (packed,) = net._graph._added.values()
    np.testing.assert_allclose(packed.grad().asnumpy(), (X * net(X) / 2).asnumpy(), rtol=1e-5)
    Trainer([packed], "sgd", {"learning_rate": 1.0}).step(1)
    changed = net(X).asnumpy()  # of another trace, in prediction
    np.testing.assert_allclose(
        changed, np.exp(X.asnumpy() * packed.data().asnumpy() / 2), rtol=1e-5
    )


def test_parameters_are_added_on_all_contexts():
    net = Scale(prefix="scale_")
    net.initialize(ctx=[cpu(0), cpu(1)])
    net.hybridize(backend="packing")
    for ctx in (cpu(0), cpu(1)):
        result = net(X.as_in_context(ctx))
        assert result.context == ctx
        np.testing.assert_allclose(result.asnumpy(), np.exp(X.asnumpy()), rtol=1e-6)


def test_added_parameters_follow_to_other_contexts():
    net = scale()
    net.optimize_for(X, backend="packing")
    expected = net(X).asnumpy()
    net.collect_params().reset_ctx(cpu(1))
    moved = net(X.as_in_context(cpu(1)))
    assert moved.context == cpu(1)
    np.testing.assert_array_equal(moved.asnumpy(), expected)


def test_threads_get_the_same_results():
    net = scale()
    expected = net(X).asnumpy()
    net.hybridize(backend="packing")
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: net(X).asnumpy(), range(40)))
    for array in found:
        np.testing.assert_allclose(array, expected, rtol=1e-6)
    assert len(net._graph._added) == 1


def test_a_network_that_another_process_unpickles_needs_the_backend(monkeypatch):
    net = scale()
    net.optimize_for(X, backend="packing")
    content = pickle.dumps(net)
    monkeypatch.delitem(backends._registry._own, "packing")
    with pytest.raises(OpforgeError, match="Cannot find backend packing"):
        pickle.loads(content)(X)


def test_deferred_parameters_get_their_shapes_first():
    class Deferred(Scale):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.factor = self.params.get(
                "late", shape=(0, 0), init="ones", allow_deferred_init=True
            )

        def hybrid_forward(self, F, x, factor, late):
            return F.FullyConnected(F.broadcast_mul(x, factor), late, no_bias=True, num_hidden=2)

    net = Scale(prefix="s_")
    net.initialize()
    net.optimize_for(X, backend="packing")
    assert net(X).shape == (1, 3)


def test_exported_graphs_are_the_optimized_ones(tmp_path):
    net = scale()
    expected = net(X).asnumpy()
    net.optimize_for(X, backend="packing")
    net.export(str(tmp_path / "net"))
    files = str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    assert sorted(nd.load(files[2])) == ["arg:packing0_packed"]
    loaded = gluon.SymbolBlock.imports(*files)
    np.testing.assert_allclose(loaded(X).asnumpy(), expected, rtol=1e-6)


def test_symbol_blocks_are_optimized_and_exported(tmp_path):
    net = scale()
    expected = net(X).asnumpy()
    net.hybridize()
    net(X)
    net.export(str(tmp_path / "net"))
    files = str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    loaded = gluon.SymbolBlock.imports(*files)
    loaded.optimize_for(X, backend="packing")
    loaded.export(str(tmp_path / "net"))
    assert sorted(nd.load(files[2])) == ["arg:packing0_packed"]
    np.testing.assert_allclose(loaded(X).asnumpy(), expected, rtol=1e-6)


class Logarithms(subgraph.SubgraphBackend):
    """Computes ``log(exp(x))`` as ``x``."""

    def __init__(self, reject=False):
        self.reject = reject

    def supports(self, node):
        return node.operator in ("exp", "log")

    def replace(self, subgraph):
        return None if self.reject else next(iter(subgraph.inputs.values()))


def test_graphs_of_several_inputs_keep_their_names(tmp_path):
    a, b = sym.var("a", shape=(3, 2)), sym.var("b")
    net = gluon.SymbolBlock(sym.log(sym.exp(a + b), name="y"), [a, b])
    x = nd.ones((3, 2))
    net.optimize_for(a, b, backend=Logarithms)
    net.optimize_for(x, x, backend=Logarithms, reject=True, dedup_subgraph=True)
    net.export(str(tmp_path / "net"))
    graph = sym.load(str(tmp_path / "net-symbol.json"))
    assert (graph.list_arguments(), graph.list_outputs()) == (["a", "b"], ["y_output"])
    assert graph.attr_dict()["a"] == {"__shape__": "(3, 2)"}
    files = str(tmp_path / "net-symbol.json"), ["a", "b"], str(tmp_path / "net-0000.params")
    assert "exp" not in graph.tojson()
    assert gluon.SymbolBlock.imports(*files)(x, x).asnumpy().tolist() == [[2, 2]] * 3


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_copies_are_optimized_again(copied):
    net = scale()
    net.optimize_for(X, backend="packing")
    other = copied(net)
    np.testing.assert_allclose(other(X).asnumpy(), net(X).asnumpy(), rtol=1e-6)
    assert Packing.calls == 2


def test_children_are_not_optimized_separately():
    net = scale()
    parent = gluon.nn.HybridSequential(prefix="parent_")
    parent.add(net)
    parent.hybridize(backend="packing")
    assert net._backends == ()
    parent(X)
    assert Packing.calls == 1


def test_hybrid_children_of_other_blocks_are_optimized():
    net = scale()

    class Plain(Block):
        def __init__(self, child):
            super().__init__(prefix="plain_")
            self.child = child

        def forward(self, x):
            return self.child(x)

    parent = Plain(net)
    parent.hybridize(backend="packing")
    parent(X)
    assert Packing.calls == 1


@pytest.mark.plugins
def test_blocks_without_a_graph_run_imperatively_with_a_warning():
    class Choosing(Scale):
        def hybrid_forward(self, F, x, factor):
            return F.contrib.boolean_mask(F.broadcast_mul(x, factor), F.ones((1,)))

    net = Choosing(prefix="c_")
    net.initialize()
    net.hybridize(backend="packing")
    with pytest.warns(UserWarning, match="c_? is not optimized for packing"):
        net(X)
    assert Packing.calls == 0


def test_operator_hooks_see_the_optimized_graph():
    net = scale()
    seen = []
    net.optimize_for(X, backend="packing")
    net.register_op_hook(lambda name, operator, array: seen.append(operator))
    net(X)
    assert b"_div_scalar" in seen


def test_results_of_other_sizes_use_the_same_graph():
    net = scale()
    net.optimize_for(X, backend="packing")
    rows = nd.random.uniform(shape=(5, 3))
    np.testing.assert_allclose(net(rows).asnumpy(), np.exp(rows.asnumpy() * [1, 2, 3]), rtol=1e-5)
    assert Packing.calls == 1
