import sys

from opforge import sym
from opforge.symbol._namespace import operators


def test_it_is_the_public_module():
    assert operators() is sym
    assert operators() is sys.modules["opforge.symbol"]
    assert operators()._internal._plus_scalar(sym.var("x"), scalar=1).name.startswith("_plus")
