"""Division of a batch among devices, for programs with their own training loops.

The names have underscores in MXNet, but programs use them.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from opforge.ndarray import NDArray

from .names import add_names as _add_names

__all__: list[str] = []


def _split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """Return the slice of a batch for each device.

    Parameters
    ----------
    batch_size : int
    work_load_list : list of number
        Share of each device.

    Raises
    ------
    ValueError
        A device would get no samples.

    Examples
    --------
    >>> _split_input_slice(10, [1, 1, 2])
    [slice(0, 2, None), slice(2, 4, None), slice(4, 10, None)]
    """
    total = sum(work_load_list)
    counts = [round(share * batch_size / total) for share in work_load_list]
    counts[-1] += max(batch_size - sum(counts), 0)
    slices, begin = [], 0
    for place, count in enumerate(counts):
        end = min(begin + count, batch_size)
        if begin >= end:
            raise ValueError(
                f"Too many slices. Some splits are empty: device {place} of {len(counts)} gets no "
                f"sample of a batch of {batch_size}"
            )
        slices.append(slice(begin, end))
        begin = end
    return slices


def _check_arguments(symbol: Any) -> None:
    """Raise ValueError if two arguments or two auxiliary states have the same name."""
    for what, names in (
        ("argument", symbol.list_arguments()),
        ("auxiliary state", symbol.list_auxiliary_states()),
    ):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(
                f"Find duplicated {what} name {', '.join(map(repr, twice))}; give layers different "
                f"names. The {what}s are {names}"
            )


def _load_data(batch: Any, targets: Iterable[Any]) -> None:
    """Copy the data of a batch into arrays, or into parts on several devices."""
    _load(batch.data, targets)


def _load_label(batch: Any, targets: Iterable[Any]) -> None:
    """Copy the labels of a batch, like `_load_data`."""
    _load(batch.label, targets)


def _load(sources: Iterable[NDArray], targets: Iterable[Any]) -> None:
    for source, target in zip(sources, targets, strict=False):
        if isinstance(target, NDArray):
            source.copyto(target)
            continue
        size = target[-1][0].stop
        assert size == source.shape[0], (
            f"a batch has {source.shape[0]} samples, its parts have {size}"
        )
        for part, array in target:
            source[part].copyto(array)


_add_names(__name__)
