"""Random streams: reproducible for any length and number of threads, with the expected moments."""

import os
import subprocess
import sys

import numpy as np
import pytest

from opforge.base.context import cpu
from opforge.base.dtypes import CODES
from opforge.base.errors import AttributeValueError, ShapeError
from opforge.native import array
from opforge.native.calls import random
from opforge.native.threads import parallel

N = 200_000


def empty(shape, dtype="float32"):
    return array.empty(shape, CODES[dtype], cpu())


def drawn(function, *args, shape=(N,), dtype="float32", seed=1):
    random.seed(seed)
    out = empty(shape, dtype)
    function(out, *args)
    return out.asnumpy()


@pytest.mark.parametrize(
    ("function", "args", "mean", "var"),
    [
        (random.uniform, (-1.0, 3.0), 1.0, 16 / 12),
        (random.normal, (2.0, 3.0), 2.0, 9.0),
        (random.exponential, (2.0,), 2.0, 4.0),
        (random.gamma, (3.0, 2.0), 6.0, 12.0),
        (random.gamma, (0.5, 1.0), 0.5, 0.5),
        (random.poisson, (3.0,), 3.0, 3.0),
        (random.poisson, (40.0,), 40.0, 40.0),
        (random.bernoulli, (0.3,), 0.3, 0.21),
        (random.randint, (-2, 8), 2.5, 99 / 12),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moments(function, args, mean, var, dtype):
    x = drawn(function, *args, dtype=dtype).astype(np.float64)
    assert abs(x.mean() - mean) < 5 * np.sqrt(var / N)
    assert abs(x.var() / var - 1) < 0.05


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_reproducible_with_any_number_of_threads(dtype):
    expected = drawn(random.normal, dtype=dtype)
    before = parallel.get_num_threads()
    try:
        for threads in (1, 2, 3):
            parallel.set_num_threads(threads)
            np.testing.assert_array_equal(drawn(random.normal, dtype=dtype), expected)
    finally:
        parallel.set_num_threads(before)
    assert (drawn(random.normal, dtype=dtype, seed=2) != expected).mean() > 0.9
    np.testing.assert_array_equal(drawn(random.normal, dtype=dtype, shape=(77,)), expected[:77])


def test_calls_continue_the_stream():
    first, state = drawn(random.uniform, shape=(10,)), random.get_state()
    out = empty((10,))
    random.uniform(out)
    second = out.asnumpy()
    assert not set(first) & set(second)
    random.set_state(state)
    random.uniform(out)
    np.testing.assert_array_equal(out.asnumpy(), second)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_never_reaches_high(dtype):
    x = drawn(random.uniform, 1.0, 1.0000002, dtype=dtype)
    assert x.min() >= 1
    assert x.max() < np.asarray(1.0000002, dtype)


def test_normal_is_normal():
    x = np.sort(drawn(random.normal, dtype="float64"))
    assert abs((np.abs(x) < 1).mean() - 0.6827) < 0.005
    assert abs((x**4).mean() - 3) < 0.1
    assert abs(np.corrcoef(drawn(random.normal)[:-1], drawn(random.normal)[1:])[0, 1]) < 0.01


def test_randint_covers_its_range():
    x = drawn(random.randint, 3, 7, dtype="int32")
    assert set(x) == {3, 4, 5, 6}
    wide = drawn(random.randint, 0, 2**63 - 1, shape=(1000,), dtype="int64")
    assert len(set(wide.tolist())) == 1000
    assert wide.min() >= 0
    assert wide.max() > 2**62


def test_permutation_and_shuffle():
    order = drawn(random.permutation, shape=(1000,), dtype="int64")
    assert sorted(order) == list(range(1000))
    assert (order != np.arange(1000)).mean() > 0.9
    x, out = empty((50, 2)), empty((50, 2))
    random.uniform(x)
    random.shuffle(x, out)
    assert sorted(map(tuple, out.asnumpy().tolist())) == sorted(map(tuple, x.asnumpy().tolist()))


@pytest.mark.parametrize("function", [random.gamma, random.poisson, random.normal])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), -1.0])
def test_invalid_parameters_are_rejected(function, value):
    arguments = (0.0, value) if function is random.normal else (value,)
    with pytest.raises(AttributeValueError, match=f"is {value}, expected"):
        function(empty((3,)), *arguments)


