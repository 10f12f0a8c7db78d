"""`einsum`, computed by matrix products."""

from collections.abc import Iterable
from math import prod
from typing import Any, NamedTuple

from ..op.declaring.attribute import Attribute
from ._operator import StdOperator
from ._subscripts import Contraction, contraction

__all__: list[str] = []

Shape = tuple[int, ...]


class Einsum(StdOperator):
    r"""Sum products of elements over the axes that are not in the result of `subscripts`.

    .. math:: y_{ik} = \sum_j a_{ij} \, b_{jk} \quad\text{is}\quad \texttt{ij,jk->ik}

    Operands are multiplied pairwise by matrix products.
    """

    name = "_einsum"
    dtypes = ("floating", "integer")
    aliases = ("_npi_einsum",)
    category = "linear"
    attrs = {"IsPure": True}
    variadic = "num_args"
    arguments = ("data",)
    num_args = Attribute(int, default=1, ge=1, doc="Number of operands; set by the call.")
    subscripts = Attribute(str, doc="Labels of the axes of operands and result.")
    optimize = Attribute(
        bool, default=False, doc="Use the order of products with the fewest operations."
    )

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        if not all(shapes):
            return [()]
        plan = self._plan(shapes)
        return [tuple(plan.lengths[label] for label in plan.output) or (1,)]

    def _plan(self, shapes: Iterable[Shape]) -> Contraction:
        return contraction("einsum", self.subscripts, tuple(shapes), self.optimize)

    def compose(self, F: Any, *operands: Any) -> Any:
        """Extract diagonals, multiply pairwise, and transpose the result."""
        plan = self._plan(operand.shape for operand in operands)
        shape = tuple(plan.lengths[label] for label in plan.output) or (1,)
        if 0 in plan.lengths.values():
            nothing = F.add_n(*(F.sum(F.zeros_like(operand)) for operand in operands))
            return F.broadcast_add(F.zeros(shape, dtype=nothing.dtype), nothing)
        work = [
            _without_ones(_diagonal(F, _Operand(*pair)), plan.lengths)
            for pair in zip(operands, plan.inputs, strict=True)
        ]
        for positions in plan.order:
            factors = [work[i] for i in positions]
            work = [item for i, item in enumerate(work) if i not in positions]
            result = factors[0]
            for i, item in enumerate(factors[1:], 2):
                others = [*factors[i:], *work]
                result = _product(F, result, item, {*plan.output, *_all_labels(others)}, plan)
            work.append(result)
        (result,) = work
        return _reshape(
            _transpose_to(F, _sum_unwanted(F, result, plan.output), plan.output).array, shape
        )


class _Operand(NamedTuple):
    """An array and the labels of its axes."""

    array: Any
    labels: str


def _all_labels(operands: Iterable[_Operand]) -> set[str]:
    return set().union(*(operand.labels for operand in operands))


def _reshape(array: Any, shape: Shape) -> Any:
    return array if array.shape == shape else array.reshape(shape)


def _transpose_to(F: Any, operand: _Operand, labels: str) -> _Operand:
    """Transpose an operand to the order of `labels`."""
    if operand.labels == labels:
        return operand
    axes = tuple(operand.labels.index(label) for label in labels)
    return _Operand(F.transpose(operand.array, axes=axes), labels)


def _diagonal(F: Any, operand: _Operand) -> _Operand:
    """Return the diagonal of an operand over each label that it has several times."""
    array, labels = operand
    while len(set(labels)) < len(labels):
        label = max(labels, key=labels.count)
        first = labels.index(label)
        second = labels.index(label, first + 1)
        array = F.diag(array, axis1=first, axis2=second)
        labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return _Operand(array, labels)


def _without_ones(operand: _Operand, lengths: dict[str, int]) -> _Operand:
    """Remove the axes of length 1 that broadcast."""
    array, labels = operand
    kept = [n == lengths[label] for label, n in zip(labels, array.shape, strict=True)]
    if all(kept):
        return operand
    shape = tuple(n for n, keep in zip(array.shape, kept, strict=True) if keep)
    names = "".join(label for label, keep in zip(labels, kept, strict=True) if keep)
    return _Operand(array.reshape(shape or (1,)), names)


def _sum_unwanted(F: Any, operand: _Operand, wanted: Iterable[str]) -> _Operand:
    """Sum over the axes whose labels are not in `wanted`."""
    wanted = set(wanted)
    axes = tuple(i for i, label in enumerate(operand.labels) if label not in wanted)
    if not axes:
        return operand
    labels = "".join(label for label in operand.labels if label in wanted)
    return _Operand(F.sum(operand.array, axis=axes), labels)


def _product(F: Any, a: _Operand, b: _Operand, wanted: set[str], plan: Contraction) -> _Operand:
    """Multiply two operands and sum over the axes that are not in `wanted`."""
    a = _sum_unwanted(F, a, wanted | set(b.labels))
    b = _sum_unwanted(F, b, wanted | set(a.labels))
    shared = [label for label in a.labels if label in b.labels]
    batch = "".join(label for label in shared if label in wanted)
    inner = "".join(label for label in shared if label not in wanted)
    rows = "".join(label for label in a.labels if label not in shared)
    columns = "".join(label for label in b.labels if label not in shared)
    if inner:
        left, flips_left = _matrices(F, a, batch, rows, inner, plan)
        right, flips_right = _matrices(F, b, batch, inner, columns, plan)
        made = F.matmul(left, right, transpose_a=flips_left, transpose_b=flips_right)
    else:
        left = _transpose_to(F, a, batch + rows).array
        right = _transpose_to(F, b, batch + columns).array
        count, height, width = (_size(each, plan) for each in (batch, rows, columns))
        made = F.broadcast_mul(
            _reshape(left, (count, height, 1)), _reshape(right, (count, 1, width))
        )
    labels = batch + rows + columns
    shape = tuple(plan.lengths[label] for label in labels) or (1,)
    return _Operand(_reshape(made, shape), labels)


def _size(labels: str, plan: Contraction) -> int:
    return prod(plan.lengths[label] for label in labels)


def _matrices(
    F: Any, operand: _Operand, batch: str, first: str, second: str, plan: Contraction
) -> tuple[Any, bool]:
    """Return an operand as a batch of matrices, and whether these are transposed."""
    straight = batch + first + second
    # A vector is both; without transposing, its products read memory in order.
    flips = operand.labels == batch + second + first != straight
    if not flips:
        operand = _transpose_to(F, operand, straight)
    lengths = _size(first, plan), _size(second, plan)
    lead = (_size(batch, plan),) if batch else ()
    shape = (*lead, *(lengths[::-1] if flips else lengths))
    return _reshape(operand.array, shape), flips
