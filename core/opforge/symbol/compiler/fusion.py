"""Elementwise operators that follow each other become one pass over memory.

Steps are walked in the order in which they run. An elementwise step joins the group that made one
of its inputs, if all of its inputs and outputs have the group's shape and type and nobody else has
read what the group makes. So does a reduction over all or the last axes, whose result no member can
read: it is there when the pass is over. A group runs where its last member stood.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from ..node import Type
from .call import Call
from .fused_program import FusedProgram, read_by, rows_of, spread, whole_of

__all__ = ["fuse"]

_FUSED_CODES = (0, 1, 4, 6)  # float32, float64, int32, int64: what kernels compute in


@dataclass
class _Group:
    """Steps that will be one; `open` until somebody else reads one of its results.

    What its members fold has `rows` rows; 0: none of them folds anything.
    """

    members: list[int] = field(default_factory=list)
    rows: int = 0
    open: bool = True


def fuse(
    calls: Sequence[Call],
    n_forward: int,
    types: Sequence[Type],
    kept: Set[int],
    states: Set[int],
) -> tuple[list[Call], int]:
    """Return the steps with groups of elementwise ones fused, and how many are the forward pass.

    Parameters
    ----------
    calls : sequence of Call
    n_forward : int
        The first so many are the forward pass; no group has members on both sides.
    types : sequence of Type
        Of each slot.
    kept : set of int
        Slots that are needed outside.
    states : set of int
        Slots of auxiliary states: a step that reads one stays where it is.
    """
    readers: dict[int, list[int]] = {}
    for at, call in enumerate(calls):
        for slot in call.inputs:
            readers.setdefault(slot, []).append(at)
    groups = _group(calls, n_forward, types, states)
    done: list[Call] = []
    boundary = 0
    for at, call in enumerate(calls):
        if at == n_forward:
            boundary = len(done)
        group = groups.get(at)
        if group is None or len(group.members) == 1:
            done.append(call)
        elif at == group.members[-1]:
            done.extend(_united(group.members, calls, types, kept, readers))
    return done, boundary if n_forward < len(calls) else len(done)


def _group(
    calls: Sequence[Call], n_forward: int, types: Sequence[Type], states: Set[int]
) -> dict[int, _Group]:
    """Return the group of each step that can have one, by position."""
    groups: dict[int, _Group] = {}
    maker: dict[int, _Group] = {}
    folded: set[int] = set()
    for at, call in enumerate(calls):
        if at == n_forward:
            maker.clear()
        found = [maker[slot] for slot in call.inputs if slot in maker]
        if not _is_fusible(call, types) or not states.isdisjoint(call.inputs):
            for group in found:
                group.open = False
            continue
        for slot in folded.intersection(call.inputs):
            if slot in maker:
                maker[slot].open = False
        group = _joined([g for g in found if g.open], call, calls, types)
        for other in found:
            if other is not group and other.members:
                other.open = False
        group.members.append(at)
        for member in group.members:
            groups[member] = group
        if call.reduction is not None:
            folded.update(call.outputs)
        for slot in call.outputs:
            maker[slot] = group
        _rename(maker, calls, group)
    return groups


def _rename(maker: dict[int, _Group], calls: Sequence[Call], group: _Group) -> None:
    """After groups were united, all that they made is the union's."""
    for member in group.members:
        for slot in calls[member].outputs:
            maker[slot] = group


def _joined(
    found: list[_Group], call: Call, calls: Sequence[Call], types: Sequence[Type]
) -> _Group:
    """Return the group that a step joins: the union of those that made its inputs, or a new one."""
    union = _Group(rows=rows_of(call, types))
    for group in {id(group): group for group in found}.values():
        if whole_of(calls[group.members[0]], types) != whole_of(call, types):
            continue
        if len(union.members) + len(group.members) >= _MOST_MEMBERS:
            continue
        if union.rows and group.rows not in (0, union.rows):
            continue
        rows = union.rows or group.rows
        union = group if not union.members else _Group(sorted([*union.members, *group.members]))
        union.rows = rows
    return union


#: Larger groups would be divided again: they take more registers than there are.
_MOST_MEMBERS = 24


def _is_fusible(call: Call, types: Sequence[Type]) -> bool:
    if call.elementwise is None and not rows_of(call, types):
        return False
    whole = whole_of(call, types)
    if whole.code not in _FUSED_CODES or types[call.outputs[0]].code != whole.code:
        return False
    return all(seen == whole or spread(seen, whole) is not None for _, seen in read_by(call, types))


def _united(
    members: Sequence[int],
    calls: Sequence[Call],
    types: Sequence[Type],
    kept: Set[int],
    readers: Mapping[int, Sequence[int]],
) -> list[Call]:
    """Return one step for a group, or several where it takes more registers than there are."""
    if len(members) == 1:
        return [calls[members[0]]]
    inside = set(members)
    needed = {
        slot
        for k in members
        for slot in calls[k].outputs
        if slot in kept or any(reader not in inside for reader in readers.get(slot, ()))
    }
    program = FusedProgram([calls[k] for k in members], needed, types)
    if program.fits:
        labels = dict.fromkeys(calls[k].label for k in members if calls[k].label)
        return [program.call("+".join(labels) or calls[members[-1]].label)]
    half = len(members) // 2
    return [
        *_united(members[:half], calls, types, kept, readers),
        *_united(members[half:], calls, types, kept, readers),
    ]
