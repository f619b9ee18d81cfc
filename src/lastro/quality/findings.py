"""The data-quality rules Q: odd records worth a person's look, with why it matters and what to do (R15).

A finding changes no figure. What its amounts are its head says (`Lados`): of open items, which are to be received and
paid; of no side at all (balances, budgets); without that line, of what goes in and out. Each rule is a file
(`checks/Q16.sql`): its head says what a person reads, its first SELECT returns a row for each record, of which `tipo`
and `id` alone are needed:

| column | what |
|---|---|
| `tipo`, `id` | the record that the rule names |
| `valor` | its amount, signed; one that has amounts of both signs comes once for each |
| `pessoa_id`, `dia` | whose it is, and its day |
| `texto` | what a person reads of it |

A second SELECT returns what is printed besides: `dito`, before why it matters, `colar`, after what to do, or another
`gravidade` than that of the head. Transfers are looked at in Q08, Q09, Q10, Q15, Q19 and Q34.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pandas as pd

from lastro.analysis.arrears import IN_PLAN, OWED, PAID
from lastro.analysis.debts import find_debt_categories
from lastro.analysis.dre_map import find_named_as_outside
from lastro.entrada.door import RefusedPart
from lastro.grid.cells import Kind
from lastro.grid.tables import Column, Table
from lastro.grid.verdict import Finding, Side
from lastro.quality.queries import EACH, SIDES, Query
from lastro.quality.runner import write_reais

if TYPE_CHECKING:
    from lastro.transform.position import Position
    from lastro.warehouse.file.check_room import CheckRoom, Relation

ITEMS: Final = "mart.achados_itens"
COLUMNS: Final = (
    Column("Regra", Kind.TEXT),
    Column(
        "Tipo", Kind.TEXT, "o que id numera: linha, titulo, cobranca, pessoa, categoria, grupo, centros, formas, tags"
    ),
    Column("Id", Kind.INTEGER, "número do registro, do tipo que a coluna tipo diz"),
    Column(
        "Valor",
        Kind.MONEY,
        "valor do registro; com o sinal do título: a receber positivo, a pagar negativo; um registro pode "
        "estar em vários achados",
    ),
    Column("Pessoa id", Kind.INTEGER),
    Column("Dia", Kind.DATE, "vencimento do registro; nulo onde não há um"),
    Column("Texto", Kind.TEXT, "o registro por extenso"),
)
_COLUMNS_OF_ITEMS: Final = (
    f"SELECT numero, tipo, id, (valor * 100)::BIGINT AS valor, pessoa_id, dia, texto FROM {ITEMS}"  # noqa: S608
)
ABERTURAS: Final = {
    "conta_id": "BIGINT", "conta": "VARCHAR", "causa": "VARCHAR", "origem": "VARCHAR", "linha_id": "BIGINT",
    "efeito": "DECIMAL(18,2)", "antes": "DECIMAL(18,2)", "agora": "DECIMAL(18,2)", "ancora_dia": "DATE",
    "mudou_em": "DATE",
}  # fmt: skip
"""Columns of `prova.aberturas`."""
RECUSADOS: Final = {
    "motivo": "VARCHAR", "linha": "BIGINT", "texto": "VARCHAR", "valor": "DECIMAL(18,2)", "arquivo": "VARCHAR",
}  # fmt: skip
"""Columns of `prova.recusados`, the fields of `RefusedPart`."""
_ANY: Final = """
SELECT NULL::VARCHAR AS tipo, NULL::BIGINT AS id, NULL::DECIMAL(18,2) AS valor, NULL::BIGINT AS pessoa_id,
  NULL::DATE AS dia, NULL::VARCHAR AS texto WHERE false"""
"""The columns of a record, of which a rule returns some."""
_SUMS: Final = f"""
SELECT numero, arg_min(tipo, id), count(DISTINCT (tipo, id, texto)), count(valor),
  count(*) FILTER (valor > 0), coalesce(sum(valor) FILTER (valor > 0), 0)::DECIMAL(18,2),
  count(*) FILTER (valor < 0), coalesce(-sum(valor) FILTER (valor < 0), 0)::DECIMAL(18,2)
