"""``python -m opforge_image.im2rec``."""

import sys

from .command import main

sys.exit(main())
