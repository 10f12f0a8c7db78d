"""Creation of arrays against NumPy, with MXNet's default types."""

import math

import numpy as np
import pytest
from opforge_numpy import creation
from opforge_numpy.arrays import ndarray
from opforge_numpy.promotion import name_of

from opforge import MXNetError, autograd, cpu, nd
from opforge.base.numpy_semantics import set_np_default_dtype
from opforge.gluon import nn

SHAPES = ((), (0,), (3,), (2, 0, 3), (2, 3, 4))
TYPES = ("float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool")


def test_array_of_numbers_and_sequences():
    for value in (1, 1.5, True, [1, 2], [[1.0], [2.0]], (), [True, False]):
        x = creation.array(value)
        assert type(x) is ndarray
        assert name_of(x) == "float32"
        np.testing.assert_array_equal(x.asnumpy(), np.asarray(value, "float32"))


@pytest.mark.parametrize("dtype", TYPES)
def test_array_keeps_the_type_of_arrays(dtype):
    host = np.ones((2, 3), dtype)
    for source in (host, creation.array(host), nd.array(host, dtype=dtype)):
        x = creation.array(source)
        assert type(x) is ndarray
        assert name_of(x) == dtype
        assert name_of(creation.array(source, dtype="float64")) == "float64"


def test_types_of_python_are_those_of_numpy(agree):
    agree(creation.array, np.array, np.float64(2))
    agree(creation.array, np.array, [1], float)
    agree(creation.zeros, np.zeros, 2, int)
    agree(creation.full, np.full, 2, 1, float)
    agree(creation.arange, np.arange, 3, dtype=int)
    agree(creation.eye, np.eye, 3, dtype=int)


def test_array_copies():
    x = creation.ones(2)
    y = creation.array(x)
    y[0] = 5
    assert x.asnumpy().tolist() == [1, 1]


def test_array_of_arrays():
    x = creation.ones(2, dtype="int32")
    assert creation.array([x, x]).shape == (2, 2)


def test_array_rejects_other_objects():
    for value in ("a", [[1], [2, 3]], [None]):
        with pytest.raises(TypeError):
            creation.array(value)


@pytest.mark.parametrize("shape", SHAPES)
def test_filled_arrays(agree, shape):
    for dtype in TYPES:
        for name in ("zeros", "ones"):
            agree(getattr(creation, name), getattr(np, name), shape, dtype)
        agree(creation.full, np.full, shape, 1, dtype=dtype)
        x = creation.full(shape, 3, dtype)
        for name, value in (("zeros_like", 0), ("ones_like", 1)):
            y = getattr(creation, name)(x)
            assert (y.shape, name_of(y)) == (shape, dtype)
            assert (y.asnumpy() == value).all()
        assert creation.empty(shape, dtype).shape == shape
        assert name_of(creation.empty_like(x)) == dtype
    assert name_of(creation.zeros_like(x, dtype="float16")) == "float16"
    assert name_of(creation.full_like(x, 2, dtype="int32")) == "int32"


def test_default_types():
    made = {
        "zeros": (2,),
        "ones": (2,),
        "empty": (2,),
        "full": (2, 1),
        "arange": (3,),
        "linspace": (0, 1, 3),
        "logspace": (0, 1, 3),
        "eye": (2,),
        "identity": (2,),
        "tri": (2,),
        "hanning": (3,),
        "hamming": (3,),
        "blackman": (3,),
    }
    for name, args in made.items():
        assert name_of(getattr(creation, name)(*args)) == "float32"
    assert name_of(creation.full(2, True)) == "bool"
    assert name_of(creation.indices((2,))) == "int32"


