"""Forward passes that show the values of a network to a collector."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from opforge.plugin_api import sym

__all__ = ["collect_layer_statistics"]


def collect_layer_statistics(
    symbol: Any,
    params: Mapping[str, Any],
    data: Any,
    collector: Any,
    ctx: Any,
    layers: Collection[str],
    max_num_examples: int | None = None,
    data_names: Sequence[str] | None = None,
) -> int:
    """Compute values of a network for examples, and pass each to ``collector.collect``.

    Parameters
    ----------
    symbol : Symbol
    params : mapping of str to NDArray
        Arguments and auxiliary states by name.
    data : DataIter
    collector : object
        Has ``collect(name, array)``, which gets the names as bytes.
    ctx : Context
    layers : collection of str
        Names of the values.
    max_num_examples : int, optional
        Number of examples after which to stop; default: all.
    data_names : sequence of str, optional
        Names of the arrays of a batch; default: those of the iterator.

    Returns
    -------
    int
        Number of examples.
    """
    internals = symbol.get_internals()
    wanted = {name: internals[name] for name in internals.list_outputs() if name in layers}
    if not wanted:
        return 0
    group = sym.Group(list(wanted.values()))
    given = [*data.provide_data, *(data.provide_label or [])]
    names = [*(data_names or [item.name for item in data.provide_data])]
    names += [item.name for item in data.provide_label or []]
    shapes = {name: item.shape for name, item in zip(names, given, strict=False)}
    executor = group.simple_bind(ctx, grad_req="null", **shapes)
    for values in (executor.arg_dict, executor.aux_dict):
        for name, array in values.items():
            if name in params:
                params[name].copyto(array)
    n_examples = 0
    for batch in data:
        arrays = dict(zip(names, [*batch.data, *(batch.label or [])], strict=False))
        inputs = {name: array for name, array in arrays.items() if name in executor.arg_dict}
        outputs = executor.forward(is_train=False, **inputs)
        for name, array in zip(wanted, outputs, strict=True):
            collector.collect(name.encode(), array)
        n_examples += data.batch_size
        if max_num_examples is not None and n_examples >= max_num_examples:
            break
    return n_examples
