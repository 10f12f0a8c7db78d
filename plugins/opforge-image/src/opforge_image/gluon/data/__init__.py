"""Parts of ``gluon.data`` for images."""
