"""Hostile calls, drawn by hypothesis: a valid call with up to three arguments replaced."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from .values import JUNK, ArrayValue, replacements_for


@dataclass(frozen=True)
class Entry:
    """A callable, and valid calls of it.

    Parameters
    ----------
    name : str
        Expression that refers to it.
    sound : list of dict
        Parameter name, or a number for a positional one -> value: an `ArrayValue`, or text.
    imports : str
        Import statement for `name`.
    records : bool
        Whether it may also be called while gradients are recorded.
    bare : bool
        Whether its object was never initialized, which makes an AttributeError acceptable.
    """

    name: str
    sound: list[dict] = field(default_factory=lambda: [{}])
    imports: str = ""
    records: bool = False
    bare: bool = False


def written(entry, arguments, recorded=False):
    """Return a call as the lines that the worker runs."""
    setup, words, arrays = [entry.imports] if entry.imports else [], [], []
    for position, (name, value) in enumerate(arguments.items()):
        variable = f"a{position}"
        setup.append(f"{variable} = {value}")
        if recorded and isinstance(value, ArrayValue):
            setup.append(f"{variable}.attach_grad()")
        words.append(variable if isinstance(name, int) else f"{name}={variable}")
        arrays.append(variable)
    call = f"{entry.name}({', '.join(words)})"
    call = f"recorded(lambda: {call})" if recorded else call
    return {"setup": setup, "call": call, "bare": entry.bare}


@st.composite
def hostile(draw, entry):
    """Draw a call of `entry`."""
    arguments = dict(draw(st.sampled_from(entry.sound)))
    names = list(arguments)
    for _ in range(draw(st.integers(1, 3)) if names else 0):
        place = draw(st.integers(0, len(names) - 1))
        before = [
            f"a{i}"
            for i, name in enumerate(names[:place])
            if isinstance(arguments[name], ArrayValue)
        ]
        choices = replacements_for(arguments[names[place]], before)
        arguments[names[place]] = draw(st.sampled_from(choices))
    surplus = draw(st.integers(0, 19))
    if surplus == 0 and names:
        del arguments[names[-1]]
    elif surplus == 1 or not names:
        arguments["surplus" if names else 0] = draw(st.sampled_from(JUNK))
    return written(entry, arguments, entry.records and draw(st.booleans()))
