"""opforge-attention: MXNet's interleaved products."""

from .call import Call

#: MXNet supports no other type for them on CPUs.
TYPES = ("float32",)
LENGTHS = [(3, 3), (7, 5), (1, 4)]

CALLS = [
    *(
        Call(f"contrib.interleaved_matmul_{name}", inputs, {"heads": heads}, smooth, TYPES)
        for heads in (1, 2, 3)
        for queries, keys in LENGTHS
        for name, inputs, smooth in (
            ("selfatt_qk", ((queries, 2, heads * 15),), (0,)),
            (
                "selfatt_valatt",
                ((queries, 2, heads * 15), (2 * heads, queries, queries)),
                (0, 1),
            ),
            ("encdec_qk", ((queries, 2, heads * 5), (keys, 2, heads * 10)), (0, 1)),
            ("encdec_valatt", ((keys, 2, heads * 10), (2 * heads, queries, keys)), (0, 1)),
        )
    ),
]
