"""GroupNorm: normalize groups of channels of each sample."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError


class GroupNorm(OperatorProp):
    r"""Normalize each group of channels of each sample, then scale and shift it.

    .. math:: y = \gamma \, \frac{x - \mu_{ng}}{\sqrt{\sigma_{ng}^2 + \epsilon}} + \beta

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[[1.0], [3.0], [10.0], [30.0]]])
    >>> y = nd.GroupNorm(x, nd.ones((2,)), nd.zeros((2,)), num_groups=2)
    >>> y.round().asnumpy().ravel().tolist()
    [-1.0, 1.0, -1.0, 1.0]
    """

    name = "GroupNorm"
    category = "normalization"
    arguments = ("data", "gamma", "beta")
    dtypes = ("floating",)
    num_groups = Attribute(
        int, default=1, ge=1, doc="Number of groups; must divide the number of channels."
    )
    eps = Attribute(float, default=1e-5, gt=0, doc="Added to the variance.")
    output_mean_var = Attribute(
        bool, default=False, doc="Also return the mean and the standard deviation."
    )
    argument_docs = {
        "data": "shape (n, channels, d1, ...), floating",
        "gamma": "shape (num_groups,)",
        "beta": "shape (num_groups,)",
    }

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs; mean and deviation only with `output_mean_var`."""
        return ["output", "mean", "std"] if self.output_mean_var else ["output"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the data's shape; mean and deviation have one element per sample and group."""
        data, each = in_shape[0], (self.num_groups,)
        if data and len(data) < 3:
            raise ShapeError(
                f"operator 'GroupNorm': data has shape {tuple(data)}; expected at least three "
                "dimensions (n, channels, d1, ...)"
            )
        if data and data[1] % self.num_groups:
            raise ShapeError(
                f"operator 'GroupNorm': num_groups={self.num_groups} does not divide the {data[1]} "
                f"channels of data of shape {tuple(data)}. Pass a divisor of {data[1]}"
            )
        moments = [(data[0], self.num_groups) if data else None] * 2
        return [data, each, each], [data, *moments][: len(self.list_outputs())], []

    def _expect_one_per_group(self, **given: Any) -> None:
        """Validate the shapes of gamma and beta, which eager calls pass without inference."""
        for name, shape in given.items():
            if shape and tuple(shape) != (self.num_groups,):
                raise ShapeError(
                    f"operator 'GroupNorm': {name} has shape {tuple(shape)}; expected "
                    f"({self.num_groups},) because num_groups={self.num_groups}"
                )

    def compose(self, F: Any, data: Any, gamma: Any, beta: Any) -> Any:
        """Normalize each group with the kernel of LayerNorm."""
        shape, groups = tuple(data.shape), self.num_groups
        self.infer_shape([shape, None, None])
        self._expect_one_per_group(gamma=gamma.shape, beta=beta.shape)
        size = 1
        for length in shape[1:]:
            size *= length
        size //= groups
        if size == 0 or shape[0] == 0:
            empty = F.zeros((shape[0], groups), dtype=data.dtype)
            same = F.identity(data)
            return [same, empty, empty] if self.output_mean_var else same
        flat = data.reshape((shape[0] * groups, size))
        one, zero = F.ones((size,), dtype=data.dtype), F.zeros((size,), dtype=data.dtype)
        normal, mean, std = F.LayerNorm(flat, one, zero, eps=self.eps, output_mean_var=True)
        normal = normal.reshape((shape[0], groups, size))
        scaled = F.broadcast_mul(normal, gamma.reshape((1, groups, 1)))
        shifted = F.broadcast_add(scaled, beta.reshape((1, groups, 1)))
        result = shifted.reshape(shape)
        if not self.output_mean_var:
            return result
        each = (shape[0], groups)
        return [result, mean.reshape(each), std.reshape(each)]
