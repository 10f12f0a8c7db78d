from opforge.testing import check_distribution


def test_everything_passes_the_battery(libmpi):
    check_distribution("opforge-mpi")
