"""Random graphs, the files that MXNet saves of them, and the shapes and types that it infers."""

import random
import warnings

SIZES = (1, 2, 3, 4, 6)


class Builder:
    """Composes a graph of matching operators by querying MXNet for the shapes so far."""

    def __init__(self, mx, seed):
        self.mx = mx
        self.sym = mx.sym
        self.random = random.Random(seed)
        self.shapes = {}
        self.made = []
        with mx.name.NameManager():
            for _ in range(self.random.randint(1, 3)):
                self.variable(tuple(self.random.choice(SIZES) for _ in range(2)))
            for _ in range(self.random.randint(3, 10)):
                self.grow()
            self.symbol = self.finish()

    def variable(self, shape):
        name = f"v{len(self.shapes)}"
        self.shapes[name] = shape
        x = self.sym.var(name)
        self.made.append((x, shape))
        return x

    def put(self, symbol):
        for output in symbol:
            known = {k: v for k, v in self.shapes.items() if k in output.list_inputs()}
            shape = output.infer_shape(**known)[1][0]
            self.made.append((output, shape))

    def grow(self):
        x, shape = self.random.choice(self.made)
        kinds = [self.unary, self.number, self.pair, self.wide, self.layer, self.moved, self.cut]
        if len(shape) == 2:
            kinds += [self.product, self.normed]
        self.put(self.random.choice(kinds)(x, shape))

    def unary(self, x, shape):
        sym = self.sym
        return self.random.choice(
            [
                sym.exp,
                sym.square,
                sym.BlockGrad,
                sym.identity,
                sym.zeros_like,
                lambda a: sym.Activation(a, act_type="tanh"),
                lambda a: sym.softmax(a, axis=-1),
                lambda a: sym.clip(a, a_min=0, a_max=1),
                lambda a: sym.cast(a, dtype="float32"),
            ]
        )(x)

    def number(self, x, shape):
        return self.random.choice(
            [lambda a: a + 1, lambda a: 2 - a, lambda a: a * 0.5, lambda a: 1 / a, lambda a: -a]
        )(x)

    def partner(self, shape):
        """Return another symbol of this shape: an existing one, or a new variable."""
        same = [s for s, other in self.made if other == shape]
        return self.random.choice(same) if self.random.random() < 0.5 else self.variable(shape)

    def pair(self, x, shape):
        y = self.partner(shape)
        sym = self.sym
        return self.random.choice(
            [
                lambda: x + y,
                lambda: x * y,
                lambda: sym.add_n(x, y, x),
                lambda: sym.concat(x, y, dim=len(shape) - 1),
                lambda: sym.concat(x, y, dim=0),
                lambda: sym.stack(x, y, axis=0),
                lambda: sym.where(x, y, x),
                lambda: sym.broadcast_like(x, y),
            ]
        )()

    def wide(self, x, shape):
        small = tuple(1 if self.random.random() < 0.5 else size for size in shape)
        y = self.variable(small)
        name = self.random.choice(["broadcast_add", "broadcast_mul", "broadcast_maximum"])
        return getattr(self.sym, name)(x, y)

    def layer(self, x, shape):
        count = self.random.choice(SIZES)
        flat = self.random.random() < 0.7
        no_bias = self.random.random() < 0.3
        return self.sym.FullyConnected(x, num_hidden=count, flatten=flat, no_bias=no_bias)

    def moved(self, x, shape):
        sym = self.sym
        last = len(shape) - 1
        return self.random.choice(
            [
                lambda: sym.transpose(x),
                lambda: sym.transpose(x, axes=tuple(range(last, -1, -1))),
                lambda: sym.Flatten(x),
                lambda: sym.reshape(x, shape=(-1,)) if last else sym.expand_dims(x, axis=1),
                lambda: sym.reshape(x, shape=(0, -1)) if last else sym.expand_dims(x, axis=0),
                lambda: sym.expand_dims(x, axis=self.random.randint(0, last)),
                lambda: sym.SwapAxis(x, dim1=0, dim2=last),
                lambda: sym.tile(x, reps=(2,) * len(shape)),
                lambda: sym.repeat(x, repeats=2, axis=0),
                lambda: sym.flip(x, axis=0),
            ]
        )()

    def cut(self, x, shape):
        sym = self.sym
        last = len(shape) - 1
        halves = shape[0] % 2 == 0
        return self.random.choice(
            [
                lambda: sym.sum(x, axis=last),
                lambda: sym.mean(x, axis=0, keepdims=True),
                lambda: sym.max(x),
                lambda: sym.slice_axis(x, axis=0, begin=0, end=1),
                lambda: sym.SliceChannel(x, num_outputs=2 if halves else 1, axis=0),
                lambda: sym.argmax(x, axis=last),
                lambda: sym.topk(x, k=1, ret_typ="both"),
                lambda: sym.one_hot(sym.argmax(x, axis=last), depth=5),
                lambda: sym.norm(x, axis=last, keepdims=True),
            ]
        )()

    def product(self, x, shape):
        y = self.variable((shape[1], self.random.choice(SIZES)))
        return self.random.choice(
            [
                lambda: self.sym.dot(x, y),
                lambda: self.sym.dot(y, x, transpose_a=True, transpose_b=True),
                lambda: self.sym.Embedding(x, input_dim=9, output_dim=4),
            ]
        )()

    def normed(self, x, shape):
        return self.random.choice(
            [
                lambda: self.sym.BatchNorm(x, fix_gamma=False),
                lambda: self.sym.LayerNorm(x),
                lambda: self.sym.SoftmaxOutput(x),
            ]
        )()

    def finish(self):
        outputs = [self.made[-1][0]]
        if self.random.random() < 0.4:
            outputs.append(self.random.choice(self.made)[0])
        return outputs[0] if len(outputs) == 1 else self.sym.Group(outputs)

    def queries(self):
        """Return queries: all shapes, some of them, some with unknown dimensions, types."""
        known = {k: v for k, v in self.shapes.items() if k in self.symbol.list_arguments()}
        yield "infer_shape", known
        yield "infer_shape_partial", known
        for _ in range(4):
            kept = {k: v for k, v in known.items() if self.random.random() < 0.6}
            yield "infer_shape", kept
            yield "infer_shape_partial", kept
        for _ in range(3):
            holes = {
                k: tuple(0 if self.random.random() < 0.3 else size for size in v)
                for k, v in known.items()
            }
            yield "infer_shape_partial", holes
            yield "infer_shape", holes
        if known:
            name = self.random.choice(sorted(known))
            wrong = dict(known)
            wrong[name] = tuple(size + 1 for size in known[name])
            yield "infer_shape", wrong
        for dtype in ("float32", "float64"):
            yield "infer_type", dict.fromkeys(known, dtype)
            yield "infer_type_partial", dict.fromkeys(sorted(known)[:1], dtype)


