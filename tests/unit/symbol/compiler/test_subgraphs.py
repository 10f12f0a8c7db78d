import numpy as np

from opforge import autograd, gluon, nd, sym


class Scan(gluon.HybridBlock):
    def hybrid_forward(self, F, x, h):
        def step(row, state):
            after = F.tanh(row + state)
            return after, after

        return F.contrib.foreach(step, x, h)


def body_of(net):
    (loop,) = [n for n in net._graph.last_trace().symbol.nodes() if n.operation is not None]
    return loop.operation.prop.body


def test_a_body_is_compiled_once_for_all_lengths():
    net = Scan()
    net.hybridize()
    for turns in (4, 2, 9, 4):
        net(nd.ones((turns, 3)), nd.zeros((3,)))
    ((compiled, _),) = [(entry.value, key) for key, entry in body_of(net).compiled._entries.items()]
    assert compiled.programs.n_made == 1
    assert compiled.types == [((3,), 0), ((3,), 0)]


def test_programs_of_turns_come_back_when_their_gradient_is_taken():
    net = Scan()
    net.hybridize()
    x, h = nd.ones((5, 3)), nd.zeros((3,))
    x.attach_grad()
    grads = []
    for turns in (5, 3, 5):
        with autograd.record():
            out, _ = net(x[:turns], h)
        out.backward()
        grads.append(x.grad.asnumpy())
    (entry,) = body_of(net).compiled._entries.values()
    assert entry.value.programs.n_made == 5
    np.testing.assert_array_equal(grads[0], grads[2])


def test_loops_whose_gradients_are_taken_later_have_programs_of_their_own():
    net = Scan()
    net.hybridize()
    x, h = nd.ones((3, 2)), nd.zeros((2,))
    x.attach_grad()
    with autograd.record():
        first, second = net(x, h)[0], net(x * 2, h)[0]
        total = first.sum() + second.sum()
    total.backward()
    have = x.grad.asnumpy()
    net.hybridize(False)
    with autograd.record():
        total = net(x, h)[0].sum() + net(x * 2, h)[0].sum()
    total.backward()
    np.testing.assert_allclose(have, x.grad.asnumpy(), 1e-6)


def test_gradients_are_added_to_array_contents():
    out, _ = sym.contrib.foreach(lambda r, s: (r * s, s), sym.var("x"), sym.var("h"))
    grads = {"x": nd.ones((3, 2)), "h": nd.ones((2,))}
    given = {"x": nd.ones((3, 2)), "h": nd.array([2, 3])}
    executor = out.bind(None, given, grads, grad_req="add")
    executor.forward(is_train=True)
    executor.backward(nd.ones((3, 2)))
    assert grads["x"].asnumpy().tolist() == [[3, 4]] * 3
    assert grads["h"].asnumpy().tolist() == [4, 4]
