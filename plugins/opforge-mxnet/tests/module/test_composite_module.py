import logging

import pytest
from opforge_mxnet.module.composite_module import CompositeModule


class Recording(CompositeModule):
    """Records the arguments that its parts would get."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def _init_parts_params(self, *args):
        self.calls.append(args)

    def _init_parts_optimizers(self, *args):
        self.calls.append(args)


def test_parameters_are_initialized_once():
    module = Recording()
    with pytest.raises(AssertionError, match="call bind first"):
        module.init_params()
    module.binded = True
    module.init_params(None, allow_extra=True)
    module.init_params("ignored")
    module.init_params("one", force_init=True)
    assert module.calls == [
        (None, None, None, False, False, True),
        ("one", None, None, False, True, False),
    ]


def test_an_optimizer_is_installed_once(caplog):
    module = Recording()
    module.binded = module.params_initialized = True
    module.init_optimizer("local", "adam", ())
    with caplog.at_level(logging.WARNING):
        module.init_optimizer()
    assert "already initialized" in caplog.text
    assert module.calls == [("local", "adam", (), False)]
