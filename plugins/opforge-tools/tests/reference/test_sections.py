from opforge_tools.reference.sections import formulas_as_code, parameter_rows


def test_rows_of_parameters():
    text = "Parameters\n----------\na, b : int\n    Two\n    numbers.\n**kwargs\n    The rest."
    assert parameter_rows(text) == [("a, b", "int", "Two numbers."), ("**kwargs", "", "The rest.")]


def test_text_before_the_first_name_is_ignored():
    assert parameter_rows("Parameters\n----------\n    lost") == []


def test_formulas_become_code():
    text = "A.\n\n.. math::\n\n    x\n    = y\n\nB.\n\n.. math:: z"
    assert formulas_as_code(text) == "A.\n\n`x = y`\n\nB.\n\n`z`"
    assert formulas_as_code("See .. math:: there") == "See .. math:: there"
