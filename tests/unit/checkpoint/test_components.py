"""What can be saved as a piece of a training."""

import os

import pytest

from opforge import gluon
from opforge.checkpoint.components import expect_component, load_component, save_component


@pytest.mark.plugins
def test_a_block_is_written_once(tmp_path):
    net = gluon.nn.Dense(2, in_units=3)
    net.initialize()
    for written in save_component("net", net, str(tmp_path)):
        written.wait_to_read()
    assert os.listdir(tmp_path) == ["net.params"]
    load_component("net", net, str(tmp_path))


def test_components_without_methods_are_named():
    with pytest.raises(TypeError, match=r"'net' is a int; expected an object with one of save_par"):
        expect_component("net", 3)
