"""Valid calls of operators on sequences: ids, lengths, packed parameters, masks, states."""

from .values import ArrayValue as A


def of_type(dtype, *shapes):
    """Return arrays as leading arguments."""
    return {at: A(shape, dtype) for at, shape in enumerate(shapes)}


def recurrent(mode, parameters, *shapes, dtype="float32", **attributes):
    """Return a call of RNN with states of 2 by default."""
    arrays = of_type(dtype, (3, 2, 3), (parameters,), *shapes)
    return {**arrays, "state_size": "2", "num_layers": "1", "mode": f"'{mode}'", **attributes}


def with_lengths(call, fill="[1, 3]", dtype="float32"):
    """Return a call of RNN with lengths of both sequences."""
    return {**call, "sequence_length": A((2,), dtype, fill), "use_sequence_length": "True"}


DEEP = {"num_layers": "2", "bidirectional": "True", "p": "0.5", "state_outputs": "True"}
CLIPPING = {"lstm_state_clip_min": "-0.5", "lstm_state_clip_max": "0.5"}
STATE, STATES = (1, 2, 2), (4, 2, 2)
LSTM = recurrent("lstm", 56, STATE, STATE, state_outputs="True")
PROJECTED = recurrent(
    "lstm", 50, (1, 2, 1), STATE, projection_size="1", lstm_state_clip_nan="True", **CLIPPING
)
RNN = [
    LSTM,
    recurrent("lstm", 56, STATE, STATE, dtype="float16"),
    with_lengths(LSTM, dtype="int32"),
    PROJECTED,
    with_lengths(PROJECTED),
    recurrent("gru", 180, STATES, **DEEP),
    recurrent("gru", 180, STATES, dtype="float64", **DEEP),
    with_lengths(recurrent("gru", 180, STATES, **DEEP), fill="[0, 2]"),
    {**of_type("float32", (4, 3, 1), (4,), (1, 3, 1)), "state_size": "1", "num_layers": "1"}
    | {"mode": "'rnn_relu'"},
]

LENGTHS = {1: A((3,), fill="2"), "use_sequence_length": "True"}
MOVING = [
    {0: A((4, 3, 2)), **LENGTHS},
    {0: A((3, 4), "float16"), **LENGTHS, "axis": "1"},
    {0: A((4, 3), "uint8"), 1: A((3,), "int64", "[1, 4, 2]"), "use_sequence_length": "True"},
    {0: A((4, 3))},
]

CTC = {0: A((5, 2, 4)), 1: A((2, 3), fill="[1, 2, 3]")}
EMBEDDING = [
    {0: A((2, 3), fill="1"), 1: A((4, 5)), "input_dim": "4", "output_dim": "5"},
    {0: A((3,), "int64", "[3, 0, 3]"), 1: A((4, 5), "float16"), "input_dim": "4"}
    | {"output_dim": "5"},
]

QUERIES = {0: A((2, 3, 5, 4)), 1: A((2, 3, 6, 4)), 2: A((2, 3, 6, 2))}
SIDE_BY_SIDE = {0: A((2, 5, 6)), 1: A((2, 7, 6)), 2: A((2, 7, 6))}
MASKED, LONG = {"use_mask": "True"}, {"use_length": "True"}
TWO_HEADS = {"num_heads": "2"}
ATTENTION = [
    {**QUERIES, "causal": "True", "scale": "0.3"},
    {**QUERIES, 3: A((2, 1, 5, 6), "uint8"), **MASKED},
    {**QUERIES, 3: A((3, 5, 1)), **MASKED},
    {**SIDE_BY_SIDE, 3: A((2, 1, 1, 7)), 4: A((2,), "int32", "[3, 9]"), **TWO_HEADS}
    | {**MASKED, **LONG},
    {**SIDE_BY_SIDE, 3: "None", 4: A((2, 5), "int64", "[0, -1, 2]"), **TWO_HEADS}
    | {**LONG, "dropout": "0.5"},
    {**of_type("float64", (5, 4), (6, 4), (6, 3)), "causal": "True"},
    {**of_type("float16", (2, 5, 6), (2, 7, 6), (2, 7, 6)), "num_heads": "3"},
]

LOSSES = [
    CTC,
    {**CTC, "blank_label": "'last'"},
    {**CTC, 2: A((2,), fill="[5, 3]"), 3: A((2,), "int32", "[3, 0]")}
    | {"use_data_lengths": "True", "use_label_lengths": "True"},
    {0: A((4, 2, 3), "float16"), 1: A((2, 1), "int64", "1")},
]

SEQUENCES = {
    **dict.fromkeys(("RNN", "_RNN_prediction"), RNN),
    **dict.fromkeys(("ctc_loss", "_CTCLoss_prediction"), LOSSES),
    **dict.fromkeys(("SequenceLast", "SequenceMask", "SequenceReverse"), MOVING),
    "_put_last": [{0: A(), **LENGTHS, "steps": "5"}, {0: A(), "steps": "2", "axis": "1"}],
    **dict.fromkeys(("Embedding", "_contrib_SparseEmbedding"), EMBEDDING),
    "_backward_Embedding": [{0: A((2, 3, 5)), 1: A((4, 5)), 2: A((2, 3), fill="1")}],
    "_contrib_arange_like": [{0: A(), "axis": "1", "start": "2", "step": "0.5", "repeat": "2"}],
    "_contrib_index_array": [{0: A(), "axes": "(1, 0)"}, {0: A()}],
    "_contrib_boolean_mask": [
        {0: A(), 1: A((3,), fill="[0, 1, 1]")},
        {0: A((3, 4), "float16"), 1: A((3,), "int32", "0")},
    ],
    "_contrib_index_copy": [
        {0: A(), 1: A((2,), fill="1"), 2: A((2, 4))},
        {0: A(), 1: A((1,), "int64", "2"), 2: A((1, 4))},
    ],
    "scaled_dot_product_attention": ATTENTION,
    "_contrib_interleaved_matmul_selfatt_qk": [{0: A((3, 2, 24)), "heads": "2"}],
    "_contrib_interleaved_matmul_selfatt_valatt": [
        {0: A((3, 2, 24)), 1: A((4, 3, 3)), "heads": "2"}
    ],
    "_contrib_interleaved_matmul_encdec_qk": [
        {0: A((3, 2, 8)), 1: A((5, 2, 16)), "heads": "2"},
        {**of_type("float64", (3, 2, 8), (5, 2, 16)), "heads": "2"},
    ],
    "_contrib_interleaved_matmul_encdec_valatt": [
        {0: A((5, 2, 16)), 1: A((4, 3, 5)), "heads": "2"}
    ],
}
