"""Battery for contributions other than operators and layers: a row of small checks per kind.

A contribution whose constructor needs no arguments is exercised as in training. Others are left to
their author's tests, which the report notes.
"""

import inspect
import pickle
import tempfile
from collections.abc import Callable
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge import random
from opforge import symbol as sym
from opforge.base.errors import ShapeError
from opforge.op.registry.entry import Entry
from opforge.op.registry.kinds import KINDS
from opforge.op.registry.table import TABLES
from opforge.op.rules.kinds import RULE_KINDS

from ..report.report import Report
from .check import Check, NotApplicable
from .running import run_checks, selected

__all__ = ["check_contribution"]

#: Number of samples per check.
_SHAPES = ((3,), (2, 3))
#: An epoch with more batches is assumed to be infinite.
_MOST_BATCHES = 1000


def check_contribution(noun: str, entry: Entry, only: str | None = None) -> Report:
    """Return the report of a contribution of a loaded distribution.

    Parameters
    ----------
    noun : str
        Kind of the contribution, neither "operator" nor "layer".
    entry : Entry
    only : str, optional
        Regular expression that ``name/check`` must match.
    """
    checks = selected((*_COMMON, *_CHECKS.get(noun, ())), entry.name, only)
    return Report(entry.name, noun, entry.provider_text, run_checks(checks, entry, {}))


def _check_documentation(entry: Entry) -> int:
    """Check that the contribution has a docstring."""
    text = getattr(entry.prop_class, "__dict__", {}).get("__doc__") or entry.prop_class.__doc__
    if not (text or "").strip():
        raise AssertionError(f"{entry.name} has no docstring; lists and pages show its first line")
    return 1


def _check_base(entry: Entry) -> int:
    """Check that the object has the type that its kind requires."""
    (noun,) = [n for n, table in TABLES.items() if entry in table.versions(entry.name)]
    problem = KINDS[noun].problem(entry.prop_class)
    if problem:
        raise AssertionError(problem)
    return 1


