"""Names and shapes of a module's inputs: validation and descriptions."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from opforge.io import DataDesc
from opforge.symbol import Symbol

__all__ = [
    "by_name",
    "check_inputs_exist",
    "describe_batch",
    "describe_data",
    "describe_inputs",
    "describe_labels",
    "described",
    "same_batch_size",
]

_PARAMETER_ENDS = ("_weight", "_bias", "_gamma", "_beta")


def check_inputs_exist(symbol: Symbol, names: Iterable[str], kind: str, required: bool) -> None:
    """Check that a symbol has inputs with these names.

    Parameters
    ----------
    symbol : Symbol
    names : list of str
    kind : str
        Kind of the names, for instance ``"data"``.
    required : bool
        Raise if one is missing; otherwise warn.

    Raises
    ------
    ValueError
        One is missing.
    """
    arguments = symbol.list_arguments()
    for name in names:
        if name in arguments:
            continue
        candidates = [a for a in arguments if not a.endswith(_PARAMETER_ENDS)]
        message = (
            f"You created Module with Module(..., {kind}_names={names}) but input with name "
            f"'{name}' is not found in symbol.list_arguments(). Did you mean one of: "
            f"{', '.join(candidates)}?"
        )
        if required:
            raise ValueError(message)
        warnings.warn(message, stacklevel=4)


def described(shape: Any) -> DataDesc:
    """Return a DataDesc, or convert a (name, shape) to one."""
    desc = shape if isinstance(shape, DataDesc) else DataDesc(*shape)
    return DataDesc(desc.name, tuple(desc.shape), desc.dtype, desc.layout)


def describe_data(names: Sequence[str], shapes: Iterable[Any]) -> list[DataDesc]:
    """Return descriptions of the data.

    Parameters
    ----------
    names : list of str
        Names of the module's data.
    shapes : list of DataDesc or of (name, shape)

    Raises
    ------
    ValueError
        The names differ.
    """
    found = [described(shape) for shape in shapes]
    if _differ(names, found):
        raise ValueError(_mismatch("data", names, found))
    return found


def describe_labels(names: Sequence[str], shapes: Iterable[Any] | None) -> list[DataDesc] | None:
    """Return descriptions of the labels, None for None; warn if the names differ.

    Parameters
    ----------
    names : list of str
        Names of the module's labels.
    shapes : list of DataDesc or of (name, shape), or None
    """
    found = [described(shape) for shape in shapes or ()]
    if _differ(names, found):
        warnings.warn(_mismatch("label", names, found), stacklevel=4)
    return None if shapes is None else found


def describe_inputs(
    data_names: Sequence[str],
    label_names: Sequence[str],
    data_shapes: Iterable[Any],
    label_shapes: Iterable[Any] | None,
) -> tuple[list[DataDesc], list[DataDesc] | None]:
    """Return the descriptions of the data and of the labels; see `describe_data`."""
    return describe_data(data_names, data_shapes), describe_labels(label_names, label_shapes)


def same_batch_size(descriptions: Iterable[DataDesc]) -> int:
    """Return the number of samples in each array of a batch.

    Raises
    ------
    AssertionError
        The arrays have different numbers of samples.
    """
    batch_size = None
    for desc in descriptions:
        axis = DataDesc.get_batch_axis(desc.layout)
        if axis < 0:
            continue
        size = desc.shape[axis]
        assert batch_size in (None, size), (
            f"all data must have the same batch size: batch_size = {batch_size}, but {desc.name} "
            f"has shape {desc.shape}"
        )
        batch_size = size
    return batch_size or 1


def describe_batch(
    data_batch: Any, data: Sequence[DataDesc], label_names: Sequence[str]
) -> tuple[list[DataDesc], list[DataDesc] | None]:
    """Return a batch's descriptions of its arrays, or derive them from the arrays.

    Parameters
    ----------
    data_batch : DataBatch
    data : list of DataDesc
        Descriptions of another batch's data.
    label_names : list of str
    """
    shapes = getattr(data_batch, "provide_data", None) or [
        DataDesc(known.name, array.shape, known.dtype, known.layout)
        for known, array in zip(data, data_batch.data, strict=True)
    ]
    labels = getattr(data_batch, "label", None) or ()
    of_labels = getattr(data_batch, "provide_label", None) or [
        DataDesc(name, array.shape, array.dtype)
        for name, array in zip(label_names, labels, strict=False)
    ]
    found = describe_data([desc.name for desc in data], shapes)
    return found, describe_labels(label_names, of_labels) if of_labels else None


def by_name(kind: str, descriptions: Sequence[DataDesc], arrays: Sequence[Any]) -> dict[str, Any]:
    """Return the arrays of a batch by the names of their descriptions.

    Parameters
    ----------
    kind : str
        Kind of arrays, for the error.
    descriptions : list of DataDesc
    arrays : list of NDArray

    Raises
    ------
    ValueError
        There are more or fewer arrays than descriptions.
    """
    if len(descriptions) != len(arrays):
        names = ", ".join(desc.name for desc in descriptions)
        raise ValueError(
            f"Module.forward: the batch has {len(arrays)} arrays in {kind}, expected "
            f"{len(descriptions)}: {names}"
        )
    found = {}  # a loop: a comprehension and a strict zip cost more in each batch
    for index, (name, _) in enumerate(descriptions):
        found[name] = arrays[index]
    return found


def _differ(names: Sequence[str], found: Sequence[DataDesc]) -> bool:
    return sorted(names) != sorted(desc.name for desc in found)


def _mismatch(kind: str, names: Sequence[str], found: Sequence[DataDesc]) -> str:
    return (
        f"Data provided by {kind}_shapes don't match names specified by {kind}_names "
        f"({found} vs. {list(names)})"
    )
