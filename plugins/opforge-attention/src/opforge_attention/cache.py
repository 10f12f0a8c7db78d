"""Cache of keys and values for autoregressive generation."""

from typing import Any

from opforge.plugin_api import F as nd
from opforge.plugin_api import ShapeError


class KeyValueCache:
    """Growing buffer of keys and values, created by `MultiHeadAttention.begin_cache`.

    Parameters
    ----------
    shape : tuple of int
        (batch, capacity in positions, units).
    dtype : type
    ctx : Context

    Attributes
    ----------
    keys, values : NDArray
        The complete buffers, of which the first `length` positions are valid.
    length : int
        Number of positions stored.
    """

    def __init__(self, shape: tuple[int, int, int], dtype: Any, ctx: Any) -> None:
        self.keys = nd.zeros(shape, dtype=dtype, ctx=ctx)
        self.values = nd.zeros(shape, dtype=dtype, ctx=ctx)
        self.length = 0

    def append(self, keys: Any, values: Any) -> Any:
        """Append positions; return the number of keys visible to each, including itself.

        Parameters
        ----------
        keys, values : NDArray, shape (batch, new positions, units)

        Returns
        -------
        NDArray, shape (batch, new positions), int32

        Raises
        ------
        ShapeError
            The batch size is not that of the cache.
        """
        batch, more, _ = keys.shape
        if batch != self.keys.shape[0]:
            raise ShapeError(
                f"KeyValueCache: got a batch of {batch}; expected {self.keys.shape[0]}. Create a "
                "cache for each batch with begin_cache"
            )
        end = self.length + more
        self._reserve(end)
        self.keys[:, self.length : end] = keys
        self.values[:, self.length : end] = values
        visible = nd.arange(self.length + 1, end + 1, dtype="int32", ctx=keys.context)
        self.length = end
        return nd.broadcast_to(nd.reshape(visible, shape=(1, more)), shape=(batch, more))

    def _reserve(self, positions: int) -> None:
        """Ensure capacity for `positions`; growing at least doubles the capacity."""
        batch, capacity, units = self.keys.shape
        if positions <= capacity:
            return
        capacity = max(positions, 2 * capacity)
        for name in ("keys", "values"):
            old = getattr(self, name)
            new = nd.zeros((batch, capacity, units), dtype=old.dtype, ctx=old.context)
            new[:, : self.length] = old[:, : self.length]
            setattr(self, name, new)
