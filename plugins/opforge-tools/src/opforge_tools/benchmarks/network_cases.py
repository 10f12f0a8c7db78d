"""Cases of convolutional networks: LeNet on digits, ResNet-18 on small and large images.

Hybridized networks are compared with the faster of PyTorch's eager mode and `torch.compile`.
"""

from .case import Array, Case
from .programs import CLASSES, RESIDUALS

__all__ = ["CONVOLUTIONAL"]

#: Multiplications per image: two convolutions, two dense layers.
_LENET = 20 * 25 * 24**2 + 50 * 20 * 25 * 8**2 + 800 * 500 + 500 * CLASSES


def _resnet(length: int, stem: int) -> int:
    """Return the multiplications of ResNet-18 per image.

    Parameters
    ----------
    length : int
        Height and width of the first residual block's input.
    stem : int
        Multiplications before that.
    """
    total, channels = stem, 64
    for filters, stride in RESIDUALS:
        length //= stride
        total += 9 * (channels + filters) * filters * length**2
        if stride != 1:
            total += channels * filters * length**2
        channels = filters
    return total + channels * CLASSES


def _step(name: str, program: str, batch: int, picture: str, macs: int, target: float) -> Case:
    """Return the case of a training step; hybridized networks have separate programs."""
    is_hybridized = program.startswith("compiled_")
    return Case(
        f"{name}, training step, batch {batch}{', hybridized' if is_hybridized else ''}",
        "convolutional networks",
        opforge="train()",
        torch="train()",
        sizes={"batch": batch},
        arrays={"x": Array(("batch", *picture.split("x")))},
        program=program,
        records=True,
        target=target,
        # Forward, the gradients of weights, and those of all inputs except the image.
        flops=f"2 * batch * 3 * {macs}",
    )


def _prediction(program: str, target: float) -> Case:
    is_hybridized = program.startswith("compiled_")
    return Case(
        f"ResNet-18, inference, one picture of 224x224{', hybridized' if is_hybridized else ''}",
        "convolutional networks",
        opforge="infer()",
        torch="infer()",
        arrays={"x": Array(("1", "3", "224", "224"))},
        program=program,
        records=True,
        target=target,
        flops=f"2 * {_resnet(56, 3 * 64 * 49 * 112**2)}",
    )


_SMALL = _resnet(32, 3 * 64 * 9 * 32**2)

CONVOLUTIONAL = (
    _step("LeNet", "lenet", 64, "1x28x28", _LENET, 0.4),
    _step("LeNet", "compiled_lenet", 64, "1x28x28", _LENET, 0.4),
    _step("ResNet-18 of 32x32", "resnet", 32, "3x32x32", _SMALL, 0.85),
    _step("ResNet-18 of 32x32", "compiled_resnet", 32, "3x32x32", _SMALL, 0.8),
    _prediction("resnet", 0.8),
    _prediction("compiled_resnet", 0.7),
)
