"""Exact integer references of the operators, in NumPy."""

from typing import Any

import numpy as np

__all__ = ["REFERENCES", "limit_of", "range_of", "rounded", "windows_of"]

_INT32 = np.float32(2**31)


def _single(x: Any) -> np.float32:
    """Return the number of an array of one."""
    return np.float32(np.asarray(x).ravel()[0])


def range_of(low: Any, high: Any) -> np.float32:
    """Return the largest magnitude of a range."""
    return np.float32(max(abs(_single(low)), abs(_single(high))))


def limit_of(dtype: Any, finer: bool = True) -> np.float32:
    """Return what the largest magnitude of a range becomes, before rounding."""
    return np.float32((255 if np.dtype(dtype) == np.uint8 else 127) + 0.5 * finer)


def rounded(x: Any, dtype: Any) -> Any:
    """Round to nearest, ties to even, and saturate; NaN is 0 for uint8, else the largest number."""
    info = np.iinfo(dtype)
    x = np.nan_to_num(x, nan=0 if np.dtype(dtype) == np.uint8 else info.max, posinf=np.inf)
    return np.clip(np.rint(np.asarray(x, "float64")), info.min, info.max).astype(dtype)


def _symmetric(dtype: Any, low: Any, high: Any) -> tuple[Any, Any]:
    reach = range_of(low, high)
    is_signed = np.dtype(dtype) == np.int8
    return (np.array([-reach if is_signed else _single(low)], "float32"),) + (
        np.array([reach if is_signed else _single(high)], "float32"),
    )


def _auto(out_type: str, low: Any) -> str:
    if out_type != "auto":
        return out_type
    return "uint8" if low is not None and low >= 0 else "int8"


def quantize(data: Any, low: Any, high: Any, out_type: str = "uint8") -> Any:
    """Compute quantize as the reference."""
    scale = limit_of(out_type, False) / range_of(low, high)
    values = rounded(np.asarray(data, "float32") * scale, out_type)
    return values, *_symmetric(out_type, low, high)


def quantize_v2(
    data: Any,
    out_type: str = "int8",
    min_calib_range: Any = None,
    max_calib_range: Any = None,
) -> Any:
    """Compute quantize_v2 as the reference."""
    is_calibrated = min_calib_range is not None and max_calib_range is not None
    data = np.asarray(data)
    if data.dtype in (np.int8, np.uint8):
        limit = limit_of(data.dtype)
        low = min_calib_range if is_calibrated else 0 if data.dtype == np.uint8 else -limit
        high = max_calib_range if is_calibrated else limit
        return data, np.array([low], "float32"), np.array([high], "float32")
    data = data.astype("float32")
    out_type = _auto(out_type, min_calib_range if is_calibrated else None)
    low = min_calib_range if is_calibrated else np.nanmin(data)
    high = max_calib_range if is_calibrated else np.nanmax(data)
    scale = limit_of(out_type) / range_of(low, high)
    return rounded(data * scale, out_type), *_symmetric(out_type, low, high)


def quantize_asym(data: Any, min_calib_range: Any = None, max_calib_range: Any = None) -> Any:
    """Compute quantize_asym as the reference."""
    data = np.asarray(data)
    if data.dtype == np.uint8:
        return data, np.array([1], "float32"), np.array([0], "float32")
    if data.dtype == np.int8:
        shifted = (data.astype("int32") + 128).astype("uint8")
        return shifted, np.array([1], "float32"), np.array([128], "float32")
    data = data.astype("float32")
    is_calibrated = min_calib_range is not None and max_calib_range is not None
    low = np.float32(min_calib_range if is_calibrated else data.min())
    high = np.float32(max_calib_range if is_calibrated else data.max())
    scale = np.float32(255) / (high - low)
    shift = np.float32(255) - high * scale
    return rounded(data * scale + shift, "uint8"), np.array([scale]), np.array([shift])


def dequantize(data: Any, low: Any, high: Any, out_type: str = "float32") -> Any:
    """Compute dequantize as the reference."""
    return data.astype("float32") * (range_of(low, high) / limit_of(data.dtype))


