"""`Epilogue`: the steps that a computation takes its result through, checked once and for each call."""

cimport cython
from libc.string cimport memcpy, memset
from opforge.abi cimport (
    OPFORGE_OPERAND_FULL, OPFORGE_OPERAND_NONE, OPFORGE_OPERAND_NUMBER, OPFORGE_OPERAND_SPREAD,
    OPFORGE_OPERAND_VALUE, opforge_step,
)

from opforge.native.loops.epilogue cimport MOST_VALUES
from opforge.native.memory.types cimport F32, F64

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, ShapeError
from opforge.native.loops.epilogue import EPILOGUES, N_BINARY

__all__ = ["MOST_EARLIER", "MOST_LENGTH", "Epilogue"]

cdef tuple NAMES = _dtypes.NAMES

#: How many steps an epilogue has at most, and how many earlier values these read.
MOST_LENGTH = MOST_STEPS
MOST_EARLIER = MOST_VALUES


@cython.final
cdef class Epilogue:
    """Steps of an epilogue; each makes another value of the one so far, the first of the result.

    Parameters
    ----------
    steps : sequence of (str, object, bool)
        Name, operand, and whether the operand comes first. An operand is None, a number,
        ``("value", k)`` for the value that step `k` began with, ``("full",)`` for an array like the
        result, or ``("spread", repeat, period, lanes)`` for one that is repeated along some axes, as
        ``abi.h`` has it. Arrays come in the order of their steps.

    Raises
    ------
    ValueError
        There is no such step, it has no such operand, or there are too many.

    Examples
    --------
    >>> Epilogue([("multiply", 2.0, False), ("add", ("full",), False), ("relu", None, False)])
    <epilogue: multiply, add, relu>
    """

    def __init__(self, steps not None):
        cdef int k
        cdef set values = set()
        if not 1 <= len(steps) <= MOST_STEPS:
            raise ValueError(f"an epilogue has {len(steps)} steps, expected 1 to {MOST_STEPS}")
        memset(self.steps, 0, sizeof(self.steps))
        self.n_steps = 0
        for k, (name, operand, reverse) in enumerate(steps):
            if name not in EPILOGUES:
                raise ValueError(f"{name!r} is no step of an epilogue, but {', '.join(EPILOGUES)} are")
            self.steps[k].kind = EPILOGUES.index(name)
            self.steps[k].reverse = bool(reverse)
            if (operand is None) != (self.steps[k].kind >= N_BINARY):
                raise ValueError(f"the step {name!r} has the operand {operand!r}")
            self.describe_operand(k, operand)
            if self.steps[k].operand == OPFORGE_OPERAND_VALUE and self.steps[k].value < k:
                values.add(self.steps[k].value)
            self.n_steps += 1
        if len(values) > MOST_VALUES:
            raise ValueError(f"an epilogue reads {len(values)} earlier values, expected {MOST_VALUES}")

    cdef int describe_operand(self, int k, operand) except -1:
        cdef opforge_step* step = &self.steps[k]
        if operand is None:
            step.operand = OPFORGE_OPERAND_NONE
        elif not isinstance(operand, tuple):
            step.operand, step.number = OPFORGE_OPERAND_NUMBER, operand
        elif operand[0] == "value":
            step.operand, step.value = OPFORGE_OPERAND_VALUE, operand[1]
            if not 0 <= step.value <= k:
                raise ValueError(f"step {k} of an epilogue reads the value of step {step.value}")
        elif operand[0] == "full":
            step.operand, step.repeat, step.lanes = OPFORGE_OPERAND_FULL, 1, 1
            self.n_operands += 1
        else:
            step.operand = OPFORGE_OPERAND_SPREAD
            _, step.repeat, step.period, step.lanes = operand
            self.n_operands += 1
            if min(step.repeat, step.period, step.lanes) < 1 or step.repeat % step.lanes:
                raise ValueError(f"step {k} of an epilogue cannot be spread as {operand}")
        return 0

    def __repr__(self):
        cdef int k
        return f"<epilogue: {', '.join([EPILOGUES[self.steps[k].kind] for k in range(self.n_steps)])}>"

    cdef int put(self, opforge_step* steps, list operands, Array out) except -1:
        cdef int k, position = 0
        cdef Py_ssize_t want
        cdef Array item
        if out.code != F32 and out.code != F64:
            raise DTypeError(f"{self!r}: a result of {NAMES[out.code]} has no epilogue")
        if len(operands) != self.n_operands:
            raise ShapeError(f"{self!r}: {len(operands)} operands, expected {self.n_operands}")
        memcpy(steps, self.steps, self.n_steps * sizeof(opforge_step))
        for k in range(self.n_steps):
            if steps[k].operand != OPFORGE_OPERAND_FULL and steps[k].operand != OPFORGE_OPERAND_SPREAD:
                continue
            item = <Array>operands[position]
            position += 1
            want = out.size
            if steps[k].operand == OPFORGE_OPERAND_FULL:
                steps[k].period = max(want, 1)
            else:
                want = steps[k].period * steps[k].lanes
                if out.size % (steps[k].period * steps[k].repeat):
                    want = -1
            if item.size != want or item.code != out.code:
                raise ShapeError(
                    f"{self!r}: the operand of step {k} has shape {item.shape} and type "
                    f"{NAMES[item.code]}, which does not fit a result of shape {out.shape} and type "
                    f"{NAMES[out.code]}"
                )
            steps[k].data = item.data
        return 0
