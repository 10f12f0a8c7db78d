"""Tests of transactions."""

import threading

import pytest

from opforge.op.registry.journal import note, transaction


def test_the_last_is_undone_first():
    undone = []
    with pytest.raises(KeyError), transaction():
        note(lambda: undone.append(1))
        with transaction():
            note(lambda: undone.append(2))
        raise KeyError
    assert undone == [2, 1]


def test_successful_transactions_are_kept():
    undone = []
    with transaction():
        note(lambda: undone.append(1))
    note(lambda: undone.append(2))
    assert undone == []


def test_an_independent_one_stays_when_the_outer_fails():
    undone = []
    with pytest.raises(KeyError), transaction():
        with transaction(independent=True):
            note(lambda: undone.append(1))
        raise KeyError
    assert undone == []


def test_threads_have_their_own():
    undone = []
    with pytest.raises(KeyError), transaction():
        thread = threading.Thread(target=note, args=[lambda: undone.append(1)])
        thread.start()
        thread.join()
        raise KeyError
    assert undone == []
