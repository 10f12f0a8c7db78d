"""Random operators in ONNX draw numbers of the same shape, type and distribution."""

import numpy as np
import pytest

from opforge import sym
from opforge.onnx import export_model

from .test_operators import call

#: Name, inputs, attributes, and the expected mean and standard deviation.
CASES = [
    ("random_uniform", [], {"low": 2, "high": 6}, (4, 4 / 12**0.5)),
    ("random_normal", [], {"loc": 2, "scale": 3}, (2, 3)),
    ("random_exponential", [], {"lam": 0.5}, (2, 2)),
    ("random_randint", [], {"low": -3, "high": 4, "dtype": "int64"}, (0, 2)),
    ("_random_uniform_like", [np.zeros((4, 5000))], {"low": 2, "high": 6}, (4, 4 / 12**0.5)),
    ("_random_normal_like", [np.zeros((4, 5000))], {"loc": 2, "scale": 3}, (2, 3)),
    ("_random_exponential_like", [np.zeros((4, 5000))], {"lam": 4}, (0.25, 0.25)),
]
ROWS = [
    ("sample_exponential", [[0.5, 4]], [(2, 2), (0.25, 0.25)]),
    ("sample_uniform", [[0, 4], [2, 8]], [(1, 2 / 12**0.5), (6, 4 / 12**0.5)]),
    ("sample_normal", [[0, 4], [1, 2]], [(0, 1), (4, 2)]),
]


def draw(run, path, symbol, arrays, names=None):
    """Return the results of an exported symbol, with open sizes if they have names."""
    shapes = [array.shape for array in arrays]
    types = [array.dtype for array in arrays]
    export_model(symbol, {}, shapes, types, path, False, names is not None, names)
    return run(path, *arrays)


def expect(numbers, mean, deviation):
    assert abs(numbers.mean() - mean) < 0.1 * deviation
    assert abs(numbers.std() / deviation - 1) < 0.1


@pytest.mark.parametrize(("name", "inputs", "attributes", "moments"), CASES)
def test_one_distribution(name, inputs, attributes, moments, run, tmp_path):
    arrays = [array.astype("float32") for array in inputs]
    size = {} if inputs else {"shape": (4, 5000)}
    drawn = call(sym, name, *(sym.var("x") for _ in inputs), **attributes, **size)
    # A graph needs an input.
    result = sym.Group([drawn, sym.var("other") * 1])
    found, _ = draw(run, tmp_path / "m.onnx", result, [*arrays, np.zeros(2, "float32")])
    assert found.shape == (4, 5000)
    assert found.dtype == attributes.get("dtype", "float32")
    expect(found.astype("float64"), *moments)
    if name == "random_randint":
        assert set(np.unique(found)) == set(range(-3, 4))


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(("name", "parameters", "moments"), ROWS)
def test_a_distribution_for_each_row(name, parameters, moments, is_open, run, tmp_path):
    variables = [sym.var(f"x{i}") for i in range(len(parameters))]
    drawn = call(sym, name, *variables, shape=(4000,))
    names = [("n",)] * len(parameters) if is_open else None
    arrays = [np.array(numbers, "float32") for numbers in parameters]
    (found,) = draw(run, tmp_path / "m.onnx", drawn, arrays, names)
    assert found.shape == (2, 4000)
    for row, expected in zip(found, moments, strict=True):
        expect(row, *expected)


def test_indices_by_probability(run, tmp_path):
    data = np.array([[0, 1, 3], [1, 0, 0]], "float32") / 4
    drawn = sym.sample_multinomial(sym.var("data"), shape=(50, 100), get_prob=True)
    index, logarithm = draw(run, tmp_path / "m.onnx", drawn, [data])
    assert index.shape == (2, 50, 100) and index.dtype == np.int32
    assert not index[1].any() and abs((index[0] == 2).mean() - 0.75) < 0.05
    np.testing.assert_allclose(np.exp(logarithm[0]), data[0][index[0]], rtol=1e-6)


def test_rows_in_random_order(run, tmp_path):
    data = np.arange(600, dtype="float32").reshape(300, 2)
    names = [("rows", 2)]
    (found,) = draw(run, tmp_path / "m.onnx", sym.shuffle(sym.var("data")), [data], names)
    assert not np.array_equal(found, data)
    np.testing.assert_array_equal(found[found[:, 0].argsort()], data)


@pytest.mark.parametrize("axes", [(), (1,)])
def test_dropout_in_predictions(axes, run, tmp_path):
    data = np.arange(1, 10_001, dtype="float32").reshape(1000, 10)
    drawn = sym.Dropout(sym.var("data"), p=0.75, mode="always", axes=axes)
    (found,) = draw(run, tmp_path / "m.onnx", drawn, [data], [("rows", 10)])
    factors = found / data
    assert set(np.unique(factors.round(4))) == {0, 4}
    assert abs((factors > 0).mean() - 0.25) < 0.05
    assert (factors.round() == factors[:, :1].round()).all() == bool(axes)
