"""Hostile calls of any operator, drawn from its declaration: attributes, numbers and shapes.

Drawn values are small or impossible, never merely large: a call must fail immediately or be fast.
"""

from hypothesis import strategies as st

from opforge.cli.reference.rows import import_core
from opforge.op.declaring.attribute import DType, Floats, OptionalInts, Shape
from opforge.op.registry.registry import OPERATORS, lookup

from .values import DTYPES, SHAPES

#: Numbers that an operator may take for a size, an index or a count.
SOUND_INTS = [1, 2, 3, 1, 2, 3, 0, -1, 4]
HOSTILE_INTS = [-2, -3, 7, 33, 2**31 - 1, 2**31, -(2**31), 2**32, 2**62, 2**63 - 1, -(2**63), 2**64]
SOUND_FLOATS = [0.5, 1.0, 2.0, 0.0, 1e-5]
HOSTILE_FLOATS = ["nan", "inf", "-inf", -1.0, 1e300, 1e-300, 2**63]
#: Shapes of a first input, most of which most operators accept.
SOUND_SHAPES = [(4,), (3, 4), (2, 3, 4), (2, 3, 5, 4), (1, 2, 3, 4, 5), (1, 1, 7, 7), (5, 2, 3)]
HUGE_SHAPES = [
    (2**31,),
    (2**31, 2**31),
    (2**62, 4),
    (1, 2**40, 2**40),
    (2**63 - 1, 1, 1, 1),
    (0, 2**62),
]


def names():
    """Return one name of each operator that a plugin provides."""
    import_core()
    entries = map(lookup, OPERATORS.names())
    return sorted({e.prop_class: e.name for e in entries if e.kind == "plugin"}.values())


def calls_of(name):
    """Return a strategy of hostile calls of the operator."""
    return _call(name, lookup(name).prop_class)


@st.composite
def _call(draw, name, declaration):
    attributes = _text(draw(_attributes(declaration)))
    count = draw(st.integers(1, 4)) if declaration.variadic else 1
    shape = draw(rarely(SHAPES, st.sampled_from(SOUND_SHAPES)))
    dtype = draw(rarely(DTYPES, st.just("float32")))
    train = draw(st.booleans())
    changed = draw(st.none() | st.tuples(st.integers(0, 4), st.sampled_from(SHAPES)))
    match draw(st.integers(0, 7)):
        case 7:
            shapes = draw(st.lists(st.sampled_from(SHAPES + SOUND_SHAPES), min_size=1, max_size=5))
            call = f"alone({name!r}, {attributes}, {shapes}, {dtype!r})"
        case 5 | 6:
            shape = draw(rarely(HUGE_SHAPES, st.just(shape)))
            call = f"bound({name!r}, {attributes}, {count}, {shape}, {train})"
        case _:
            rest = f"{shape}, {dtype!r}, {changed}, {train}"
            call = f"fitted({name!r}, {attributes}, {count}, {rest})"
    return {"setup": [], "call": call, "bare": False}


def rarely(values, usual):
    """Draw from `values` once in six times."""
    return st.one_of(*[usual] * 5, st.sampled_from(values))


def _attributes(declaration):
    """Return a strategy of attribute values, as text; optional ones are mostly left out."""
    required, others = {}, {}
    for key, attribute in declaration.attributes.items():
        if key != declaration.variadic:
            (required if attribute.required else others)[key] = _value(attribute)
    return st.fixed_dictionaries(required, optional=others)


def _value(attribute):
    if attribute.choices is not None:
        return st.sampled_from([*map(repr, attribute.choices), "'x'"])
    numbers = rarely(HOSTILE_INTS, st.sampled_from(SOUND_INTS)).map(str)
    reals = rarely(HOSTILE_FLOATS, st.sampled_from(SOUND_FLOATS)).map(str)
    return {
        int: numbers,
        float: reals,
        bool: st.sampled_from(["True", "False"]),
        str: st.sampled_from(["'x'", "''", "None"]),
        Shape: _tuples(numbers),
        Floats: _tuples(reals),
        OptionalInts: _tuples(numbers | st.just("None")),
        DType: st.sampled_from([*map(repr, DTYPES), "None"]),
    }[attribute.type]


def _tuples(elements):
    """Draw tuples, half of them of two elements, which most operators expect."""
    of_any_length = st.lists(elements, max_size=5)
    lists = st.lists(elements, min_size=2, max_size=2) | of_any_length
    return lists.map(lambda items: f"({''.join(item + ', ' for item in items)})")


def _text(attributes):
    return "{" + ", ".join(f"{key!r}: {value}" for key, value in attributes.items()) + "}"
