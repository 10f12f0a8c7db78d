"""`compare`: compare several providers of one operator on the same inputs."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.native.memory.buffer import memory_stats
from opforge.op.registry import registry

from ._closeness import ordinals

__all__ = ["Comparison", "ProviderRun", "compare"]

#: Number of timed calls; the median counts.
_CALLS = 7


@dataclass(frozen=True)
class ProviderRun:
    """Results of one provider.

    Parameters
    ----------
    provider : str
    outputs : list of numpy.ndarray
    seconds : float
        Median of several calls, after a warm-up call.
    memory_bytes : int
        Peak array memory that a call added, including outputs.
    ulp, absolute : float
        Largest difference from the first provider: in units in the last place of the outputs'
        type, and as a number. Infinite where one has a NaN, or another shape.
    """

    provider: str
    outputs: list[Any]
    seconds: float
    memory_bytes: int
    ulp: float
    absolute: float


@dataclass(frozen=True)
class Comparison:
    """Results of several providers of one operator, printed as a table."""

    operator: str
    runs: list[ProviderRun]

    @property
    def ulp(self) -> float:
        """Largest difference between the first provider and another, in units in the last place."""
        return max((run.ulp for run in self.runs), default=0.0)

    def __str__(self) -> str:
        width = max(8, *(len(run.provider) for run in self.runs))
        titles = "time (ms)  memory (KiB)  difference (ulp)"
        lines = [f"{self.operator}: {'provider':{width}}  {titles}"]
        indent = " " * (len(self.operator) + 2)
        lines += [
            f"{indent}{run.provider:{width}}  {run.seconds * 1e3:9.3f}"
            f"  {run.memory_bytes / 1024:12.1f}  {run.ulp:16g}"
            for run in self.runs
        ]
        return "\n".join(lines)


def compare(
    name: str,
    providers: Sequence[str] | None = None,
    inputs: Sequence[Any] | None = None,
    *,
    shape: tuple[int, ...] = (64, 1024),
    dtype: Any = "float32",
    seed: int = 0,
    **attributes: Any,
) -> Comparison:
    """Run an operator of several distributions on the same inputs.

    Parameters
    ----------
    name : str
        The short name.
    providers : sequence of str, optional
        Distributions to compare with the first of them; ``"opforge"`` is the primitive set.
        Default: all that provide the name.
    inputs : sequence of array, optional
        Default: standard normal numbers of `shape` and `dtype` for each input.
    shape : tuple of int
    dtype : type
    seed : int
        Seed of the random inputs.
    **attributes
        Attributes of the operator.

    Returns
    -------
    Comparison

    Raises
    ------
    OperatorNotFoundError
        No distribution provides the operator.
    PluginError
        One of `providers` does not provide it.

    Examples
    --------
    >>> comparison = compare("softmax", ["opforge-softmax", "opforge-softmax"], axis=0)
    >>> comparison.ulp
    0.0
    """
    chosen = list(providers) if providers is not None else _providers(name)
    entries = [registry.lookup(f"{provider}::{name}") for provider in chosen]
    if inputs is None:
        declared = entries[0].prop_class(**attributes)
        inputs = _random(len(declared.list_arguments()), shape, dtype, seed)
    arrays = [nd.array(item, dtype=np.asarray(item).dtype) for item in inputs]
    runs: list[ProviderRun] = []
    for provider in chosen:
        function = getattr(nd, f"{provider}::{name}")
        outputs, seconds, memory = _run(function, arrays, attributes)
        first = runs[0].outputs if runs else outputs
        ulp, absolute = _difference(first, outputs)
        runs.append(ProviderRun(provider, outputs, seconds, memory, ulp, absolute))
    return Comparison(name, runs)


def _providers(name: str) -> list[str]:
    found = list(registry.explain(name).candidates)
    if not found:
        registry.lookup(name)  # raises an error that lists the providers
    return found


def _random(count: int, shape: tuple[int, ...], dtype: Any, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(dtype) for _ in range(count)]


def _run(function: Any, arrays: list[Any], attributes: dict[str, Any]) -> tuple[Any, float, int]:
    """Return the outputs, the median time of a call, and the memory that the first one added."""
    before = memory_stats()["live_bytes"]
    outputs = _as_list(function(*arrays, **attributes))
    memory = memory_stats()["live_bytes"] - before
    values = [out.asnumpy() for out in outputs]
    times = []
    for _ in range(_CALLS):
        start = time.perf_counter()
        for out in _as_list(function(*arrays, **attributes)):
            out.wait_to_read()
        times.append(time.perf_counter() - start)
    return values, statistics.median(times), memory


def _difference(first: Sequence[Any], second: Sequence[Any]) -> tuple[float, float]:
    """Return the largest difference of two lists of arrays, in ulp and absolute."""
    if [a.shape for a in first] != [b.shape for b in second]:
        return float("inf"), float("inf")
    pairs = list(zip(first, second, strict=True))
    return max(_ulp(a, b) for a, b in pairs), max(_absolute(a, b) for a, b in pairs)


def _ulp(first: Any, second: Any) -> float:
    if first.dtype != second.dtype or first.size == 0:
        return 0.0 if first.dtype == second.dtype else float("inf")
    if first.dtype.kind != "f":
        return _absolute(first, second)
    if not np.array_equal(np.isnan(first), np.isnan(second)):
        return float("inf")
    known = ~np.isnan(first)
    gaps = np.abs(ordinals(first[known]) - ordinals(second[known]))
    return float(gaps.max(initial=0))


def _absolute(first: Any, second: Any) -> float:
    if first.size == 0:
        return 0.0
    differs = (first != second) & ~((first != first) & (second != second))
    pair = (array[differs].astype(np.float64) for array in (first, second))
    gaps = np.abs(np.subtract(*pair))
    return float("inf") if np.isnan(gaps).any() else float(gaps.max(initial=0))


def _as_list(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
