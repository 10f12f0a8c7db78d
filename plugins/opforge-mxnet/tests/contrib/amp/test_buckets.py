import numpy as np
import pytest

import opforge as mx
from opforge.contrib import amp


def sym_gen(length):
    steps = mx.sym.sum(mx.sym.var("data"), axis=1, keepdims=True)
    return mx.sym.FullyConnected(steps, num_hidden=2, name="fc"), ("data",), None


def batch(length):
    data = mx.nd.array(np.random.default_rng(length).uniform(size=(3, length)))
    return mx.io.DataBatch([data], bucket_key=length, provide_data=[("data", (3, length))])


def outputs(module, length):
    module.forward(batch(length), is_train=False)
    return module.get_outputs()[0].asnumpy()


@pytest.mark.parametrize("optional", [False, True])
def test_all_buckets_are_converted(optional):
    module = mx.mod.BucketingModule(sym_gen, default_bucket_key=5)
    module.bind([("data", (3, 5))], for_training=False)
    module.init_params(mx.init.Normal(1.0))
    expected = {length: outputs(module, length) for length in (5, 3)}
    made = amp.convert_bucketing_module(module, cast_optional_params=optional)
    made.bind([("data", (3, 5))], for_training=False)
    for length, values in expected.items():
        found = outputs(made, length)
        np.testing.assert_allclose(found, values, rtol=1e-2, atol=1e-2)
        assert not np.array_equal(found, values)
    weight = made.get_params()[0]["fc_weight"]
    assert weight.dtype == (np.float16 if optional else np.float32)


def test_other_objects_are_errors():
    with pytest.raises(AssertionError, match="instance of bucketing module, got Module"):
        amp.convert_bucketing_module(mx.mod.Module(mx.sym.var("data") * 2, label_names=None))
