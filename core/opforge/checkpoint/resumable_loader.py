"""`ResumableLoader`: batches of data, with a position that can be saved in a checkpoint."""

from collections.abc import Iterable, Iterator
from typing import Any

from .random_state import get_random_state, set_random_state

__all__ = ["ResumableLoader"]


class ResumableLoader:
    """Batches of a loader, with a position that can be saved in the middle of an epoch.

    After `load_state_dict` the next iteration yields the remaining batches of the interrupted
    epoch in their original order: its random numbers, for shuffling and augmentation, are drawn
    again, and the batches already seen are loaded and skipped.

    Parameters
    ----------
    loader : iterable
        Starts a new epoch whenever it is iterated over, like `gluon.data.DataLoader`. A `DataIter`
        needs ``reset()`` first: pass one whose `__iter__` calls it.

    Raises
    ------
    ValueError
        The loader has ``auto_reload=True``, which draws the order of an epoch before it starts.

    Examples
    --------
    >>> batches = ResumableLoader([10, 20, 30])
    >>> epoch = iter(batches)
    >>> next(epoch), next(epoch)
    (10, 20)
    >>> again = ResumableLoader([10, 20, 30])
    >>> again.load_state_dict(batches.state_dict())
    >>> list(again), list(again)
    ([30], [10, 20, 30])
    """

    def __init__(self, loader: Iterable[Any]) -> None:
        if getattr(loader, "auto_reload", False):
            raise ValueError(
                "ResumableLoader: the loader has auto_reload=True, which draws the order of an "
                "epoch before it starts, so it cannot be resumed. Pass one with auto_reload=False"
            )
        self._loader = loader
        self._begin: dict[str, Any] | None = None  # random state at the start of the epoch
        self._count = 0  # batches since then
        self._is_resumed = False  # the next iteration continues an interrupted epoch

    def __len__(self) -> int:
        """Return the number of batches in a full epoch."""
        return len(self._loader)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        """Start an epoch, or continue the interrupted one."""
        skipped = self._count if self._is_resumed else 0
        begin, self._is_resumed = self._begin if self._is_resumed else None, False
        if begin is None:
            self._begin = get_random_state()
            batches = iter(self._loader)
        else:
            now = get_random_state()
            set_random_state(begin)
            batches = iter(self._loader)
            for _ in zip(range(skipped), batches, strict=False):
                pass
            set_random_state(now)
        self._count = skipped
        return self._count_batches(batches)

    def _count_batches(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            self._count += 1
            yield batch
        self._begin, self._count = None, 0

    def state_dict(self) -> dict[str, Any]:
        """Return the position for `load_state_dict`."""
        return {"begin": self._begin, "count": self._count}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a position returned by `state_dict`; the next iteration starts there."""
        self._begin, self._count = state["begin"], state["count"]
        self._is_resumed = self._begin is not None
