"""Networks that opforge and MXNet both run: functions of the module `sym`."""


def perceptron(sym):
    hidden = sym.Activation(
        sym.FullyConnected(sym.var("data"), num_hidden=16, name="fc1"), act_type="relu", name="act"
    )
    scores = sym.FullyConnected(hidden, num_hidden=3, name="fc2")
    return sym.SoftmaxOutput(scores, name="softmax")


def normalised(sym):
    data = sym.var("data")
    hidden = sym.BatchNorm(
        sym.FullyConnected(data, num_hidden=6, name="fc1"), fix_gamma=False, name="bn"
    )
    return sym.sum(sym.tanh(sym.LayerNorm(hidden, name="ln")) ** 2, axis=1, name="out")


def arithmetic(sym):
    a, b = sym.var("a"), sym.var("b")
    parts = sym.SliceChannel(a * b + 1, num_outputs=2, axis=1, name="parts")
    return sym.Group(
        [
            sym.exp(-parts[0]) / (2 + parts[1] ** 2),
            sym.broadcast_maximum(a, sym.mean(b, axis=1, keepdims=True)),
            sym.clip(2**a - 1 / (3 + b * b), a_min=-1, a_max=1.5),
            sym.abs(a - b) % 0.7 + (a > b) * 0.5,
        ]
    )


def moved(sym):
    x, y = sym.var("x"), sym.var("y")
    joined = sym.concat(sym.transpose(x), sym.reshape(y, shape=(0, -1)), dim=1)
    picked = sym.slice_axis(sym.tile(joined, reps=(1, 2)), axis=1, begin=1, end=7)
    return sym.Group(
        [
            sym.dot(picked, picked, transpose_b=True, name="gram"),
            sym.softmax(sym.expand_dims(joined, axis=0), axis=2),
            sym.stack(x, x * 2, axis=1),
            sym.where(x > 0, x, sym.zeros_like(x)),
            sym.BlockGrad(sym.norm(y, axis=1)),
        ]
    )


def looked_up(sym):
    index = sym.var("index")
    words = sym.Embedding(index, input_dim=7, output_dim=4, name="embed")
    best = sym.pick(words, sym.argmax(words, axis=-1), axis=-1)
    return sym.Group([sym.log_softmax(words), best, sym.take(sym.var("table"), index)])


def regressions(sym):
    data = sym.var("data")
    hidden = sym.FullyConnected(data, num_hidden=6, name="fc1")
    single = sym.FullyConnected(data, num_hidden=1, name="fc2")
    cube = sym.reshape(hidden, shape=(0, 3, 2))
    return sym.Group(
        [
            sym.LinearRegressionOutput(hidden, grad_scale=3, name="linear"),
            sym.LogisticRegressionOutput(cube, name="logistic"),
            sym.MAERegressionOutput(single, grad_scale=0.5, name="absolute"),
            sym.MakeLoss(sym.square(hidden), grad_scale=2, normalization="valid", valid_thresh=0.5),
            sym.MakeLoss(sym.square(cube), normalization="batch"),
        ]
    )


def rectifiers(sym):
    hidden = sym.FullyConnected(sym.var("data"), num_hidden=6, name="fc1")
    return sym.Group(
        [
            sym.LeakyReLU(hidden, slope=0.1),
            sym.LeakyReLU(hidden, act_type="elu", slope=1.5),
            sym.LeakyReLU(hidden, act_type="gelu"),
            # After another operator, MXNet's gradient of the slopes is wrong: it overwrites data.
            sym.LeakyReLU(sym.var("cube"), act_type="prelu", name="prelu"),
            # MXNet's gradient of it is not its derivative.
            sym.BlockGrad(sym.LeakyReLU(hidden, act_type="selu")),
        ]
    )


#: Network -> (builder, shapes of its data, which data are indices and their upper bound).
NETWORKS = {
    "perceptron": (perceptron, {"data": (5, 8), "softmax_label": (5,)}, {"softmax_label": 3}),
    "normalised": (normalised, {"data": (7, 5)}, {}),
    "arithmetic": (arithmetic, {"a": (3, 4), "b": (3, 4)}, {}),
    "moved": (moved, {"x": (3, 4), "y": (4, 2, 2)}, {}),
    "regressions": (regressions, {"data": (5, 4)}, {}),
    "rectifiers": (rectifiers, {"data": (5, 4), "cube": (5, 3, 2)}, {}),
    "looked_up": (looked_up, {"index": (2, 3), "table": (7, 2)}, {"index": 7}),
}
