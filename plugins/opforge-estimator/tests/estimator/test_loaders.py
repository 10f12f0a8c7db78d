import numpy as np
import pytest

from opforge import gluon, nd

X = np.arange(8.0).reshape(8, 1) / 8


def slope(made):
    return made.net.slope.data().asscalar()


def test_arrays_and_labels(estimator):
    made = estimator()
    history = made.fit(X, 2 * X, epochs=30, batch_size=4, validation_data=(X, 2 * X))
    assert slope(made) == pytest.approx(2, abs=0.05)
    assert made.batches_per_epoch == 2
    assert list(history) == ["mae", "val_mae"]
    assert made.evaluate((X, 2 * X)) == {"val_mae": history["val_mae"][-1]}


def test_tuples_of_arrays(estimator):
    made = estimator()
    made.fit((X.tolist(), nd.array(2 * X)), (X, 2 * X), epochs=1, batch_size=8)
    assert made.batches_per_epoch == 1


def test_data_frames(estimator):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": X[:, 0]}, index=range(8, 0, -1))
    made = estimator()
    made.fit(frame, 2 * frame, epochs=30, batch_size=4)
    assert slope(made) == pytest.approx(2, abs=0.05)


def test_samples_are_shuffled_for_training_alone(estimator):
    seen = []

    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.slope = self.params.get("slope", shape=(1,), init="zeros")

        def forward(self, x):
            seen.append(x.asnumpy().ravel().tolist())
            return x * self.slope.data()

    np.random.seed(1)
    made = estimator(Net())
    made.fit(X, 2 * X, epochs=1, batch_size=8, validation_data=(X, 2 * X))
    in_training, in_validation = seen
    assert in_training != X.ravel().tolist() and sorted(in_training) == X.ravel().tolist()
    assert in_validation == X.ravel().tolist()


def test_invalid_data(estimator):
    with pytest.raises(ValueError, match="expected an array of labels as the second, got NoneType"):
        estimator().fit(X, epochs=1)
    with pytest.raises(ValueError, match="pass the validation data once"):
        estimator().fit((X, X), (X, X), epochs=1, validation_data=(X, X))
    with pytest.raises(ValueError, match="fit: train_data is int, expected a"):
        estimator().fit(3, epochs=1)
    with pytest.raises(ValueError, match="evaluate: val_data is ndarray"):
        estimator().evaluate(X)
