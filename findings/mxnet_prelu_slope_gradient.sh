#!/bin/sh
# mxnet 1.9.1: where a PReLU follows another layer in a bound symbol, as in Module and in most face
# recognition networks, the gradient of its slope is multiplied by the slope. Imperative calls and
# hybridized Gluon blocks compute the right gradient.
#
# Seen for slopes 0.1, 0.5, -0.5 and 2 after a dense layer:
#
#     executor    0.388  -0.009  -0.356  1.562
#     Gluon       3.885  -0.018   0.711  0.781
#     by hand     3.885  -0.018   0.711  0.781
#
# The executor seems to compute it from the output, which has overwritten the input. With the usual
# slope of 0.25, slopes learn at a quarter of their learning rate. It needs python3.10, because mxnet
# 1.9.1 requires numpy before 1.24.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3.10 -m venv "$folder"
"$folder/bin/pip" install --quiet mxnet==1.9.1 numpy==1.23.5
cd "$folder"
"$folder/bin/python" - <<'END'
import mxnet as mx
import numpy as np

draw = np.random.RandomState(0)
values = {
    "data": draw.rand(5, 6) - 0.5,
    "fc_weight": draw.randn(4, 6),
    "fc_bias": draw.randn(4) * 0.1,
    "prelu_gamma": np.array([0.1, 0.5, -0.5, 2.0]),
}
net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc")
net = mx.sym.LeakyReLU(net, act_type="prelu", name="prelu")
arrays = {name: mx.nd.array(value) for name, value in values.items()}
gradients = {name: mx.nd.zeros(value.shape) for name, value in values.items()}
executor = net.bind(mx.cpu(), arrays, gradients)
head = draw.randn(5, 4)
executor.forward(is_train=True)
executor.backward(mx.nd.array(head))
bound = gradients["prelu_gamma"].asnumpy()

slope = arrays["prelu_gamma"]
slope.attach_grad()
with mx.autograd.record():
    dense = mx.nd.FullyConnected(*(arrays[n] for n in ("data", "fc_weight", "fc_bias")), num_hidden=4)
    result = mx.nd.LeakyReLU(dense, slope, act_type="prelu")
result.backward(mx.nd.array(head))
called = slope.grad.asnumpy()

inputs = values["data"] @ values["fc_weight"].T + values["fc_bias"]
right = (np.minimum(inputs, 0) * head).sum(axis=0)
print(f"executor {bound.round(3)}, imperative {called.round(3)}, by hand {right.round(3)}")
assert np.allclose(called, right, atol=1e-4), "the behavior changed"
assert np.allclose(bound, values["prelu_gamma"] * right, atol=1e-4), "the behavior changed"
END
