import numpy as np
import pytest

from opforge import gluon, nd, test_utils


class Scale(gluon.HybridBlock):
    def __init__(self, prefix=None):
        super().__init__(prefix=prefix)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(3,))

    def hybrid_forward(self, F, x, weight):
        return F.broadcast_mul(x, weight) ** 2


class Different(Scale):
    def hybrid_forward(self, F, x, weight):
        return super().hybrid_forward(F, x, weight) * (1 if F is nd else 2)


def test_both_ways_agree():
    data = [nd.array(np.random.rand(2, 3))]
    test_utils.check_gluon_hybridize_consistency(Scale, data)
    test_utils.check_gluon_hybridize_consistency(Scale, data, test_grad=False)
    with pytest.raises(AssertionError):
        test_utils.check_gluon_hybridize_consistency(Different, data)
    with pytest.raises(AssertionError):
        test_utils.check_gluon_hybridize_consistency(Scale, data, numpy_func=lambda x: x + 7)
