"""Collectors: what calibration keeps of the values of a network."""

from collections.abc import Collection
from typing import Any

from .histograms import Histogram, combine_histogram, first_histogram

__all__ = ["LayerHistogramCollector", "LayerOutputMinMaxCollector"]


class _Collector:
    """Base class: selects values by name, and logs them.

    Parameters
    ----------
    include_layer : collection of str, optional
        Names of the values to collect; None: all.
    logger : logging.Logger, optional
    """

    def __init__(self, include_layer: Collection[str] | None, logger: Any) -> None:
        self.include_layer = include_layer
        self.logger = logger

    def collect(self, name: Any, arr: Any) -> None:
        """Add an array, as a callback of a monitor.

        Parameters
        ----------
        name : str or bytes
        arr : NDArray
        """
        text = name.decode() if isinstance(name, bytes) else str(name)
        if self.include_layer is None or text in self.include_layer:
            self.add(text, arr.asnumpy())

    def add(self, name: str, arr: Any) -> None:
        """Add a NumPy array."""
        raise NotImplementedError


class LayerHistogramCollector(_Collector):
    """Histograms of values, for entropy calibration.

    Parameters
    ----------
    num_bins : int, default 8001
    include_layer : collection of str, optional
    logger : logging.Logger, optional

    Attributes
    ----------
    hist_dict : dict of str to tuple
        Histograms by name.

    Examples
    --------
    >>> from opforge import nd
    >>> collector = LayerHistogramCollector(num_bins=3)
    >>> collector.collect(b"fc_output", nd.array([-3, 0, 0]))
    >>> collector.hist_dict["fc_output"][0].tolist()
    [1, 2, 0]
    """

    def __init__(
        self,
        num_bins: int = 8001,
        include_layer: Collection[str] | None = None,
        logger: Any = None,
    ) -> None:
        super().__init__(include_layer, logger)
        self.hist_dict: dict[str, Histogram] = {}
        self.num_bins = num_bins

    def add(self, name: str, arr: Any) -> None:
        """Add a NumPy array to the histogram of a name."""
        if self.logger:
            self.logger.debug("Collecting layer %s histogram of shape %s", name, arr.shape)
        if name not in self.hist_dict:
            self.hist_dict[name] = first_histogram(arr, self.num_bins)
            return
        low, high = arr.min(), arr.max()
        reach = max(abs(low), abs(high))
        self.hist_dict[name] = combine_histogram(self.hist_dict[name], arr, low, high, reach)


class LayerOutputMinMaxCollector(_Collector):
    """Smallest and largest numbers of values, for naive calibration.

    Parameters
    ----------
    quantized_dtype : str
        Accepted for compatibility with MXNet.
    include_layer : collection of str, optional
    logger : logging.Logger, optional

    Attributes
    ----------
    min_max_dict : dict of str to (float, float)
        Ranges by name.
    """

    def __init__(
        self,
        quantized_dtype: str = "int8",
        include_layer: Collection[str] | None = None,
        logger: Any = None,
    ) -> None:
        super().__init__(include_layer, logger)
        self.min_max_dict: dict[str, tuple[float, float]] = {}
        self.quantized_dtype = quantized_dtype

    def add(self, name: str, arr: Any) -> None:
        """Widen the range of a name by that of a NumPy array."""
        low, high = float(arr.min()), float(arr.max())
        old = self.min_max_dict.get(name, (low, high))
        self.min_max_dict[name] = min(old[0], low), max(old[1], high)
        if self.logger:
            message = "Collecting layer %s min_range=%f, max_range=%f"
            self.logger.debug(message, name, low, high)
