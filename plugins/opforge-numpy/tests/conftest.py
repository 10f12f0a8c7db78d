"""Comparison with NumPy, for all tests of the package."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from opforge_numpy.arrays import adopt, ndarray

from opforge import autograd, nd
from opforge.base.numpy_semantics import np_array, np_shape


@pytest.fixture(autouse=True)
def numpy_semantics() -> Iterator[None]:
    """Switch NumPy's shapes and arrays on."""
    with np_shape(), np_array():
        yield


def converted(value: Any) -> Any:
    """Return a value with all NumPy arrays, at any depth, as arrays of np."""
    if isinstance(value, np.ndarray):
        return adopt(nd.array(value, dtype=value.dtype))
    if isinstance(value, tuple | list):
        return type(value)(map(converted, value))
    return value


def assert_same(found: Any, expected: Any, types: bool = True) -> None:
    """Assert that a result has the elements, the shape and the type of NumPy's."""
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for pair in zip(found, expected, strict=True):
            assert_same(*pair, types=types)
        return
    expected = np.asarray(expected)
    if isinstance(found, nd.NDArray):
        assert type(found) is ndarray
        found = found.asnumpy()
    found = np.asarray(found)
    assert found.shape == expected.shape
    if types and expected.dtype.kind != "c":
        assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.fixture
def agree() -> Callable[..., None]:
    """Compare a function of np with NumPy's function on the same arguments."""

    def compare(ours: Any, numpys: Any, *args: Any, types: bool = True, **kwargs: Any) -> None:
        expected = numpys(*args, **kwargs)
        options = {name: converted(value) for name, value in kwargs.items()}
        assert_same(ours(*map(converted, args), **options), expected, types)

    return compare


@pytest.fixture
def check_gradient() -> Callable[..., None]:
    """Compare the gradients of a function with central differences in float64."""

    def check(function: Callable[..., Any], *values: Any, tolerance: float = 1e-6) -> None:
        arrays = [converted(np.asarray(value, np.float64)) for value in values]
        for array in arrays:
            array.attach_grad()
        with autograd.record():
            result = function(*arrays)
            results = list(result) if isinstance(result, tuple | list) else [result]
        random = np.random.default_rng(0)
        weights = [random.normal(size=part.shape) for part in results]
        autograd.backward(results, [converted(np.asarray(weight)) for weight in weights])

        def total(*inputs: Any) -> float:
            out = function(*map(converted, inputs))
            parts = out if isinstance(out, tuple | list) else [out]
            pairs = zip(parts, weights, strict=True)
            return sum(float((part.asnumpy() * weight).sum()) for part, weight in pairs)

        step = 1e-6
        for position, array in enumerate(arrays):
            host = [np.array(value, np.float64) for value in values]
            differences = np.zeros_like(host[position])
            for index in np.ndindex(differences.shape):
                before = host[position][index]
                host[position][index] = before + step
                above = total(*host)
                host[position][index] = before - step
                differences[index] = (above - total(*host)) / (2 * step)
                host[position][index] = before
            assert array.grad.shape == differences.shape
            np.testing.assert_allclose(array.grad.asnumpy(), differences, rtol=1e-4, atol=tolerance)

    return check
