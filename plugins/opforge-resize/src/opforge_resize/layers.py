"""Reflection padding layer."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import HybridBlock


class ReflectionPad2D(HybridBlock):
    """Pad images with their reflection.

    Parameters
    ----------
    padding : int or sequence of 8 int, default 0
        Elements at each end of height and width, or the `pad_width` of the operator `Pad`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> x = nd.array([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> gluon.nn.ReflectionPad2D(1)(x).asnumpy()[0, 0].tolist()[0]
    [4.0, 3.0, 4.0, 3.0]
    """

    def __init__(self, padding: int | Sequence[int] = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        widths = (0, 0, 0, 0) + (padding,) * 4 if isinstance(padding, int) else tuple(padding)
        if len(widths) != 8:
            raise ValueError(
                f"ReflectionPad2D: padding is {padding!r}; expected an integer, or 8 of them: "
                "before and after each of four axes"
            )
        self._padding = widths

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the padded image."""
        return F.pad(x, mode="reflect", pad_width=self._padding)
