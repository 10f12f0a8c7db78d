"""No loader runs code from a file, as docs/explanation/security.md promises for each."""

import io
import os
import pickle
import tarfile
from pathlib import Path

import numpy as np
import pytest

import opforge as mx
from opforge import gluon, nd, sym
from opforge.checkpoint import CheckpointManager


class Bomb:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def array_of_objects(bomb):
    stream = io.BytesIO()
    np.save(stream, np.array([bomb], dtype=object), allow_pickle=True)
    return stream.getvalue()


def archive(bomb):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        content = pickle.dumps(bomb)
        info = tarfile.TarInfo("cifar-10-batches-bin/data_batch_1.bin")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


#: Ways in which a file may carry code.
CONTENTS = {
    "pickle": pickle.dumps,
    "old pickle": lambda bomb: pickle.dumps(bomb, 0),
    "npy": array_of_objects,
    "archive": archive,
    "python": lambda bomb: f"import os; os.mkdir({bomb.path!r})".encode(),
    "json": lambda bomb: (
        b'{"nodes": [{"op": "null", "name": "__import__(\'os\').mkdir(\''
        + bomb.path.encode()
        + b'\')", "inputs": []}], "arg_nodes": [0], "heads": [[0, 0, 0]]}'
    ),
}


def dense():
    net = gluon.nn.Dense(2, in_units=2)
    net.initialize()
    return net


def trainer():
    return gluon.Trainer(dense().collect_params(), "sgd", {"momentum": 0.9})


def module():
    made = mx.mod.Module(sym.FullyConnected(sym.var("data"), num_hidden=2), label_names=None)
    made.bind([("data", (1, 2))])
    made.init_params()
    made.init_optimizer(kvstore=None)
    return made


def store():
    made = mx.kv.create("local")
    made.init(0, nd.ones(2))
    made.set_optimizer(mx.optimizer.SGD())
    return made


#: Every function that reads a file from an untrusted source.
LOADERS = {
    "nd.load": lambda path: nd.load(path),
    "nd.load_frombuffer": lambda path: nd.load_frombuffer(Path(path).read_bytes()),
    "sym.load": lambda path: sym.load(path),
    "sym.load_json": lambda path: sym.load_json(Path(path).read_bytes()),
    "sym.fromjson": lambda path: sym.fromjson(Path(path).read_bytes()),
    "Block.load_parameters": lambda path: dense().load_parameters(path),
    "ParameterDict.load": lambda path: dense().collect_params().load(path),
    "SymbolBlock.imports": lambda path: gluon.SymbolBlock.imports(path, ["data"], path),
    "Trainer.load_states": lambda path: trainer().load_states(path),
    "Module.load_params": lambda path: module().load_params(path),
    "Module.load_optimizer_states": lambda path: module().load_optimizer_states(path),
    "KVStore.load_optimizer_states": lambda path: store().load_optimizer_states(path),
    "Updater.set_states": lambda path: mx.optimizer.get_updater(mx.optimizer.SGD()).set_states(
        Path(path).read_bytes()
    ),
    "MXRecordIO": lambda path: mx.recordio.MXRecordIO(path, "r").read(),
    "recordio.unpack": lambda path: mx.recordio.unpack(Path(path).read_bytes()),
    "image.imread": lambda path: mx.image.imread(path),
    "CSVIter": lambda path: list(mx.io.CSVIter(path, (1,), batch_size=1)),
    "LibSVMIter": lambda path: list(mx.io.LibSVMIter(path, (1,), batch_size=1)),
}
pytestmark = [pytest.mark.plugins, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("name", LOADERS)
def test_a_file_runs_no_code(name, kind, tmp_path):
    fired = tmp_path / "fired"
    path = tmp_path / "file"
    path.write_bytes(CONTENTS[kind](Bomb(fired)))
    try:
        LOADERS[name](str(path))
    except Exception as error:
        assert str(error)
    assert not fired.exists()


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("piece", ["net.params", "trainer.states", "order.state", "random"])
def test_a_checkpoint_runs_no_code(piece, kind, tmp_path):
    class Order:
        def state_dict(self):
            return {"at": 1}

        def load_state_dict(self, state):
            assert state == {"at": 1}

    net = dense()
    pieces = {"net": net, "trainer": gluon.Trainer(net.collect_params(), "sgd"), "order": Order()}
    manager = CheckpointManager(tmp_path / "saved", **pieces)
    manager.save(1)
    manager.wait()
    (folder,) = [path for path in (tmp_path / "saved").iterdir() if path.is_dir()]
    (target,) = [path for path in folder.iterdir() if path.name.startswith(piece)]
    target.write_bytes(CONTENTS[kind](Bomb(tmp_path / "fired")))
    for check in (lambda: manager.restore(), lambda: _restored_without_hashes(manager)):
        try:
            check()
        except Exception as error:
            assert str(error)
        assert not (tmp_path / "fired").exists()


def _restored_without_hashes(manager):
    """Restore the settings that were changed together with its hash."""
    ((_, path, _),) = mx.checkpoint.folders.listed_folders(manager.folder)
    manager._load(path, {"step": 1, "values": {}, "files": dict.fromkeys(os.listdir(path))})


def test_trusted_states_may_name_anything(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(pickle.dumps({0: Bomb(tmp_path / "fired")}))
    with pytest.raises(pickle.UnpicklingError, match=r"mkdir, which is not an array.*trusted=True"):
        trainer().load_states(str(path))
    assert not (tmp_path / "fired").exists()
    with pytest.raises(pickle.UnpicklingError, match="weight 0 is None"):
        trainer().load_states(str(path), trusted=True)
    assert (tmp_path / "fired").exists()
