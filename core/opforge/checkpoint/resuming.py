"""`ResumableLoader`: batches of data, with a position that a checkpoint keeps."""

from collections.abc import Iterable, Iterator
from typing import Any

from .random_state import get_random_state, set_random_state

__all__ = ["ResumableLoader"]


class ResumableLoader:
    """Batches of a loader; in the middle of an epoch it knows where it is.

    After `load_state_dict` the next iteration gives the batches that were left of the interrupted
    epoch, in the order that it had: what was drawn for it, shuffling and augmentation, is drawn
    again, and the batches that were seen are loaded and passed over.

    Parameters
    ----------
    loader : iterable
        Begins a new epoch whenever it is iterated over, as `gluon.data.DataLoader` does. A
        `DataIter` needs its ``reset()`` before: pass one whose `__iter__` does that.

    Raises
    ------
    ValueError
        The loader has ``auto_reload=True``: it draws the order of an epoch before the epoch begins.

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
                "ResumableLoader: the loader has auto_reload=True and draws the order of an epoch "
                "before the epoch begins, so it cannot be resumed. Pass one with auto_reload=False"
            )
        self._loader = loader
        self._begin: dict[str, Any] | None = None  # the random numbers at the epoch's begin
        self._count = 0  # batches since then
        self._is_left = False  # a part of an epoch has to be given first

    def __len__(self) -> int:
        """Return the number of batches in a whole epoch."""
        return len(self._loader)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Any]:
        """Begin an epoch, or go on with the interrupted one."""
        skipped = self._count if self._is_left else 0
        begin, self._is_left = self._begin if self._is_left else None, False
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
        return self._counted(batches)

    def _counted(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            self._count += 1
            yield batch
        self._begin, self._count = None, 0

    def state_dict(self) -> dict[str, Any]:
        """Return the position, for `load_state_dict`."""
        return {"begin": self._begin, "count": self._count}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go to a position that `state_dict` gave; the next iteration begins there."""
        self._begin, self._count = state["begin"], state["count"]
        self._is_left = self._begin is not None
