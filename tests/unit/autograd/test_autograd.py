import pytest

import opforge


def test_a_star_import_brings_arrays_and_symbols():
    names: dict[str, object] = {}
    exec("from opforge.autograd import *", names)
    assert names["NDArray"] is opforge.nd.NDArray
    assert names["Symbol"] is opforge.sym.Symbol
    with pytest.raises(AttributeError, match="nonsense"):
        opforge.autograd.nonsense  # noqa: B018
