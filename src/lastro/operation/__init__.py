"""Running lastro for years: state of the companies, faults of an installation, deletions."""
