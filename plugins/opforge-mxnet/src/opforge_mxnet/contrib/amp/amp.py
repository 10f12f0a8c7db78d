"""Mixed precision for programs: `init`, `init_trainer` for each trainer, `scale_loss` per step."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opforge import autograd
from opforge.gluon import HybridBlock
from opforge.gluon.trainer import Trainer

from ...names import add_names as _add_names
from .listing import narrow_dtype
from .loss_scaler import LossScaler, UnitScale

__all__ = ["init", "init_trainer", "scale_loss", "unscale"]

# Programs for MXNet read it.
_amp_initialized = False
_scales = True


def init(
    target_dtype: Any = "float16",
    target_precision_ops: Any = None,
    conditional_fp32_ops: Any = None,
    fp32_ops: Any = None,
) -> None:
    """Enable mixed precision permanently, before a network is created.

    With bfloat16, hybridized blocks compute products in it, by the backend ``AMP``. With float16,
    operators keep the dtypes of the program; see `opforge.contrib.amp`.

    Parameters
    ----------
    target_dtype : {"float16", "bfloat16"}
    target_precision_ops, conditional_fp32_ops, fp32_ops : list, optional
        Replacements of the lists of operators, as in `convert_symbol`; without effect for float16.

    Raises
    ------
    ValueError
        `target_dtype` is another dtype.
    """
    global _amp_initialized, _scales
    dtype = narrow_dtype("init", target_dtype)
    if _amp_initialized:
        return
    _amp_initialized = True
    _scales = dtype == "float16"
    if _scales:
        logging.info("Using AMP: losses are scaled, no operator is cast")
        return
    options = {
        "target_dtype": dtype,
        "target_dtype_ops": target_precision_ops,
        "fp32_ops": fp32_ops,
        "conditional_fp32_ops": conditional_fp32_ops,
    }
    HybridBlock._common_backends = (*HybridBlock._common_backends, ("AMP", options))
    logging.info("Using AMP: hybridized blocks compute products in bfloat16")


def init_trainer(optimizer_or_trainer: Trainer) -> None:
    """Prepare a trainer for scaled losses; steps whose gradients overflow are skipped.

    bfloat16 has the range of float32: with it, losses are not scaled.

    Parameters
    ----------
    optimizer_or_trainer : gluon.Trainer
    """
    trainer = _expect_trainer("init_trainer", optimizer_or_trainer)
    if not _amp_initialized:
        raise AssertionError("AMP not initialized, did you forget to call amp.init()?")
    trainer._amp_loss_scaler = LossScaler() if _scales else UnitScale()
    trainer._amp_original_scale = trainer._scale


@contextmanager
def scale_loss(loss: Any, optimizer_or_trainer: Trainer) -> Iterator[Any]:
    """Yield a loss scaled by the trainer's factor, by which its next step divides gradients.

    Parameters
    ----------
    loss : NDArray or list of NDArray
    optimizer_or_trainer : gluon.Trainer
        Trainer that was passed to `init_trainer`.
    """
    trainer = _expect_trainer("scale_loss", optimizer_or_trainer)
    scaler = _scaler_of(trainer)
    trainer._scale = trainer._amp_original_scale / scaler.loss_scale
    if isinstance(loss, list | tuple):
        yield [part * scaler.loss_scale for part in loss]
    else:
        yield loss * scaler.loss_scale


def unscale(optimizer_or_trainer: Trainer) -> None:
    """Divide the gradients by the factor immediately, to read them before the step.

    Parameters
    ----------
    optimizer_or_trainer : gluon.Trainer
        Trainer whose gradients come from a loss of `scale_loss`.
    """
    trainer = _expect_trainer("unscale", optimizer_or_trainer)
    _scaler_of(trainer)
    with autograd.pause():
        for param in trainer._params:
            if param.grad_req != "null":
                for grad in param.list_grad():
                    grad[:] = grad * trainer._scale
    trainer._scale = 1.0


def _expect_trainer(function: str, given: Any) -> Trainer:
    if not isinstance(given, Trainer):
        raise TypeError(
            f"amp.{function}: expected a gluon.Trainer, got {type(given).__name__}; optimizers "
            "do not know their parameters"
        )
    return given


def _scaler_of(trainer: Trainer) -> LossScaler:
    scaler: LossScaler | None = trainer._amp_loss_scaler
    if scaler is None:
        raise AssertionError(
            "Loss scaler is not initialized, did you forget to call amp.init_trainer()?"
        )
    return scaler


_add_names(__name__)
