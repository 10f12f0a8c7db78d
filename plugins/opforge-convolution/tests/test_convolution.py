"""Convolution against NumPy over a grid of attributes, and shape inference."""

import numpy as np
import pytest
from opforge_convolution.references import convolution

from opforge import autograd, engine, nd, sym
from opforge.testing import check_gradients

from .grids import TOLERANCES, arrays, grid

SIZES = {1: ((11,), (3,)), 2: ((7, 9), (3, 2)), 3: ((5, 4, 6), (2, 3, 1))}


def run(given, dtype, **attributes):
    """Return the output and the gradients."""
    inputs = [nd.array(x, dtype=dtype) for x in given]
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        out = nd.Convolution(*inputs, **attributes)
    out.backward()
    return out, [x.grad for x in inputs]


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("dtype", sorted(TOLERANCES))
def test_grid(dims, dtype):
    lengths, kernel = SIZES[dims]
    for given, attributes, _, dilate, pad in grid(lengths, kernel):
        attributes["pad"] = (pad + dilate - 1,) * dims
        out, grads = run(given, dtype, **attributes)
        wanted = convolution(*given, **attributes)
        message = f"{attributes}"
        assert out.dtype == np.dtype(dtype), message
        assert [x.dtype for x in grads] == [np.dtype(dtype)] * 3, message
        tolerance = TOLERANCES[dtype] * np.abs(wanted).max()
        np.testing.assert_allclose(out.asnumpy(), wanted, atol=tolerance, rtol=0, err_msg=message)
        _, exact = run(given, "float64", **attributes)
        for have, want in zip(grads, exact, strict=True):
            tolerance = TOLERANCES[dtype] * np.abs(want.asnumpy()).max()
            np.testing.assert_allclose(
                have.asnumpy(), want.asnumpy(), atol=tolerance, rtol=0, err_msg=message
            )


@pytest.mark.parametrize(
    ("lengths", "kernel", "attributes"),
    [
        ((6,), (3,), {"stride": (2,), "pad": (2,), "num_group": 2}),
        ((4, 5), (3, 2), {"dilate": (1, 2), "pad": (1, 0)}),
        ((4, 5), (3, 2), {"layout": "NHWC", "num_group": 2, "stride": (1, 2)}),
        ((4, 3), (1, 1), {"num_group": 4}),
        ((3, 3, 2), (2, 2, 2), {"pad": (0, 1, 1)}),
    ],
)
def test_gradients(lengths, kernel, attributes):
    attributes = {"kernel": kernel, "num_filter": 4, **attributes}
    layout = attributes.get("layout", "NCHW")
    given = arrays(lengths, kernel, 4, attributes.get("num_group", 1), layout=layout)
    check_gradients(lambda *x: nd.Convolution(*x, **attributes), given)


def test_many_blocks_of_positions():
    """The work of one image is divided into parts."""
    given = arrays((70, 70), (3, 3), 6, n=1, channels=130)
    attributes = {"kernel": (3, 3), "num_filter": 6, "pad": (1, 1)}
    out, (grad, _, _) = run(given, "float64", **attributes)
    np.testing.assert_allclose(
        out.asnumpy(), convolution(*given, **attributes), rtol=1e-9, atol=1e-9
    )
    # The gradient of a sum, away from the border, is the sum of the filters.
    np.testing.assert_allclose(grad.asnumpy()[0, :, 35, 35], given[1].sum((0, 2, 3)), rtol=1e-9)


@pytest.mark.parametrize("wanted", [0, 1, 2])
def test_a_single_gradient_is_the_same(wanted):
    attributes = {"kernel": (3, 2), "num_filter": 4}
    given = arrays((5, 4), (3, 2), 4)
    _, grads = run(given, "float64", **attributes)
    inputs = [nd.array(x, dtype="float64") for x in given]
    inputs[wanted].attach_grad()
    with autograd.record():
        out = nd.Convolution(*inputs, **attributes)
    out.backward()
    np.testing.assert_array_equal(inputs[wanted].grad.asnumpy(), grads[wanted].asnumpy())


@pytest.mark.parametrize("dtype", sorted(TOLERANCES))
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_empty_batch_and_one_pixel(dtype, layout):
    attributes = {"kernel": (3, 3), "num_filter": 4, "pad": (1, 1), "layout": layout}
    none = arrays((5, 5), (3, 3), 4, n=0, layout=layout)
    out, grads = run(none, dtype, **attributes)
    assert out.shape == ((0, 4, 5, 5) if layout == "NCHW" else (0, 5, 5, 4))
    assert all(not grad.asnumpy().any() for grad in grads)
    pixel = arrays((1, 1), (3, 3), 4, layout=layout)
    out, _ = run(pixel, dtype, **attributes)
    np.testing.assert_allclose(
        out.asnumpy(), convolution(*pixel, **attributes), rtol=2e-2, atol=2 * TOLERANCES[dtype]
    )


def test_bias_without_input_channels():
    out = nd.Convolution(
        nd.ones((2, 0, 3, 3)), nd.ones((4, 0, 2, 2)), nd.arange(4), kernel=(2, 2), num_filter=4
    )
    assert (out.asnumpy() == np.arange(4).reshape(4, 1, 1)).all()


