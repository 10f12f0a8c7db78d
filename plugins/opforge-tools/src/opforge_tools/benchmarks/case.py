"""Declaration of one benchmark case: sizes, inputs, one expression per library, its work.

The expressions are compiled once and called without arguments, as `timeit` does with a statement:
what is timed is the text that ``opforge bench --list`` shows. Sizes are names in them, so that a
case can be repeated at any size.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["LIBRARIES", "PEERS", "Array", "Case"]

#: What a case may have an expression for; opforge is measured against the others.
LIBRARIES = ("opforge", "torch", "numpy")
PEERS = LIBRARIES[1:]


@dataclass(frozen=True)
class Array:
    """An input of a case.

    Attributes
    ----------
    shape : tuple of str
        One expression in the case's sizes for each dimension.
    fill : {"uniform", "ones", "zeros"}
        Values; uniform ones lie in [0, 1), or among the integers from 0 if `dtype` is such a type.
    dtype : str
    needs_grad : bool
        Whether the gradient of what is computed from it is wanted.
    below : str
        What uniform integers are below, an expression in the case's sizes.
    """

    shape: tuple[str, ...]
    fill: str = "uniform"
    dtype: str = "float32"
    needs_grad: bool = False
    below: str = "100"

    def values(self, sizes: Mapping[str, int], generator: np.random.Generator) -> Any:
        """Return the values as a NumPy array of their own."""
        shape = tuple(evaluate(text, sizes) for text in self.shape)
        if self.fill == "ones":
            return np.ones(shape, self.dtype)
        if self.fill == "zeros":
            return np.zeros(shape, self.dtype)
        if np.issubdtype(self.dtype, np.integer):
            return generator.integers(0, evaluate(self.below, sizes), shape, self.dtype)
        return generator.random(shape, "float32").astype(self.dtype, copy=False)


@dataclass(frozen=True)
class Case:
    """One thing that is measured.

    Attributes
    ----------
    name : str
        What stands in tables; ``--only`` searches in it.
    group : str
        Heading that the case stands under.
    opforge, torch, numpy : str
        Expression in the names of `sizes`, of `arrays`, of what `program` gives, and of the
        library itself (``nd``; ``torch`` and ``F``; ``np``). Empty where the library has nothing
        that does the same.
    sizes : mapping of str to int
    arrays : mapping of str to Array
    program : str
        Name of a function in `programs` that prepares more than arrays; empty if none does.
    records : bool
        Whether gradients are recorded.
    target : float or None
        Highest ratio to PyTorch that is good enough.
    share : float or None
        Lowest share of what the machine can do that is good enough.
    nbytes, flops : str
        Expressions in the sizes: memory read and written at least, floating point operations.
        Empty where the case is far from what the machine limits.
    """

    name: str
    group: str
    opforge: str = ""
    torch: str = ""
    numpy: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    program: str = ""
    records: bool = False
    target: float | None = None
    share: float | None = None
    nbytes: str = ""
    flops: str = ""

    @cached_property
    def libraries(self) -> tuple[str, ...]:
        """Libraries that have an expression."""
        return tuple(name for name in LIBRARIES if self.expression(name))

    def expression(self, library: str) -> str:
        """Return what `library` computes, or an empty text."""
        return str(getattr(self, library))

    def amount(self, quantity: str) -> int:
        """Return ``"nbytes"`` or ``"flops"`` as a number, 0 where it is not declared."""
        text = getattr(self, quantity)
        return evaluate(text, self.sizes) if text else 0

    def inputs(self, seed: int = 0) -> dict[str, Any]:
        """Return the inputs as NumPy arrays, the same ones for the same seed."""
        generator = np.random.default_rng(seed)
        return {name: array.values(self.sizes, generator) for name, array in self.arrays.items()}

    def resized(self, **sizes: int) -> "Case":
        """Return the case with other sizes."""
        return replace(self, sizes={**self.sizes, **sizes})

    def as_json(self) -> dict[str, Any]:
        """Return the case as a dictionary that JSON can carry."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Case":
        """Return the case that `as_json` described."""
        arrays = {
            name: Array(**{**array, "shape": tuple(array["shape"])})
            for name, array in fields["arrays"].items()
        }
        return cls(**{**fields, "arrays": arrays})

    def at_most(self, limit: int) -> "Case":
        """Return the case with no size above `limit`."""
        return self.resized(**{name: min(size, limit) for name, size in self.sizes.items()})


def evaluate(text: str, sizes: Mapping[str, int]) -> int:
    """Return the value of an expression in the sizes of a case.

    Examples
    --------
    >>> evaluate("4 * (m + n)", {"m": 2, "n": 3})
    20
    """
    return int(eval(text, {"__builtins__": {}}, dict(sizes)))
