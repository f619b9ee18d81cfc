"""The assets: each body reads, calls one library function, writes and describes."""
