"""Checks and defaults of an Estimator's arguments."""

import warnings
from collections.abc import Mapping
from typing import Any

from opforge.plugin_api import Loss, Trainer
from opforge.plugin_api import context as _context

from .batch_processor import BatchProcessor
from .outputs import LossSum

__all__ = [
    "context_list",
    "expect_loss",
    "expect_processor",
    "expect_trainer",
    "initialize",
]


def expect_loss(argument: str, loss: Any) -> Loss:
    """Validate and return a loss; several by name become their sum.

    Raises
    ------
    ValueError
        The argument is not a loss.
    """
    if isinstance(loss, Mapping) and loss:
        return LossSum({str(name): expect_loss(argument, one) for name, one in loss.items()})
    if not isinstance(loss, Loss):
        raise ValueError(f"Estimator: got {argument}={loss!r}, expected a gluon.loss.Loss")
    return loss


def context_list(context: Any) -> list[_context.Context]:
    """Return one or several contexts as a list, the current one for None.

    Raises
    ------
    ValueError
        The argument has another type.
    AssertionError
        The device does not exist.
    """
    if context is None:
        return [_context.current_context()]
    contexts = [context] if isinstance(context, _context.Context) else context
    if not isinstance(contexts, list) or not all(isinstance(c, _context.Context) for c in contexts):
        raise ValueError(
            f"Estimator: got context={context!r}, expected a Context or a list of them, as cpu()"
        )
    for one in contexts:
        assert one.device_type != "gpu" or one.device_id < _context.num_gpus(), (
            f"{one} is not available, please make sure your context is a cpu()"
        )
    return contexts


def initialize(net: Any, initializer: Any, contexts: list[_context.Context]) -> None:
    """Initialize the uninitialized parameters of a network."""
    if not all(_is_initialized(param) for param in net.collect_params().values()):
        arguments = {} if initializer is None else {"init": initializer}
        net.initialize(ctx=contexts, **arguments)
    elif initializer is not None:
        warnings.warn(
            "Network already fully initialized, skipping initialization. You don't need to pass "
            "initializer if you already initialized your net. You can use "
            "net.initialize(init=your_initializer, force_reinit=True) to force re-initialize.",
            stacklevel=3,
        )


def expect_trainer(trainer: Any, net: Any) -> Trainer:
    """Return a trainer; by default one with SGD.

    Raises
    ------
    ValueError
        The argument has another type.
    """
    if trainer is None:
        warnings.warn(
            "No trainer specified, default SGD optimizer with learning rate 0.001 is used.",
            stacklevel=3,
        )
        return Trainer(net.collect_params(), "sgd", {"learning_rate": 0.001})
    if not isinstance(trainer, Trainer):
        raise ValueError(
            f"Estimator: got trainer={trainer!r}, expected a gluon.Trainer: "
            "Trainer(net.collect_params(), 'adam')"
        )
    return trainer


def expect_processor(processor: Any) -> Any:
    """Return the batch processor, by default a `BatchProcessor`.

    Raises
    ------
    ValueError
        It lacks a method.
    """
    if processor is None:
        return BatchProcessor()
    for method in ("fit_batch", "evaluate_batch"):
        if not callable(getattr(processor, method, None)):
            raise ValueError(
                f"Estimator: got batch_processor={processor!r}, which has no {method}(); derive "
                "it from BatchProcessor"
            )
    return processor


def _is_initialized(param: Any) -> bool:
    try:
        param.list_ctx()
    except RuntimeError:
        return False
    return True
