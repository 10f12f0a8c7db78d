"""`FeedForward`: MXNet's first training API, deprecated; implemented with `Module`."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge import metric
from opforge.base.context import Context
from opforge.checkpoint import load_checkpoint, save_checkpoint
from opforge.initializer import Uniform
from opforge.io import DataIter, NDArrayIter
from opforge.ndarray import NDArray
from opforge.symbol import Symbol

from .executor_manager import _check_arguments
from .io.resize_iter import ResizeIter
from .module import BaseModule, BucketingModule, Module

__all__ = ["FeedForward"]

_Arrays = NDArray | np.ndarray


class FeedForward:
    """Model that trains a symbol on arrays or an iterator, and predicts.

    Parameters
    ----------
    symbol : Symbol, or callable
        A callable maps a bucket key to its symbol.
    ctx : Context or list of one, optional
    num_epoch : int, optional
    epoch_size : int, optional
        Batches per epoch; None: all batches of the data.
    optimizer : str or Optimizer, default "sgd"
    initializer : Initializer, default Uniform(0.01)
    numpy_batch_size : int, default 128
        Batch size for arrays.
    arg_params, aux_params : dict of str to NDArray, optional
    allow_extra_params : bool, default False
        Whether `arg_params` and `aux_params` may hold parameters that the symbol lacks.
    begin_epoch : int, default 0
    **kwargs
        Settings of the optimizer.

    Examples
    --------
    >>> import warnings, opforge as mx
    >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    >>> values = {"fc_weight": mx.nd.ones((1, 2)), "fc_bias": mx.nd.zeros((1,))}
    >>> with warnings.catch_warnings(action="ignore"):
    ...     model = FeedForward(net, arg_params=values, aux_params={})
    >>> model.predict(np.ones((3, 2))).tolist()
    [[2.0], [2.0], [2.0]]
    """

    def __init__(
        self,
        symbol: Symbol | Callable[[Any], Symbol],
        ctx: Context | Sequence[Context] | None = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = None,
        numpy_batch_size: int = 128,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
        begin_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        warnings.warn(
            "model.FeedForward has been deprecated. Please use mod.Module instead.",
            DeprecationWarning,
            stacklevel=2,
        )
        self.symbol = symbol if isinstance(symbol, Symbol) else None
        self.sym_gen = None if isinstance(symbol, Symbol) else symbol
        self.ctx = ctx
        self.num_epoch = num_epoch
        self.epoch_size = epoch_size
        self.optimizer = optimizer
        self.initializer = Uniform(0.01) if initializer is None else initializer
        self.numpy_batch_size = numpy_batch_size
        self.arg_params = arg_params
        self.aux_params = aux_params
        self.allow_extra_params = allow_extra_params
        self.begin_epoch = begin_epoch
        self.kwargs = kwargs
        if self.symbol is not None:
            _check_arguments(self.symbol)

    # -- training and prediction --------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        monitor: Any = None,
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
    ) -> None:
        """Train the model.

        Parameters
        ----------
        X : DataIter, NDArray or numpy.ndarray
        y : NDArray or numpy.ndarray, optional
            Labels, for arrays.
        eval_data : DataIter, or pair of arrays, optional
            Validated after each epoch.
        eval_metric, epoch_end_callback, kvstore, monitor, eval_end_callback, \
