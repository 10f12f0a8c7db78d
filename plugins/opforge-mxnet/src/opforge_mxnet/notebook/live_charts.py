"""Charts of a training that a notebook redraws while it runs."""

import time
from datetime import datetime, timedelta
from typing import Any

from .pandas_logger import PandasLogger, take_metrics
from .requirements import required

__all__ = ["LiveBokehChart", "LiveLearningCurve", "LiveTimeSeries"]

#: Number of validations after which the training is drawn as points instead of a line.
_MANY_VALIDATIONS = 10


class LiveBokehChart:
    """Base class of callbacks that draw a bokeh chart; subclasses define what it shows.

    Parameters
    ----------
    pandas_logger : PandasLogger or None
        Default: a new one, with `batch_size` and `frequent`.
    metric_name : str
        Name of the metric to draw.
    display_freq : float, default 10
        Seconds between updates of the chart.
    batch_size, frequent : int
        For a new `PandasLogger`.

    Raises
    ------
    ImportError
        bokeh or pandas is not installed.
    """

    def __init__(
        self,
        pandas_logger: PandasLogger | None,
        metric_name: str | None,
        display_freq: float = 10,
        batch_size: Any = None,
        frequent: int = 50,
    ) -> None:
        self._io = required("bokeh.io", type(self).__name__)
        self.pandas_logger = pandas_logger or PandasLogger(batch_size, frequent)
        self.display_freq = display_freq
        self.last_update = time.time()
        self.metric_name = metric_name
        self._io.output_notebook()
        self.handle = self.setup_chart()

    def setup_chart(self) -> Any:
        """Show the chart, and return bokeh's handle of it; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define setup_chart()")

    def update_chart_data(self) -> None:
        """Add new data to the chart; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} must define update_chart_data()")

    def interval_elapsed(self) -> bool:
        """Return whether the last update was more than `display_freq` seconds ago."""
        return time.time() - self.last_update > self.display_freq

    def _push_render(self) -> None:
        self._io.push_notebook(handle=self.handle)
        self.last_update = time.time()

    def _do_update(self) -> None:
        self.update_chart_data()
        self._push_render()

    def batch_cb(self, param: Any) -> None:
        """Update the chart if `interval_elapsed`."""
        if self.interval_elapsed():
            self._do_update()

    def eval_cb(self, param: Any) -> None:
        """Update the chart after a validation."""
        self._do_update()

    def callback_args(self) -> dict[str, Any]:
        """Return the arguments of `Module.fit` that install the callbacks."""
        return {"batch_end_callback": self.batch_cb, "eval_end_callback": self.eval_cb}


class LiveTimeSeries(LiveBokehChart):
    """Chart of a value over time; ``update_chart_data(value)`` adds a point.

    Parameters
    ----------
    **fig_params
        For `bokeh.plotting.figure`.
    """

    def __init__(self, **fig_params: Any) -> None:
        self._plotting = required("bokeh.plotting", type(self).__name__)
        settings = {"x_axis_type": "datetime", "x_axis_label": "Elapsed time", **fig_params}
        self.fig = self._plotting.figure(**settings)
        super().__init__(None, None)

    def setup_chart(self) -> Any:
        """Show a chart without points."""
        self.start_time = datetime.now()
        self._points = self._plotting.ColumnDataSource({"x": [], "y": []})
        self.fig.line("x", "y", source=self._points)
        return self._plotting.show(self.fig, notebook_handle=True)

    def elapsed(self) -> timedelta:
        """Return the time since the chart was created."""
        return datetime.now() - self.start_time

    def update_chart_data(self, value: Any) -> None:  # type: ignore[override]
        """Add a point at the current time."""
        self._points.stream({"x": [self.elapsed()], "y": [value]})
        self._push_render()


class LiveLearningCurve(LiveBokehChart):
    """Chart of a metric in training and validation over time.

    Parameters
    ----------
    metric_name : str
    display_freq : float, default 10
        Seconds between updates of the chart.
    frequent : int, default 50
        Number of batches between points of the training.
    """

    def __init__(self, metric_name: str, display_freq: float = 10, frequent: int = 50) -> None:
        self._plotting = required("bokeh.plotting", type(self).__name__)
        self.frequent = frequent
        self.start_time = datetime.now()
        super().__init__(None, metric_name, display_freq, frequent=frequent)

    def setup_chart(self) -> Any:
        """Show a chart without points."""
        self.fig = self._plotting.figure(x_axis_type="datetime", x_axis_label="Training time")
        self._sources = {
            kind: self._plotting.ColumnDataSource({"x": [], "y": []}) for kind in ("train", "eval")
        }
        #: Points that are not in the chart yet.
        self._new: dict[str, list[tuple[timedelta, Any]]] = {"train": [], "eval": []}
        train = {"source": self._sources["train"], "legend_label": "train"}
        self.train1 = self.fig.line("x", "y", line_dash="dotted", alpha=0.3, **train)
        self.train2 = self.fig.scatter("x", "y", size=1.5, alpha=0.3, **train)
        self.train2.visible = False
        valid = {"source": self._sources["eval"], "line_color": "green", "line_width": 2}
        self.valid1 = self.fig.line("x", "y", legend_label="validation", **valid)
        self.valid2 = self.fig.scatter("x", "y", **valid)
        self.fig.legend.location = "bottom_right"
        self.fig.yaxis.axis_label = self.metric_name
        return self._plotting.show(self.fig, notebook_handle=True)

    def batch_cb(self, param: Any) -> None:
        """Add a point for every `frequent` batches; update the chart if `interval_elapsed`."""
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")
        super().batch_cb(param)

    def eval_cb(self, param: Any) -> None:
        """Add a point, and update the chart."""
        self._process_batch(param, "eval")
        super().eval_cb(param)

    def _process_batch(self, param: Any, kind: str) -> None:
        values = take_metrics(param)
        if self.metric_name in values:
            elapsed = datetime.now() - self.start_time
            self._new[kind].append((elapsed, values[self.metric_name]))

    def update_chart_data(self) -> None:
        """Add the new points to the chart."""
        for kind, source in self._sources.items():
            new = self._new[kind]
            source.stream({"x": [elapsed for elapsed, _ in new], "y": [value for _, value in new]})
            new.clear()
        if len(self._sources["eval"].data["x"]) > _MANY_VALIDATIONS:
            self.train1.visible, self.train2.visible = False, True
