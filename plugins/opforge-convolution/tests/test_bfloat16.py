"""bfloat16: every remainder of a vector, empty arrays, and training with float32 master weights."""

import numpy as np
import pytest

from opforge import autograd, gluon, init, nd
from opforge.gluon import nn

FILTERS = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 5}


def convolved(data, weight, dtype, **attributes):
    """Return the result and both gradients in float32."""
    x, w = (nd.array(value, dtype=dtype) for value in (data, weight))
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        y = nd.Convolution(x, w, no_bias=True, **FILTERS, **attributes)
    y.backward()
    return [array.asnumpy().astype("float32") for array in (y, x.grad, w.grad)]


@pytest.mark.parametrize("width", [*range(1, 18), 31, 33])
def test_every_width(width):
    """Small integers, whose sums are exact in both types."""
    rng = np.random.default_rng(width)
    data, weight = rng.integers(-1, 2, (1, 2, 2, width)), rng.integers(-1, 2, (5, 2, 3, 3))
    for have, want in zip(
        convolved(data, weight, "bfloat16"), convolved(data, weight, "float32"), strict=True
    ):
        np.testing.assert_array_equal(have, want)


def test_empty_batches():
    y, x_grad, w_grad = convolved(np.zeros((0, 2, 4, 4)), np.zeros((5, 2, 3, 3)), "bfloat16")
    assert y.shape == (0, 5, 4, 4) and x_grad.size == 0 and not w_grad.any()


def losses(dtype):
    """Return the losses of some steps of a network cast to `dtype`."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1, use_bias=False, in_channels=1), nn.BatchNorm())
    net.add(nn.Activation("relu"), nn.MaxPool2D(2), nn.Dense(2, in_units=8 * 4 * 4))
    net.initialize(init.Xavier())
    rng = np.random.default_rng(0)
    for name, parameter in sorted(net.collect_params().items()):
        if name.endswith("weight"):
            parameter.set_data(nd.array(rng.normal(0, 0.3, parameter.shape)))
    net.cast(dtype)
    labels = rng.integers(0, 2, 32)
    images = rng.normal(0, 1, (32, 1, 8, 8)) + labels[:, None, None, None]
    x, y = nd.array(images, dtype=dtype), nd.array(labels)
    options = {"learning_rate": 0.1, "momentum": 0.9, "multi_precision": dtype != "float32"}
    trainer = gluon.Trainer(net.collect_params(), "sgd", options)
    measure = gluon.loss.SoftmaxCrossEntropyLoss()
    found = []
    for _ in range(10):
        with autograd.record():
            loss = measure(net(x).astype("float32"), y)
        loss.backward()
        trainer.step(len(labels))
        found.append(loss.mean().asscalar())
    return found


@pytest.mark.plugins
def test_training_follows_float32():
    have, want = losses("bfloat16"), losses("float32")
    assert have[-1] < have[0] / 3
    np.testing.assert_allclose(have, want, rtol=0.1, atol=0.05)
