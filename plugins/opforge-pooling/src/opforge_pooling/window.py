"""Number of windows along an axis, following MXNet's conventions, and validation of sizes."""

from math import prod
from typing import Any

from opforge.plugin_api import ShapeError

#: Upper bound of window sizes, so that products of two sizes fit 64 bits.
MAX_ELEMENTS = 2**31 - 1


def spatial_axes(prop: Any, data: tuple[int, ...]) -> range:
    """Return the axes that a window slides along; raise ShapeError if attributes do not match them.

    Parameters
    ----------
    prop : OperatorProp
        With `kernel`, `stride`, `pad`, `global_pool`, `pooling_convention`, `layout` and `blocked`.
    data : tuple of int
        Shape of the data.
    """
    where, spatial = f"operator '{prop.name}'", len(data) - 2 - prop.blocked
    if not 1 <= spatial <= 3:
        raise ShapeError(
            f"{where}: data has shape {data}; expected 3, 4 or 5 dimensions: (n, channels, width), "
            "(n, channels, height, width) or (n, channels, depth, height, width)"
            + (", and a last axis of blocked channels" if prop.blocked else "")
        )
    if prop.layout is not None and len(prop.layout) != spatial + 2:
        raise ShapeError(
            f"{where}: layout is {prop.layout!r}, but data has shape {data}. Pass a layout of "
            f"{spatial + 2} axes"
        )
    if prop.blocked and prop.layout is not None and prop.layout.endswith("C"):
        raise ShapeError(f"{where}: layout is {prop.layout!r}, which has no blocked form")
    _expect_lengths(prop, where, data, spatial)
    first = 1 if prop.layout is not None and prop.layout.endswith("C") else 2
    return range(first, first + spatial)


def _expect_lengths(prop: Any, where: str, data: tuple[int, ...], spatial: int) -> None:
    if prop.global_pool:
        return
    for name in ("kernel", "stride", "pad"):
        given = getattr(prop, name)
        # Programs written for MXNet pass more zeros than there are axes.
        if len(given) == spatial or (name != "kernel" and not any(given)):
            continue
        raise ShapeError(
            f"{where}: {name} is {given}; expected {spatial} numbers because data has shape "
            f"{data}. Pass {name}={(2,) * spatial} or global_pool=True"
        )
    if prod(prop.kernel) > MAX_ELEMENTS:
        raise ShapeError(
            f"{where}: a window of {prop.kernel} has more than {MAX_ELEMENTS} elements. Pass a "
            "smaller kernel"
        )
    if prop.pooling_convention == "same":
        if spatial != 1:
            raise ShapeError(
                f"{where}: data has shape {data}; pooling_convention 'same' requires "
                "(n, channels, width). Use 'valid' or 'full' with pad"
            )
        if any(prop.pad):
            raise ShapeError(
                f"{where}: pad is {prop.pad}, but pooling_convention 'same' takes no pad. Omit it"
            )


def out_length(prop: Any, length: int, at: int) -> int:
    """Return the number of windows along one axis; 0 if its length is unknown.

    Parameters
    ----------
    prop : OperatorProp
        As for `spatial_axes`, which has validated it.
    length : int
        Length of the axis.
    at : int
        Index of the axis among the spatial axes.
    """
    stride = prop.stride[at] if at < len(prop.stride) else 1
    pad = prop.pad[at] if at < len(prop.pad) else 0
    if length == 0:
        return 0
    if prop.pooling_convention == "same":
        return -(-length // stride)
    span = length + 2 * pad - prop.kernel[at]
    if span < 0:
        raise ShapeError(
            f"operator '{prop.name}': a window of {prop.kernel} does not fit: axis {at} of the "
            f"image has {length} elements, {length + 2 * pad} with padding. Pass a smaller "
            "kernel or more pad"
        )
    return (-(-span // stride) if prop.pooling_convention == "full" else span // stride) + 1
