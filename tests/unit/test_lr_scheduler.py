import math

import pytest

from opforge import lr_scheduler


def rates(schedule, updates):
    return [pytest.approx(schedule(i)) for i in updates]


def test_factor():
    schedule = lr_scheduler.FactorScheduler(step=10, factor=0.1, stop_factor_lr=0.02, base_lr=1.0)
    assert rates(schedule, (1, 10, 11, 20, 21, 31, 100)) == [1, 1, 0.1, 0.1, 0.02, 0.02, 0.02]


def test_multi_factor():
    schedule = lr_scheduler.MultiFactorScheduler(step=[3, 5], factor=0.5, base_lr=4.0)
    assert rates(schedule, (1, 3, 4, 5, 6, 60)) == [4, 4, 2, 2, 1, 1]


def test_poly_and_cosine_end_at_their_last_rate():
    poly = lr_scheduler.PolyScheduler(max_update=10, base_lr=2.0, pwr=2, final_lr=1.0)
    assert rates(poly, (0, 5, 10, 11)) == [2, 1.25, 1, 1]
    cosine = lr_scheduler.CosineScheduler(max_update=10, base_lr=2.0, final_lr=1.0)
    expected = 1 + (1 + math.cos(math.pi * 0.3)) / 2
    assert rates(cosine, (0, 3, 10, 40)) == [2, pytest.approx(expected), 1, 1]


@pytest.mark.parametrize(
    ("mode", "expected"), [("linear", [0.1, 0.55, 1.0]), ("constant", [0.1, 0.1, 1])]
)
def test_warm_up(mode, expected):
    schedule = lr_scheduler.FactorScheduler(
        step=50, base_lr=1.0, warmup_steps=4, warmup_begin_lr=0.1, warmup_mode=mode
    )
    assert rates(schedule, (0, 2, 4)) == [pytest.approx(e) for e in expected]


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: lr_scheduler.FactorScheduler(0), "Schedule step must be greater"),
        (lambda: lr_scheduler.FactorScheduler(1, factor=2), "Factor must be no more than 1"),
        (lambda: lr_scheduler.MultiFactorScheduler([3, 3]), "increasing"),
        (lambda: lr_scheduler.PolyScheduler(0), "strictly positive"),
        (lambda: lr_scheduler.LRScheduler(0.1, warmup_begin_lr=1), "higher than warmup_begin_lr"),
        (lambda: lr_scheduler.LRScheduler(0.1, warmup_steps=-1), "positive or 0"),
        (lambda: lr_scheduler.LRScheduler(warmup_mode="x"), "only linear and constant"),
    ],
)
def test_wrong_arguments(make, match):
    with pytest.raises(ValueError, match=match):
        make()


def test_base_has_no_rule():
    with pytest.raises(NotImplementedError, match="LRScheduler must define"):
        lr_scheduler.LRScheduler()(1)
