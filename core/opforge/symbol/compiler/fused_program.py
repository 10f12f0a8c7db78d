"""Program of a fused step: operands and kernel calls on one tile, and a final reduction.

Operands are numbered: registers first, then constants, inputs and outputs of the step.
"""

from collections.abc import Sequence, Set
from math import prod
from typing import Any

from ...base.dtypes import code_of
from ...native.graph import fused as native
from ...native.graph import fused_reduction as folding
from ..node import Type
from .call import Call, Elementwise

__all__ = ["FusedProgram", "iterated_type", "read_by", "rows_of", "spread"]


_BFLOAT16 = code_of("bfloat16")

#: A slot, and the type in which a step reads it.
Source = tuple[int, Type]


def read_by(call: Call, types: Sequence[Type]) -> list[Source]:
    """Return the slots whose elements a step reads, with the types in which they are read."""
    how = call.elementwise
    if how is not None and how.shape is not None:
        return [(call.inputs[0], Type(how.shape, types[call.inputs[0]].code))]
    inputs = call.inputs if call.reduction is None else call.inputs[:1]
    return [(slot, types[slot]) for slot in inputs]


def iterated_type(call: Call, types: Sequence[Type]) -> Type:
    """Return the type that a step iterates over: its reduced input, or its output."""
    return types[call.inputs[0] if call.reduction is not None else call.outputs[0]]


def rows_of(call: Call, types: Sequence[Type]) -> int:
    """Return the number of contiguous rows that a reduction folds; 0 if they are not contiguous.

    Examples
    --------
    >>> from opforge.symbol.compiler.call import Reduction
    >>> call = Call(lambda made: None, "sum", [0], [1], reduction=Reduction("sum", (1, 2)))
    >>> rows_of(call, [Type((2, 3, 4), 0), Type((2,), 0)])
    2
    """
    if call.reduction is None:
        return 0
    shape, axes = types[call.inputs[0]].shape, call.reduction.axes
    kept = [axis for axis, dim in enumerate(shape) if dim != 1 and axis not in axes]
    if any(axis < kept[-1] and shape[axis] != 1 for axis in axes if kept):
        return 0
    return prod(shape[axis] for axis in kept) if prod(shape) else 0


def spread(source: Type, target: Type) -> tuple[int, int, int] | None:
    """Return (repeat, period, lanes) if `source` broadcasts to `target` in equal rows.

    Element ``i`` of the target is combined with element ``i % lanes`` of the row
    ``i // repeat % period`` of the source, which has rows of `lanes` elements.

    Examples
    --------
    >>> spread(Type((1, 3, 1, 1), 0), Type((2, 3, 4, 4), 0))
    (16, 3, 1)
    >>> spread(Type((1, 3, 1, 1, 8), 0), Type((2, 3, 4, 4, 8), 0))
    (128, 3, 8)
    """
    missing = len(target.shape) - len(source.shape)
    if missing < 0 or source.code != target.code:
        return None
    shape = (1,) * missing + source.shape
    along = _spread_along_block(shape, target.shape)
    if along is not None:
        return (*along, 1)
    # The source may have the innermost axis as well, such as the lanes of a blocked array.
    lanes = target.shape[-1]
    outer = _spread_along_block(shape[:-1], target.shape[:-1]) if shape[-1] == lanes else None
    return None if outer is None else (outer[0] * lanes, outer[1], lanes)


def _spread_along_block(source: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, int] | None:
    """Return (repeat, period) if a shape broadcasts along one block of adjacent axes."""
    kept = [axis for axis, dim in enumerate(source) if dim != 1]
    begin, end = (kept[0], kept[-1] + 1) if kept else (0, 0)
    if source[begin:end] != target[begin:end]:
        return None
    return prod(target[end:]), prod(source[begin:end])


