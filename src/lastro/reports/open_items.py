"""What R08 and R09 share: open títulos with their aging, by band, by due date, by person and one by one (S8).

Amounts keep their sign: payables are negative in every column, estimates of fines and interest included, so that
`Valor` + `Multa est.` + `Juros est.` = `Valor atualizado` on both sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lastro.analysis.drill_down import Entries
from lastro.analysis.encode import (
    encode,
    encode_amounts,
    encode_dates,
    encode_integers,
    encode_labels,
    encode_made,
    encode_plain,
    encode_texts,
    encode_urls,
)
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind
from lastro.grid.charts import keep_drawable, read_figures, read_labels
from lastro.grid.coded import CodedCells, CodedRows
from lastro.grid.model import (
    BALANCE_TINT,
    OUT_COLOUR,
    Chart,
    ChartKind,
    Column,
    Mark,
    Row,
    Section,
    Series,
    Style,
    id_columns,
)
from lastro.grid.words import count_text
from lastro.money import ratio_pct, to_decimal
from lastro.transform.position import FAIXA_KEYS, FAIXAS, Position

FORWARD = (("Hoje", 0, 0), ("1-7", 1, 7), ("8-15", 8, 15), ("16-30", 16, 30), ("31-60", 31, 60), ("61-90", 61, 90))
"""Forward buckets in days to the reference date (S8); what lies beyond is ">90"."""
BEYOND = ">90"
_SUMMED = ("valor_centavos", "pessoa_id")
"""What a row of a summary by band adds up and counts."""
TOP_PEOPLE = 20
CHART_PEOPLE = 8
FAIXA_COLOURS = (BALANCE_TINT, "FFE082", "FFB74D", "F57C00", "E57373", OUT_COLOUR)
"""Aging bands as a chart paints them: not late in the tint of balances, then from yellow to red."""
VARIAS = "Várias"
PAID_CHARGE = "cobrança consta paga"
LATE_90 = frozenset({Mark.LATE_90})
LATE_DAYS = 90
ESTIMATE_NOTE = (
    "Multa e juros são estimativa contratual (juros simples por dia de mora); não entram em nenhum fluxo de caixa."
)

FAIXA_COLUMNS = (
    Column("Faixa", Kind.TEXT, width=30),
    Column("Qtde", Kind.INTEGER),
    Column("Valor", Kind.MONEY),
    Column("% do total", Kind.PERCENT),
    Column("Pessoas", Kind.INTEGER),
)
DETAIL_COLUMNS = (
    Column("Título", Kind.INTEGER, key="titulo_id"),
    Column("Pessoa", Kind.TEXT),
    Column("Vencimento", Kind.DATE),
    Column("Dias de atraso", Kind.INTEGER),
    Column("Situação", Kind.TEXT, width=14),
    Column("Valor", Kind.MONEY, dense=True, total=True),
    Column("Descrição", Kind.TEXT),
    Column("Parcela", Kind.TEXT, width=10),
    Column("Faixa", Kind.TEXT, width=11),
    Column("Data efetiva", Kind.DATE),
    Column("Multa est.", Kind.MONEY, dense=True, total=True),
    Column("Juros est.", Kind.MONEY, dense=True, total=True),
    Column("Valor atualizado", Kind.MONEY, dense=True, total=True),
    Column("Documento", Kind.TEXT),
    Column("Categoria", Kind.TEXT),
    Column("Conta", Kind.TEXT),
    Column("Forma", Kind.TEXT),
    Column("Centro", Kind.TEXT),
    Column("Bruto", Kind.MONEY, dense=True, total=True),
    Column("Deduções", Kind.MONEY, dense=True, total=True),
    Column("Automático", Kind.BOOLEAN, width=12),
)
ANCHORS = (("titulo_id", "titulo_id"), ("pessoa_id", "pessoa_id"))
"""How other sheets find a row of the detail: the título, the most overdue one of a person."""
PARENT_COLUMNS = id_columns("pessoa_id", "conta_id", "categoria_id", "centro_id", "forma_id", "grupo_id")
PARENT_FIELDS = (
    "pessoa_id", "conta_id", "categoria_id", "centro_custo_lucro_id", "forma_pagamento_id", "grupo_id",
)  # fmt: skip
CHARGE_COLUMN = Column("Cobrança", Kind.LINK)


def select_open(position: Position, tipo: str) -> pd.DataFrame:
    """Keep the open títulos of one type, transfers left out, `fora_resultado` kept (S9), in printing order.

    Args:
        position: the position.
        tipo: "P" payables or "R" receivables; zero-value títulos are of neither (S8).

    Returns:
        Sorted by days late descending, |value| descending, id; RangeIndex.
    """
    titulos = position.titulos
    kept = titulos[~titulos["pago"] & ~titulos["transferencia"] & (titulos["tipo"] == tipo)]
    keyed = kept.assign(tamanho=kept["valor_centavos"].abs())
    ordered = keyed.sort_values(["dias", "tamanho", "titulo_id"], ascending=[False, False, True], ignore_index=True)
    return ordered.drop(columns="tamanho")


def build_faixas(abertos: pd.DataFrame, name: str, *, charges: bool) -> Section:
    """Build the summary by aging band, with the overdue split as memo rows.

    Args:
        abertos: result of `select_open`.
        name: of the section.
        charges: also tell how much of the overdue has a charge that the customer already paid (R09).
    """
    abertos = abertos[[*_SUMMED, "faixa", "vencido", "em_carencia", "cobranca_paga"]]
    total = int(abertos["valor_centavos"].sum())
    rows = [_summary_row(faixa, abertos[abertos["faixa"] == faixa], total) for faixa in FAIXAS]
    rows.append(_summary_row("Total", abertos, total, Style.TOTAL, key=f"{name}-total"))
    vencido, carencia = abertos["vencido"], abertos["em_carencia"]
    memo = [
        ("vencido", "Vencido", abertos[vencido]),
        ("em_carencia", "Em carência", abertos[carencia]),
        ("vencido_efetivo", "Vencido efetivo", abertos[vencido & ~carencia]),
    ]
    if charges:
        paid = abertos["cobranca_paga"]
        memo.append(("com_cobranca_paga", "Vencido com cobrança paga", abertos[vencido & paid]))
        memo.append(("sem_explicacao", "Vencido sem explicação", abertos[vencido & ~carencia & ~paid]))
    rows += [_summary_row(text, part, total, Style.MEMO, key=f"{name}-{key}") for key, text, part in memo]
    notes = ["Vencido efetivo = vencido menos em carência (pode ser pago hoje sem encargos, Lei 7.089/1983)."]
    if charges:
        notes.append(
            "Vencido com cobrança paga: o cliente pagou e o lançamento segue aberto; o dinheiro está a caminho, "
            "não é inadimplência. Vencido sem explicação: vencido efetivo sem cobrança paga."
        )
    return Section(name, FAIXA_COLUMNS, tuple(rows), title="Resumo por faixa de atraso", notes=tuple(notes))


def build_forward(abertos: pd.DataFrame, name: str) -> Section:
    """Build the summary of what is not late by days to the reference date (S8)."""
    ahead = abertos.loc[~abertos["vencido"], [*_SUMMED, "dias"]]
    total = int(ahead["valor_centavos"].sum())
    days = -ahead["dias"].astype("int64")
    rows = [_summary_row(label, ahead[(days >= first) & (days <= last)], total) for label, first, last in FORWARD]
    rows.append(_summary_row(BEYOND, ahead[days > FORWARD[-1][2]], total))
    rows.append(_summary_row("Total", ahead, total, Style.TOTAL))
    columns = (Column("Vence em (dias)", Kind.TEXT, width=30), *FAIXA_COLUMNS[1:])
    return Section(name, columns, tuple(rows), title="A vencer por prazo")


def _summary_row(
    label: str, part: pd.DataFrame, total: int, style: Style = Style.NORMAL, key: str | None = None
) -> Row:
    valor = int(part["valor_centavos"].sum())
    people = int(part["pessoa_id"].nunique())
    return Row((label, len(part), to_decimal(valor), ratio_pct(valor, total), people), style=style, key=key)


def build_people(position: Position, abertos: pd.DataFrame, name: str) -> Section:
    """Build person x band: the 20 largest by |open value| (ties by id), the others together, "Sem pessoa" last."""
    columns = (
        Column("Pessoa", Kind.TEXT),
        *(Column(faixa, Kind.MONEY, dense=True, key=key) for faixa, key in zip(FAIXAS, FAIXA_KEYS, strict=True)),
        Column("Total", Kind.MONEY, dense=True),
        *id_columns("pessoa_id"),
    )
    pessoa = abertos["pessoa_id"]
    sums = (
        abertos.assign(pessoa=pessoa)
        .groupby(["pessoa", "faixa"], dropna=False)["valor_centavos"]
        .sum()
        .unstack("faixa", fill_value=0)
        .reindex(columns=list(FAIXAS), fill_value=0)
    )
    people = [
        (None if pd.isna(key) else int(key), [int(value) for value in values])
        for key, values in zip(sums.index, sums.to_numpy().tolist(), strict=True)
    ]
    nobody = [values for number, values in people if number is None]
    people = [(number, values) for number, values in people if number is not None]
    people.sort(key=lambda item: (-abs(sum(item[1])), item[0]))
    rows = [
        _people_row(position.rotulos.pessoa(pessoa_id), values, key=pessoa_key(pessoa_id), pessoa_id=pessoa_id)
        for pessoa_id, values in people[:TOP_PEOPLE]
    ]
    rest = people[TOP_PEOPLE:]
    if rest:
        label = f"Demais ({count_text(len(rest), 'pessoa', 'pessoas')})"
        rows.append(_people_row(label, _add_up([values for _, values in rest])))
    rows += [_people_row(position.rotulos.pessoa(None), values, key=pessoa_key(None)) for values in nobody]
    rows.append(_people_row("Total", _add_up([*nobody, *(values for _, values in people)]), Style.TOTAL))
    return Section(name, columns, tuple(rows), title=f"Por pessoa: {TOP_PEOPLE} maiores e demais")


def build_charts(people: Section, title: str) -> tuple[Chart, ...]:
    """Draw the largest people, one bar each, stacked by aging band; a band that nobody of them has is left out.

    Args:
        people: result of `build_people`; amounts are drawn as positive ones.
        title: whose bars they are.

    Returns:
        One chart below `people`, none when nothing is open.
    """
    rows = [row for row in people.rows if row.key not in {None, pessoa_key(None)}][:CHART_PEOPLE]
    series = []
    for faixa, key, colour in zip(FAIXAS, FAIXA_KEYS, FAIXA_COLOURS, strict=True):
        values = tuple(-value if value and value < 0 else value for value in read_figures(people, key, rows))
        if any(values):
            series.append(Series(faixa, values, colour))
    labels = read_labels(people, "pessoa", rows)
    heading = f"{title} por pessoa e faixa de atraso: {CHART_PEOPLE} maiores"
    return keep_drawable(Chart(heading, ChartKind.STACKED_BAR, labels, tuple(series), after=people.name))


def pessoa_key(pessoa_id: int | None) -> str:
    """Return the key of a person's row."""
    return f"pessoa-{'sem' if pessoa_id is None else pessoa_id}"


