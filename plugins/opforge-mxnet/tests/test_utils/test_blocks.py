import io
import os
import subprocess
import sys

import pytest

from opforge import test_utils


def test_environment_is_put_back(monkeypatch):
    monkeypatch.setenv("OPFORGE_A", "old")
    monkeypatch.delenv("OPFORGE_B", raising=False)
    with pytest.raises(RuntimeError, match="inside"):  # noqa: SIM117
        with test_utils.environment({"OPFORGE_A": None, "OPFORGE_B": "new"}):
            assert "OPFORGE_A" not in os.environ
            assert os.environ["OPFORGE_B"] == "new"
            raise RuntimeError("inside")
    assert os.environ["OPFORGE_A"] == "old"
    assert "OPFORGE_B" not in os.environ


@pytest.mark.parametrize("arguments", [(), ("NAME",), ("NAME", 1), ({"A": "1"}, "2")])
def test_environment_takes_a_name_and_a_value(arguments):
    with pytest.raises(AssertionError, match="environment"):
        test_utils.environment(*arguments).__enter__()


def test_discard_stderr_silences_the_process():
    code = (
        "import os\nfrom opforge import test_utils\n"
        "with test_utils.discard_stderr():\n    os.write(2, b'inside')\n"
        "os.write(2, b'outside')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr == b"outside"


def test_discard_stderr_without_a_file(monkeypatch):
    text = io.StringIO()
    monkeypatch.setattr(sys, "stderr", text)
    with test_utils.discard_stderr():
        print("kept", file=sys.stderr)
    assert text.getvalue() == "kept\n"
