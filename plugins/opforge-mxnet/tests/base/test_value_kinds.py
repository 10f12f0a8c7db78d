import numpy as np

from opforge import base


def test_kinds():
    assert isinstance(3, base.integer_types)
    assert isinstance(np.int64(3), base.integer_types)
    assert not isinstance(3.0, base.integer_types)
    assert isinstance(np.float16(3), base.numeric_types)
    assert isinstance("3", base.string_types)
    assert base.mx_real_t is np.float32


def test_as_list():
    pair = (1, 2)
    assert base._as_list(pair) is pair
    assert base._as_list("ab") == ["ab"]
