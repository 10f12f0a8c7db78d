"""`NetRegressor`: a network that predicts one or several numbers for each sample."""

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from opforge.plugin_api import Loss
from opforge.plugin_api import gluon as _gluon

from .base import NetEstimator

__all__ = ["NetRegressor"]


class NetRegressor(MultiOutputMixin, RegressorMixin, NetEstimator):
    """scikit-learn regressor that trains a network.

    Parameters
    ----------
    net, hidden_sizes, activation, net_params, loss, optimizer, learning_rate, weight_decay, \
optimizer_params, epochs, batch_size, validation_fraction, patience, metrics, event_handlers, \
context, hybridize, random_state, verbose
        As in `NetClassifier`; the default loss is `gluon.loss.L2Loss`. The number of outputs is
        that of the targets, the columns of y.

    Attributes
    ----------
    net_, history_, n_iter_, n_features_in_, feature_names_in_
        As in `NetClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from opforge.sklearn import NetRegressor
    >>> X = np.linspace(-1, 1, 64).reshape(-1, 1)
    >>> model = NetRegressor(learning_rate=0.01, epochs=100, random_state=0).fit(X, X[:, 0] ** 2)
    >>> model.score(X, X[:, 0] ** 2) > 0.95
    True
    """

    _checks = {"multi_output": True, "y_numeric": True}

    def fit(self, X: Any, y: Any, sample_weight: Any = None, validation_data: Any = None) -> Self:
        """Train a new network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features, ...)
            Converted to float32.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Converted to float32.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples' losses, scaled to a mean of 1.
        validation_data : tuple of X and y, optional
            Data to evaluate after each epoch, instead of a fraction of the training data.
        """
        return self._fit(X, y, sample_weight, validation_data)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train for one epoch more, without validation; the first call makes the network.

        X, y and sample_weight are as in `fit`.
        """
        return self._partial_fit(X, y, sample_weight, is_first=not hasattr(self, "net_"))

    def predict(self, X: Any) -> np.ndarray:
        """Return predictions, in the shape that y had in training.

        They have the type of y if that is a floating-point type, otherwise float32.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features, ...)
        """
        outputs = self._outputs(X).astype(self._dtype, copy=False)
        is_column = outputs.ndim > 1 and outputs[0].size == 1
        return outputs.reshape(-1) if self._y_ndim == 1 and is_column else outputs

    def _describe_targets(self, y: np.ndarray, classes: Any = None) -> None:
        self._dtype = y.dtype if y.dtype.kind == "f" else np.dtype(np.float32)
        self._y_ndim = y.ndim
        self._n_targets = 1 if y.ndim == 1 else y.shape[1]

    def _n_outputs(self) -> int:
        return self._n_targets

    def _default_loss(self) -> Loss:
        return _gluon.loss.L2Loss()

    def _encode_targets(self, y: np.ndarray) -> np.ndarray:
        n_targets = 1 if y.ndim == 1 else y.shape[1]
        if n_targets != self._n_targets:
            raise ValueError(
                f"NetRegressor: y has {n_targets} targets; expected {self._n_targets} as in the "
                "first call of partial_fit"
            )
        return y.astype(np.float32)
