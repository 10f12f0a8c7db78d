"""What ``opforge check`` is told of the operators and layers: references and calls to try."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np


def spread(given: Any, default: int, dims: int) -> tuple[int, ...]:
    """Return an attribute's number for each dimension of space."""
    return tuple(given) if given else (default,) * dims


def taps(
    shape: Sequence[int], kernel: Any, stride: Any = (), dilate: Any = (), pad: Any = ()
) -> tuple[tuple[int, ...], Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]]:
    """Return the lengths of the results, and of each element of a filter where it comes by.

    Places are slices of a padded picture of `shape`.
    """
    dims = len(kernel)
    stride, dilate, pad = spread(stride, 1, dims), spread(dilate, 1, dims), spread(pad, 0, dims)
    lengths = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, d, p in zip(shape, kernel, stride, dilate, pad, strict=True)
    )
    slices = (
        tuple(
            slice(at * d, at * d + (n - 1) * s + 1, s)
            for at, d, n, s in zip(tap, dilate, lengths, stride, strict=True)
        )
        for tap in product(*map(range, kernel))
    )
    return lengths, zip(product(*map(range, kernel)), slices, strict=True)


def padded(data: Any, pad: Any, dims: int) -> Any:
    """Return pictures with zeros around them."""
    return np.pad(data, [(0, 0), (0, 0), *((n, n) for n in spread(pad, 0, dims))])


def im2col(data: Any, kernel: Any, pad: Any = (), **steps: Any) -> Any:
    """Return the reference of im2col."""
    wide = padded(data, pad, len(kernel))
    _, places = taps(data.shape[2:], kernel, pad=pad, **steps)
    columns = np.stack([wide[(..., *at)] for _, at in places], 2)
    n, channels, elements = columns.shape[:3]
    return columns.reshape(n, channels * elements, -1)


def col2im(data: Any, output_size: Any, kernel: Any, pad: Any = (), **steps: Any) -> Any:
    """Return the reference of col2im."""
    dims = len(kernel)
    lengths, places = taps(output_size, kernel, pad=pad, **steps)
    columns = data.reshape(data.shape[0], -1, int(np.prod(kernel)), *lengths)
    wide = padded(np.zeros((*columns.shape[:2], *output_size)), pad, dims)
    for number, (_, at) in enumerate(places):
        wide[(..., *at)] += columns[:, :, number]
    inner = (slice(n, n + size) for n, size in zip(spread(pad, 0, dims), output_size, strict=True))
    return wide[(..., *inner)]


def channels_first(array: Any, layout: str | None) -> Any:
    """Return an array of any layout with its channels on axis 1."""
    return np.moveaxis(array, -1, 1) if layout and layout.endswith("C") else array


def channels_placed(array: Any, layout: str | None) -> Any:
    """Return an array with its channels where the layout has them."""
    return np.moveaxis(array, 1, -1) if layout and layout.endswith("C") else array


def with_bias(out: Any, bias: Any) -> Any:
    """Return the output with a number added to each channel."""
    return out if bias is None else out + bias.reshape(-1, *[1] * (out.ndim - 2))


