"""Rules for operators of the core that read or replace slices."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ..exporting.call import Call
from ..exporting.value import Value

__all__ = [
    "reverse",
    "slice_assign",
    "slice_assign_scalar",
    "slice_axis",
    "slice_like",
    "slices",
]

#: Beyond any dimension: the end of a slice that has none.
_END = np.iinfo(np.int64).max
#: Bounds of a slice that is the whole axis.
_WHOLE = (0, _END, 1)


def _slice(
    call: Call,
    data: Any,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    steps: Sequence[int] | None = None,
) -> str:
    steps = steps or [1] * len(axes)
    bounds = [call.integers(*part) for part in (starts, ends, axes, steps)]
    return str(call.node("Slice", data, *bounds))


def slices(prop: Any, call: Call) -> str:
    """Translate slice: begin, end and step of the first axes; None means all."""
    starts, ends, steps = zip(*_bounds(prop), strict=True)
    return _slice(call, call.inputs[0], range(len(starts)), starts, ends, steps)


def _bounds(prop: Any) -> list[tuple[int, int, int]]:
    """Return start, end and step of the first axes."""
    found = []
    for begin, end, step in zip_longest(prop.begin, prop.end, prop.step or ()):
        step = step or 1
        start = (0 if step > 0 else _END) if begin is None else begin
        found.append((start, (_END if step > 0 else -_END) if end is None else end, step))
    return found


def slice_axis(prop: Any, call: Call) -> str:
    """Translate slice_axis."""
    if call.for_larger:
        call.require_for_all_sizes(
            call.for_larger.begin == prop.begin,
            "where it begins depends on sizes of the inputs that may change",
        )
        begin, axis = call.integers(prop.begin), prop.axis % len(call.inputs[0].shape)
        length = call.output_size(call.outputs[0], axis)
        end = call.node("Add", begin, length) if prop.begin else length
        return str(call.node("Slice", call.inputs[0], begin, end, call.integers(axis)))
    end = _END if prop.end is None else prop.end
    return _slice(call, call.inputs[0], [prop.axis], [prop.begin], [end])


def slice_like(prop: Any, call: Call) -> str:
    """Translate slice_like: the ends are dimensions of the second array when the graph runs."""
    data, like = call.inputs
    given = prop.axes or range(len(data.shape))
    axes = [axis % len(data.shape) for axis in given]
    wanted = [axis % len(like.shape) for axis in given]
    ends = call.node("Gather", call.node("Shape", like), call.integers(*wanted), axis=0)
    starts = call.integers(*[0] * len(axes))
    return str(call.node("Slice", data, starts, ends, call.integers(*axes)))


def reverse(prop: Any, call: Call) -> str:
    """Translate reverse: slices with step -1."""
    axes = [prop.axis] if isinstance(prop.axis, int) else list(prop.axis)
    count = len(axes)
    return _slice(call, call.inputs[0], axes, [-1] * count, [-_END] * count, [-1] * count)


def slice_assign(prop: Any, call: Call) -> str:
    """Translate _slice_assign."""
    return _assign(prop, call, call.inputs[1])


def slice_assign_scalar(prop: Any, call: Call) -> str:
    """Translate _slice_assign_scalar."""
    return _assign(prop, call, None)


def _assign(prop: Any, call: Call, part: Value | None) -> str:
    """Return the first input with a slice replaced by a part, or by the scalar.

    The slice of the first axis is replaced by itself with the slice of the second axis replaced,
    and so on.
    """
    data = call.inputs[0]
    bounds = {axis: given for axis, given in enumerate(_bounds(prop)) if given != _WHOLE}
    wholes: list[Any] = [data]
    for axis, given in bounds.items():
        wholes.append(_slice(call, wholes[-1], [axis], *([number] for number in given)))
    found: Any = part
    if part is None:
        found = call.node("Expand", call.constant(prop.scalar), call.node("Shape", wholes[-1]))
    for whole, (axis, given) in reversed([*zip(wholes, bounds.items(), strict=False)]):
        both = call.node("Concat", whole, found, axis=axis)
        found = call.node("Gather", both, _sources(call, data, axis, given), axis=axis)
    return str(found if bounds or part is None else call.node("Identity", found))


def _sources(call: Call, data: Value, axis: int, bounds: tuple[int, int, int]) -> str:
    """Return for each index along an axis that in the array and its new slice, concatenated."""
    start, end, step = bounds
    if not data.is_open(axis):
        # Python writes the index before the first one as None.
        chosen = slice(start, None if end == -_END else end, step)
        found = np.arange(data.shape[axis])
        found[chosen] = len(found) + np.arange(len(found[chosen]))
        return call.integers(*found)
    own = call.arange(data, axis)
    replaced = _slice(call, own, [0], [start], [end], [step])
    zero, one = call.constant(0, np.int64), call.constant(1, np.int64)
    numbers = call.node("Range", zero, call.node("Size", replaced), one)
    new = call.node("Add", call.size(data, axis), numbers)
    return str(call.node("ScatterElements", own, replaced, new, axis=0))
