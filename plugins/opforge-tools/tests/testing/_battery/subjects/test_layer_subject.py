import numpy as np
from opforge_tools.testing._battery.subjects.layer_subject import LayerSubject

from opforge import gluon
from opforge.op.registry.entry import Entry
from opforge.testing import LayerSample


class Scale(gluon.HybridBlock):
    """Multiply by a parameter."""

    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(size,))

    def hybrid_forward(self, F, x, weight):
        return F.broadcast_mul(x, weight)


def test_layers_of_a_sample_are_equal():
    sample = LayerSample([(2, 3)], {"size": 3}).drawn(np.random.default_rng(0))
    subject = LayerSubject(Entry("Scale", Scale), [sample], 0)
    first, second = subject.make(sample), subject.make(sample)
    assert np.array_equal(subject.predict(first, sample), subject.predict(second, sample))
    run = subject.train(first, sample)
    assert sorted(run.gradients) == ["input 0", "weight"]
    assert run.parameters["weight"].tolist() == first.weight.data().asnumpy().tolist()
    (head,) = subject.heads(run.outputs)
    want = (head.asnumpy() * sample.inputs[0].astype("float32")).sum(0)
    np.testing.assert_allclose(run.gradients["weight"], want, rtol=1e-5)


def test_whole_numbers_stay():
    sample = LayerSample([(2, 3), np.arange(2)]).drawn(np.random.default_rng(0))
    subject = LayerSubject(Entry("Scale", Scale), [sample], 0)
    assert [np.dtype(i.dtype).name for i in subject.inputs(sample, "float64")] == [
        "float64",
        "int64",
    ]
