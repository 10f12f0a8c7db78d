"""``python -m opforge.mxnet script.py [args]``: see `_program`."""

import sys

# By its own name: `python -m` runs this file as a part of opforge.
from opforge_mxnet.mxnet._program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
