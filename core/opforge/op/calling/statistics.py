"""`Statistics`: methods of NDArray and Symbol that are composed of several operators.

They follow NumPy, with MXNet's argument order; a full reduction has shape (1,).
"""

from typing import Any, ClassVar, Self, cast

__all__ = ["Statistics"]

Axis = int | tuple[int, ...] | None


class Statistics:
    """Mixin with statistics of the elements.

    A subclass defines `_operators`, which returns the namespace to compute with, `nd` or `sym`.
    """

    __slots__ = ()

    _operators: ClassVar[Any]

    def var(self, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Self:
        """Return the variance, the mean squared deviation from the mean.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Axes to reduce. Default: all.
        keepdims : bool, default False
            Keep the reduced axes with length 1.
        ddof : int, default 0
            Divide by the number of elements minus `ddof`; 1 gives the unbiased estimate. If not 0,
            a symbol must have a known shape, as in a hybridized block.

        Returns
        -------
        NDArray or Symbol
            float64 for integers, as in NumPy.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.array([[1, 2], [3, 6]]).var(axis=0).tolist()
        [1.0, 4.0]
        """
        F = self._operators()
        values: Any = self._fractional()
        center = F.mean(values, axis=axis, keepdims=True)
        squares = F.square(F.broadcast_sub(values, center))
        result = F.mean(squares, axis=axis, keepdims=keepdims)
        if ddof == 0:
            return result
        count = values.size / max(result.size, 1)
        return result * (count / (count - ddof) if count > ddof else float("nan"))

    def std(self, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Self:
        """Return the standard deviation, the square root of `var`; see there for parameters.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.array([1, 3, 5, 7]).std(ddof=1).tolist()
        [2.5819888114929199]
        """
        return self._operators().sqrt(self.var(axis, keepdims, ddof))

    def any(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Return whether any element along the reduced axes is not 0.

        Parameters
        ----------
        axis, keepdims : optional
            As in `var`.

        Returns
        -------
        NDArray or Symbol of bool

        Examples
        --------
        >>> from opforge import nd
        >>> nd.array([[0, 1], [0, 0]]).any(axis=0).tolist()
        [False, True]
        """
        F, values = self._operators(), cast(Any, self)
        found = F.cast(values != 0, dtype="bool")
        # No elements have no maximum, but a sum.
        reduce = F.max if getattr(values, "size", 1) else F.sum
        return reduce(found, axis=axis, keepdims=keepdims)

    def all(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Return whether all elements along the reduced axes are not 0; parameters as for `any`.

        Examples
        --------
        >>> from opforge import nd
        >>> bool(nd.array([1, 2]).all())
        True
        """
        F, values = self._operators(), cast(Any, self)
        found = F.cast(values != 0, dtype="bool")
        reduce = F.min if getattr(values, "size", 1) else F.prod
        return reduce(found, axis=axis, keepdims=keepdims)

    def _fractional(self) -> Self:
        """Return the elements in a floating-point type."""
        return self
