"""Thread-local values that apply within a block."""

import sys
import threading

import pytest

from opforge.base import thread_values
from opforge.base.thread_values import assigned


class Mode(threading.local):
    """Two values."""

    fast, level = False, 0


def test_values_hold_in_the_block():
    mode = Mode()
    with assigned(mode, fast=True, level=3) as found:
        assert found is mode
        assert (mode.fast, mode.level) == (True, 3)
        with assigned(mode, level=4):
            assert (mode.fast, mode.level) == (True, 4)
        assert (mode.fast, mode.level) == (True, 3)
    assert (mode.fast, mode.level) == (False, 0)


def test_they_are_put_back_after_an_exception():
    mode = Mode()
    with pytest.raises(KeyError), assigned(mode, fast=True):
        raise KeyError
    assert not mode.fast


def test_other_threads_keep_theirs():
    mode = Mode()
    seen = []
    with assigned(mode, fast=True):
        thread = threading.Thread(target=lambda: seen.append(mode.fast))
        thread.start()
        thread.join()
    assert seen == [False]


def test_a_value_must_have_a_default():
    with pytest.raises(AttributeError, match="other"), assigned(Mode(), other=1):
        raise AssertionError("the block ran")


def test_an_interrupt_at_any_line_puts_them_back():
    """Raise KeyboardInterrupt at each line of `assigned`, one after the other."""
    mode = Mode()

    def interrupted(at):
        begun = 0

        def at_lines(frame, event, argument):
            nonlocal begun
            if event == "line":
                begun += 1
                if begun == at:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return at_lines

        def on_call(frame, event, argument):
            return at_lines if frame.f_code.co_filename == thread_values.__file__ else None

        tracer = sys.gettrace()
        sys.settrace(on_call)
        try:
            with assigned(mode, fast=True):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(tracer)
        return begun

    lines = interrupted(0)
    assert lines > 5
    for at in range(1, lines + 1):
        interrupted(at)
        assert not mode.fast, f"interrupted at line {at} of {lines}"
