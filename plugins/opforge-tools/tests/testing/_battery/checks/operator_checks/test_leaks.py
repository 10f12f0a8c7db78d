import pytest

from opforge.op.declaring.declaration import OperatorProp


def leaking(keep):
    class Keeps(OperatorProp):
        """Add one."""

        name = "keeps_something"

        def compose(self, F, data):
            keep(data)
            return data + 1

    return Keeps


def test_operators_without_leaks_pass(outcome):
    assert outcome("leaks", leaking(lambda data: None)).samples == 1000


@pytest.mark.keeps_memory
def test_arrays_objects_and_memory(outcome):
    kept = []
    found = outcome("leaks", leaking(kept.append))
    assert "Python objects; data of single calls are kept alive" in found.message
    samples = [[(20, 30)]]
    found = outcome("leaks", leaking(kept.append), samples=samples)
    assert "bytes of arrays" in found.message
    found = outcome("leaks", leaking(lambda data: kept.append(bytearray(100_000))))
    assert found.status == "failed"
