import csv

import pytest

from opforge.gluon.contrib.estimator import CSVHandler


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_row_for_each_epoch(estimator, data, tmp_path):
    path = tmp_path / "metrics.csv"
    made = estimator()
    for epochs in (3, 2):  # the second training replaces the file
        history = made.fit(data(), data(4), epochs=epochs, event_handlers=CSVHandler(path))
        rows = read(path)
        assert [row["epoch"] for row in rows] == [str(n + 1) for n in range(epochs)]
        assert list(rows[0]) == ["epoch", "learning_rate", "mae", "val_mae"]
        assert [float(row["val_mae"]) for row in rows] == history["val_mae"]
    assert float(rows[0]["learning_rate"]) == 0.25


def test_without_validation(estimator, data, tmp_path):
    path = tmp_path / "metrics.csv"
    estimator().fit(data(), epochs=1, event_handlers=CSVHandler(path))
    assert list(read(path)[0]) == ["epoch", "learning_rate", "mae"]


def test_a_folder_that_does_not_exist(estimator, data, tmp_path):
    with pytest.raises(FileNotFoundError):
        estimator().fit(data(), epochs=1, event_handlers=CSVHandler(tmp_path / "no" / "file.csv"))