@pytest.mark.parametrize(
    "function", [random.uniform, random.normal, random.poisson, random.bernoulli]
)
def test_requests_and_zero_sizes(function):
    function(empty((0, 3)))
    random.seed(5)
    base, out = empty((9,)), empty((9,))
    function(base)
    random.seed(5)
    random.uniform(out, 1, 1)
    old = out.asnumpy()
    random.seed(5)
    function(out, req="add")
    np.testing.assert_allclose(out.asnumpy(), old + base.asnumpy(), rtol=1e-6)


ROWS = ("uniform", "normal", "exponential", "gamma", "poisson", "negative_binomial")


def drawn_rows(name, shape=(3, 50), dtype="float64", req="write", start=0.0):
    random.seed(1)
    out = empty(shape, dtype)
    random.uniform(out, start, start)
    random.seed(1)
    first, last = np.array([0.0, 1.5, 20]), np.array([0.5, 0.25, 1])
    if name == "exponential":
        first[:] = 0
    random.rows(name, out, first, last, req)
    return out.asnumpy()


@pytest.mark.parametrize("name", ROWS)
def test_rows_do_not_depend_on_the_number_of_threads(name):
    before = parallel.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 3):
            parallel.set_num_threads(threads)
            found.append(drawn_rows(name, (3, 5000)))
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])
    finally:
        parallel.set_num_threads(before)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_rows_of_types_and_requests(name, dtype):
    expected = drawn_rows(name, dtype=dtype)
    assert len(np.unique(expected[1])) > 1
    np.testing.assert_array_equal(drawn_rows(name, dtype=dtype, req="null", start=7.0), 7)
    added = drawn_rows(name, dtype=dtype, req="add", start=7.0)
    np.testing.assert_allclose(added, expected + 7, rtol=1e-2 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_uniform_numbers_never_reach_the_end(dtype):
    out = empty((2, N), dtype)
    random.rows("uniform", out, np.array([1.0, -1.0]), np.array([2e-7, -2e-7]))
    x = out.asnumpy()
    ends = (np.array([1.0, -1.0]) + np.array([2e-7, -2e-7])).astype(dtype)
    assert x[0].min() >= 1 and x[0].max() < ends[0]
    assert x[1].max() <= -1 and x[1].min() > ends[1]


def test_rows_check_their_arguments():
    one, two = np.ones(1), np.ones(2)
    for first, last in ((one, two), (two, two), (one[:0], one[:0])):
        with pytest.raises(ShapeError, match="parameters do not divide 3 elements"):
            random.rows("gamma", empty((3,)), first, last)
    with pytest.raises(AttributeValueError, match="unknown distribution 'x'"):
        random.rows("x", empty((3,)), one, one)
    random.rows("gamma", empty((0, 3)), one[:0], one[:0])


def test_errors_name_the_expected_values():
    x = empty((3, 2))
    with pytest.raises(AttributeValueError, match=r"low is 2\.0, expected at most high=1\.0"):
        random.uniform(x, 2, 1)
    with pytest.raises(AttributeValueError, match=r"scale is -1.0, expected a value of 0 or more"):
        random.normal(x, 0, -1)
    with pytest.raises(AttributeValueError, match="expected less than high=3"):
        random.randint(x, 3, 3)
    with pytest.raises(ShapeError, match="expected 1 dimension"):
        random.permutation(x)


DRAWN = """
import hashlib
from opforge import nd, random
random.seed(5)
draws = nd.random.uniform, lambda **how: nd.random.randint(-5, 10**6, **how)
for draw in draws:
    print(hashlib.sha256(draw(shape=(1001,)).asnumpy()).hexdigest())
"""


def test_streams_do_not_depend_on_the_instruction_set(instruction_sets):
    texts = {
        subprocess.run(
            [sys.executable, "-c", DRAWN],
            env={**os.environ, "OPFORGE_ISA": name},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in instruction_sets
    }
    assert len(texts) == 1
    assert "".join(texts).count("\n") == 2
