"""`Concurrent`, `HybridConcurrent` and `Identity`: parallel blocks with the same input."""

from typing import Any

from ... import ndarray as nd
from ..hybrid_block import HybridBlock
from .sequential import HybridSequential, Sequential, _Stack

__all__ = ["Concurrent", "HybridConcurrent", "Identity"]


class _Branches(_Stack):
    """Base class of both containers: blocks with the same input, and the concatenation axis."""

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def _concatenate(self, F: Any, x: Any) -> Any:
        return F.concat(*(block(x) for block in self._children.values()), dim=self.axis)


class Concurrent(_Branches, Sequential):
    """Run blocks on the same input and concatenate their results.

    Parameters
    ----------
    axis : int, default -1
        Axis along which results are concatenated.
    prefix, params : optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import Concurrent, Identity
    >>> paths = Concurrent(axis=1)
    >>> paths.add(Identity(), Identity())
    >>> paths(nd.array([[1, 2]])).asnumpy().tolist()
    [[1.0, 2.0, 1.0, 2.0]]
    """

    def forward(self, x: Any) -> Any:
        """Return the concatenated results for `x`."""
        return self._concatenate(nd, x)


class HybridConcurrent(_Branches, HybridSequential):
    """Run hybrid blocks on the same input and concatenate their results.

    Parameters
    ----------
    axis, prefix, params : optional
        As for `Concurrent`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import HybridConcurrent, Identity
    >>> paths = HybridConcurrent(axis=1)
    >>> paths.add(Identity(), Identity())
    >>> paths(nd.array([[1, 2]])).asnumpy().tolist()
    [[1.0, 2.0, 1.0, 2.0]]
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the concatenated results for `x`."""
        return self._concatenate(F, x)


class Identity(HybridBlock):
    """Return the input, as an identity path of `HybridConcurrent`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import Identity
    >>> Identity()(nd.array([1, 2])).asnumpy().tolist()
    [1.0, 2.0]
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x`."""
        return x
