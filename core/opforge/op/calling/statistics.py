"""`Statistics`: methods of NDArray and Symbol that are several operators each.

They follow NumPy, with MXNet's order of arguments: what is reduced to one number has shape (1,).
"""

from typing import Any, ClassVar, Self, cast

__all__ = ["Statistics"]

Axis = int | tuple[int, ...] | None


class Statistics:
    """Spread and truth of the elements.

    A subclass has `_operators`, which returns the namespace that computes them, `nd` or `sym`.
    """

    __slots__ = ()

    _operators: ClassVar[Any]

    def var(self, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Self:
        """Return the variance, the mean square of the distances from the mean.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Axes to reduce; all where None.
        keepdims : bool, default False
            Leave the reduced axes as ones.
        ddof : int, default 0
            Divide by the number of elements less this; 1 makes an estimate from a sample unbiased.
            Other than 0 it needs a symbol whose shape is known, as in a hybridized block.

        Returns
        -------
        NDArray or Symbol
            Of integers it is float64, as NumPy's.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.array([[1, 2], [3, 6]]).var(axis=0).tolist()
        [1.0, 4.0]
        """
        F = self._operators()
        values: Any = self._fractional()
        centre = F.mean(values, axis=axis, keepdims=True)
        squares = F.square(F.broadcast_sub(values, centre))
        result = F.mean(squares, axis=axis, keepdims=keepdims)
        if ddof == 0:
            return result
        count = values.size / max(result.size, 1)
        return result * (count / (count - ddof) if count > ddof else float("nan"))

    def std(self, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Self:
        """Return the standard deviation, the square root of `var`; parameters as there.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.array([1, 3, 5, 7]).std(ddof=1).tolist()
        [2.5819888114929199]
        """
        return self._operators().sqrt(self.var(axis, keepdims, ddof))

    def any(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Tell whether some element is not 0, for each place that is left of the reduced axes.

        Parameters
        ----------
        axis : int or tuple of int, optional
            Axes to reduce; all where None.
        keepdims : bool, default False
            Leave the reduced axes as ones.

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
        return F.max(F.cast(values != 0, dtype="bool"), axis=axis, keepdims=keepdims)

    def all(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Tell whether no element is 0; parameters as of `any`.

        Examples
        --------
        >>> from opforge import nd
        >>> bool(nd.array([1, 2]).all())
        True
        """
        F, values = self._operators(), cast(Any, self)
        return F.min(F.cast(values != 0, dtype="bool"), axis=axis, keepdims=keepdims)

    def _fractional(self) -> Self:
        """Return what has the elements in a type with fractions."""
        return self
