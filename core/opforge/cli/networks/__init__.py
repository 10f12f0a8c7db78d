"""Saved networks in any format: reading, writing, running and comparing them."""
