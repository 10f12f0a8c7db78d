"""Blocked layouts: on which arrangements of its arrays an operator can compute.

A blocked array is an ordinary array of one more dimension: an axis of length C is divided into
C / lanes groups, and the lanes of a group stand last. Whoever reads it knows what it means, so an
array never has a second meaning. Graphs choose forms (`symbol.compiler.arranging`) from what
declarations answer in `blocked_form`; plugins see this module as `plugin_api.layouts`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    """The layout of an array one of whose axes is divided into groups of lanes.

    Parameters
    ----------
    axis : int
        Of the array before it is divided; not negative.
    lanes : int
        They stand last. The length of the axis is a multiple: nothing is padded.

    Examples
    --------
    >>> Blocked(axis=1, lanes=16).shape((2, 64, 5, 7))
    (2, 4, 5, 7, 16)
    """

    axis: int
    lanes: int

    def fits(self, shape: Sequence[int]) -> bool:
        """Tell whether an array of this shape can be divided."""
        return 0 <= self.axis < len(shape) and self.lanes > 0 and shape[self.axis] % self.lanes == 0

    def shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the blocked shape of an array whose shape `fits`."""
        groups = shape[self.axis] // self.lanes
        return (*shape[: self.axis], groups, *shape[self.axis + 1 :], self.lanes)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Transformation of an argument that a blocked form reads, such as a weight.

    Where the argument depends on parameters alone, that is computed once.

    Parameters
    ----------
    operator : str
        Of one input and one output; perhaps the distribution's own.
    result : tuple of int
        The shape of what it makes.
    """

    operator: str
    result: tuple[int, ...]

    def fits(self, shape: Sequence[int]) -> bool:
        """Tell whether an array can be taken so; the operator's inference will say."""
        return True

    def shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of what is made of an array."""
        return self.result


#: What is done to an argument before a form takes it.
Step = Blocked | Prepared


@dataclass(frozen=True, slots=True)
class Input:
    """Description of an input for `blocked_form`.

    Parameters
    ----------
    shape : tuple of int
        Before any axis is divided.
    dtype : type
        A type of NumPy.
    layout : Blocked or None
        How it comes: somebody else needs it blocked, or made it so.
    """

    shape: tuple[int, ...]
    dtype: Any
    layout: Blocked | None


#: How a form takes an input: as it is, divided, divided by several axes one after the other, or
#: as an operator prepares it.
Layout = Step | Sequence[Step] | None


def steps_of(layout: Layout) -> tuple[Step, ...]:
    """Return the steps that lead to a layout, in order.

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
    """An operator's form that computes on blocked arrays: what `blocked_form` returns.

    Parameters
    ----------
    inputs : sequence of Blocked, of Prepared, of sequences of those, or of None
        How each argument is taken; None: as it is. A sequence divides one axis after the other,
        each time of the array as it then is. Auxiliary states are always taken as they are.
    outputs : sequence of Blocked or of None
        How each output comes, hidden ones included.
    attributes : dict of str to object
        With these values of its attributes the operator computes so; others stay.
    begins : bool
        Whether it is worth converting for. What does not begin only follows: it is computed so if
        an input comes blocked.
    """

    inputs: Sequence[Layout]
    outputs: Sequence[Blocked | None]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    begins: bool = False


def elementwise(prop: Any, inputs: Sequence[Input], needs_gradient: bool) -> BlockedForm | None:
    """Return the form of an operator that works element by element, inputs perhaps broadcast.

    ``blocked_form = layouts.elementwise`` in the body of a declaration says it all. Kernels of the
    core (`elementwise_kernel`) follow without that.

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
    whole = tuple(max(sizes) for sizes in zip(*shapes, strict=True))
    taken: list[Blocked | None] = []
    for item, shape in zip(inputs, shapes, strict=True):
        if item.layout is None and shape == whole:
            return None  # to convert it would cost what staying saves
        if item.layout is not None and len(item.shape) < ndim:
            return None  # the axis is another one of the result's
        taken.append(_spread(layout, item.shape, ndim))
    return BlockedForm(taken, (layout,) * len(prop.list_outputs()))


def _spread(layout: Blocked, shape: tuple[int, ...], ndim: int) -> Blocked | None:
    """Return the layout of an input that is broadcast to a blocked array of `ndim` dimensions."""
    axis = layout.axis - (ndim - len(shape))
    if axis >= 0 and shape[axis] != 1:
        return Blocked(axis, layout.lanes)
    # A single lane stands for all; what has one element is the same in any layout.
    return Blocked(0, 1) if max(shape, default=1) > 1 else None
