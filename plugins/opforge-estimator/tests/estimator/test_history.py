import math

import pytest

from opforge import gluon, metric, nd
from opforge.gluon.contrib.estimator import History, ProgressBarHandler


def test_values_of_each_epoch(estimator, data):
    made = estimator(train_metrics=[metric.MAE(), metric.MSE()])
    history = made.fit(data(), data(4), epochs=3)
    assert list(history) == ["mae", "mse", "val_mae", "val_mse"]
    assert history.epochs == 3 and len(history["mae"]) == 3
    assert history["mae"][-1] == made.train_metrics[0].get()[1]
    assert history["val_mse"][-1] == made.val_metrics[1].get()[1]
    assert history["mae"][0] > history["mae"][2]
    assert repr(history).startswith("History(3 epochs: mae 0.")


def test_without_validation(estimator, data):
    history = estimator().fit(data(), epochs=2)
    assert list(history) == ["mae"]
    with pytest.raises(KeyError, match="'val_mae'; the history has mae"):
        history["val_mae"]


def test_each_fit_has_a_history_of_its_own(estimator, data):
    made = estimator()
    first, second = (made.fit(data(), epochs=n) for n in (1, 2))
    assert (first.epochs, second.epochs) == (1, 2)


def test_values_that_an_epoch_lacks():
    history = History()
    history.append({"mae": 1.0})
    history.append({"mae": 0.5, "val_mae": 0.7})
    assert math.isnan(history["val_mae"][0]) and history["val_mae"][1] == 0.7
    assert dict(History()) == {}


def test_table_and_plot():
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    history = History()
    history.append({"mae": 1.0, "mse": 2.0, "val_mae": 3.0})
    history.append({"mae": 0.5, "mse": 1.0, "val_mae": 2.0})
    table = history.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table.loc[2, "val_mae"] == 2.0 and table.index.name == "epoch"
    figure = history.plot()
    assert [axes.get_ylabel() for axes in figure.axes] == ["mae", "mse"]
    assert [len(axes.lines) for axes in figure.axes] == [2, 1]
    assert figure.axes[0].lines[1].get_ydata().tolist() == [3.0, 2.0]
    assert all(tick % 1 == 0 for tick in figure.axes[0].get_xticks())  # epochs


def test_a_bar_replaces_the_log(estimator, data, capsys):
    pytest.importorskip("tqdm")
    made = estimator()
    history = made.fit(data(6), data(2), epochs=2, event_handlers=ProgressBarHandler())
    assert made.log.getvalue() == ""
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and lines[1].startswith("epoch 2/2: 100%")
    assert f"mae={history['mae'][1]:.4f}, val_mae={history['val_mae'][1]:.4f}" in lines[1]


def test_a_plain_data_set(estimator):
    x = nd.arange(8).reshape((8, 1))
    made = estimator()
    made.fit(gluon.data.ArrayDataset(x, 2 * x), batches=2, batch_size=4)
    assert made.batches_per_epoch == 2
