import subprocess
import sys

import pytest

import opforge as mx
from opforge import nd
from opforge.gluon import nn


def pair_of(scale):
    made = nn.Sequential(prefix="net_")
    with made.name_scope():
        made.add(scale(), scale())
    return made


def test_save_and_load(scale, tmp_path):
    net = pair_of(scale)
    path = str(tmp_path / "net.params")
    net.initialize()
    net[1].factor.set_data(nd.array([3, 4]))
    net.save_parameters(path)
    assert sorted(nd.load(path)) == ["0.factor", "1.factor"]
    other = nn.Sequential()
    other.add(scale(), scale())
    other.load_parameters(path, ctx=mx.cpu(1))
    assert other[1].factor.data(mx.cpu(1)).asnumpy().tolist() == [3, 4]


def test_load_counts_names(scale, tmp_path):
    net = pair_of(scale)
    path = str(tmp_path / "net.params")
    net.initialize()
    net.save_parameters(path)
    longer, shorter = nn.Sequential(), nn.Sequential()
    longer.add(scale(), scale(), scale())
    shorter.add(scale())
    with pytest.raises(AssertionError, match=r"Parameter '2\.factor' is missing in file"):
        longer.load_parameters(path)
    longer.load_parameters(path, allow_missing=True)
    with pytest.raises(ValueError, match=r"'1\.factor' loaded from file .* is not present"):
        shorter.load_parameters(path)
    shorter.load_parameters(path, ignore_extra=True)
    assert shorter[0].factor.data().shape == (2,)


def test_single_block_and_full_names(scale, tmp_path):
    path = str(tmp_path / "one")
    block = scale(prefix="a_")
    block.initialize()
    block.factor.set_data(nd.array([5, 6]))
    for save in (block.save_parameters, block.collect_params().save):
        save(path)
        other = scale(prefix="a_")
        if "a_factor" in nd.load(path):
            other.collect_params().load(path)
        else:
            other.load_parameters(path)
        assert other.factor.data().asnumpy().tolist() == [5, 6]
    block.collect_params().save(path, strip_prefix="a_")
    other = scale(prefix="b_")
    other.load_parameters(path)
    assert other.factor.data().asnumpy().tolist() == [5, 6]


def test_deduplicate(scale, tmp_path):
    path = str(tmp_path / "shared")
    first = scale()
    net = nn.Sequential()
    net.add(first, scale(params=first.params))
    net.initialize()
    net.save_parameters(path, deduplicate=True)
    assert list(nd.load(path)) == ["1.factor"]
    net.load_parameters(path)


def test_file_without_names(scale, tmp_path):
    net = pair_of(scale)
    path = str(tmp_path / "list")
    nd.save(path, [nd.ones((1,))])
    with pytest.raises(ValueError, match="holds 1 arrays without names"):
        net.load_parameters(path)


def test_old_names_warn(scale, tmp_path):
    net = pair_of(scale)
    path = str(tmp_path / "old")
    net.initialize()
    with pytest.warns(UserWarning, match="save_params is deprecated"):
        net.save_params(path)
    with pytest.warns(UserWarning, match="load_params is deprecated"):
        net.load_params(path)


_MEASURED = """
import sys
from opforge import gluon, memory_stats
path, kind = sys.argv[1:]
params = gluon.ParameterDict()
for i in range(8):
    params.get(f"w{i}", shape=(256, 1024), init="zeros", grad_req="null")
if kind == "initialized":
    params.initialize()
live = memory_stats()["live_bytes"]
params.load(path)
after = memory_stats()
assert all((params[f"w{i}"].data().asnumpy() == i).all() for i in range(8))
print(after["peak_bytes"] - live, after["live_bytes"] - live, after["pool_bytes"])
"""


@pytest.mark.parametrize("suffix", ["params", "safetensors"])
@pytest.mark.parametrize(("kind", "peak"), [("initialized", 1), ("new", 8)])
def test_arrays_are_loaded_one_by_one(kind, peak, suffix, tmp_path):
    """Reading the whole file first would take its size in addition to the weights."""
    path = str(tmp_path / f"a.{suffix}")
    nd.save(path, {f"w{i}": nd.full((256, 1024), i) for i in range(8)})
    command = [sys.executable, "-c", _MEASURED, path, kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    size = 256 * 1024 * 4
    at_most, kept, pooled = map(int, done.stdout.split())
    assert at_most < (peak + 0.5) * size
    assert kept == (8 * size if kind == "new" else 0)
    assert pooled < size
