"""Epilogue steps: every step, every kind of operand and every position."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import nd
from opforge.native.calls.epilogue import Epilogue
from opforge.native.calls.product_computations import Dense
from opforge.native.loops.epilogue import EPILOGUES, N_BINARY

FUNCTIONS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "relu": lambda y: np.maximum(y, 0),
    "sigmoid": lambda y: 1 / (1 + np.exp(-y)),
    "softrelu": lambda y: np.log1p(np.exp(y)),
    "softsign": lambda y: y / (1 + np.abs(y)),
    "erf": lambda y: nd.erf(nd.array(y, dtype="float64")).asnumpy(),
}


def finished(result, steps, arrays):
    """Apply the steps to `result`, as the epilogue of a product with the identity matrix."""
    n = result.shape[1]
    dtype = str(result.dtype)
    unit = nd.array(np.eye(n), dtype=dtype)
    out = nd.zeros(result.shape, dtype=dtype)
    operands = [nd.array(array, dtype=dtype) for array in arrays]
    computation = Dense(n, False).with_epilogue(Epilogue(steps))
    computation([nd.array(result, dtype=dtype), unit, *operands], [out], ["write"])
    return out.asnumpy()


def expected(result, steps, arrays):
    """Apply the steps with NumPy in float64."""
    values, arrays = [result.astype("float64")], iter(arrays)
    for name, operand, reverse in steps:
        function = FUNCTIONS.get(name) or getattr(np, name)
        if operand is None:
            values.append(function(values[-1]))
            continue
        other = operand
        if isinstance(operand, tuple) and operand[0] == "value":
            other = values[operand[1]]
        elif isinstance(operand, tuple):
            other = expand_operand(next(arrays).astype("float64"), operand, result)
        pair = (other, values[-1]) if reverse else (values[-1], other)
        values.append(function(*pair))
    return values[-1]


def expand_operand(array, operand, result):
    if operand == ("full",):
        return array.reshape(result.shape)
    _, repeat, period, lanes = operand
    index = np.arange(result.size)
    return array.reshape(-1)[index // repeat % period * lanes + index % lanes].reshape(result.shape)


@st.composite
def operands(draw, step, shape):
    """Draw an operand and its array or None."""
    n, m = shape
    kind = draw(st.sampled_from(["number", "value", "full", "columns", "rows", "one", "lanes"]))
    if kind == "number":
        return draw(st.floats(-2, 2, width=32)), None
    if kind == "value":
        return ("value", draw(st.integers(0, step))), None
    lanes = draw(st.sampled_from([d for d in range(2, m + 1) if m % d == 0] or [1]))
    operand, size = {
        "full": (("full",), n * m),
        "columns": (("spread", 1, m, 1), m),
        "rows": (("spread", m, n, 1), n),
        "one": (("spread", n * m, 1, 1), 1),
        "lanes": (("spread", lanes, m // lanes, lanes), m),
    }[kind]
    return operand, np.random.default_rng(draw(st.integers(0, 99))).uniform(0.5, 2, size)


@st.composite
def programs(draw, shape):
    """Draw steps that cannot overflow, and their arrays."""
    steps, arrays = [], []
    safe = [n for n in EPILOGUES if n not in ("exp", "expm1", "square", "sqrt", "divide")]
    for step in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from(safe))
        operand, array = None, None
        if name in EPILOGUES[:N_BINARY]:
            operand, array = draw(operands(step, shape))
        if array is not None:
            arrays.append(array)
        steps.append((name, operand, operand is not None and draw(st.booleans())))
    return steps, arrays


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_steps_match_numpy(data):
    shape = data.draw(st.sampled_from([(1, 1), (3, 4), (7, 12), (40, 96), (257, 33), (2, 700)]))
    steps, arrays = data.draw(programs(shape))
    result = np.random.default_rng(0).normal(size=shape)
    for dtype, rtol in (("float32", 2e-4), ("float64", 1e-12)):
        typed = [array.astype(dtype) for array in arrays]
        found = finished(result.astype(dtype), steps, typed)
        want = expected(result.astype(dtype), steps, typed)
        scale = 1 + np.abs(want).max()
        np.testing.assert_allclose(found, want, rtol, rtol * scale, err_msg=f"{steps}")


@pytest.mark.parametrize("name", EPILOGUES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_step_matches_its_function(name, dtype):
    y = np.linspace(0.1, 2, 60).reshape(5, 12).astype(dtype)
    operand = 1.5 if name in EPILOGUES[:N_BINARY] else None
    steps = [(name, operand, False)]
    np.testing.assert_allclose(finished(y, steps, []), expected(y, steps, []), 2e-6)


def test_vectors_in_parts_of_different_threads():
    y = np.random.default_rng(1).normal(size=(300, 512)).astype("float32")
    shift, rows = np.arange(512.0), np.arange(300.0)
    steps = [("add", ("spread", 1, 512, 1), False), ("multiply", ("spread", 512, 300, 1), False)]
    arrays = [shift.astype("float32"), rows.astype("float32")]
    np.testing.assert_allclose(finished(y, steps, arrays), (y + shift) * rows[:, None], 1e-5, 1e-3)


def test_epilogue_of_an_empty_product():
    data, weight = nd.zeros((2, 0)), nd.zeros((3, 0))
    out = nd.zeros((2, 3))
    add = Epilogue([("add", 2.0, False), ("square", None, False)])
    Dense(3, False, add)([data, weight], [out], ["write"])
    assert out.asnumpy().tolist() == [[4] * 3] * 2