def convolution(
    data: Any,
    weight: Any,
    bias: Any = None,
    *,
    kernel: Any,
    num_filter: int,
    num_group: int = 1,
    layout: str | None = None,
    no_bias: bool = False,
    **window: Any,
) -> Any:
    """Return the reference of Convolution."""
    data, weight = channels_first(data, layout), channels_first(weight, layout)
    lengths, _ = taps(data.shape[2:], kernel, **window)
    columns = im2col(data, kernel, **window)
    columns = columns.reshape(len(data), num_group, -1, columns.shape[-1])
    filters = weight.reshape(num_group, num_filter // num_group, -1)
    out = np.einsum("ngip,goi->ngop", columns, filters).reshape(len(data), num_filter, *lengths)
    return channels_placed(with_bias(out, bias), layout)


def deconvolution(
    data: Any,
    weight: Any,
    bias: Any = None,
    *,
    kernel: Any,
    num_filter: int,
    num_group: int = 1,
    layout: str | None = None,
    no_bias: bool = True,
    stride: Any = (),
    dilate: Any = (),
    pad: Any = (),
    adj: Any = (),
    target_shape: Any = (),
) -> Any:
    """Return the reference of Deconvolution."""
    dims = len(kernel)
    data, weight = channels_first(data, layout), channels_first(weight, layout)
    whole = [
        (n - 1) * s + d * (k - 1) + 1
        for n, k, s, d in zip(
            data.shape[2:], kernel, spread(stride, 1, dims), spread(dilate, 1, dims), strict=True
        )
    ]
    if any(target_shape):
        excess = [n - target for n, target in zip(whole, target_shape, strict=True)]
        pad, adj = [(n + 1) // 2 for n in excess], [n % 2 for n in excess]
    ends = zip(whole, spread(pad, 0, dims), spread(adj, 0, dims), strict=True)
    size = tuple(n - 2 * p + a for n, p, a in ends)
    maps = data.reshape(len(data), num_group, data.shape[1] // num_group, -1)
    filters = weight.reshape(num_group, data.shape[1] // num_group, -1)
    columns = np.einsum("ngip,gio->ngop", maps, filters).reshape(len(data), -1, maps.shape[-1])
    out = col2im(columns, size, kernel, stride=stride, dilate=dilate, pad=pad)
    return channels_placed(with_bias(out, bias), layout)


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample."""
    return {"inputs": list(inputs), "attributes": attributes}


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "Convolution": {
        "reference": convolution,
        "samples": [
            call((2, 3, 5, 4), (4, 3, 3, 2), (4,), kernel=(3, 2), num_filter=4),
            call(
                (1, 4, 7),
                *[(6, 2, 3), (6,)],
                kernel=(3,),
                num_filter=6,
                num_group=2,
                stride=(2,),
                pad=(2,),
                dilate=(2,),
            ),
            call((1, 2, 3, 4, 3), (2, 2, 2, 1, 3), kernel=(2, 1, 3), num_filter=2, no_bias=True),
            call((2, 4, 3, 2), (3, 1, 1, 2), (3,), kernel=(1, 1), num_filter=3, layout="NHWC"),
        ],
    },
    "Deconvolution": {
        "reference": deconvolution,
        "samples": [
            call((2, 3, 4, 3), (3, 2, 3, 2), kernel=(3, 2), num_filter=2),
            call(
                (1, 4, 5),
                *[(4, 3, 3), (6,)],
                kernel=(3,),
                num_filter=6,
                num_group=2,
                stride=(2,),
                pad=(1,),
                adj=(1,),
                no_bias=False,
            ),
            call(
                (1, 2, 3, 2),
                (2, 2, 3, 3),
                kernel=(3, 3),
                num_filter=2,
                stride=(2, 2),
                target_shape=(6, 3),
            ),
        ],
    },
    "im2col": {
        "reference": im2col,
        "samples": [
            call((2, 3, 5, 4), kernel=(3, 2), stride=(2, 1), pad=(1, 0)),
            call((1, 2, 7), kernel=(3,), dilate=(2,)),
        ],
    },
    "col2im": {
        "reference": col2im,
        "samples": [
            call((2, 18, 9), output_size=(5, 4), kernel=(3, 2), stride=(2, 1), pad=(1, 0)),
            call((1, 6, 3), output_size=(7,), kernel=(3,), dilate=(2,)),
        ],
    },
}


def layer_samples(dims: int, channels: int) -> list[dict[str, Any]]:
    """Return ways to make a layer for arrays with `dims` dimensions of space."""
    data = (2, channels, *(5, 4, 3)[:dims])
    return [
        {"inputs": [data], "arguments": {"channels": 4, "kernel_size": 3, "padding": 1}},
        {
            "inputs": [data],
            "arguments": {
                "channels": 4,
                "kernel_size": (2,) * dims,
                "strides": 2,
                "groups": 2,
                "use_bias": False,
                "in_channels": channels,
            },
        },
    ]


LAYER_CHECKS: dict[str, dict[str, Any]] = {
    f"Conv{dims}D{kind}": {"samples": layer_samples(dims, 2)}
    for dims in (1, 2, 3)
    for kind in ("", "Transpose")
}
