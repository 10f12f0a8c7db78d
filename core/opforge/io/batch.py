"""`DataBatch`, one batch of an iterator, and `DataDesc`, the description of an array in it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..ndarray import NDArray

__all__ = ["DataBatch", "DataDesc"]


class _NameAndShape(NamedTuple):
    name: str
    shape: tuple[int, ...]


class DataDesc(_NameAndShape):
    """Name and shape of an input as a pair, with its element type and layout as attributes.

    Parameters
    ----------
    name : str
    shape : tuple of int
    dtype : dtype, default numpy.float32
    layout : str, default "NCHW"
        One letter per axis; ``N`` is the batch axis.

    Examples
    --------
    >>> name, shape = desc = DataDesc("data", (32, 10))
    >>> name, shape, desc.dtype.__name__
    ('data', (32, 10), 'float32')
    """

    dtype: Any
    layout: str | None

    def __new__(
        cls,
        name: str,
        shape: Sequence[int],
        dtype: Any = np.float32,
        layout: str | None = "NCHW",
    ) -> "DataDesc":
        """Create the pair; see the class."""
        desc = super().__new__(cls, name, shape)  # type: ignore[arg-type]
        desc.dtype = dtype
        desc.layout = layout
        return desc

    def __getnewargs__(self) -> Any:
        return self.name, self.shape, self.dtype, self.layout

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """Return the batch axis of `layout`: 0 for None, -1 if it has no ``N``.

        Examples
        --------
        >>> DataDesc.get_batch_axis("TNC")
        1
        """
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(
        shapes: Iterable[tuple[str, tuple[int, ...]]],
        types: Iterable[tuple[str, Any]] | None,
    ) -> "list[DataDesc]":
        """Return descriptions from pairs of name and shape, and pairs of name and type.

        Parameters
        ----------
        shapes : list of (str, tuple of int)
        types : list of (str, dtype) or None
            None means float32 for all.
        """
        if types is None:
            return [DataDesc(name, shape) for name, shape in shapes]
        dtypes = dict(types)
        return [DataDesc(name, shape, dtypes[name]) for name, shape in shapes]


class DataBatch:
    """Batch: arrays of data and of labels with the same number of samples.

    Parameters
    ----------
    data : list of NDArray
    label : list of NDArray, optional
    pad : int, optional
        Number of samples at the end that only pad the batch and do not count in predictions.
    index : numpy.ndarray, optional
        Positions of the samples in their source.
    bucket_key : hashable, optional
        For `module.BucketingModule`.
    provide_data, provide_label : list of DataDesc, optional
        Names and shapes, if they differ from the iterator's.

    Examples
    --------
    >>> from opforge import nd
    >>> print(DataBatch([nd.ones((2, 3))], [nd.zeros((2,))]))
    DataBatch: data shapes: [(2, 3)] label shapes: [(2,)]
    """

    def __init__(
        self,
        data: Sequence[NDArray] | None,
        label: Sequence[NDArray] | None = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Sequence[Any] | None = None,
        provide_label: Sequence[Any] | None = None,
    ) -> None:
        for name, arrays in (("data", data), ("label", label)):
            assert arrays is None or isinstance(arrays, list | tuple), (
                f"DataBatch: {name} must be a list of NDArray, got {type(arrays).__name__}"
            )
        self.data: Any = data
        self.label: Any = label
        self.pad = pad
        self.index = index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        data = [array.shape for array in self.data or ()]
        label = [array.shape for array in self.label] if self.label else None
        return f"{type(self).__name__}: data shapes: {data} label shapes: {label}"
