"""Layers of ONNX: products, convolutions, pooling, normalization, softmax."""

from collections.abc import Callable
from typing import Any

import numpy as np

from opforge.plugin_api import sym

from ..node import Node
from .elementwise import aligned
from .shapes import last_axis_to, pad

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]


def _gemm(node: Node) -> Any:
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    trans_a, trans_b = node.attribute("transA", 0), node.attribute("transB", 0)
    weight = node.numbers(1)
    if weight is not None and not trans_a and alpha == 1.0:
        units = weight.shape[0 if trans_b else 1]
        matrix = node.symbol(1) if trans_b else node.weight(weight.T, "weight")
        bias = node.numbers(2) if node.has(2) and beta == 1.0 else None
        if bias is not None and bias.shape == (units,):
            return sym.FullyConnected(
                node.symbol(0), matrix, node.symbol(2), num_hidden=units, name=node.name
            )
        found = sym.FullyConnected(node.symbol(0), matrix, num_hidden=units, no_bias=True)
    else:
        product = sym.dot(
            node.symbol(0), node.symbol(1), transpose_a=bool(trans_a), transpose_b=bool(trans_b)
        )
        found = product if alpha == 1.0 else product * alpha
    if not node.has(2):
        return found
    added = aligned(node, 2, 2)
    return sym.broadcast_add(found, added if beta == 1.0 else added * beta)


def _matmul(node: Node) -> Any:
    a, b = node.rank(0), node.rank(1)
    weight = node.numbers(1)
    if weight is not None and b == 2 and a >= 2:
        matrix = node.weight(np.ascontiguousarray(weight.T), "weight")
        return sym.FullyConnected(
            node.symbol(0), matrix, num_hidden=weight.shape[1], no_bias=True, flatten=False
        )
    return sym.dot(*node.symbols()) if a <= 2 and b <= 2 else sym.matmul(*node.symbols())


def _spatial(node: Node, kernel: list[int]) -> tuple[list[int], list[int], list[int], list[int]]:
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


def _conv(node: Node) -> Any:
    kernel = list(node.sizes(1)[2:])
    strides, dilations, before, after = _spatial(node, kernel)
    x = node.symbol(0)
    if before != after:
        x = pad(node, x, [0, 0, *before], [0, 0, *after])
        before = [0] * len(kernel)
    bias = [node.symbol(2)] if node.has(2) else []
    return sym.Convolution(
        x,
        node.symbol(1),
        *bias,
        kernel=tuple(kernel),
        stride=tuple(strides),
        dilate=tuple(dilations),
        pad=tuple(before),
        num_filter=node.sizes(1)[0],
        num_group=node.attribute("group", 1),
        no_bias=not bias,
        name=node.name,
    )


def _conv_transpose(node: Node) -> Any:
    shape, group = node.sizes(1), node.attribute("group", 1)
    kernel = list(shape[2:])
    rank = len(kernel)
    node.require(
        node.attribute("auto_pad", "NOTSET") in ("NOTSET", "VALID")
        and not node.attribute("output_shape"),
        "auto_pad and output_shape have no equivalent",
        "give pads and output_padding",
    )
    strides, dilations, before, after = _spatial(node, kernel)
    extra = list(node.attribute("output_padding", [0] * rank))
    adj = [more + first - last for more, first, last in zip(extra, before, after, strict=True)]
    node.require(
        all(0 <= item < max(stride, 2) for item, stride in zip(adj, strides, strict=True)),
        f"pads {before} and {after} have no equivalent",
        "use the same padding on both sides",
    )
    bias = [node.symbol(2)] if node.has(2) else []
    return sym.Deconvolution(
        node.symbol(0),
        node.symbol(1),
        *bias,
        kernel=tuple(kernel),
        stride=tuple(strides),
        dilate=tuple(dilations),
        pad=tuple(before),
        adj=tuple(adj),
        num_filter=shape[1] * group,
        num_group=group,
        no_bias=not bias,
        name=node.name,
    )


def _pool(kind: str) -> Translate:
    def translate(node: Node) -> Any:
        kernel = list(node.attribute("kernel_shape"))
        strides, dilations, before, after = _spatial(node, kernel)
        node.require(set(dilations) == {1}, "dilations have no equivalent", "use dilations of 1")
        node.require(
            not (kind == "max" and node.outputs > 1), "indices are no output", "drop the output"
        )
        counts = bool(node.attribute("count_include_pad", 0))
        x = node.symbol(0)
        if before != after and kind == "avg" and not counts:
            return _mean_of_present(node, kernel, strides, before, after)
        if before != after:
            value = -float(np.finfo(np.float32).max) if kind == "max" else 0.0
            x = pad(node, x, [0, 0, *before], [0, 0, *after], value=value)
            before = [0] * len(kernel)
        return sym.Pooling(
            x,
            kernel=tuple(kernel),
            stride=tuple(strides),
            pad=tuple(before),
            pool_type=kind,
            pooling_convention="full" if node.attribute("ceil_mode", 0) else "valid",
            count_include_pad=counts,
            p_value=node.attribute("p", 2) if kind == "lp" else None,
            name=node.name,
        )

    return translate


