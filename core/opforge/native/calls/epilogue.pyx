"""`Epilogue`: elementwise steps that a computation applies to its result, checked here and at each call."""

cimport cython
from libc.string cimport memcpy, memset
from opforge.abi cimport (
    OPFORGE_OPERAND_FULL, OPFORGE_OPERAND_NONE, OPFORGE_OPERAND_NUMBER, OPFORGE_OPERAND_SPREAD,
    OPFORGE_OPERAND_VALUE, opforge_step,
)

from opforge.native.loops.epilogue cimport MAX_VALUES
from opforge.native.memory.types cimport is_float

from opforge.base import dtypes as _dtypes
from opforge.base.errors import DTypeError, ShapeError
from opforge.native.loops.epilogue import EPILOGUES, N_BINARY

__all__ = ["MAX_EARLIER", "MAX_LENGTH", "Epilogue"]

cdef tuple NAMES = _dtypes.NAMES

#: Maximum number of steps of an epilogue, and of earlier values that they read.
MAX_LENGTH = MAX_STEPS
MAX_EARLIER = MAX_VALUES


@cython.final
cdef class Epilogue:
    """Elementwise steps applied one after the other to each element of a result.

    Parameters
    ----------
    steps : sequence of (str, object, bool)
        Name, operand, and whether the operand comes first. An operand is None, a number,
        ``("value", k)`` for the input value of step `k`, ``("full",)`` for an array of the shape of
        the result, or ``("spread", repeat, period, lanes)`` for one repeated along some axes, as
        described in ``abi.h``. Arrays are passed in the order of their steps.

    Raises
    ------
    ValueError
        A step does not exist, its operand is invalid, or there are too many steps.

    Examples
    --------
    >>> Epilogue([("multiply", 2.0, False), ("add", ("full",), False), ("relu", None, False)])
    <epilogue: multiply, add, relu>
    """

    def __init__(self, steps not None):
        cdef int k
        cdef set values = set()
        if not 1 <= len(steps) <= MAX_STEPS:
            raise ValueError(f"the epilogue has {len(steps)} steps, expected 1 to {MAX_STEPS}")
        memset(self.steps, 0, sizeof(self.steps))
        self.n_steps = 0
        for k, (name, operand, reverse) in enumerate(steps):
            if name not in EPILOGUES:
                raise ValueError(f"epilogue step {name!r} not found; available: {', '.join(EPILOGUES)}")
            self.steps[k].kind = EPILOGUES.index(name)
            self.steps[k].reverse = bool(reverse)
            if (operand is None) != (self.steps[k].kind >= N_BINARY):
                raise ValueError(
                    f"epilogue step {name!r} has the operand {operand!r}, expected "
                    f"{'an operand' if operand is None else 'None'}"
                )
            self.describe_operand(k, operand)
            if self.steps[k].operand == OPFORGE_OPERAND_VALUE and self.steps[k].value < k:
                values.add(self.steps[k].value)
            self.n_steps += 1
        if len(values) > MAX_VALUES:
            raise ValueError(
                f"the epilogue reads {len(values)} earlier values, expected at most {MAX_VALUES}"
            )

    cdef int describe_operand(self, int k, operand) except -1:
        cdef opforge_step* step = &self.steps[k]
        if operand is None:
            step.operand = OPFORGE_OPERAND_NONE
        elif not isinstance(operand, tuple):
            step.operand, step.number = OPFORGE_OPERAND_NUMBER, operand
        elif operand[0] == "value":
            step.operand, step.value = OPFORGE_OPERAND_VALUE, operand[1]
            if not 0 <= step.value <= k:
                raise ValueError(
                    f"step {k} of the epilogue reads the value of step {step.value}, expected 0 to {k}"
                )
        elif operand[0] == "full":
            step.operand, step.repeat, step.lanes = OPFORGE_OPERAND_FULL, 1, 1
            self.n_operands += 1
        else:
            step.operand = OPFORGE_OPERAND_SPREAD
            _, step.repeat, step.period, step.lanes = operand
            self.n_operands += 1
            if min(step.repeat, step.period, step.lanes) < 1 or step.repeat % step.lanes:
                raise ValueError(
                    f"step {k} of the epilogue has the operand {operand}; expected repeat, period and "
                    "lanes above 0, and repeat divisible by lanes"
                )
        return 0

    def __repr__(self):
        cdef int k
        return f"<epilogue: {', '.join([EPILOGUES[self.steps[k].kind] for k in range(self.n_steps)])}>"

    cdef int bind(self, opforge_step* steps, list operands, Array out) except -1:
        cdef int k, position = 0
        cdef Py_ssize_t expected_size
        cdef Array item
        if not is_float(out.code):
            raise DTypeError(
                f"{self!r}: the result has dtype {NAMES[out.code]}, expected a floating dtype"
            )
        if len(operands) != self.n_operands:
            raise ShapeError(f"{self!r}: got {len(operands)} operands, expected {self.n_operands}")
        memcpy(steps, self.steps, self.n_steps * sizeof(opforge_step))
        for k in range(self.n_steps):
            if steps[k].operand != OPFORGE_OPERAND_FULL and steps[k].operand != OPFORGE_OPERAND_SPREAD:
                continue
            item = <Array>operands[position]
            position += 1
            expected_size = out.size
            if steps[k].operand == OPFORGE_OPERAND_FULL:
                steps[k].period = max(expected_size, 1)
            else:
                expected_size = steps[k].period * steps[k].lanes
                if out.size % (steps[k].period * steps[k].repeat):
                    expected_size = -1
            if item.size != expected_size or item.code != out.code:
                raise ShapeError(
                    f"{self!r}: the operand of step {k} has shape {item.shape} and dtype "
                    f"{NAMES[item.code]}, which does not match the result of shape {out.shape} and dtype "
                    f"{NAMES[out.code]}"
                )
            steps[k].data = item.data
        return 0
