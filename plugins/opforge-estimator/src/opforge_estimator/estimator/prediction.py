"""`Predictor`: the outputs of an Estimator's network for data of any size."""

from typing import Any

from opforge.plugin_api import F as nd
from opforge.plugin_api import gluon as _gluon

from .loaders import as_loader, is_array

__all__ = ["Predictor"]


class Predictor:
    """Base class of `Estimator` with `predict`."""

    def predict(self: Any, data: Any, batch_size: int = 256, batch_axis: int = 0) -> Any:
        """Return the outputs of the validation network, in the order of the samples.

        Parameters
        ----------
        data : array, data frame, Dataset or DataLoader
            Samples; batches with labels are accepted, and their labels ignored.
        batch_size : int, default 256
            Samples per call of the network, unless `data` is a loader.
        batch_axis : int, default 0
            Axis of the samples in inputs and outputs.

        Returns
        -------
        NDArray, or tuple of NDArray
            A tuple if the network has several outputs.

        Raises
        ------
        ValueError
            The data are of another type, or have no sample.

        Examples
        --------
        >>> from opforge import gluon, nd
        >>> from opforge.gluon.contrib.estimator import Estimator
        >>> net = gluon.nn.HybridLambda(lambda F, x: 2 * x)
        >>> estimator = Estimator(net, gluon.loss.L2Loss(), trainer=gluon.Trainer(net, "sgd"))
        >>> estimator.predict(nd.array([[1], [2]])).tolist()
        [[2.0], [4.0]]
        """
        given = (data,) if is_array(data) else data
        loader = as_loader("predict: data", given, batch_size)
        parts = [
            output
            for batch in loader
            for output in self._outputs(
                batch[0] if isinstance(batch, list | tuple) else batch, batch_axis
            )
        ]
        if not parts:
            raise ValueError("predict: the data have no sample")
        if isinstance(parts[0], list | tuple):
            return tuple(nd.concat(*part, dim=batch_axis) for part in zip(*parts, strict=True))
        return nd.concat(*parts, dim=batch_axis)

    def _outputs(self: Any, data: Any, batch_axis: int) -> list[Any]:
        """Return the outputs for a batch, one for each context, on the first context."""
        pieces = _gluon.utils.split_and_load(
            data, self.context, batch_axis=batch_axis, even_split=False
        )
        return [_move_outputs(self.val_net(piece), self.context[0]) for piece in pieces]


def _move_outputs(output: Any, context: Any) -> Any:
    if isinstance(output, list | tuple):
        return [_move_outputs(part, context) for part in output]
    return output.as_in_context(context)
