"""Texts without accents and case: what names are sorted and recognised by."""

from __future__ import annotations

import unicodedata


def sort_key(text: str) -> str:
    """Return what names are sorted by: no accents, no case (S11); break ties by id.

    >>> sorted(["Épsilon", "delta", "Água"], key=sort_key)
    ['Água', 'delta', 'Épsilon']
    """
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()


def fold_words(text: str) -> str:
    """Return what a name is recognised by: no accents, no case, single blanks.

    >>> fold_words("  Saldo  em Março ")
    'saldo em marco'
    """
    return " ".join(sort_key(text).split())
