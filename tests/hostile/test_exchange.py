"""Arrays from NumPy, the buffer protocol and DLPack with wrong metadata or memory that is freed."""

import pytest

from .processes import report
from .values import NUMPY, OTHERS, SEQUENCES

EXPORTERS = [
    *["Exporter(None)", "Exporter(1)", "Exporter(used_capsule())", "used_capsule()", "Raising()"],
    *["Exporter(np.ones(3).__dlpack__(), None)", "Exporter(np.ones(3).__dlpack__(), (2, 0))"],
    *["Exporter(np.ones(3).__dlpack__(), (1, 7))", "Exporter(np.ones(3).__dlpack__(), ('a', 'b'))"],
    *["np.ones(3, 'complex64').__dlpack__()", "np.ones(3, '>f4')", "many_axes().__dlpack__()"],
    *["outliving()", "resized_under_view()", "endless_rows()", "A((3,)).__dlpack__()"],
]
INTERFACES = [
    "Interface(None)",
    "Interface({})",
    "Interface({'shape': (3,), 'typestr': '<f4', 'version': 3})",
    "Interface({'shape': (-1,), 'typestr': '<f4', 'data': (0, False), 'version': 3})",
    "Interface({'shape': ('a',), 'typestr': 'x', 'data': None, 'version': 3})",
]
FUNCTIONS = [
    *[
        "nd.array(a0)",
        "nd.from_numpy(a0)",
        "nd.from_numpy(a0, zero_copy=False)",
        "nd.from_dlpack(a0)",
    ],
    *["nd.array(a0, dtype='float32')", "nd.array(a0, dtype='int8')", "x.__setitem__(0, a0)"],
    *[
        "x.__setitem__(slice(None), a0)",
        "x[a0]",
        "x + a0",
        "a0 * x",
        "nd.dot(x, a0)",
        "np.add(x, a0)",
    ],
    *["x.__iadd__(a0)", "nd.concat(x, a0)", "x.__array__(a0)", "nd.zeros(a0)", "nd.full((2,), a0)"],
    *["np.asarray(nd.array(a0))", "memoryview(nd.array(a0))", "nd.arange(a0)", "x.astype(a0)"],
    *["x.copyto(a0)", "nd.load_frombuffer(a0)", "nd.random.uniform(shape=a0)", "nd.waitall()"],
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_objects_of_all_kinds(worker, function):
    values = [*EXPORTERS, *INTERFACES, *NUMPY, *OTHERS, *SEQUENCES]
    made = [
        {"setup": ["x = A((3, 4))", f"a0 = {value}"], "call": function, "bare": False}
        for value in values
    ]
    found = worker.findings(made)
    assert not found, report(found)
