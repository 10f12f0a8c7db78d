from opforge import nd
from opforge.base.storage_types import STORAGE_TYPES
from opforge.ndarray import ndarray


def test_they_are_those_of_arrays_in_mxnets_order():
    assert [nd.zeros((1, 1), stype=stype).stype for stype in STORAGE_TYPES] == [*STORAGE_TYPES]
    numbers = {"undefined": -1, "default": 0, "row_sparse": 1, "csr": 2}
    assert numbers == ndarray._STORAGE_TYPE_STR_TO_ID
