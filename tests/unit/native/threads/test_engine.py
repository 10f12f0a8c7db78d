"""The dependency engine: order, exceptions, deadlock detection, equal results."""

import functools
import gc
import random
import signal
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest

from opforge.base.errors import OpforgeError
from opforge.native.array import Var, push
from opforge.native.threads import engine
from opforge.native.threads.engine import wait_all

LIMIT = 60.0  # seconds after which a test has hung


@pytest.fixture(autouse=True)
def _fresh_engine() -> Iterator[None]:
    engine.configure(workers=2, naive=False)
    yield
    wait_all()
    engine.configure()


def _fail() -> None:
    raise ValueError("boom")


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_writers_of_one_variable_run_in_order(workers: int) -> None:
    engine.configure(workers=workers)
    var = Var()
    done: list[int] = []
    for i in range(500):
        push(lambda i=i: done.append(i), write=[var])
    var.wait_to_read()
    assert done == list(range(500))
    assert var.version == 500
    assert var.is_idle


def test_readers_run_concurrently() -> None:
    var = Var()
    meet = threading.Barrier(2, timeout=LIMIT)
    push(meet.wait, read=[var])
    push(meet.wait, read=[var])
    wait_all()


def test_writer_waits_for_readers_and_the_next_reader_for_the_writer() -> None:
    var, release = Var(), threading.Event()
    done: list[str] = []
    push(lambda: (release.wait(LIMIT), done.append("first read")), read=[var])
    push(lambda: done.append("write"), write=[var])
    push(lambda: done.append("second read"), read=[var])
    assert done == []
    release.set()
    var.wait_to_write()
    assert done == ["first read", "write", "second read"]


def test_priority_orders_ready_tasks() -> None:
    engine.configure(workers=1)
    gate = threading.Event()
    started = threading.Event()
    push(lambda: (started.set(), gate.wait(LIMIT)))
    assert started.wait(LIMIT)
    done: list[int] = []
    for priority in (0, 5, -3, 5):
        push(lambda p=priority: done.append(p), priority=priority)
    gate.set()
    wait_all()
    assert done == [5, 5, 0, -3]


def test_exception_is_raised_at_every_wait_until_the_next_write() -> None:
    var = Var()
    push(_fail, write=[var])
    for _ in range(3):
        with pytest.raises(ValueError, match="boom") as caught:
            var.wait_to_read()
        assert caught.traceback[-1].name == "_fail"
        assert len(caught.traceback) < 10  # does not grow with each raise
        assert "test_engine.py" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match="boom"):
        var.wait_to_write()
    assert not var.is_idle
    push(lambda: None, write=[var])
    var.wait_to_read()
    assert var.is_idle


def test_error_that_cannot_be_stored_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr(engine, "kept", no_memory)
    var = Var()
    push(_fail, write=[var])
    with pytest.raises(MemoryError, match="the exception it raised"):
        var.wait_to_read()


def test_dependents_inherit_the_exception_and_do_not_run() -> None:
    a, b, c = Var(), Var(), Var()
    ran: list[str] = []
    push(_fail, write=[a])
    push(lambda: ran.append("b"), read=[a], write=[b])
    push(lambda: ran.append("c"), read=[b], write=[c])
    push(lambda: ran.append("both"), read=[a], write=[a])
    for var in (a, b, c):
        with pytest.raises(ValueError, match="boom"):
            var.wait_to_read()
    assert ran == []


def test_waitall_raises_the_first_exception_once() -> None:
    def second() -> None:
        raise KeyError("later")

    var = Var()
    push(_fail, write=[var])
    push(second, write=[var])
    with pytest.raises(ValueError, match="boom"):
        wait_all()
    wait_all()


def test_waitall_does_not_repeat_raised_exceptions() -> None:
    var = Var()
    push(_fail, write=[var])
    with pytest.raises(ValueError, match="boom"):
        var.wait_to_read()
    wait_all()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_base_exceptions_are_stored(kind: type[BaseException]) -> None:
    def leave() -> None:
        raise kind

    var = Var()
    push(leave, write=[var])
    with pytest.raises(kind):
        var.wait_to_read()


def test_task_may_wait_for_its_own_variables() -> None:
    a, b = Var(), Var()
    push(lambda: (a.wait_to_read(), b.wait_to_read(), b.wait_to_write()), read=[a], write=[b])
    b.wait_to_read()


@pytest.mark.parametrize("naive", [False, True])
def test_waiting_to_write_a_variable_that_the_task_reads_raises(naive: bool) -> None:
    engine.configure(naive=naive)
    a, b = Var(), Var()
    with pytest.raises(OpforgeError, match="waits for its own completion"):
        push(a.wait_to_write, read=[a], write=[b])
        b.wait_to_read()


def test_waitall_inside_a_task_raises() -> None:
    var = Var()
    push(wait_all, write=[var])
    with pytest.raises(OpforgeError, match="waits for its own completion"):
        var.wait_to_read()


def test_wait_that_would_deadlock_raises() -> None:
    a, b, c = Var(), Var(), Var()

    def outer() -> None:
        push(lambda: None, read=[a], write=[b])
        push(lambda: None, read=[b], write=[c])
        c.wait_to_read()

    push(outer, write=[a])
    with pytest.raises(OpforgeError, match="waits for its own completion"):
        a.wait_to_read()