def requantize(
    data: Any,
    low: Any,
    high: Any,
    out_type: str = "int8",
    min_calib_range: Any = None,
    max_calib_range: Any = None,
) -> Any:
    """Compute requantize as the reference."""
    is_calibrated = min_calib_range is not None and max_calib_range is not None
    out_type = _auto(out_type, min_calib_range if is_calibrated else None)
    reach = range_of(low, high)
    if is_calibrated:
        real = range_of(min_calib_range, max_calib_range)
    else:
        real = np.float32(np.abs(data.astype("float64")).max(initial=0)) * reach / _INT32
    scale = reach / _INT32 * (limit_of(out_type, False) / real)
    values = rounded(data.astype("float32") * scale, out_type)
    return values, np.array([-real if out_type == "int8" else 0], "float32"), np.array([real])


def _product_range(data: Any, ranges: Any) -> tuple[Any, Any]:
    level = range_of(*ranges[:2]) / limit_of(data.dtype, False)
    level = level * (range_of(*ranges[2:4]) / limit_of("int8", False))
    found = level * _INT32
    return np.array([-found], "float32"), np.array([found], "float32")


def _bias(data: Any, bias: Any, ranges: Any) -> Any:
    """Return a bias in the levels of a layer's sums."""
    scale = limit_of(data.dtype) / range_of(*ranges[:2])
    scale = scale * (limit_of("int8") / range_of(*ranges[2:4]))
    scale = scale * range_of(*ranges[4:]) / limit_of("int8")
    return np.trunc(bias.astype("float32") * scale).astype("int64")


def _arrays(inputs: Any, no_bias: bool) -> tuple[Any, Any, Any, Any]:
    data, weight, *rest = inputs
    return (data, weight, None, rest) if no_bias else (data, weight, rest[0], rest[1:])


def _wrap(sums: Any) -> Any:
    return sums.astype("int64").astype("int32")


def fully_connected(
    *inputs: Any, num_hidden: int = 0, no_bias: bool = False, flatten: bool = True
) -> Any:
    """Compute quantized_fully_connected as the reference."""
    data, weight, bias, ranges = _arrays(inputs, no_bias)
    rows = data.reshape(data.shape[0], -1) if flatten else data
    sums = rows.astype("int64") @ weight.astype("int64").T
    if bias is not None:
        sums = sums + _bias(data, bias, ranges)
    return _wrap(sums), *_product_range(data, ranges)


def windows_of(data: Any, kernel: Any, stride: Any, dilate: Any, pad: Any, value: Any) -> Any:
    """Return all windows of (n, channels, ...) data, with their elements on the last axes."""
    dims = len(kernel)
    stride, dilate, pad = stride or (1,) * dims, dilate or (1,) * dims, pad or ((0, 0),) * dims
    data = np.pad(data, ((0, 0), (0, 0), *pad), constant_values=value)
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilate, strict=True))
    found = np.lib.stride_tricks.sliding_window_view(data, reach, tuple(range(2, 2 + dims)))
    steps = [slice(None, None, s) for s in stride]
    taps = [slice(None, None, d) for d in dilate]
    return found[(slice(None), slice(None), *steps, *taps)]


