"""The machine's limits: measured with NumPy, and what share of them a case reaches."""

import pytest
from opforge_tools.benchmarks import limits
from opforge_tools.benchmarks.case import Case

LIMITS = limits.Limits(bytes_per_second=1e9, flops_per_second=1e10)


def test_shares():
    moving = Case("move", "group", sizes={"n": 10**6}, nbytes="8 * n")
    counting = Case("count", "group", sizes={"n": 10**6}, nbytes="8 * n", flops="1000 * n")
    assert LIMITS.share(moving, 0.016) == pytest.approx(0.5)
    assert LIMITS.share(counting, 0.2) == pytest.approx(0.5)
    assert LIMITS.share(Case("call", "group"), 1.0) is None


def test_the_dictionary_has_both():
    assert LIMITS.as_dict() == {"bytes_per_second": 1e9, "flops_per_second": 1e10}


@pytest.mark.parametrize("threads", [1, 2])
def test_limits_are_measured(monkeypatch, threads):
    monkeypatch.setattr(limits, "COPY", limits.COPY.resized(n=10**5))
    monkeypatch.setattr(limits, "PRODUCT", limits.PRODUCT.resized(n=64))
    found = limits.measure(threads, 0)
    assert 1e6 < found.bytes_per_second < 1e13
    assert 1e6 < found.flops_per_second < 1e13
