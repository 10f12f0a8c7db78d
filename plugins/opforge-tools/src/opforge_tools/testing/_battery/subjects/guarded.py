"""`GuardedMemory`: an array directly before or after inaccessible memory.

A process that accesses that memory dies by SIGSEGV, so use it only in child processes.
"""

import ctypes
import mmap
import os
from typing import Any

import numpy as np

from opforge import ndarray as nd

__all__ = ["GuardedMemory"]

_PAGE = mmap.PAGESIZE
#: Margin around an array, accessible unless guarded: if an operator exceeds another array, that one
#: #: must be reported, however far the access goes. Unused margin costs only address space.
_MARGIN = 2**26
_PROT_NONE, _PROT_READ, _PROT_ALL = 0, mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE


class GuardedMemory:
    """Memory for one array, between two margins.

    Parameters
    ----------
    value : numpy.ndarray
        Contents of the array.
    at_end : bool
        Whether the array ends at the margin after it, or starts at the margin before it.
    """

    def __init__(self, value: Any, at_end: bool) -> None:
        room = -(-max(value.nbytes, 1) // _PAGE) * _PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
        memory = mmap.mmap(-1, room + 2 * _MARGIN, flags=flags)
        offset = _MARGIN + (room - value.nbytes if at_end else 0)
        view = np.ndarray(value.shape, value.dtype, memory, offset)
        view[...] = value
        #: Array to pass to operators.
        self.array = nd.from_numpy(view)
        base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self._margin = base + (_MARGIN + room if at_end else 0)
        self._own = base + _MARGIN, room

    def forbid(self, forbidden: bool) -> None:
        """Make the adjacent margin inaccessible, or accessible again."""
        _protect(self._margin, _MARGIN, _PROT_NONE if forbidden else _PROT_ALL)

    def seal(self, sealed: bool) -> None:
        """Make the array read-only, or writable again."""
        _protect(*self._own, _PROT_READ if sealed else _PROT_ALL)


def _protect(address: int, length: int, protection: int) -> None:
    if _libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(length), protection):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


_libc = ctypes.CDLL(None, use_errno=True)
