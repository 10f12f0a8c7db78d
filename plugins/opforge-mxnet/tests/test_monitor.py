import logging

import numpy as np
import pytest

from opforge import mon, monitor, nd


class Executor:
    """Executor stub for `Monitor` with one output, one argument and one state."""

    def __init__(self):
        self.arg_dict = {"fc_weight": nd.array([3, 4])}
        self.aux_dict = {"mean": nd.array([2])}

    def set_monitor_callback(self, callback, monitor_all=False):
        self.callback, self.monitor_all = callback, monitor_all

    def forward(self):
        self.callback(b"fc_output", nd.array([[1, 1], [1, 1]]))


def watched(*args, **kwargs):
    watch, executor = monitor.Monitor(*args, **kwargs), Executor()
    watch.install(executor)
    return watch, executor


def test_statistics_of_outputs_then_of_arguments():
    watch, executor = watched(1)
    watch.tic()
    executor.forward()
    assert watch.toc() == [
        (1, "fc_output", "1.0\t"),
        (1, "fc_weight", str(np.float32(5 / 2**0.5)) + "\t"),
        (1, "mean", "2.0\t"),
    ]
    assert not executor.monitor_all


def test_monitor_runs_every_n_batches():
    watch, executor = watched(2, pattern=".*output")
    found = []
    for _ in range(4):
        watch.tic()
        executor.forward()
        found.append([name for _, name, _ in watch.toc()])
    assert found == [["fc_output"], [], ["fc_output"], []]
    assert watch.toc() == []


def test_another_statistic_sorted(caplog):
    caplog.set_level(logging.INFO)
    watch, executor = watched(
        1, lambda x: [x.max(), x], ".*(weight|output)", sort=True, monitor_all=True
    )
    assert executor.monitor_all
    watch.tic()
    executor.arg_dict["aa_weight"] = nd.array([7])
    executor.forward()
    watch.toc_print()
    assert caplog.messages == [
        "Batch:       1 aa_weight                      7.0\t7.0\t",
        "Batch:       1 fc_output                      1.0\t[[1. 1.]\n [1. 1.]]\t",
        "Batch:       1 fc_weight                      4.0\t[3. 4.]\t",
    ]


def test_a_statistic_must_be_an_array():
    watch, executor = watched(1, lambda x: 1.0)
    watch.tic()
    executor.forward()
    with pytest.raises(
        AssertionError, match="must return an NDArray or a list of NDArray, got float"
    ):
        watch.toc()


def test_short_name():
    assert mon.Monitor is monitor.Monitor
