"""Each report lays out what analysis found, as a value of the grid; no formatting, no I/O."""
