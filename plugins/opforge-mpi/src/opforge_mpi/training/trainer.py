"""`DistributedTrainer`: a `Trainer` that updates with the gradients of all ranks."""

from collections.abc import Collection
from typing import Any

from opforge.plugin_api import Trainer

from ..collectives.session import world
from .gradients import Gradients

__all__ = ["DistributedTrainer"]


class DistributedTrainer(Trainer):
    """Update parameters with the mean of all ranks' gradients.

    A step of N ranks with batches of B equals that of one process with a batch of N * B:
    ``step(B)`` divides by B and by the number of ranks.

    Parameters
    ----------
    params : ParameterDict, dict or list of Parameter
        Usually ``net.collect_params()``; all ranks start with the values of rank 0.
    optimizer : str or Optimizer
    optimizer_params : dict, optional
        Arguments of the optimizer.
    compression_params : dict, optional
        ``{"type": "2bit", "threshold": 0.5}`` sends gradients with two bits per value, and adds
        the remainder to the next ones.

    Raises
    ------
    DistributedError
        Parameters differ between ranks in name, shape or type.
    OpforgeError
        The type of compression is unknown, or the threshold is not positive.

    Examples
    --------
    >>> from opforge import autograd, gluon
    >>> weight = gluon.Parameter("weight", shape=(1,), init="ones")
    >>> weight.initialize()
    >>> trainer = DistributedTrainer([weight], "sgd", {"learning_rate": 0.5})
    >>> with autograd.record():
    ...     loss = weight.data() * 2
    >>> loss.backward()
    >>> trainer.step(batch_size=1)
    >>> weight.data().asscalar().item()
    0.0
    """

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: dict[str, Any] | None = None,
        compression_params: dict[str, Any] | None = None,
    ) -> None:
        ranks = world()
        store = "horovod" if ranks.size > 1 else "device"
        super().__init__(
            params, optimizer, optimizer_params, store, compression_params, update_on_kvstore=False
        )
        self._scale /= ranks.size
        self._kvstore: Any
        # Copies on several contexts are summed in the store, after the backward pass.
        uses_store = ranks.size == 1 or len(self._contexts) > 1
        self._gradients = None
        if not uses_store:
            self._gradients = Gradients(ranks, self._params, self._kvstore.threshold)

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Sum gradients over the ranks and update all parameters.

        If the optimizer allows it, the sums are read without copying them, and gradients remain
        those of this rank, as with MXNet's stores. `allreduce_grads` replaces them by the sums.

        Parameters
        ----------
        batch_size : int
            Batch size of this rank; gradients are divided by it and by the number of ranks.
        ignore_stale_grad : bool, default False
            See `Trainer.step`.
        """
        # Loss scaling checks the gradients for overflow, and all ranks must get the same result.
        self._reads_totals = (
            self._gradients is not None
            and self._optimizer.keeps_gradients
            and self._amp_loss_scaler is None
        )
        try:
            super().step(batch_size, ignore_stale_grad)
            self._finish()
        except UserWarning:
            self._finish()  # a gradient is stale, but the other ranks wait for this one's part
            raise
        finally:
            self._reads_totals = False

    #: True if the update reads the sums instead of the gradients.
    _reads_totals = False

    def _gradients_of(self, index: int) -> list[Any]:
        if self._reads_totals:
            assert self._gradients is not None
            return [self._gradients.total(index)]
        return super()._gradients_of(index)

    def _value_was_set(self, param: Any) -> None:
        """Compare the parameter values of all ranks at the next step."""
        super()._value_was_set(param)
        if self._gradients is not None:
            self._gradients.compare()

    def _finish(self) -> None:
        if self._reads_totals:
            assert self._gradients is not None
            self._gradients.finish()

    def _update_copies(
        self, position: int, indices: list[int], gradients: list[Any], values: list[Any]
    ) -> None:
        """Update the parameters whose sums have arrived while the others are in progress."""
        if not self._reads_totals:
            super()._update_copies(position, indices, gradients, values)
            return
        assert self._gradients is not None
        self._updaters[position].expect(indices, values)
        arrays_of = dict(zip(indices, zip(gradients, values, strict=True), strict=True))
        for arrived in self._gradients.arriving():
            updated = [index for index in arrived if index in arrays_of]
            pairs = [arrays_of[index] for index in updated]
            super()._update_copies(
                position, updated, [one for one, _ in pairs], [one for _, one in pairs]
            )

    def _allreduce_grads(self, left_out: Collection[int] = ()) -> None:
        """Replace the gradients of all ranks by their sum.

        Most of the work is done by then, because the sum of a gradient starts when the backward
        pass has completed it. Gradients modified between the pass and this call, for example by
        clipping, are summed again, so that the modification takes effect.
        """
        if self._gradients is None:
            super()._allreduce_grads(left_out)
        elif self._reads_totals:
            self._gradients.begin()
        else:
            self._gradients.sum()
            self._gradients.collect()
