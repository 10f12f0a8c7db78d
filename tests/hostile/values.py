"""Arguments of hostile calls, as text: valid ones, and their replacements."""

from dataclasses import dataclass, replace

#: Shapes in addition to those of valid calls.
SHAPES = [
    *[(), (0,), (1,), (3,), (4,), (7,), (0, 4), (3, 0), (1, 4), (3, 1), (4, 3), (3, 4), (2, 3, 4)],
    *[(0, 0, 0), (2, 2, 2, 2), (1,) * 32, (5000,), (40, 1000)],
]
DTYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"]
FILLS = ["nan", "inf", "-inf", "-1", "1e30", "-1e30", "1e300", "0.5", "2**31", "-2**63", "[nan, 1]"]

NUMBERS = [
    *["0", "1", "-1", "2", "-2", "3", "7", "100", "255", "256", "-128", "65536", "10**5"],
    *["2**31 - 1", "2**31", "-2**31", "-2**31 - 1", "2**32", "2**32 + 1", "2**61", "2**62"],
    *["2**62 + 1", "2**63 - 1", "2**63", "-2**63", "-2**63 - 1", "2**64", "2**64 + 1", "10**30"],
    *["-10**30", "True", "False", "0.0", "-0.0", "0.5", "1.5", "-1.5", "1e-300", "1e300", "1e19"],
    *["-1e19", "nan", "inf", "-inf", "np.int64(3)", "np.int8(-1)", "np.float32(2)", "np.bool_(1)"],
    *["np.array(1)", "1j", "Index(2)", "Index(10**30)", "Index('x')", "Index(None)"],
]
TEXTS = [
    "''",
    "'x'",
    "'1'",
    "'None'",
    "'write'",
    "'add'",
    "'(1, 2)'",
    "'nan'",
    "'\\0'",
    "'a' * 10**6",
]
OTHERS = [
    *["None", "b'x'", "object()", "int", "len", "lambda *a: 1", "...", "slice(1, 2)", "range(3)"],
    *["Raising()", "nd", "np", "{}", "{'a': 1}", "set()", "iter([1])", "io.BytesIO()", "Ellipsis"],
    *["np.float32", "np.dtype('>f4')", "np.dtype('O')", "'float33'", "opforge.cpu()"],
    *["opforge.gpu(7)", "opforge.cpu(-1)", "memoryview(b'ab')", "released_view()"],
    *["array.array('d', [1, 2])", "(ctypes.c_float * 3)()", "nd.NDArray", "type('T', (), {})()"],
]
SEQUENCES = [
    *["()", "[]", "(0,)", "(1,)", "(-1,)", "(1, 0)", "(0, 1)", "(0, 0)", "(1, 2, 3)", "(3, 4)"],
    *["(2**31,)", "(2**62, 4)", "(2**63,)", "(2**32, 2**32)", "(-2**63,)", "(10**30,)", "(None,)"],
    *["(2**63 - 1, 2**63 - 1)", "(0, 2**62)", "(2**62, 0)", "(1,) * 33", "(1,) * 65", "(0,) * 40"],
    *["(1.5,)", "('a',)", "(True, False)", "[1, 2]", "[[1], [2]]", "[None, None]", "(nan, inf)"],
    *["(Index(2), 3)", "(Raising(),)", "Lying([1], 10**6)", "Lying([1, 2], -1)", "Lying([], 1)"],
    *["emptied_list()", "Unhashable((1, 2))", "deep_list(40)", "deep_list(5000)", "circle()"],
    *["np.array([1, 2])", "np.array([2**62, 2])", "('write',) * 3", "('add', None, 3)"],
]
NUMPY = [
    *["strided()", "strided('float64')", "reversed_rows()", "read_only()", "swapped()"],
    *["swapped('>i8')", "misaligned()", "many_axes()", "np.ones((3, 4), 'complex64')"],
    *["np.array(['a'])", "np.array([None])", "np.array([1, 'x'], object)", "np.ones((0, 4))"],
    *["np.zeros(3, 'datetime64[s]')", "np.zeros(3, [('a', 'f4')])", "np.float16(nan)"],
    *["np.ma.masked_array([1, 2], [0, 1])", "np.asfortranarray(np.ones((3, 4), 'f4'))"],
]
JUNK = [*NUMBERS, *TEXTS, *OTHERS, *SEQUENCES, *NUMPY]


@dataclass(frozen=True)
class ArrayValue:
    """An array among the arguments of a valid call."""

    shape: tuple[int, ...] = (3, 4)
    dtype: str = "float32"
    fill: str = "None"

    def __str__(self):
        return f"A({self.shape}, {self.dtype!r}, {self.fill})"

    def variants(self):
        """Return arrays that differ in one property."""
        return [
            *[str(replace(self, shape=shape)) for shape in SHAPES],
            *[str(replace(self, dtype=dtype)) for dtype in DTYPES],
            *[str(replace(self, fill=fill)) for fill in FILLS],
        ]


def replacements_for(sound, earlier):
    """Return replacements for the argument `sound`, after `earlier` arrays."""
    if not isinstance(sound, ArrayValue):
        return JUNK
    aliases = [name for name in earlier for _ in range(8)]
    views = [f"{name}._view({offset}, {sound.shape})" for name in earlier for offset in (0, 1, -1)]
    return [*sound.variants(), *aliases, *views, *JUNK[::3]]