eval_batch_end_callback
            As in `Module.fit`.
        batch_end_callback : callable, or list of them, optional
            Called after each batch as in `Module.fit`, but the first batch has the number 1.
        logger : logging.Logger, optional
        work_load_list
            Accepted; there is one device.
        """
        data = self._iterator(X, y, True)
        module = self._module(data, logger)
        args, states = self._known_params(module)
        module.fit(
            data if self.epoch_size is None else ResizeIter(data, self.epoch_size, False),
            eval_data=self._validation(eval_data),
            eval_metric=eval_metric,
            epoch_end_callback=epoch_end_callback,
            batch_end_callback=_counted_from_one(batch_end_callback),
            kvstore=kvstore,
            optimizer=self.optimizer,
            optimizer_params=self.kwargs,
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
            initializer=self.initializer,
            arg_params=args,
            aux_params=states,
            allow_missing=True,
            begin_epoch=self.begin_epoch,
            num_epoch=self.num_epoch,
            monitor=monitor,
        )
        self.symbol = module.symbol
        self.arg_params, self.aux_params = module.get_params()

    def predict(
        self,
        X: Any,
        num_batch: int | None = None,
        return_data: bool = False,
        reset: bool = True,
    ) -> Any:
        """Return the outputs as NumPy arrays; a single array for a single output.

        Parameters
        ----------
        X : DataIter, NDArray or numpy.ndarray
        num_batch : int, optional
            Stop after this number of batches.
        return_data : bool, default False
            Return ``(outputs, data, labels)``.
        reset : bool, default True
            Reset the iterator first.
        """
        data = self._iterator(X, None, False)
        kinds: tuple[list[list[np.ndarray]], ...] = ([], [], [])
        module = self._predicting(data)
        for outputs, _, batch in module.iter_predict(data, num_batch, reset):
            size = batch.data[0].shape[0] - (batch.pad or 0)
            for kind, arrays in zip(kinds, (outputs, batch.data, batch.label or ()), strict=True):
                kind.append([array[:size].asnumpy() for array in arrays])
        joined = [_join_batches(kind) for kind in kinds]
        return tuple(joined) if return_data else joined[0]

    def score(
        self,
        X: Any,
        eval_metric: Any = "acc",
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        reset: bool = True,
    ) -> Any:
        """Return the value of a metric for the predictions; see `Module.score`."""
        data = self._iterator(X, None, False)
        measured = metric.create(eval_metric)
        module = self._predicting(data)
        module.score(data, measured, num_batch, batch_end_callback, reset=reset)
        return measured.get()[1]

    # -- files --------------------------------------------------------------------------------

    def save(self, prefix: str, epoch: int | None = None, remove_amp_cast: bool = True) -> None:
        """Write a checkpoint; `epoch` defaults to `num_epoch`."""
        number = self.num_epoch if epoch is None else epoch
        assert number is not None, "FeedForward.save: pass epoch=, num_epoch is not known"
        assert self.arg_params is not None, "FeedForward.save: call fit() first"
        save_checkpoint(
            prefix, number, self.symbol, self.arg_params, self.aux_params or {}, remove_amp_cast
        )

    @staticmethod
    def load(
        prefix: str, epoch: int, ctx: Context | Sequence[Context] | None = None, **kwargs: Any
    ) -> "FeedForward":
        """Load a model from a checkpoint, for prediction or further training."""
        symbol, args, states = load_checkpoint(prefix, epoch)
        return FeedForward(
            symbol, ctx, arg_params=args, aux_params=states, begin_epoch=epoch, **kwargs
        )

    @staticmethod
    def create(
        symbol: Any,
        X: Any,
        y: Any = None,
        ctx: Context | Sequence[Context] | None = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = None,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        **kwargs: Any,
    ) -> "FeedForward":
        """Create and train a model; see `FeedForward` and `fit`."""
        model = FeedForward(symbol, ctx, num_epoch, epoch_size, optimizer, initializer, **kwargs)
        model.fit(
            X,
            y,
            eval_data,
            eval_metric,
            epoch_end_callback,
            batch_end_callback,
            kvstore,
            logger,
            work_load_list,
            None,
            eval_end_callback,
            eval_batch_end_callback,
        )
        return model

    # -- what is between ----------------------------------------------------------------------

    def _module(self, data: DataIter, logger: Any = None) -> BaseModule:
        names = [desc[0] for desc in data.provide_data]
        labels = [desc[0] for desc in data.provide_label or ()]
        options = {"context": self.ctx} | ({} if logger is None else {"logger": logger})
        if self.sym_gen is not None:
            generate = self.sym_gen
            return BucketingModule(
                lambda key: (generate(key), names, labels),
                default_bucket_key=data.default_bucket_key,  # type: ignore[attr-defined]
                **options,
            )
        assert self.symbol is not None
        return Module(self.symbol, names, labels, **options)

    def _predicting(self, data: DataIter) -> BaseModule:
        """Return a module with the parameters, bound for prediction."""
        assert self.arg_params is not None, "FeedForward: call fit(), or give arg_params"
        assert self.symbol is not None
        names = [desc[0] for desc in data.provide_data]
        arguments = self.symbol.list_arguments()
        # An iterator without labels still describes some.
        known_shapes = {desc[0]: desc[1] for desc in data.provide_data}
        inferred, _, _ = self.symbol.infer_shape_partial(**known_shapes)
        shapes = dict(zip(arguments, inferred, strict=True))
        labels = [desc for desc in data.provide_label or () if shapes.get(desc[0]) == desc[1]]
        known = {*self.arg_params, *names, *(desc[0] for desc in labels)}
        # Missing labels are zeros.
        absent = [name for name in arguments if name not in known and name.endswith("label")]
        given = [desc[0] for desc in labels]
        module = Module(self.symbol, names, given, context=self.ctx, state_names=absent)
        module.bind(data.provide_data, labels or None, for_training=False)
        module.set_params(*self._known_params(module))
        return module

    def _known_params(self, module: BaseModule) -> tuple[Any, Any]:
        """Return the parameters, restricted to those of the symbol with `allow_extra_params`."""
        args, states = self.arg_params, self.aux_params
        if module.symbol is None or not self.allow_extra_params:
            return args, states
        names = set(module.symbol.list_inputs())
        return _only(args, names), _only(states, names)

    def _iterator(self, data: Any, labels: Any, for_training: bool) -> DataIter:
        if isinstance(data, DataIter):
            return data
        if not isinstance(data, _Arrays):
            raise TypeError(
                f"X must be DataIter, NDArray or numpy.ndarray, got {type(data).__name__}"
            )
        if labels is None:
            if for_training:
                raise ValueError("y must be specified when X is an array")
            labels = np.zeros(data.shape[0])
        if not isinstance(labels, _Arrays):
            raise TypeError(f"y must be an array when X is one, got {type(labels).__name__}")
        if data.shape[0] != labels.shape[0]:
            raise ValueError(f"X has {data.shape[0]} samples, y has {labels.shape[0]}")
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels.reshape((-1,))
        if labels.ndim != 1:
            raise ValueError(f"y must have shape (n,) or (n, 1), got {labels.shape}")
        size = min(data.shape[0], self.numpy_batch_size)
        handling = "roll_over" if for_training else "pad"
        return NDArrayIter(data, labels, size, shuffle=for_training, last_batch_handle=handling)

    def _validation(self, eval_data: Any) -> DataIter | None:
        if eval_data is None or isinstance(eval_data, DataIter):
            return eval_data
        if not isinstance(eval_data, list | tuple) or len(eval_data) != 2:
            raise TypeError("eval_data must be a DataIter, or a pair of data and labels")
        data, labels = (np.asarray(v) if isinstance(v, list) else v for v in eval_data)
        return self._iterator(data, labels, True)


def _counted_from_one(callbacks: Any) -> Any:
    """Return callbacks that get the numbers of batches increased by 1."""
    if not callbacks:
        return callbacks

    def call(param: Any) -> None:
        for callback in callbacks if isinstance(callbacks, list | tuple) else [callbacks]:
            callback(param._replace(nbatch=param.nbatch + 1))

    return call


def _only(arrays: Mapping[str, NDArray] | None, names: set[str]) -> dict[str, NDArray] | None:
    return None if arrays is None else {n: array for n, array in arrays.items() if n in names}


def _join_batches(batches: list[list[np.ndarray]]) -> Any:
    joined = [np.concatenate(arrays) for arrays in zip(*batches, strict=True)]
    return joined[0] if len(joined) == 1 else joined
