"""`NetClassifier`: a network that predicts one of several classes for each sample."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from opforge.plugin_api import Loss
from opforge.plugin_api import gluon as _gluon
from opforge.plugin_api import metric as _metric

from .base import NetEstimator

__all__ = ["NetClassifier"]

_loss = _gluon.loss


class NetClassifier(ClassifierMixin, NetEstimator):
    """scikit-learn classifier that trains a network, for one class or several labels per sample.

    Parameters
    ----------
    net : Block, callable or None, default None
        A network, which is copied; a function of the numbers of inputs (``X.shape[1]``) and outputs
        that returns one; or None for dense layers of `hidden_sizes`. Parameters that are
        initialized keep their values, for fine-tuning.
    hidden_sizes : sequence of int, default (100,)
        Units of the hidden layers, if `net` is None.
    activation : str, default "relu"
        Activation of the hidden layers, if `net` is None.
    net_params : dict, optional
        Further keyword arguments of a callable `net`.
    loss : Loss, str or None, default None
        One loss per sample, as those of `gluon.loss` return, by object or name; default:
        `SoftmaxCrossEntropyLoss`, or for several labels per sample `SigmoidBCELoss`, which gives
        one output for two classes and compares each of more classes with the others.
    optimizer : str or Optimizer, default "adam"
        An object has its own learning rate and weight decay.
    learning_rate : float, default 0.001
    weight_decay : float, default 0
        Argument `wd` of the optimizer.
    optimizer_params : dict, optional
        Further arguments of the optimizer, such as ``{"momentum": 0.9}``, or an ``lr_scheduler``,
        which has the learning rate.
    epochs : int, default 100
        Number of iterations over the training data, at most.
    batch_size : int, default 32
    validation_fraction : float, default 0
        Fraction of the samples that is not trained on, but evaluated after each epoch.
    patience : int, optional
        Stop after this number of epochs in which the loss did not decrease: that of the validation,
        after which `net_` has the parameters of the best epoch, or without validation that of the
        training. Default: train for all `epochs`.
    metrics : list of EvalMetric or str, optional
        Values for `history_` in addition to the loss. Default: the accuracy if the loss is a
        `SoftmaxCrossEntropyLoss`, otherwise none.
    event_handlers : list of EventHandler or callable, optional
        Handlers of `gluon.contrib.estimator`, which are copied, or functions that return one for
        the `Estimator` of the training.
    context : Context or list of Context, optional
        Devices; default: the current context.
    hybridize : bool, default True
        Compile the network, if it is a `HybridBlock`.
    random_state : int, RandomState or None, default None
        Seed of initialization, order of samples, dropout and the choice of samples for validation.
    verbose : int, default 0
        If not 0, write a log to the standard output.
    class_weight : dict or "balanced", optional
        Weights of the classes, by which sample weights are multiplied.
    predict_nonlinearity : callable or "auto", default "auto"
        Function from outputs to probabilities, NumPy arrays of shape (n_samples, n_outputs). "auto"
        selects softmax, sigmoid, exp or no function, as the loss requires.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    net_ : Block
        The trained network.
    history_ : History
        Loss and metrics of each epoch.
    n_iter_ : int
        Number of epochs.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Exists if X is a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from opforge.sklearn import NetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NetClassifier(learning_rate=0.01, epochs=30, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95, model.predict_proba(X).shape
    (True, (150, 3))
    """

    _checks = {"multi_output": True}

    def __init__(
        self,
        net: Any = None,
        *,
        hidden_sizes: Any = (100,),
        activation: str = "relu",
        net_params: Any = None,
        loss: Any = None,
        optimizer: Any = "adam",
        learning_rate: float = 0.001,
        weight_decay: float = 0.0,
        optimizer_params: Any = None,
        epochs: int = 100,
        batch_size: int = 32,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        metrics: Any = None,
        event_handlers: Any = None,
        context: Any = None,
        hybridize: bool = True,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
        predict_nonlinearity: str | Callable[[np.ndarray], np.ndarray] = "auto",
    ) -> None:
        super().__init__(
            net,
            hidden_sizes=hidden_sizes,
            activation=activation,
            net_params=net_params,
            loss=loss,
            optimizer=optimizer,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            optimizer_params=optimizer_params,
            epochs=epochs,
            batch_size=batch_size,
            validation_fraction=validation_fraction,
            patience=patience,
            metrics=metrics,
            event_handlers=event_handlers,
            context=context,
            hybridize=hybridize,
            random_state=random_state,
            verbose=verbose,
        )
        self.class_weight = class_weight
        self.predict_nonlinearity = predict_nonlinearity

    # -- scikit-learn's methods ---------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, validation_data: Any = None) -> Self:
        """Train a new network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features, ...)
            Converted to float32.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes of any kind; with two axes, whether each label applies, as 0 and 1.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples' losses, scaled to a mean of 1.
        validation_data : tuple of X and y, optional
            Data to evaluate after each epoch, instead of a fraction of the training data.
        """
        return self._fit(X, y, sample_weight, validation_data)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Train for one epoch more, without validation; the first call makes the network.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            All labels; required in the first call.
        """
        is_first = not hasattr(self, "net_")
        if is_first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if not is_first and classes is not None and set(classes) != set(self.classes_):
            raise ValueError(
                f"NetClassifier: classes are {classes!r}; expected those of the first call, "
                f"{self.classes_.tolist()}"
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "NetClassifier: class_weight is 'balanced', which partial_fit does not support "
                "because it sees a part of the labels; pass a dict of weights"
            )
        return self._partial_fit(X, y, sample_weight, is_first, classes)

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each sample, or its labels as 0 and 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features, ...)
        """
        found = self.predict_proba(X)
        if self._is_multilabel:
            return (found > 0.5).astype(np.int64)
        return self.classes_[found.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of classes or labels, float32 of shape (n_samples, n_classes).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features, ...)
        """
        outputs = self._outputs(X)
        if callable(self.predict_nonlinearity):
            found = self.predict_nonlinearity(outputs)
        else:
            found = _probabilities(outputs.astype(np.float64), self._loss)
        if self._is_multilabel:
            return found.astype(np.float32)
        if found.ndim == 1 or (found.shape[1] == 1 and len(self.classes_) == 2):
            positive = found.reshape(-1)
            found = np.stack([1 - positive, positive], axis=1)
        elif self._is_sigmoid():
            found = found / found.sum(axis=1, keepdims=True)
        return found.astype(np.float32)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the outputs of the network, whose order is that of the probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features, ...)

        Returns
        -------
        ndarray of float32, shape (n_samples, n_classes)
            For two classes, of shape (n_samples,): the output of the second class minus that of the
            first one, which is positive if the second is more probable.
        """
        outputs = self._outputs(X)
        if getattr(self._loss, "_from_sigmoid", False):
            outputs = outputs - np.float32(0.5)
        if self._is_multilabel:
            return outputs
        if outputs.ndim == 2 and outputs.shape[1] == 2:
            return outputs[:, 1] - outputs[:, 0]
        return outputs.reshape(-1) if outputs[0].size == 1 else outputs

    # -- labels, losses and weights -----------------------------------------------------------

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[np.ndarray, np.ndarray]:
        X, y = super()._validate(X, y, reset)
        check_classification_targets(y)
        is_multilabel = type_of_target(y) == "multilabel-indicator"
        return X, y if is_multilabel else column_or_1d(y, warn=True)

    def _describe_targets(self, y: np.ndarray, classes: Any = None) -> None:
        self._is_multilabel = y.ndim == 2
        labels = np.arange(y.shape[1]) if self._is_multilabel else np.unique(y)
        self.classes_ = labels if classes is None else np.unique(classes)

    def _strata(self, y: np.ndarray) -> np.ndarray | None:
        return None if self._is_multilabel else y

    def _encode_targets(self, y: np.ndarray) -> np.ndarray:
        if self._is_multilabel:
            return self._encode_labels(y)
        codes = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        unknown = self.classes_[codes] != y
        if unknown.any():
            raise ValueError(
                f"NetClassifier: y has the labels {np.unique(y[unknown]).tolist()}, which are not "
                f"in classes, {self.classes_.tolist()}"
            )
        if self._n_outputs() > 1 and self._is_sigmoid():
            return np.eye(len(self.classes_), dtype=np.float32)[codes]
        return codes.astype(np.float32)

    def _encode_labels(self, y: np.ndarray) -> np.ndarray:
        if y.ndim != 2 or y.shape[1] != len(self.classes_):
            raise ValueError(
                f"NetClassifier: y has shape {y.shape}; expected (n_samples, {len(self.classes_)}),"
                " one column for each label"
            )
        return y.astype(np.float32)

    def _n_outputs(self) -> int:
        is_single = not self._is_multilabel and self._is_sigmoid() and len(self.classes_) == 2
        return 1 if is_single else len(self.classes_)

    def _is_sigmoid(self) -> bool:
        return isinstance(self._loss, _loss.SigmoidBinaryCrossEntropyLoss)

    def _default_loss(self) -> Loss:
        return _loss.SigmoidBCELoss() if self._is_multilabel else _loss.SoftmaxCrossEntropyLoss()

    def _default_metrics(self) -> list[Any]:
        is_softmax = isinstance(self._loss, _loss.SoftmaxCrossEntropyLoss)
        return [_metric.Accuracy()] if is_softmax else []

    def _class_weights(self, y: np.ndarray) -> np.ndarray | None:
        if self.class_weight is None:
            return None
        return compute_sample_weight(self.class_weight, y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        nonlinearity = self.predict_nonlinearity
        if nonlinearity != "auto" and not callable(nonlinearity):
            raise ValueError(
                f"NetClassifier: predict_nonlinearity is {nonlinearity!r}; expected 'auto' or a "
                "function of the outputs"
            )


def _probabilities(outputs: np.ndarray, loss: Loss) -> np.ndarray:
    """Return the probabilities that the loss compares with labels."""
    if isinstance(loss, _loss.SigmoidBinaryCrossEntropyLoss):
        return outputs if loss._from_sigmoid else np.exp(-np.logaddexp(0, -outputs))
    if getattr(loss, "_from_logits", False):
        return np.exp(outputs)
    powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
