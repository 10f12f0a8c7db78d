"""Data of an Estimator: loaders, data sets, or arrays."""

from typing import Any

from opforge.plugin_api import F as nd
from opforge.plugin_api import data as _data

__all__ = ["as_loader", "is_array", "training_loaders"]

_EXPECTED = (
    "expected a gluon.data.DataLoader, a data set or a tuple (data, labels) of arrays; "
    "DataLoader(ArrayDataset(data, labels), batch_size) makes a loader of arrays"
)


def training_loaders(data: Any, second: Any, validation_data: Any, batch_size: int) -> Any:
    """Return the loaders of `fit` for training and validation.

    Parameters
    ----------
    data : DataLoader, Dataset, tuple of two arrays, or array
    second : object or None
        Labels if `data` is an array, otherwise the validation data.
    validation_data : object or None
        The same as a keyword; required for validation if `second` has labels.
    batch_size : int
        For what is not a loader.

    Raises
    ------
    ValueError
        The data are of another type, or the validation data are given twice.
    """
    if is_array(data):
        if not is_array(second):
            raise ValueError(
                "fit: the first argument is an array of data, expected an array of labels as the "
                f"second, got {type(second).__name__}: fit(x, y, epochs=3), or "
                "fit((x, y, z), epochs=3) with several labels"
            )
        data, second = (data, second), None
    if second is not None and validation_data is not None:
        raise ValueError("fit: pass the validation data once, got val_data and validation_data")
    validation = validation_data if second is None else second
    train = as_loader("fit: train_data", data, batch_size, shuffle=True)
    if validation is None:
        return train, None
    return train, as_loader("fit: val_data", validation, batch_size)


def as_loader(where: str, data: Any, batch_size: int, shuffle: bool = False) -> Any:
    """Return a loader, a data set, or a tuple of arrays of the same length as a `DataLoader`.

    Arrays, including data frames, are converted to float32.

    Raises
    ------
    ValueError
        The data are of another type; the message starts with `where`.
    """
    if isinstance(data, _data.DataLoader):
        return data
    if isinstance(data, tuple) and data and all(map(is_array, data)):
        data = _data.ArrayDataset(*map(nd.array, data))
    if not isinstance(data, _data.Dataset):
        raise ValueError(f"{where} is {type(data).__name__}, {_EXPECTED}")
    return _data.DataLoader(data, batch_size, shuffle=shuffle)


def is_array(value: Any) -> bool:
    """Return whether a value is an array, a data frame or a list."""
    return isinstance(value, list) or hasattr(value, "__array__")
