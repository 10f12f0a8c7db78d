"""Functions of shapes, joining and products in hybridized blocks: results and gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opforge_numpy.arrays import adopt

from opforge import autograd, gluon, nd

X = np.arange(1, 7, dtype="float32").reshape(2, 3)

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "reshape": lambda F, x: F.reshape(x, (3, -1)),
    "ravel": lambda F, x: F.ravel(x),
    "expand_dims": lambda F, x: F.expand_dims(x, (0, 2)),
    "squeeze": lambda F, x: F.squeeze(F.expand_dims(x, 0), axis=(0,)),
    "squeeze to a scalar": lambda F, x: F.squeeze(F.sum(x, keepdims=True)),
    "broadcast_to with kept lengths": lambda F, x: F.broadcast_to(x, (2, -2, -2)),
    "atleast_3d": lambda F, x: F.atleast_3d(x),
    "transpose": lambda F, x: F.transpose(x, (1, 0)),
    "swapaxes": lambda F, x: F.swapaxes(x, 0, 1),
    "moveaxis": lambda F, x: F.moveaxis(x, 0, -1),
    "flip": lambda F, x: F.flip(x),
    "rot90": lambda F, x: F.rot90(x),
    "roll": lambda F, x: F.roll(x, (1, 2), axis=(0, 1)),
    "roll flattened": lambda F, x: F.roll(x, 1),
    "broadcast_to": lambda F, x: F.broadcast_to(x, (2, 2, 3)),
    "broadcast_arrays": lambda F, x: F.broadcast_arrays(x, F.stack([x, x])),
    "repeat": lambda F, x: F.repeat(x, 2, axis=1),
    "repeat by element": lambda F, x: F.repeat(x, [1, 2, 0], axis=1),
    "tile": lambda F, x: F.tile(x, (2, 1)),
    "resize": lambda F, x: F.resize(x, (4, 2)),
    "take": lambda F, x: F.take(x, F.array([0, 2, 0]), axis=1),
    "take flattened": lambda F, x: F.take(x, F.array([5, 2])),
    "append": lambda F, x: F.append(x, x, axis=0),
    "delete": lambda F, x: F.delete(x, 1, axis=1),
    "insert": lambda F, x: F.insert(x, 1, x, axis=0),
    "pad": lambda F, x: F.pad(x, ((1, 1), (0, 2)), constant_values=3),
    "pad with entries": lambda F, x: F.pad(x, ((1, 1), (0, 2)), mode="edge"),
    "pad with means": lambda F, x: F.pad(x, 1, mode="mean"),
    "concatenate": lambda F, x: F.concatenate([x, x], axis=-1),
    "concatenate flattened": lambda F, x: F.concatenate([x, x], axis=None),
    "stack": lambda F, x: F.stack([x, x * 2], axis=1),
    "vstack": lambda F, x: F.vstack([x, x]),
    "hstack": lambda F, x: F.hstack([x, x]),
    "dstack": lambda F, x: F.dstack([x, x]),
    "column_stack": lambda F, x: F.column_stack([x, x]),
    "split": lambda F, x: F.split(x, 3, axis=1),
    "split into one": lambda F, x: F.split(x, 1)[0][:, 1],
    "diagonal outside": lambda F, x: F.diagonal(x, 9) * 1,
    "full": lambda F, x: F.full((2, 2, 3), x),
    "split at indices": lambda F, x: F.split(x, [1], axis=1),
    "array_split": lambda F, x: F.array_split(x, 2, axis=1),
    "sort": lambda F, x: F.sort(-x, axis=0),
    "dot": lambda F, x: F.dot(x, F.transpose(x)),
    "dot with a number": lambda F, x: F.dot(x, 2),
    "matmul": lambda F, x: F.matmul(x, F.transpose(x)),
    "inner": lambda F, x: F.inner(x, x),
    "outer": lambda F, x: F.outer(x, x),
    "tensordot": lambda F, x: F.tensordot(x, x, axes=([0], [0])),
    "kron": lambda F, x: F.kron(x, x),
    "einsum": lambda F, x: F.einsum("ij,kj->ik", x, x),
    "polyval": lambda F, x: F.polyval(F.array([1.0, 2.0, 3.0]), x),
    "trapz": lambda F, x: F.trapz(x),
    "norm": lambda F, x: F.linalg.norm(x, axis=1),
    "matrix norm": lambda F, x: F.linalg.norm(x, 1, axis=(0, 1), keepdims=True),
}


class Block(gluon.HybridBlock):
    """A block that calls ``function(F.np, x)``."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.function(F.np, x)


