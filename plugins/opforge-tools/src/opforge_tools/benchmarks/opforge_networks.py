"""Networks for training and inference in idiomatic opforge code.

`torch_networks` contains the PyTorch equivalents.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from opforge import autograd, gluon, ndarray, optimizer, random
from opforge.initializer import Xavier

from .programs import CLASSES, RESIDUALS, Names, labels

__all__ = ["PROGRAMS", "perceptron_block"]

nn = gluon.nn


def perceptron_block() -> Any:
    """Return the network of three dense layers, with deferred parameter shapes."""
    net = nn.HybridSequential()
    net.add(nn.Dense(128, activation="relu"), nn.Dense(64, activation="relu"), nn.Dense(CLASSES))
    net.initialize(Xavier())
    return net


def _lenet() -> Any:
    net = nn.HybridSequential()
    for filters in (20, 50):
        net.add(nn.Conv2D(filters, 5, activation="relu"), nn.MaxPool2D(2, 2))
    net.add(nn.Flatten(), nn.Dense(500, activation="relu"), nn.Dense(CLASSES))
    net.initialize(Xavier())
    return net


def _conv_batch_norm(filters: int, kernel: int, stride: int, pad: int) -> tuple[Any, Any]:
    """Return a convolution followed by batch normalization."""
    return nn.Conv2D(filters, kernel, stride, pad, use_bias=False), nn.BatchNorm()


class _Residual(gluon.HybridBlock):
    """Residual block of two convolutions and a shortcut."""

    def __init__(self, channels: int, stride: int) -> None:
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(*_conv_batch_norm(channels, 3, stride, 1), nn.Activation("relu"))
            self.body.add(*_conv_batch_norm(channels, 3, 1, 1))
            self.shortcut = nn.HybridSequential()
            if stride != 1:
                self.shortcut.add(*_conv_batch_norm(channels, 1, stride, 0))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.relu(self.body(x) + self.shortcut(x))


def _resnet(is_large: bool) -> Any:
    """Return ResNet-18; its first layers downsample large images."""
    net = nn.HybridSequential()
    net.add(*_conv_batch_norm(64, *((7, 2, 3) if is_large else (3, 1, 1))), nn.Activation("relu"))
    if is_large:
        net.add(nn.MaxPool2D(3, 2, 1))
    for channels, stride in RESIDUALS:
        net.add(_Residual(channels, stride))
    net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(CLASSES))
    net.initialize(Xavier())
    return net


def _training_and_inference(net: Any, descent: Any, x: Any, hybridized: bool) -> Names:
    """Return a training step and an inference call."""
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    if hybridized:
        for block in (net, loss):
            block.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), descent)
    target = ndarray.array(labels(len(x)))

    def train() -> None:
        with autograd.record():
            error = loss(net(x), target)
        error.backward()
        trainer.step(len(x))

    return {"train": train, "infer": lambda: net(x)}


def _perceptron(names: Mapping[str, Any], hybridized: bool = False) -> Names:
    random.seed(0)
    descent = optimizer.SGD(learning_rate=0.1)
    return _training_and_inference(perceptron_block(), descent, names["x"], hybridized)


def _convolutional(
    make: Callable[[Any], Any], names: Mapping[str, Any], hybridized: bool = False
) -> Names:
    random.seed(0)
    descent = optimizer.SGD(learning_rate=0.01, momentum=0.9)
    return _training_and_inference(make(names["x"]), descent, names["x"], hybridized)


_EACH: dict[str, Callable[..., Names]] = {
    "lenet": partial(_convolutional, lambda x: _lenet()),
    "perceptron": _perceptron,
    "resnet": partial(_convolutional, lambda x: _resnet(is_large=x.shape[2] > 32)),
}
PROGRAMS: dict[str, Callable[[Mapping[str, Any]], Names]] = {
    **_EACH,
    **{f"compiled_{name}": partial(program, hybridized=True) for name, program in _EACH.items()},
}
