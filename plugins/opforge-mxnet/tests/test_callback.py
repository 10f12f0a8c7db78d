import logging
import re

import pytest

from opforge import callback, checkpoint, metric, nd


class Counts(metric.EvalMetric):
    def __init__(self):
        super().__init__("counts")

    def see(self, value):
        self._add(value, 1)


def end(nbatch, eval_metric=None, epoch=0):
    return callback.BatchEndParam(epoch, nbatch, eval_metric, None)


@pytest.fixture
def counts():
    made = Counts()
    made.see(0.5)
    return made


def test_speedometer_logs_every_n_batches(caplog, counts):
    caplog.set_level(logging.INFO)
    meter = callback.Speedometer(8, frequent=2)
    for nbatch in range(5):
        counts.see(0.5)
        meter(end(nbatch, counts))
    assert [re.sub(r"Speed: [\d.]+", "Speed: V", line) for line in caplog.messages] == [
        "Epoch[0] Batch [0-2]\tSpeed: V samples/sec\tcounts=0.500000",
        "Epoch[0] Batch [2-4]\tSpeed: V samples/sec\tcounts=0.500000",
    ]
    assert counts.num_inst == 0  # reset after each line


def test_speedometer_restarts_with_the_epoch(caplog, counts):
    caplog.set_level(logging.INFO)
    meter = callback.Speedometer(8, frequent=1, auto_reset=False)
    for epoch in range(2):
        for nbatch in range(2):
            meter(end(nbatch, counts, epoch))
    assert [line.split("\t")[0] for line in caplog.messages] == [
        "Epoch[0] Batch [0-1]",
        "Epoch[1] Batch [0-1]",
    ]
    assert counts.num_inst == 1


def test_speedometer_without_metric(caplog):
    caplog.set_level(logging.INFO)
    meter = callback.Speedometer(8, frequent=1)
    meter(end(0))
    meter(end(1))
    assert re.fullmatch(r"Iter\[0\] Batch \[1\]\tSpeed: [\d.]+ samples/sec", caplog.messages[0])


def test_progress_bar(caplog):
    caplog.set_level(logging.INFO)
    bar = callback.ProgressBar(total=3, length=6)
    for nbatch in (1, 3):
        bar(end(nbatch))
    assert caplog.messages == ["[==----] 34%\r", "[======] 100%\r"]


def test_training_metric(caplog, counts):
    caplog.set_level(logging.INFO)
    log = callback.log_train_metric(2, auto_reset=True)
    log(end(1, counts))
    log(end(2, None))
    assert not caplog.messages
    log(end(2, counts, epoch=3))
    assert caplog.messages == ["Iter[3] Batch[2] Train-counts=0.500000"]
    assert counts.num_inst == 0


def test_validation_metric(caplog, counts):
    caplog.set_level(logging.INFO)
    log = callback.LogValidationMetricsCallback()
    log(end(0, None))
    log(end(9, metric.create(["acc", "mse"]), epoch=2))
    assert caplog.messages == [
        "Epoch[2] Validation-accuracy=nan",
        "Epoch[2] Validation-mse=nan",
    ]


def test_checkpoints_of_parameters(tmp_path):
    save = callback.do_checkpoint(str(tmp_path / "net"), period=2)
    for epoch in range(4):
        save(epoch, None, {"w": nd.array([epoch])}, {})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0002.params", "net-0004.params"]
    assert checkpoint.load_params(str(tmp_path / "net"), 4)[0]["w"].asscalar() == 3


def test_checkpoints_of_a_module():
    class Module:
        saved = []

        def save_checkpoint(self, prefix, epoch, save_optimizer_states):
            self.saved.append((prefix, epoch, save_optimizer_states))

    save = callback.module_checkpoint(Module(), "net", period=0, save_optimizer_states=True)
    save(0)
    save(1, "symbol", {}, {})
    assert Module.saved == [("net", 1, True), ("net", 2, True)]


def test_end_of_a_batch_is_a_tuple():
    epoch, nbatch, eval_metric, names = callback.BatchEndParam(1, 2, None, {"x": 3})
    assert (epoch, nbatch, eval_metric, names) == (1, 2, None, {"x": 3})
    assert callback.BatchEndParam(epoch=1, nbatch=2, eval_metric=None, locals=None).nbatch == 2
