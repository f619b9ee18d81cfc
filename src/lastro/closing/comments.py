"""`comentarios/AAAA-MM.txt` in the entry folder: the comment on a month (S25)."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Final

from lastro.entrada.csv_table import decode
from lastro.entrada.door import NotRead, hold_unread, read_file
from lastro.folding import fold_words

FOLDER: Final = "comentarios"
LONGEST: Final = 4000
NEXT_STEPS: Final = "proximos passos"


def read_comment(folder: Path, mes: date) -> tuple[tuple[str, bool], ...]:
    """Read the comment on a month: its lines, each with whether it is a heading (`# ...`); empty without one.

    At most 4,000 characters count; a file that cannot be read is none.
    """
    wanted = f"{mes:%Y-%m}.txt"
    try:
        inside = next((entry for entry in folder.iterdir() if entry.name.casefold() == FOLDER), None)
        path = next((entry for entry in inside.iterdir() if entry.name.casefold() == wanted), None) if inside else None
        if path is None:
            return ()
        with hold_unread():
            text = decode(read_file(path).content)[:LONGEST]
    except (OSError, NotRead):
        return ()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple((line.lstrip("# "), True) if line.startswith("#") else (line, False) for line in lines)


def find_next_steps(comment: tuple[tuple[str, bool], ...]) -> tuple[str, ...]:
    """Take the section "Próximos passos" of a comment."""
    steps: list[str] = []
    inside = False
    for line, heading in comment:
        if heading:
            inside = fold_words(line) == NEXT_STEPS
        elif inside:
            steps.append(line)
    return tuple(steps)
