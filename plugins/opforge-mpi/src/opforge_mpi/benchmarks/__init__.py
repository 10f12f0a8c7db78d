"""``opforge bench mpi``: what sums over the ranks cost here, and what several ranks are good for.

`command` starts programs under mpiexec; `transport` and `networks` are what each rank runs then,
and `torch_networks` is the same for PyTorch.
"""
