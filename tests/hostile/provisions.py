"""Names for expressions of hostile calls: guarded arrays, and objects that misbehave.

Imported by the worker processes only. A call is text, so that a failing one can be printed and
repeated; all names here are therefore short.
"""

import array
import ctypes
import io

import numpy as np

import opforge
from opforge import autograd, nd
from opforge.base.errors import OpforgeError
from opforge.native import array as native_array

#: Elements before and after a guarded array; no call may change them.
GUARD = 24
GUARD_BYTE = 0xA5

inf, nan = float("inf"), float("nan")


class HostileError(Exception):
    """Raised by the objects below; callers should let it through."""


#: Exceptions that a call may raise. A plain RuntimeError or AttributeError indicates a missing
#: check. Python itself divides plain numbers and limits the nesting of lists.
ALLOWED = (
    *(OpforgeError, TypeError, ValueError, OverflowError, MemoryError, IndexError),
    *(BufferError, ZeroDivisionError, RecursionError, HostileError),
)


class Guards:
    """The memory around the arrays of one call."""

    def __init__(self):
        self.wholes = []

    def add(self, whole, begin, end):
        """Record bytes [0, begin) and [end, ...) of `whole`, and fill them."""
        edges = (whole[:begin], whole[end:])
        for edge in edges:
            edge[...] = GUARD_BYTE
        self.wholes.append(edges)

    def broken(self):
        """Return whether a byte outside an array was changed; forget all arrays."""
        edges = [edge for both in self.wholes for edge in both]
        self.wholes.clear()
        return any((edge != GUARD_BYTE).any() for edge in edges)


guards = Guards()


def A(shape, dtype="float32", fill=None):
    """Return an array between guards; its elements are small integers, or `fill`."""
    size = int(np.prod(shape, dtype=np.int64))
    if not 0 <= size <= 1 << 20:
        raise MemoryError("the test itself makes no array of this size")
    whole = nd.zeros((size + 2 * GUARD,), dtype=dtype)
    raw = native_array.numpy_alias(whole)
    values = np.arange(size) % 5 if fill is None else np.resize(np.asarray(fill, "float64"), size)
    with np.errstate(all="ignore"):
        raw[GUARD : GUARD + size] = values.astype(raw.dtype)
    item = raw.itemsize
    guards.add(raw.view(np.uint8), GUARD * item, (GUARD + size) * item)
    return whole._view(GUARD, tuple(shape))


def strided(dtype="float32"):
    return np.arange(48).reshape(6, 8).astype(dtype)[::2, ::2]


def reversed_rows():
    return np.arange(12, dtype="float32").reshape(3, 4)[::-1, ::-1]


def read_only():
    result = np.arange(12, dtype="float32").reshape(3, 4)
    result.flags.writeable = False
    return result


def swapped(dtype=">f4"):
    return np.arange(12).reshape(3, 4).astype(dtype)


def misaligned():
    return np.frombuffer(bytearray(49), dtype="float32", offset=1, count=12).reshape(3, 4)


def endless_rows():
    """A huge array that has one element in memory."""
    return np.broadcast_to(np.float32(1), (1 << 40,))


def many_axes():
    return np.ones((1,) * 64, dtype="float32")


def released_view():
    view = memoryview(bytearray(48))
    view.release()
    return view


class Index:
    """`__index__` returns `value`, whatever its type."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Raising:
    """Every protocol of Python raises."""

    def _fail(self, *args, **kwargs):
        raise HostileError("raised by the test's object")

    __index__ = __int__ = __float__ = __len__ = __iter__ = __getitem__ = __bool__ = _fail
    __eq__ = __array__ = __dlpack__ = __dlpack_device__ = __add__ = __radd__ = _fail
    __hash__ = None


class Lying(list):
    """A list that reports another length than it has."""

    def __init__(self, items, length):
        super().__init__(items)
        self.length = length

    def __len__(self):
        return self.length


class Emptied:
    """An element that empties the list that holds it when its value is requested."""

    def __init__(self, holder):
        self.holder = holder

    def __index__(self):
        self.holder.clear()
        return 1

    __int__ = __index__

    def __float__(self):
        return float(self.__index__())


def emptied_list():
    holder = [1, 2]
    holder.insert(0, Emptied(holder))
    return holder


class Unhashable(tuple):
    """A tuple whose lookups fail."""

    __hash__ = None


class Exporter:
    """Offers `capsule` for DLPack, and `device` as its device."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


class Interface:
    """An object whose only interface is `__array_interface__`."""

    def __init__(self, description):
        self.__array_interface__ = description


def resized_under_view():
    """Resize memory while a view of it is exported; Python has to reject it."""
    memory = bytearray(48)
    x = nd.from_numpy(np.frombuffer(memory, "float32"), zero_copy=True)
    memory.extend(b"x" * 1000)
    return x


def outliving():
    """Return an array whose memory has no other reference."""
    return nd.from_dlpack(np.arange(1000, dtype="float32").__dlpack__())


def used_capsule():
    """A capsule that a consumer has already taken."""
    capsule = np.ones(3, dtype="float32").__dlpack__()
    np.from_dlpack(Exporter(capsule))
    return capsule


def deep_list(depth):
    result = [1.0]
    for _ in range(depth):
        result = [result]
    return result


def circle():
    result = []
    result.append(result)
    return result


def sound(call):
    """Run `call`, which must not raise."""
    try:
        return call()
    except Exception as error:
        raise AssertionError(f"the call is not sound: {error!r}") from error


def same_when_aliased(function, arguments, goes, position, shift, **options):
    """Call `function` with a separate output and with one that overlaps an input; compare both.

    Argument number `goes` is the output; the second time it starts `shift` elements after the start
    of argument `position`.
    """
    apart = [a.copy() if isinstance(a, nd.NDArray) else a for a in arguments]
    source, out = apart[position], apart[goes]
    memory = A((max(source.size, shift + out.size),), np.dtype(source.dtype).name, 0)
    memory[: source.size] = source.reshape((-1,))
    together = list(apart)
    together[position], together[goes] = (
        memory._view(0, source.shape),
        memory._view(shift, out.shape),
    )
    apart[goes] = together[goes].copy()
    sound(lambda: function(*apart, **options))
    function(*together, **options)
    have, want = together[goes].asnumpy(), apart[goes].asnumpy()
    if have.tobytes() != want.tobytes():
        raise AssertionError(f"aliased: {have.tolist()}, apart: {want.tolist()}")


def recorded(call):
    """Run `call` while recording and send a gradient back through its results."""
    with autograd.record():
        result = call()
    results = result if isinstance(result, (list, tuple)) else [result]
    heads = [head for head in results if isinstance(head, nd.NDArray)]
    if heads:
        autograd.backward(heads)
    return result


NAMES = {
    **{name: value for name, value in globals().items() if not name.startswith("_")},
    "io": io,
    "array": array,
    "ctypes": ctypes,
    "opforge": opforge,
}
