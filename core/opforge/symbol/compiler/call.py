"""`Call`: description of one step of a program, in terms of slots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Call", "Elementwise", "Reduction"]


@dataclass(frozen=True, slots=True)
class Elementwise:
    """An elementwise kernel.

    Parameters
    ----------
    kind : {"unary", "binary", "scalar"}
    kernel : str
        Name of the kernel in the core.
    number : float or None
        Operand of a scalar kernel.
    reverse : bool
        Whether the number is the left operand.
    shape : tuple of int, optional
        Shape in which the first input is read and broadcast; other inputs only provide a shape.
    """

    kind: str
    kernel: str
    number: Any = None
    reverse: bool = False
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction of the first input; other inputs only provide a shape.

    Parameters
    ----------
    kernel : str
        Name of the kernel in the core.
    axes : tuple of int
        Reduced axes, sorted.
    """

    kernel: str
    axes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """Description of one step.

    Parameters
    ----------
    make : callable
        Returns the native step, given the native steps created so far, by key.
    label : str
        Name of the node, for errors.
    inputs, outputs : list of int
        Slots.
    in_place : sequence of (int, int)
        Pairs of an input and an output that may share memory.
    elementwise : Elementwise, optional
        The computation, if the step is a single elementwise kernel.
    key : int
        Key by which other steps refer to this one.
    identity : bool
        Whether the step is a no-op if input and output share their memory.
    reduction : Reduction, optional
        The computation, if the step is a single reduction.
    in_order : bool
        Whether the outputs hold the elements of the inputs, concatenated: the step is a no-op if
        they are adjacent in memory.
    sums : sequence of int
        Outputs that the step can accumulate into their slots; no other step reads these.
    """

    make: Callable[[dict[int, Any]], Any]
    label: str
    inputs: list[int]
    outputs: list[int]
    in_place: Sequence[tuple[int, int]] = ()
    elementwise: Elementwise | None = None
    key: int = 0
    identity: bool = False
    reduction: Reduction | None = None
    in_order: bool = False
    sums: Sequence[int] = ()
