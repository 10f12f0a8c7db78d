"""Operators and layers with one fault each are given to single checks of the battery."""

import pytest

from opforge.testing import check_layer, check_op


@pytest.fixture
def outcome():
    """Return ``outcome(check, declaration, **options)``: what one check finds in an operator."""

    def run(check, declaration, **options):
        (found,) = check_op(declaration, only=f"/{check}$", raises=False, **options).outcomes
        return found

    return run


@pytest.fixture
def layer_outcome():
    """Return the same for layers."""

    def run(check, layer, **options):
        (found,) = check_layer(layer, only=f"/{check}$", raises=False, **options).outcomes
        return found

    return run
