"""Functions of shapes against NumPy."""

from typing import Any

import numpy as np
import pytest
from opforge_numpy import np as mxnp

from opforge import cpu
from opforge.base import MXNetError

RANDOM = np.random.default_rng(0)


def values(*shape: int, dtype: str = "float32") -> Any:
    """Return small distinct numbers."""
    return RANDOM.permutation(int(np.prod(shape))).reshape(shape).astype(dtype)


SCALAR, EMPTY, NONE, MATRIX = values(), values(0), values(2, 0, 3), values(2, 3)
CUBE = values(2, 3, 4)
SAMPLES = (SCALAR, EMPTY, NONE, MATRIX, CUBE, values(4, dtype="int32"), values(3, 1, dtype="int64"))

CASES = [
    *[("ravel", (x,), {}) for x in SAMPLES],
    *[("transpose", (x,), {}) for x in SAMPLES],
    *[("squeeze", (x,), {}) for x in SAMPLES],
    *[("expand_dims", (x, 0), {}) for x in SAMPLES],
    *[("expand_dims", (x, (0, -1)), {}) for x in SAMPLES],
    *[("atleast_1d", (x,), {}) for x in SAMPLES],
    *[("atleast_2d", (x,), {}) for x in SAMPLES],
    *[("atleast_3d", (x,), {}) for x in SAMPLES],
    *[("flip", (x,), {}) for x in SAMPLES],
    *[("repeat", (x, 2), {}) for x in SAMPLES],
    *[("repeat", (x, 0), {}) for x in SAMPLES],
    *[("tile", (x, 2), {}) for x in SAMPLES],
    *[("tile", (x, (2, 1, 2)), {}) for x in SAMPLES],
    *[("tile", (x, (0, 2)), {}) for x in SAMPLES],
    *[("roll", (x, 1), {}) for x in SAMPLES],
    *[("resize", (x, (3, 3)), {}) for x in SAMPLES],
    *[("append", (x, x), {}) for x in SAMPLES],
    *[("unique", (x,), {}) for x in SAMPLES],
    *[("flatnonzero", (x,), {}) for x in SAMPLES],
    *[("nonzero", (x,), {}) for x in SAMPLES if x.ndim],
    *[("pad", (x, 1), {}) for x in SAMPLES],
    *[("broadcast_to", (x, (2, *x.shape)), {}) for x in SAMPLES],
    *[("broadcast_to", (x, x.shape), {}) for x in SAMPLES],
    *[("shape", (x,), {}) for x in SAMPLES],
    ("shape", ([[1, 2]],), {}),
    ("reshape", (SCALAR, (1, 1)), {}),
    ("reshape", (values(1), ()), {}),
    ("reshape", (MATRIX, -1), {}),
    ("reshape", (MATRIX, (3, -1)), {}),
    ("reshape", (MATRIX, (3, -1), "F"), {}),
    ("reshape", (NONE, (0, 5)), {}),
    ("reshape", (NONE, (4, -1)), {}),
    ("reshape", (EMPTY, (3, 0, 2)), {}),
    ("transpose", (CUBE, (1, 0, 2)), {}),
    ("transpose", (CUBE, (-1, 0, 1)), {}),
    ("transpose", (SCALAR, ()), {}),
    ("swapaxes", (CUBE, 0, -1), {}),
    ("moveaxis", (CUBE, 0, -1), {}),
    ("moveaxis", (CUBE, (0, 1), (-1, -2)), {}),
    ("rollaxis", (CUBE, 2), {}),
    ("rollaxis", (CUBE, 0, 3), {}),
    ("squeeze", (values(1, 3, 1),), {"axis": 0}),
    ("squeeze", (values(1, 3, 1),), {"axis": (0, -1)}),
    ("squeeze", (values(1, 1),), {}),
    ("squeeze", (SCALAR, -1), {}),
    ("flip", (CUBE, 1), {}),
    ("flip", (CUBE, (0, -1)), {}),
    ("fliplr", (MATRIX,), {}),
    ("flipud", (MATRIX,), {}),
    *[("rot90", (MATRIX, k), {}) for k in range(-1, 5)],
    ("rot90", (CUBE, 1, (1, 2)), {}),
    ("roll", (MATRIX, -2, 1), {}),
    ("roll", (MATRIX, (1, 2), (0, 1)), {}),
    ("roll", (MATRIX, 1, (0, 1)), {}),
    ("roll", (MATRIX, (1, 2)), {}),
    ("repeat", (MATRIX, 3, 1), {}),
    ("repeat", (MATRIX, [1, 2], 0), {}),
    ("repeat", (MATRIX, [2], 1), {}),
    ("tile", (MATRIX, ()), {}),
    ("broadcast_to", (values(1, 3), (0, 3)), {}),
    ("broadcast_to", (SCALAR, (2, 3)), {}),
    ("broadcast_arrays", (values(2, 1), values(3), SCALAR), {}),
    ("atleast_2d", (SCALAR, MATRIX), {}),
    ("take", (MATRIX, np.array([0, 5, -1])), {}),
    ("take", (MATRIX, np.array([[0, -2], [1, 1]])), {"axis": 1}),
    ("take", (MATRIX, np.array(1)), {"axis": 0}),
    ("take", (values(3), np.array(1)), {"axis": 0}),
    ("take", (SCALAR, np.array([0])), {}),
    ("take", (MATRIX, np.array([], "int64")), {"axis": 1}),
    ("take", (NONE, np.array([1, 0])), {"axis": 0}),
    ("take", (MATRIX, np.array([7, -9])), {"axis": 1, "mode": "wrap"}),
    ("take", (MATRIX, np.array([7, -9])), {"axis": 1, "mode": "clip"}),
    ("take_along_axis", (MATRIX, np.argsort(MATRIX, 1)), {"axis": 1}),
    ("take_along_axis", (MATRIX, np.array([[0, -1]])), {"axis": 1}),
    ("take_along_axis", (MATRIX, np.array([0, 4])), {"axis": None}),
    ("unique", (np.array([[2, 1], [2, 1], [0, 1]]), True, True, True), {}),
    ("unique", (np.array([[2, 1], [2, 1], [0, 1]]),), {"axis": 0}),
    ("unravel_index", (np.array([1, 5]), (2, 3)), {}),
    ("unravel_index", (np.array([[1], [5]]), (2, 3), "F"), {}),
    ("append", (MATRIX, values(1, 3)), {"axis": 0}),
    ("append", (MATRIX, values(2, 1)), {"axis": -1}),
    ("delete", (MATRIX, 1), {}),
    ("delete", (MATRIX, -1, 1), {}),
    ("delete", (MATRIX, np.array([0, 2]), 1), {}),
    ("delete", (MATRIX, [0, 2], 1), {}),
    ("delete", (MATRIX, slice(0, 2), 1), {}),
    ("delete", (MATRIX, np.array([True, False]), 0), {}),
    ("insert", (MATRIX, 1, np.float32(9)), {}),
    ("insert", (MATRIX, 1, values(3), 0), {}),
    ("insert", (MATRIX, 1, values(2), 1), {}),
    ("insert", (MATRIX, [1], values(2, 1), 1), {}),
    ("insert", (MATRIX, [1], values(2, 2), 1), {}),
    ("insert", (MATRIX, slice(1, 2), values(3), 0), {}),
    ("insert", (values(4), [1], values(2)), {}),
    ("insert", (MATRIX, np.array([0, 2]), values(2, 2), 1), {}),
    ("insert", (MATRIX, slice(0, 2), np.float32(5), 1), {}),
    ("insert", (values(4), np.array([1, 1, 4]), values(3)), {}),
    ("insert", (values(4), -1, values(3)), {}),
    *[
        ("pad", (CUBE, ((1, 2), (0, 1), (2, 0)), mode), {})
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum")
    ],
    ("pad", (MATRIX, ((1, 1), (0, 2)), "mean"), {}),
    ("pad", (MATRIX, ((1, 2),)), {"constant_values": 7}),
    ("pad", (MATRIX, 2), {"constant_values": ((1, 2), (3, 4))}),
    ("pad", (values(3, dtype="int32"), (1, 2)), {"constant_values": -7}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_functions_agree_with_numpy(case: Any, agree: Any) -> None:
    name, args, kwargs = case
    agree(getattr(mxnp, name), getattr(np, name), *args, **kwargs)


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "uint8", "int8", "int32", "bool"]
)
def test_element_types_are_kept(dtype: str, agree: Any) -> None:
    x = np.array([[1, 0, 3], [0, 5, 6]]).astype(dtype)
    agree(mxnp.transpose, np.transpose, x)
    agree(mxnp.tile, np.tile, x, (2, 2))
    agree(mxnp.repeat, np.repeat, x, 2, 1)
    agree(mxnp.flip, np.flip, x, 0)
    agree(mxnp.roll, np.roll, x, 1, 1)
    agree(mxnp.take, np.take, x, np.array([1, 0]), 0)
    agree(mxnp.pad, np.pad, x, 1)
    agree(mxnp.unique, np.unique, x)
    agree(mxnp.broadcast_to, np.broadcast_to, x, (2, 2, 3))
    agree(mxnp.delete, np.delete, x, 1, 1)


