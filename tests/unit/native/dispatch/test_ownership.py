import sys

import pytest

from opforge.native.dispatch import ownership, temporaries


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="counts leave the evaluation stack out")
def test_counts_are_learnt_from_a_call_of_the_same_form():
    assert ownership._counts_are_exact()
    learnt = temporaries.trust_references(None)
    temporaries.trust_references(learnt)
    name = object()
    holder = (object(),)
    # Outside of the assertion, which pytest rewrites to keep the values.
    counts = [
        ownership._parameter_references(object()),
        ownership._parameter_references(name),
        ownership._parameter_references(*holder),
    ]
    assert counts == [learnt, learnt + 1, learnt + 1]


@pytest.mark.parametrize(
    ("name", "version", "abiflags"),
    [("cpython", (3, 14, 0), ""), ("cpython", (3, 13, 0), "t"), ("pypy", (3, 11, 0), "")],
)
def test_other_interpreters_are_not_trusted(monkeypatch, name, version, abiflags):
    implementation = type("Implementation", (), {"name": name})
    monkeypatch.setattr(ownership.sys, "implementation", implementation)
    monkeypatch.setattr(ownership.sys, "version_info", version)
    monkeypatch.setattr(ownership.sys, "abiflags", abiflags)
    assert not ownership._counts_are_exact()
