"""Layers of ONNX: products, convolutions, pooling, normalization, softmax."""

from collections.abc import Callable, Sequence
from typing import Any

from opforge.plugin_api import sym

from ..node import Node
from .elementwise import aligned
from .shapes import last_axis_to, pad
from .windows import spatial

__all__ = ["OPERATORS", "convolve"]

Translate = Callable[[Node], Any]


def _gemm(node: Node) -> Any:
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    trans_a, trans_b = node.attribute("transA", 0), node.attribute("transB", 0)
    weight = node.numbers(1)
    if weight is not None and not trans_a and alpha == 1.0:
        units = weight.shape[0 if trans_b else 1]
        matrix = node.symbol(1) if trans_b else node.transposed(1)
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
        units = weight.shape[1]
        return sym.FullyConnected(
            node.symbol(0), node.transposed(1), num_hidden=units, no_bias=True, flatten=False
        )
    return sym.dot(*node.symbols()) if a <= 2 and b <= 2 else sym.matmul(*node.symbols())


def _pad_evenly(
    node: Node, x: Any, kernel: list[int]
) -> tuple[Any, list[int], list[int], list[int]]:
    """Return images, strides, dilations, and the padding that is the same on both sides.

    Images are padded here if it differs.
    """
    strides, dilations, before, after = spatial(node, kernel)
    if before != after:
        x = pad(node, x, [0, 0, *before], [0, 0, *after])
        before = [0] * len(kernel)
    return x, strides, dilations, before


def convolve(
    node: Node, x: Any, weight: Any, at: int, bias: Sequence[Any] = (), name: str | None = None
) -> Any:
    """Return the convolution of a node whose weight is input `at`."""
    kernel = list(node.sizes(at)[2:])
    x, strides, dilations, pads = _pad_evenly(node, x, kernel)
    return sym.Convolution(
        x,
        weight,
        *bias,
        kernel=tuple(kernel),
        stride=tuple(strides),
        dilate=tuple(dilations),
        pad=tuple(pads),
        num_filter=node.sizes(at)[0],
        num_group=node.attribute("group", 1),
        no_bias=not bias,
        name=name,
    )


def _conv(node: Node) -> Any:
    bias = [node.symbol(2)] if node.has(2) else []
    return convolve(node, node.symbol(0), node.symbol(1), 1, bias, node.name)


def _conv_transpose(node: Node) -> Any:
    shape, group = node.sizes(1), node.attribute("group", 1)
    kernel = list(shape[2:])
    before, after = _margins(node, kernel)
    strides, dilations, *_ = spatial(node, kernel)
    bias = [node.symbol(2)] if node.has(2) else []
    small = [max(0, min(pair)) for pair in zip(before, after, strict=True)]
    found = sym.Deconvolution(
        node.symbol(0),
        node.symbol(1),
        *bias,
        kernel=tuple(kernel),
        stride=tuple(strides),
        dilate=tuple(dilations),
        pad=tuple(small),
        num_filter=shape[1] * group,
        num_group=group,
        no_bias=not bias,
        name=node.name,
    )
    # What the padding still removes, or adds where there is less of it than rows are added.
    widths = [[part - at for part, at in zip(row, small, strict=True)] for row in (before, after)]
    if not any((*widths[0], *widths[1])):
        return found
    value = sym.reshape(node.symbol(2), shape=(1, -1, *(1,) * len(kernel))) if bias else 0.0
    return _trim(found, widths[0], widths[1], value)


def _margins(node: Node, kernel: list[int]) -> tuple[list[int], list[int]]:
    """Return how much of the whole product is removed before and after each axis."""
    strides, dilations, before, after = spatial(node, kernel)
    extra = list(node.attribute("output_padding", [0] * len(kernel)))
    mode, wanted = node.attribute("auto_pad", "NOTSET"), node.attribute("output_shape")
    if wanted is None and mode not in ("SAME_UPPER", "SAME_LOWER"):
        return before, [last - more for last, more in zip(after, extra, strict=True)]
    sizes = node.sizes(0)[2:]
    if wanted is None:
        wanted = [size * stride for size, stride in zip(sizes, strides, strict=True)]
    before, after = [], []
    for size, extent, stride, dilation, goal, more in zip(
        sizes, kernel, strides, dilations, list(wanted)[-len(kernel) :], extra, strict=True
    ):
        total = stride * (size - 1) + more + (extent - 1) * dilation + 1 - goal
        small = total // 2
        before.append(small if mode == "SAME_UPPER" else total - small)
        after.append(total - before[-1] - more)
    return before, after


