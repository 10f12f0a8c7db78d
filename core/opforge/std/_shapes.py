"""Shape rules: functions on tuples of ints, shared by operators and methods of NDArray.

They do not use arrays. Errors name the operator and the sizes.
"""

from collections.abc import Iterable, Sequence
from math import prod

from ..base.errors import ShapeError

__all__ = [
    "axis_index",
    "broadcast_shapes",
    "common_shape",
    "kept_axes",
    "last_position",
    "reduced_shape",
    "reduction_axes",
    "reshaped",
    "slice_bounds",
]

Shape = tuple[int, ...]

# All axes, by number of dimensions; an array has at most 32.
_ALL_AXES = tuple(tuple(range(ndim)) for ndim in range(33))


def axis_index(operator: str, axis: int, ndim: int) -> int:
    """Return `axis` as a non-negative index.

    Examples
    --------
    >>> axis_index("sum", -1, 3)
    2
    """
    if not -ndim <= axis < ndim:
        raise ShapeError(
            f"operator '{operator}': axis {axis} is out of bounds for {ndim} dimensions; "
            f"expected -{ndim} to {ndim - 1}"
        )
    return axis + ndim if axis < 0 else axis


def reduction_axes(
    operator: str, axis: Iterable[int] | None, ndim: int, exclude: bool = False
) -> Shape:
    """Return the axes to reduce, sorted; None and () mean all."""
    wanted = () if axis is None else tuple(axis)
    if not wanted:
        return _ALL_AXES[ndim]
    if len(wanted) == 1 and not exclude:
        return (axis_index(operator, wanted[0], ndim),)
    axes = {axis_index(operator, one, ndim) for one in wanted}
    if len(axes) != len(wanted):
        raise ShapeError(f"operator '{operator}': axis {wanted} contains an axis twice")
    if exclude:
        axes = set(range(ndim)) - axes
    return tuple(sorted(axes))


def kept_axes(shape: Shape, axes: Shape) -> Shape:
    """Return `shape` with length 1 at `axes`."""
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape))


def reduced_shape(shape: Shape, axes: Shape, keepdims: bool) -> Shape:
    """Return the shape after a reduction; (1,) if no axis is left, as MXNet has no scalars."""
    if keepdims:
        return kept_axes(shape, axes)
    left = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    return left or ((1,) if shape else ())


def last_position(shape: Shape, axis: int | None) -> int:
    """Return the last index along an axis, or of the flattened array if `axis` is None.

    Examples
    --------
    >>> last_position((2, 3), -1), last_position((2, 3), None)
    (2, 5)
    """
    return (prod(shape) if axis is None else shape[axis]) - 1


def broadcast_shapes(operator: str, left: Shape, right: Shape) -> Shape:
    """Return the shape to which both shapes broadcast.

    Examples
    --------
    >>> broadcast_shapes("broadcast_add", (2, 1), (3,))
    (2, 3)
    """
    ndim = max(len(left), len(right))
    a = (1,) * (ndim - len(left)) + left
    b = (1,) * (ndim - len(right)) + right
    for one, other in zip(a, b, strict=True):
        if one != other and one != 1 and other != 1:
            raise ShapeError(
                f"operator '{operator}': operands could not be broadcast together with shapes "
                f"{left} {right}"
            )
    return tuple(other if one == 1 else one for one, other in zip(a, b, strict=True))


def common_shape(shapes: Sequence[Shape]) -> Shape:
    """Merge partially known shapes of equal arrays; () if unknown or of different ranks.

    Examples
    --------
    >>> common_shape([(2, 0), (), (0, 3)])
    (2, 3)
    """
    known = [shape for shape in shapes if shape]
    if not known or any(len(shape) != len(known[0]) for shape in known):
        return ()
    return tuple(max(sizes) for sizes in zip(*known, strict=True))


