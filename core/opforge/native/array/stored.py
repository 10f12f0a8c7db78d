"""Arrays whose elements do not lie one after the other, as native code expects of an `Array`."""

from typing import Any, Protocol

__all__ = ["StoredArray"]


class Call(Protocol):
    """Runs a call of an operator in which there are such arrays."""

    def __call__(self, handle: Any, prop: Any, inputs: Any, attributes: Any, out: Any) -> Any:
        """Return the outputs."""


class StoredArray:
    """Base of arrays of other storage types, such as row_sparse; none of them is an `Array`.

    So native code never takes one for dense memory. Dispatch asks only of what it would refuse
    otherwise whether it is one, and hands the call to `call`, which the ndarray layer sets: a call
    of dense arrays does nothing for their sake.
    """

    __slots__ = ()

    #: Called with a handle, the declaration (its class for elementwise kernels), inputs, values of
    #: attributes and `out`.
    call: Call
    #: What the tape knows a variable by: an array without elements; None for a constant.
    stand_in: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each axis."""
        raise NotImplementedError(f"{type(self).__name__} must define shape")

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write all elements, where `key` is ``slice(None)``."""
        raise NotImplementedError(f"{type(self).__name__} must define __setitem__()")

    def take_gradient(self, given: list[Any], total: Any, adds: bool) -> None:
        """Become a gradient: the sum of stored arrays and of a dense one, where there is one.

        Parameters
        ----------
        given : list of StoredArray
        total : Array or None
        adds : bool
            Add to what is here already.
        """
        raise NotImplementedError(f"{type(self).__name__} must define take_gradient()")

    def tostype(self, stype: str) -> Any:
        """Return the same elements with another storage type; ``"default"`` is dense."""
        raise NotImplementedError(f"{type(self).__name__} must define tostype()")
