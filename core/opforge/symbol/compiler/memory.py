"""Memory planning of intermediate results: one arena, reused as soon as a result is dead.

The steps are visited in the order in which they will run. A result takes the smallest gap that is
large enough. A value that is read for the last time frees its memory, or passes it to the result of
the same step if the operator works in place. Values that are concatenated, or split from one value,
are placed inside that value from the start, so that nothing has to be copied; also if they are
joined again, as in a dense block.
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
    """Values that one step reads and writes.

    Parameters
    ----------
    reads, writes : sequence of hashable
        Values.
    in_place : sequence of (int, int)
        Pairs of a read and a write that may share memory.
    in_order : bool
        Whether the writes hold the elements of the reads, concatenated; one of the two is a single
        value.
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
    """Assign arena offsets to the values in `sizes`; other values have their memory elsewhere.

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
    subvalues = _subvalues(uses, sizes)
    containers = {value: subvalues[value][0] if value in subvalues else value for value in sizes}
    last = {
        containers.get(v, v): at for at, use in enumerate(uses) for v in (*use.reads, *use.writes)
    }
    layout, gaps = Layout(), _Gaps()
    padded = {value: -(-max(size, 1) // ALIGNMENT) * ALIGNMENT for value, size in sizes.items()}
    for at, use in enumerate(uses):
        met = {containers[value] for value in (*use.reads, *use.writes) if value in padded}
        dying = {value for value in met if last[value] == at}
        reused = _reuse(use, padded, dying, layout, containers)
        for value in met:
            if value not in layout.offsets:
                layout.offsets[value] = gaps.allocate(padded[value])
        for value in dying - reused:
            gaps.free(layout.offsets[value], padded[value])
    for value, (container, offset) in subvalues.items():
        layout.offsets[value] = layout.offsets[container] + offset
    layout.nbytes = gaps.end
    return layout


def _subvalues(
    uses: Sequence[Use], sizes: Mapping[Any, int]
) -> dict[Hashable, tuple[Hashable, int]]:
    """Return the container of each value that can be part of another one, and its offset there.

    A container may be part of a larger one; the outermost is returned.
    """
    found: dict[Hashable, tuple[Hashable, int]] = {}
    whole: set[Hashable] = set()
    for use in uses:
        if not use.in_order:
            continue
        divides = len(use.reads) == 1
        container, parts = (use.reads[0], use.writes) if divides else (use.writes[0], use.reads)
        values = {container, *parts}
        fits = len(values) == 1 + len(parts) and values <= sizes.keys()
        if not fits or container in whole or not found.keys().isdisjoint(parts):
            continue
        if any(sizes[part] % ALIGNMENT for part in parts[:-1]):
            continue
        if sum(sizes[part] for part in parts) != sizes[container]:
            continue
        whole.add(container)
        begins = accumulate((sizes[part] for part in parts), initial=0)
        found |= {part: (container, begin) for part, begin in zip(parts, begins, strict=False)}
    for part in reversed(found):  # containers that are joined later come first
        container, offset = found[part]
        while container in found:
            container, begin = found[container]
            offset += begin
        found[part] = container, offset
    return found


def _reuse(
    use: Use,
    padded: dict[Hashable, int],
    dying: set[Hashable],
    layout: Layout,
    containers: Mapping[Any, Hashable],
) -> set[Hashable]:
    """Give results the memory of inputs that die; return those inputs."""
    reused: set[Hashable] = set()
    if not use.in_place:
        return reused
    read_from = [containers.get(value, value) for value in use.reads]
    for source, target in use.in_place:
        read, written = use.reads[source], use.writes[target]
        if read not in dying or written not in padded or containers[written] != written:
            continue
        # If the step reads a value twice, its first half may be overwritten too early.
        if read in reused or padded[read] != padded[written] or read_from.count(read) != 1:
            continue
        if written not in layout.offsets:
            layout.offsets[written] = layout.offsets[read]
            reused.add(read)
    return reused


class _Gaps:
    """Free ranges of an arena that grows at its end."""

    def __init__(self) -> None:
        self.end = 0
        self._by_size: list[tuple[int, int]] = []  # (size, offset), sorted
        self._sizes: dict[int, int] = {}  # offset -> size
        self._starts: dict[int, int] = {}  # end of a gap -> its offset

    def allocate(self, size: int) -> int:
        """Return the offset of a range of `size` bytes."""
        at = bisect_left(self._by_size, (size, -1))
        if at < len(self._by_size):
            gap, offset = self._by_size[at]
            self._remove(offset)
            if gap > size:
                self._add(offset + size, gap - size)
            return offset
        last = self._starts.get(self.end)
        offset = self.end if last is None else last
        if last is not None:
            self._remove(last)
        self.end = offset + size
        return offset

    def free(self, offset: int, size: int) -> None:
        """Free a range and merge it with adjacent gaps."""
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
