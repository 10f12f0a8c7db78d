"""Network, loss and trainer of an estimator, made from its parameters.

Blocks, losses and optimizers of the user are copied and never modified.
"""

import copy
from typing import Any

import numpy as np

from opforge.plugin_api import Block, F, HybridBlock, Loss, Optimizer, Trainer, initializer, nn
from opforge.plugin_api import gluon as _gluon

__all__ = ["make_loss", "make_network", "make_trainer", "output_shape"]


def make_network(owner: Any, n_inputs: int, n_outputs: int, context: list[Any]) -> Block:
    """Return a new network, initialized except for dimensions that its first input determines.

    Parameters
    ----------
    owner : NetClassifier or NetRegressor
    n_inputs, n_outputs : int
        Arguments of a callable `net`.
    context : list of Context

    Raises
    ------
    TypeError
        `net` is neither None, nor a block, nor a callable that returns one.
    ValueError
        There are `net_params`, but `net` is not a callable.
    """
    name, net, arguments = type(owner).__name__, owner.net, owner.net_params or {}
    is_called = callable(net) and not isinstance(net, Block)
    if arguments and not is_called:
        raise ValueError(
            f"{name}: got net_params={arguments!r}, which are arguments of a callable net; net is "
            f"{net!r}"
        )
    if net is None:
        net = _dense_network(owner, n_outputs)
    elif is_called:
        net = net(n_inputs, n_outputs, **arguments)
    else:
        net = copy.deepcopy(net)
    if not isinstance(net, Block):
        raise TypeError(
            f"{name}: net {'returned' if is_called else 'is'} {net!r}; expected a gluon.Block, a "
            "function of the numbers of inputs and outputs that returns one, or None"
        )
    for param in net.collect_params().values():
        if not _is_initialized(param):
            param.initialize(ctx=context)
        elif param.list_ctx() != context:
            param.reset_ctx(context)
    if owner.hybridize and isinstance(net, HybridBlock):
        net.hybridize()
    return net


def _dense_network(owner: Any, n_outputs: int) -> HybridBlock:
    """Return hidden layers of `hidden_sizes` with activations, and an output layer."""
    net = nn.HybridSequential()
    weights = initializer.Xavier()
    for size in owner.hidden_sizes:
        net.add(nn.Dense(int(size), activation=owner.activation, weight_initializer=weights))
    net.add(nn.Dense(n_outputs, weight_initializer=weights))
    return net


def _is_initialized(param: Any) -> bool:
    try:
        param.list_ctx()
    except RuntimeError:
        return False
    return True


def output_shape(net: Block, sample: np.ndarray, context: Any) -> tuple[int, ...]:
    """Return the shape of the output for one sample, without the axis of samples.

    The network learns the dimensions of its parameters from the sample.
    """
    output = net(F.array(sample[None], ctx=context))
    first = output[0] if isinstance(output, list | tuple) else output
    return tuple(first.shape[1:])


def make_loss(owner: Any, default: Loss) -> Loss:
    """Return the loss: a copy of the user's, one of `gluon.loss` by name, or the default.

    Raises
    ------
    TypeError
        `loss` is of another type.
    """
    loss = owner.loss
    if loss is None:
        return default
    if isinstance(loss, str):
        loss = getattr(_gluon.loss, loss)
    made = loss() if isinstance(loss, type) else copy.deepcopy(loss)
    if not isinstance(made, Loss):
        raise TypeError(
            f"{type(owner).__name__}: loss is {owner.loss!r}; expected a gluon.loss.Loss, the name "
            "of one such as 'HuberLoss', or None"
        )
    return made


def make_trainer(owner: Any, net: Block) -> Trainer:
    """Return the trainer of a network, with the optimizer and its arguments.

    It updates outside of stores, so that handlers may change gradients before.
    """
    optimizer, arguments = owner.optimizer, copy.deepcopy(dict(owner.optimizer_params or {}))
    if isinstance(optimizer, Optimizer):
        return Trainer(net, copy.deepcopy(optimizer), arguments, update_on_kvstore=False)
    arguments.setdefault("wd", owner.weight_decay)
    if "lr_scheduler" not in arguments:
        arguments.setdefault("learning_rate", owner.learning_rate)
    return Trainer(net, optimizer, arguments, update_on_kvstore=False)
