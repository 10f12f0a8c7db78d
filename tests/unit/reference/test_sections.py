from opforge.reference.sections import parameter_rows


def test_rows_of_parameters():
    text = "Parameters\n----------\na, b : int\n    Two\n    numbers.\n**kwargs\n    The rest."
    assert parameter_rows(text) == [("a, b", "int", "Two numbers."), ("**kwargs", "", "The rest.")]


def test_text_before_the_first_name_is_of_nobody():
    assert parameter_rows("Parameters\n----------\n    lost") == []
