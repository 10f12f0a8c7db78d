"""Streaming stores: the same bits as plain stores for views with any start and size."""

import numpy as np
import pytest

import opforge
from opforge.base.context import current_context
from opforge.base.dtypes import NAMES, code_of, dtype_of
from opforge.native import array as native
from opforge.native import calls
from opforge.native.loops import stores

DTYPES = [dtype_of(code) for code in range(len(NAMES))]

SIZES = [2048, 2049, 2111, 5003, 70001]
NUMBERS = [t for t in DTYPES if t is not np.bool_]
GUARD = 7  # elements before and after a result, which must not change


@pytest.fixture(params=[1, 2])
def threads(request):
    before = opforge.set_num_threads(request.param)
    yield
    opforge.set_num_threads(before)


def at_threshold(nbytes, compute, dtype, size, begin):
    """Return what `compute(out)` writes to a view starting at element `begin`; check its guards."""
    code = code_of(dtype)
    memory = native.from_numpy(
        np.full(begin + size + GUARD, 1).astype(dtype), code, current_context()
    )
    before = stores._set_threshold(nbytes)
    try:
        compute(memory._view(begin, (size,)))
    finally:
        stores._set_threshold(before)
    result = memory.asnumpy()
    assert (result[:begin] == 1).all()
    assert (result[begin + size :] == 1).all()
    return result[begin : begin + size]


def assert_streams_alike(compute, dtype, size, begin=0):
    plain = at_threshold(1 << 60, compute, dtype, size, begin)
    result = plain.nbytes
    for caches in (
        0,
        result * 3 // 2,
        result * 5 // 2,
    ):  # half of the result fits next to 1 or 2 operands
        streamed = at_threshold(caches, compute, dtype, size, begin)
        np.testing.assert_array_equal(plain.view(np.uint8), streamed.view(np.uint8))


def wrap(values):
    return native.from_numpy(values, code_of(values.dtype), current_context())


def sample(size, dtype, seed=3):
    return wrap((np.random.default_rng(seed).normal(size=size) * 20).astype(np.int8).astype(dtype))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("size", SIZES)
def test_unary_and_binary(dtype, size, threads):
    a, b = sample(size, dtype), sample(size, dtype, 4)
    begin = size % 19
    assert_streams_alike(lambda y: calls.unary("square", a, y), dtype, size, begin)
    assert_streams_alike(lambda y: calls.binary("add", a, b, y), dtype, size, begin)
    assert_streams_alike(lambda y: calls.binary_scalar("subtract", a, 3, y), dtype, size, begin)
    assert_streams_alike(
        lambda y: calls.binary_scalar("subtract", a, 3, y, True), dtype, size, begin
    )


@pytest.mark.parametrize("begin", range(17))
def test_views_starting_at_any_element(begin):
    x = sample(5003 + begin, np.float32)._view(begin, (5003,))
    assert_streams_alike(lambda y: calls.unary("negative", x, y), np.float32, 5003, begin)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((40, 300), (300,)),
        ((40, 300), (40, 1)),
        ((1, 300), (40, 1)),
        ((700, 9), (9,)),
        ((700, 9), (700, 1)),
        ((5, 7, 300), (5, 1, 300)),
        ((5, 7, 300), (7, 1)),
        ((3, 1, 5, 129), (4, 1, 129)),
    ],
)
def test_broadcasts(dtype, a_shape, b_shape, threads):
    shape = np.broadcast_shapes(a_shape, b_shape)
    size = int(np.prod(shape))
    a, b = sample(a_shape, dtype), sample(b_shape, dtype, 4)
    for first, second in ((a, b), (b, a)):
        assert_streams_alike(
            lambda y, f=first, s=second: calls.binary("subtract", f, s, y._view(0, shape)),
            dtype, size, 5,
        )  # fmt: skip
    streamed = at_threshold(
        0, lambda y: calls.binary("subtract", a, b, y._view(0, shape)), dtype, size, 5
    )
    np.testing.assert_array_equal(streamed.reshape(shape), a.asnumpy() - b.asnumpy())


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_casts(source, target):
    x = sample(33001, np.int8)
    typed = native.empty((33001,), code_of(source), current_context())
    calls.cast(x, typed)
    assert_streams_alike(lambda y: calls.cast(typed, y), target, 33001, 3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 63, 64, 65, *SIZES])
