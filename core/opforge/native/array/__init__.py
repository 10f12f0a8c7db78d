"""The array, how it meets others, and how it waits for the engine."""
