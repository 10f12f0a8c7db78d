"""Translation of padding and resizing to ONNX."""

from typing import Any

__all__ = ["bilinear_resize", "crop", "pad", "repeat_pixels", "spread_pixels"]


def pad(prop: Any, call: Any) -> Any:
    """Translate Pad; ONNX has all begins first, then all ends."""
    widths = list(prop.pad_width)
    amounts = call.integers(*widths[::2], *widths[1::2])
    value = [call.constant(prop.constant_value)] if prop.mode == "constant" else []
    return call.node("Pad", call.inputs[0], amounts, *value, mode=prop.mode)


def bilinear_resize(prop: Any, call: Any) -> Any:
    """Translate BilinearResize2D to Resize with the sizes of the output."""
    data, out = call.inputs[0], call.outputs[0]
    front = call.shape_vector((data, 0), (data, 1))
    sizes = call.node("Concat", front, call.shape_of(out, 2), axis=0)
    aligned = prop.align_corners
    return call.node(
        "Resize",
        data,
        "",
        "",
        sizes,
        mode="linear",
        coordinate_transformation_mode="align_corners" if aligned else "half_pixel",
    )


def crop(prop: Any, call: Any) -> Any:
    """Translate Crop to the sizes of the output."""
    data, out = call.inputs[0], call.outputs[0]
    if prop.center_crop:
        call.require_fixed(data, 2, 3)
        top, left = ((data.shape[i] - out.shape[i]) // 2 for i in (2, 3))
    else:
        top, left = prop.offset
    starts = call.integers(top, left)
    ends = (
        call.node("Add", starts, call.shape_of(out, 2))
        if any((top, left))
        else call.shape_of(out, 2)
    )
    return call.node("Slice", data, starts, ends, call.integers(2, 3))


def repeat_pixels(prop: Any, call: Any) -> Any:
    """Translate the repetition of pixels in UpSampling."""
    scales = call.constant([1, 1, prop.scale, prop.scale], "float32")
    return call.node(
        "Resize",
        call.inputs[0],
        "",
        scales,
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )


def spread_pixels(prop: Any, call: Any) -> Any:
    """Translate the transposed convolution of each channel in UpSampling."""
    data, weight = call.inputs
    scale, size = prop.scale, weight.shape[-1]
    return call.node(
        "ConvTranspose",
        data,
        weight,
        kernel_shape=[size, size],
        strides=[scale, scale],
        pads=[scale // 2] * 4,
        group=data.shape[1],
    )
