"""Sample calls and references of complete layers for ``opforge check``."""

from typing import Any

import numpy as np

from .references import limit_of, range_of, rounded, windows_of

__all__ = ["LAYER_REFERENCES", "LAYER_SAMPLES", "layer_call"]

_RANGES = np.array([-1.5], "float32"), np.array([2.0], "float32")
_OTHER_RANGES = np.array([-0.5], "float32"), np.array([0.75], "float32")
_CALIBRATED = {"min_calib_range": -9.0, "max_calib_range": 12.5}

#: Shape of data, and attributes of convolutions.
_CONVOLUTIONS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 6, 5), {"kernel": (3, 2), "num_filter": 5, "pad": (1, 1), "dilate": (2, 1)}),
    ((1, 4, 5, 6), {"kernel": (1, 1), "num_filter": 6, "num_group": 2}),
    ((2, 3, 5, 6), {"kernel": (3, 3), "num_filter": 3, "num_group": 3, "stride": (2, 1)}),
]


def layer_call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a call whose inputs are arrays, or shapes of real numbers to draw."""
    kinds = [item if isinstance(item, tuple) else item.dtype.kind for item in inputs]
    single = [at for at, kind in enumerate(kinds) if isinstance(kind, tuple) or kind == "f"]
    return {"inputs": [*inputs], "attributes": attributes, "wanted": [], "single": single}


def _integers(rng: Any, shape: tuple[int, ...], dtype: str) -> Any:
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def _convolutions(rng: Any) -> list[dict[str, Any]]:
    found = []
    for shape, options in _CONVOLUTIONS:
        filters, groups = options["num_filter"], options.get("num_group", 1)
        weight = (filters, shape[1] // groups, *options["kernel"])
        out = _output_shape(shape, options)
        for data_type, out_type in (("int8", "uint8"), ("uint8", "int8"), ("uint8", "float32")):
            data = _integers(rng, shape, data_type)
            calibrated = {} if out_type == "float32" else _CALIBRATED
            attributes = {**options, "out_type": out_type, **calibrated}
            found.append(layer_call(data, weight, *_RANGES, no_bias=True, **attributes))
            other = _integers(rng, out, "int8")
            found.append(
                layer_call(
                    *(data, weight, (filters,), other, *_RANGES, *_OTHER_RANGES),
                    with_sum=True,
                    with_act=True,
                    **attributes,
                )
            )
        integers, scales = _integers(rng, weight, "int8"), rng.random(filters).astype("float32")
        found.append(
            layer_call(
                data, integers, scales, *_RANGES, with_scale=True, no_bias=True, **attributes
            )
        )
        last = data.transpose(0, 2, 3, 1)[:, None]
        found.append(layer_call(last, weight, (filters,), *_RANGES, blocked=True, **attributes))
    return found


def _output_shape(shape: tuple[int, ...], options: dict[str, Any]) -> tuple[int, ...]:
    return (shape[0], options["num_filter"], *_windows(np.zeros(shape), options).shape[2:4])


def _windows(data: Any, options: dict[str, Any]) -> Any:
    ends = tuple((p, p) for p in options.get("pad") or (0, 0))
    stride, dilate = options.get("stride"), options.get("dilate")
    return windows_of(data, options["kernel"], stride, dilate, ends, 0)


def _dense(rng: Any) -> list[dict[str, Any]]:
    found = []
    for dtype, out_type in (("int8", "float32"), ("uint8", "int8"), ("uint8", "uint8")):
        data = _integers(rng, (4, 2, 3), dtype)
        calibrated = {} if out_type == "float32" else _CALIBRATED
        attributes = {"num_hidden": 5, "out_type": out_type, **calibrated}
        found.append(layer_call(data, (5, 6), (5,), *_RANGES, **attributes))
        found.append(layer_call(data, (5, 6), *_RANGES, no_bias=True, with_act=True, **attributes))
        found.append(layer_call(data, (5, 3), (5,), *_RANGES, flatten=False, **attributes))
        integers, scales = _integers(rng, (5, 6), "int8"), rng.random(5).astype("float32")
        found.append(
            layer_call(data, integers, scales, (5,), *_RANGES, with_scale=True, **attributes)
        )
    return found


LAYER_SAMPLES = {
    "_int8_convolution": _convolutions,
    "_int8_dense": _dense,
    "_int8_depthwise_filters": lambda rng: [layer_call((5, 1, 3, 3))],
    "_int8_filters": lambda rng: [
        *(layer_call((5, 3, 2, 2)), layer_call((7, 6))),
        *(layer_call(_integers(rng, shape, "int8")) for shape in ((5, 3, 2, 2), (7, 6))),
    ],
}


def _integer_weight(inputs: dict[str, Any]) -> tuple[Any, Any]:
    """Return the integers of each filter, and the factors that made them."""
    if "scale" in inputs:
        return np.asarray(inputs["weight"]).astype("int64"), np.ones(
            len(inputs["scale"]), "float32"
        )
    weight = np.asarray(inputs["weight"], "float32")
    largest = np.abs(weight).reshape(len(weight), -1).max(axis=1)
    scale = np.where(largest > 0, np.float32(127.5) / np.where(largest > 0, largest, 1), 1)
    scale = scale.astype("float32")
    shaped = weight * scale.reshape(-1, *(1,) * (weight.ndim - 1))
    return rounded(shaped, "int8").astype("int64"), scale


def _finish(sums: Any, scale: Any, inputs: dict[str, Any], options: dict[str, Any]) -> Any:
    """Return the results of exact sums, whose axis 1 is that of filters."""
    out_type, data = options.get("out_type", "int8"), inputs["data"]
    is_real = out_type == "float32"
    low, high = options.get("min_calib_range"), options.get("max_calib_range")
    out_scale = np.float32(1) if is_real else limit_of(out_type) / range_of(low, high)
    data_scale = limit_of(data.dtype) / range_of(inputs["min_data"], inputs["max_data"])
    shape = (1, -1, *(1,) * (sums.ndim - 2))
    factors = out_scale / data_scale / scale
    if "scale" in inputs:
        factors = factors * np.asarray(inputs["scale"], "float32")
    found = sums.astype("float32") * factors.reshape(shape)
    if "bias" in inputs:
        found = found + (np.asarray(inputs["bias"], "float32") * out_scale).reshape(shape)
    if "sum" in inputs:
        other = inputs["sum"]
        other_scale = limit_of(other.dtype) / range_of(inputs["min_sum"], inputs["max_sum"])
        found = found + other.astype("float32") * (out_scale / other_scale)
    if options.get("with_act"):
        found = np.maximum(found, 0)
    if is_real:
        return found
    return rounded(found, out_type), np.array([low], "float32"), np.array([high], "float32")


def _by_name(arrays: Any, options: dict[str, Any]) -> dict[str, Any]:
    names = ["data", "weight"]
    names += ["scale"] if options.get("with_scale") else []
    names += [] if options.get("no_bias") else ["bias"]
    names += ["sum"] if options.get("with_sum") else []
    names += ["min_data", "max_data", "min_sum", "max_sum"]
    return dict(zip(names, arrays, strict=False))


def _dense_reference(*arrays: Any, **options: Any) -> Any:
    inputs = _by_name(arrays, options)
    weight, scale = _integer_weight(inputs)
    data = inputs["data"].astype("int64")
    rows = data.reshape(len(data) if options.get("flatten", True) else -1, weight.shape[1])
    found = _finish(rows @ weight.T, scale, inputs, options)
    if options.get("flatten", True):
        return found
    first, *ends = found if isinstance(found, tuple) else (found,)
    first = first.reshape(*data.shape[:-1], -1)
    return (first, *ends) if ends else first


def _convolution_reference(*arrays: Any, **options: Any) -> Any:
    inputs = _by_name(arrays, options)
    if options.get("blocked"):
        inputs["data"] = inputs["data"][:, 0].transpose(0, 3, 1, 2)
        found = _convolve(inputs, options)
        first, *ends = found if isinstance(found, tuple) else (found,)
        first = first.transpose(0, 2, 3, 1)[:, None]
        return (first, *ends) if ends else first
    return _convolve(inputs, options)


def _convolve(inputs: dict[str, Any], options: dict[str, Any]) -> Any:
    weight, scale = _integer_weight(inputs)
    windows = _windows(inputs["data"].astype("int64"), options)
    groups, (n, channels, *positions) = options.get("num_group", 1), windows.shape[:4]
    grouped = windows.reshape(n, groups, channels // groups, *positions, *options["kernel"])
    filters = weight.reshape(groups, -1, *weight.shape[1:])
    sums = np.einsum("ngchwij,gfcij->ngfhw", grouped, filters).reshape(n, -1, *positions)
    return _finish(sums, scale, inputs, options)


LAYER_REFERENCES = {
    "_int8_convolution": _convolution_reference,
    "_int8_dense": _dense_reference,
}
