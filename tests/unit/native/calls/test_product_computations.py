"""Dense and Dot against NumPy, for every type and rank, and their errors."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.native.calls.epilogue import Epilogue
from opforge.native.calls.product_computations import Dense, Dot


def run(computation, inputs, shape, dtype="float32"):
    out = nd.full(shape, 7, dtype=dtype)
    computation([nd.array(x, dtype=x.dtype) for x in inputs], [out], ["write"])
    return out.asnumpy()


def numbers(shape, dtype):
    return np.random.randint(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
@pytest.mark.parametrize("shape", [(4, 6), (4, 2, 3), (0, 6), (64, 60)])
def test_dense(dtype, shape):
    data, features = numbers(shape, dtype), int(np.prod(shape[1:]))
    weight, bias = numbers((5, features), dtype), numbers((5,), dtype)
    product = data.reshape(shape[0], features) @ weight.T
    np.testing.assert_array_equal(
        run(Dense(5), [data, weight, bias], (shape[0], 5), dtype), product + bias
    )
    np.testing.assert_array_equal(
        run(Dense(5, bias=False), [data, weight], (shape[0], 5), dtype), product
    )


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_dot_of_matrices(transpose_a, transpose_b, dtype):
    a, b = numbers((3, 4), dtype), numbers((4, 5), dtype)
    given = [a.T.copy() if transpose_a else a, b.T.copy() if transpose_b else b]
    np.testing.assert_array_equal(run(Dot(transpose_a, transpose_b), given, (3, 5), dtype), a @ b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dot_with_an_epilogue(dtype):
    a, b, c = numbers((3, 4), dtype), numbers((4, 5), dtype), numbers((3, 5), dtype)
    dot = Dot().with_epilogue(Epilogue([("add", ("full",), False), ("multiply", 2.0, False)]))
    np.testing.assert_array_equal(run(dot, [a, b, c], (3, 5), dtype), (a @ b + c) * 2)
    with pytest.raises(OpforgeError, match="3 inputs"):
        run(dot, [a, b], (3, 5), dtype)
    with pytest.raises(ShapeError, match="operand of step 0"):
        run(dot, [a, b, c[:2]], (3, 5), dtype)


def test_dot_accumulates_in_the_output():
    a, b, c = (numbers(shape, "float32") for shape in ((3, 4), (4, 5), (3, 5)))
    out = nd.array(c)
    dot = Dot().with_epilogue(Epilogue([("add", ("full",), False)]))
    dot([nd.array(a), nd.array(b), out], [out], ["write"])
    np.testing.assert_array_equal(out.asnumpy(), a @ b + c)


def test_dot_of_other_ranks():
    cube, vector, matrix = (numbers(s, "float32") for s in ((2, 3, 4), (4,), (4, 5)))
    np.testing.assert_array_equal(run(Dot(), [vector, vector], (1,)), [vector @ vector])
    np.testing.assert_array_equal(run(Dot(), [cube, vector], (2, 3)), cube @ vector)
    np.testing.assert_array_equal(run(Dot(), [cube, matrix], (2, 3, 5)), cube @ matrix)
    np.testing.assert_array_equal(
        run(Dot(), [matrix.T.copy(), cube.transpose(2, 0, 1).copy()], (5, 2, 3)),
        np.tensordot(matrix.T, cube, (1, 2)),
    )


@pytest.mark.parametrize("shapes", [((2, 3), (4, 5)), ((2, 3), (3,)), ((), (1,))])
def test_dot_rejects_mismatched_shapes(shapes):
    with pytest.raises(ShapeError, match=r"kernels\.Dot"):
        run(Dot(), [numbers(s, "float32") for s in shapes], (2, 5))


def test_dense_rejects_mismatched_arrays():
    data, weight, bias = (numbers(s, "float32") for s in ((2, 3), (4, 3), (4,)))
    with pytest.raises(ShapeError, match=r"weight \(4, 3\).*expected a weight with 5 rows"):
        run(Dense(5), [data, weight, bias], (2, 5))
    with pytest.raises(ShapeError, match="do not match"):
        run(Dense(4), [data, weight, bias], (3, 4))
    with pytest.raises(ShapeError, match="bias"):
        run(Dense(4), [data, weight, bias[:3]], (2, 4))
    with pytest.raises(DTypeError, match="float32, float64, float32"):
        run(Dense(4), [data, weight.astype("float64"), bias], (2, 4))
    with pytest.raises(OpforgeError, match="takes 3 inputs and 1 outputs, got 2 and 1"):
        run(Dense(4), [data, weight], (2, 4))
