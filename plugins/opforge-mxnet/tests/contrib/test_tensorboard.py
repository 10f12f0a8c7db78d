import sys
from types import ModuleType

import pytest

from opforge import metric, nd
from opforge.contrib.tensorboard import LogMetricsCallback
from opforge.model import BatchEndParam


class Writer:
    def __init__(self, folder):
        self.folder, self.scalars = folder, []

    def add_scalar(self, tag, value, global_step):
        self.scalars.append((tag, value, global_step))


@pytest.mark.parametrize(("prefix", "tag"), [(None, "mse"), ("train", "train-mse")])
def test_metrics_are_scalars_of_the_epoch(monkeypatch, prefix, tag):
    module = ModuleType("opforge.tensorboard")
    module.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, "opforge.tensorboard", module)
    log = LogMetricsCallback("logs", prefix)
    mse = metric.MSE()
    mse.update([nd.array([1])], [nd.array([3])])
    log(BatchEndParam(epoch=2, nbatch=7, eval_metric=mse, locals=None))
    log(BatchEndParam(epoch=2, nbatch=7, eval_metric=None, locals=None))
    assert log.summary_writer.folder == "logs"
    assert log.summary_writer.scalars == [(tag, 4.0, 2)]
