"""Fusion of elementwise operators into one pass over memory.

Steps are visited in program order. An elementwise step joins the group that produces one of its
inputs if all of its inputs and outputs have the shape and type of the group, and no other step has
read results of the group yet. So does a reduction over all or the last axes, whose result no member
can read: it is complete only after the pass. A group runs at the position of its last member.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from ...base.dtypes import code_of
from ..node import Type
from .call import Call
from .fused_program import FusedProgram, iterated_type, read_by, rows_of, spread

__all__ = ["fuse"]

#: Types that kernels compute in: float32, float64, int32 and int64; and bfloat16, which fused steps
#: without reductions compute in float32. float16 is rounded after each operator, as in MXNet.
_COMPUTED = (0, 1, 4, 6)
_FUSED_CODES = (*_COMPUTED, code_of("bfloat16"))


@dataclass
class _Group:
    """Steps that will be fused; `open` until a step outside of the group reads a result.

    `rows` is the number of rows that its reductions fold, 0 without a reduction.
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
    """Return the steps with groups of elementwise ones fused, and the length of the forward pass.

    Parameters
    ----------
    calls : sequence of Call
    n_forward : int
        Number of steps of the forward pass; no group has members in both passes.
    types : sequence of Type
        Type of each slot.
    kept : set of int
        Slots that are needed outside.
    states : set of int
        Slots of auxiliary states: a step that reads one keeps its position.
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
            done.extend(_fused_calls(group.members, calls, types, kept, readers))
    return done, boundary if n_forward < len(calls) else len(done)


def _group(
    calls: Sequence[Call], n_forward: int, types: Sequence[Type], states: Set[int]
) -> dict[int, _Group]:
    """Return the group of each fusible step, by position."""
    groups: dict[int, _Group] = {}
    producer: dict[int, _Group] = {}
    folded: set[int] = set()
    for at, call in enumerate(calls):
        if at == n_forward:
            producer.clear()
        found = [producer[slot] for slot in call.inputs if slot in producer]
        if not _is_fusible(call, types) or not states.isdisjoint(call.inputs):
            for group in found:
                group.open = False
            continue
        for slot in folded.intersection(call.inputs):
            if slot in producer:
                producer[slot].open = False
        group = _group_for([g for g in found if g.open], call, calls, types)
        for other in found:
            if other is not group and other.members:
                other.open = False
        group.members.append(at)
        for member in group.members:
            groups[member] = group
        if call.reduction is not None:
            folded.update(call.outputs)
        for slot in call.outputs:
            producer[slot] = group
        _reassign_outputs(producer, calls, group)
    return groups


def _reassign_outputs(producer: dict[int, _Group], calls: Sequence[Call], group: _Group) -> None:
    """Make `group` the producer of the results of all its members, after groups were merged."""
    for member in group.members:
        for slot in calls[member].outputs:
            producer[slot] = group


def _group_for(
    found: list[_Group], call: Call, calls: Sequence[Call], types: Sequence[Type]
) -> _Group:
    """Return the group that a step joins: the merged groups of its inputs, or a new one."""
    union = _Group(rows=rows_of(call, types))
    for group in {id(group): group for group in found}.values():
        if iterated_type(calls[group.members[0]], types) != iterated_type(call, types):
            continue
        if len(union.members) + len(group.members) >= _MOST_MEMBERS:
            continue
        if union.rows and group.rows not in (0, union.rows):
            continue
        rows = union.rows or group.rows
        union = group if not union.members else _Group(sorted([*union.members, *group.members]))
        union.rows = rows
    return union


#: Larger groups need more registers than there are and would be split again.
_MOST_MEMBERS = 24


def _is_fusible(call: Call, types: Sequence[Type]) -> bool:
    if call.elementwise is None and not rows_of(call, types):
        return False
    iterated = iterated_type(call, types)
    if iterated.code not in (_COMPUTED if call.reduction is not None else _FUSED_CODES):
        return False
    if types[call.outputs[0]].code != iterated.code:
        return False
    return all(
        seen == iterated or spread(seen, iterated) is not None for _, seen in read_by(call, types)
    )


def _fused_calls(
    members: Sequence[int],
    calls: Sequence[Call],
    types: Sequence[Type],
    kept: Set[int],
    readers: Mapping[int, Sequence[int]],
) -> list[Call]:
    """Return one step for a group, or several if it needs too many registers."""
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
        *_fused_calls(members[:half], calls, types, kept, readers),
        *_fused_calls(members[half:], calls, types, kept, readers),
    ]
