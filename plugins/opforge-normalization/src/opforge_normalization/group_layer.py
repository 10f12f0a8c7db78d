"""Group normalization layer."""

from typing import Any

from .layers import _Affine


class GroupNorm(_Affine):
    """Normalize each group of channels of each sample, then scale and shift it.

    Parameters
    ----------
    num_groups : int, default 1
        Number of groups; must divide the number of channels.
    epsilon : float, default 1e-5
        Added to the variance.
    center, scale : bool, default True
        Whether beta and gamma are learned; each has one element per group.
    beta_initializer, gamma_initializer : Initializer or str
        Zeros and ones.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.GroupNorm(num_groups=2)
    >>> layer.initialize()
    >>> layer(nd.array([[[1.0], [3.0], [10.0], [30.0]]])).round().asnumpy().ravel().tolist()
    [-1.0, 1.0, -1.0, 1.0]
    """

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(
            *(1, epsilon, center, scale, beta_initializer, gamma_initializer, num_groups),
            prefix=prefix,
            params=params,
        )
        self._num_groups = num_groups

    def _repr_values(self) -> dict[str, Any]:
        return {
            "eps": self._epsilon,
            "num_groups": self._num_groups,
            "center": self._center,
            "scale": self._scale,
        }

    def hybrid_forward(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Return the normalized data."""
        return F.GroupNorm(data, gamma, beta, num_groups=self._num_groups, eps=self._epsilon)
