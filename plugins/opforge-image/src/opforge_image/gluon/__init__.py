"""Parts of Gluon for images."""
