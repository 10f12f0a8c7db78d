"""FusedStep: several elementwise kernels in one pass over tiles."""

import numpy as np
import pytest

import opforge
from opforge import nd
from opforge.base.errors import OpforgeError, ShapeError
from opforge.native.graph.fused import MOST_REGISTERS, FusedStep
from opforge.native.graph.program import Program
from opforge.native.loops import stores

SIZES = [1, 7, 511, 512, 513, 5003, 300_001]
# Operands: register 0, constants 1 and 2, inputs 3 and 4, output 5.
CALLS = [
    ("binary:multiply", 3, 1, 0),
    ("unary:tanh", 0, 0, 0),
    ("binary:subtract", 2, 0, 0),
    ("binary:add", 0, 4, 5),
]


def step(code=0, calls=CALLS, registers=1, constants=(0.5, 2.0), inputs=2, outputs=1):
    return FusedStep(
        code, list(calls), registers, list(constants), inputs, outputs, [0] * outputs, {}
    )


def run(fused, inputs, outputs):
    arrays = [*inputs, *outputs]
    slots = list(range(len(arrays)))
    program = Program([(fused, "fused", slots[: len(inputs)], slots[len(inputs) :])], arrays)
    program.run(0, 1, False)


@pytest.fixture(params=[1, 2])
def threads(request):
    before = opforge.set_num_threads(request.param)
    yield
    opforge.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", SIZES)
def test_results_are_those_of_the_single_operators(dtype, size, threads):
    rng = np.random.default_rng(size)
    x, y = (nd.array(rng.normal(size=size), dtype=dtype) for _ in range(2))
    out = nd.zeros(size, dtype=dtype)
    run(step(nd.zeros(1, dtype=dtype).dtype_code), [x, y], [out])
    expected = 2.0 - nd.tanh(x * 0.5) + y
    np.testing.assert_array_equal(out.asnumpy(), expected.asnumpy())


@pytest.mark.parametrize("size", SIZES)
def test_bfloat16_is_rounded_once(size, threads):
    dtype = "bfloat16"
    rng = np.random.default_rng(size)
    x, y = (nd.array(rng.normal(size=size), dtype=dtype) for _ in range(2))
    out = nd.zeros(size, dtype=dtype)
    # Register 0 for the result, 1 and 2 for inputs; constants 3 and 4, inputs 5 and 6, output 7.
    calls = [("binary:multiply", 5, 3, 0), ("unary:tanh", 0, 0, 0)]
    calls += [("binary:subtract", 4, 0, 0), ("binary:add", 0, 6, 7)]
    code = out.dtype_code
    run(FusedStep(code, calls, 3, [0.5, 2.0], 2, 1, [0], {}, [1, 2]), [x, y], [out])
    wide_x, wide_y = x.astype("float32"), y.astype("float32")
    expected = (2.0 - nd.tanh(wide_x * 0.5) + wide_y).astype(dtype)
    np.testing.assert_array_equal(out.asnumpy(), expected.asnumpy())
    run(FusedStep(code, calls, 3, [0.5, 2.0], 2, 1, [0], {}, [1, 2]), [x, y], [x])  # in place
    np.testing.assert_array_equal(x.asnumpy(), expected.asnumpy())


