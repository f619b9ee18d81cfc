"""The commands of whoever runs lastro for years, one a module; `lastro.cli` gathers them."""
