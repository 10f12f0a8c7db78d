"""`CompositeEvalMetric`, `CustomMetric`, and `create` for lists and functions."""

from collections.abc import Callable, Sequence
from typing import Any

from .base import EvalMetric, alias, as_numpy, check_label_shapes, register, registry

__all__ = ["CompositeEvalMetric", "CustomMetric", "create", "np"]


@register
@alias("composite")
class CompositeEvalMetric(EvalMetric):
    """Several metrics combined.

    Parameters
    ----------
    metrics : list of EvalMetric or str, optional
    name : str, default "composite"
    output_names, label_names : list of str, optional
    """

    _has_global_stats = True

    def __init__(
        self,
        metrics: Sequence[Any] | None = None,
        name: str = "composite",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        self.metrics = [create(metric) for metric in metrics or ()]
        super().__init__(name, output_names, label_names)

    def add(self, metric: Any) -> None:
        """Add a metric, or the argument of `create` for one."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        """Return the metric at the given index.

        Raises
        ------
        ValueError
            The index is out of range.
        """
        try:
            return self.metrics[index]
        except IndexError:
            raise ValueError(
                f"Metric index {index} is out of range 0 and {len(self.metrics)}"
            ) from None

    def update(self, labels: Any, preds: Any) -> None:
        """Pass labels and predictions to every metric."""
        for metric in self.metrics:
            metric.update(labels, preds)

    def update_dict(self, labels: Any, preds: Any) -> None:
        """Pass arrays by name to every metric."""
        if self.label_names is not None:
            labels = {k: v for k, v in labels.items() if k in self.label_names}
        if self.output_names is not None:
            preds = {k: v for k, v in preds.items() if k in self.output_names}
        for metric in self.metrics:
            metric.update_dict(labels, preds)

    def reset(self) -> None:
        """Reset all statistics of every metric."""
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        """Reset the statistics of every metric except the global ones."""
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[list[str], list[float]]:
        """Return the names and values of all metrics."""
        return _flat(metric.get_name_value() for metric in self.metrics)

    def get_global(self) -> tuple[list[str], list[float]]:
        """Return the names and global values of all metrics."""
        return _flat(metric.get_global_name_value() for metric in self.metrics)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments with which `create(**config)` creates an equal metric."""
        return {**super().get_config(), "metrics": [m.get_config() for m in self.metrics]}


@register
class CustomMetric(EvalMetric):
    """Metric defined by a function of two NumPy arrays.

    Parameters
    ----------
    feval : callable
        ``feval(label, pred)`` returns a number, or a pair (sum, count).
    name : str, optional
        Default: the name of the function.
    allow_extra_outputs : bool, default False
        Accept more predictions than labels.
    output_names, label_names : list of str, optional
    """

    _has_global_stats = True

    def __init__(
        self,
        feval: Callable[[Any, Any], Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        if name is None:
            name = feval.__name__
            if "<" in name:
                name = f"custom({name})"
        super().__init__(
            name, output_names, label_names, feval=feval, allow_extra_outputs=allow_extra_outputs
        )
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and predictions of a batch.

        Parameters
        ----------
        labels, preds : NDArray or list of NDArray
        """
        if not self._allow_extra_outputs:
            labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=False):
            result = self._feval(as_numpy(label), as_numpy(pred))
            self._add(*(result if isinstance(result, tuple) else (result, 1)))

    def get_config(self) -> dict[str, Any]:
        """Raise an error: a function cannot be serialized."""
        raise NotImplementedError("CustomMetric cannot be serialized")


def np(
    numpy_feval: Callable[[Any, Any], Any],
    name: str | None = None,
    allow_extra_outputs: bool = False,
) -> CustomMetric:
    """Return a metric defined by a function of two NumPy arrays; see `CustomMetric`."""
    return CustomMetric(numpy_feval, name, allow_extra_outputs)


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """Return a metric.

    Parameters
    ----------
    metric : str, EvalMetric, callable, or list of them
        A name, a metric, a function of two NumPy arrays, or a list of these to combine.
    *args, **kwargs
        Arguments of the metric, if `metric` is a name or a function.

    Raises
    ------
    ValueError
        No metric has this name.

    Examples
    --------
    >>> create("acc").name
    'accuracy'
    >>> create(["acc", "mse"]).get()[0]
    ['accuracy', 'mse']
    """
    if isinstance(metric, list):
        composite = CompositeEvalMetric()
        for one in metric:
            composite.add(create(one, *args, **kwargs))
        return composite
    if callable(metric) and not isinstance(metric, EvalMetric | type):
        return CustomMetric(metric, *args, **kwargs)
    return registry.create(metric, *args, **kwargs)


def _flat(groups: Any) -> tuple[list[str], list[float]]:
    pairs = [pair for group in groups for pair in group]
    return [name for name, _ in pairs], [value for _, value in pairs]
