"""`GuardedMemory`: an array before or after which there is nothing that may be read or written.

A process that touches it ends at once, by SIGSEGV: for children alone.
"""

import ctypes
import mmap
import os
from typing import Any

import numpy as np

from opforge import ndarray as nd

__all__ = ["GuardedMemory"]

_PAGE = mmap.PAGESIZE
#: Around an array, room that may be touched as long as it is not guarded: where an operator goes
#: beyond another array, that one is to be blamed, however far it goes. What nobody touches costs
#: addresses alone.
_MARGIN = 2**26
_PROT_NONE, _PROT_READ, _PROT_ALL = 0, mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE


class GuardedMemory:
    """Memory for one array, between two margins.

    Parameters
    ----------
    value : numpy.ndarray
        What the array is to hold.
    at_end : bool
        Whether the array lies just before the margin behind it, or just after the one before it.
    """

    def __init__(self, value: Any, at_end: bool) -> None:
        room = -(-max(value.nbytes, 1) // _PAGE) * _PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
        memory = mmap.mmap(-1, room + 2 * _MARGIN, flags=flags)
        offset = _MARGIN + (room - value.nbytes if at_end else 0)
        view = np.ndarray(value.shape, value.dtype, memory, offset)
        view[...] = value
        #: The array, as operators get it.
        self.array = nd.from_numpy(view)
        base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self._margin = base + (_MARGIN + room if at_end else 0)
        self._own = base + _MARGIN, room

    def forbid(self, forbidden: bool) -> None:
        """Make the margin that the array touches one that nobody may touch, or may."""
        _protect(self._margin, _MARGIN, _PROT_NONE if forbidden else _PROT_ALL)

    def seal(self, sealed: bool) -> None:
        """Let nobody write into the array, or everybody."""
        _protect(*self._own, _PROT_READ if sealed else _PROT_ALL)


def _protect(address: int, length: int, protection: int) -> None:
    if _libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(length), protection):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


_libc = ctypes.CDLL(None, use_errno=True)
