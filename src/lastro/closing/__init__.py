"""The closing of a month: one file for the bank and the accountant, built as of the month's last day (S25).

Belongs here: which month is closed, its eight sheets and its editions. Does not belong here: how any figure is computed
(`lastro.analysis`), when a run writes one and what changed after it (`lastro.run.closing`).
"""
