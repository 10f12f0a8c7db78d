import opforge as mx
from opforge.native.graph.program import Program
from opforge.symbol.shared_memory import SharedMemory


def program():
    return Program([], [None], [(0, 0, (4,), 0)], 64)


def test_released_memory_stays_until_another_program_acquires_it():
    memory, first, second = SharedMemory(mx.cpu()), program(), program()
    memory.acquire(first)
    memory.release(first)
    assert first.is_inside
    memory.acquire(first)
    assert first.is_inside
    memory.release(first)
    memory.acquire(second)
    assert second.is_inside
    assert not first.is_inside


def test_release_by_another_program_changes_nothing():
    memory, first, second = SharedMemory(mx.cpu()), program(), program()
    for one in (first, second):
        memory.acquire(one)
    assert first.is_inside
    memory.release(second)
    memory.release(first)
    assert first.is_inside
    assert not second.is_inside


def test_programs_that_are_gone_are_no_matter():
    memory, first, second = SharedMemory(mx.cpu()), program(), program()
    memory.acquire(first)
    memory.release(first)
    del first
    memory.acquire(second)
    assert second.is_inside
