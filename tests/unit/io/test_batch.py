import pickle

import numpy as np
import pytest

from opforge import io, nd


def test_description_is_a_pair_with_attributes():
    desc = io.DataDesc("data", (2, 3), "int32", "TN")
    assert desc == ("data", (2, 3))
    assert (desc.name, desc.shape, desc.dtype, desc.layout) == ("data", (2, 3), "int32", "TN")
    assert repr(desc) == "DataDesc[data,(2, 3),int32,TN]"
    assert repr(io.DataDesc("a", (1,))) == "DataDesc[a,(1,),<class 'numpy.float32'>,NCHW]"


def test_description_survives_pickle():
    again = pickle.loads(pickle.dumps(io.DataDesc("x", (1,), np.int32, None)))
    assert (again, again.dtype, again.layout) == (("x", (1,)), np.int32, None)


@pytest.mark.parametrize(("layout", "axis"), [("NCHW", 0), ("TNC", 1), (None, 0), ("TC", -1)])
def test_batch_axis(layout, axis):
    assert io.DataDesc.get_batch_axis(layout) == axis


def test_descriptions_from_pairs():
    typed = io.DataDesc.get_list([("a", (1, 2)), ("b", (3,))], [("b", "int8"), ("a", "int32")])
    assert typed == [("a", (1, 2)), ("b", (3,))]
    assert [desc.dtype for desc in typed] == ["int32", "int8"]
    assert io.DataDesc.get_list([("a", (1, 2))], None)[0].dtype is np.float32


def test_batch_holds_lists():
    batch = io.DataBatch([nd.ones((2, 3))], pad=1, index=[5], bucket_key=7)
    assert str(batch) == "DataBatch: data shapes: [(2, 3)] label shapes: None"
    assert (batch.pad, batch.index, batch.bucket_key, batch.label) == (1, [5], 7, None)
    assert "label shapes: [(2,)]" in str(io.DataBatch([nd.ones((2, 3))], [nd.ones((2,))]))
    with pytest.raises(AssertionError, match="data must be a list of NDArray, got NDArray"):
        io.DataBatch(nd.ones((2,)))
    with pytest.raises(AssertionError, match="label must be a list"):
        io.DataBatch([nd.ones((2,))], nd.ones((2,)))
