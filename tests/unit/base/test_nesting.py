import collections

import pytest

from opforge import nd
from opforge.base.nesting import flatten, nested, unflatten
from opforge.ndarray import NDArray

Pair = collections.namedtuple("Pair", "left right")


@pytest.mark.parametrize(
    "values",
    [
        (1,),
        ([1, (2, None)], "text", 3.5),
        ((), [[]]),
        (Pair(1, [2]), True),
    ],
)
def test_nested_values_are_flattened_and_built_again(values):
    found = []
    structure = flatten(values, int, found)
    assert hash(structure) is not None
    again = unflatten(structure, iter(found))
    assert again == values
    assert type(again[0]) is type(values[0])


def test_values_that_are_equal_but_different_have_different_structures():
    structures = {flatten((value,), NDArray, []) for value in (1, True, 1.0)}
    assert len(structures) == 3


def test_lists_of_one_kind_come_back_as_lists():
    found, structure = nested((1, [2, (3,)]), int, "it")
    assert found == [1, 2, 3]
    assert unflatten(structure, iter("abc")) == ["a", ["b", ["c"]]]


def test_a_single_object_is_not_a_list():
    found, structure = nested(nd.ones((2,)), NDArray, "it")
    assert unflatten(structure, iter([5])) == 5
    assert len(found) == 1


def test_elements_of_another_type_are_rejected():
    with pytest.raises(TypeError, match=r"data must be ints in .*, got 'x' of type str"):
        nested([1, ["x"]], int, "data")
