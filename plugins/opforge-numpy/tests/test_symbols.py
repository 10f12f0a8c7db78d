"""Hybrid blocks with F.np and F.npx: as graphs they compute the same as on arrays."""

import numpy as np
import pytest
from opforge_numpy.arrays import adopt, ndarray
from opforge_numpy.symbols.namespace import is_symbol, namespace_of
from opforge_numpy.symbols.operators import constant

import opforge as mx
from opforge import autograd, gluon, nd, sym

X = np.array([[0.5, 1.5, 2.5], [3, 0.25, 1]], "float32")


def array(values):
    return adopt(nd.array(values, dtype="float32"))


class Block(gluon.HybridBlock):
    """A block that calls ``function(F, x)``."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def hybrid_forward(self, F, x):
        return self.function(F, x)


def results(function, hybrid, training=True):
    """Return outputs and the gradient of the first output, as NumPy arrays."""
    block = Block(function)
    block.hybridize(hybrid)
    x = array(X)
    x.attach_grad()
    mx.random.seed(3)
    with autograd.record():
        found = block(x)
    found = found if isinstance(found, list | tuple) else [found]
    assert all(type(item) is ndarray for item in found)
    if training:
        found[0].backward()
    return [item.asnumpy() for item in found], x.grad.asnumpy()


NPX = {
    "activation": lambda F, x: F.npx.activation(x - 1, act_type="softrelu"),
    "arange_like": lambda F, x: x * F.npx.arange_like(x, axis=1),
    "control": lambda F, x: F.npx.foreach(
        lambda row, total: (row * total, row + total), x, F.np.ones(3)
    ),
    "index_add": lambda F, x: F.npx.index_add(x, F.np.array([[1, 1]]), x),
    "index_update": lambda F, x: F.npx.index_update(x, F.np.array([[1]]), F.np.ones(3)),
    "layer_norm": lambda F, x: F.npx.layer_norm(x, F.np.ones(3), F.np.zeros(3)),
    "masked_softmax": lambda F, x: F.npx.masked_softmax(x, x > 0.4),
    "masked_log_softmax": lambda F, x: F.npx.masked_log_softmax(x, x > 0.1, axis=0),
    "nonzero": lambda F, x: (x, F.npx.nonzero(x - 1.5)),
    "pick": lambda F, x: F.npx.pick(x, F.np.array([2, 0])),
    "reshape": lambda F, x: F.npx.reshape(x, (-6, 1, -1, -4)) * 2,
    "reshape -3": lambda F, x: F.npx.reshape(F.npx.reshape(x, (-6, 1, -1, -4)), (-3, -5)),
    "softmax": lambda F, x: x * F.npx.softmax(x, axis=0, temperature=2),
    "to_tensor": lambda F, x: F.npx.image.to_tensor(F.npx.reshape(x, (1, 2, 3))),
    "topk": lambda F, x: F.npx.topk(x, k=2, ret_typ="both"),
    "checked": lambda F, x: x * F.npx.constraint_check(F.npx.cast(x, dtype="bool"), "no"),
}

NP = {
    "constants": lambda F, x: x * F.np.arange(3) + F.np.full((2, 1), 2.0) - F.np.eye(2, 3),
    "elementwise": lambda F, x: F.np.exp(F.np.sin(x)) / F.np.sqrt(x) + F.np.maximum(x, 1),
    "broadcasting": lambda F, x: x * F.np.sum(x, axis=0) + F.np.mean(x, axis=1, keepdims=True),
    "products": lambda F, x: F.np.dot(x, F.np.transpose(x)),
    "einsum": lambda F, x: F.np.einsum("ij,kj->ik", x, x),
    "joining": lambda F, x: F.np.concatenate([x, F.np.vstack([x, x])], axis=0),
    "splitting": lambda F, x: F.np.split(x, 3, axis=1),
    "shapes": lambda F, x: F.np.expand_dims(F.np.reshape(x, (3, 2)), 0),
    "where": lambda F, x: F.np.where(x > 1, x, F.np.zeros_like(x)),
    "scalars": lambda F, x: F.np.mean(x * F.np.sum(x)) - F.np.max(x),
    "scalars that broadcast": lambda F, x: F.np.exp(x - F.np.max(x)) * F.np.prod(x),
    "indexing": lambda F, x: x[0] * x[:, 1:2] + x[..., None, 0] - x[1, 2],
    "methods": lambda F, x: x.flatten() * x.reshape(-1) + x.mean(axis=1, keepdims=True)[0],
    "linspace": lambda F, x: x + F.np.linspace(0, 1, 3),
}


@pytest.mark.parametrize("function", [*NPX.values(), *NP.values()], ids=[*NPX, *NP])
def test_graphs_compute_the_same(function):
    (expected, gradient), (found, same) = (results(function, hybrid) for hybrid in (False, True))
    assert [item.shape for item in found] == [item.shape for item in expected]
    for pair in zip(found, expected, strict=True):
        np.testing.assert_allclose(*pair, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(same, gradient, rtol=1e-4, atol=1e-6)
    assert gradient.any()


@pytest.mark.parametrize("name", ["normal", "gumbel", "laplace", "logistic", "uniform"])
def test_random_numbers_with_locations(name):
    for size in (None, (4, 2, 3)):
        found, gradient = results(lambda F, x: getattr(F.np.random, name)(x, 5.0, size), True)  # noqa: B023
        assert found[0].shape == (size or (2, 3))
        if name != "uniform":
            np.testing.assert_allclose(gradient, np.full((2, 3), len(found[0]) if size else 1.0))


@pytest.mark.parametrize(
    "name", ["exponential", "rayleigh", "weibull", "pareto", "power", "gamma", "chisquare"]
)
def test_random_numbers_of_one_parameter(name):
    for size in (None, (4, 2, 3)):
        (drawn,), _ = results(lambda F, x: getattr(F.np.random, name)(x, size=size), True)  # noqa: B023
        assert drawn.shape == (size or (2, 3))
        assert (drawn > 0).all()


def test_scalars_of_blocks_with_parameters(tmp_path):
    class Network(gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="network_")
            with self.name_scope():
                self.layer = gluon.nn.Dense(4)
                self.scale = self.params.get("scale", shape=(), init="ones")

        def hybrid_forward(self, F, x, scale):
            return F.np.mean(F.npx.relu(self.layer(x))) * scale

    network = Network()
    network.initialize()
    network.hybridize()
    x = array(X)
    with autograd.record():
        loss = network(x)
    loss.backward()
    assert loss.shape == network.scale.grad().shape == ()
    network.hybridize(False)
    assert network(x).item() == pytest.approx(loss.item(), rel=1e-5)
    assert network.scale.grad().item() == pytest.approx(loss.item(), rel=1e-5)
    network.hybridize()
    network(x)
    network.export(str(tmp_path / "n"))
    loaded = gluon.SymbolBlock.imports(
        str(tmp_path / "n-symbol.json"), ["data"], str(tmp_path / "n-0000.params")
    )
    assert loaded(x).shape == ()
    assert loaded(x).item() == pytest.approx(loss.item(), rel=1e-5)


def test_random_scalars():
    for function in (lambda F, x: F.np.random.normal(), lambda F, x: F.npx.bernoulli(0.5)):
        (drawn,), _ = results(function, True, training=False)
        assert drawn.shape == ()


def test_other_random_numbers():
    shapes = {
        (3,): lambda F, x: x * 0 + F.np.random.randint(1, 2, size=3),
        (2, 3): lambda F, x: x * F.npx.random.bernoulli(x / 4),
        (4, 2, 3): lambda F, x: F.npx.random.uniform_n(x, 9.0, batch_shape=4),
        (5, 3): lambda F, x: F.np.random.choice(x, 5),
        (1, 3): lambda F, x: F.np.random.permutation(x) + F.np.random.rand(2, 3),
        (2, 2): lambda F, x: F.np.random.beta(F.np.dot(x, F.np.transpose(x)), 2.0),
    }
    for shape, function in shapes.items():
        (drawn,), _ = results(function, True, training=False)
        assert drawn.shape in (shape, (2, 3))


def test_failing_checks_in_graphs():
    block = Block(lambda F, x: x * F.npx.constraint_check(F.npx.cast(x, dtype="bool"), "zero"))
    block.hybridize()
    with pytest.raises(mx.MXNetError, match="zero"):
        block(array([0, 1])).wait_to_read()


def test_namespaces():
    x = sym.var("x")
    assert is_symbol(x) and not is_symbol(array(1))
    assert namespace_of(1, array(1)) is nd
    assert namespace_of(1, [array(1), x]) is sym
    assert sym.np is sym.numpy
    assert sym.npx is sym.numpy_extension
    assert is_symbol(sym.np.zeros((2, 3)))
    assert sym.np.pi == np.pi
    assert sym.np.random.uniform.__name__ == "uniform"
    assert sym.npx.relu(x).list_arguments() == ["x"]
    assert {"relu", "reshape", "random"} <= set(dir(sym.npx))
    assert "exp" in dir(sym.np) and "uniform" in dir(sym.np.random)
    with pytest.raises(AttributeError, match="no attribute 'FullyConnected'"):
        sym.npx.FullyConnected  # noqa: B018


def test_constants_survive_files():
    values = np.array([[1, 5, 2]], "int32")
    graph = sym.load_json((constant(sym, nd.array(values, dtype="int32")) + 1).tojson())
    np.testing.assert_array_equal(graph.eval()[0].asnumpy(), values + 1)
    assert '"op": "_full"' in constant(sym, nd.ones((2, 3))).tojson()