def _trim(x: Any, before: list[int], after: list[int], value: Any) -> Any:
    """Return images with rows removed, or, for negative widths, added with the bias as value."""
    for at, (first, last) in enumerate(zip(before, after, strict=True), 2):
        if first > 0 or last > 0:
            x = sym.slice_axis(x, axis=at, begin=max(first, 0), end=-last if last > 0 else None)
        row = sym.zeros_like(sym.slice_axis(x, axis=at, begin=0, end=1))
        row = row if isinstance(value, float) else sym.broadcast_add(row, value)
        parts = [
            *([sym.repeat(row, repeats=-first, axis=at)] if first < 0 else []),
            x,
            *([sym.repeat(row, repeats=-last, axis=at)] if last < 0 else []),
        ]
        x = sym.concat(*parts, dim=at) if len(parts) > 1 else x
    return x


def _deformable(node: Node) -> Any:
    kernel = list(node.sizes(1)[2:])
    x, strides, dilations, pads = _pad_evenly(node, node.symbol(0), kernel)
    bias = [node.symbol(3)] if node.has(3) else []
    mask = [node.symbol(4)] if node.has(4) else []
    name = "ModulatedDeformableConvolution" if mask else "DeformableConvolution"
    return getattr(sym.contrib, name)(
        x,
        node.symbol(2),
        *mask,
        node.symbol(1),
        *bias,
        kernel=tuple(kernel),
        stride=tuple(strides),
        dilate=tuple(dilations),
        pad=tuple(pads),
        num_filter=node.sizes(1)[0],
        num_group=node.attribute("group", 1),
        num_deformable_group=node.attribute("offset_group", 1),
        no_bias=not bias,
    )


def _col2im(node: Node) -> Any:
    block = node.integers(2, "block_shape")
    rank = len(block)
    pads = list(node.attribute("pads", [0] * 2 * rank))
    node.require(
        rank == 2 and pads[:2] == pads[2:],
        f"blocks {block} with pads {pads} have no equivalent",
        "use images, with the same padding on both sides",
    )
    return sym.col2im(
        node.symbol(0),
        output_size=tuple(node.integers(1, "image_shape")),
        kernel=tuple(block),
        stride=tuple(node.attribute("strides", [1] * rank)),
        dilate=tuple(node.attribute("dilations", [1] * rank)),
        pad=tuple(pads[:2]),
    )


def _einsum(node: Node) -> Any:
    return sym._internal._npi_einsum(*node.symbols(), subscripts=node.attribute("equation"))


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
    x, axes = node.symbol(0), tuple(range(axis % rank, rank))
    centered, variance = _center(x, axes)
    inverse = sym.rsqrt(variance + epsilon)
    found = sym.broadcast_mul(sym.broadcast_mul(centered, inverse), aligned(node, 1, rank))
    if node.has(2):
        found = sym.broadcast_add(found, aligned(node, 2, rank))
    return [found, sym.mean(x, axis=axes, keepdims=True), inverse][: node.outputs]


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


OPERATORS: dict[str, Translate] = {
    "BatchNormalization": _batch_norm,
    "Col2Im": _col2im,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "DeformConv": _deformable,
    "Det": lambda node: sym.linalg.det(node.symbol(0)),
    "Einsum": _einsum,
    "Gemm": _gemm,
    "GroupNormalization": _group_norm,
    "Hardmax": _hardmax,
    "InstanceNormalization": _instance_norm,
    "LRN": _lrn,
    "LayerNormalization": _layer_norm,
    "LogSoftmax": _softmax("log_softmax"),
    "LpNormalization": _lp_norm,
    "MatMul": _matmul,
    "MeanVarianceNormalization": _mean_variance,
    "RMSNormalization": _rms_norm,
    "Softmax": _softmax("softmax"),
}
