"""Reports as values: sections, rows and cells with a kind; no formatting, no I/O."""
