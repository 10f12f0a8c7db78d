"""Collectives on Python objects, such as settings or the epoch to resume from."""

import pickle
from typing import Any

from .session import world
from .signature import CollectiveSignature

__all__ = ["allgather_object", "broadcast_object"]


def broadcast_object(obj: Any, root_rank: int = 0, name: str | None = None) -> Any:
    """Return the object of one rank.

    Parameters
    ----------
    obj : object
        Any object that can be pickled; ignored on other ranks.
    root_rank : int, default 0
        Rank whose object is returned.
    name : str, optional
        Name of the object, for errors.

    Raises
    ------
    ValueError
        `root_rank` is out of range.
    DistributedError
        Other ranks call another collective.

    Examples
    --------
    >>> broadcast_object({"epoch": 3})
    {'epoch': 3}
    """
    here = world()
    if not 0 <= root_rank < here.size:
        raise ValueError(
            f"broadcast_object: got root_rank={root_rank}; expected 0 to {here.size - 1}"
        )
    mine = pickle.dumps(obj) if here.rank == root_rank else b""
    signature = CollectiveSignature(f"broadcast from rank {root_rank}", (name or "object",))
    return pickle.loads(here.gather(mine, signature)[root_rank])


def allgather_object(obj: Any, name: str | None = None) -> list[Any]:
    """Return the objects of all ranks, ordered by rank.

    Parameters
    ----------
    obj : object
        Any object that can be pickled.
    name : str, optional
        Name of the object, for errors.

    Examples
    --------
    >>> allgather_object("alone")
    ['alone']
    """
    pickles = world().gather(
        pickle.dumps(obj), CollectiveSignature("gathering", (name or "object",))
    )
    return [pickle.loads(one) for one in pickles]
