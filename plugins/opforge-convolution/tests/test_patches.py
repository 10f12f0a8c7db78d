"""im2col and col2im against NumPy, and rejected arguments."""

from itertools import product

import numpy as np
import pytest
from opforge_convolution.references import col2im, im2col, taps

from opforge import nd, sym
from opforge.testing import check_gradients

TOLERANCES = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-12}
SIZES = {1: ((11,), (3,)), 2: ((7, 9), (3, 2)), 3: ((5, 4, 6), (2, 3, 1))}


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("dtype", sorted(TOLERANCES))
def test_grid(dims, dtype):
    lengths, kernel = SIZES[dims]
    rng = np.random.default_rng(0)
    for stride, dilate, pad in product((1, 2, 3), (1, 2), (0, 2)):
        window = {
            "kernel": kernel,
            "stride": (stride,) * dims,
            "dilate": (dilate,) * dims,
            "pad": (pad + dilate - 1,) * dims,
        }
        image = rng.standard_normal((2, 3, *lengths)).astype(dtype)
        columns = nd.im2col(nd.array(image, dtype=dtype), **window)
        np.testing.assert_array_equal(columns.asnumpy(), im2col(image, **window))
        positions, _ = taps(lengths, **window)
        assert columns.shape == (2, 3 * int(np.prod(kernel)), int(np.prod(positions)))
        wide = rng.standard_normal(columns.shape).astype(dtype)
        back = nd.col2im(nd.array(wide, dtype=dtype), lengths, **window)
        assert back.dtype == np.dtype(dtype)
        wanted = col2im(wide.astype("float64"), lengths, **window)
        tolerance = TOLERANCES[dtype]
        np.testing.assert_allclose(back.asnumpy(), wanted, rtol=tolerance, atol=tolerance)


def test_gradients():
    window = {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 0)}
    rng = np.random.default_rng(0)
    check_gradients(lambda x: nd.im2col(x, **window), [rng.standard_normal((2, 3, 5, 4))])
    check_gradients(lambda x: nd.col2im(x, (5, 4), **window), [rng.standard_normal((2, 12, 9))])


def test_shapes_are_inferred_in_both_directions():
    made = sym.im2col(sym.var("data"), kernel=(3, 2))
    assert made.infer_shape(data=(2, 3, 5, 4))[1] == [(2, 18, 9)]
    made = sym.col2im(sym.var("data"), output_size=(5, 4), kernel=(3, 2))
    assert made.infer_shape(data=(2, 18, 9))[1] == [(2, 3, 5, 4)]
    partly = sym.col2im(sym.var("data", shape=(0, 0, 0)), output_size=(5, 4), kernel=(3, 2))
    assert (partly + sym.var("other")).infer_shape(other=(2, 3, 5, 4))[0][0] == (2, 18, 9)


def test_empty_batch():
    assert nd.im2col(nd.ones((0, 3, 5, 4)), kernel=(3, 2)).shape == (0, 18, 9)
    assert nd.col2im(nd.ones((0, 18, 9)), (5, 4), kernel=(3, 2)).shape == (0, 3, 5, 4)


@pytest.mark.parametrize(
    ("operator", "shape", "attributes", "words"),
    [
        ("im2col", (1, 1, 4, 4), {"kernel": (5, 1)}, "does not fit data of 4 with pad 0"),
        ("im2col", (1, 1, 4), {"kernel": (1, 1)}, "has 3 dimensions; expected 4"),
        ("col2im", (1, 7, 4), {"kernel": (2, 2), "output_size": (3, 3)}, "patches have 7 rows"),
        ("col2im", (1, 4, 5), {"kernel": (2, 2), "output_size": (3, 3)}, r"inferred shape=.1,4,4"),
        ("col2im", (1, 4, 4), {"kernel": (2, 2), "output_size": (3,)}, "output_size has 1 numbers"),
    ],
)
def test_invalid_arguments_raise(operator, shape, attributes, words):
    with pytest.raises(ValueError, match=words) as caught:
        getattr(nd, operator)(nd.ones(shape), **attributes)
    assert operator in str(caught.value)
