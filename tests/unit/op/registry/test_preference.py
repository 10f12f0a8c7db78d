"""Tests of preferences."""

import asyncio
import threading

import pytest

from opforge.op.registry.preference import preferred, preferring


def test_blocks_nest_and_end_with_an_exception():
    with pytest.raises(ValueError, match="x"), preferring("A"), preferring("b_c"):
        assert preferred() == ("b-c", "a")
        raise ValueError("x")
    assert preferred() == ()


def test_threads_do_not_see_it():
    seen = []
    with preferring("a"):
        thread = threading.Thread(target=lambda: seen.append(preferred()))
        thread.start()
        thread.join()
    assert seen == [()]


def test_tasks_have_their_own():
    async def one(name):
        with preferring(name):
            await asyncio.sleep(0)
            return preferred()

    async def both():
        return await asyncio.gather(one("a"), one("b"))

    assert asyncio.run(both()) == [("a",), ("b",)]