def _mean_of_present(
    node: Node, kernel: list[int], strides: list[int], before: list[int], after: list[int]
) -> Any:
    """Return means over the elements in each window that are no padding."""
    x = node.symbol(0)
    parts = [pad(node, item, [0, 0, *before], [0, 0, *after]) for item in (x, sym.ones_like(x))]
    convention = "full" if node.attribute("ceil_mode", 0) else "valid"
    total, count = (
        sym.Pooling(
            part,
            kernel=tuple(kernel),
            stride=tuple(strides),
            pool_type="sum",
            pooling_convention=convention,
        )
        for part in parts
    )
    return total / count


def _global_pool(kind: str) -> Translate:
    def translate(node: Node) -> Any:
        rank = node.rank(0) - 2
        p_value = node.attribute("p", 2) if kind == "lp" else None
        return sym.Pooling(
            node.symbol(0), kernel=(1,) * rank, global_pool=True, pool_type=kind, p_value=p_value
        )

    return translate


def _batch_norm(node: Node) -> Any:
    node.require(
        not node.attribute("training_mode", 0),
        "training mode is not imported",
        "export predictions",
    )
    return sym.BatchNorm(
        *(node.symbol(index) for index in range(5)),
        eps=node.attribute("epsilon", 1e-5),
        momentum=node.attribute("momentum", 0.9),
        fix_gamma=False,
        name=node.name,
    )


def _instance_norm(node: Node) -> Any:
    return sym.InstanceNorm(*node.symbols(), eps=node.attribute("epsilon", 1e-5))