def _people_row(
    label: str,
    values: Sequence[int],
    style: Style = Style.NORMAL,
    key: str | None = None,
    pessoa_id: int | None = None,
) -> Row:
    return Row((label, *map(to_decimal, values), to_decimal(sum(values)), pessoa_id), style=style, key=key)


def _add_up(vectors: Sequence[Sequence[int]]) -> list[int]:
    return [sum(values) for values in zip(*vectors, strict=True)] if vectors else [0] * len(FAIXAS)


def build_detail(position: Position, entries: Entries, abertos: pd.DataFrame, name: str, *, charges: bool) -> Section:
    """Build the detail: one row per open título, which leads to its row in Lançamentos.

    With `charges` it has the column Cobrança (R09).
    """
    charge_ids = id_columns("cobranca_id") if charges else ()
    columns = (*DETAIL_COLUMNS, *((CHARGE_COLUMN,) if charges else ()), *PARENT_COLUMNS, *charge_ids)
    labels = position.rotulos
    sign = abertos["tipo"].map({"R": 1}).fillna(-1).astype("int64")
    valor, multa, juros = abertos["valor_centavos"], sign * abertos["multa_centavos"], sign * abertos["juros_centavos"]
    categorias = pd.Series(encode_labels(abertos["categoria_id"], labels.categoria_caminho).cells(), abertos.index)
    cells = CodedCells(
        [
            encode_integers(abertos["titulo_id"]),
            encode_labels(abertos["pessoa_id"], labels.pessoa),
            encode_dates(abertos["data_vencimento"]),
            encode_integers(abertos["dias"]),
            encode_plain(abertos["situacao"]),
            encode_amounts(valor),
            encode_made(describe_titulo(*values) for values in records_of(abertos, "descricao", "qtde_linhas")),
            encode_made(
                format_installment(*values) for values in records_of(abertos, "numero_repeticao", "total_repeticoes")
            ),
            encode_plain(abertos["faixa"]),
            encode_dates(abertos["data_efetiva"]),
            encode_amounts(multa),
            encode_amounts(juros),
            encode_amounts(valor + multa + juros),
            encode_texts(abertos["documento"], ""),
            encode_plain(categorias.mask(abertos["categorias_distintas"] > 1, VARIAS)),
            encode_labels(abertos["conta_id"], labels.conta),
            encode_labels(abertos["forma_pagamento_id"], labels.forma),
            encode_labels(abertos["centro_custo_lucro_id"], labels.centro),
            encode_amounts(abertos["bruto_centavos"]),
            encode_amounts(abertos["deducoes_centavos"]),
            encode_plain(abertos["pagamento_automatico"].astype(bool)),
            *((encode_made(_name_charges(position, abertos)),) if charges else ()),
            *(encode_integers(abertos[name]) for name in PARENT_FIELDS),
            *((encode_integers(abertos["cobranca_id"]),) if charges else ()),
        ]
    )
    rows = CodedRows(
        cells,
        label=entries.encode_links("titulo_id", abertos["titulo_id"]),
        links={len(DETAIL_COLUMNS): encode_urls(abertos["cobranca_link"])} if charges else {},
        marks=encode(abertos["dias"] > LATE_DAYS, _mark_late, frozenset()),
    )
    title = "Títulos em aberto"
    return Section(name, columns, rows, title=title, detail=True, notes=(ESTIMATE_NOTE,), anchors=ANCHORS)


