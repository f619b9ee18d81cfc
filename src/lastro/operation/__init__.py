"""Running lastro for years: how every company stands, what is wrong with an installation, what may go."""