GRADIENTS: dict[str, Any] = {
    "reshape": lambda x: mxnp.reshape(x, (3, -1)),
    "reshape in the order of columns": lambda x: mxnp.reshape(x, (3, -1), "F"),
    "ravel": mxnp.ravel,
    "expand_dims": lambda x: mxnp.expand_dims(x, (0, 2)),
    "squeeze": lambda x: mxnp.squeeze(mxnp.expand_dims(x, 0)),
    "transpose": lambda x: mxnp.transpose(x) * 2,
    "swapaxes": lambda x: mxnp.swapaxes(x, 0, 1),
    "moveaxis": lambda x: mxnp.moveaxis(x, 0, 1),
    "flip": lambda x: mxnp.flip(x, (0, 1)),
    "rot90": mxnp.rot90,
    "roll": lambda x: mxnp.roll(x, (1, 2), (0, 1)),
    "broadcast_to": lambda x: mxnp.broadcast_to(x, (2, 2, 3)),
    "repeat": lambda x: mxnp.repeat(x, 2, 1),
    "repeat by element": lambda x: mxnp.repeat(x, [1, 0, 2], 1),
    "tile": lambda x: mxnp.tile(x, (2, 1, 2)),
    "resize": lambda x: mxnp.resize(x, (4, 2)),
    "take": lambda x: mxnp.take(x, [0, -1, 0], 1),
    "take_along_axis": lambda x: mxnp.take_along_axis(x, np.array([[0, 0], [1, 2]]), 1),
    "append": lambda x: mxnp.append(x, x * 2),
    "delete": lambda x: mxnp.delete(x, 1, 1),
    "insert": lambda x: mxnp.insert(x, 1, x[0] * 3, 0),
    "pad": lambda x: mxnp.pad(x, 1),
    "pad with different numbers": lambda x: mxnp.pad(x, 1, constant_values=(1, 2)),
    "pad by reflection": lambda x: mxnp.pad(x, ((1, 1), (2, 1)), "reflect"),
    "pad with means": lambda x: mxnp.pad(x, 1, "mean"),
    "pad with maxima": lambda x: mxnp.pad(x, 1, "maximum"),
    "atleast_3d": mxnp.atleast_3d,
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str, check_gradient: Any) -> None:
    check_gradient(GRADIENTS[name], RANDOM.normal(size=(2, 3)))


