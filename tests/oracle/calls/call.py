"""Rows of the tables."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One call of an operator.

    `name` may have dots; an input is a shape, drawn from a normal distribution, a function of a
    random generator, or an array, which keeps its type. `smooth` are the inputs whose gradients
    are compared.
    """

    name: str
    inputs: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    smooth: tuple[int, ...] = (0,)
    dtypes: tuple[str, ...] = ("float32", "float64")
    #: Tolerances for results in which MXNet's own error exceeds that of the type.
    tolerance: float | None = None

    def __str__(self) -> str:
        return f"{self.name}{self.inputs}{self.attributes}"