def test_shapes_are_inferred_from_the_data():
    made = sym.Convolution(
        sym.var("data"), kernel=(3, 2), num_filter=6, num_group=2, stride=(2, 1), name="c"
    )
    inputs, outputs, _ = made.infer_shape(data=(5, 4, 9, 8))
    assert inputs == [(5, 4, 9, 8), (6, 2, 3, 2), (6,)] and outputs == [(5, 6, 4, 7)]
    made = sym.Convolution(sym.var("data"), kernel=(3,), num_filter=6, layout="NWC", name="c")
    assert made.infer_shape(data=(5, 9, 4))[0] == [(5, 9, 4), (6, 3, 4), (6,)]
    types = made.infer_type(data="float16")[0]
    assert types == [np.float16] * 3


def test_the_shape_of_the_data_is_inferred_from_the_output():
    data = sym.var("data", shape=(0, 4, 0, 0))
    made = sym.Convolution(data, kernel=(3, 3), num_filter=4, name="c") + sym.var("other")
    inputs, _, _ = made.infer_shape(other=(2, 4, 6, 6))
    assert inputs[0] == (2, 4, 8, 8)


@pytest.fixture
def restored_threads():
    """Restore the number of threads after the test."""
    before = engine.get_num_threads()
    yield
    engine.set_num_threads(before)


def test_one_position_in_the_padding_of_a_volume():
    """The filter covers only padding, with one depth, one position and one element."""
    given = arrays((1, 4, 5), (1, 2, 2), 4)
    attributes = {"kernel": (1, 2, 2), "num_filter": 4, "stride": (3, 1, 1), "pad": (1, 0, 0)}
    out, _ = run(given, "float32", **attributes)
    np.testing.assert_allclose(out.asnumpy(), convolution(*given, **attributes), rtol=1e-6)


@pytest.mark.usefixtures("restored_threads")
def test_the_number_of_threads_does_not_matter():
    given = arrays((20, 20), (3, 3), 8, n=5, channels=8)
    attributes = {"kernel": (3, 3), "num_filter": 8, "pad": (1, 1)}
    found = []
    for count in (1, 2, 3):
        engine.set_num_threads(count)
        found.append(run(given, "float64", **attributes))
    for out, grads in found[1:]:
        for have, want in zip([out, *grads], [found[0][0], *found[0][1]], strict=True):
            np.testing.assert_array_equal(have.asnumpy(), want.asnumpy())


def test_alias():
    given = [nd.array(x) for x in arrays((5, 4), (3, 2), 4)]
    old, new = (
        function(*given, kernel=(3, 2), num_filter=4, cudnn_tune="off", workspace=12)
        for function in (nd.Convolution_v1, nd.Convolution)
    )
    assert (old.asnumpy() == new.asnumpy()).all()


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        (
            {"num_filter": 3, "num_group": 2},
            r"num_filter is 3; expected a multiple of num_group, 2",
        ),
        ({"num_filter": 6, "num_group": 3}, r"data has 4 channels; expected a multiple of .* 3"),
        ({"kernel": (7, 2)}, r"a kernel of 7 .* does not fit data of 5 with pad 0"),
        ({"dilate": (3, 1)}, r"with dilate 3 reaches over 7 elements and does not fit data of 5"),
        ({"kernel": (1, 1, 1, 1)}, r"kernel has 4 numbers; expected 1 to 3"),
        ({"kernel": (3,)}, r"data has 4 dimensions; expected 3"),
        ({"stride": (1,)}, r"stride has 1 numbers and kernel 2"),
        ({"layout": "NCW"}, r"layout is NCW, which has 1 dimensions of space, and kernel has 2"),
        ({"kernel": (2**40, 1)}, r"kernel has 1099511627776; expected at most 2147483647"),
        ({"pad": (2**31, 0)}, r"pad has 2147483648; expected at most"),
        ({"num_filter": 2**31}, r"num_filter has 2147483648; expected at most"),
        ({"pad": (-1, 0)}, r"pad should be greater equal to 0"),
        ({"kernel": (0, 1)}, r"kernel should be greater equal to 1"),
        ({"num_group": 0}, r"num_group should be greater equal to 1"),
        ({"kernel": (2**31 - 1,) * 3, "pad": (2**31 - 1,) * 3}, r"more elements than 64 bits"),
        ({"num_filter": 5}, r"weight.*Provided = \[4,4,3,2\], inferred shape=\[5,4,3,2\]"),
    ],
)
def test_invalid_arguments_raise(attributes, words):
    given = [nd.array(x) for x in arrays((5, 4), (3, 2), 4)]
    with pytest.raises(ValueError, match=words) as caught:
        nd.Convolution(*given, **{"kernel": (3, 2), "num_filter": 4, **attributes})
    assert "Convolution" in str(caught.value)


def test_invalid_types_raise():
    given = arrays((5, 4), (3, 2), 4)
    for dtypes, words in (
        (("int32",) * 3, r"'data' has dtype int32; expected float32, .* or bfloat16. .*astype"),
        (("float32", "float64", "float32"), "weight.*float64, but.*expects float32"),
    ):
        inputs = [nd.array(x, dtype=dtype) for x, dtype in zip(given, dtypes, strict=True)]
        with pytest.raises(TypeError, match=f"Convolution.*{words}"):
            nd.Convolution(*inputs, kernel=(3, 2), num_filter=4)


def test_results_larger_than_memory_raise():
    given = nd.ones((1, 1, 1, 1)), nd.ones((1, 1, 1, 1))
    attributes = {"kernel": (1, 1), "num_filter": 1, "no_bias": True}
    with pytest.raises(MemoryError):
        nd.Convolution(*given, **attributes, pad=(2**31 - 1,) * 2)
    with pytest.raises(MemoryError):
        nd.Convolution(*given, **attributes, pad=(2**20, 2**20))
