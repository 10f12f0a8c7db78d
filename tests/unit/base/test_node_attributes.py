import pytest

from opforge.base.node_attributes import HIDDEN, expect_private, is_free, is_private


@pytest.mark.parametrize("key", ["__layout__", "__x__", "__lr_mult__"])
def test_names_with_underscores_on_both_sides_are_private_and_free(key):
    assert is_private(key) and is_free(key)


@pytest.mark.parametrize("key", HIDDEN)
def test_mxnets_own_are_free_without_underscores(key):
    assert is_free(key) and not is_private(key)


@pytest.mark.parametrize("key", ["axis", "weight_lr_mult", "__x", "x__", "____", "__", ""])
def test_others_are_an_operators(key):
    assert not is_free(key)


def test_keywords_that_are_not_private_are_rejected():
    expect_private("zeros", ["__layout__", "__x__"])
    with pytest.raises(TypeError, match=r"zeros\(\) got an unexpected keyword argument 'x'"):
        expect_private("zeros", ["__layout__", "x"])
