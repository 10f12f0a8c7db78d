"""Counts of live arrays, memory allocated by the C library, resident memory."""

import ctypes

from opforge import memory_stats

LIBC = ctypes.CDLL(None)
#: glibc 2.33 and later.
HAS_MALLINFO = hasattr(LIBC, "mallinfo2")
MALLINFO = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


def counts():
    """Return the numbers of live arrays and of their bytes."""
    stats = memory_stats()
    return stats["live_buffers"], stats["live_bytes"]


class MallInfo(ctypes.Structure):
    """Result of glibc's mallinfo2."""

    _fields_ = [(name, ctypes.c_size_t) for name in MALLINFO.split()]


def given_by_malloc():
    """Return the bytes that the C library has allocated, including mapped blocks."""
    LIBC.mallinfo2.restype = MallInfo
    info = LIBC.mallinfo2()
    return info.uordblks + info.hblkhd


def resident():
    """Return the resident bytes of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
