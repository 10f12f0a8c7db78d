"""Reports of the battery as text tables and as XML."""