def _create_instance(entry: Entry) -> Any:
    """Return an instance created without arguments."""
    parameters = inspect.signature(entry.prop_class).parameters.values()
    needed = [
        p.name
        for p in parameters
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if needed:
        raise NotApplicable(f"its constructor requires {', '.join(needed)}")
    try:
        return entry.prop_class()
    except FileNotFoundError as error:  # the default of an argument
        raise NotApplicable(f"its constructor reads {error.filename}, which is missing") from error


def _weights(entry: Entry) -> list[tuple[Any, ...]]:
    """Return fixed weights and gradients, without weights of shapes that the optimizer rejects."""
    generator, optimizer, pairs, said = np.random.default_rng(0), _create_instance(entry), [], ""
    for shape in _SHAPES:
        pair = tuple(nd.array(generator.uniform(0.5, 1.5, shape), dtype="float32") for _ in "wg")
        try:
            optimizer.create_state(0, pair[0])
        except ShapeError as error:
            said = str(error)
        else:
            pairs.append(pair)
    if not pairs:
        raise NotApplicable(f"it rejects weights of one and two dimensions; {said}")
    return pairs


def _check_step(entry: Entry) -> int:
    """Check that a step updates each weight in place, to finite numbers."""
    from opforge.optimizer import get_updater

    update, pairs = get_updater(_create_instance(entry)), _weights(entry)
    for index, (weight, grad) in enumerate(pairs):
        before, slope = weight.asnumpy(), grad.asnumpy()
        for _ in range(3):  # the first step of some optimizers is 0
            update(index, grad, weight)
        after = weight.asnumpy()
        if not np.isfinite(after).all():
            raise AssertionError(f"three steps from {before} by {slope} give {after}")
        if not (after != before).any():
            raise AssertionError(f"three steps by the gradient {slope} leave {before}")
        if not (grad.asnumpy() == slope).all():
            raise AssertionError("a step changes the gradient")
    return len(pairs)


def _check_states(entry: Entry) -> int:
    """Check that training continues identically after states are saved and loaded."""
    from opforge.optimizer import get_updater

    # Each has its own optimizer, because optimizers count updates.
    going, loaded = get_updater(_create_instance(entry)), get_updater(_create_instance(entry))
    pairs = _weights(entry)
    for index, (weight, grad) in enumerate(pairs):
        going(index, grad, weight)
    loaded.set_states(going.get_states(dump_optimizer=True))
    for index, (weight, grad) in enumerate(pairs):
        copy = weight.copy()
        for update, array in ((going, weight), (loaded, copy)):
            random.seed(0)  # of optimizers that draw numbers
            update(index, grad, array)
        if not np.allclose(weight.asnumpy(), copy.asnumpy(), rtol=1e-5):
            raise AssertionError(
                f"after saving and loading states, a step gives {copy.asnumpy()}; expected "
                f"{weight.asnumpy()}"
            )
    return len(pairs)


def _check_filled(entry: Entry) -> int:
    """Check that every element is initialized to a finite number."""
    from opforge.initializer import InitDesc

    initializer = _create_instance(entry)
    for shape in ((4, 3), (8, 4, 3, 3)):
        array = nd.full(shape, np.nan)
        initializer(InitDesc("dense0_weight"), array)
        left = int((~np.isfinite(array.asnumpy())).sum())
        if left:
            raise AssertionError(
                f"{left} elements of a weight of shape {shape} are unchanged or not finite"
            )
    return 2


def _check_reset(entry: Entry) -> int:
    """Check that reset() restores the initial state: the same batch gives the same value."""
    said = ""
    for preds in ([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], [0.9, 0.2, 0.6]):
        metric = _create_instance(entry)
        values = []
        for _ in range(2):
            try:
                metric.update([nd.array([0, 1, 1])], [nd.array(preds)])
            # Metrics may require other batches and may raise any error for these.
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
                break
            values.append(np.asarray(metric.get()[1], dtype=float))
            metric.reset()
        else:
            first, second = values
            if not np.array_equal(first, second, equal_nan=True):
                raise AssertionError(
                    f"the value of the same batch is {first}, and {second} after reset()"
                )
            return len(values)
    raise NotApplicable(f"it rejects small batches of classes and of numbers; {said}")


def _check_sum(entry: Entry) -> int:
    """Check that one worker gets its own value back, and the sum over its contexts."""
    store = _create_instance(entry)
    for count in (1, 2):
        value = [nd.array([1.0, 2.0]) for _ in range(count)]
        store.broadcast(str(count), value[0], value)
        if not all(array.asnumpy().tolist() == [1, 2] for array in value):
            raise AssertionError(
                f"broadcast([1, 2]) gives {[array.asnumpy().tolist() for array in value]}"
            )
        out = [nd.zeros(2) for _ in range(count)]
        store.pushpull(str(count), value, out=out)
        for array in out:
            if array.asnumpy().tolist() != [count, 2 * count]:
                raise AssertionError(
                    f"pushpull of {count} times [1, 2] gives {array.asnumpy().tolist()}"
                )
    return 2


def _check_rates(entry: Entry) -> int:
    """Check that the rate of each update is finite and not negative."""
    scheduler = _create_instance(entry)
    rates = [float(scheduler(at)) for at in range(10)]
    if not all(np.isfinite(rate) and rate >= 0 for rate in rates):
        raise AssertionError(f"the rates are {rates}")
    return len(rates)


def _check_samples(entry: Entry) -> int:
    """Check that it has a length and, if not empty, a first and a last sample."""
    dataset = _create_instance(entry)
    if len(dataset):
        for at in (0, len(dataset) - 1):
            dataset[at]
    return 2


def _check_batches(entry: Entry) -> int:
    """Check that batches match their description and that reset() gives the same number of them."""
    iterator = _create_instance(entry)
    counts = []
    for _ in range(2):
        counts.append(0)
        for batch in islice(iterator, _MOST_BATCHES):
            shapes = [tuple(array.shape) for array in batch.data]
            described = batch.provide_data or iterator.provide_data
            said = [tuple(desc.shape) for desc in described]
            if shapes != said:
                raise AssertionError(
                    f"a batch has data of shapes {shapes}; provide_data has {said}"
                )
            counts[-1] += 1
        iterator.reset()
    if not counts[0]:
        raise AssertionError("the first epoch has no batches")
    if counts[0] != counts[1]:
        raise AssertionError(f"the first epoch has {counts[0]} batches, after reset() {counts[1]}")
    return sum(counts)


def _check_export(entry: Entry) -> int:
    """Check that a small network is exported to a file without changing its parameters."""
    net = sym.FullyConnected(sym.var("data", shape=(4, 3)), num_hidden=2, name="fc")
    params = {"fc_weight": nd.ones((2, 3)), "fc_bias": nd.zeros(2)}
    before = {name: array.asnumpy() for name, array in params.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net")
        _create_instance(entry).export(net, params, path)
        written = [file for file in Path(folder).rglob("*") if file.is_file()]
        if not any(file.stat().st_size for file in written):
            raise AssertionError(f"export of a fully connected layer to {path} wrote nothing")
    for name, array in params.items():
        if not (array.asnumpy() == before[name]).all():
            raise AssertionError(f"export changes {name}")
    return 1


def _check_optimized(entry: Entry) -> int:
    """Check that a small network keeps its names, and its results up to rounding."""
    net = sym.Activation(
        sym.elemwise_mul(sym.var("data"), sym.var("scale")), act_type="relu", name="act"
    )
    net = sym.Group([sym.FullyConnected(net, num_hidden=2, name="fc"), net])
    args = {
        "data": nd.array([[1.0, -2.0, 3.0]]),
        "scale": nd.array([[2.0, 1.0, 0.5]]),
        "fc_weight": nd.ones((2, 3)),
        "fc_bias": nd.zeros(2),
    }
    given = dict(args)
    optimized = net.optimize_for(_create_instance(entry), given, {})
    if optimized.list_outputs() != net.list_outputs():
        raise AssertionError(
            f"outputs are {optimized.list_outputs()}; expected {net.list_outputs()}"
        )
    for name, expected, actual in zip(
        net.list_outputs(), net.eval(**args), optimized.eval(**given), strict=True
    ):
        if not np.allclose(actual.asnumpy(), expected.asnumpy(), rtol=1e-2, atol=1e-3):
            raise AssertionError(
                f"{name} is {actual.asnumpy().tolist()}; expected {expected.asnumpy().tolist()}"
            )
    return 2


def _check_names(entry: Entry) -> int:
    """Check that the module can be imported by its name and defines everything in `__all__`."""
    module = entry.contribution
    expression = KINDS["module"].call(entry.name)
    found = import_module(expression)
    if found is not module:
        raise AssertionError(
            f"{expression} is {found.__name__}, which takes precedence; rename the module"
        )
    names = getattr(module, "__all__", None)
    if names is None:
        raise AssertionError(f"{module.__name__} has no __all__; define its public names")
    missing = [name for name in names if not hasattr(module, name)]
    if missing:
        raise AssertionError(
            f"__all__ of {module.__name__} lists {missing}, which the module does not define"
        )
    return len(names)


def _check_rule(entry: Entry) -> int:
    """Check that a rule is named as rules are, and that it can be called as its kind is."""
    kind, mark, operator = entry.name.partition(":")
    if not (kind and mark and operator):
        raise AssertionError(f"the name is {entry.name!r}, expected KIND:OPERATOR")
    known = RULE_KINDS.get(kind)
    if known is None:
        return 1  # only its exporter knows the parameters
    parameters = known.parameters.replace("*inputs", "input").split(", ")
    try:
        inspect.signature(entry.prop_class).bind(*parameters)
    except TypeError as error:
        raise AssertionError(
            f"{error}; a {kind} rule is called with ({known.parameters})"
        ) from None
    return 2


def _check_copies(entry: Entry) -> int:
    """Check that it can be pickled, as data loaders with workers require."""
    try:
        pickle.loads(pickle.dumps(_create_instance(entry)))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise AssertionError(f"it cannot be pickled: {error}") from error
    return 1


_Run = Callable[[Entry], int]


def _table(*rows: tuple[str, _Run]) -> tuple[Check, ...]:
    return tuple(Check(name, run) for name, run in rows)


#: Checks of every kind.
_COMMON = _table(("base class", _check_base), ("documentation", _check_documentation))
#: Noun -> additional checks.
_CHECKS = {
    "optimizer": _table(
        ("step", _check_step), ("saved states", _check_states), ("copies", _check_copies)
    ),
    "initializer": _table(("fills", _check_filled), ("copies", _check_copies)),
    "metric": _table(("reset", _check_reset)),
    "kvstore": _table(("sums", _check_sum)),
    "scheduler": _table(("rates", _check_rates), ("copies", _check_copies)),
    "dataset": _table(("samples", _check_samples), ("copies", _check_copies)),
    "iterator": _table(("batches", _check_batches)),
    "exporter": _table(("writes", _check_export)),
    "rule": _table(("name and parameters", _check_rule)),
    "backend": _table(("results", _check_optimized)),
    "module": _table(("names", _check_names)),
}
