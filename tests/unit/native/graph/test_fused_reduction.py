"""FusedReduction: elementwise kernels whose results are reduced in the cache."""

import numpy as np
import pytest

import opforge
from opforge import nd
from opforge.base.errors import OpforgeError, ShapeError
from opforge.native import calls
from opforge.native.calls.reductions import REDUCTIONS
from opforge.native.graph.fused_reduction import MOST_FOLDS, FusedReduction
from opforge.native.graph.program import Program
from opforge.native.loops import stores

# Tiles have 2048 float32; rows are cut into units from about 25,000 elements on.
SHAPES = [
    (1, 1), (1, 7), (1, 2047), (1, 2048), (1, 2049), (1, 300_001), (2, 70_001), (3, 1), (64, 10),
    (700, 3), (5, 2048), (5, 2049), (257, 1000), (33, 5001),
]  # fmt: skip
# Register 0, inputs 1 and 2: the square of their difference.
SQUARES = [("binary:subtract", 1, 2, 0), ("unary:square", 0, 0, 0)]


def step(rows, width, folds=(("sum", 0),), code=0, program=SQUARES):
    return FusedReduction(code, list(program), 1, [], 2, 0, [], {}, list(folds), rows, width)


def run(fused, inputs, outputs):
    arrays = [*inputs, *outputs]
    slots = list(range(len(arrays)))
    program = Program([(fused, "fused", slots[: len(inputs)], slots[len(inputs) :])], arrays)
    program.run(0, 1, False)


def run_on(threads, fused, inputs, outputs):
    before = opforge.set_num_threads(threads)
    try:
        run(fused, inputs, outputs)
    finally:
        opforge.set_num_threads(before)


