"""`Rtc.push` runs a kernel over grid and block, and checks its arrays first."""

import numpy as np
import pytest

import opforge as mx
from opforge.base.errors import DTypeError, OpforgeError, ShapeError

pytestmark = pytest.mark.usefixtures("c_compiler")

SCALE = "y[threadIdx.x] = x[threadIdx.x] * 5.0f;"


def make(body=SCALE, shape=(10,), name="scale", **types):
    x, y = mx.nd.ones(shape, **types), mx.nd.zeros(shape, **types)
    return mx.rtc(name, [("x", x)], [("y", y)], body), x, y


def test_mxnets_own_example():
    kernel, x, y = make(
        """
        __shared__ float s_rec[10];
        s_rec[threadIdx.x] = x[threadIdx.x];
        y[threadIdx.x] = expf(s_rec[threadIdx.x]*5.0);"""
    )
    kernel.push([x], [y], (1, 1, 1), (10, 1, 1))
    np.testing.assert_allclose(y.asnumpy(), np.exp(x.asnumpy() * 5), rtol=1e-6)


def test_other_arrays_of_the_same_shape_are_accepted():
    kernel, _, _ = make()
    x, y = mx.nd.arange(10), mx.nd.zeros((10,))
    kernel.push([x], [y], (1, 1, 1), (10, 1, 1))
    assert y.asnumpy().tolist() == (5 * np.arange(10)).tolist()


@pytest.mark.plugins
def test_the_seeds_softmax_with_its_source():
    """A row for each thread, as its launch of (1, 1, 1) by (rows, 1, 1) has it."""
    body = """
    const float *in = x + threadIdx.x * x_dims[1];
    float *out = y + threadIdx.x * x_dims[1];
    float top = in[0], sum = 0;
    for (int i = 1; i < x_dims[1]; i++) top = max(top, in[i]);
    for (int i = 0; i < x_dims[1]; i++) sum += out[i] = expf(in[i] - top);
    for (int i = 0; i < x_dims[1]; i++) out[i] /= sum;
    """
    x = mx.nd.array(np.random.default_rng(0).standard_normal((4, 5)))
    y = mx.nd.zeros((4, 5))
    mx.rtc("softmax", [("x", x)], [("y", y)], body).push([x], [y], (1, 1, 1), (4, 1, 1))
    np.testing.assert_allclose(y.asnumpy(), mx.nd.softmax(x).asnumpy(), rtol=1e-5)


def test_bodies_are_in_cudas_language():
    """The gradient of MXNet's example has a cast of C++; `abs` of a float is one."""
    body = """
    int i = blockIdx.x, j = threadIdx.x;
    int k = static_cast<int>(l[i]);
    auto one = [](float v) { return abs(v) / 2.5f; };
    dx[i * dx_dims[1] + j] = y[i * dx_dims[1] + j] - (j == k ? one(-2.5f) : 0.0f);
    """
    y, labels, dx = mx.nd.ones((2, 3)), mx.nd.array([0, 2]), mx.nd.zeros((2, 3))
    kernel = mx.rtc("softmax_grad", [("y", y), ("l", labels)], [("dx", dx)], body)
    kernel.push([y, labels], [dx], (2, 1, 1), (3, 1, 1))
    assert dx.asnumpy().tolist() == [[0, 1, 1], [1, 1, 0]]


def test_a_kernel_may_have_the_name_of_a_function():
    kernel, x, y = make("y[threadIdx.x] = exp(x[threadIdx.x]);", name="exp")
    kernel.push([x], [y], (1, 1, 1), (10, 1, 1))
    np.testing.assert_allclose(y.asnumpy(), np.exp(1), rtol=1e-6)


def test_every_thread_of_every_block_runs_once():
    body = """
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    atomicAdd(&y[block * blockDim.x * blockDim.y * blockDim.z + thread], 1);
    """
    y = mx.nd.zeros((24 * 30,))
    mx.rtc("count", [], [("y", y)], body).push([], [y], (2, 3, 4), (5, 3, 2))
    assert (y.asnumpy() == 1).all()


