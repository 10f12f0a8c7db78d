"""Mixed precision for programs: `init`, `init_trainer` for each trainer, `scale_loss` per step."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opforge import autograd
from opforge.base.mxnet_names import add_mxnet_names as _add_mxnet_names
from opforge.gluon.trainer import Trainer

from .listing import expect_float16
from .loss_scaler import LossScaler

__all__ = ["init", "init_trainer", "scale_loss", "unscale"]

# Programs for MXNet read it.
_amp_initialized = False


def init(
    target_dtype: Any = "float16",
    target_precision_ops: Any = None,
    conditional_fp32_ops: Any = None,
    fp32_ops: Any = None,
) -> None:
    """Switch mixed precision on, before a network is made; it stays on.

    No operator computes in another type than the program gives it: see `opforge.contrib.amp`.

    Parameters
    ----------
    target_dtype : {"float16"}
    target_precision_ops, conditional_fp32_ops, fp32_ops
        Accepted for MXNet's sake: lists of operators to cast, of which there are none.

    Raises
    ------
    ValueError
        `target_dtype` is another type.
    """
    global _amp_initialized
    expect_float16("init", target_dtype)
    if not _amp_initialized:
        _amp_initialized = True
        logging.info("Using AMP: losses are scaled, no operator is cast")


def init_trainer(optimizer_or_trainer: Trainer) -> None:
    """Let a trainer take losses that are scaled, and skip steps whose gradients overflow.

    Parameters
    ----------
    optimizer_or_trainer : gluon.Trainer
    """
    trainer = _expected("init_trainer", optimizer_or_trainer)
    if not _amp_initialized:
        raise AssertionError("AMP not initialized, did you forget to call amp.init()?")
    trainer._amp_loss_scaler = LossScaler()
    trainer._amp_original_scale = trainer._scale


@contextmanager
def scale_loss(loss: Any, optimizer_or_trainer: Trainer) -> Iterator[Any]:
    """Give the block a loss times the trainer's factor, by which its next step divides.

    Parameters
    ----------
    loss : NDArray or list of NDArray
    optimizer_or_trainer : gluon.Trainer
        One that `init_trainer` has seen.
    """
    trainer = _expected("scale_loss", optimizer_or_trainer)
    scaler = _scaler_of(trainer)
    trainer._scale = trainer._amp_original_scale / scaler.loss_scale
    if isinstance(loss, list | tuple):
        yield [part * scaler.loss_scale for part in loss]
    else:
        yield loss * scaler.loss_scale


def unscale(optimizer_or_trainer: Trainer) -> None:
    """Divide the gradients by the factor at once, for what reads them before the step.

    Parameters
    ----------
    optimizer_or_trainer : gluon.Trainer
        One whose gradients come from a loss of `scale_loss`.
    """
    trainer = _expected("unscale", optimizer_or_trainer)
    _scaler_of(trainer)
    with autograd.pause():
        for param in trainer._params:
            if param.grad_req != "null":
                for grad in param.list_grad():
                    grad[:] = grad * trainer._scale
    trainer._scale = 1.0


def _expected(function: str, given: Any) -> Trainer:
    if not isinstance(given, Trainer):
        raise TypeError(
            f"amp.{function}: expected a gluon.Trainer, got {type(given).__name__}; optimizers by "
            "themselves do not know their parameters"
        )
    return given


def _scaler_of(trainer: Trainer) -> LossScaler:
    scaler: LossScaler | None = trainer._amp_loss_scaler
    if scaler is None:
        raise AssertionError(
            "Loss scaler is not initialized, did you forget to call amp.init_trainer()?"
        )
    return scaler


_add_mxnet_names(__name__)
