"""Texts without accents and case: names are sorted and recognised by them, and files are named after them."""

from __future__ import annotations

import re
import unicodedata
from typing import Final


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


def slug(text: str, joint: str = "_") -> str:
    """Return a text's ASCII words, no accents, no case: what it is called where only such signs may stand.

    >>> slug("Azul atrasa 15 dias"), slug("PIS/COFINS – s/ Serviços", " "), slug("–")
    ('azul_atrasa_15_dias', 'pis cofins s servicos', '')
    """
    return joint.join(re.findall("[a-z0-9]+", sort_key(text)))


_LATIN: Final = str.maketrans(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠ"
    "ġĢģĤĥĦħĨĩĪīĬĭĮįİıĲĳĴĵĶķĸĹĺĻļĽľĿŀŁłŃńŅņŇňŉŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſ",
    "AAAAAAACEEEEIIIIDNOOOOOOUUUUYTsaaaaaaaceeeeiiiidnoooooouuuuytyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgG"
    "gGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs",
)


def split_letters(text: str) -> str:
    """Return the words of a text in ASCII letters, case kept, a blank before, between and after them.

    Accents and combining marks are dropped, all else parts words: digits too. Only what is listed here counts, so that
    SQL (`quality/prova/nomes.sql`) finds the same words in any text, whatever Unicode either knows.

    >>> split_letters("PIS/COFINS"), split_letters("IPTU2026 do Saloão"), split_letters("–")
    (' PIS COFINS ', ' IPTU do Saloao ', ' ')
    """
    plain = re.sub("[\u0300-\u036f]", "", text.translate(_LATIN))
    return re.sub("[^A-Za-z]+", " ", f" {plain} ")


_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)


def fold_person(text: str) -> str:
    """Return what tells one person from another: Latin letters and digits alone, no accents, no case.

    Two spellings of one name are one person, whatever blanks, points and signs of no width stand in them.

    Returns:
        "" for a text that is nobody's name: it has no letter, or one of another script, which may look like a Latin
        one (Cyrillic and Greek letters do).

    >>> fold_person(" Ana  Díretora. "), fold_person("\uff21na\u200b Diretora"), fold_person("\u0410na Diretora")
    ('anadiretora', 'anadiretora', '')
    >>> fold_person("."), fold_person("123")
    ('', '')
    """
    plain = sort_key(unicodedata.normalize("NFKC", text)).translate(_UNDECOMPOSED)
    kept = [char for char in plain if char.isalnum()]
    letters = [char for char in kept if char.isalpha()]
    return "".join(kept) if letters and all("a" <= char <= "z" for char in letters) else ""
