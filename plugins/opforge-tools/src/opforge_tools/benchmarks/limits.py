"""Limits of the machine: memory bandwidth of a copy, FLOP/s of a matrix product.

Both are measured with NumPy and its BLAS, independently of opforge.
"""

from dataclasses import asdict, dataclass
from typing import Any

from .case import Array, Case
from .processes import Process

__all__ = ["COPY", "PRODUCT", "Limits", "measure"]

#: Copies between arrays larger than most caches.
COPY = Case(
    "copy in threads, 4e7",
    "limits",
    numpy="copy()",
    sizes={"n": 4 * 10**7, "threads": 1},
    arrays={"a": Array(("n",)), "c": Array(("n",))},
    program="copy_in_threads",
    nbytes="8 * n",
)
PRODUCT = Case(
    "dot, 2048x2048x2048",
    "limits",
    numpy="np.dot(a, b, out=c)",
    sizes={"n": 2048},
    arrays={name: Array(("n", "n")) for name in "abc"},
    flops="2 * n * n * n",
)


@dataclass(frozen=True)
class Limits:
    """Limits of the machine for a given number of threads.

    Attributes
    ----------
    bytes_per_second : float
        Bytes read plus bytes written.
    flops_per_second : float
        Single precision.
    """

    bytes_per_second: float
    flops_per_second: float

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary."""
        return asdict(self)

    def share(self, case: Case, seconds: float) -> float | None:
        """Return the share of the limit that a case reaches; None if no limit applies.

        A case whose arrays stay in cache may exceed 1.
        """
        if case.flops:
            return case.amount("flops") / seconds / self.flops_per_second
        if case.nbytes:
            return case.amount("nbytes") / seconds / self.bytes_per_second
        return None


def measure(threads: int, seconds: float = 0.5) -> Limits:
    """Measure the limits; the best sample of each counts.

    Parameters
    ----------
    threads : int
    seconds : float
        How long to sample each.
    """
    with Process("numpy", threads) as numpy:
        numpy.prepare(COPY.resized(threads=threads), threads)
        copy = min(numpy.round(seconds))
        numpy.prepare(PRODUCT, threads)
        product = min(numpy.round(seconds))
    return Limits(COPY.amount("nbytes") / copy, PRODUCT.amount("flops") / product)
