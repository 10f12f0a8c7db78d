"""Ranges from histograms: those that preserve the distribution of the values best."""

from typing import Any

import numpy as np

from opforge.plugin_api import F

from .histograms import Histogram

__all__ = ["optimal_threshold", "optimal_thresholds", "smooth_distribution"]


def smooth_distribution(p: Any, eps: float = 0.0001) -> Any:
    """Return a distribution in which empty bins have `eps`, taken from the others.

    Raises
    ------
    ValueError
        All bins are empty.

    Examples
    --------
    >>> smooth_distribution(np.array([0, 1, 0]), 0.25).tolist()
    [0.25, 0.5, 0.25]
    """
    is_empty = p == 0
    n_empty = int(is_empty.sum())
    n_others = p.size - n_empty
    if not n_others:
        raise ValueError("The discrete probability distribution is malformed. All entries are 0.")
    lost = eps * n_empty / n_others
    assert lost < 1.0, f"{n_empty} bins are empty and {n_others} are not; eps={eps} is too large"
    smooth = np.where(is_empty, eps, p.astype(np.float32) - lost).astype(np.float32)
    assert not (smooth <= 0).any()
    return smooth


def _is_unsigned(low: Any, quantized_dtype: str) -> bool:
    return bool(low >= 0) and quantized_dtype in ("auto", "uint8")


def optimal_threshold(
    hist_data: Histogram, quantized_dtype: str, num_quantized_bins: int = 255
) -> tuple[Any, Any, Any, Any]:
    """Return smallest and largest number, the best threshold and its divergence.

    Parameters
    ----------
    hist_data : tuple
        Counts, edges, smallest and largest number, magnitude; see `combine_histogram`.
    quantized_dtype : {"int8", "uint8", "auto"}
    num_quantized_bins : int, default 255
        Levels of the integers; numbers from 0 on have twice as many in uint8.
    """
    counts, edges, low, high, _ = hist_data
    assert len(counts) % 2 == 1, f"the histogram has {len(counts)} bins; expected an odd number"
    if _is_unsigned(low, quantized_dtype):
        num_quantized_bins = num_quantized_bins * 2 + 1
    threshold, divergence = F.contrib.calibrate_entropy(
        F.array(counts), F.array(edges), num_quantized_bins=num_quantized_bins
    )
    return low, high, threshold.asnumpy(), divergence.asnumpy()


def optimal_thresholds(
    hist_dict: dict[str, Histogram],
    quantized_dtype: str,
    num_quantized_bins: int = 255,
    logger: Any = None,
) -> dict[str, tuple[float, float]]:
    """Return the best ranges by name, and remove the histograms, which take memory.

    Parameters
    ----------
    hist_dict : dict of str to tuple
        Histograms by name; empty afterwards.
    quantized_dtype : {"int8", "uint8", "auto"}
    num_quantized_bins : int, default 255
    logger : logging.Logger, optional
    """
    assert isinstance(hist_dict, dict)
    found: dict[str, tuple[float, float]] = {}
    for name in list(hist_dict):
        low, high, threshold, divergence = optimal_threshold(
            hist_dict.pop(name), quantized_dtype, num_quantized_bins
        )
        reach = float(threshold[0])
        found[name] = (0.0 if _is_unsigned(low, quantized_dtype) else -reach, reach)
        if logger:
            message = "layer=%s, min_val=%f, max_val=%f, th=%f, divergence=%f"
            logger.debug(message, name, low, high, reach, float(divergence[0]))
    return found
