"""Subjects of the battery: operators and layers, with samples to call them on."""
