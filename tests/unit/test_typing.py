from typing import Any

import opforge


def test_the_namespace_of_operators_is_anything_until_stubs_say_more():
    assert opforge.typing.Operators is Any
