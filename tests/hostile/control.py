"""Hostile loops and branches: bodies with invalid results, over arrays of all shapes and types."""

from hypothesis import strategies as st

from .declared import rarely
from .values import DTYPES, FILLS, ArrayValue

#: Results of an iteration for a row `r` and a state `s`: output, next state; `w` is from outside.
BODIES = [
    ("F.broadcast_add(r, w)", "s * 2"),
    ("r * 0 + 1", "s - 1"),
    ("r", "s"),
    ("s", "r"),
    ("[]", "r"),
    ("[r, s]", "s + 1"),
    ("[[r], w]", "F.broadcast_mul(s, F.sum(r))"),
    ("r", "F.concat(s, s, dim=0)"),
    ("r", "F.cast(s, dtype='int32')"),
    ("r", "F.expand_dims(s, axis=0)"),
    ("F.slice_axis(r, axis=0, begin=0, end=0)", "s"),
    ("F.reshape(r, shape=(7, -1))", "s"),
    ("F.Embedding(r, w, input_dim=3, output_dim=4)", "s"),
    ("F.SequenceMask(w, s, use_sequence_length=True)", "s + 1"),
    ("F.RNN(w, F.reshape(r, shape=(-1,)), s, state_size=2, num_layers=1, mode='gru')", "s"),
    ("F.scaled_dot_product_attention(w, w, w, r, use_mask=True)", "s"),
    ("F.contrib.foreach(lambda q, t: (q * t, t + q), r, s)[0]", "s"),
    ("F.contrib.cond(F.sum(s) < 2, lambda: r, lambda: w)", "s + 1"),
    ("r / 0", "s * nan"),
]
NO_BODIES = [("1", "s"), ("r", "[s, s]"), ("r", "None"), ("1 / 0", "s")]
#: Values that are not valid results and states.
NO_ANSWERS = ["None", "r", "(r, s, w)", "object()", "[[], []]"]
#: Conditions of loops and branches.
CONDITIONS = ["F.sum(s) < 3", "F.sum(r) * nan", "F.sum(w)", "F.max(r) > 2"]
NO_CONDITIONS = ["s", "r > s", "[s, s]", "1", "None"]
TURNS = ["1", "3", "5", "'2'"]
#: Number of iterations after which the condition is never true.
ENDLESS = ["2**33", "2**62", "2**64"]
NO_TURNS = [*ENDLESS, "0", "-1", "2.5", "None", "'x'", "nan"]
SHAPES = [(3, 2), (2,), (3, 4), (1,), (4, 2), (0, 2), (3, 0), (2, 3, 2), (1, 1), (0,), ()]


@st.composite
def calls(draw):
    """Draw a program with a loop or branch that runs on arrays and as a graph."""
    made = draw(st.one_of(_foreach(), _while_loop(), _cond()))
    arrays = ", ".join(draw(_arrays()))
    call = f"both_ways(lambda F, x, s, w: {made}, [{arrays}], {draw(st.booleans())})"
    return {"setup": [], "call": call, "bare": False}


@st.composite
def _foreach(draw):
    data = draw(rarely(["[x, w]", "[]", "None"], st.sampled_from(["x", "x", "[x, x]"])))
    answer = draw(_answer("({}, {})"))
    if data == "x":
        return f"F.contrib.foreach(lambda r, s: {answer}, x, s)"
    return f"F.contrib.foreach(lambda rows, s: (lambda r: {answer})(rows[0]), {data}, s)"


@st.composite
def _while_loop(draw):
    turns = draw(rarely(NO_TURNS, st.sampled_from(TURNS)))
    asked = "F.sum(r) < F.sum(r)" if turns in ENDLESS else draw(_condition())
    functions = f"lambda r, s: {asked}, lambda r, s: {draw(_answer('({}, [r, {}])'))}"
    return f"F.contrib.while_loop({functions}, [x, s], max_iterations={turns})"


@st.composite
def _cond(draw):
    branches = ", ".join(f"lambda: {draw(_answer('[{}, {}]'))}" for _ in range(2))
    return f"(lambda r: F.contrib.cond({draw(_condition())}, {branches}))(x)"


def _answer(form):
    """Draw what a body returns, in this form or in an invalid one."""
    bodies = rarely(NO_BODIES, st.sampled_from(BODIES)).map(lambda parts: form.format(*parts))
    return rarely(NO_ANSWERS, bodies)


def _condition():
    return rarely(NO_CONDITIONS, st.sampled_from(CONDITIONS))


@st.composite
def _arrays(draw):
    """Draw arrays, most of them of matching shapes."""
    made = []
    for usual in ((3, 2), (2,), (2,)):
        shape, dtype = (
            draw(rarely(SHAPES, st.just(usual))),
            draw(rarely(DTYPES, st.just("float32"))),
        )
        fill = draw(rarely(FILLS, st.just("None")))
        made.append(str(ArrayValue(shape, dtype, fill)))
    return made
