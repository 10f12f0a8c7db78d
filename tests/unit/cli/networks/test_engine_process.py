import threading
from multiprocessing import Pipe

import numpy as np
import pytest

from opforge import nd, sym
from opforge.base.errors import OpforgeError
from opforge.cli.networks import engine_process
from opforge.cli.networks.engine_process import EngineProcess, Worker, serve
from opforge.cli.networks.engines import OPFORGE, Setup
from opforge.cli.networks.files import Network, write
from opforge.native.threads import parallel

X = np.zeros((1, 2), "float32")


@pytest.fixture
def setup(tmp_path):
    path = tmp_path / "net-symbol.json"
    net = sym.dot(sym.exp(sym.var("x"), name="e"), sym.var("w"), name="product")
    write(Network(net, {"w": nd.array([[1, 2], [3, 4]])}), path, {})
    return Setup(OPFORGE, path, None, {"x": X}, parallel.get_num_threads())


def test_measurements_of_a_worker(setup):
    worker = Worker(setup)
    assert worker.start["first"] > 0
    assert worker.outputs()[0].tolist() == [[4, 6]]
    assert worker.latency(0) and worker.throughput(2, 0) > 0
    rows = {row["name"]: row for row in worker.operators(0)}
    assert rows["e"]["type"] == "exp" and rows["product"]["type"] == "dot"
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1)


def test_memory_is_unknown_without_a_file_of_the_system(setup, monkeypatch, tmp_path):
    worker = Worker(setup)
    status = tmp_path / "status"
    status.write_text("Name: x\nVmHWM:   3 kB\nVmRSS:   2 kB\n")
    monkeypatch.setattr(engine_process, "_STATUS", status)
    assert worker.memory() == {"peak": 3072, "resident": 2048}
    monkeypatch.setattr(engine_process, "_STATUS", tmp_path / "missing")
    assert worker.memory() == {"peak": None, "resident": None}


def serve_in_thread(setup):
    ours, theirs = Pipe()
    thread = threading.Thread(target=serve, args=(theirs, setup))
    thread.start()
    return ours, thread


def test_requests_are_answered_until_the_connection_is_closed(setup):
    connection, thread = serve_in_thread(setup)
    assert connection.recv()[1].keys() == {"first", "imported"}
    connection.send(("outputs", ()))
    kind, outputs = connection.recv()
    assert kind == "result" and outputs[0].tolist() == [[4, 6]]
    connection.close()
    thread.join(10)
    assert not thread.is_alive()


def test_errors_are_answers(setup):
    connection, thread = serve_in_thread(setup._replace(inputs={"x": np.zeros((1, 3), "float32")}))
    kind, text = connection.recv()
    thread.join(10)
    assert kind == "error" and "dot" in text


def test_a_process_measures_and_ends(setup):
    with EngineProcess(setup) as process:
        assert process.start["first"] > 0
        assert process.ask("outputs")[0].tolist() == [[4, 6]]
        with pytest.raises(OpforgeError, match=r"opforge: AttributeError: .*nothing"):
            process.ask("nothing")
        with pytest.raises(OpforgeError, match="the process of opforge ended with exit status 0"):
            process.ask("outputs")
    with (
        pytest.raises(OpforgeError, match=r"missing-symbol\.json"),
        EngineProcess(setup._replace(source=setup.source.with_name("missing-symbol.json"))),
    ):
        pass
