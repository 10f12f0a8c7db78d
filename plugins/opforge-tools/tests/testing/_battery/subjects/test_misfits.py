import numpy as np
from opforge_tools.testing._battery.subjects.misfits import misfits
from opforge_tools.testing._battery.subjects.sample import Sample


def test_each_axis_of_each_argument_gets_other_lengths():
    sample = Sample([np.ones((2, 3)), np.ones(1), np.ones(4)], {"axis": 0})
    found = [tuple(made.shapes) for made in misfits(sample, 2)]
    first = [(n, 3) for n in (0, 1, 3, 17)] + [(2, n) for n in (0, 1, 4, 17)]
    second = [(n,) for n in (0, 2, 17)]
    assert [shapes[0] for shapes in found[:8]] == first
    assert [shapes[1] for shapes in found[8:]] == second
    assert all(shapes[2] == (4,) for shapes in found)


def test_values_are_those_of_the_sample():
    sample = Sample([np.array([5, 6], "int32"), np.zeros((0,))])
    made = list(misfits(sample, 2))
    assert made[2].inputs[0].tolist() == [5, 6, 5]
    assert made[2].inputs[0].dtype == np.int32
    assert made[-1].shapes[1] == (17,)
