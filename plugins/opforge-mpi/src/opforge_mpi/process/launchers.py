"""Environment variables of launchers; imports nothing, as the program for PyTorch reads it."""

__all__ = ["LAUNCHERS"]

#: Environment variables in which launchers store the number of processes, and the rank of each.
LAUNCHERS = (
    ("PMI_SIZE", "PMI_RANK"),
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("SLURM_NTASKS", "SLURM_PROCID"),
)
