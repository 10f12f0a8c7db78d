import opforge


def test_contrib_has_the_operators_of_both_namespaces():
    assert opforge.contrib.nd is opforge.contrib.ndarray is opforge.nd.contrib
    assert opforge.contrib.sym is opforge.contrib.symbol is opforge.sym.contrib
