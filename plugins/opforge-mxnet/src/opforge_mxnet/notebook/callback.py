"""Callbacks of `Module.fit` for notebooks: `PandasLogger`, `LiveLearningCurve` and others.

They require pandas, and the charts also require bokeh.
"""

from collections import defaultdict
from typing import Any

from ..names import add_names as _add_names
from .live_charts import LiveBokehChart as LiveBokehChart
from .live_charts import LiveLearningCurve as LiveLearningCurve
from .live_charts import LiveTimeSeries as LiveTimeSeries
from .pandas_logger import PandasLogger as PandasLogger

__all__ = [
    "LiveBokehChart",
    "LiveLearningCurve",
    "LiveTimeSeries",
    "PandasLogger",
    "args_wrapper",
]


def args_wrapper(*args: Any) -> dict[str, list[Any]]:
    """Return the arguments of `Module.fit` for several callback objects.

    Parameters
    ----------
    *args
        Objects with a method `callback_args`.

    Examples
    --------
    >>> class Counter:
    ...     def callback_args(self):
    ...         return {"batch_end_callback": print}
    >>> args_wrapper(Counter(), Counter())["batch_end_callback"] == [print, print]
    True
    """
    found = defaultdict(list)
    for callback in args:
        for name, function in callback.callback_args().items():
            found[name].append(function)
    return dict(found)


_add_names(__name__)
