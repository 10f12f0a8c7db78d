"""Memory plan of intermediate results: one arena, reused as soon as a result is dead.

The steps are walked in the order in which they will run. A result takes the smallest gap that is
large enough; what is read for the last time gives its place back, or to the result of the same
step where the operator can work in place. Values that are joined one behind the other, or divided
so, lie in the whole from the beginning, and nothing is left to copy.
"""

from bisect import bisect_left, insort
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

__all__ = ["Layout", "Use", "plan_memory"]

ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Use:
    """Arrays that one step reads and writes.

    Parameters
    ----------
    reads, writes : sequence of hashable
        Values.
    in_place : sequence of (int, int)
        Which read may share its memory with which write.
    in_order : bool
        The elements of what it writes are those of what it reads, one behind the other; one of both
        is a single value.
    """

    reads: Sequence[Hashable]
    writes: Sequence[Hashable]
    in_place: Sequence[tuple[int, int]] = ()
    in_order: bool = False


@dataclass
class Layout:
    """Offsets of values in an arena of `nbytes`."""

    offsets: dict[Hashable, int] = field(default_factory=dict)
    nbytes: int = 0


def plan_memory(uses: Sequence[Use], sizes: Mapping[Any, int]) -> Layout:
    """Lay out the values that `sizes` has; the others lie elsewhere.

    Parameters
    ----------
    uses : sequence of Use
        In the order in which the steps run.
    sizes : dict of hashable to int
        Bytes of each value.

    Examples
    --------
    >>> chain = [Use([], ["a"]), Use(["a"], ["b"], [(0, 0)]), Use(["b"], ["c"])]
    >>> plan_memory(chain, {"a": 100, "b": 100, "c": 100}).nbytes
    256
    """
    pieces = _pieces(uses, sizes)
    wholes = {value: pieces[value][0] if value in pieces else value for value in sizes}
    last = {wholes.get(v, v): at for at, use in enumerate(uses) for v in (*use.reads, *use.writes)}
    layout, gaps = Layout(), _Gaps()
    rooms = {value: -(-max(size, 1) // ALIGNMENT) * ALIGNMENT for value, size in sizes.items()}
    for at, use in enumerate(uses):
        met = {wholes[value] for value in (*use.reads, *use.writes) if value in rooms}
        dying = {value for value in met if last[value] == at}
        taken = _reuse(use, rooms, dying, layout, wholes)
        for value in met:
            if value not in layout.offsets:
                layout.offsets[value] = gaps.take(rooms[value])
        for value in dying - taken:
            gaps.give(layout.offsets[value], rooms[value])
    for value, (whole, offset) in pieces.items():
        layout.offsets[value] = layout.offsets[whole] + offset
    layout.nbytes = gaps.end
    return layout


def _pieces(uses: Sequence[Use], sizes: Mapping[Any, int]) -> dict[Hashable, tuple[Hashable, int]]:
    """Return for values that may lie in another one which that is, and where in it."""
    found: dict[Hashable, tuple[Hashable, int]] = {}
    taken: set[Hashable] = set()
    for use in uses:
        if not use.in_order:
            continue
        divides = len(use.reads) == 1
        whole, parts = (use.reads[0], use.writes) if divides else (use.writes[0], use.reads)
        values = {whole, *parts}
        fits = len(values) == 1 + len(parts) and values <= sizes.keys()
        if not fits or values & taken or any(sizes[part] % ALIGNMENT for part in parts[:-1]):
            continue
        if sum(sizes[part] for part in parts) != sizes[whole]:
            continue
        taken |= values
        begins = accumulate((sizes[part] for part in parts), initial=0)
        found |= {part: (whole, begin) for part, begin in zip(parts, begins, strict=False)}
    return found


def _reuse(
    use: Use,
    rooms: dict[Hashable, int],
    dying: set[Hashable],
    layout: Layout,
    wholes: Mapping[Any, Hashable],
) -> set[Hashable]:
    """Give results the place of inputs that die; return those inputs."""
    taken: set[Hashable] = set()
    read_from = [wholes.get(value, value) for value in use.reads]
    for source, target in use.in_place:
        read, written = use.reads[source], use.writes[target]
        if read not in dying or written not in rooms or wholes[written] != written:
            continue
        # A value that is read twice by the step may be needed after its first half is overwritten.
        if read in taken or rooms[read] != rooms[written] or read_from.count(read) != 1:
            continue
        if written not in layout.offsets:
            layout.offsets[written] = layout.offsets[read]
            taken.add(read)
    return taken


class _Gaps:
    """Free pieces of an arena that grows at its end."""

    def __init__(self) -> None:
        self.end = 0
        self._by_size: list[tuple[int, int]] = []  # (size, offset), sorted
        self._sizes: dict[int, int] = {}  # offset -> size
        self._starts: dict[int, int] = {}  # end of a gap -> its offset

    def take(self, size: int) -> int:
        """Return the offset of a piece of `size` bytes."""
        at = bisect_left(self._by_size, (size, -1))
        if at < len(self._by_size):
            room, offset = self._by_size[at]
            self._remove(offset)
            if room > size:
                self._add(offset + size, room - size)
            return offset
        last = self._starts.get(self.end)
        offset = self.end if last is None else last
        if last is not None:
            self._remove(last)
        self.end = offset + size
        return offset

    def give(self, offset: int, size: int) -> None:
        """Take a piece back and join it with the gaps beside it."""
        after = self._sizes.get(offset + size)
        if after is not None:
            self._remove(offset + size)
            size += after
        before = self._starts.get(offset)
        if before is not None:
            size += self._sizes[before]
            self._remove(before)
            offset = before
        self._add(offset, size)

    def _add(self, offset: int, size: int) -> None:
        insort(self._by_size, (size, offset))
        self._sizes[offset] = size
        self._starts[offset + size] = offset

    def _remove(self, offset: int) -> None:
        size = self._sizes.pop(offset)
        del self._starts[offset + size]
        del self._by_size[bisect_left(self._by_size, (size, offset))]
