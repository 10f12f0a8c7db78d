"""Calls of functions that a graph makes once it knows shapes, or has arrays."""

import numpy as np
import pytest
from opforge_numpy import np as mnp
from opforge_numpy.arrays import adopt

from opforge import autograd, cpu, gluon, nd, sym

X = np.array([[0.5, 1.5, 2.5], [3, 0.25, 1]], "float32")
SQUARE = np.array([[4, 1], [1, 3]], "float32")

#: Functions of a symbol of unknown shape and type.
BY_SHAPES = {
    "argmax": lambda F, x: F.argmax(x, axis=1),
    "average": lambda F, x: F.average(x, axis=0, weights=F.array([1.0, 3.0])),
    "average with weights": lambda F, x: F.average(x, returned=True),
    "cross": lambda F, x: F.cross(x, x + 1),
    "diagonal": lambda F, x: F.diagonal(x, 1),
    "diff": lambda F, x: F.diff(x, axis=0, append=0),
    "dot": lambda F, x: F.dot(x, F.transpose(x)),
    "ediff1d": lambda F, x: F.ediff1d(x, to_begin=F.array([1.0])),
    "inner": lambda F, x: F.inner(x, x),
    "median": lambda F, x: F.median(x, axis=1, keepdims=True),
    "quantile": lambda F, x: F.quantile(x, [0.25, 0.5], axis=1),
    "roll": lambda F, x: F.roll(x, (1, 2), (0, 1)),
    "split": lambda F, x: F.array_split(x, 2, axis=1),
    "sum": lambda F, x: F.sum(x, axis=(0, 1)),
    "sum of nothing": lambda F, x: F.sum(x, axis=()),
    "tensordot": lambda F, x: F.tensordot(x, x, axes=([0], [0])),
    "tril of a vector": lambda F, x: F.tril(F.ravel(x)),
    "trace": lambda F, x: F.trace(x, -1),
    "vdot": lambda F, x: F.vdot(x, x),
}
#: Functions that NumPy computes.
BY_ELEMENTS = {
    "cumsum": lambda F, x: F.cumsum(x, axis=1),
    "bitwise_xor": lambda F, x: F.bitwise_xor(x.astype("int32"), 5),
    "cholesky": lambda F, x: F.linalg.cholesky(x),
    "det": lambda F, x: F.linalg.det(x),
    "eigh": lambda F, x: F.linalg.eigh(x)[0],
    "inv": lambda F, x: F.linalg.inv(x),
    "norm": lambda F, x: F.linalg.norm(x, "nuc"),
    "slogdet": lambda F, x: F.linalg.slogdet(x)[1],
    "solve": lambda F, x: F.linalg.solve(x, F.array([1.0, 2.0])),
    "svd": lambda F, x: F.linalg.svd(x)[1],
    "tensorsolve": lambda F, x: F.linalg.tensorsolve(x, F.array([1.0, 2.0])),
    "unique": lambda F, x: F.unique(x, return_counts=True),
    "unravel_index": lambda F, x: F.unravel_index(x.astype("int64"), (2, 3)),
}
ALL = {**BY_SHAPES, **BY_ELEMENTS}


def values_of(name):
    return X if name in BY_SHAPES else SQUARE


def listed(found):
    return list(found) if isinstance(found, list | tuple) else [found]


@pytest.mark.parametrize("name", ALL)
def test_symbols_of_unknown_shape(name):
    x = adopt(nd.array(values_of(name)))
    expected = listed(ALL[name](mnp, x))
    parts = listed(ALL[name](sym.np, sym.var("x")))
    assert len(parts) == len(expected)
    for part, wanted in zip(parts, expected, strict=True):
        (found,) = sym.load_json(part.tojson()).eval(x=nd.array(values_of(name)))
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5)


@pytest.mark.parametrize("name", sorted(set(ALL) - {"unique", "bitwise_xor"}))
def test_shapes_are_inferred(name):
    expected = listed(ALL[name](mnp, adopt(nd.array(values_of(name)))))
    for part, wanted in zip(listed(ALL[name](sym.np, sym.var("x"))), expected, strict=True):
        _, (shape,), _ = part.infer_shape(x=values_of(name).shape)
        assert shape == wanted.shape


def test_types_follow_from_those_of_inputs():
    y = sym.np.dot(sym.np.sum(sym.var("x"), axis=0), sym.var("w"))
    executor = y.simple_bind(cpu(), x=(2, 3), w=(3,), type_dict={"x": "float64", "w": "float64"})
    assert executor.outputs[0].dtype == np.float64


@pytest.mark.parametrize("name", ["dot", "cross", "quantile"])
def test_graphs_are_compiled_if_shapes_suffice(name):
    executor = ALL[name](sym.np, sym.var("x")).simple_bind(cpu(), x=(2, 3))
    assert type(executor).__name__ == "Executor"


class Block(gluon.HybridBlock):
    """A block that calls ``function(F.np, x)``."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def hybrid_forward(self, F, x):
        return self.function(F.np, x)


DIFFERENTIABLE = {**BY_ELEMENTS}
for _name in ("bitwise_xor", "unique", "unravel_index"):
    del DIFFERENTIABLE[_name]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_in_hybridized_blocks(name):
    gradients = []
    for hybridize in (False, True):
        block = Block(ALL[name])
        block.hybridize(hybridize)
        x = adopt(nd.array(SQUARE))
        x.attach_grad()
        with autograd.record():
            y = block(x)
        y.backward()
        gradients.append(x.grad.asnumpy())
    np.testing.assert_allclose(*gradients, rtol=1e-5)
    assert gradients[0].any()


def test_blocks_with_decompositions_are_exported(tmp_path):
    block = Block(lambda F, x: F.dot(F.linalg.svd(x)[0], x) + F.linalg.inv(x))
    block.hybridize()
    x = adopt(nd.array(SQUARE))
    expected = block(x)
    block.export(str(tmp_path / "block"))
    loaded = gluon.SymbolBlock.imports(str(tmp_path / "block-symbol.json"), ["data"])
    np.testing.assert_allclose(loaded(x).asnumpy(), expected.asnumpy(), rtol=1e-5)


def test_results_do_not_share_memory():
    x = nd.ones((2, 3))
    y = nd._np_call(x, function="ravel")
    y[:] = 5
    assert x.sum().asscalar() == 6


def test_arguments_without_a_text_are_rejected():
    with pytest.raises(TypeError, match="function cannot be part of a graph"):
        sym.np.cumsum(sym.var("x"), axis=lambda: 0)
