import signal

from opforge.plugin.interrupts import was_raised_by_code


def test_a_raise_statement():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        assert was_raised_by_code(error)


def test_a_signal_and_an_exception_that_was_never_raised():
    try:
        signal.raise_signal(signal.SIGINT)
        for _ in range(1000):
            pass
    except KeyboardInterrupt as error:
        assert not was_raised_by_code(error)
    assert not was_raised_by_code(KeyboardInterrupt())
