from opforge import nd, optimizer


def test_weights_are_sums_of_gradients():
    rule = optimizer.create("test", rescale_grad=0.5)
    assert isinstance(rule, optimizer.Test)
    weight, grad = nd.array([1, 2]), nd.array([4, 8])
    state = rule.create_state(0, weight)
    assert state.asnumpy().tolist() == [0, 0]
    rule.update(0, weight, grad, state)
    assert weight.asnumpy().tolist() == state.asnumpy().tolist() == [3, 6]
