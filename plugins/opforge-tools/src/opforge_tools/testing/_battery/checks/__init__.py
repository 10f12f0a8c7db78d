"""The checks, what runs them, and the batteries for one operator and one layer."""
