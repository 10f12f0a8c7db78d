"""`NetEstimator`: base class of the estimators, with training and prediction."""

import copy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from opforge.plugin_api import Loss
from opforge.plugin_api import context as _context
from opforge.plugin_api import gluon as _gluon
from opforge.plugin_api import metric as _metric

from .networks import make_loss, make_network, make_trainer, output_shape
from .training import BestParameters, WeightedBatchProcessor, loader, own_handlers, seeded

__all__ = ["NetEstimator"]

_estimator: Any = _gluon.contrib.estimator

#: Fewest samples per call of the network in predictions.
_PREDICTION_BATCH = 256


class NetEstimator(BaseEstimator):
    """Base class of `NetClassifier` and `NetRegressor`.

    A derived class converts labels and outputs. The attributes with `_` at the end exist after the
    first `fit` or `partial_fit`.
    """

    #: Arguments of scikit-learn's check of X and y.
    _checks: dict[str, Any] = {}

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
    ) -> None:
        self.net = net
        self.hidden_sizes = hidden_sizes
        self.activation = activation
        self.net_params = net_params
        self.loss = loss
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.optimizer_params = optimizer_params
        self.epochs = epochs
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.metrics = metrics
        self.event_handlers = event_handlers
        self.context = context
        self.hybridize = hybridize
        self.random_state = random_state
        self.verbose = verbose

    # -- what derived classes define ----------------------------------------------------------

    def _default_loss(self) -> Loss:
        raise NotImplementedError(f"{type(self).__name__} must define _default_loss(self)")

    def _default_metrics(self) -> list[Any]:
        return []

    def _encode_targets(self, y: np.ndarray) -> np.ndarray:
        """Return labels as float32 numbers for the loss."""
        raise NotImplementedError(f"{type(self).__name__} must define _encode_targets(self, y)")

    def _n_outputs(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define _n_outputs(self)")

    # -- training -----------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any, validation_data: Any) -> Self:
        """Train a new network."""
        self._check_parameters()
        X, y = self._validate(X, y, reset=True)
        self._describe_targets(y)
        self._loss = make_loss(self, self._default_loss())
        arrays = self._arrays(X, y, sample_weight)
        self._initialize(X)
        validation = None
        if validation_data is not None:
            X_val, y_val = validation_data
            validation = self._arrays(*self._validate(X_val, y_val, reset=False), None)
        elif self.validation_fraction:
            parts = train_test_split(
                *arrays,
                test_size=self.validation_fraction,
                random_state=self._random,
                stratify=self._strata(y),
            )
            arrays, validation = parts[::2], parts[1::2]
        self._train(arrays, self.epochs, validation, self.patience)
        return self

    def _partial_fit(
        self, X: Any, y: Any, sample_weight: Any, is_first: bool, classes: Any = None
    ) -> Self:
        """Train the network for one epoch more."""
        self._check_parameters()
        X, y = self._validate(X, y, reset=is_first)
        if is_first:
            self._describe_targets(y, classes)
            self._loss = make_loss(self, self._default_loss())
        arrays = self._arrays(X, y, sample_weight)
        if is_first:
            self._initialize(X)
        self._train(arrays, 1)
        return self

    def _arrays(self, X: np.ndarray, y: np.ndarray, sample_weight: Any) -> list[np.ndarray]:
        """Return data, targets for the loss and, if there are any, weights."""
        weights = self._weights(X, y, sample_weight)
        return [X, self._encode_targets(y), *([] if weights is None else [weights])]

    def _validate(self, X: Any, y: Any, reset: bool) -> tuple[np.ndarray, np.ndarray]:
        return validate_data(
            self, X, y, dtype=np.float32, allow_nd=True, reset=reset, **self._checks
        )

    def _describe_targets(self, y: np.ndarray, classes: Any = None) -> None:
        """Set the attributes that describe the labels; `classes` are all of them, if known."""
        raise NotImplementedError(f"{type(self).__name__} must define _describe_targets(self, y)")

    def _class_weights(self, y: np.ndarray) -> np.ndarray | None:
        """Return factors of the samples' weights that depend on the labels, if any."""
        return None

    def _strata(self, y: np.ndarray) -> np.ndarray | None:
        """Return the classes of which training and validation have equal parts, if any."""
        return None

    def _check_parameters(self) -> None:
        name = type(self).__name__
        for parameter in ("epochs", "batch_size", "patience"):
            value = getattr(self, parameter)
            if value is not None and value < 1:
                raise ValueError(f"{name}: {parameter} is {value!r}; expected at least 1")
        if not 0 <= self.validation_fraction < 1:
            raise ValueError(
                f"{name}: validation_fraction is {self.validation_fraction!r}; expected a number "
                "from 0 up to, but not including, 1"
            )

    def _weights(self, X: np.ndarray, y: np.ndarray, sample_weight: Any) -> np.ndarray | None:
        """Return the weights of the samples, with a mean of 1; None if all are equal."""
        weights = self._class_weights(y)
        if sample_weight is not None:
            given = check_array(
                sample_weight,
                ensure_2d=False,
                dtype=np.float64,
                ensure_non_negative=True,
                input_name="sample_weight",
            )
            if given.ndim != 1:
                raise ValueError(f"Sample weights must be 1D, got {given.ndim} dimensions")
            check_consistent_length(X, given)
            weights = given if weights is None else weights * given
        if weights is None:
            return None
        if not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        return (weights / weights.mean()).astype(np.float32)

    def _initialize(self, X: np.ndarray) -> None:
        """Make network, trainer, history and the generator of random numbers."""
        self._random = np.random.RandomState(
            check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        )
        given = _context.current_context() if self.context is None else self.context
        self._contexts = list(given) if isinstance(given, list | tuple) else [given]
        with seeded(self._next_seed()):
            net = make_network(self, X.shape[1], self._n_outputs(), self._contexts)
            shape = output_shape(net, X[0], self._contexts[0])
        expected = self._n_outputs()
        if self.loss is None and int(np.prod(shape)) != expected:
            raise ValueError(
                f"{type(self).__name__}: the network has outputs of shape {shape} for each sample; "
                f"expected {expected} numbers for this y. Pass a function of the numbers of inputs "
                "and outputs as net, or a loss that accepts these outputs"
            )
        self.net_ = net
        self.history_ = _estimator.History()
        self._trainer = make_trainer(self, net)

    def _next_seed(self) -> int:
        return int(self._random.randint(np.iinfo(np.int32).max))

    def _make_estimator(self, metrics: list[Any]) -> Any:
        """Return an Estimator of the network, which logs if `verbose`."""
        made = _estimator.Estimator(
            self.net_,
            self._loss,
            [_metric.Loss("loss"), *metrics],
            trainer=self._trainer,
            context=self._contexts,
            batch_processor=WeightedBatchProcessor(),
        )
        made.logger.setLevel("INFO" if self.verbose else "WARNING")
        return made

    def _train(
        self,
        arrays: list[np.ndarray],
        epochs: int,
        validation: list[np.ndarray] | None = None,
        patience: int | None = None,
    ) -> None:
        given = self._default_metrics() if self.metrics is None else self.metrics
        metrics = [given] if isinstance(given, str | _metric.EvalMetric) else given
        estimator = self._make_estimator([_metric.create(copy.deepcopy(one)) for one in metrics])
        handlers = own_handlers(self.event_handlers, estimator)
        losses = estimator.train_metrics if validation is None else estimator.val_metrics
        if patience is not None:
            handlers.append(_estimator.EarlyStoppingHandler(losses[0], patience=patience))
            if validation is not None:
                handlers.append(BestParameters(losses[0]))
        with seeded(self._next_seed()):
            history = estimator.fit(
                loader(arrays, self.batch_size, self._random),
                validation and loader(validation, max(self.batch_size, _PREDICTION_BATCH)),
                epochs=epochs,
                event_handlers=handlers,
            )
        for epoch in range(history.epochs):
            self.history_.append({name: values[epoch] for name, values in history.items()})
        self.n_iter_ = self.history_.epochs

    # -- prediction ---------------------------------------------------------------------------

    def _outputs(self, X: Any) -> np.ndarray:
        """Return the outputs of the network as float32, its first ones if it has several."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, allow_nd=True, reset=False)
        size = max(self.batch_size, _PREDICTION_BATCH)
        output = self._make_estimator([]).predict(X, batch_size=size)
        first = output[0] if isinstance(output, tuple) else output
        return first.asnumpy()
