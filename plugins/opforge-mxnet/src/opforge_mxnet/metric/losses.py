"""`Torch` and `Caffe`: the mean of a loss under other names."""

from collections.abc import Sequence

from opforge.plugin_api import metric

__all__ = ["Caffe", "Torch"]


class Torch(metric.Loss):
    """Mean of a loss that an operator of Torch computed.

    Parameters
    ----------
    name : str, default "torch"
    output_names, label_names : list of str, optional
    """

    def __init__(
        self,
        name: str = "torch",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)


class Caffe(metric.Loss):
    """Mean of a loss that an operator of Caffe computed.

    Parameters
    ----------
    name : str, default "caffe"
    output_names, label_names : list of str, optional
    """

    def __init__(
        self,
        name: str = "caffe",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)
