"""Keys and values of the positions that a generated sequence has so far."""

from typing import Any

from opforge.plugin_api import F as nd
from opforge.plugin_api import ShapeError


class KeyValueCache:
    """Room for keys and values, filled from the front; made by `MultiHeadAttention.begin_cache`.

    Parameters
    ----------
    shape : tuple of int
        (batch, positions there is room for, units).
    dtype : type
    ctx : Context

    Attributes
    ----------
    keys, values : NDArray
        All of the room: only the first `length` positions mean something.
    length : int
    """

    def __init__(self, shape: tuple[int, int, int], dtype: Any, ctx: Any) -> None:
        self.keys = nd.zeros(shape, dtype=dtype, ctx=ctx)
        self.values = nd.zeros(shape, dtype=dtype, ctx=ctx)
        self.length = 0

    def append(self, keys: Any, values: Any) -> Any:
        """Add positions; return how many each of them sees, itself included.

        Parameters
        ----------
        keys, values : NDArray, shape (batch, new positions, units)

        Returns
        -------
        NDArray, shape (batch, new positions), int32

        Raises
        ------
        ShapeError
            The batch is another one than the cache was begun for.
        """
        batch, more, _ = keys.shape
        if batch != self.keys.shape[0]:
            raise ShapeError(
                f"KeyValueCache: got a batch of {batch}, expected {self.keys.shape[0]}; begin a "
                "cache for each batch"
            )
        end = self.length + more
        self._make_room(end)
        self.keys[:, self.length : end] = keys
        self.values[:, self.length : end] = values
        seen = nd.arange(self.length + 1, end + 1, dtype="int32", ctx=keys.context)
        self.length = end
        return nd.broadcast_to(nd.reshape(seen, shape=(1, more)), shape=(batch, more))

    def _make_room(self, positions: int) -> None:
        """See to it that so many positions fit; the room is at least doubled when it grows."""
        batch, room, units = self.keys.shape
        if positions <= room:
            return
        room = max(positions, 2 * room)
        for name in ("keys", "values"):
            old = getattr(self, name)
            new = nd.zeros((batch, room, units), dtype=old.dtype, ctx=old.context)
            new[:, : self.length] = old[:, : self.length]
            setattr(self, name, new)
