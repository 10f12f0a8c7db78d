import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opforge_mxnet.initializer.packed_rnn import GATES, PackedWeights

from opforge import nd


@given(
    st.integers(1, 5),
    st.integers(1, 3),
    st.sampled_from(sorted(GATES)),
    st.booleans(),
    st.integers(1, 6),
)
def test_parts_fill_the_vector_and_determine_its_length(hidden, layers, mode, both, inputs):
    packed = PackedWeights(hidden, layers, mode, both)
    size = packed.size(inputs)
    assert packed.input_size(size) == inputs
    views = packed.views(nd.array(np.arange(size)))
    found = np.concatenate([view.asnumpy().ravel() for view in views.values()])
    assert np.array_equal(found, np.arange(size))
    assert len(views) == 4 * layers * (1 + both) * len(GATES[mode])


def test_parts_share_memory():
    vector = nd.zeros(PackedWeights(2, 1, "gru", False).size(3))
    PackedWeights(2, 1, "gru", False).views(vector)["l0_h2h_z_bias"][:] = 7
    assert (vector.asnumpy() == 7).sum() == 2


def test_a_vector_of_another_length_is_rejected():
    with pytest.raises(ValueError, match="packed weights have 37 elements; expected"):
        PackedWeights(4, 1, "rnn_tanh", False).views(nd.zeros(37))
