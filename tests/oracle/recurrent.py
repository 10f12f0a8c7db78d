"""Recurrent layers and cells with drawn parameters, the same program for opforge and MXNet."""

import random

import numpy as np

STEPS, BATCH, INPUT = 4, 3, 5


def _both_ways(rnn):
    return rnn.BidirectionalCell(rnn.LSTMCell(4, prefix="l_"), rnn.GRUCell(3, prefix="r_"))


def _stack(rnn):
    stack = rnn.HybridSequentialRNNCell(prefix="stack_")
    with stack.name_scope():
        stack.add(rnn.ResidualCell(rnn.GRUCell(INPUT)))
        stack.add(rnn.DropoutCell(0.0))
        stack.add(rnn.RNNCell(2, activation="relu"))
    return stack


#: Name -> the cell, created from ``gluon.rnn``.
CELLS = {
    "rnn": lambda rnn: rnn.RNNCell(4, prefix="c_"),
    "softsign": lambda rnn: rnn.RNNCell(4, activation="softsign", prefix="c_"),
    "lstm": lambda rnn: rnn.LSTMCell(4, prefix="c_"),
    "gru": lambda rnn: rnn.GRUCell(4, prefix="c_"),
    "both": _both_ways,
    "stack": _stack,
    "zoneout": lambda rnn: rnn.ZoneoutCell(rnn.LSTMCell(4, prefix="c_"), 0.5, 0.5),
}
LAYERS = {
    "tanh": lambda rnn, **kw: rnn.RNN(4, activation="tanh", prefix="r_", **kw),
    "relu": lambda rnn, **kw: rnn.RNN(4, activation="relu", prefix="r_", **kw),
    "lstm": lambda rnn, **kw: rnn.LSTM(4, prefix="r_", **kw),
    "gru": lambda rnn, **kw: rnn.GRU(4, prefix="r_", **kw),
}
CONVOLUTIONAL = ["Conv1DRNNCell", "Conv2DLSTMCell", "Conv2DGRUCell"]


def _draw_results(mx, block, call, *shapes):
    """Return a block's results and gradients as NumPy arrays; `call` returns a list of arrays."""
    drawn = np.random.RandomState(0)
    inputs = [mx.nd.array(drawn.uniform(-1, 1, shape)) for shape in shapes]
    block.initialize()
    call(block, *inputs)  # infers the shapes
    for _, parameter in sorted(block.collect_params().items()):
        parameter.set_data(mx.nd.array(drawn.uniform(-1, 1, parameter.shape)))
    for array in inputs:
        array.attach_grad()
    with mx.autograd.record(train_mode=False):
        outputs = call(block, *inputs)
        loss = sum((output * output).sum() for output in outputs)
    loss.backward(train_mode=False)
    found = {f"output {at}": output.asnumpy() for at, output in enumerate(outputs)}
    found["input"] = inputs[0].grad.asnumpy()
    for name, parameter in block.collect_params().items():
        found[name] = parameter.grad().asnumpy()
    return found


def cell(mx, name, layout, lengths):
    """Return the results of unrolling a cell."""

    def call(block, x):
        valid_length = None if lengths is None else mx.nd.array(lengths)
        outputs, states = block.unroll(
            STEPS, x, layout=layout, merge_outputs=True, valid_length=valid_length
        )
        return [outputs] + list(states)

    shape = (BATCH, STEPS, INPUT) if layout == "NTC" else (STEPS, BATCH, INPUT)
    return _draw_results(mx, CELLS[name](mx.gluon.rnn), call, shape)


def convolutional(mx, name):
    """Return the results of two steps of a convolutional cell."""
    sizes = (6, 5)[: int(name[4])]
    made = getattr(mx.gluon.contrib.rnn, name)((2,) + sizes, 3, 3, 3, 1, prefix="c_")

    def call(block, x):
        outputs, states = block.unroll(2, x, merge_outputs=True)
        return [outputs] + list(states)

    return _draw_results(mx, made, call, (BATCH, 2, 2) + sizes)


def layer(mx, name, layout, bidirectional):
    """Return the results of a layer of two, with states."""
    made = LAYERS[name](mx.gluon.rnn, num_layers=2, layout=layout, bidirectional=bidirectional)

    def call(block, x, *states):
        outputs, last = block(x, list(states))
        return [outputs] + list(last)

    shape = (BATCH, STEPS, INPUT) if layout == "NTC" else (STEPS, BATCH, INPUT)
    states = [info["shape"] for info in made.state_info(BATCH)]
    return _draw_results(mx, made, call, shape, *states)


def fused(mx, mode, bidirectional):
    """Return unpacked weights, and the names of a fused and of an unfused graph."""
    made = mx.rnn.FusedRNNCell(3, 2, mode, bidirectional, get_next_state=True, prefix="f_")
    outputs, states = made.unroll(2, mx.sym.var("data"), layout="TNC", merge_outputs=True)
    group = mx.sym.Group([outputs] + list(states))
    shapes, _, _ = group.infer_shape(data=(2, BATCH, INPUT))
    size = dict(zip(group.list_arguments(), shapes, strict=True))["f_parameters"][0]
    parts = made.unpack_weights({"f_parameters": mx.nd.arange(size)})
    packed = made.pack_weights(parts)["f_parameters"]
    assert np.array_equal(packed.asnumpy(), np.arange(size))
    unfused, _ = made.unfuse().unroll(2, mx.sym.var("data"), merge_outputs=True)
    names = group.list_arguments() + unfused.list_arguments() + unfused.list_outputs()
    return {**{name: part.asnumpy() for name, part in parts.items()}, "names": np.array(names)}


def batches(mx):
    """Return the batches of a BucketSentenceIter with fixed seeds."""
    random.seed(1)
    np.random.seed(1)
    sentences = [[at % 7] * (2 + at % 3) + [at] for at in range(30)]
    found = mx.rnn.BucketSentenceIter(sentences, 3, layout="TN")
    arrays = [a.asnumpy() for batch in found for a in (batch.data[0], batch.label[0])]
    return {f"batch {at}": array for at, array in enumerate(arrays)}


#: Name -> a function of the module `mx` that returns arrays by name.
PROGRAMS = {
    **{
        f"cell {name} {layout} {lengths}": (cell, name, layout, lengths)
        for name in CELLS
        for layout in ("NTC", "TNC")
        for lengths in (None, [1, 4, 2])
    },
    **{name: (convolutional, name) for name in CONVOLUTIONAL},
    **{
        f"layer {name} {layout} {both}": (layer, name, layout, both)
        for name in LAYERS
        for layout in ("NTC", "TNC")
        for both in (False, True)
    },
    **{
        f"fused {mode} {both}": (fused, mode, both)
        for mode in ("rnn_relu", "rnn_tanh", "lstm", "gru")
        for both in (False, True)
    },
    "batches": (batches,),
}


def run(mx, name):
    """Return the arrays of one program."""
    function, *arguments = PROGRAMS[name]
    return function(mx, *arguments)
