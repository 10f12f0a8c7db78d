import doctest

import pytest

from opforge.op.registry.registry import lookup
from opforge.std._examples import _EXAMPLES, with_example


def test_an_example_follows_the_text():
    text = with_example("Return the sine.", "sin")
    assert text.startswith(
        "Return the sine.\n\nExamples\n--------\n>>> from opforge import nd\n>>> "
    )


def test_text_without_an_example_is_unchanged():
    assert with_example("Return it.", "no_such_row") == "Return it."


@pytest.mark.parametrize("name", sorted(_EXAMPLES))
def test_examples_print_their_documented_output(name):
    declaration = lookup(name).prop_class
    test = doctest.DocTestParser().get_doctest(declaration.__doc__, {}, name, None, None)
    assert len(test.examples) >= 2
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