class FusedProgram:
    """Several steps fused into one.

    Parameters
    ----------
    members : sequence of Call
        Elementwise steps and reductions, in program order.
    needed : set of int
        Slots that other steps read.
    types : sequence of Type
        Type of each slot.
    """

    def __init__(self, members: Sequence[Call], needed: Set[int], types: Sequence[Type]) -> None:
        self.members = [member for member in members if member.reduction is None]
        self.folds = [member for member in members if member.reduction is not None]
        self.iterated = iterated_type(members[0], types)
        self.rows = max((rows_of(fold, types) for fold in self.folds), default=0)
        made = {slot for member in self.members for slot in member.outputs}
        self.reads = [read_by(member, types) for member in (*self.members, *self.folds)]
        self.inputs = list(dict.fromkeys(s for r in self.reads for s in r if s[0] not in made))
        self.outputs = [s for member in self.members for s in member.outputs if s in needed]
        self.constants: list[float] = []
        self.last_read = {slot: at for at, row in enumerate(self.reads) for slot, _ in row}
        self.n_registers = 0
        self.spreads: dict[int, tuple[int, int, int, int]] = {}
        for position, (_, seen) in enumerate(self.inputs):
            if seen != self.iterated:
                sizes = spread(seen, self.iterated)
                assert sizes is not None
                self.spreads[position] = (self.n_registers, *sizes)
                self.n_registers += 1
        self.loading = self._registers_of_inputs() if self.iterated.code == _BFLOAT16 else []
        self._free: list[int] = []
        self._register: dict[int, int] = {}
        rows = [self._row(at, member) for at, member in enumerate(self.members)]
        self.calls = [
            (name, *(self._number(operand) for operand in operands)) for name, *operands in rows
        ]

    def _registers_of_inputs(self) -> list[int]:
        """Return registers for the converted inputs; those that are spread have one already."""
        loading = []
        for position in range(len(self.inputs)):
            is_loaded = position not in self.spreads
            loading.append(self.n_registers if is_loaded else -1)
            self.n_registers += is_loaded
        return loading

    @property
    def fits(self) -> bool:
        """True if registers and operands suffice."""
        n_operands = self.n_registers + len(self.constants) + len(self.inputs) + len(self.outputs)
        return (
            self.n_registers <= native.MOST_REGISTERS
            and n_operands <= native.MOST_OPERANDS
            and len(self.folds) <= folding.MOST_FOLDS
        )

    def call(self, label: str) -> Call:
        """Return the fused step."""
        arguments = (
            self.iterated.code,
            self.calls,
            self.n_registers,
            self.constants,
            len(self.inputs),
            len(self.outputs),
            [self._register[slot] for slot in self.outputs],
            self.spreads,
        )
        folds = [
            (fold.reduction.kernel, self._number(self._read(reads[0])))
            for fold, reads in zip(self.folds, self.reads[len(self.members) :], strict=True)
            if fold.reduction is not None
        ]
        width = prod(self.iterated.shape) // max(self.rows, 1)

        def make(_: dict[int, Any]) -> Any:
            if not folds:
                return native.FusedStep(*arguments, self.loading)
            return folding.FusedReduction(*arguments, folds, self.rows, width)

        results = [fold.outputs[0] for fold in self.folds]
        inputs = [slot for slot, _ in self.inputs]
        return Call(make, label, inputs, [*self.outputs, *results], self._in_place())

    def _row(self, at: int, member: Call) -> tuple[Any, ...]:
        """Return a kernel call with operands as (kind, index)."""
        how: Elementwise = member.elementwise  # type: ignore[assignment]
        reads = self.reads[at]
        left = self._read(reads[0])
        if how.kind == "scalar":
            self.constants.append(float(how.number))
            constant = ("constant", len(self.constants) - 1)
            left, right = (constant, left) if how.reverse else (left, constant)
        else:
            right = self._read(reads[-1])
        for slot in dict.fromkeys(slot for slot, _ in reads):
            # The result may reuse a register that is read here for the last time.
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

    def _read(self, source: Source) -> tuple[str, int]:
        slot = source[0]
        if slot in self.outputs:
            return "output", self.outputs.index(slot)
        if slot in self._register:
            return "register", self._register[slot]
        return "input", self.inputs.index(source)

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

    def _in_place(self) -> list[tuple[int, int]]:
        """Return the inputs that may share memory with an output: not read after it is written."""
        written = {m.outputs[0]: at for at, m in enumerate(self.members)}
        return [
            (i, j)
            for i, (source, _) in enumerate(self.inputs)
            for j, target in enumerate(self.outputs)
            if self.last_read[source] <= written[target] and i not in self.spreads
        ]
