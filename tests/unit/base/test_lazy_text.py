"""Text that is created when it is read."""

import copy
import pickle

import pytest

from opforge.base.errors import OperatorNotFoundError
from opforge.base.lazy_text import LazyText


def test_nothing_is_made_before_it_is_read():
    made = []

    def make(word):
        made.append(word)
        return f"the {word}"

    text = LazyText(make, "word")
    error = OperatorNotFoundError(text)
    assert not made
    assert str(error) == "the word" == str(text)
    assert made == ["word", "word"]
    assert repr(error) == "MXNetError('the word')"


def test_arguments_of_the_error_are_strings():
    error = OperatorNotFoundError(LazyText("{} is missing".format, "x"), 3)
    assert error.args == ("x is missing", 3)
    error.args = ("other",)
    assert str(error) == "other"


@pytest.mark.parametrize("copied", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))])
def test_copies_have_the_text(copied):
    found = copied(OperatorNotFoundError(LazyText("{} is missing".format, "x")))
    assert str(found) == "x is missing" and type(found.args[0]) is str
    assert isinstance(found, OperatorNotFoundError)
