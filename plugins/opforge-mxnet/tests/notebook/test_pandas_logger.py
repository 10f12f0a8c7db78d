import datetime
from types import SimpleNamespace

import pytest
from opforge_mxnet.notebook import pandas_logger

import opforge as mx
from opforge.model import BatchEndParam
from opforge.notebook.callback import PandasLogger

pytest.importorskip("pandas", reason="PandasLogger returns its tables: pip install pandas")


class Clock:
    """Replacement of the modules that measure time: each reading is a second later."""

    def __init__(self):
        self.seconds = 0.0

    def time(self):
        self.seconds += 1
        return self.seconds

    def now(self):
        return datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=self.seconds)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pandas_logger, "time", clock)
    monkeypatch.setattr(pandas_logger, "datetime", SimpleNamespace(now=clock.now))
    return clock


def param(nbatch, epoch=0, value=0.5):
    metric = mx.metric.Loss()
    metric.update(None, [mx.nd.array([value])])
    return BatchEndParam(epoch, nbatch, metric, {})


def test_every_nth_batch_is_a_row_with_metric_and_speed():
    log = PandasLogger(batch_size=8, frequent=2)
    frame = log.train_df
    for nbatch in range(4):
        log.train_cb(param(nbatch, value=nbatch))
    assert frame is log.train_df is log.all_dataframes["train"]
    assert frame["minibatch_count"].tolist() == [0, 2]
    assert frame["loss"].tolist() == [0, 2]
    assert frame["batches_per_sec"].tolist() == [2, 2]
    assert frame["records_per_sec"].tolist() == [16, 16]
    assert [elapsed.total_seconds() for elapsed in frame["elapsed"]] == [1, 2]
    assert frame["epoch"].tolist() == [0, 0]


def test_the_metric_is_reset():
    log, one = PandasLogger(8), param(0)
    log.train_cb(one)
    assert one.eval_metric.num_inst == 0


def test_validations_and_epochs_are_rows(clock):
    log = PandasLogger(8)
    log.eval_cb(param(3, epoch=1))
    log.eval_cb(BatchEndParam(2, 3, None, {}))
    clock.seconds += 10
    log.epoch_cb(0, None, {}, {})
    assert log.eval_df["epoch"].tolist() == [1, 2]
    assert log.eval_df["loss"].isna().tolist() == [False, True]
    assert [time.total_seconds() for time in log.epoch_df["epoch_time"]] == [12]
    assert log.elapsed().total_seconds() == 12


def test_new_metrics_are_new_columns():
    log = PandasLogger(8)
    log.append_metrics({"a": 1}, "eval")
    log.append_metrics({"b": 2}, "eval")
    assert log.eval_df["b"].isna().tolist() == [True, False]


def test_fit_calls_it():
    log = PandasLogger(2, frequent=1)
    loss = mx.sym.MakeLoss(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1))
    data = mx.io.NDArrayIter(mx.nd.ones((4, 2)), batch_size=2)
    module = mx.mod.Module(loss, label_names=None)
    module.fit(data, eval_data=data, eval_metric="loss", num_epoch=2, **log.callback_args())
    assert [len(log.all_dataframes[name]) for name in ("train", "eval", "epoch")] == [4, 2, 2]
