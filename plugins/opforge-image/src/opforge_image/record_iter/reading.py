"""Settings that all record iterators share: which records to read, and how."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from opforge.plugin_api import AttributeValueError, DTypeError

__all__ = ["Reading"]

_CHANNELS = (1, 3, 4)
_DTYPES = ("float32", "uint8", "int8")


@dataclass(frozen=True)
class Reading:
    """Settings of reading, with MXNet's names and defaults."""

    path_imgrec: str | os.PathLike[str]
    data_shape: Any
    batch_size: int
    path_imgidx: str | os.PathLike[str] | None = None
    preprocess_threads: int = 4
    prefetch_buffer: int = 4
    num_parts: int = 1
    part_index: int = 0
    shuffle: bool = False
    seed: int = 0
    seed_aug: int | None = None
    round_batch: bool = True
    dtype: Any = None
    data_name: str = "data"
    label_name: str = "softmax_label"

    def check(self, owner: str) -> None:
        """Raise if a setting is invalid; `owner` names the iterator in errors.

        Raises
        ------
        AttributeValueError, DTypeError
        """
        shape = self.data_shape
        valid = isinstance(shape, tuple | list) and len(shape) == 3 and min(shape) > 0
        if not valid or shape[0] not in _CHANNELS:
            raise AttributeValueError(
                f"{owner}: Invalid output shape: got data_shape={shape!r}; expected (channels, "
                f"height, width) with channels one of {_CHANNELS}"
            )
        if self.batch_size < 1 or self.preprocess_threads < 1 or self.prefetch_buffer < 0:
            raise AttributeValueError(
                f"{owner}: got batch_size={self.batch_size}, "
                f"preprocess_threads={self.preprocess_threads} and "
                f"prefetch_buffer={self.prefetch_buffer}; expected at least 1, 1 and 0"
            )
        if self.element_type.name not in _DTYPES:
            raise DTypeError(f"{owner}: got dtype={self.dtype!r}; expected one of {_DTYPES}")

    def check_colors(self, owner: str, arguments: str) -> None:
        """Raise unless images have three channels, as color augmentations require.

        Raises
        ------
        AttributeValueError
        """
        if self.data_shape[0] != 3:
            raise AttributeValueError(
                f"{owner}: color augmentations require 3 channels, got data_shape="
                f"{self.data_shape}; omit {arguments}"
            )

    @property
    def element_type(self) -> np.dtype:
        """Type of the values in a batch."""
        return np.dtype(np.float32 if self.dtype is None else self.dtype)

    @property
    def threads(self) -> int:
        """Number of decoding threads, limited to the number of processors."""
        return min(self.preprocess_threads, len(os.sched_getaffinity(0)))
