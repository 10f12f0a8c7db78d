"""Context variables; tests/stress/test_out_of_memory.py tests them without memory."""

import sys
from contextvars import ContextVar, copy_context

from opforge.base.context_variables import TOKEN_BYTES, assign


def test_a_variable_is_set_and_reset():
    variable = ContextVar("opforge_test", default=1)

    def work():
        token = assign(variable, 2)
        changed = variable.get()
        variable.reset(token)
        return changed, variable.get()

    assert copy_context().run(work) == (2, 1)
    assert variable.get() == 1


def test_as_many_bytes_are_as_large_as_a_token():
    token = copy_context().run(assign, ContextVar("opforge_test"), None)
    assert sys.getsizeof(bytes(TOKEN_BYTES)) == sys.getsizeof(token)
