"""Charts with a stand-in for bokeh, which records what it is asked to draw."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
from opforge_mxnet.notebook import live_charts

import opforge as mx
from opforge.model import BatchEndParam
from opforge.notebook.callback import LiveBokehChart, LiveLearningCurve, LiveTimeSeries

pytest.importorskip("pandas", reason="each chart has a PandasLogger: pip install pandas")


class Source:
    def __init__(self, data):
        self.data = data

    def stream(self, new):
        for name, values in new.items():
            self.data[name] = [*self.data[name], *values]


class Figure:
    def __init__(self, **settings):
        self.settings = settings
        self.legend, self.yaxis = SimpleNamespace(), SimpleNamespace()
        self.drawn = []

    def line(self, x, y, **settings):
        self.drawn.append(SimpleNamespace(**settings))
        return self.drawn[-1]

    scatter = line


@pytest.fixture(autouse=True)
def pushed(monkeypatch):
    """Provide the modules of bokeh; return the handles whose charts are redrawn."""
    io, plotting = ModuleType("bokeh.io"), ModuleType("bokeh.plotting")
    handles = []
    io.output_notebook = lambda: None
    io.push_notebook = lambda handle: handles.append(handle)
    plotting.figure, plotting.ColumnDataSource = Figure, Source
    plotting.show = lambda figure, notebook_handle: ("handle", notebook_handle)
    for module in (ModuleType("bokeh"), io, plotting):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return handles


def param(nbatch, value):
    metric = mx.metric.Loss()
    metric.update(None, [mx.nd.array([value])])
    return BatchEndParam(0, nbatch, metric, {})


def points(chart, kind):
    return chart._sources[kind].data["y"]


def test_a_learning_curve_shows_both_metrics(pushed):
    chart = LiveLearningCurve("loss", display_freq=1e9, frequent=2)
    for nbatch in range(4):
        chart.batch_cb(param(nbatch, nbatch))
    assert (points(chart, "train"), pushed) == ([], [])
    chart.eval_cb(param(3, 7))
    assert (points(chart, "train"), points(chart, "eval")) == ([0, 2], [7])
    assert pushed == [("handle", True)]
    chart.eval_cb(param(3, 8))
    assert (points(chart, "train"), points(chart, "eval")) == ([0, 2], [7, 8])
    assert chart.fig.yaxis.axis_label == "loss"
    assert chart.fig.settings["x_axis_type"] == "datetime"


def test_the_curve_of_the_training_becomes_points():
    chart = LiveLearningCurve("loss")
    assert (chart.train2.visible, chart.train1.source) == (False, chart._sources["train"])
    for _ in range(11):
        chart.eval_cb(param(0, 1))
    assert (chart.train1.visible, chart.train2.visible) == (False, True)


def test_other_metrics_are_not_drawn():
    chart = LiveLearningCurve("accuracy")
    chart.eval_cb(param(0, 1))
    assert points(chart, "eval") == []


def test_a_chart_is_redrawn_when_the_interval_has_passed(pushed, monkeypatch):
    clock = SimpleNamespace(time=lambda: clock.seconds, seconds=0)
    monkeypatch.setattr(live_charts, "time", clock)
    chart = LiveLearningCurve("loss", display_freq=10, frequent=1)
    for clock.seconds in (10, 11, 12, 21):
        chart.batch_cb(param(0, clock.seconds))
    assert (points(chart, "train"), len(pushed)) == ([10, 11], 1)


def test_a_time_series_gets_values_from_the_program(pushed):
    chart = LiveTimeSeries(title="x")
    chart.update_chart_data(3)
    chart.update_chart_data(4)
    assert chart._points.data["y"] == [3, 4]
    assert chart._points.data["x"][0] <= chart._points.data["x"][1] <= chart.elapsed()
    assert (chart.fig.settings["title"], len(pushed)) == ("x", 2)


def test_a_subclass_defines_the_chart(pushed):
    with pytest.raises(NotImplementedError, match="LiveBokehChart must define setup_chart"):
        LiveBokehChart(None, "loss")

    class Chart(LiveBokehChart):
        updates = 0

        def setup_chart(self):
            return "own"

        def update_chart_data(self):
            self.updates += 1

    logger = object()
    chart = Chart(logger, "loss", display_freq=1e9)
    chart.batch_cb(None)
    chart.callback_args()["eval_end_callback"](None)
    assert (chart.pandas_logger, chart.updates, pushed) == (logger, 1, ["own"])
    with pytest.raises(NotImplementedError, match="Chart must define update_chart_data"):
        LiveBokehChart.update_chart_data(chart)
