"""Finds a text in all entries: amounts, descriptions, notes, and the names of their people."""

from __future__ import annotations

import unicodedata

from lastro_sandbox.ledger import Books
from lastro_sandbox.model import format_money


def fold_text(text: str) -> str:
    """Return text for approximate comparison: no accents, lower case."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()


def find_text(books: Books, text: str) -> set[int]:
    """Return the ids of the entries that match; an amount is found with a comma too."""
    needle = fold_text(text)
    amount = needle.replace(",", ".") if "." not in needle else needle
    people = {
        person.id
        for person in books.pessoas.values()
        if needle in fold_text(person.nome) or needle in fold_text(person.nome_fantasia or "")
    }
    return {
        entry.id
        for entry in books.lancamentos.values()
        if amount in format_money(abs(entry.valor))
        or needle in fold_text(entry.descricao)
        or needle in fold_text(entry.observacao)
        or entry.pessoa_id in people
    }
