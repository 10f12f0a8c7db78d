"""Arrays that are not dense, as opposed to the dense memory of an `Array`."""

from typing import Any, Protocol

__all__ = ["StoredArray"]


class Call(Protocol):
    """Signature of the function that runs operators on such arrays."""

    def __call__(self, handle: Any, prop: Any, inputs: Any, attributes: Any, out: Any) -> Any:
        """Return the outputs."""


class StoredArray:
    """Base of arrays of other storage types, such as row_sparse; not an `Array`.

    Native code therefore never mistakes one for dense memory. Dispatch checks for this class only
    before rejecting an argument, and then delegates to `call`, which the ndarray layer sets: calls
    with dense arrays pay nothing for it.
    """

    __slots__ = ()

    #: Called with a handle, the declaration (its class for elementwise kernels), inputs, values of
    #: attributes and `out`.
    call: Call
    #: Identity of a variable on the tape: an array without elements; None for a constant.
    stand_in: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each axis."""
        raise NotImplementedError(f"{type(self).__name__} must define shape")

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign all elements; `key` is ``slice(None)``."""
        raise NotImplementedError(f"{type(self).__name__} must define __setitem__()")

    def take_gradient(self, given: list[Any], total: Any, adds: bool) -> None:
        """Assign a gradient: the sum of stored arrays and an optional dense array.

        Parameters
        ----------
        given : list of StoredArray
        total : Array or None
        adds : bool
            Add to the present contents.
        """
        raise NotImplementedError(f"{type(self).__name__} must define take_gradient()")

    def tostype(self, stype: str) -> Any:
        """Convert to another storage type; ``"default"`` is dense."""
        raise NotImplementedError(f"{type(self).__name__} must define tostype()")
