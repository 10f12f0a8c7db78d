"""`EvalMetric`: the sums and counts behind all metrics, and the registry of metrics."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..base.familiar_names import METRIC_NAMES
from ..base.name_hints import add_hints
from ..native.array import Array, StoredArray
from ..ndarray import NDArray
from ..op.registry.named import NameRegistry

__all__ = ["EvalMetric", "PairMetric", "alias", "as_numpy", "check_label_shapes", "register"]

Arrays = NDArray | Sequence[NDArray]


def as_numpy(array: Any) -> Any:
    """Return an NDArray's values, or any other object converted to a NumPy array."""
    return array.asnumpy() if isinstance(array, NDArray) else np.asarray(array)


def check_label_shapes(
    labels: Any, preds: Any, wrap: bool = False, shape: bool = False
) -> tuple[Any, Any]:
    """Check that there are as many labels as predictions.

    Parameters
    ----------
    labels, preds : NDArray or list of NDArray
    wrap : bool, default False
        Wrap single arrays in lists.
    shape : bool, default False
        Compare shapes instead of lengths.

    Raises
    ------
    ValueError
        The numbers, or with `shape` the shapes, differ.
    """
    got = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if got[0] != got[1]:
        raise ValueError(f"Shape of labels {got[0]} does not match shape of predictions {got[1]}")
    if wrap:
        labels = [labels] if isinstance(labels, (Array, StoredArray)) else labels
        preds = [preds] if isinstance(preds, (Array, StoredArray)) else preds
    return labels, preds


@add_hints(METRIC_NAMES)
class EvalMetric:
    """Base class of metrics; subclasses define `update`.

    Parameters
    ----------
    name : str
    output_names, label_names : list of str, optional
        Arrays that `update_dict` uses; default: all.
    **kwargs
        Settings for `get_config`; ``has_global_stats=True`` declares that `update` also counts in
        `global_sum_metric` and `global_num_inst`, which `get_global` then uses.
    """

    #: User-defined metrics often maintain only `sum_metric` and `num_inst`, also in `reset`.
    _has_global_stats = False
    num_inst: float = 0
    sum_metric: float = 0.0
    global_num_inst: float = 0
    global_sum_metric: float = 0.0

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self.name = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = kwargs.pop("has_global_stats", self._has_global_stats)
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.get_name_value())
        return f"{type(self).__name__}({values})"

    def get_config(self) -> dict[str, Any]:
        """Return the arguments with which `create(**config)` creates an equal metric."""
        return {
            **self._kwargs,
            "metric": type(self).__name__,
            "name": self.name,
            "output_names": self.output_names,
            "label_names": self.label_names,
        }

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and predictions of a batch; every metric defines it.

        Parameters
        ----------
        labels, preds : NDArray or list of NDArray
        """
        raise NotImplementedError(f"{type(self).__name__} must define update(labels, preds)")

    def update_dict(self, label: Mapping[str, NDArray], pred: Mapping[str, NDArray]) -> None:
        """Update with arrays by name, selected by `label_names` and `output_names`."""
        labels = _select(label, self.label_names)
        self.update(labels, _select(pred, self.output_names))

    def reset(self) -> None:
        """Reset all statistics."""
        self.global_num_inst = 0
        self.global_sum_metric = 0.0
        self.reset_local()

    def reset_local(self) -> None:
        """Reset all statistics except the global ones."""
        self.num_inst = 0
        self.sum_metric = 0.0

    def _add(self, total: float, count: float) -> None:
        self.sum_metric += float(total)
        self.global_sum_metric += float(total)
        self.num_inst += count
        self.global_num_inst += count

    def _value(self, total: float, count: float) -> float:
        """Return the metric's value from a sum and a positive count."""
        return total / count

    def get(self) -> tuple[Any, Any]:
        """Return name and value since `reset` or `reset_local`; nan without updates."""
        if self.num_inst == 0:
            return self.name, float("nan")
        return self.name, self._value(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, Any]:
        """Return name and value since `reset`; same as `get` without global statistics."""
        if not self._has_global_stats or self.global_num_inst == 0:
            return self.get()
        return self.name, self._value(self.global_sum_metric, self.global_num_inst)

    def get_name_value(self) -> list[tuple[str, float]]:
        """Return pairs of name and value."""
        return _pairs(*self.get())

    def get_global_name_value(self) -> list[tuple[str, float]]:
        """Return pairs of name and value since `reset`, like `get_global`."""
        return _pairs(*self.get_global()) if self._has_global_stats else self.get_name_value()


class PairMetric(EvalMetric):
    """Metric computed from one label array and one prediction array at a time."""

    _has_global_stats = True

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and predictions of a batch.

        Parameters
        ----------
        labels, preds : NDArray or list of NDArray
        """
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=True):
            self._add(*self._measure(as_numpy(label), as_numpy(pred)))

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        """Return the increments of the sum and the count, computed from NumPy arrays."""
        raise NotImplementedError


def _select(arrays: Mapping[str, NDArray], names: Sequence[str] | None) -> list[NDArray]:
    return list(arrays.values()) if names is None else [arrays[name] for name in names]


def _pairs(name: Any, value: Any) -> list[tuple[str, float]]:
    names = name if isinstance(name, list) else [name]
    values = value if isinstance(value, list) else [value]
    return list(zip(names, values, strict=True))


registry: NameRegistry[EvalMetric] = NameRegistry(EvalMetric, "metric")


def register(cls: type[EvalMetric]) -> type[EvalMetric]:
    """Register a metric class under its lower-case name; usable as a decorator."""
    return registry.register(cls)


def alias(*names: str) -> Callable[[type[EvalMetric]], type[EvalMetric]]:
    """Return a class decorator that registers additional names."""
    return registry.alias(*names)