def convolution(
    *inputs: Any,
    kernel: Any = (),
    stride: Any = (),
    dilate: Any = (),
    pad: Any = (),
    num_filter: int = 0,
    num_group: int = 1,
    no_bias: bool = False,
    **ignored: Any,
) -> Any:
    """Compute quantized_conv as the reference."""
    data, weight, bias, ranges = _arrays(inputs, no_bias)
    ends = tuple((p, p) for p in pad)
    windows = windows_of(data.astype("int64"), kernel, stride, dilate, ends, 0)
    n, channels, *out = windows.shape[: 2 + len(kernel)]
    windows = windows.reshape(n, num_group, channels // num_group, *out, -1)
    filters = weight.astype("int64").reshape(num_group, num_filter // num_group, -1)
    order = (0, 1, *range(3, 3 + len(out)), 2, 3 + len(out))
    patches = windows.transpose(order).reshape(n, num_group, *out, filters.shape[-1])
    sums = np.einsum("ng...k,gfk->ngf...", patches, filters)
    sums = sums.reshape(n, num_filter, *out)
    if bias is not None:
        sums = sums + _bias(data, bias, ranges).reshape(-1, *(1,) * len(out))
    return _wrap(sums), *_product_range(data, ranges)


def pooling(
    data: Any,
    low: Any,
    high: Any,
    kernel: Any = (),
    pool_type: str = "max",
    global_pool: bool = False,
    pooling_convention: str = "valid",
    stride: Any = (),
    pad: Any = (),
    count_include_pad: Any = None,
    blocked: bool = False,
    **ignored: Any,
) -> Any:
    """Compute quantized_pooling as the reference."""
    if blocked:
        options = (kernel, pool_type, global_pool, pooling_convention, stride, pad)
        first = data[:, 0].transpose(0, 3, 1, 2)
        found = pooling(first, low, high, *options, count_include_pad)[0]
        return found.transpose(0, 2, 3, 1)[:, None], low, high
    dims = data.ndim - 2
    if global_pool:
        kernel, stride, pad = data.shape[2:], (), ()
    stride, pad = stride or (1,) * dims, pad or (0,) * dims
    ends = [
        (p, p + (-(length + 2 * p - k) % s if pooling_convention == "full" else 0))
        for length, k, s, p in zip(data.shape[2:], kernel, stride, pad, strict=True)
    ]
    axes = tuple(range(-dims, 0))
    lowest = np.iinfo(data.dtype).min
    if pool_type == "max":
        return windows_of(data, kernel, stride, (), tuple(ends), lowest).max(axes), low, high
    sums = windows_of(data.astype("int64"), kernel, stride, (), tuple(ends), 0).sum(axes)
    ones = windows_of(np.ones(data.shape, "int64"), kernel, stride, (), tuple(ends), 0).sum(axes)
    counts = np.maximum(ones, 1) if count_include_pad is False else np.prod(kernel)
    means = sums.astype("float32") / np.float32(counts)
    return rounded(means, data.dtype), low, high


def elemwise_add(
    lhs: Any, rhs: Any, *ranges: Any, min_calib_range: Any = None, max_calib_range: Any = None
) -> Any:
    """Compute quantized_elemwise_add as the reference."""
    left, right = range_of(*ranges[:2]), range_of(*ranges[2:])
    if min_calib_range is None or max_calib_range is None:
        high = left + right
        scales = [
            reach * _INT32 / (high * limit_of(x.dtype)) for reach, x in ((left, lhs), (right, rhs))
        ]
        sums = lhs.astype("float32") * scales[0] + rhs.astype("float32") * scales[1]
        return rounded(sums, "int32"), np.array([-high]), np.array([high])
    dtype = lhs.dtype if lhs.dtype == rhs.dtype else np.dtype("int8")
    scale = limit_of(dtype) / range_of(min_calib_range, max_calib_range)
    terms = []
    for reach, x in ((left, lhs), (right, rhs)):
        term = x.astype("float32") * (scale / (limit_of(x.dtype) / reach))
        terms.append(rounded(term, dtype).astype("float32") if x.dtype != dtype else term)
    ends = np.array([min_calib_range], "float32"), np.array([max_calib_range], "float32")
    return rounded(terms[0] + terms[1], dtype), *ends


def elemwise_mul(
    lhs: Any,
    rhs: Any,
    *ranges: Any,
    min_calib_range: Any = None,
    max_calib_range: Any = None,
    enable_float_output: bool = False,
) -> Any:
    """Compute quantized_elemwise_mul as the reference."""
    left, right = range_of(*ranges[:2]), range_of(*ranges[2:])
    scales = limit_of(lhs.dtype) / left, limit_of(rhs.dtype) / right
    product = lhs.astype("int32") * rhs.astype("int32")
    if enable_float_output:
        return product.astype("float32") * np.float32(
            1.0 / np.float64(scales[0]) / np.float64(scales[1])
        )
    if min_calib_range is None or max_calib_range is None:
        levels = left / limit_of(lhs.dtype, False) * (right / limit_of(rhs.dtype, False))
        high = np.float32(levels * _INT32)
        return product, np.array([-high]), np.array([high])
    scale = limit_of("int8") / range_of(min_calib_range, max_calib_range) / scales[0] / scales[1]
    values = np.clip(np.trunc(product.astype("float32") * scale), -128, 127).astype("int8")
    ends = np.array([min_calib_range], "float32"), np.array([max_calib_range], "float32")
    return values, *ends


def concat(*inputs: Any, num_args: int = 1, dim: int = 1, **ignored: Any) -> Any:
    """Compute quantized_concat as the reference."""
    arrays, ranges = inputs[:num_args], inputs[num_args:]
    low = min([np.float32(0), *map(_single, ranges[::2])])
    high = max([np.float32(0), *map(_single, ranges[1::2])])
    dtype = "int8" if any(x.dtype == np.int8 for x in arrays) else "uint8"
    scale = limit_of(dtype) / range_of(low, high)
    parts = []
    for at, x in enumerate(arrays):
        own = limit_of(x.dtype) / range_of(*ranges[2 * at : 2 * at + 2])
        is_same = own == scale and x.dtype == dtype
        parts.append(x if is_same else rounded(x.astype("float32") * (scale / own), dtype))
    return np.concatenate(parts, dim), np.array([low]), np.array([high])


def batch_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    low: Any,
    high: Any,
    mean: Any,
    var: Any,
    eps: float = 1e-3,
    fix_gamma: bool = True,
    axis: int = 1,
    min_calib_range: Any = None,
    max_calib_range: Any = None,
    **ignored: Any,
) -> Any:
    """Compute quantized_batch_norm as the reference."""
    reach, single = range_of(min_calib_range, max_calib_range), np.float32
    gamma, beta, mean, var = (np.asarray(x, "float32") for x in (gamma, beta, mean, var))
    scale = (1 / np.sqrt((var + single(eps)).astype("float64"))).astype("float32")
    scale = scale * (single(1) if fix_gamma else gamma)
    factor = scale * range_of(low, high) / reach / np.sqrt(1 + single(eps))
    shift = (beta - mean * scale) * limit_of("int8") / reach
    if data.dtype == np.uint8:
        data = rounded(data.astype("float32") * (single(127.5) / single(255.5)), "int8")
    shape = [1] * data.ndim
    shape[axis] = -1
    values = data.astype("float32") * factor.reshape(shape) + shift.reshape(shape)
    ends = np.array([min_calib_range], "float32"), np.array([max_calib_range], "float32")
    return rounded(values, "int8"), *ends


def act(data: Any, low: Any, high: Any, act_type: str = "relu") -> Any:
    """Compute quantized_act as the reference."""
    return np.maximum(data, 0).astype(data.dtype), low, high


def flatten(data: Any, low: Any, high: Any) -> Any:
    """Compute quantized_flatten as the reference."""
    return data.reshape(data.shape[0], -1), low, high


def embedding(data: Any, weight: Any, low: Any, high: Any, **ignored: Any) -> Any:
    """Compute quantized_embedding as the reference."""
    at = np.clip(np.trunc(data).astype("int64"), 0, len(weight) - 1)
    return weight[at], low, high


REFERENCES = {
    "_contrib_dequantize": dequantize,
    "_contrib_quantize": quantize,
    "_contrib_quantize_asym": quantize_asym,
    "_contrib_quantize_v2": quantize_v2,
    "_contrib_quantized_act": act,
    "_contrib_quantized_batch_norm": batch_norm,
    "_contrib_quantized_concat": concat,
    "_contrib_quantized_conv": convolution,
    "_contrib_quantized_elemwise_add": elemwise_add,
    "_contrib_quantized_elemwise_mul": elemwise_mul,
    "_contrib_quantized_embedding": embedding,
    "_contrib_quantized_flatten": flatten,
    "_contrib_quantized_fully_connected": fully_connected,
    "_contrib_quantized_pooling": pooling,
    "_contrib_requantize": requantize,
}