def test_default_types_of_numpy(agree):
    before = set_np_default_dtype(True)
    try:
        for value in (1, 1.5, True, [1, 2], [1.5]):
            assert creation.array(value).dtype == np.asarray(value).dtype
        agree(creation.zeros, np.zeros, 2)
        agree(creation.full, np.full, 2, 1)
        agree(creation.arange, np.arange, 3)
        agree(creation.arange, np.arange, 3.0)
        agree(creation.linspace, np.linspace, 0, 1, 3)
        agree(creation.eye, np.eye, 2)
        agree(creation.indices, np.indices, (2, 3))
    finally:
        set_np_default_dtype(before)


def test_full_with_arrays_and_out():
    x = creation.full((2, 3), creation.arange(3))
    assert x.asnumpy().tolist() == [[0, 1, 2]] * 2
    out = creation.zeros(2)
    assert creation.full(2, 7, out=out) is out
    assert creation.full_like(out, 8, out=out) is out
    assert out.asnumpy().tolist() == [8, 8]


def test_devices_and_order():
    for function, args in ((creation.zeros, (2,)), (creation.array, (1,)), (creation.arange, (2,))):
        assert function(*args, ctx=cpu(0)).context == cpu(0)
        assert function(*args, device=cpu(0)).context == cpu(0)
    with pytest.raises(NotImplementedError, match="order 'C'"):
        creation.zeros(2, order="F")


@pytest.mark.parametrize(
    "args", [(5,), (3.5,), (2, 8, 2), (3, 0), (3, 0, -1), (0, 1, 0.25), (-2, 2)]
)
def test_arange(agree, args):
    agree(creation.arange, np.arange, *args, types=False)
    agree(creation.arange, np.arange, *args, dtype="int32")


def test_arange_without_step(agree):
    agree(creation.arange, np.arange, 0, 5, None, dtype="float32")


@pytest.mark.parametrize("num", [-1, 2.5])
def test_linspace_rejects_other_numbers(num):
    with pytest.raises(MXNetError, match="expected an integer >= 0"):
        creation.linspace(0, 10, num)


def test_diagonals_without_elements_have_gradients():
    x = creation.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = creation.diagonal(x, 5)
    y.backward()
    assert y.shape == (0,) and x.grad.asnumpy().sum() == 0


def test_arange_rejects_a_step_of_zero():
    with pytest.raises(ZeroDivisionError, match="step is 0"):
        creation.arange(0, 1, 0)


def test_spaced_values(agree):
    for options in ({}, {"num": 1}, {"num": 0}, {"endpoint": False}, {"num": 4, "retstep": True}):
        agree(creation.linspace, np.linspace, 0, 5, **options, types=False)
    agree(creation.linspace, np.linspace, 0, 5, 8, dtype="int32")
    agree(creation.linspace, np.linspace, np.ones(2), np.zeros(2), 3, axis=1, types=False)
    agree(creation.logspace, np.logspace, 0, 2, 5, base=2.0, types=False)


def test_windows(agree):
    for name in ("hanning", "hamming", "blackman"):
        for points in (0, 1, 2, 7):
            agree(getattr(creation, name), getattr(np, name), points, types=False)
        assert name_of(getattr(creation, name)(3, dtype="float64")) == "float64"


def test_matrices(agree):
    agree(creation.eye, np.eye, 2, 3, 1, types=False)
    agree(creation.eye, np.eye, 3, k=-1, dtype="int32")
    agree(creation.identity, np.identity, 0, types=False)
    agree(creation.tri, np.tri, 2, 3, -1, types=False)
    with pytest.raises(ValueError, match="at least 0"):
        creation.eye(-1)


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles(agree, check_gradient, name):
    ours, numpys = getattr(creation, name), getattr(np, name)
    for values in (np.arange(3), np.ones((2, 3)), np.ones((2, 3, 3), "int32"), np.ones((0, 2))):
        for k in (-1, 0, 1, 5):
            agree(ours, numpys, values, k)
    agree(ours, numpys, np.full((2, 2), np.nan))
    check_gradient(ours, np.random.default_rng(0).normal(size=(2, 3, 3)))
    with pytest.raises(ValueError, match="no axes"):
        ours(creation.ones(()))


