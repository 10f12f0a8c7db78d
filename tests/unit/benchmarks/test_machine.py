"""The description of the machine."""

import json
import os

from opforge.benchmarks.machine import cores, describe


def test_the_description_is_complete_and_json():
    found = json.loads(json.dumps(describe(("opforge", "numpy", "no-such-library"), 2)))
    assert found["processor"]
    assert found["memory_gib"] > 0
    assert found["threads"] == 2
    assert found["instruction_set"]
    assert found["versions"]["opforge"]
    assert found["versions"]["no-such-library"] == ""


def test_cores_are_those_of_the_process():
    assert cores() == len(os.sched_getaffinity(0))
