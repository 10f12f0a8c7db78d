"""Iterators over record files: `io.ImageRecordIter` and variants."""

from .detection_iterator import ImageDetRecordIter as ImageDetRecordIter
from .iterator import ImageRecordInt8Iter as ImageRecordInt8Iter
from .iterator import ImageRecordIter as ImageRecordIter
from .iterator import ImageRecordIter_v1 as ImageRecordIter_v1
from .iterator import ImageRecordUInt8Iter as ImageRecordUInt8Iter
from .iterator import ImageRecordUInt8Iter_v1 as ImageRecordUInt8Iter_v1

__all__ = [
    "ImageDetRecordIter",
    "ImageRecordInt8Iter",
    "ImageRecordIter",
    "ImageRecordIter_v1",
    "ImageRecordUInt8Iter",
    "ImageRecordUInt8Iter_v1",
]
