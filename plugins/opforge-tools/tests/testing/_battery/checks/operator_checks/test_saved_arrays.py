from .conftest import Square


class Honest(Square):
    """Say what is read."""

    saves = ("data",)


class Wrong(Square):
    """Say that the output is read, where the input is."""

    saves = ("output",)


def test_undeclared_reads_fail(outcome):
    assert outcome("saved arrays", Honest).status == "passed"
    found = outcome("saved arrays", Wrong)
    assert found.status == "failed"
    assert "gradient of input 0 depends on some of data, which the declaration does not list" in (
        found.message
    )


def test_where_there_is_nothing_to_spoil(outcome):
    assert outcome("saved arrays", Square).message == "the declaration lists all arrays"
    assert "composed of operators" in outcome("saved arrays", "tanh").message
