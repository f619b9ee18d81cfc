"""Pure functions over positions: what reports lay out and checks compare; no layout, no I/O."""
