import numpy as np
import pytest

from opforge import sym, test_utils

GRAPH = sym.dot(sym.var("a"), sym.var("b"))


@pytest.mark.parametrize("typ", ["whole", "forward"])
def test_seconds(typ):
    assert 0 < test_utils.check_speed(GRAPH, N=2, typ=typ, a=(2, 3), b=(3, 2)) < 10
    location = {"a": np.ones((2, 3)), "b": np.ones((3, 2))}
    assert test_utils.check_speed(GRAPH, location, N=2, typ=typ) > 0


def test_unknown_kind():
    with pytest.raises(ValueError, match="expected 'whole' or 'forward'"):
        test_utils.check_speed(GRAPH, typ="backward", a=(2, 3), b=(3, 2))
