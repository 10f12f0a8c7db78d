import opforge as mx


def two_inputs(length):
    return mx.sym.var("data") * mx.sym.var("state"), ("data",), None


def batch(length):
    shape = (1, length)
    return mx.io.DataBatch(
        [mx.nd.ones(shape)], bucket_key=length, provide_data=[("data", shape)], provide_label=None
    )


def bound():
    module = mx.mod.BucketingModule(two_inputs, default_bucket_key=2, state_names=["state"])
    module.bind([("data", (1, 2))], inputs_need_grad=True)
    module.init_params()
    return module


def test_names_and_shapes():
    module = bound()
    for length in (3, 2):
        module.forward(batch(length))
        assert module.symbol.list_arguments() == ["data", "state"]
        assert module.data_names == ["data"] and len(module.output_names) == 1
        assert module.data_shapes == [("data", (1, length))]
        assert module.label_shapes is None
        assert module.output_shapes == [(module.output_names[0], (1, length))]


def test_states_outputs_and_gradients():
    module = bound()
    module.forward(batch(3))
    module.set_states(value=5)
    assert module.get_states(merge_multi_context=False)[0][0].asnumpy().tolist() == [[5, 5, 5]]
    module.forward(batch(3))
    assert module.get_outputs()[0].asnumpy().tolist() == [[5, 5, 5]]
    module.backward([mx.nd.array([[1, 2, 3]])])
    assert module.get_input_grads()[0].asnumpy().tolist() == [[5, 10, 15]]
