import threading

import pytest

from opforge.base.lru_cache import LRUCache


def filled(limit, **sizes):
    kept = LRUCache(limit)
    for key, nbytes in sizes.items():
        kept.put(key, key.upper(), nbytes)
    return kept


def test_least_recently_used_is_evicted_first():
    kept = filled(30, a=10, b=10, c=10)
    assert kept.get("a") == "A"
    kept.put("d", "D", 10)
    assert kept.values() == ["C", "A", "D"]
    assert kept.get("b") is None


def test_a_large_value_evicts_several():
    kept = filled(30, a=10, b=10, c=10)
    kept.put("d", "D", 25)
    assert kept.values() == ["D"]
    assert kept.nbytes == 25


def test_the_newest_stays_however_large():
    kept = filled(30, a=10, b=100)
    assert kept.values() == ["B"]
    kept.put("c", "C", 1)
    assert kept.values() == ["C"]


def test_a_value_that_grows_drives_others_out_and_not_itself():
    kept = filled(30, a=10, b=10)
    kept.grow("a", 15)
    assert kept.values() == ["A"]
    assert kept.nbytes == 25
    kept.grow("gone", 100)
    assert kept.nbytes == 25


def test_a_key_that_is_put_again_counts_once():
    kept = filled(30, a=10)
    kept.put("a", "again", 20)
    assert (len(kept), kept.nbytes, kept.get("a")) == (1, 20, "again")
    assert kept.drop("a") == "again"
    assert kept.drop("a") is None
    assert (len(kept), kept.nbytes) == (0, 0)


def test_keys_that_cannot_be_looked_up():
    with pytest.raises(TypeError):
        filled(10).get([])


def test_several_threads():
    kept = LRUCache(100)

    def run(start):
        for at in range(start, 4000, 3):
            kept.put(at % 40, at, 10)
            kept.get((at + 7) % 40)

    threads = [threading.Thread(target=run, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept.nbytes == 10 * len(kept) <= 100
