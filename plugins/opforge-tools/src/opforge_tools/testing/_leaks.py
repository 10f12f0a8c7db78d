"""`LeakCounter`: count of array buffers that stay alive after some work."""

import gc
from types import TracebackType

from opforge.native.memory.buffer import memory_stats

__all__ = ["LeakCounter"]


class LeakCounter:
    """Counter of additional array buffers since its creation or the start of the block.

    As a context manager it raises if the block leaves arrays behind.

    Examples
    --------
    >>> from opforge import nd
    >>> leaks = LeakCounter()
    >>> kept = nd.ones((4,))
    >>> leaks.buffers
    1
    >>> with leaks:
    ...     _ = nd.ones((4,)) * 2
    ...     del _
    """

    def __init__(self) -> None:
        self._start = (0, 0)
        self.restart()

    def restart(self) -> None:
        """Restart counting from zero."""
        self._start = _alive()

    @property
    def buffers(self) -> int:
        """Number of additional live buffers."""
        return _alive()[0] - self._start[0]

    @property
    def bytes(self) -> int:
        """Number of additional live bytes."""
        return _alive()[1] - self._start[1]

    def __enter__(self) -> "LeakCounter":
        self.restart()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An exception keeps the arrays of its frames alive.
        if kind is None and self.buffers > 0:
            raise AssertionError(
                f"{self.buffers} buffers of arrays, {self.bytes} bytes, outlive the block; "
                "something keeps a reference to them"
            )


def _alive() -> tuple[int, int]:
    """Return the live buffers and their bytes, after garbage collection."""
    gc.collect()
    stats = memory_stats()
    return stats["live_buffers"], stats["live_bytes"]