def handwritten(mx):
    """Return graphs in which shapes are inferred backwards, with their queries."""
    sym = mx.sym
    a, b = sym.var("a"), sym.var("b")
    flat = sym.FullyConnected(a, num_hidden=3, flatten=False, name="f")
    layer = sym.FullyConnected(a, num_hidden=3, name="f")
    chain = a
    for _ in range(30):
        chain = sym.exp(chain)
    return [
        (a + b, [{"b": (2, 5)}, {"a": (0, 3), "b": (2, 0)}, {"a": (2, 3), "b": (3, 2)}]),
        (chain + b, [{"b": (2, 5)}, {"a": (2, 5)}, {}]),
        (layer + b, [{"b": (2, 3)}, {"a": (0, 4), "b": (2, 3)}, {"a": (0, 4)}]),
        (flat + b, [{"b": (2, 5, 3)}, {"a": (2, 0, 4), "b": (2, 5, 3)}]),
        (sym.concat(a, b, dim=1), [{"a": (2, 3)}, {"a": (2, 0), "b": (0, 3)}]),
        (sym.concat(a, b, dim=1) + sym.var("c"), [{"a": (2, 3), "b": (2, 0), "c": (2, 7)}]),
        (sym.expand_dims(a, axis=1) + b, [{"b": (2, 1, 3)}, {"a": (0, 3), "b": (2, 1, 3)}]),
        (sym.transpose(a) + b, [{"b": (2, 3)}, {"a": (0, 2), "b": (2, 3)}]),
        (sym.transpose(a, axes=(1, 0, 2)) + b, [{"b": (2, 3, 4)}]),
        (sym.reshape(a, shape=(-1, 2)) + b, [{"a": (0, 2), "b": (3, 2)}, {"a": (0, 4)}]),
        (sym.var("q", shape=(0, 4)) + a, [{"a": (3, 0)}, {}]),
        (sym.zeros((0, 2)) + a, [{"a": (5, 2)}, {}]),
        (sym.broadcast_add(a, b), [{"a": (2, 3)}, {"a": (2, 0), "b": (1, 3)}, {"b": (0, 1)}]),
        (sym.BatchNorm(a, name="n"), [{"n_gamma": (3,)}, {"a": (0, 3)}, {"n_moving_mean": (3,)}]),
        (sym.SoftmaxOutput(a, name="s"), [{"a": (2, 3)}, {"s_label": (2,)}]),
    ]


def ask(symbol, method, given):
    """Return MXNet's answer as lists; ``"error"`` if it rejects the query."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = getattr(symbol, method)(**given)
    except Exception:
        return "error"
    if method.startswith("infer_type"):
        return [None if g is None else [t and t.__name__ for t in g] for g in found]
    return [None if g is None else [list(s) for s in g] for g in found]


def run(mx, request, folder):
    """Return the graphs and the answers about each."""
    cases = []
    for seed in range(request["count"]):
        built = Builder(mx, seed)
        cases.append((built.symbol, list(built.queries())))
    for symbol, shapes in handwritten(mx):
        both = ("infer_shape", "infer_shape_partial")
        cases.append((symbol, [(method, given) for given in shapes for method in both]))
    return [
        {
            "json": symbol.tojson(),
            "debug": symbol.debug_str(),
            "attributes": symbol.attr_dict(),
            "outputs": symbol.get_internals().list_outputs(),
            "queries": [
                {"method": method, "given": given, "answer": ask(symbol, method, given)}
                for method, given in queries
            ],
        }
        for symbol, queries in cases
    ]
