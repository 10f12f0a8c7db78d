"""`opforge.nd` is `opforge.ndarray`, however it is imported."""

import opforge
import opforge.nd as by_name
from opforge import nd


def test_one_module():
    assert by_name is nd is opforge.nd is opforge.ndarray
    assert nd.__name__ == "opforge.ndarray"


def test_functions_of_operators_are_found_either_way():
    from opforge.nd import concat, transpose

    assert concat is opforge.ndarray.concat
    assert transpose is nd.transpose
