"""Blocked layouts of arrays on which an operator can compute.

A blocked array is an ordinary array with an additional dimension: an axis of length C is divided
into C / lanes groups, and the lanes of a group are the last axis. The layout is known to the
reader, not stored in the array. Graphs choose forms (`symbol.compiler.layout_assignment`) from the
results of `blocked_form`; plugins import this module as `plugin_api.layouts`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = [
    "Blocked",
    "BlockedForm",
    "Input",
    "Layout",
    "Prepared",
    "Step",
    "elementwise",
    "steps_of",
]


@dataclass(frozen=True, slots=True)
class Blocked:
    """Layout of an array with one axis divided into groups of lanes.

    Parameters
    ----------
    axis : int
        Axis of the undivided array; not negative.
    lanes : int
        Length of the last axis. The length of `axis` must be a multiple; there is no padding.

    Examples
    --------
    >>> Blocked(axis=1, lanes=16).shape((2, 64, 5, 7))
    (2, 4, 5, 7, 16)
    """

    axis: int
    lanes: int

    def fits(self, shape: Sequence[int]) -> bool:
        """Return whether an array of this shape can be divided."""
        return 0 <= self.axis < len(shape) and self.lanes > 0 and shape[self.axis] % self.lanes == 0

    def shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the blocked shape of an array that `fits`."""
        groups = shape[self.axis] // self.lanes
        return (*shape[: self.axis], groups, *shape[self.axis + 1 :], self.lanes)


class Prepared(NamedTuple):
    """Transformation of an argument for a blocked form, such as packing of a weight.

    If the argument depends only on parameters, it is transformed once.

    Parameters
    ----------
    operator : str
        Name of an operator with one input and one output, possibly of the same plugin.
    result : tuple of int
        Shape of its output.
    """

    operator: str
    result: tuple[int, ...]

    def fits(self, shape: Sequence[int]) -> bool:
        """Return True; the operator's inference checks the shape."""
        return True

    def shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the transformed array."""
        return self.result


#: Transformation of an argument for a form.
Step = Blocked | Prepared


class Input(NamedTuple):
    """Description of an input for `blocked_form`.

    Parameters
    ----------
    shape : tuple of int
        Shape of the undivided array.
    dtype : type
        NumPy type.
    layout : Blocked or None
        Layout in which another operator produces or needs it.
    """

    shape: tuple[int, ...]
    dtype: Any
    layout: Blocked | None


#: Layout of an input of a form: unchanged, divided, divided along several axes in turn, or
#: transformed by an operator.
Layout = Step | Sequence[Step] | None


def steps_of(layout: Layout) -> tuple[Step, ...]:
    """Return the steps of a layout, in order.

    Examples
    --------
    >>> steps_of(None), steps_of(Blocked(1, 8))
    ((), (Blocked(axis=1, lanes=8),))
    """
    if layout is None:
        return ()
    return (layout,) if isinstance(layout, Step) else tuple(layout)


@dataclass(frozen=True, slots=True)
class BlockedForm:
    """Form of an operator that computes on blocked arrays; returned by `blocked_form`.

    Parameters
    ----------
    inputs : sequence of Blocked, of Prepared, of sequences of those, or of None
        Layout of each argument; None for unchanged. A sequence divides axes one after the other,
        each in the array that results from the previous steps. Auxiliary states are unchanged.
    outputs : sequence of Blocked or of None
        Layout of each output, including hidden ones.
    attributes : dict of str to object
        Values of the operator's attributes for this form; others are unchanged.
    begins : bool
        Whether the form is worth a conversion of its inputs. If not, it is used only if an input
        is already blocked.
    """

    inputs: Sequence[Layout]
    outputs: Sequence[Blocked | None]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    begins: bool = False


def elementwise(prop: Any, inputs: Sequence[Input], needs_gradient: bool) -> BlockedForm | None:
    """Return the blocked form of an elementwise operator, which may broadcast its inputs.

    Set ``blocked_form = layouts.elementwise`` in the body of a declaration. Kernels of the core
    (`elementwise_kernel`) do not need it.

    Parameters
    ----------
    prop : OperatorProp
    inputs : sequence of Input
    needs_gradient : bool
    """
    found = {item.layout for item in inputs if item.layout is not None}
    if len(found) != 1:
        return None
    (layout,) = found
    ndim = max(len(item.shape) for item in inputs)
    shapes = [(1,) * (ndim - len(item.shape)) + item.shape for item in inputs]
    result = tuple(max(sizes) for sizes in zip(*shapes, strict=True))
    layouts: list[Blocked | None] = []
    for item, shape in zip(inputs, shapes, strict=True):
        if item.layout is None and shape == result:
            return None  # the conversion would cost as much as it saves
        if item.layout is not None and len(item.shape) < ndim:
            return None  # the axis has another position in the result
        layouts.append(_broadcast_layout(layout, item.shape, ndim))
    return BlockedForm(layouts, (layout,) * len(prop.list_outputs()))


def _broadcast_layout(layout: Blocked, shape: tuple[int, ...], ndim: int) -> Blocked | None:
    """Return the layout of an input that is broadcast to a blocked array of `ndim` dimensions."""
    axis = layout.axis - (ndim - len(shape))
    if axis >= 0 and shape[axis] != 1:
        return Blocked(axis, layout.lanes)
    # A single lane is broadcast to all lanes; a single element needs no layout.
    return Blocked(0, 1) if max(shape, default=1) > 1 else None
