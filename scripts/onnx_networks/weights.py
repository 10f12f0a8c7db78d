"""Random weights with which values inside of deep networks have a size of about 1."""

import numpy as np

from opforge import cpu, gluon, nd, sym
from opforge.gluon import nn

__all__ = ["draw", "draw_for_symbol"]


def draw(block, *inputs, scale=1):
    """Give the parameters of a block random values, and its batch normalizations about a scale.

    Scales and moving averages are random too, as zeros and ones would hide differences; batch
    normalizations then get the statistics of the inputs, so that nothing overflows or saturates.
    """
    arrays = [nd.array(array, dtype=array.dtype) for array in inputs]
    block.initialize()
    block(*arrays)
    generator = np.random.default_rng(0)
    for name, param in sorted(block.collect_params().items()):
        if param.grad_req == "null" and not name.endswith(("mean", "var", "gamma", "beta")):
            continue  # constants, such as anchors
        values = values_for(name, param.shape, generator, scale)
        param.set_data(nd.array(values, dtype=param.dtype))
    setters = {nn.BatchNorm: set_statistics, gluon.SymbolBlock: set_statistics_of_symbol}
    hooks = []
    block.apply(
        lambda part: hooks.extend(
            part.register_forward_pre_hook(setter)
            for kind, setter in setters.items()
            if isinstance(part, kind)
        )
    )
    block(*arrays)
    for hook in hooks:
        hook.detach()


def draw_for_symbol(symbol, scale=1, **inputs):
    """Return random parameters of a symbol, by name; its batch normalizations have about a scale.

    The moving averages of batch normalizations get the statistics of the inputs, of which layers
    without positions need several examples.
    """
    generator = np.random.default_rng(0)
    args, _, aux = symbol.infer_shape(**{name: array.shape for name, array in inputs.items()})
    shapes = [*zip(symbol.list_arguments(), args, strict=True)]
    shapes += zip(symbol.list_auxiliary_states(), aux, strict=True)
    params = {
        name: nd.array(values_for(name, shape, generator, scale))
        for name, shape in shapes
        if name not in inputs
    }
    data = {name: nd.array(array) for name, array in inputs.items()}
    return {**params, **statistics_of(symbol, {**params, **data})}


def statistics_of(symbol, values):
    """Return moving averages for the arguments of a symbol, which has an input data or data0."""
    # Frozen normalizations compute with their averages and do not move them.
    moving = symbol.tojson().replace('"use_global_stats": "True"', '"use_global_stats": "False"')
    symbol = sym.load_json(moving)
    states = {name: nd.zeros(values[name].shape) for name in symbol.list_auxiliary_states()}
    arguments = {name: values[name] for name in symbol.list_arguments()}
    data = "data" if "data" in arguments else "data0"
    gradients = {data: nd.zeros(arguments[data].shape)}
    executor = symbol.bind(cpu(), arguments, gradients, aux_states=states)
    executor.backward(executor.forward(is_train=True))  # the backward pass moves the averages
    # Moving averages that started at 0, of the usual momentum of 0.9.
    return {name: v * 10 + (0.01 if name.endswith("var") else 0) for name, v in states.items()}


def set_statistics_of_symbol(block, inputs):
    """Set the moving averages of a block that is a symbol to those of its inputs."""
    names = [f"data{index}" for index in range(len(inputs))]
    outputs = block.forward(*map(sym.var, names))  # without this hook
    symbol = sym.Group(outputs) if isinstance(outputs, list) else outputs
    params = block.collect_params()
    values = {name: parameter.data() for name, parameter in params.items()}
    values.update(zip(names, inputs, strict=True))
    for name, value in statistics_of(symbol, values).items():
        params[name].set_data(value)


def values_for(name, shape, generator, scale=1):
    """Return values for a parameter, which depend on its name; gammas are about `scale`."""
    if name.endswith("gamma"):
        return generator.uniform(0.8, 1.2, shape) * scale
    if name.endswith(("scale", "var")):
        return generator.uniform(0.8, 1.2, shape)
    if len(shape) == 1:
        return generator.normal(0, 0.05, shape)
    # A deformable convolution reads far away otherwise, where rounding decides what is outside, and
    # scores of detections are all 1, so that nothing decides their order.
    size = 0.01 if any(part in name for part in ("offset", "predictor", "yolooutput")) else 1.5
    return generator.normal(0, (size / np.prod(shape[1:])) ** 0.5, shape)


def set_statistics(layer, inputs):
    """Set the moving averages of a batch normalization to those of its input."""
    data = inputs[0]
    axes = [axis for axis in range(data.ndim) if axis != layer._axis % data.ndim]
    mean = data.mean(axis=axes, keepdims=True)
    variance = (data - mean).square().mean(axis=axes)
    layer.running_mean.set_data(mean.reshape((-1,)))
    layer.running_var.set_data(variance + 0.01)
