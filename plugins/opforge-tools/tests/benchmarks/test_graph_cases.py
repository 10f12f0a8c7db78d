"""The cases of hybridized blocks."""

import numpy as np
import pytest
from opforge_tools.benchmarks.graph_cases import GRAPHS
from opforge_tools.benchmarks.opforge_programs import PROGRAMS
from opforge_tools.benchmarks.programs import twelve_operators

from opforge import ndarray as nd


def test_every_case_has_a_target_and_both_libraries():
    for case in GRAPHS:
        assert case.group == "graphs" and case.target is not None
        assert case.libraries == ("opforge", "torch")
        assert case.program in PROGRAMS


@pytest.mark.plugins
def test_the_chain_equals_separate_operators():
    a = nd.array(np.linspace(-2, 2, 100))
    run = PROGRAMS["compiled_chain"]({"a": a})["run"]
    np.testing.assert_allclose(
        run().asnumpy(), twelve_operators(nd, a).asnumpy(), rtol=1e-6, atol=1e-7
    )


@pytest.mark.plugins
def test_the_custom_operator_is_differentiated():
    x = nd.array(np.linspace(-1, 1, 12).reshape(3, 4))
    x.attach_grad()
    PROGRAMS["custom_in_the_middle"]({"x": x})["run"]()
    assert np.isfinite(x.grad.asnumpy()).all() and np.abs(x.grad.asnumpy()).max() > 0
