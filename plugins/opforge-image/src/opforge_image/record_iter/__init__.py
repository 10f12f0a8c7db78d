"""Iterators over record files: `io.ImageRecordIter` and its kin."""

from .iterator import ImageRecordInt8Iter as ImageRecordInt8Iter
from .iterator import ImageRecordIter as ImageRecordIter
from .iterator import ImageRecordUInt8Iter as ImageRecordUInt8Iter

__all__ = ["ImageRecordInt8Iter", "ImageRecordIter", "ImageRecordUInt8Iter"]
