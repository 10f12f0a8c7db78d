import re

import pytest

from opforge import metric
from opforge.gluon.contrib.estimator import LoggingHandler


def lines(made):
    """Return the lines of a log with every time as T."""
    return re.sub(r"\d+\.\d{3}s|total \d+s", "T", made.log.getvalue()).splitlines()


def test_lines_of_epochs(estimator, data):
    made = estimator()
    made.fit(data(4), data(2), epochs=1)
    found = [re.sub(r"mae: [\d.]+$", "mae: V", line) for line in lines(made)]
    assert found == [
        "Training begin: using optimizer Adam with current learning rate 0.2500 ",
        "Train for 1 epochs.",
        "[Epoch 0] Begin, current learning rate: 0.2500",
        "Validation Begin",
        "Validation Finished in T, validation mae: V",
        "[Epoch 0] Finished in T, training mae: V",
        "Train finished using T with 1 epochs. training mae: V",
    ]


def test_lines_of_batches(estimator, data):
    made = estimator()
    handler = LoggingHandler(log_interval=2, metrics=made.train_metrics)
    made.fit(data(), batches=5, event_handlers=[handler])
    found = [re.match(r"\[Epoch \d\]\[Batch.*? T training mae: ", line) for line in lines(made)]
    assert [m[0] for m in found if m] == [
        "[Epoch 0][Batch 0][Samples 2] time/interval: T training mae: ",
        "[Epoch 0][Batch 2][Samples 6] time/interval: T training mae: ",
        "[Epoch 1][Batch 0][Samples 10] time/interval: T training mae: ",
    ]
    assert "Train for 5 batches." in lines(made)
    assert handler.current_epoch == 2 and handler.batch_index == 0


def test_metrics_of_several_values_and_of_none(estimator, data):
    made = estimator()
    made.fit(data(2), epochs=1, event_handlers=[LoggingHandler()])
    assert lines(made)[-1] == "Train finished using T with 1 epochs."
    pair = metric.CompositeEvalMetric([metric.MAE(), metric.MSE()])
    handler = LoggingHandler()
    handler.metrics = [pair]
    handler.train_end(made)
    assert lines(made)[-1].endswith("epochs. mae: nan, mse: nan")


@pytest.mark.parametrize("interval", [0, -1, 2.5, "batch"])
def test_an_interval_is_a_positive_number(interval):
    with pytest.raises(ValueError, match="log_interval must be either"):
        LoggingHandler(log_interval=interval)
