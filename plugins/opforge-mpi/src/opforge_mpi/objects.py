"""Collectives on Python's objects: settings, the epoch to go on with, lists of what each has."""

import pickle
from typing import Any

from .claims import Claim
from .running import world

__all__ = ["allgather_object", "broadcast_object"]


def broadcast_object(obj: Any, root_rank: int = 0, name: str | None = None) -> Any:
    """Return the object that one rank has.

    Parameters
    ----------
    obj : object
        What `pickle` takes; of other ranks it does not count.
    root_rank : int, default 0
        Whose object all get.
    name : str, optional
        What errors call it.

    Raises
    ------
    ValueError
        There is no such rank.
    DistributedError
        Other ranks are somewhere else.

    Examples
    --------
    >>> broadcast_object({"epoch": 3})
    {'epoch': 3}
    """
    here = world()
    if not 0 <= root_rank < here.size:
        raise ValueError(
            f"broadcast_object: got root_rank={root_rank}, expected 0 to {here.size - 1}"
        )
    mine = pickle.dumps(obj) if here.rank == root_rank else b""
    what = Claim(f"broadcast from rank {root_rank}", (name or "object",))
    return pickle.loads(here.gather(mine, what)[root_rank])


def allgather_object(obj: Any, name: str | None = None) -> list[Any]:
    """Return the objects of all ranks, in the order of the ranks.

    Parameters
    ----------
    obj : object
        What `pickle` takes.
    name : str, optional
        What errors call it.

    Examples
    --------
    >>> allgather_object("alone")
    ['alone']
    """
    every = world().gather(pickle.dumps(obj), Claim("gathering", (name or "object",)))
    return [pickle.loads(one) for one in every]