FROM {ITEMS} GROUP BY numero"""  # noqa: S608
"""A row a rule: kind of its ids, counts of records and of amounts, then count and sum of each sign."""
_WORD_OF: Final = {"Por que importa": "dito", "O que fazer": "colar"}
"""Where the texts of each record stand -> what a second SELECT calls that place."""
_LINE_OF_FILE: Final = re.compile(r"(.*?), linha (\d+): ", re.DOTALL)
_TOLD_OF_FILE: Final = 10
UNLINKED, MISUNDERSTOOD = "Q28", "Q39"
"""Statements of no account, and texts of a desk that are no day and no amount."""
ANSWER_RULES: Final = {"S26": PAID, "R21": IN_PLAN, "Q33": OWED}
"""Answer of the payments desk -> the rule under which `ops.notados` records the título."""
MOVED, UNPAID = "F3", "S20"
"""The rules under which `ops.notados` records open títulos that the bank moved, and those it proves unpaid (S20)."""
Noticed = tuple[str, int, str, int]
"""Rule, number within it, what the id is of, id: a row of `ops.notados`."""


class Found(NamedTuple):
    """What the rules found.

    Attributes:
        findings: of every rule.
        itens: `mart.achados_itens`, the records behind them.
    """

    findings: Sequence[Finding]
    itens: Table


def list_noticed(
    position: Position,
    *,
    repetidos: Iterable[tuple[str, int]],
    nao_entendidos: Iterable[tuple[str, int]],
    decididos: Iterable[int],
    decisoes_vencidas: Iterable[int],
    movidos: Iterable[int],
    mudados: Iterable[int],
    nao_repassadas: Iterable[int],
) -> list[Noticed]:
    """List what a run noticed that the published records do not say, as `ops.notados` keeps it.

    Args:
        position: its categories are held against the words of S17, for Q21 and R24; it says which legs of
            transfers have the other one outside a scope.
        repetidos: list and id of each record that came more than once, with different content (Q35).
        nao_entendidos: what the row of each text at a desk that was not understood is of, and its key (Q39).
        decididos: payables with a decision in force, which F5 leaves out.
        decisoes_vencidas: payables whose day decided is over (Q38).
        movidos: open títulos that the bank moved, which F3 names whatever Q33 says.
        mudados: payables that are not what was approved any more (Q42).
        nao_repassadas: charges whose money a statement shows the bank not to have passed on (F8).
    """
    named = [("categoria", key) for key in sorted(find_named_as_outside(position.categorias))]
    return [
        (rule, place, tipo, key)
        for rule, problems in (
            ("F5", [("titulo", key) for key in decididos]),
            ("F8", [("cobranca", key) for key in nao_repassadas]),
            ("Q09", [("linha", key) for key in sorted(position.pernas_fora)]),
            ("Q21", named),
            ("Q35", repetidos),
            ("Q38", [("titulo", key) for key in decisoes_vencidas]),
            ("Q39", nao_entendidos),
            ("Q42", [("titulo", key) for key in sorted(mudados)]),
            ("R24", [("categoria", key) for key in sorted(find_debt_categories(position))]),
            (MOVED, [("titulo", key) for key in sorted(movidos)]),
        )
        for place, (tipo, key) in enumerate(problems, 1)
    ]


def note_promised(titulos: Collection[int]) -> list[Noticed]:
    """List the receivables that promises in force cover whole, which F1 and F2 leave out."""
    return [("F1", place, "titulo", key) for place, key in enumerate(sorted(titulos), 1)]


def note_unpaid(nao_pagos: Iterable[int]) -> list[Noticed]:
    """List the títulos that a bank proves unpaid, so that F3 does not name them (S20), as `ops.notados` keeps it."""
    return [(UNPAID, place, "titulo", key) for place, key in enumerate(sorted(nao_pagos), 1)]


def note_answers(respostas: Mapping[int, str]) -> list[Noticed]:
    """List what the payments desk answered of payables (S26.4), titulo_id -> answer, as `ops.notados` keeps it."""
    rules = {answer: rule for rule, answer in ANSWER_RULES.items()}
    return [(rules[answer], place, "titulo", key) for place, (key, answer) in enumerate(sorted(respostas.items()), 1)]


def note_returned(devolvidos: Iterable[int]) -> list[Noticed]:
    """List the open títulos whose money came and went back (S20), which F4 leaves out, as `ops.notados` keeps it."""
    return [("F4", place, "titulo", key) for place, key in enumerate(sorted(devolvidos), 1)]


def lay_out_noticed(
    noticed: Iterable[Noticed], nao_lidos: Iterable[RefusedPart], aberturas: Relation | None
) -> dict[str, Relation]:
    """Lay out, as the views of the prelude show it, what no position holds.

    Args:
        noticed: result of `list_noticed`.
        nao_lidos: what of people's files was not read (Q22, Q31, Q37).
        aberturas: what the history says of openings that moved (Q36); None where it was not asked.
    """
    from lastro.warehouse.file.check_room import Relation

    return {
        "aberturas": aberturas or Relation(ABERTURAS, []),
        "notados": Relation({"regra": "VARCHAR", "ordem": "BIGINT", "tipo": "VARCHAR", "id": "BIGINT"}, [*noticed]),
        "recusados": Relation(RECUSADOS, [*nao_lidos]),
    }


def find_findings(room: CheckRoom, queries: Mapping[str, Query]) -> Found:
    """Apply Q rules, all in one question.

    Args:
        room: the records, and what `lay_out_noticed` adds to them.
        queries: the rules (`lastro.quality.queries.read_findings`).

    Returns:
        Every rule in order, also those that found nothing.
    """
    room.derive(ITEMS, _join(queries))
    _, sums = room.ask(_SUMS) or ([], [])
    added = {index: rest for index, *rest in sums}
    columns = room.take(_COLUMNS_OF_ITEMS)
    places = np.searchsorted(columns["numero"], range(len(queries) + 1))
    findings = []
    for index, query in enumerate(queries.values()):
        own = slice(places[index], places[index + 1])
        texts = name_each(query.id, columns["texto"][own].compressed()) if EACH in query.fatos else ()
        findings.append(_describe(query, added.get(index), columns["id"][own], texts, room))
    return Found(findings, _keep_items(columns, list(queries)))


def _keep_items(columns: Mapping[str, np.ma.MaskedArray[Any, Any]], rules: list[str]) -> Table:
    """Keep the records by columns: there may be as many as linhas."""
    comment = "R15: um registro de um achado; de valores dos dois sinais (pessoa, grupo, categoria), um de cada"
    rule_index, *rest = columns.values()
    regra = pd.Series(pd.Categorical.from_codes(np.ma.getdata(rule_index).astype("int64"), pd.Index(rules)))
    columns_of = zip(COLUMNS, [regra, *map(_to_series, rest)], strict=True)
    return Table.of("achados_itens", list(columns_of), comment)


def _to_series(values: np.ma.MaskedArray[Any, Any]) -> pd.Series:
    plain, mask = np.ma.getdata(values), np.ma.getmaskarray(values)
    if plain.dtype.kind == "i":
        return pd.Series(pd.arrays.IntegerArray(plain, mask))
    return pd.Series(plain).mask(mask) if mask.any() else pd.Series(plain)


def _join(queries: Mapping[str, Query]) -> str:
    """Write all rules as one SELECT of the rows of `mart.achados_itens`."""
    parts = [
        f"SELECT {index} AS numero, '{rule}' AS regra, * FROM (\n{query.selects[0]}\n)"  # noqa: S608 - our own text
        for index, (rule, query) in enumerate(queries.items())
    ]
    joined = "\nUNION ALL BY NAME\n".join([_ANY, *parts])
    return f"FROM (\n{joined}\n) ORDER BY numero, id, valor DESC, texto"


def name_each(rule: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Name the records of a rule by their texts: ten of a file, in the order of its lines, then how many more.

    >>> name_each("Q24", ["a.ofx, linha 12: x", "a.ofx, linha 9: y", "b.ofx: vazio"])
    ('a.ofx, linha 9: y', 'a.ofx, linha 12: x', 'b.ofx: vazio')
    """
    kept: list[str] = []
    of_file: Counter[str] = Counter()
    every = sorted(set(texts), key=_place)
    for text in every:
        line = _LINE_OF_FILE.match(text)
        file = line[1] if line else text  # a whole file is one by itself
        of_file[file] += 1
        if of_file[file] <= _TOLD_OF_FILE:
            kept.append(text)
    more = len(every) - len(kept)
    return (*kept, *([f"mais {more}: lastro sql {rule}"] if more else []))


