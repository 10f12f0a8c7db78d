"""Elementwise operators that follow each other become one pass over memory.

Steps are walked in the order in which they run. An elementwise step joins the group that made one
of its inputs, if all of its inputs and outputs have the group's shape and type and nobody else has
read what the group makes. A group runs where its last member stood.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ..native import fused as native
from .call import Call, Elementwise
from .node import Type

__all__ = ["fuse"]

_FUSED_CODES = (0, 1, 4, 6)  # float32, float64, int32, int64: what kernels compute in


@dataclass
class _Group:
    """Steps that will be one; `open` until somebody else reads one of its results."""

    members: list[int] = field(default_factory=list)
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
    """Return the group of each elementwise step, by position."""
    groups: dict[int, _Group] = {}
    maker: dict[int, _Group] = {}
    for at, call in enumerate(calls):
        if at == n_forward:
            maker.clear()
        found = [maker[slot] for slot in call.inputs if slot in maker]
        if not _is_fusible(call, types) or not states.isdisjoint(call.inputs):
            for group in found:
                group.open = False
            continue
        group = _joined([g for g in found if g.open], call, calls, types)
        for other in found:
            if other is not group and other.members:
                other.open = False
        group.members.append(at)
        for member in group.members:
            groups[member] = group
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
    union = _Group()
    for group in {id(group): group for group in found}.values():
        if types[calls[group.members[0]].outputs[0]] != types[call.outputs[0]]:
            continue
        if len(union.members) + len(group.members) >= _MOST_MEMBERS:
            continue
        union = group if not union.members else _Group(sorted([*union.members, *group.members]))
    return union


#: Larger groups would be divided again: they take more registers than there are.
_MOST_MEMBERS = 24


def _is_fusible(call: Call, types: Sequence[Type]) -> bool:
    if call.elementwise is None:
        return False
    out = types[call.outputs[0]]
    return out.code in _FUSED_CODES and all(
        types[slot] == out or _spread(types[slot], out) is not None for slot in call.inputs
    )


def _spread(source: Type, target: Type) -> tuple[int, int] | None:
    """Return (repeat, period) where `source` is broadcast to `target` along one block of axes.

    Element ``i`` of the target meets element ``i // repeat % period`` of the source.
    """
    missing = len(target.shape) - len(source.shape)
    if missing < 0 or source.code != target.code:
        return None
    shape = (1,) * missing + source.shape
    kept = [axis for axis, dim in enumerate(shape) if dim != 1]
    begin, end = (kept[0], kept[-1] + 1) if kept else (0, 0)
    if shape[begin:end] != target.shape[begin:end]:
        return None
    return prod(target.shape[end:]), prod(shape[begin:end])


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
    found = _fused([calls[k] for k in members], types, needed)
    if found is not None:
        return [found]
    half = len(members) // 2
    return [
        *_united(members[:half], calls, types, kept, readers),
        *_united(members[half:], calls, types, kept, readers),
    ]


def _fused(members: Sequence[Call], types: Sequence[Type], needed: Set[int]) -> Call | None:
    """Return one step for several; None where they are too many for one."""
    made = {slot for member in members for slot in member.outputs}
    inputs = list(dict.fromkeys(s for m in members for s in m.inputs if s not in made))
    outputs = [slot for member in members for slot in member.outputs if slot in needed]
    program = _Program(members, inputs, outputs, types)
    if program.n_registers > native.MOST_REGISTERS or program.n_operands > native.MOST_OPERANDS:
        return None
    code = types[outputs[0]].code

    def make(_: dict[int, Any]) -> Any:
        return native.FusedStep(
            code,
            program.calls,
            program.n_registers,
            program.constants,
            len(inputs),
            len(outputs),
            program.waiting,
            program.spreads,
        )

    label = "+".join(dict.fromkeys(m.label for m in members if m.label)) or members[-1].label
    return Call(make, label, inputs, outputs, program.in_place())


class _Program:
    """Operands of a fused step: registers, constants, inputs, outputs."""

    def __init__(
        self,
        members: Sequence[Call],
        inputs: Sequence[int],
        outputs: Sequence[int],
        types: Sequence[Type],
    ) -> None:
        self.members, self.inputs, self.outputs = members, inputs, outputs
        self.constants: list[float] = []
        self.last_read: dict[int, int] = {}
        for at, member in enumerate(members):
            for slot in member.inputs:
                self.last_read[slot] = at
        self.n_registers = 0
        self.spreads: dict[int, tuple[int, int, int]] = {}
        whole = types[members[-1].outputs[0]]
        for position, slot in enumerate(inputs):
            if types[slot] != whole:
                repeat, period = _spread(types[slot], whole) or (1, 1)
                self.spreads[position] = (self.n_registers, repeat, period)
                self.n_registers += 1
        self._free: list[int] = []
        self._register: dict[int, int] = {}
        rows = [self._row(at, member) for at, member in enumerate(members)]
        self.waiting = [self._register[slot] for slot in outputs]
        self.calls = [
            (name, *(self._number(operand) for operand in operands)) for name, *operands in rows
        ]

    @property
    def n_operands(self) -> int:
        """How many operands there are of all kinds."""
        return self.n_registers + len(self.constants) + len(self.inputs) + len(self.outputs)

    def _row(self, at: int, member: Call) -> tuple[Any, ...]:
        """Return a kernel call whose operands are (kind, index)."""
        how: Elementwise = member.elementwise  # type: ignore[assignment]
        left = self._read(member.inputs[0])
        if how.kind == "scalar":
            self.constants.append(float(how.number))
            constant = ("constant", len(self.constants) - 1)
            left, right = (constant, left) if how.reverse else (left, constant)
        else:
            right = self._read(member.inputs[-1])
        for slot in dict.fromkeys(member.inputs):
            # A register whose last reader this is may take the result: kernels work in place.
            if self.last_read[slot] == at and slot in self._register and slot not in self.outputs:
                self._free.append(self._register[slot])
        target = member.outputs[0]
        self._register[target] = self._take()
        written = (
            ("output", self.outputs.index(target))
            if target in self.outputs
            else ("register", self._register[target])
        )
        prefix = "unary" if how.kind == "unary" else "binary"
        return f"{prefix}:{how.kernel}", left, right, written

    def _read(self, slot: int) -> tuple[str, int]:
        if slot in self.outputs:
            return "output", self.outputs.index(slot)
        if slot in self._register:
            return "register", self._register[slot]
        return "input", self.inputs.index(slot)

    def _take(self) -> int:
        if self._free:
            return self._free.pop()
        self.n_registers += 1
        return self.n_registers - 1

    def _number(self, operand: tuple[str, int]) -> int:
        kind, index = operand
        before = {"register": 0, "constant": self.n_registers}
        before["input"] = self.n_registers + len(self.constants)
        before["output"] = before["input"] + len(self.inputs)
        return before[kind] + index

    def in_place(self) -> list[tuple[int, int]]:
        """Return which inputs an output may lie on: those not read after it is written."""
        written = {m.outputs[0]: at for at, m in enumerate(self.members)}
        return [
            (i, j)
            for i, source in enumerate(self.inputs)
            for j, target in enumerate(self.outputs)
            if self.last_read[source] <= written[target] and i not in self.spreads
        ]
