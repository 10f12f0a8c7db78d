"""Keys and arrays, as calls of stores are given them."""

import pytest

from opforge import nd
from opforge.kvstore.arguments import grouped, pairs

ONE, TWO = nd.ones((1,)), nd.ones((2,))


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("w", ONE, [("w", [ONE])]),
        (3, [ONE, TWO], [(3, [ONE, TWO])]),
        (-1, (ONE,), [(-1, [ONE])]),
        (["a", "b"], [ONE, TWO], [("a", [ONE]), ("b", [TWO])]),
        ((1, 2), ([ONE, TWO], (TWO,)), [(1, [ONE, TWO]), (2, [TWO])]),
        ([], [], []),
    ],
)
def test_pairs(key, value, expected):
    found = pairs("push", key, value)
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (_, arrays), (_, wanted) in zip(found, expected, strict=True):
        assert len(arrays) == len(wanted)
        assert all(one is other for one, other in zip(arrays, wanted, strict=True))


@pytest.mark.parametrize(
    ("key", "value", "error", "message"),
    [
        (1.5, ONE, TypeError, r"KVStore.push: got the key 1\.5; expected an int or a str"),
        (None, ONE, TypeError, "got the key None"),
        ([1, None], [ONE, ONE], TypeError, "got the key None"),
        ([1, "a"], [ONE, ONE], TypeError, "all int or all str; got"),
        ([1, 2], [ONE, ONE, ONE], ValueError, "got 3 values for 2 keys"),
        ([1, 2], ONE, ValueError, "got NDArray for 2 keys"),
        (1, 5, TypeError, "got int for the key 1; expected an NDArray"),
        (1, [ONE, 5], TypeError, "got int for the key 1"),
        (1, [], ValueError, "got an empty list of arrays for the key 1"),
    ],
)
def test_invalid_keys_and_values_raise(key, value, error, message):
    with pytest.raises(error, match=message):
        pairs("push", key, value)


def test_arrays_of_one_key_come_together():
    table = grouped(pairs("push", [2, 1, 2], [ONE, TWO, [TWO, ONE]]))
    assert list(table) == [2, 1]
    assert [len(arrays) for arrays in table.values()] == [3, 1]
