"""Layers: shapes, MXNet's repr, and invalid arguments."""

import numpy as np
import pytest

from opforge import gluon, nd

nn = gluon.nn


@pytest.mark.parametrize(
    ("layer", "shape", "out"),
    [
        (nn.MaxPool1D, (2, 3, 9), (2, 3, 4)),
        (nn.MaxPool2D, (2, 3, 9, 8), (2, 3, 4, 4)),
        (nn.MaxPool3D, (2, 3, 9, 8, 7), (2, 3, 4, 4, 3)),
        (nn.AvgPool1D, (2, 3, 9), (2, 3, 4)),
        (nn.AvgPool2D, (2, 3, 9, 8), (2, 3, 4, 4)),
        (nn.AvgPool3D, (2, 3, 9, 8, 7), (2, 3, 4, 4, 3)),
        (nn.GlobalMaxPool1D, (2, 3, 9), (2, 3, 1)),
        (nn.GlobalMaxPool2D, (2, 3, 9, 8), (2, 3, 1, 1)),
        (nn.GlobalMaxPool3D, (2, 3, 9, 8, 7), (2, 3, 1, 1, 1)),
        (nn.GlobalAvgPool1D, (2, 3, 9), (2, 3, 1)),
        (nn.GlobalAvgPool2D, (2, 3, 9, 8), (2, 3, 1, 1)),
        (nn.GlobalAvgPool3D, (2, 3, 9, 8, 7), (2, 3, 1, 1, 1)),
    ],
)
def test_shapes_in_both_layouts(layer, shape, out):
    x = nd.random.normal(shape=shape)
    first = layer()(x)
    assert first.shape == out
    last = {3: "NWC", 4: "NHWC", 5: "NDHWC"}[len(shape)]
    axes = (0, *range(2, len(shape)), 1)
    moved = layer(layout=last)(x.transpose(axes))
    np.testing.assert_allclose(moved.asnumpy(), first.transpose(axes).asnumpy(), rtol=1e-5)
    hybrid = layer()
    hybrid.hybridize()
    np.testing.assert_array_equal(hybrid(x).asnumpy(), first.asnumpy())


def test_repr():
    assert repr(nn.AvgPool2D(3, 2, 1, ceil_mode=True)) == (
        "AvgPool2D(size=(3, 3), stride=(2, 2), padding=(1, 1), ceil_mode=True, "
        "global_pool=False, pool_type=avg, layout=NCHW)"
    )
    assert repr(nn.GlobalMaxPool1D()) == (
        "GlobalMaxPool1D(size=(1,), stride=(1,), padding=(0,), ceil_mode=True, "
        "global_pool=True, pool_type=max, layout=NCW)"
    )


def test_partial_windows_and_padding_can_be_excluded():
    x = nd.array([[[1.0, 2.0, 3.0]]])
    assert nn.MaxPool1D(ceil_mode=True)(x).asnumpy().tolist() == [[[2, 3]]]
    padded = nn.AvgPool1D(padding=1, count_include_pad=False)(x)
    assert padded.asnumpy().tolist() == [[[1, 2.5]]]


def test_names_are_mxnets():
    assert nn.MaxPool2D(prefix="pool_").name == "pool"
    assert nn.MaxPool2D().name.startswith("pool")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.MaxPool2D(layout="NCW"), r"layout is 'NCW'; expected 'NCHW' or 'NHWC'"),
        (lambda: nn.GlobalAvgPool1D("NHWC"), "layout is 'NHWC'"),
        (lambda: nn.AvgPool3D((2, 2)), "pool_size is"),
        (lambda: nn.MaxPool1D(strides=(1, 2)), "strides is"),
        (lambda: nn.MaxPool2D(0), "MaxPool2D: pool_size is 0; expected an integer of at least 1"),
        (lambda: nn.AvgPool1D(strides=-1), "AvgPool1D: strides is -1"),
        (lambda: nn.AvgPool3D(padding=(0, 0, -1)), r"AvgPool3D: padding is \(0, 0, -1\)"),
        (lambda: nn.MaxPool2D(2.0), r"pool_size is 2\.0"),
    ],
)
def test_invalid_arguments_raise(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_numpy_integers_are_accepted_as_sizes():
    layer = nn.MaxPool2D(np.int64(3), strides=np.int32(2), padding=(np.int8(1), 0))
    assert repr(layer).startswith("MaxPool2D(size=(3, 3), stride=(2, 2), padding=(1, 0)")


@pytest.mark.parametrize("spatial", [1, 2, 3])
@pytest.mark.parametrize("kind", ["Max", "Avg"])
def test_arguments_reach_the_operator(kind, spatial):
    layout = "N" + "DHW"[3 - spatial :] + "C"
    sliding = getattr(nn, f"{kind}Pool{spatial}D")(3, 2, 1, layout=layout, ceil_mode=True)
    pool_all = getattr(nn, f"Global{kind}Pool{spatial}D")(layout)
    given = {"layout": layout, "pool_type": kind.lower(), "pooling_convention": "full"}
    for layer, kernel, stride, pad in ((sliding, 3, 2, 1), (pool_all, 1, 1, 0)):
        per_axis = {"kernel": kernel, "stride": stride, "pad": pad}
        expected = {**given, **{name: (value,) * spatial for name, value in per_axis.items()}}
        assert expected.items() <= layer._kwargs.items()
        assert layer._kwargs["global_pool"] is (layer is pool_all)