def test_broadcast_to_keeps_lengths(agree: Any) -> None:
    expected = np.broadcast_to(MATRIX, (4, 2, 3))
    agree(lambda x: mxnp.broadcast_to(x, (4, -2, 3)), lambda x: expected, MATRIX)
    agree(lambda x: mxnp.broadcast_to(x, (4, -2, -2)), lambda x: expected, MATRIX)


def test_delete_ignores_indices_out_of_bounds_in_arrays(agree: Any) -> None:
    indices = np.array([0, 7, -1])
    agree(mxnp.delete, lambda x, _: np.delete(x, [0]), MATRIX, indices)


def test_gradients_of_empty_and_scalar_arrays(check_gradient: Any) -> None:
    check_gradient(lambda x: mxnp.reshape(x, (0, 5)), np.zeros((2, 0, 3)))
    check_gradient(lambda x: mxnp.transpose(x) * 2, np.zeros((2, 0, 3)))
    check_gradient(lambda x: mxnp.broadcast_to(x, (2, 3)), np.array(3.0))
    check_gradient(lambda x: mxnp.expand_dims(x, 0), np.array(3.0))
    check_gradient(lambda x: mxnp.squeeze(x), np.ones((1, 1)))


def test_inserted_numbers_are_on_the_device_of_the_array() -> None:
    x = mxnp.ones((2, 3), ctx=cpu(1))
    for found in (
        mxnp.insert(x, 1, 9),
        mxnp.append(x, [[1, 2, 3]], axis=0),
        mxnp.where(x > 0, x, 0),
    ):
        assert found.context == cpu(1)


