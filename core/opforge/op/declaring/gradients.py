"""Query for the gradients that a declaration's `gradient` has to compute."""

from typing import Any

from ...native.array.array import Array
from ...native.dispatch import tape

__all__ = ["needs_gradient"]


def needs_gradient(item: Any) -> bool:
    """Return whether the gradient of an input will be used.

    A declaration's `gradient` may return None for one that will not.

    Parameters
    ----------
    item : NDArray or Symbol
        One of `in_data`.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.ones((2,))
    >>> needs_gradient(x)
    False
    >>> x.attach_grad()
    >>> needs_gradient(x)
    True
    """
    return tape.in_graph(item) if isinstance(item, Array) else bool(item.needs_gradient)
