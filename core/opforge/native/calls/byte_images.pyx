"""Conversion of byte images to float planes: crop, mirror and table lookup in one pass.

A byte has 256 values, so the result of a chain of per-pixel transforms is tabulated once. Each element
of an image is then read and written once, instead of once per transform.
"""

from libc.stdint cimport uint8_t

from opforge.native.array.array cimport Array, new_array, wait_read
from opforge.native.memory.types cimport F32, U8
from opforge.native.threads.parallel cimport parallel_for

from opforge.base.errors import DTypeError, ShapeError

__all__ = ["look_up_bytes"]

cdef enum:
    GRAIN = 65536                      # minimum elements per thread

cdef struct Task:
    const uint8_t* image               # first pixel of the crop
    const float* tables                # 256 values per channel
    float* out
    Py_ssize_t row                     # stride of the image's rows, in bytes
    Py_ssize_t height, width, channels
    bint mirrored


cdef void write_row(Task* t, Py_ssize_t channel, Py_ssize_t y) noexcept nogil:
    cdef const float* table = t.tables + 256 * channel
    cdef const uint8_t* source = t.image + y * t.row + channel
    cdef float* target = t.out + (channel * t.height + y) * t.width
    cdef Py_ssize_t x, step = t.channels
    if t.mirrored:
        source += (t.width - 1) * step
        step = -step
    for x in range(t.width):
        target[x] = table[source[x * step]]


cdef void write_rows(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Write rows [begin, end) of the image for all channels."""
    cdef Task* t = <Task*>arg
    cdef Py_ssize_t y, channel
    for y in range(begin, end):
        for channel in range(t.channels):
            write_row(t, channel, y)


def look_up_bytes(
    Array image not None, Array tables not None, Py_ssize_t top, Py_ssize_t left, Py_ssize_t height,
    Py_ssize_t width, bint mirrored,
):
    """Return a crop of an image with each byte replaced by its table entry, channels first.

    Parameters
    ----------
    image : NDArray, shape (h, w, c), uint8
    tables : NDArray, shape (c, 256), float32
        The value of each byte for each channel.
    top, left, height, width : int
        The crop, which must lie within the image.
    mirrored : bool
        Whether to flip the crop horizontally.

    Returns
    -------
    NDArray, shape (c, height, width), float32

    Raises
    ------
    ShapeError, DTypeError
        An argument has the wrong shape or dtype, or the crop exceeds the image.

    Examples
    --------
    >>> from opforge import nd
    >>> tables = nd.arange(256).reshape((1, 256)) / 2
    >>> image = nd.array([[[2], [4], [6]]], dtype="uint8")
    >>> look_up_bytes(image, tables, 0, 1, 1, 2, True).asnumpy().tolist()
    [[[3.0, 2.0]]]
    """
    cdef Task t
    cdef Array out
    if image.code != U8 or tables.code != F32:
        raise DTypeError(
            f"look_up_bytes: got an image of {image.dtype.__name__} and tables of "
            f"{tables.dtype.__name__}, expected uint8 and float32"
        )
    if image.ndim != 3 or tables.shape != (image.shape[2], 256):
        raise ShapeError(
            f"look_up_bytes: got an image of shape {image.shape} and tables of shape {tables.shape}, "
            "expected (h, w, c) and (c, 256)"
        )
    if min(top, left, height, width) < 0 or (
        top > image.shape[0] - height or left > image.shape[1] - width
    ):
        raise ShapeError(
            f"look_up_bytes: a crop of {height} rows from {top} and {width} columns from {left} is not "
            f"within the image of shape {image.shape}"
        )
    wait_read(image)
    wait_read(tables)
    t.channels = image.shape[2]
    out = new_array((t.channels, height, width), F32, image.context)
    t.height, t.width, t.mirrored = height, width, mirrored
    t.row = <Py_ssize_t>image.shape[1] * t.channels
    t.image = <const uint8_t*>image.data + top * t.row + left * t.channels
    t.tables, t.out = <const float*>tables.data, <float*>out.data
    if out.size:
        with nogil:
            parallel_for(height, max(GRAIN // max(t.channels * t.width, 1), 1), write_rows, &t)
    return out
