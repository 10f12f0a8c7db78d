"""All random numbers go on from a position."""

import random
import subprocess
import sys
import threading

import numpy as np

import opforge as mx
from opforge.checkpoint.random_state import get_random_state, set_random_state


def in_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(draw_opforge()))
    thread.start()
    thread.join()
    return found[0]


def draw_opforge():
    return mx.nd.random.uniform(shape=(3,)).asnumpy().tolist()


def draw():
    return draw_opforge(), np.random.rand(), random.random(), in_thread()


def test_numbers_are_repeated():
    for seeded in (True, False):
        if seeded:
            mx.random.seed(3)
        draw()
        state = get_random_state()
        first, second = draw(), draw()
        assert first != second
        set_random_state(state)
        assert (draw(), draw()) == (first, second)


PROGRAM = """
import pickle, sys
import opforge as mx
from opforge.checkpoint.random_state import get_random_state, set_random_state

with open(sys.argv[1], "rb") as file:
    set_random_state(pickle.load(file))
print(mx.nd.random.uniform(shape=(3,)).asnumpy().tolist())
"""


def test_another_process_goes_on(tmp_path):
    import pickle

    draw()
    (tmp_path / "state").write_bytes(pickle.dumps(get_random_state()))
    expected = draw_opforge()
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "state")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == (
        str(expected)
    )
