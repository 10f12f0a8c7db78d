"""Declaration of a benchmark case: sizes, inputs, one expression per library, amount of work.

The expressions are compiled once and called without arguments, as `timeit` does with a statement:
the timed code is exactly the text that ``opforge bench --list`` shows. Sizes are names in the
expressions, so a case can be repeated at any size.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["LIBRARIES", "PEERS", "Array", "Case"]

#: Libraries for which a case may have an expression; opforge is compared with the others. "nd" is
#: opforge too, for cases of `mx.np` that are compared with the same work by `nd`.
LIBRARIES = ("opforge", "torch", "numpy", "nd")
PEERS = LIBRARIES[1:]


@dataclass(frozen=True)
class Array:
    """An input of a case.

    Attributes
    ----------
    shape : tuple of str
        One expression in the case's sizes for each dimension.
    fill : {"uniform", "ones", "zeros", "definite", "triangular"}
        Values; uniform values lie in [0, 1), or start at 0 for integer types; see `below`. Definite
        matrices are symmetric with eigenvalues from 1 to about 5; triangular ones are lower.
    dtype : str
    needs_grad : bool
        Whether the case computes a gradient with respect to this input.
    below : str
        Exclusive upper bound of uniform integers, an expression in the case's sizes.
    """

    shape: tuple[str, ...]
    fill: str = "uniform"
    dtype: str = "float32"
    needs_grad: bool = False
    below: str = "100"

    def values(self, sizes: Mapping[str, int], generator: np.random.Generator) -> Any:
        """Return the values as a new NumPy array."""
        shape = tuple(evaluate(text, sizes) for text in self.shape)
        if self.fill == "ones":
            return np.ones(shape, self.dtype)
        if self.fill == "zeros":
            return np.zeros(shape, self.dtype)
        if self.fill in ("definite", "triangular"):
            return _matrices(self.fill, shape, generator).astype(self.dtype)
        if np.issubdtype(self.dtype, np.integer):
            return generator.integers(0, evaluate(self.below, sizes), shape, self.dtype)
        return generator.random(shape, "float32").astype(self.dtype, copy=False)


def _matrices(fill: str, shape: tuple[int, ...], generator: np.random.Generator) -> Any:
    """Return matrices that are well conditioned at any size."""
    x = generator.standard_normal(shape) / shape[-1] ** 0.5
    identity = np.eye(shape[-1])
    return (
        x @ np.swapaxes(x, -1, -2) + identity if fill == "definite" else np.tril(x / 4) + identity
    )


@dataclass(frozen=True)
class Case:
    """One benchmark case.

    Attributes
    ----------
    name : str
        Name in tables; ``--only`` searches in it.
    group : str
        Heading of the case in tables.
    opforge, torch, numpy, nd : str
        Expression in the names of `sizes`, of `arrays`, of the results of `program`, and of the
        library itself (``nd``, also ``np`` and ``npx`` if `uses_np`; ``torch`` and ``F``; ``np``;
        ``nd``).
        Empty if the library has no equivalent.
    sizes : mapping of str to int
    arrays : mapping of str to Array
    program : str
        Name of a function in `programs` for cases that need more than arrays; empty if unused.
    records : bool
        Whether gradients are recorded.
    uses_np : bool
        Whether opforge's arrays are those of `mx.np`.
    target : float or None
        Highest acceptable ratio to PyTorch's time, or to that of the only other library.
    share : float or None
        Lowest acceptable share of the machine's limit.
    nbytes, flops : str
        Expressions in the sizes: minimum memory traffic (reads and writes), floating point
        operations. Empty if the machine's limits do not bound the case.
    """

    name: str
    group: str
    opforge: str = ""
    torch: str = ""
    numpy: str = ""
    nd: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    program: str = ""
    records: bool = False
    uses_np: bool = False
    target: float | None = None
    share: float | None = None
    nbytes: str = ""
    flops: str = ""

    @cached_property
    def libraries(self) -> tuple[str, ...]:
        """Libraries that have an expression."""
        return tuple(name for name in LIBRARIES if self.expression(name))

    def expression(self, library: str) -> str:
        """Return the expression for `library`, or an empty string."""
        return str(getattr(self, library))

    def amount(self, quantity: str) -> int:
        """Return ``"nbytes"`` or ``"flops"`` as a number, 0 if it is not declared."""
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
        """Return the case as a JSON-serializable dictionary."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Case":
        """Return the case from the result of `as_json`."""
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
