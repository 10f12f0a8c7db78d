"""Tests with PyTorch, a peer of 200 MB and more: ``tox -e torch`` installs it.

Without it, only what needs no tensors is tested.
"""

import importlib.util

HAS_TORCH = importlib.util.find_spec("torch") is not None
collect_ignore_glob = [] if HAS_TORCH else ["test_torch_*.py"]
