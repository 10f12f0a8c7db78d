"""Parts of ``opforge.io`` for images: the IDX format."""
