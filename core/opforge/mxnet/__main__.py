"""``python -m opforge.mxnet script.py [args]``: see `_program`."""

import sys

from ._program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
