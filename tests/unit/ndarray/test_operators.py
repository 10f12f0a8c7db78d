"""The modules of the namespace are accessible through it."""

from opforge import nd
from opforge.ndarray._operators import operators


def test_operators_is_the_namespace():
    assert operators() is nd
