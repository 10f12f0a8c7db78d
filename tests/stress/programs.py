"""Random programs over shared arrays, and the machine that runs them.

A program is a list of steps of plain data, so that it can be printed, reduced and run again. Its
trace is all that a user can observe: values, and texts of exceptions, in program order.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import opforge as mx
from opforge import nd
from opforge.engine import push

SHAPE = (6, 4)


@dataclass(frozen=True)
class Step:
    """One operation: its kind, the arrays it reads and writes, and a number that it uses."""

    kind: str
    read: tuple[int, ...]
    write: tuple[int, ...]
    number: int
    fails: bool = False
    priority: int = 0


class Planned(ValueError):
    """Raised by steps that are meant to fail."""


class Mix(mx.operator.CustomOp):
    """A Python operator that computes with arrays and with NumPy."""

    def forward(self, is_train, req, in_data, out_data, aux):
        """Write a bounded mixture of both inputs."""
        a, b = in_data
        part = nd.array(np.sin(a.asnumpy()) / 2)
        self.assign(out_data[0], req[0], part + b * 0.25)


@mx.operator.register("stress_mix")
class MixProp(mx.operator.CustomOpProp):
    """Declares `Mix`."""

    def list_arguments(self):
        """Return the names of both inputs."""
        return ["a", "b"]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        """Return a new operator."""
        return Mix()


def _fresh(arrays: list, step: Step) -> None:
    a, b = (arrays[i] for i in step.read)
    arrays[step.write[0]] = a * 0.5 + b * 0.25 + step.number


def _unary(arrays: list, step: Step) -> None:
    arrays[step.write[0]] = nd.tanh(arrays[step.read[0]] + step.number)


def _in_place(arrays: list, step: Step) -> None:
    target = arrays[step.write[0]]
    target *= 0.5
    target += arrays[step.read[0]]
    target -= step.number


def _overwrite(arrays: list, step: Step) -> None:
    arrays[step.write[0]][:] = arrays[step.read[0]]


def _fill(arrays: list, step: Step) -> None:
    arrays[step.write[0]][:] = step.number


def _rows(arrays: list, step: Step) -> None:
    row = step.number % 5
    arrays[step.write[0]][row : row + 2] = arrays[step.read[0]][row + 1 : row + 2] * 0.5


def _view(arrays: list, step: Step) -> None:
    view = arrays[step.write[0]][step.number % 6]
    view += arrays[step.read[0]][0] * 0.125


def _custom(arrays: list, step: Step) -> None:
    a, b = (arrays[i] for i in step.read)
    arrays[step.write[0]] = nd.Custom(a, b, op_type="stress_mix")


def _draw(arrays: list, step: Step) -> None:
    nd.random.uniform(-1, 1, shape=SHAPE, out=arrays[step.write[0]])


def _reduce(arrays: list, step: Step) -> None:
    arrays[step.write[0]] = arrays[step.read[0]] - arrays[step.read[0]].mean(axis=0, keepdims=True)


DIRECT: dict[str, tuple[Callable[[list, Step], None], int, int]] = {
    # kind: (function, number of arrays read, number of arrays written)
    "fresh": (_fresh, 2, 1),
    "unary": (_unary, 1, 1),
    "in place": (_in_place, 1, 1),
    "overwrite": (_overwrite, 1, 1),
    "fill": (_fill, 0, 1),
    "rows": (_rows, 1, 1),
    "view": (_view, 1, 1),
    "custom": (_custom, 2, 1),
    "draw": (_draw, 0, 1),
    "reduce": (_reduce, 1, 1),
}


def _task(arrays: list, step: Step, position: int) -> Callable[[], None]:
    """Return the function of a pushed step, on the arrays that currently have the names."""
    read = [arrays[i] for i in step.read]
    write = [arrays[i] for i in step.write]

    def run() -> None:
        total = nd.random.normal(0, 0.1, shape=SHAPE) + step.number
        for x in read:
            total = total * 0.5 + x * 0.25
        for place, x in enumerate(write):
            if step.fails and place == len(write) - 1:
                raise Planned(f"step {position}")
            if step.number % 2:
                x[:] = total * (place + 1)
            else:
                x *= 0.25
                x += total

    return run


def random_program(seed: int, n_arrays: int, length: int) -> list[Step]:
    """Return the program of `seed`."""
    rng = random.Random(seed)
    kinds = [*DIRECT, *["push"] * 10, "wait", "look", "look", "waitall"]
    steps = []
    for _ in range(length):
        kind = rng.choice(kinds)
        if kind == "push":
            picked = rng.sample(range(n_arrays), rng.randint(1, min(4, n_arrays)))
            cut = rng.randint(0, len(picked) - 1)
            both = tuple(picked[cut:]) if rng.random() < 0.3 else ()
            read, write = tuple(picked[:cut]) + both, tuple(picked[cut:])
        else:
            n_read, n_write = DIRECT[kind][1:] if kind in DIRECT else (1, 0)
            read = tuple(rng.randrange(n_arrays) for _ in range(n_read))
            write = tuple(rng.randrange(n_arrays) for _ in range(n_write))
        fails = kind == "push" and rng.random() < 0.04
        steps.append(Step(kind, read, write, rng.randint(0, 9), fails, rng.randint(-2, 2)))
    return steps


def run(program: list[Step], n_arrays: int, seed: int) -> list[object]:
    """Run `program` and return its trace."""
    mx.random.seed(seed)
    arrays = [nd.full(SHAPE, i / 8) for i in range(n_arrays)]
    trace: list[object] = []
    for position, step in enumerate(program):
        try:
            _perform(arrays, step, position, trace)
        except Planned as error:
            # A push of NaiveEngine raises immediately what others store.
            if step.kind not in {"push", "waitall"}:
                trace.append((position, str(error)))
    for position in range(n_arrays):
        try:
            trace.append(arrays[position].asnumpy().tobytes())
        except Planned as error:
            trace.append(str(error))
    for _ in _planned_errors():
        pass
    return trace


def _perform(arrays: list, step: Step, position: int, trace: list[object]) -> None:
    if step.kind == "push":
        push(
            _task(arrays, step, position),
            read=[arrays[i] for i in step.read],
            write=[arrays[i] for i in step.write],
            priority=step.priority,
        )
    elif step.kind == "wait":
        arrays[step.read[0]].wait_to_read()
    elif step.kind == "look":
        trace.append((position, arrays[step.read[0]].asnumpy().tobytes()))
    elif step.kind == "waitall":
        mx.waitall()
    else:
        DIRECT[step.kind][0](arrays, step)


def _planned_errors() -> Iterator[Planned]:
    """Wait for everything; yield the errors that no wait has raised yet."""
    while True:
        try:
            mx.waitall()
            return
        except Planned as error:
            yield error


def shrink(program: list[Step], differs: Callable[[list[Step]], bool]) -> list[Step]:
    """Remove steps from `program` as long as its traces still differ."""
    size = len(program) // 2
    while size:
        start = 0
        while start < len(program):
            shorter = program[:start] + program[start + size :]
            if shorter and differs(shorter):
                program = shorter
            else:
                start += size
        size //= 2
    return program
