"""`LogMetricsCallback`: metrics of a training in TensorBoard."""

from importlib import import_module
from typing import Any

__all__ = ["LogMetricsCallback"]


class LogMetricsCallback:
    """Callback that writes metrics to a folder for ``tensorboard --logdir``.

    It requires opforge-estimator and tensorboard.

    Parameters
    ----------
    logging_dir : str
        Folder of the files; one for training and another for validation shows both as curves of
        one diagram.
    prefix : str, optional
        Written before the names of metrics, with a hyphen.
    """

    def __init__(self, logging_dir: str, prefix: str | None = None) -> None:
        self.prefix = prefix
        # Another plugin provides the module.
        self.summary_writer = import_module("opforge.tensorboard").SummaryWriter(logging_dir)

    def __call__(self, param: Any) -> None:
        """Write the metrics of a `BatchEndParam`, at its epoch."""
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            tag = name if self.prefix is None else f"{self.prefix}-{name}"
            self.summary_writer.add_scalar(tag, value, global_step=param.epoch)
