"""``python -m opforge``: the command line, as ``opforge``."""

from .cli import main

if __name__ == "__main__":
    main()
