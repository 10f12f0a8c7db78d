"""`DistributedTrainer`: a `Trainer` whose steps are those of all ranks together."""

from collections.abc import Collection
from typing import Any

from opforge.plugin_api import Trainer

from .gradients import Gradients
from .running import world

__all__ = ["DistributedTrainer"]


class DistributedTrainer(Trainer):
    """Updates parameters from the mean of all ranks' gradients.

    A step of N ranks with batches of B is that of one process with a batch of N * B: ``step(B)``
    divides by B and by the number of ranks.

    Parameters
    ----------
    params : ParameterDict, dict or list of Parameter
        Usually ``net.collect_params()``; all ranks begin with those of rank 0.
    optimizer : str or Optimizer
    optimizer_params : dict, optional
        Arguments of the optimizer.
    compression_params : dict, optional
        ``{"type": "2bit", "threshold": 0.5}``: gradients travel in two bits a value, and what is
        not sent is added to the next ones.

    Raises
    ------
    DistributedError
        Parameters of ranks differ in name, shape or type.
    OpforgeError
        The type of compression is unknown, or the threshold not positive.

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
        # Copies on several contexts are summed in the store, behind the backward pass.
        alone = ranks.size == 1 or len(self._contexts) > 1
        self._gradients = None
        if not alone:
            self._gradients = Gradients(ranks, self._params, self._kvstore.threshold)

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Sum gradients over the ranks and update all parameters.

        Where the optimizer allows it the sums are read where they are: gradients stay this rank's
        own, as those of MXNet's stores do. `allreduce_grads` makes them the sums.

        Parameters
        ----------
        batch_size : int
            Of this rank; gradients are divided by it and by the number of ranks.
        ignore_stale_grad : bool, default False
            As `Trainer.step`.
        """
        # A scaled loss looks for overflows in the gradients, and all ranks must find the same.
        self._reads_totals = (
            self._gradients is not None
            and self._optimizer.keeps_gradients
            and self._amp_loss_scaler is None
        )
        try:
            super().step(batch_size, ignore_stale_grad)
            self._finish()
        except UserWarning:
            self._finish()  # a gradient is stale: the other ranks wait for this one's part
            raise
        finally:
            self._reads_totals = False

    #: Whether the update reads sums where they are.
    _reads_totals = False

    def _gradients_of(self, index: int) -> list[Any]:
        if self._reads_totals:
            assert self._gradients is not None
            return [self._gradients.total(index)]
        return super()._gradients_of(index)

    def _value_was_set(self, param: Any) -> None:
        """Let all ranks see at the next step whether they have the same values still."""
        super()._value_was_set(param)
        if self._gradients is not None:
            self._gradients.compare()

    def _finish(self) -> None:
        if self._reads_totals:
            assert self._gradients is not None
            self._gradients.finish()

    def _update_copies(
        self, place: int, indices: list[int], gradients: list[Any], values: list[Any]
    ) -> None:
        """Update the parameters whose sums are there while the others' are under way."""
        if not self._reads_totals:
            super()._update_copies(place, indices, gradients, values)
            return
        assert self._gradients is not None
        self._updaters[place].expect(indices, values)
        of_index = dict(zip(indices, zip(gradients, values, strict=True), strict=True))
        for arrived in self._gradients.arriving():
            some = [index for index in arrived if index in of_index]
            pairs = [of_index[index] for index in some]
            super()._update_copies(
                place, some, [one for one, _ in pairs], [one for _, one in pairs]
            )

    def _allreduce_grads(self, left_out: Collection[int] = ()) -> None:
        """Make the gradients of all ranks the sum of all.

        Most of it is done by then: the sum of a gradient begins when the backward pass has
        completed it. Gradients that are written between the pass and this call, as by clipping, are
        summed once more, so that what is written counts.
        """
        if self._gradients is None:
            super()._allreduce_grads(left_out)
        elif self._reads_totals:
            self._gradients.begin()
        else:
            self._gradients.sum()
            self._gradients.collect()