@pytest.mark.parametrize("rows", [(1, 300, 1), (300, 70, 1), (21000, 1, 1), (300, 1, 300)])
def test_bfloat16_is_broadcast(rows, threads):
    dtype = "bfloat16"
    x = nd.random.normal(shape=(70, 300)).astype(dtype)
    y = nd.random.normal(shape=(rows[1] * rows[2],)).astype(dtype)
    out = nd.zeros((70, 300), dtype=dtype)
    # Register 0 for the spread input, 1 for the other, 2 for the output; inputs 3 and 4, output 5.
    calls = [("binary:multiply", 3, 4, 2), ("binary:add", 2, 4, 5)]
    run(FusedStep(out.dtype_code, calls, 3, [], 2, 1, [2], {1: (0, *rows)}, [1, -1]), [x, y], [out])
    repeat, period, lanes = rows
    at = np.arange(out.size)
    spread = y.astype("float32").asnumpy()[at // repeat % period * lanes + at % lanes]
    spread = nd.array(spread.reshape(out.shape))
    expected = (x.astype("float32") * spread + spread).astype(dtype)
    np.testing.assert_array_equal(out.asnumpy(), expected.asnumpy())


def test_inputs_of_bfloat16_need_registers():
    with pytest.raises(ValueError, match="are not registers for 1 inputs"):
        FusedStep(8, [("unary:exp", 1, 0, 2)], 1, [], 1, 1, [0], {})


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers(dtype):
    x, y = nd.arange(1000, dtype=dtype), nd.arange(1000, dtype=dtype) * 3
    out = nd.zeros(1000, dtype=dtype)
    calls = [("binary:multiply", 2, 1, 0), ("binary:add", 0, 3, 4)]
    run(step(x.dtype_code, calls, constants=(7,)), [x, y], [out])
    np.testing.assert_array_equal(out.asnumpy(), x.asnumpy() * 7 + y.asnumpy())


@pytest.mark.parametrize("size", SIZES)
def test_streamed_results_are_the_same(size, threads):
    x, y = nd.random.normal(shape=(size,)), nd.random.normal(shape=(size,))
    plain, streamed = nd.zeros(size), nd.zeros(size)
    run(step(), [x, y], [plain])
    before = stores._set_threshold(0)
    try:
        run(step(), [x, y], [streamed])
    finally:
        stores._set_threshold(before)
    np.testing.assert_array_equal(plain.asnumpy(), streamed.asnumpy())


@pytest.mark.parametrize("threshold", [0, 1 << 60])
def test_output_that_is_read_again_and_one_on_its_input(threshold):
    x = nd.array(np.linspace(-1, 1, 3000))
    first, values = nd.zeros(3000), x.asnumpy()
    # Registers 0 and 1, input 2, outputs 3 and 4; the second output lies on the input.
    calls = [("unary:square", 2, 2, 3), ("binary:add", 3, 2, 4)]
    fused = FusedStep(0, calls, 2, [], 1, 2, [0, 1], {})
    before = stores._set_threshold(threshold)
    try:
        run(fused, [x], [first, x])
    finally:
        stores._set_threshold(before)
    np.testing.assert_array_equal(first.asnumpy(), np.square(values))
    np.testing.assert_array_equal(x.asnumpy(), np.square(values) + values)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "rows"),
    [
        ((1, 300), (1, 300, 1)),
        ((70, 1), (300, 70, 1)),
        ((1, 1), (21000, 1, 1)),
    ],
)
def test_broadcast_inputs(dtype, shape, rows, threads):
    x, y = (
        nd.random.normal(shape=(70, 300), dtype=dtype),
        nd.random.normal(shape=shape, dtype=dtype),
    )
    out = nd.zeros((70, 300), dtype=dtype)
    # Register 0 for the spread input, 1 for the output; inputs 2 and 3, output 4.
    calls = [("binary:multiply", 2, 3, 1), ("binary:add", 1, 3, 4)]
    fused = FusedStep(x.dtype_code, calls, 2, [], 2, 1, [1], {1: (0, *rows)})
    run(fused, [x, y], [out])
    np.testing.assert_array_equal(out.asnumpy(), (x * y + y).asnumpy())
    with pytest.raises(ShapeError):
        run(fused, [x, nd.zeros(rows[1] + 1, dtype=dtype)], [out])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("lanes", [1, 2, 3, 8, 16, 17, 513, 1100])
@pytest.mark.parametrize(("images", "channels", "positions"), [(1, 1, 7), (2, 3, 100), (3, 5, 1)])
def test_inputs_that_are_repeated_in_rows(dtype, lanes, images, channels, positions, threads):
    rng = np.random.default_rng(lanes)
    x = rng.normal(size=(images, channels, positions, lanes)).astype(dtype)
    y = rng.normal(size=(channels, 1, lanes)).astype(dtype)
    y[-1, 0, -1] = np.nan
    arrays, out = [nd.array(value, dtype=dtype) for value in (x, y)], nd.zeros(x.shape, dtype=dtype)
    calls = [("binary:multiply", 2, 3, 1), ("binary:add", 1, 3, 4)]
    rows = {1: (0, positions * lanes, channels, lanes)}
    run(FusedStep(out.dtype_code, calls, 2, [], 2, 1, [1], rows), arrays, [out])
    np.testing.assert_array_equal(out.asnumpy(), x * y + y)


@pytest.mark.parametrize(
    "spread", [(5, 1, 3, 1), (0, 0, 3, 1), (0, 1, 0, 1), (0, 5, 3, 2), (0, 2, 3, 0)]
)
def test_invalid_broadcasts_are_rejected(spread):
    with pytest.raises(ValueError, match="cannot be spread"):
        FusedStep(0, [("unary:exp", 1, 1, 2)], 1, [], 1, 1, [0], {0: spread})


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"code": 2}, "element type"),
        ({"registers": MOST_REGISTERS + 1}, "too many"),
        ({"calls": [("unary:no_such", 0, 0, 0)]}, "no kernel"),
        ({"calls": [("unary:exp", 0, 0, 9)]}, "operand 9"),
        ({"calls": [("unary:exp", -1, 0, 0)]}, "operand -1"),
        ({"registers": 0}, "not registers"),
    ],
)
def test_invalid_arguments_are_rejected(arguments, text):
    with pytest.raises(ValueError, match=text):
        step(**arguments)


def test_arrays_that_do_not_fit_are_rejected():
    x, y = nd.ones(10), nd.ones(11)
    with pytest.raises(ShapeError, match="an array has 11 elements of type code 0; expected 10"):
        run(step(), [x, y], [nd.zeros(10)])
    with pytest.raises(ShapeError):
        run(step(), [x, nd.ones(10, dtype="float64")], [nd.zeros(10)])
    with pytest.raises(OpforgeError, match="inputs"):
        run(step(), [x], [nd.zeros(10)])