def _place(text: str) -> tuple[str, int, str]:
    line = _LINE_OF_FILE.match(text)
    return (line[1], int(line[2]), text) if line else (text, 0, text)


def _describe(
    query: Query, sums: list[Any] | None, ids: np.ma.MaskedArray[Any, Any], texts: tuple[str, ...], room: CheckRoom
) -> Finding:
    """Describe what a rule found: the row of `_SUMS` (None: nothing), its ids, ascending, and the texts of each."""
    why, cure = query.fatos["Por que importa"], query.fatos["O que fazer"]
    told = _tell(query, room) if sums else {}
    if texts:
        told = {_WORD_OF[query.fatos[EACH]]: " · ".join(texts), **told}
    if told.get("dito"):
        why = f"{told['dito']}. {why}"
    if told.get("colar"):
        cure = f"{cure.removesuffix('.')}: {told['colar']}"
    tipo, qtde, amounts, *sides = sums or ["linha", 0, 0]
    said = query.fatos.get(SIDES)
    return Finding(
        query.id,
        query.titulo,
        told.get("gravidade") or query.fatos["Gravidade"],
        qtde=qtde,
        lados=(Side(*sides[:2]), Side(*sides[2:])) if amounts and said != "nenhum" else None,
        ids=tuple(np.unique(ids.compressed()).tolist()),
        por_que=why,
        como_corrigir=cure,
        tipo=tipo,
        abertos=said == "em aberto",
        textos=texts,
        peso=query.peso,
    )


def _tell(query: Query, room: CheckRoom) -> dict[str, Any]:
    """Ask the second SELECT of a rule, where it has one."""
    told: dict[str, Any] = {}
    for select in query.selects[1:]:
        names, rows = room.ask(select) or ([], [])
        told |= {name: write_reais(value) for name, value in zip(names, *rows, strict=True)} if rows else {}
    return told
