"""The group view: what all companies of one settings file published, side by side, summed and in one database."""
