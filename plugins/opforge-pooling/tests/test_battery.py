from opforge.testing import check_distribution


def test_the_distribution_passes_opforge_check():
    check_distribution("opforge-pooling")
