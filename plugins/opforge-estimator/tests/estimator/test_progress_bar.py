import builtins
import re
from functools import partial

import pytest

from opforge import metric
from opforge.gluon.contrib.estimator import BatchBegin, ProgressBarHandler

pytest.importorskip("tqdm")


def bars(text):
    """Return the last state of each bar."""
    return [line.split("\r")[-1] for line in text.split("\n") if line.strip()]


def test_a_bar_for_each_epoch(estimator, data, capsys):
    estimator().fit(data(6), epochs=2, event_handlers=[ProgressBarHandler()])
    first, second = bars(capsys.readouterr().err)
    assert first.startswith("epoch 1/2: 100%") and second.startswith("epoch 2/2: 100%")
    assert "3/3" in first and "mae=" in first


@pytest.mark.parametrize(("columns", "has_bar"), [(60, False), (120, True)])
def test_metrics_are_complete_in_a_narrow_terminal(
    columns, has_bar, estimator, data, capsys, monkeypatch
):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    bar = ProgressBarHandler()
    monkeypatch.setattr(bar, "_tqdm", partial(bar._tqdm, ncols=columns))
    estimator().fit(data(6), data(6), epochs=1, event_handlers=[bar])
    (line,) = bars(capsys.readouterr().err)
    assert re.search(r"mae=\d+\.\d{4}, val_mae=\d+\.\d{4}\]", line)
    assert line.startswith("epoch 1/1: 100%|" if has_bar else "epoch 1/1: 3/3 [")


def test_chosen_metrics(estimator, data, capsys):
    made = estimator(train_metrics=[metric.MAE(), metric.MSE()])
    bar = ProgressBarHandler(made.train_metrics[1])
    made.fit(data(2), batches=1, event_handlers=[bar])
    (line,) = bars(capsys.readouterr().err)
    assert line.startswith("epoch 1: 100%") and "mse=" in line and "mae=" not in line


def test_a_broken_training_leaves_nothing_open(estimator, data, capsys):
    class Broken(BatchBegin):
        def batch_begin(self, estimator, *args, **kwargs):
            raise RuntimeError("broken")

    bar = ProgressBarHandler()
    with pytest.raises(RuntimeError, match="broken"):
        estimator().fit(data(2), epochs=1, event_handlers=[bar, Broken()])
    estimator().fit(data(2), epochs=1, event_handlers=[bar])
    assert bars(capsys.readouterr().err)[-1].startswith("epoch 1/1: 100%")


def test_without_tqdm(monkeypatch):
    real_import = builtins.__import__

    def without_tqdm(name, *args, **kwargs):
        if name == "tqdm":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_tqdm)
    with pytest.raises(ImportError, match=r"needs tqdm: pip install 'opforge\[data\]'"):
        ProgressBarHandler()
