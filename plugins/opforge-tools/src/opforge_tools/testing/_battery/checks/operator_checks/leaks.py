"""Check that calls do not leak memory or objects."""

import ctypes
import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from opforge.native.memory.buffer import memory_stats

from ...subjects.subject import OperatorSubject
from .determinism import results_of

__all__ = ["check_leaks"]

#: Warm-up calls, which fill caches; half the number of counted calls, times the stress. Other code
#: of the process, such as threads, leaves or frees some hundred objects, so fewer calls do not
#: suffice, and if the halves differ, as many calls again decide.
_WARM_UP, _HALF = 100, 500
#: Tolerated growth in bytes and objects per call, because dictionaries grow occasionally.
_BYTES, _OBJECTS = 512, 0.5


def check_leaks(subject: OperatorSubject) -> int:
    """Call forward and backward 1,000 times or more; growth in most counts is a leak."""
    sample, half = subject.samples[0], _HALF * subject.stress

    def call(times: int) -> None:
        for _ in range(times):
            results_of(subject, sample)

    call(_WARM_UP)
    counts = [_count_objects()]
    while len(counts) < 3 or (len(counts) == 3 and _differ(counts, half)):
        call(half)
        counts.append(_count_objects())
    for name in _MEASURES:
        if 2 * sum(_growths(counts, name, half)) > len(counts) - 1:
            total, calls = counts[-1][name] - counts[0][name], half * (len(counts) - 1)
            raise AssertionError(
                f"{sample}: {calls:,} calls of forward and backward leave {total:,} {name}; "
                "data of single calls are kept alive"
            )
    return half * (len(counts) - 1)


def _growths(counts: Sequence[Mapping[str, int]], name: str, calls: int) -> list[bool]:
    """Return whether a quantity has grown beyond the tolerance between successive counts."""
    limit = _MEASURES[name] * calls
    return [after[name] - before[name] >= limit for before, after in pairwise(counts)]


def _differ(counts: Sequence[Mapping[str, int]], calls: int) -> bool:
    """Return whether a quantity has grown between some counts only."""
    return any(len(set(_growths(counts, name, calls))) > 1 for name in _MEASURES)


#: Counted quantity -> tolerated growth per call.
_MEASURES = {
    "bytes of arrays": _BYTES,
    "Python objects": _OBJECTS,
    "bytes of the process's heap": _BYTES,
}


def _count_objects() -> dict[str, int]:
    gc.collect()
    figures = (memory_stats()["live_bytes"], sys.getallocatedblocks(), _heap())
    return dict(zip(_MEASURES, figures, strict=True))


def _heap() -> int:
    """Return the bytes allocated by malloc, if the C library reports them."""
    return 0 if _mallinfo is None else _used_memory(_mallinfo())


class _Info(ctypes.Structure):
    """Result of glibc's mallinfo2."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    )


def _used_memory(info: _Info) -> int:
    return int(info.uordblks + info.hblkhd)


def _find_memory_info() -> Callable[[], _Info] | None:
    function = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if function is not None:
        function.restype, function.argtypes = _Info, ()
    return function


_mallinfo = _find_memory_info()