@pytest.mark.parametrize("times", [100])
def test_deadlock_of_two_waiting_tasks_raises(times: int) -> None:
    for _ in range(times):  # the two waits must not both miss the other
        a, b = Var(), Var()
        meet = threading.Barrier(2, timeout=LIMIT)
        push(lambda meet=meet, b=b: (meet.wait(), b.wait_to_read()), write=[a])
        push(lambda meet=meet, a=a: (meet.wait(), a.wait_to_read()), write=[b])
        with pytest.raises(OpforgeError, match="waits for its own completion"):
            wait_all()


def test_naive_task_that_pushes_onto_its_own_variable_raises() -> None:
    engine.configure(naive=True)
    var = Var()
    with pytest.raises(OpforgeError, match="waits for its own completion"):
        push(lambda: push(lambda: None, write=[var]), write=[var])


@pytest.mark.parametrize("depth", [1, 20])
def test_nested_waits_do_not_starve_one_worker(depth: int) -> None:
    engine.configure(workers=1)

    def nest(level: int) -> None:
        if level:
            inner = Var()
            push(lambda: nest(level - 1), write=[inner])
            inner.wait_to_read()

    var = Var()
    push(lambda: nest(depth), write=[var])
    var.wait_to_read()


def test_naive_engine_runs_at_once_and_raises_at_the_push() -> None:
    engine.configure(naive=True)
    var = Var()
    thread: list[int] = []
    push(lambda: thread.append(threading.get_ident()), write=[var])
    assert thread == [threading.get_ident()]
    with pytest.raises(ValueError, match="boom"):
        push(_fail, write=[var])
    with pytest.raises(ValueError, match="boom"):
        var.wait_to_read()


def test_waits_can_be_interrupted() -> None:
    # A shell starts what runs in the background with SIGINT ignored.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupt_a_wait()
    finally:
        signal.signal(signal.SIGINT, former)


def interrupt_a_wait() -> None:
    var, release = Var(), threading.Event()
    push(lambda: release.wait(LIMIT), write=[var])
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
        var.wait_to_read()
    assert not var.is_idle, "it was interrupted when the task had ended"
    release.set()
    var.wait_to_read()


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="workers=0"):
        engine.configure(workers=0)


def test_tasks_and_exceptions_are_freed() -> None:
    class Held:
        pass

    held = Held()
    alive = weakref.ref(held)

    def use(held: Held) -> None:
        raise ValueError(type(held).__name__)

    var = Var()
    push(lambda held=held: use(held), write=[var])
    with pytest.raises(ValueError, match="Held"):
        var.wait_to_read()
    push(lambda: None, write=[var])
    wait_all()
    del held, var
    gc.collect()
    assert alive() is None


def test_variables_may_be_deleted_while_tasks_use_them() -> None:
    release = threading.Event()
    push(lambda: release.wait(LIMIT), write=[Var()])
    gc.collect()
    release.set()
    wait_all()


Operation = tuple[list[int], list[int], int, bool]


def _random_program(seed: int, n_vars: int, n_ops: int) -> list[Operation]:
    rng = random.Random(seed)
    program = []
    for _ in range(n_ops):
        picked = rng.sample(range(n_vars), rng.randint(1, n_vars))
        cut = rng.randint(0, len(picked))
        read = picked[:cut] + (picked[cut:] if rng.random() < 0.5 else [])
        program.append((read, picked[cut:], rng.randint(-2, 2), rng.random() < 0.03))
    return program


def _run_program(program: list[Operation], n_vars: int) -> list[object]:
    variables = [Var() for _ in range(n_vars)]
    values = [0] * n_vars
    seen: list[object] = []

    def step(i: int, read: list[int], write: list[int], fails: bool) -> Callable[[], None]:
        def run() -> None:
            if fails:
                raise ValueError(f"step {i}")
            total = sum(values[r] * (k + 3) for k, r in enumerate(read)) + i
            for w in write:
                values[w] = (total * 31 + w) % 1_000_003

        return run

    def look(v: int) -> object:
        try:
            variables[v].wait_to_read()
        except ValueError as error:
            return str(error)
        return values[v]

    for i, (read, write, priority, fails) in enumerate(program):
        try:
            push(
                step(i, read, write, fails),
                read=[variables[r] for r in read],
                write=[variables[w] for w in write],
                priority=priority,
            )
        except ValueError:
            assert fails or read
        if i % 97 == 0:
            seen.append(look(i % n_vars))
    seen.extend(look(v) for v in range(n_vars))
    try:
        wait_all()
    except ValueError as error:
        assert str(error).startswith("step")
    seen.extend(v.version for v in variables)
    return seen


@pytest.mark.parametrize("seed", range(6))
def test_results_do_not_depend_on_the_number_of_workers(seed: int) -> None:
    n_vars = 2 + seed
    program = _random_program(seed, n_vars, 1000)
    engine.configure(naive=True)
    expected = _run_program(program, n_vars)
    for workers in (1, 2, 8):
        engine.configure(workers=workers, naive=False)
        assert _run_program(program, n_vars) == expected, f"seed {seed}, {workers} workers"


class _Holds(Exception):
    """An exception that owns a variable, as one does whose traceback led through its user."""

    def __init__(self, var: Var) -> None:
        super().__init__("holds a variable")
        self.var = var


def _raise_holding(var: Var) -> None:
    raise _Holds(var)


def test_last_reference_to_an_error_is_dropped_without_the_lock() -> None:
    # One error is kept for waitall, the others are dropped with their variables.
    for _ in range(200):
        push(functools.partial(_raise_holding, Var()), write=[Var()])
    with pytest.raises(_Holds):
        wait_all()
    wait_all()
