"""What a check compares by a form that many share, said in comments that stand in the place of a SELECT.

    -- Iguais: a = b por chaves como nome: campos       rows by key: of two that differ a run tells the fields
    -- Somam: a = b por chaves como nome: figuras       sums by key; what one side has no row of is zero there
    -- Fecham: a como nome: figuras                     figures of each row
    -- Seguem: a por grupo em ordem como nome: figuras  of each row but the first; `antes` is the one before
    -- Uma vez: a por chaves em colunas como nome       no row twice, and where there are columns each in all of them

`a` and `b` are relations, or what the WITH before the stanza names, with or without `onde` a condition; `nome` is SQL
over their keys or rows. A figure is a column of both, or `esperado = encontrado`, and is named by itself or by
`AS 'nome'`; `valor` alone needs no name. `vezes` is how often `b` has a key that `a` has: once. Of `a >= b` only keys
that `b` has are asked.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

MORE: Final = "--   "
"""How a line of a head, or of a stanza, goes on."""
_STANZA: Final = re.compile(rf"^-- (?:Iguais|Somam|Fecham|Seguem|Uma vez): .+(?:\n{MORE}.+)*", re.MULTILINE)
_ONE: Final = r"(?P<a>\S+(?: onde .+?)?)"
_TWO: Final = _ONE + r" (?P<of>>?=) (?P<b>\S+(?: onde .+?)?) por (?P<por>.+?)"
_TOLD: Final = r" como (?P<como>.+?): (?P<figuras>.+)"
_FORMS: Final = {
    form: re.compile(rf"-- {form}: {said}")
    for form, said in {
        "Iguais": _TWO + _TOLD,
        "Somam": _TWO + _TOLD,
        "Fecham": _ONE + _TOLD,
        "Seguem": _ONE + r"(?: por (?P<por>.+?))? em (?P<em>.+?)" + _TOLD,
        "Uma vez": _ONE + r" por (?P<por>.+?)(?: em (?P<em>.+?))? como (?P<como>.+)",
    }.items()
}
_WITH: Final = re.compile(r"^WITH (?:.|\n)+", re.MULTILINE)
_APART: Final = re.compile(r", (?![^(]*\))")
_PAIR: Final = re.compile(r"(?P<a>.+?)(?: = (?P<b>.+?))?(?: AS '(?P<nome>.*)')?")


class _Pair(NamedTuple):
    """Two expressions and their name."""

    a: str
    b: str
    nome: str


def expand(rule: str, text: str) -> str:
    """Write the SELECTs of the stanzas of a text; those up to an empty line share the WITH that stands before them.

    Raises:
        ValueError: when one says less than its form needs.
    """
    blocks = []
    for block in text.split("\n\n"):
        place, shared, parts = 0, "", []
        for stanza in _STANZA.finditer(block):
            before = block[place : stanza.start()]
            own = _WITH.search(before)
            shared = own[0] if own else shared
            parts += [before, "" if own else shared, _write_select(rule, stanza[0]), ";"]
            place = stanza.end()
        blocks.append("".join([*parts, block[place:]]))
    return "\n\n".join(blocks)


def _write_select(rule: str, stanza: str) -> str:
    text = stanza.replace("\n" + MORE, " ")
    for form, pattern in _FORMS.items():
        if said := pattern.fullmatch(text):
            parts = said.groupdict()
            sides = {side: parts[side].replace(" onde ", " WHERE ", 1) for side in ("a", "b") if side in parts}
            return _WRITE[form](parts | sides)
    raise ValueError(f"{rule}: no stanza: {stanza!r}")


def _split(text: str) -> list[_Pair]:
    """Split columns or figures."""
    parts = [_PAIR.fullmatch(part) for part in _APART.split(text)]
    pairs = [part.groupdict() for part in parts if part is not None]
    named = {"valor": ""}
    return [
        _Pair(a, b or a, named.get(a, a) if nome is None else nome) for a, b, nome in (pair.values() for pair in pairs)
    ]


def _compare_rows(said: dict[str, str]) -> str:
    keys = said["por"].split(", ")
    return f"""SELECT CASE WHEN e IS NOT DISTINCT FROM m THEN 'iguais' ELSE {said["como"]} END AS chave,
  any_value(e) FILTER (e IS DISTINCT FROM m) AS esperado, any_value(m) FILTER (e IS DISTINCT FROM m) AS encontrado,
  count(*) AS comparacoes