def normal(shape, dtype="float32", seed=0):
    return nd.array(np.random.default_rng(seed).normal(size=shape), dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_are_those_of_float64_for_any_number_of_threads(shape, dtype):
    x, y = normal(shape, dtype), normal(shape, dtype, 1)
    found = [nd.zeros(shape[0], dtype=dtype) for _ in range(3)]
    for threads, out in zip((1, 2, 3), found, strict=True):
        run_on(threads, step(*shape, code=x.dtype_code), [x, y], [out])
    squares = np.square(x.asnumpy() - y.asnumpy())  # rounded as the kernels round
    expected = squares.sum(axis=1, dtype=np.float64)
    np.testing.assert_allclose(
        found[0].asnumpy(), expected, rtol=2e-7 if dtype == "float32" else 1e-14
    )
    for other in found[1:]:
        np.testing.assert_array_equal(other.asnumpy(), found[0].asnumpy())


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("shape", [(1, 100_003), (70, 30), (9, 5000)])
def test_every_reduction_and_type(name, dtype, shape):
    values = np.random.default_rng(2).integers(1, 4, shape)
    if name in ("prod", "nanprod"):
        values[:, 5:] = 1
    x, y = nd.array(values, dtype=dtype), nd.ones(shape, dtype=dtype)
    found, expected = nd.zeros(shape[0], dtype=dtype), nd.zeros(shape[0], dtype=dtype)
    run(step(*shape, [(name, 0)], x.dtype_code, [("binary:multiply", 1, 2, 0)]), [x, y], [found])
    calls.reduce(name, x, expected, (1,))
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("threshold", [0, 1 << 60])
@pytest.mark.parametrize("shape", [(1, 70_001), (300, 70)])
def test_results_may_be_stored_as_well_and_folded_more_than_once(shape, threshold):
    x = normal(shape)
    exps, total, top, largest = nd.zeros(shape), *(nd.zeros(shape[0]) for _ in range(3))
    # Register 0, input 1, output 2; the input is folded too.
    folds = [("sum", 2), ("max", 2), ("max", 1)]
    fused = FusedReduction(0, [("unary:exp", 1, 1, 2)], 1, [], 1, 1, [0], {}, folds, *shape)
    before = stores._set_threshold(threshold)
    try:
        run(fused, [x], [exps, total, top, largest])
    finally:
        stores._set_threshold(before)
    values = nd.exp(x).asnumpy()
    np.testing.assert_array_equal(exps.asnumpy(), values)
    np.testing.assert_allclose(total.asnumpy(), values.sum(1, dtype=np.float64), rtol=2e-7)
    np.testing.assert_array_equal(top.asnumpy(), values.max(1))
    np.testing.assert_array_equal(largest.asnumpy(), x.asnumpy().max(1))


def test_broadcast_inputs():
    x, row = normal((300, 70)), normal((70,))
    out = nd.zeros(300)
    program = [("binary:multiply", 2, 3, 1)]  # registers 0, for the row, and 1; inputs 2 and 3
    fused = FusedReduction(0, program, 2, [], 2, 0, [], {1: (0, 1, 70, 1)}, [("sum", 1)], 300, 70)
    run(fused, [x, row], [out])
    expected = (x.asnumpy() * row.asnumpy()).sum(axis=1, dtype=np.float64)
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("width", [35, 70, 70 * 300])
def test_inputs_that_are_repeated_in_rows(width):
    x, rows = normal((3, 100, 70)), normal((3, 1, 70))
    out = nd.zeros(3 * 100 * 70 // width)
    program = [("binary:multiply", 2, 3, 1)]  # registers 0, for the rows, and 1; inputs 2 and 3
    spreads, folds = {1: (0, 7000, 3, 70)}, [("sum", 1)]
    fused = FusedReduction(0, program, 2, [], 2, 0, [], spreads, folds, len(out), width)
    run(fused, [x, rows], [out])
    expected = (x.asnumpy() * rows.asnumpy()).reshape(-1, width).sum(axis=1, dtype=np.float64)
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-6, atol=1e-5)


def test_intermediate_sums_do_not_overflow():
    values = np.zeros((2, 5000), np.float32)
    values[:, 10:14] = 3e38
    values[:, 4000:4004] = -3e38
    values[1, 77] = np.inf
    x, out = nd.array(values), nd.zeros(2)
    run(step(2, 5000, program=[("binary:multiply", 1, 2, 0)]), [x, nd.ones((2, 5000))], [out])
    assert out.asnumpy().tolist() == [0, np.inf]


@pytest.mark.parametrize("position", [0, 2048, 99_999])
def test_nan_propagates_from_any_tile(position):
    values = np.ones((1, 100_000), np.float32)
    values[0, position] = np.nan
    for name in ("sum", "mean", "max", "norm"):
        out = nd.zeros(1)
        run(step(1, 100_000, [(name, 0)]), [nd.array(values), nd.zeros((1, 100_000))], [out])
        assert np.isnan(out.asnumpy()).all()


@pytest.mark.parametrize(
    ("folds", "rows", "width"),
    [
        ([], 2, 3),
        ([("sum", 0)] * (MOST_FOLDS + 1), 2, 3),
        ([("sum", 0)], 0, 3),
        ([("sum", 0)], 3, 0),
        ([("sum", 0)], 1 << 62, 1 << 62),
        ([("sum", 3)], 2, 3),
        ([("sum", -1)], 2, 3),
        ([("no_such", 0)], 2, 3),
    ],
)
def test_invalid_arguments_are_rejected(folds, rows, width):
    with pytest.raises(ValueError, match="FusedReduction"):
        step(rows, width, folds)


def test_arrays_that_do_not_fit_are_rejected():
    x = nd.ones((4, 5))
    with pytest.raises(ShapeError, match="an output has 5 elements of type code 0; expected 4"):
        run(step(4, 5), [x, x], [nd.zeros(5)])
    with pytest.raises(ShapeError, match="4 elements of type code 1; expected 4 of type code 0"):
        run(step(4, 5), [x, x], [nd.zeros(4, dtype="float64")])
    with pytest.raises(ShapeError, match="an array has 20 elements of type code 0; expected 24"):
        run(step(4, 6), [x, x], [nd.zeros(4)])
    with pytest.raises(OpforgeError, match="2 outputs"):
        run(step(4, 5), [x, x], [nd.zeros(4), nd.zeros(4)])
    with pytest.raises(OpforgeError, match="not initialized"):
        run(FusedReduction.__new__(FusedReduction), [], [])