def _mark_late(late: np.ndarray[Any, Any]) -> list[frozenset[Mark]]:
    return [LATE_90 if one else frozenset() for one in late.tolist()]


def _name_charges(position: Position, abertos: pd.DataFrame) -> Iterator[str | None]:
    """Name the live charge of each título; a late título whose charge is paid says so (R09)."""
    texts = dict(records_of(position.cobrancas, "cobranca_id", "status_descricao"))
    for cobranca_id, paid, late in records_of(abertos, "cobranca_id", "cobranca_paga", "vencido"):
        if cobranca_id is None:
            yield None
            continue
        status = _or_blank(texts.get(cobranca_id)) or f"Cobrança {cobranca_id}"
        yield f"{PAID_CHARGE} ({status})" if paid and late else status


def describe_titulo(descricao: object, qtde_linhas: int) -> str:
    """Write a título's description: its carrier's, and how many more linhas it has.

    >>> describe_titulo("Folha", 3), describe_titulo("Aluguel", 1)
    ('Folha + 2 itens', 'Aluguel')
    """
    extra = qtde_linhas - 1
    text = _or_blank(descricao) or ""
    return f"{text} + {count_text(extra, 'item', 'itens')}".strip() if extra > 0 else text


def format_installment(number: int | None, total: int | None) -> str:
    """Write which repetition an entry is (S10); an endless series has no total.

    >>> format_installment(2, 3), format_installment(5, None), format_installment(None, None)
    ('2/3', '5', '')
    """
    if number is None:
        return ""
    return f"{number}" if total is None else f"{number}/{total}"


def _or_blank(value: object) -> str:
    return "" if value is None or pd.isna(value) else str(value)  # type: ignore[call-overload]