def test_each_type_has_its_own_in_c():
    types = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"]
    inputs = [(f"x{i}", mx.nd.ones((2,), dtype=t)) for i, t in enumerate(types)]
    outputs = [(f"y{i}", mx.nd.zeros((2,), dtype=t)) for i, t in enumerate(types)]
    body = "\n".join(f"y{i}[threadIdx.x] = x{i}[threadIdx.x];" for i in range(len(types)))
    kernel = mx.rtc("copies", inputs, outputs, body)
    kernel.push([x for _, x in inputs], [y for _, y in outputs], (1, 1, 1), (2, 1, 1))
    assert [y.asnumpy().tolist() for _, y in outputs] == [[1, 1]] * len(types)


def test_several_inputs_and_outputs_keep_their_order():
    a, b = mx.nd.array([1.0]), mx.nd.array([10.0])
    s, d = mx.nd.zeros((1,)), mx.nd.zeros((1,))
    kernel = mx.rtc(
        "both",
        [("a", a), ("b", b)],
        [("s", s), ("d", d)],
        "s[0] = a[0] + b[0]; d[0] = a[0] - b[0];",
    )
    kernel.push([a, b], [s, d], (1, 1, 1), (1, 1, 1))
    assert (s.asscalar(), d.asscalar()) == (11, -9)


def test_without_a_source_it_can_be_made_and_not_run():
    kernel, x, y = make(body=None)
    with pytest.raises(OpforgeError, match=r"'scale' has no source.*body in C++"):
        kernel.push([x], [y], (1, 1, 1), (10, 1, 1))


def test_an_array_of_another_shape_is_rejected():
    kernel, x, y = make()
    with pytest.raises(ShapeError, match=r"input 'x' has shape \(9,\), .* created for \(10,\)"):
        kernel.push([x[:9]], [y], (1, 1, 1), (10, 1, 1))
    with pytest.raises(ShapeError, match="output 'y' has shape"):
        kernel.push([x], [y.reshape((2, 5))], (1, 1, 1), (10, 1, 1))


def test_an_array_of_another_type_is_rejected():
    kernel, x, y = make()
    with pytest.raises(
        DTypeError, match="has dtype float64, but the kernel was created for float32"
    ):
        kernel.push([x.astype("float64")], [y], (1, 1, 1), (10, 1, 1))


@pytest.mark.parametrize("ins", [[], [1, 2], [np.ones(10, np.float32)]])
def test_wrong_inputs_are_rejected(ins):
    kernel, _, y = make()
    with pytest.raises(OpforgeError, match=r"takes 1 inputs \(x\), got|must be an NDArray"):
        kernel.push(ins, [y], (1, 1, 1), (10, 1, 1))


@pytest.mark.parametrize("dims", [(1,), (1, 1), (0, 1, 1), (1, -1, 1), (1.0, 1, 1), 3, "abc"])
def test_wrong_dimensions_are_rejected(dims):
    kernel, x, y = make()
    with pytest.raises(OpforgeError, match=r"grid_dims is .*three positive integers"):
        kernel.push([x], [y], dims, (1, 1, 1))
    with pytest.raises(OpforgeError, match="block_dims is"):
        kernel.push([x], [y], (1, 1, 1), dims)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([("x y", None)], "expected pairs"),
        ([mx.nd.ones(1)], "expected pairs"),
        ([("x-1", mx.nd.ones(1))], "'x-1' is not an identifier of C"),
        ([("x", mx.nd.ones(1)), ("x", mx.nd.ones(1))], "'x' is used twice"),
        ([("k", mx.nd.ones(1))], "'k' is used twice"),
    ],
)
def test_wrong_names_are_rejected(inputs, message):
    with pytest.raises(OpforgeError, match=message):
        mx.rtc("k", inputs, [], "")


def test_results_are_visible_to_later_operators():
    kernel, x, y = make()
    kernel.push([x], [y], (1, 1, 1), (10, 1, 1))
    kernel.push([y], [x], (1, 1, 1), (10, 1, 1))
    assert (x + 0).asnumpy().tolist() == [25] * 10