def _center(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Return differences from the mean over axes, and the variance."""
    centered = sym.broadcast_sub(x, sym.mean(x, axis=axes, keepdims=True))
    return centered, sym.mean(sym.square(centered), axis=axes, keepdims=True)


def _layer_norm(node: Node) -> Any:
    axis, rank = node.attribute("axis", -1), node.rank(0)
    epsilon = node.attribute("epsilon", 1e-5)
    if axis % rank == rank - 1 and node.outputs == 1 and node.has(2):
        return sym.LayerNorm(*node.symbols(), axis=-1, eps=epsilon)
    node.require(node.outputs == 1, "statistics are no outputs", "drop these outputs")
    axes = tuple(range(axis % rank, rank))
    centered, variance = _center(node.symbol(0), axes)
    found = sym.broadcast_mul(centered, sym.rsqrt(variance + epsilon))
    found = sym.broadcast_mul(found, aligned(node, 1, rank))
    return sym.broadcast_add(found, aligned(node, 2, rank)) if node.has(2) else found


def _rms_norm(node: Node) -> Any:
    axis, rank = node.attribute("axis", -1), node.rank(0)
    x = node.symbol(0)
    size = sym.mean(sym.square(x), axis=tuple(range(axis % rank, rank)), keepdims=True)
    found = sym.broadcast_mul(x, sym.rsqrt(size + node.attribute("epsilon", 1e-5)))
    return sym.broadcast_mul(found, aligned(node, 1, rank))


def _group_norm(node: Node) -> Any:
    groups, rank = node.attribute("num_groups"), node.rank(0)
    x, channels = node.symbol(0), node.sizes(0)[1]
    gamma, beta = (
        sym.repeat(node.symbol(index), repeats=channels // groups)
        if node.opset < 21
        else node.symbol(index)
        for index in (1, 2)
    )
    flat = sym.reshape(x, shape=(0, -4, groups, -1, -2))
    centered, variance = _center(flat, tuple(range(2, rank + 1)))
    scaled = sym.broadcast_mul(centered, sym.rsqrt(variance + node.attribute("epsilon", 1e-5)))
    found = sym.reshape_like(scaled, x)
    shape = (1, -1, *(1,) * (rank - 2))
    found = sym.broadcast_mul(found, sym.reshape(gamma, shape=shape))
    return sym.broadcast_add(found, sym.reshape(beta, shape=shape))


def _mean_variance(node: Node) -> Any:
    axes = tuple(node.attribute("axes", (0, 2, 3)))
    centered, variance = _center(node.symbol(0), axes)
    return sym.broadcast_div(centered, sym.sqrt(variance) + 1e-9)


def _hardmax(node: Node) -> Any:
    x, rank = node.symbol(0), node.rank(0)
    axis = node.attribute("axis", -1 if node.opset >= 13 else 1)
    node.require(node.opset >= 13 or axis % rank == rank - 1, "it flattens", "use opset 13")
    size = node.sizes(0)[axis % rank]
    found = sym.one_hot(sym.argmax(x, axis=axis), depth=size)
    return sym._internal._cast_like(last_axis_to(found, axis, rank), x)


def _lrn(node: Node) -> Any:
    return sym.LRN(
        node.symbol(0),
        alpha=node.attribute("alpha", 1e-4),
        beta=node.attribute("beta", 0.75),
        knorm=node.attribute("bias", 1.0),
        nsize=node.attribute("size"),
    )


def _lp_norm(node: Node) -> Any:
    size = sym.norm(
        node.symbol(0), ord=node.attribute("p", 2), axis=node.attribute("axis", -1), keepdims=True
    )
    return sym.broadcast_div(node.symbol(0), size)


def _softmax(name: str) -> Translate:
    def translate(node: Node) -> Any:
        x, rank = node.symbol(0), node.rank(0)
        operator = getattr(sym, name)
        axis = node.attribute("axis", -1 if node.opset >= 13 else 1)
        if node.opset >= 13 or axis % rank == rank - 1:
            return operator(x, axis=axis)
        # Before opset 13 all axes from this one on are normalized together.
        flat = sym.reshape(x, shape=(*(0,) * (axis % rank), -1))
        return sym.reshape_like(operator(flat, axis=-1), x)

    return translate


def _resize(node: Node) -> Any:
    shape = node.sizes(0)
    node.require(len(shape) == 4, f"it has {len(shape)} dimensions", "resize images (n, c, h, w)")
    if node.kind == "Upsample":
        scales = node.constant(1, "scales") if node.opset >= 9 else node.attribute("scales")
        transform, rounding = "asymmetric", "floor"
    else:
        scales = _scales(node, shape)
        transform = node.attribute("coordinate_transformation_mode", "half_pixel")
        rounding = node.attribute("nearest_mode", "round_prefer_floor")
    wanted = [int(np.floor(size * scale)) for size, scale in zip(shape, scales, strict=True)]
    node.require(wanted[:2] == list(shape[:2]), "it resizes channels", "resize height and width")
    mode = node.attribute("mode", "nearest")
    height, width = wanted[2:]
    factor = height // shape[2]
    whole = height == factor * shape[2] and width == factor * shape[3]
    if (
        mode == "nearest"
        and whole
        and (transform == "asymmetric" or rounding == "round_prefer_floor")
    ):
        return sym.UpSampling(node.symbol(0), scale=factor, sample_type="nearest")
    aligned_corners = transform == "align_corners"
    node.require(
        mode == "linear" and (aligned_corners or (transform == "half_pixel" and min(scales) >= 1)),
        f"mode {mode!r} with {transform!r} and scales {list(scales)} has no equivalent",
        "use bilinear resizing, or repeat pixels by integer factors",
    )
    return sym.contrib.BilinearResize2D(
        node.symbol(0), height=height, width=width, align_corners=aligned_corners
    )


def _scales(node: Node, shape: tuple[int, ...]) -> Any:
    if node.has(3):
        return [
            wanted / size for wanted, size in zip(node.integers(3, "sizes"), shape, strict=True)
        ]
    return node.constant(2 if node.opset >= 11 else 1, "scales")


OPERATORS: dict[str, Translate] = {
    "AveragePool": _pool("avg"),
    "BatchNormalization": _batch_norm,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "Gemm": _gemm,
    "GroupNormalization": _group_norm,
    "Hardmax": _hardmax,
    "GlobalAveragePool": _global_pool("avg"),
    "GlobalLpPool": _global_pool("lp"),
    "GlobalMaxPool": _global_pool("max"),
    "InstanceNormalization": _instance_norm,
    "LRN": _lrn,
    "LayerNormalization": _layer_norm,
    "LogSoftmax": _softmax("log_softmax"),
    "LpNormalization": _lp_norm,
    "LpPool": _pool("lp"),
    "MatMul": _matmul,
    "MeanVarianceNormalization": _mean_variance,
    "RMSNormalization": _rms_norm,
    "MaxPool": _pool("max"),
    "Resize": _resize,
    "Softmax": _softmax("softmax"),
    "Upsample": _resize,
}
