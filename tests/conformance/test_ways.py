"""Every registered operator gives the same results in all execution modes.

These are: on arrays, bound as a symbol, hybridized, and saved and loaded; forward and backward.
"""

import pytest

from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import catalogue
from opforge.op.registry.registry import lookup, names
from opforge.testing import check_ways

from . import draws, plugins, vision
from .test_operators import CASES, SPARSE, arrays_of

OURS = {"opforge", *catalogue.first_party("operator").values()}
ROWS = [*plugins.ROWS, *vision.ROWS, *draws.ROWS]
#: Operators that read bytes or draw at random; opforge-image's tests run them in all modes.
ELSEWHERE = {"_cvimdecode", "_cvimread"}
ELSEWHERE |= {f"_image_random_flip_{way}" for way in ("left_right", "top_bottom")}
#: The battery of opforge-linalg runs its operators in all modes.
LINEAR_ALGEBRA = {name for name in names() if lookup(name).provider == "opforge-linalg"}
#: Operators that change their inputs; opforge-optimizers tests them.
UPDATES = {name for name in names() if getattr(lookup(name).prop_class, "category", "") == "update"}
#: Operators on sparse arrays; the tests of their plugins run them.
SPARSE_IN_PLUGINS = {
    name
    for name in names()
    if issubclass(lookup(name).prop_class, OperatorProp) and lookup(name).prop_class.compute_sparse
}
AVAILABLE = {lookup(name).prop_class.name for name in names() if lookup(name).provider in OURS}


def test_every_registered_operator_has_a_row():
    rows = set(CASES) | {row.operator for row in ROWS}
    assert (
        AVAILABLE - ELSEWHERE - SPARSE - SPARSE_IN_PLUGINS - LINEAR_ALGEBRA - UPDATES - rows
        == set()
    )


@pytest.mark.parametrize("name", sorted(CASES))
def test_primitive_operators(name):
    case = CASES[name]

    def call_operator(F, *inputs):
        return getattr(F, name)(*inputs, **call.attrs)

    for position, call in enumerate(case.calls):
        # The forward table has all types for every shape; here only the first call has them.
        for dtype in case.dtypes if position == 0 else case.dtypes[:1]:
            arrays = arrays_of(case, case.draw(call), dtype)
            check_ways(call_operator, arrays, wanted=case.smooth, modes=(True,))


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if row.operator in AVAILABLE],
    ids=lambda row: f"{row.operator}-{row.attrs}",
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_operators_with_references_elsewhere(row, dtype):
    values = row.draw(dtype)
    n_inputs = len(values) - row.n_states
    check_ways(
        lambda F, *inputs: getattr(F, row.operator)(*inputs, **row.attrs),
        values[:n_inputs],
        states=values[n_inputs:],
        rtol=row.rtol,
        wanted=row.wanted,
    )
