"""Tracebacks that begin at a plugin's own code."""

from opforge.plugin.importing import import_object
from opforge.plugin.tracebacks import last_line, plugin_traceback


def caught(value):
    try:
        import_object(value)
    except BaseException as error:
        return error.with_traceback(error.__traceback__.tb_next)  # without this frame
    raise AssertionError("nothing was raised")


def test_frames_of_the_loader_are_left_out(tmp_path, monkeypatch):
    (tmp_path / "fx_fails.py").write_text("raise RuntimeError('first\\nsecond')")
    monkeypatch.syspath_prepend(tmp_path)
    error = caught("fx_fails")
    assert "fx_fails.py" in plugin_traceback(error)
    assert "loading.py" not in plugin_traceback(error)
    assert last_line(error) == "second"


def test_an_error_without_a_line_of_the_plugin_is_one_line():
    error = caught("opforge.plugin:nothing")
    text = "AttributeError: module 'opforge.plugin' has no attribute 'nothing'"
    assert plugin_traceback(error) == last_line(error) == text
