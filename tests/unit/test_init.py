import opforge.init
import opforge.initializer


def test_the_short_name_is_the_same_module():
    assert opforge.init.Xavier is opforge.initializer.Xavier
