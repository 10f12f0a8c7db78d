import numpy as np
import pytest
from opforge_tools.testing._battery.subjects.sample import layer_samples_of, samples_of

from opforge import nd
from opforge.testing import LayerSample, Sample

RNG = np.random.default_rng(0)


def test_shapes_are_drawn_and_arrays_copied():
    own = np.arange(3)
    drawn = Sample([(2, 3), own, nd.ones((2,)), [[1.0]], ()]).drawn(RNG)
    assert drawn.shapes == [(2, 3), (3,), (2,), (1, 1), ()]
    assert drawn.inputs[1] is not own and drawn.inputs[1].tolist() == [0, 1, 2]


def test_whole_numbers_keep_their_type():
    sample = Sample([(2,), np.arange(3, dtype="int32")]).drawn(RNG)
    assert [item.dtype.name for item in sample.arrays("float16")] == ["float16", "int32"]


def test_single_inputs_are_float32_in_each_type():
    sample = Sample([(2,), (1,), np.ones(1)], single=[1, 2]).drawn(RNG)
    for dtype in ("float16", "bfloat16", "float64"):
        assert [item.dtype.name for item in sample.arrays(dtype)][1:] == ["float32", "float32"]
    assert [sample.is_converted(position) for position in range(3)] == [True, False, False]


def test_every_way_to_write_a_sample():
    given = [Sample([(2,)], {"axis": 0}), {"inputs": [(2,)], "wanted": [0]}, [(2,)]]
    assert [s.attributes for s in samples_of(given, RNG)] == [{"axis": 0}, {}, {}]
    (made,) = samples_of(lambda rng: [[rng.uniform(size=4)]], RNG)
    assert made.shapes == [(4,)]
    (layer,) = layer_samples_of([{"inputs": [(4, 3)], "arguments": {"units": 2}}], RNG)
    assert layer.arguments == {"units": 2} and layer.inputs[0].shape == (4, 3)


def test_no_samples_and_unknown_fields():
    with pytest.raises(ValueError, match="samples is empty"):
        samples_of([], RNG)
    with pytest.raises(TypeError, match="attrs"):
        samples_of([{"inputs": [(2,)], "attrs": {}}], RNG)


def test_texts():
    assert str(Sample([(2, 3)], {"axis": 0}).drawn(RNG)) == "sample (2, 3), axis=0"
    assert str(LayerSample([(2,)], {"units": 1}).drawn(RNG)) == "sample (2,), units=1"
