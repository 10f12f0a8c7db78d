import logging
import re

import pytest

from opforge import log


@pytest.fixture
def name():
    yield "opforge.test_log"
    logger = logging.getLogger("opforge.test_log")
    for handler in list(logger.handlers):
        handler.close()
        logger.removeHandler(handler)


def test_a_file(name, tmp_path):
    file = tmp_path / "log.txt"
    logger = log.get_logger(name, str(file), level=log.INFO)
    assert log.get_logger(name) is logger
    assert len(logger.handlers) == 1
    logger.info("hello %d", 3)
    logger.debug("left out")
    try:
        raise KeyError("inner")
    except KeyError:
        logger.exception("failed")
    first, second, *rest = file.read_text().splitlines()
    assert re.fullmatch(
        r"I\d{4} \d\d:\d\d:\d\d \d+ .*test_log\.py:test_a_file:\d+\] hello 3", first
    )
    assert second.startswith("E")
    assert rest[-1] == "KeyError: 'inner'"


@pytest.mark.parametrize(("level", "colour"), [("error", "31"), ("info", "32"), ("debug", "34")])
def test_a_terminal(name, level, colour, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    logger = log.get_logger(name, level=log.NOTSET + 1)
    getattr(logger, level)("message")
    text = capsys.readouterr().err
    assert text.startswith(f"\x1b[{colour}m{level[0].upper()}")
    assert text.endswith("]\x1b[0m message\n")


def test_other_levels_and_the_root(name, capsys):
    logger = log.get_logger(name, level=5)
    logger.log(7, "between")
    assert capsys.readouterr().err.startswith("U")
    before = list(logging.getLogger().handlers)
    assert log.get_logger() is logging.getLogger()
    assert logging.getLogger().handlers == before
    with pytest.warns(DeprecationWarning, match="get_logger"):
        log.getLogger(name)
