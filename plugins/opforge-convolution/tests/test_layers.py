"""Layers: repr, parameters and results."""

import numpy as np
import pytest

from opforge import autograd, gluon, nd

nn = gluon.nn


@pytest.mark.parametrize(
    ("layer", "text", "weight"),
    [
        (nn.Conv2D(4, 3), "(None -> 4, kernel_size=(3, 3), stride=(1, 1))", (4, 0, 3, 3)),
        (
            nn.Conv2D(
                4, (3, 2), strides=2, padding=1, dilation=(1, 2), groups=2, in_channels=4,
                use_bias=False, activation="relu",
            ),
            "(2 -> 4, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1), dilation=(1, 2), "
            "groups=2, bias=False, Activation(relu))",
            (4, 2, 3, 2),
        ),
        (nn.Conv1D(3, 5, in_channels=2), "(2 -> 3, kernel_size=(5,), stride=(1,))", (3, 2, 5)),
        (nn.Conv2D(3, 5, in_channels=2, layout="NHWC"), "(2 -> 3, ", (3, 5, 5, 2)),
        (nn.Conv3D(2, (1, 2, 3), padding=(0, 1, 0)), "(None -> 2, kernel_", (2, 0, 1, 2, 3)),
        (nn.Conv2D(4, [3, 3], padding=[0, 1]), "(None -> 4, kernel_size=[3, 3]", (4, 0, 3, 3)),
        (nn.Conv1DTranspose(4, 3, in_channels=2), "(4 -> 2, ", (2, 4, 3)),
        (nn.Conv2DTranspose(4, 3, groups=2), "(2 -> 0, ", (0, 2, 3, 3)),
        (nn.Conv3DTranspose(4, 3, in_channels=2), "(4 -> 2, ", (2, 4, 3, 3, 3)),
    ],
    ids=str,
)  # fmt: skip
def test_repr_and_shape_of_the_weight(layer, text, weight):
    assert repr(layer).startswith(type(layer).__name__ + text)
    assert layer.weight.shape == weight
    assert layer.name.startswith("conv")


@pytest.mark.parametrize("hybrid", [False, True])
def test_network(hybrid):
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 3, activation="relu"),
        nn.Conv2D(8, 2, strides=2, groups=2, use_bias=False),
        nn.Conv2DTranspose(2, 3, strides=2, output_padding=1),
    )
    net.initialize()
    if hybrid:
        net.hybridize()
    x = nd.array(np.random.default_rng(0).standard_normal((2, 3, 9, 8)))
    with autograd.record():
        out = net(x)
    out.backward()
    assert out.shape == (2, 2, 8, 8)
    assert [p.shape for p in net.collect_params().values()] == [
        (6, 3, 3, 3), (6,), (8, 3, 2, 2), (8, 2, 3, 3), (2,),
    ]  # fmt: skip
    assert (net[2].bias.grad().asnumpy() == 2 * 8 * 8).all()


def test_layouts_agree():
    first = nn.Conv2D(5, 3, in_channels=4, groups=1)
    last = nn.Conv2D(5, 3, in_channels=4, layout="NHWC")
    first.initialize()
    last.initialize()
    last.weight.set_data(first.weight.data().transpose((0, 2, 3, 1)))
    x = nd.array(np.random.default_rng(0).standard_normal((2, 4, 6, 5)))
    moved = last(x.transpose((0, 2, 3, 1))).transpose((0, 3, 1, 2))
    np.testing.assert_allclose(first(x).asnumpy(), moved.asnumpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("layer", "arguments", "words"),
    [
        (
            nn.Conv2D,
            {"kernel_size": (3, 3, 3)},
            r"kernel_size is \(3, 3, 3\); expected .* 2 of them",
        ),
        (nn.Conv1D, {"strides": (1, 2)}, r"strides is \(1, 2\); expected an integer"),
        (nn.Conv2D, {"layout": "NCW"}, "layout is 'NCW'; expected 'NCHW' or 'NHWC'"),
        (nn.Conv2DTranspose, {"output_padding": (1,)}, r"output_padding is \(1,\)"),
        (
            nn.Conv2D,
            {"kernel_size": "ab"},
            "kernel_size is 'ab'; expected an integer of at least 1, or 2",
        ),
        (
            nn.Conv2D,
            {"kernel_size": (3, 0)},
            r"kernel_size is \(3, 0\); expected an integer of at least 1",
        ),
        (
            nn.Conv3D,
            {"strides": 0},
            "strides is 0; expected an integer of at least 1, or 3 of them",
        ),
        (nn.Conv1DTranspose, {"padding": -1}, "padding is -1; expected an integer of at least 0"),
        (nn.Conv2D, {"groups": 0}, "groups is 0; expected an integer of at least 1"),
        (nn.Conv2D, {"groups": 3}, "channels is 4; expected a multiple of groups, 3"),
        (nn.Conv2DTranspose, {"groups": 2, "in_channels": 3}, "in_channels is 3; expected a multi"),
        (nn.Conv2D, {"in_channels": -1}, "in_channels is -1; expected an integer of at least 0"),
        (
            gluon.contrib.cnn.DeformableConvolution,
            {"groups": 0},
            "groups is 0; expected an integer of at least 1",
        ),
    ],
)
def test_invalid_arguments_raise(layer, arguments, words):
    with pytest.raises(ValueError, match=f"{layer.__name__}: {words}"):
        layer(4, **{"kernel_size": 3, **arguments})


@pytest.mark.parametrize("channels", [0, -4, 4.0])
def test_layers_without_channels_raise(channels):
    with pytest.raises(ValueError, match=f"Conv2D: channels is {channels}; expected an integer of"):
        nn.Conv2D(channels, 3)


def test_changing_the_keyword_arguments_changes_the_layer():
    """GluonCV's ResNet SSD changes the strides of a network's layers this algorithm."""
    layer = nn.Conv2D(1, 1, strides=2)
    layer.initialize()
    layer._kwargs["stride"] = (1, 1)
    assert layer(nd.ones((1, 1, 4, 4))).shape == (1, 1, 4, 4)


@pytest.mark.parametrize("spatial", [1, 2, 3])
@pytest.mark.parametrize("transposed", ["", "Transpose"])
def test_arguments_reach_the_operator(spatial, transposed):
    layer_class = getattr(nn, f"Conv{spatial}D{transposed}")
    extra = (0,) if transposed else ()
    last = ("N" + "DHW"[3 - spatial :] + "C", "relu", False, "ones", "zeros", 4)
    layer = layer_class(8, 3, 2, 1, *extra, 2, 2, *last)
    per_axis = {"kernel": 3, "stride": 2, "pad": 1, "dilate": 2}
    for name, value in per_axis.items():
        assert layer._kwargs[name] == (value,) * spatial
    assert layer._kwargs["num_group"] == 2
    assert layer._kwargs["layout"] == last[0]
    assert (layer.bias, layer.weight.init) == (None, "ones")
    assert repr(layer).endswith("bias=False, Activation(relu))")