FROM (
  SELECT e, m, {", ".join(f"coalesce(e.{key}, m.{key}) AS {key}" for key in keys)}
  FROM (SELECT {said["por"]}, {said["figuras"]} FROM {said["a"]}) e
  FULL JOIN (SELECT {said["por"]}, {said["figuras"]} FROM {said["b"]}) m
    ON {" AND ".join(f"m.{key} = e.{key}" for key in keys)})
GROUP BY ALL ORDER BY chave"""  # noqa: S608 - the package's own text


def _sum_rows(said: dict[str, str]) -> str:
    keys, figures = _split(said["por"]), _split(said["figuras"])
    names = ", ".join(key.a for key in keys)
    asked = [n for n, figure in enumerate(figures) if figure.a != "vezes"]
    due = [*(f"{key.a} AS {key.a}" for key in keys), *(f"{figures[n].a} AS e{n}, NULL AS m{n}" for n in asked)]
    shown = [*(key.b for key in keys), *(f"NULL, {figures[n].b}" for n in asked)]
    sums = [f"sum(e{n}) AS e{n}, sum(m{n}) AS m{n}" for n in asked]
    e, m = (
        [
            f"CASE WHEN {own} > 0 THEN {side}{n} ELSE 0 * {other}{n} END" if n in asked else times
            for n in range(len(figures))
        ]
        for own, side, other, times in (("d", "e", "m", "least(d, 1)"), ("s", "m", "e", "s"))
    )
    return f"""{_list(said["como"], figures, e, m)}
FROM (SELECT {", ".join([names, *sums])}, count(d) AS d, count(s) AS s FROM (
  SELECT {", ".join(due)}, 1 AS d, NULL AS s FROM {said["a"]}
  UNION ALL SELECT {", ".join(shown)}, NULL, 1 FROM {said["b"]}) GROUP BY {names})
{"WHERE s > 0 " if said["of"] == ">=" else ""}ORDER BY {names}"""  # noqa: S608 - the package's own text


def _close_rows(said: dict[str, str]) -> str:
    figures = _split(said["figuras"])
    e, m = [figure.a for figure in figures], [figure.b for figure in figures]
    return f"{_list(said['como'], figures, e, m)}\nFROM {said['a']}"


def _follow_rows(said: dict[str, str]) -> str:
    within = f"PARTITION BY {said['por']} " if said["por"] else ""
    before = f"lag(r) OVER ({within}ORDER BY {said['em']}) AS antes"
    rows = f"(SELECT *, {before} FROM (FROM {said['a']}) r) WHERE antes IS NOT NULL"  # noqa: S608 - as above
    return _close_rows(said | {"a": rows})


def _count_rows(said: dict[str, str]) -> str:
    columns = [said["por"], *([said["em"]] if said["em"] else [])]
    product = " * ".join(f"count(DISTINCT row({one}))" for one in columns)
    twice = f"count(*) - count(DISTINCT row({', '.join(columns)}))"
    return f"""SELECT {said["como"]} AS chave, {product} AS esperado, count(*) + {twice} AS encontrado
FROM {said["a"]} HAVING count(*) > 0"""  # noqa: S608 - the package's own text


def _list(como: str, figures: list[_Pair], e: list[str], m: list[str]) -> str:
    names = ", ".join(f"' · {figure.nome}'" if figure.nome else "''" for figure in figures)
    return f"""SELECT {como} || unnest([{names}]) AS chave,
  unnest([{", ".join(e)}]) AS esperado, unnest([{", ".join(m)}]) AS encontrado"""


_WRITE: Final = {
    "Iguais": _compare_rows, "Somam": _sum_rows, "Fecham": _close_rows, "Seguem": _follow_rows, "Uma vez": _count_rows,
}  # fmt: skip
