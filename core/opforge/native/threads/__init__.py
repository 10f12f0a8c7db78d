"""Who computes: loops over threads, the engine and its tasks, streams of random numbers."""