def test_grids(agree):
    for shape in ((2, 3), (2,), (), (2, 0)):
        agree(creation.indices, np.indices, shape, dtype="int32")
    x, y, z = np.arange(3.0), np.arange(2, dtype="int32"), np.ones(4)
    for arguments in ((), (x,), (x, y), (x, y, z), (x, np.ones(0, "float32"))):
        for indexing in ("xy", "ij"):
            agree(creation.meshgrid, np.meshgrid, *arguments, indexing=indexing)
            agree(creation.meshgrid, np.meshgrid, *arguments, indexing=indexing, sparse=True)
    with pytest.raises(ValueError, match="'xy' or 'ij'"):
        creation.meshgrid(creation.ones(2), indexing="yx")


def test_diagonals(agree, check_gradient):
    matrix, cube = np.arange(6.0).reshape(2, 3), np.arange(24.0).reshape(2, 3, 4)
    for k in (-3, -1, 0, 1, 2, 7):
        agree(creation.diag, np.diag, matrix, k)
        agree(creation.diag, np.diag, np.arange(3), k)
        agree(creation.diagflat, np.diagflat, matrix, k)
        agree(creation.diagonal, np.diagonal, cube, k)
        agree(creation.diagonal, np.diagonal, cube, k, -1, 1)
        agree(creation.trace, np.trace, cube, k, 1, 2)
        agree(creation.trace, np.trace, matrix, k)
    agree(creation.trace, np.trace, np.ones((2, 2), "int64"))
    agree(creation.diagonal, np.diagonal, np.ones((2, 0, 3)), 0, 1, 2)
    check_gradient(creation.diag, matrix)
    check_gradient(creation.diagflat, matrix)
    check_gradient(lambda x: creation.trace(x, 1, 0, 2), cube)
    with pytest.raises(ValueError, match="1 or 2"):
        creation.diag(creation.ones((2, 2, 2)))


def test_copy(check_gradient):
    x = creation.ones(2)
    y = creation.copy(x)
    assert not creation.shares_memory(x, y)
    check_gradient(creation.copy, np.ones(2))


def test_shared_memory():
    x = creation.arange(4)
    assert creation.may_share_memory(x, x[1:])
    assert not creation.may_share_memory(x[:2], x[2:])
    assert not creation.may_share_memory(x, creation.ones(0))
    with pytest.raises(TypeError, match="arrays of np"):
        creation.may_share_memory(x, np.ones(2))


def test_constants():
    assert creation.pi == math.pi
    assert creation.inf == -creation.NINF
    assert creation.nan != creation.nan
    assert creation.newaxis is None
    assert creation.float32 is np.float32
    assert creation.bool_ is np.bool_
    assert creation.ones(1, dtype=creation.bool).dtype == np.bool_


def test_symbols():
    x = creation.array(np.arange(6.0).reshape(2, 3))
    for function in (
        lambda F, x: F.np.tril(x, -1),
        lambda F, x: F.np.triu(x),
        lambda F, x: F.np.trace(x),
        lambda F, x: F.np.diagonal(x, 1),
        lambda F, x: F.np.zeros_like(x),
        lambda F, x: F.np.full_like(x, 3),
        lambda F, x: F.np.copy(x) + F.np.arange(3),
        lambda F, x: F.np.meshgrid(F.np.diagonal(x), F.np.diagonal(x, -1))[0],
    ):
        block = nn.HybridLambda(function)
        expected = block(x)
        block.hybridize()
        found = block(x)
        assert type(found) is ndarray
        np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())


def test_copies_on_another_device_keep_the_class():
    x = creation.ones(2)
    for y in (x.as_in_ctx(cpu(1)), x.as_in_context(cpu(1)), x.copyto(cpu(1)), x.to_device(cpu(1))):
        assert type(y) is ndarray
        assert y.context == cpu(1)