def test_reshaped_arrays_share_memory(agree: Any) -> None:
    agree(
        lambda x: _write_through(mxnp.reshape(x, -1), x),
        lambda x: _write_through(x.reshape(-1), x),
        MATRIX,
    )


def _write_through(view: Any, x: Any) -> Any:
    view[1] = 50
    return x


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("reshape", (MATRIX, (4, 2)), ValueError),
        ("reshape", (MATRIX, (-1, -1)), ValueError),
        ("reshape", (MATRIX, (-1, 4)), ValueError),
        ("reshape", (NONE, (-1, 0)), ValueError),
        ("transpose", (MATRIX, (0,)), ValueError),
        ("transpose", (MATRIX, (0, 0)), ValueError),
        ("transpose", (MATRIX, (0, 2)), ValueError),
        ("swapaxes", (MATRIX, 0, 2), ValueError),
        ("moveaxis", (MATRIX, (0, 1), 0), ValueError),
        ("expand_dims", (MATRIX, 3), ValueError),
        ("squeeze", (MATRIX, 0), ValueError),
        ("broadcast_to", (MATRIX, (3, 3)), ValueError),
        ("broadcast_to", (MATRIX, (3,)), ValueError),
        ("take", (MATRIX, np.array([6])), IndexError),
        ("take", (MATRIX, np.array([-4]), 1), IndexError),
        ("roll", (MATRIX, 1, 2), ValueError),
        ("rot90", (MATRIX, 1, (0, 0)), ValueError),
        ("pad", (MATRIX, -1), ValueError),
        ("pad", (MATRIX, 1, "unknown"), ValueError),
        ("repeat", (MATRIX, -1), ValueError),
        ("delete", (MATRIX, 6), IndexError),
        ("insert", (MATRIX, 7, MATRIX), IndexError),
        ("resize", (MATRIX, (-1, 2)), ValueError),
    ],
)
def test_errors(name: str, args: Any, error: Any, agree: Any) -> None:
    with pytest.raises(error):
        agree(lambda *a: getattr(mxnp, name)(*a), lambda *a: None, *args)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: x.reshape(5),
        lambda m, x: m.reshape(x, (-1, -1)),
        lambda m, x: m.squeeze(x, 0),
        lambda m, x: m.moveaxis(x, (0, 1), (0,)),
        lambda m, x: m.split(x, 4, axis=1),
        lambda m, x: m.tensordot(x, x, 1),
        lambda m, x: m.sum(x, axis=2),
        lambda m, x: m.expand_dims(x, 4),
        lambda m, x: m.rollaxis(x, 0, 4),
    ],
)
def test_errors_are_those_of_numpy_and_of_mxnet(call: Any) -> None:
    with pytest.raises(ValueError) as error:
        call(np, MATRIX)
    with pytest.raises(type(error.value)):
        call(mxnp, mxnp.array(MATRIX))
    with pytest.raises(MXNetError):
        call(mxnp, mxnp.array(MATRIX))


def test_reshape_view_shares_memory_and_takes_the_codes_of_ndarray():
    x = mxnp.arange(6).reshape(2, 3)
    view = x.reshape_view(-1)
    view[0] = 9
    assert (type(view), view.shape, x[0, 0].item()) == (mxnp.ndarray, (6,), 9)
    assert x.reshape_view((0, 1, -1)).shape == (2, 1, 3)
    assert x.reshape_view(shape=(-3, 1)).shape == (6, 1)