def test_fill(dtype, size, threads):
    assert_streams_alike(lambda y: calls.fill(y, 3), dtype, size, size % 13)
    filled = at_threshold(0, lambda y: calls.fill(y, 3), dtype, size, size % 13)
    assert (filled == dtype(3)).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_where(dtype, size, threads):
    condition, a, b = sample(size, np.float32), sample(size, dtype), sample(size, dtype, 4)
    assert_streams_alike(lambda y: calls.where(condition, a, b, y), dtype, size, 3)


def test_operand_may_be_the_result():
    values = np.arange(5003, dtype=np.float32)
    x, y = wrap(values.copy()), wrap(values[::-1].copy())
    before = stores._set_threshold(0)
    try:
        calls.unary("negative", x, x)
        calls.binary("add", x, y, y)
    finally:
        stores._set_threshold(before)
    np.testing.assert_array_equal(x.asnumpy(), -values)
    np.testing.assert_array_equal(y.asnumpy(), values[::-1] - values)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_results_do_not_depend_on_threads(dtype):
    size = 300_007
    a, b = sample(size, dtype), sample(size, dtype, 4)
    computations = [
        lambda y: calls.binary("add", a, b, y),
        lambda y: calls.binary_scalar("multiply", a, 3, y),
        lambda y: calls.unary("tanh", a, y),
        lambda y: calls.where(a, a, b, y),
        lambda y: calls.clip(a, -2, 5, y),
    ]
    for compute in computations:
        results = []
        for count in (1, 2):
            before = opforge.set_num_threads(count)
            try:
                results += [at_threshold(t, compute, dtype, size, 3) for t in (0, 1 << 60)]
            finally:
                opforge.set_num_threads(before)
        for other in results[1:]:
            np.testing.assert_array_equal(results[0].view(np.uint8), other.view(np.uint8))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(70, 33), (5, 1000), (3, 4096), (2, 4097)])
def test_rows(dtype, shape, threads):
    x = sample(shape[0] * shape[1], dtype)._view(0, shape)
    gamma, beta = sample(shape[1], dtype, 5), sample(shape[1], dtype, 6)
    moments = [sample(shape[0], dtype) for _ in range(2)]
    for compute in (
        lambda y: calls.softmax(x, y._view(0, shape), 1, 1.0, False),
        lambda y: calls.softmax(x, y._view(0, shape), 1, 0.5, True),
        lambda y: calls.softmax_grad(x, x, y._view(0, shape), 1, 1.0, False),
        lambda y: calls.layer_norm(x, gamma, beta, y._view(0, shape), *moments, 1, 1e-5),
    ):
        assert_streams_alike(compute, dtype, x.size, begin=3)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_tiles(dtype, threads):
    x = sample(3000, dtype)._view(0, (3, 1000))
    assert_streams_alike(lambda y: calls.tile(x, y._view(0, (12, 1000)), (4, 1)), dtype, 12000, 5)


def test_cache_size_counts_the_shared_cache_and_one_per_thread(tmp_path):
    for name, text in {
        "index0": "32K\n",
        "index2": "512K\n",
        "index3": "16M\n",
        "index4": "?\n",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "size").write_text(text)
    assert stores.cache_size(1, str(tmp_path)) == (16 << 20) + (512 << 10)
    assert stores.cache_size(4, str(tmp_path)) == 18 << 20


def test_cache_size_has_a_default(tmp_path):
    assert stores.cache_size(2, str(tmp_path / "none"), default=123) == 123
    assert stores.cache_size(2) > 0
