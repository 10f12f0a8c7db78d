import pytest

from opforge.std._subscripts import contraction

CHAIN = ((2, 100), (100, 100), (100, 1))


def test_labels_of_ellipses_are_aligned_to_the_right():
    plan = contraction("einsum", "...i,...i->...", ((4, 2, 3), (2, 3)), False)
    first, second = plan.inputs
    assert first.endswith(second)
    assert plan.output == first[:2]


@pytest.mark.parametrize(
    ("optimize", "order"), [(False, ((0, 1), (0, 1))), (True, ((1, 2), (0, 1)))]
)
def test_the_shortest_product_comes_first_on_demand(optimize, order):
    plan = contraction("einsum", "ij,jk,kl->il", CHAIN, optimize)
    assert tuple(tuple(sorted(pair)) for pair in plan.order) == order


def test_lengths_of_one_broadcast():
    plan = contraction("einsum", "ij,jk->ik", ((2, 1), (3, 4)), False)
    assert plan.lengths == {"i": 2, "j": 3, "k": 4}