def reshaped(operator: str, shape: Shape, codes: Sequence[int], reverse: bool = False) -> Shape:
    """Return the shape for MXNet's reshape codes.

    0 copies a dimension, -1 is inferred, -2 copies all remaining dimensions, -3 merges two, -4
    splits one into the next two codes (one of which may be -1). With `reverse`, the codes are
    matched from the right.

    Raises
    ------
    ShapeError
        The codes do not match `shape`, or the number of elements would change.

    Examples
    --------
    >>> reshaped("reshape", (2, 3, 4), (-3, 0))
    (6, 4)
    >>> reshaped("reshape", (2, 3, 4), (-4, 1, -1, -2))
    (1, 2, 3, 4)
    """
    source = shape[::-1] if reverse else shape
    target, position, unknown = [], 0, -1
    remaining = _reversed_codes(codes) if reverse else list(codes)
    try:
        while remaining:
            code = remaining.pop(0)
            if code > 0:
                target.append(code)
                position += 1
            elif code == 0:
                target.append(source[position])
                position += 1
            elif code == -1:
                if unknown >= 0:
                    raise ShapeError(
                        f"operator '{operator}': shape {tuple(codes)} has more than one -1"
                    )
                unknown = len(target)
                target.append(1)
                position += 1
            elif code == -2:
                target.extend(source[position:])
                position = len(source)
            elif code == -3:
                target.append(source[position] * source[position + 1])
                position += 2
            elif code == -4:
                target.extend(_split_sizes(source[position], remaining.pop(0), remaining.pop(0)))
                position += 1
            else:
                raise ShapeError(
                    f"operator '{operator}': code {code} in shape {tuple(codes)} is unknown; "
                    "expected a size or 0 to -4"
                )
    except (IndexError, ValueError):
        raise _no_fit(operator, shape, codes) from None
    return _infer_dimension(operator, shape, codes, target, unknown, reverse)


def _reversed_codes(codes: Sequence[int]) -> list[int]:
    """Reverse the codes, with each -4 kept before its two sizes."""
    groups: list[list[int]] = []
    position = 0
    while position < len(codes):
        length = 3 if codes[position] == -4 else 1
        group = list(codes[position : position + length])
        groups.append([group[0], *group[:0:-1]] if length == 3 else group)
        position += length
    return [code for group in reversed(groups) for code in group]


def _split_sizes(size: int, first: int, second: int) -> tuple[int, int]:
    if first == -1 and second > 0:
        first = size // second
    elif second == -1 and first > 0:
        second = size // first
    if first * second != size:
        raise ValueError("the parts do not multiply to the size")
    return first, second


def _infer_dimension(
    operator: str,
    shape: Shape,
    codes: Sequence[int],
    target: list[int],
    unknown: int,
    reverse: bool,
) -> Shape:
    """Compute the inferred dimension and check the number of elements."""
    size = prod(shape)
    if unknown >= 0:
        known = prod(target)
        if known == 0 or size % known:
            if size or known:
                raise _no_fit(operator, shape, codes)
        else:
            target[unknown] = size // known
    if prod(target) != size:
        raise _no_fit(operator, shape, codes)
    return tuple(target[::-1] if reverse else target)


def _no_fit(operator: str, shape: Shape, codes: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"operator '{operator}': Cannot reshape array of size {prod(shape)} into shape "
        f"{tuple(codes)}; its shape is {shape}"
    )


def slice_bounds(
    operator: str,
    shape: Shape,
    begin: Sequence[int | None],
    end: Sequence[int | None],
    step: Sequence[int | None] = (),
) -> tuple[Shape, Shape, Shape]:
    """Return start, step and length of a slice along each axis, by Python's rules.

    Examples
    --------
    >>> slice_bounds("slice", (4, 5), (1,), (None,), (2,))
    ((1, 0), (2, 1), (2, 5))
    """
    if tuple(step) == (None,):  # also where no axis is sliced
        step = ()
    if len(begin) != len(end) or len(begin) > len(shape) or len(step) > len(begin):
        raise ShapeError(
            f"operator '{operator}': begin {tuple(begin)}, end {tuple(end)} and step "
            f"{tuple(step)} do not fit an array with {len(shape)} dimensions"
        )
    firsts, steps, lengths = [0] * len(shape), [1] * len(shape), list(shape)
    for axis, (low, high) in enumerate(zip(begin, end, strict=True)):
        stride = step[axis] if axis < len(step) else 1
        if stride == 0:
            raise ShapeError(f"operator '{operator}': slice step cannot be zero (axis {axis})")
        indices = range(*slice(low, high, stride).indices(shape[axis]))
        firsts[axis], steps[axis], lengths[axis] = indices.start, indices.step, len(indices)
        if not lengths[axis]:
            firsts[axis] = 0
    return tuple(firsts), tuple(steps), tuple(lengths)
