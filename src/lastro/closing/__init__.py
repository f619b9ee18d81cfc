"""The closing of a month: one file for the bank and the accountant, built as of the month's last day (S25).

Belongs here: which month is closed and when, its eight sheets, its editions and what changed after them. Does not
belong here: how any figure is computed (`lastro.analysis`). Taken out by its folder (`lastro.run.options`).
"""
