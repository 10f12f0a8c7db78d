"""`Call`: one step of a program before it is made, in terms of slots."""

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
        Its name in the core.
    number : float or None
        The operand of a scalar kernel.
    reverse : bool
        The number is the left operand.
    shape : tuple of int, optional
        What the first input is seen with and broadcast from; others only lend their shape.
    """

    kind: str
    kernel: str
    number: Any = None
    reverse: bool = False
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction of the first input; of others only the shape matters.

    Parameters
    ----------
    kernel : str
        Its name in the core.
    axes : tuple of int
        Those that are reduced, sorted.
    """

    kernel: str
    axes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One step.

    Parameters
    ----------
    make : callable
        From the native steps made so far, by key, to this one.
    label : str
        The node, for errors.
    inputs, outputs : list of int
        Slots.
    in_place : sequence of (int, int)
        Which input may share its memory with which output.
    elementwise : Elementwise, optional
        What it computes, where it is one elementwise kernel.
    key : int
        What other steps know this one by.
    identity : bool
        Where input and output share their memory, nothing is left to do.
    reduction : Reduction, optional
        What it computes, where it is one reduction.
    in_order : bool
        The elements of its outputs are those of its inputs, one behind the other: where they lie
        so, nothing is left to do.
    sums : sequence of int
        Which outputs the step can be asked to add to what their slots hold; nobody reads these.
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
