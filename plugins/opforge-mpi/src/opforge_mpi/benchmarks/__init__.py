"""``opforge bench mpi``: the cost of sums over the ranks, and the speedup of several ranks.

`command` starts programs under mpiexec; `transport` and `networks` are the programs of each rank,
and `torch_networks` is the equivalent for PyTorch.
"""
