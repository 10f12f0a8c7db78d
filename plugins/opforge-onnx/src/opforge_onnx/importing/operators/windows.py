"""Strides, dilations and padding of the windows of convolution and pooling."""

from ..node import Node

__all__ = ["spatial"]


def spatial(node: Node, kernel: list[int]) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return strides, dilations, and padding before and after each axis."""
    rank = len(kernel)
    strides = list(node.attribute("strides", [1] * rank))
    dilations = list(node.attribute("dilations", [1] * rank))
    mode = node.attribute("auto_pad", "NOTSET")
    pads = list(node.attribute("pads", [0] * 2 * rank))
    if mode in ("NOTSET", ""):
        return strides, dilations, pads[:rank], pads[rank:]
    if mode == "VALID":
        return strides, dilations, [0] * rank, [0] * rank
    before, after = [], []
    for size, extent, stride, dilation in zip(
        node.sizes(0)[2:], kernel, strides, dilations, strict=True
    ):
        total = max(0, (-(-size // stride) - 1) * stride + (extent - 1) * dilation + 1 - size)
        small = total // 2
        before.append(small if mode == "SAME_UPPER" else total - small)
        after.append(total - before[-1])
    return strides, dilations, before, after