def computed(name: str, hybridize: bool) -> list[Any]:
    """Return the outputs of a block and the gradient of its input, as NumPy arrays."""
    block = Block(CALLS[name])
    block.hybridize(hybridize)
    x = adopt(nd.array(X))
    x.attach_grad()
    with autograd.record():
        found = block(x)
    outputs = list(found) if isinstance(found, tuple | list) else [found]
    autograd.backward(outputs)
    return [item.asnumpy() for item in (*outputs, x.grad)]


@pytest.mark.parametrize("name", CALLS)
def test_graphs_compute_the_same(name: str) -> None:
    for found, expected in zip(computed(name, True), computed(name, False), strict=True):
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-5)


INTEGERS: dict[str, Callable[[Any, Any], Any]] = {
    "add bool": lambda F, x: (x > 2) + (x > 3),
    "around": lambda F, x: F.around(x * 10, -1),
    "bitwise_not": lambda F, x: F.bitwise_not(x),
    "divide": lambda F, x: F.true_divide(x, x + 1),
    "divide bool": lambda F, x: F.true_divide(x > 2, x > 0),
    "exp": lambda F, x: F.exp(x),
    "floor_divide": lambda F, x: F.floor_divide(x, 4),
    "left_shift": lambda F, x: F.left_shift(x, 2),
    "mean": lambda F, x: F.mean(x, axis=0),
    "multiply by a fraction": lambda F, x: F.multiply(x, 2.5),
    "negative": lambda F, x: F.negative(x > 2),
    "promoted": lambda F, x: F.add(x, F.array([0.5, 1.0, 2.0])),
    "sum of bool": lambda F, x: F.sum(x > 2),
    "var": lambda F, x: F.var(x),
    "where": lambda F, x: F.where(x > 2, x, F.array([0.5, 1.0, 2.0])),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_graphs_of_integers_compute_the_same(name: str) -> None:
    found = []
    for hybridize in (False, True):
        block = Block(INTEGERS[name])
        block.hybridize(hybridize)
        found.append(block(adopt(nd.array(X, dtype="int32"))).asnumpy())
    assert found[0].shape == found[1].shape and found[0].dtype == found[1].dtype
    np.testing.assert_allclose(*found, rtol=1e-6)


def test_parameters_of_unknown_shape_in_dot() -> None:
    class Linear(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.params.get("weight", shape=(0, 4), allow_deferred_init=True)

        def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
            return x.dot(weight)

    for hybridize in (False, True):
        block = Linear()
        block.initialize()
        block.hybridize(hybridize)
        assert block(adopt(nd.array(X))).shape == (2, 4)
        assert block.weight.shape == (3, 4)


class WithIndices(gluon.HybridBlock):
    """A block that calls ``function(F.np, x, q)``."""

    def __init__(self, function: Callable[[Any, Any, Any], Any]) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, x: Any, q: Any) -> Any:
        return self.function(F.np, x, q)


@pytest.mark.parametrize("name", ["quantile", "percentile"])
def test_quantiles_at_computed_fractions(name: str) -> None:
    x, q = adopt(nd.array(X)), adopt(nd.array([0.25, 0.5]))
    found = []
    for hybridize in (False, True):
        block = WithIndices(lambda F, x, q: getattr(F, name)(x, q, axis=1))
        block.hybridize(hybridize)
        found.append(block(x, q).asnumpy())
    np.testing.assert_array_equal(*found)


def test_normal_vectors_with_computed_covariances() -> None:
    block = WithIndices(lambda F, mean, cov: F.random.multivariate_normal(mean, cov, size=(5, 2)))
    block.hybridize()
    mean = adopt(nd.array([[0.0, 1.0]]))
    mean.attach_grad()
    with autograd.record():
        drawn = block(mean, adopt(nd.array([[1.0, 0.5], [0.5, 2.0]])))
    drawn.backward()
    assert drawn.shape == (5, 2, 1, 2)
    np.testing.assert_array_equal(mean.grad.asnumpy(), [[10, 10]])
