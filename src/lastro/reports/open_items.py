"""What R08 and R09 share: open títulos with their aging, by band, by due date, by person and one by one (S8).

Amounts keep their sign: payables are negative in every column, estimates of fines and interest included, so that
`Valor` + `Multa est.` + `Juros est.` = `Valor atualizado` on both sheets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from lastro.analysis.drill_down import Blocks, link_to_lancamentos
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.charts import keep_drawable, read_figures, read_labels
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
from lastro.transform.position import ENTRADAS, FAIXA_KEYS, FAIXAS, NAO_OPERACIONAL, SAIDAS, Position, as_date

FORWARD = (("Hoje", 0, 0), ("1-7", 1, 7), ("8-15", 8, 15), ("16-30", 16, 30), ("31-60", 31, 60), ("61-90", 61, 90))
"""Forward buckets in days to the reference date (S8); what lies beyond is ">90"."""
BEYOND = ">90"
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
    Column("Vencimento", Kind.DATE),
    Column("Data efetiva", Kind.DATE),
    Column("Dias de atraso", Kind.INTEGER),
    Column("Faixa", Kind.TEXT, width=18),
    Column("Situação", Kind.TEXT, width=18),
    Column("Pessoa", Kind.TEXT),
    Column("Documento", Kind.TEXT),
    Column("Descrição", Kind.TEXT),
    Column("Parcela", Kind.TEXT, width=18),
    Column("Categoria", Kind.TEXT),
    Column("Centro", Kind.TEXT),
    Column("Conta", Kind.TEXT),
    Column("Forma", Kind.TEXT),
    Column("Bruto", Kind.MONEY, dense=True, total=True),
    Column("Deduções", Kind.MONEY, dense=True, total=True),
    Column("Valor", Kind.MONEY, dense=True, total=True),
    Column("Multa est.", Kind.MONEY, dense=True, total=True),
    Column("Juros est.", Kind.MONEY, dense=True, total=True),
    Column("Valor atualizado", Kind.MONEY, dense=True, total=True),
    Column("Automático", Kind.BOOLEAN, width=18),
)
ID_COLUMN = Column("Id", Kind.INTEGER, key="titulo_id")
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
    ahead = abertos[~abertos["vencido"]]
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
    """Build person x band: the 20 largest by |open value| (ties by id), then the others together."""
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
    people.sort(key=lambda item: (-abs(sum(item[1])), item[0] is None, item[0] or 0))
    rows = [
        _people_row(position.rotulos.pessoa(pessoa_id), values, key=pessoa_key(pessoa_id), pessoa_id=pessoa_id)
        for pessoa_id, values in people[:TOP_PEOPLE]
    ]
    rest = people[TOP_PEOPLE:]
    if rest:
        label = f"Demais ({count_text(len(rest), 'pessoa', 'pessoas')})"
        rows.append(_people_row(label, _add_up([values for _, values in rest])))
    rows.append(_people_row("Total", _add_up([values for _, values in people]), Style.TOTAL))
    return Section(name, columns, tuple(rows), title=f"Por pessoa: {TOP_PEOPLE} maiores e demais")


def build_charts(people: Section, title: str) -> tuple[Chart, ...]:
    """Draw the largest people, one bar each, stacked by aging band; a band that nobody of them has is left out.

    Args:
        people: result of `build_people`; amounts are drawn as positive ones.
        title: whose bars they are.

    Returns:
        One chart below `people`, none when nothing is open.
    """
    rows = [row for row in people.rows if row.key is not None][:CHART_PEOPLE]
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


def build_detail(position: Position, blocks: Blocks, abertos: pd.DataFrame, name: str, *, charges: bool) -> Section:
    """Build the detail: one row per open título; with `charges` the column Cobrança (R09)."""
    charge_ids = id_columns("cobranca_id") if charges else ()
    columns = (
        *DETAIL_COLUMNS, *((CHARGE_COLUMN,) if charges else ()), ID_COLUMN, *PARENT_COLUMNS, *charge_ids,
    )  # fmt: skip
    rotulos = position.rotulos
    cobrancas = _charge_cells(position, abertos) if charges else [None] * len(abertos)
    links: dict[tuple[str, bool, int | None], Link | None] = {}
    rows = []
    for row, cobranca in zip(_detail_records(abertos), cobrancas, strict=True):
        sign = 1 if row["tipo"] == "R" else -1
        multa, juros = sign * row["multa_centavos"], sign * row["juros_centavos"]
        dias = row["dias"]
        place = (row["tipo"], bool(row["fora_resultado"]), row["categoria_id"])
        if place not in links:
            links[place] = link_titulo(blocks, row["tipo"], row["categoria_id"], fora_resultado=place[1])
        cells: tuple[Value, ...] = (
            as_date(row["data_vencimento"]),
            as_date(row["data_efetiva"]),
            dias,
            row["faixa"],
            row["situacao"],
            rotulos.pessoa(row["pessoa_id"]),
            _or_blank(row["documento"]),
            describe_titulo(row["descricao"], row["qtde_linhas"]),
            format_installment(row["numero_repeticao"], row["total_repeticoes"]),
            VARIAS if row["categorias_distintas"] > 1 else rotulos.categoria_caminho(row["categoria_id"]),
            rotulos.centro(row["centro_custo_lucro_id"]),
            rotulos.conta(row["conta_id"]),
            rotulos.forma(row["forma_pagamento_id"]),
            to_decimal(row["bruto_centavos"]),
            to_decimal(row["deducoes_centavos"]),
            to_decimal(row["valor_centavos"]),
            to_decimal(multa),
            to_decimal(juros),
            to_decimal(row["valor_centavos"] + multa + juros),
            bool(row["pagamento_automatico"]),
        )
        rows.append(
            Row(
                (
                    *cells,
                    *((cobranca,) if charges else ()),
                    row["titulo_id"],
                    *(row[name] for name in PARENT_FIELDS),
                    *((row["cobranca_id"],) if charges else ()),
                ),
                key=f"titulo-{row['titulo_id']}",
                link=links[place],
                marks=LATE_90 if dias is not None and dias > LATE_DAYS else frozenset(),
            )
        )
    title = "Títulos em aberto"
    return Section(name, columns, tuple(rows), title=title, detail=True, notes=(ESTIMATE_NOTE,))


_DETAIL_FIELDS = (
    "titulo_id",
    "tipo",
    "fora_resultado",
    "data_vencimento",
    "data_efetiva",
    "dias",
    "faixa",
    "situacao",
    "pessoa_id",
    "documento",
    "descricao",
    "qtde_linhas",
    "numero_repeticao",
    "total_repeticoes",
    "categorias_distintas",
    "categoria_id",
    "centro_custo_lucro_id",
    "conta_id",
    "forma_pagamento_id",
    "bruto_centavos",
    "deducoes_centavos",
    "valor_centavos",
    "multa_centavos",
    "juros_centavos",
    "pagamento_automatico",
    "grupo_id",
    "cobranca_id",
)


def _detail_records(abertos: pd.DataFrame) -> Iterable[dict[str, Any]]:
    for values in records_of(abertos, *_DETAIL_FIELDS):
        yield dict(zip(_DETAIL_FIELDS, values, strict=True))


def _charge_cells(position: Position, abertos: pd.DataFrame) -> list[Value]:
    """Name the live charge of each título and lead to it; a late título whose charge is paid says so (R09)."""
    texts = dict(records_of(position.cobrancas, "cobranca_id", "status_descricao"))
    cells: list[Value] = []
    for cobranca_id, paid, late, url in records_of(abertos, "cobranca_id", "cobranca_paga", "vencido", "cobranca_link"):
        if cobranca_id is None:
            cells.append(None)
            continue
        status = _or_blank(texts.get(cobranca_id)) or f"Cobrança {cobranca_id}"
        text = f"{PAID_CHARGE} ({status})" if paid and late else status
        cells.append(Link(text, url=_or_blank(url)) if _or_blank(url) else text)
    return cells


def link_titulo(blocks: Blocks, tipo: str, categoria_id: int | None, *, fora_resultado: bool) -> Link | None:
    """Lead to the block of Lançamentos in which the carrier of a título stands."""
    if fora_resultado:
        return link_to_lancamentos(blocks, NAO_OPERACIONAL, (categoria_id,))
    # A refund is a payable in a revenue category: its block is that of the category's kind (S5).
    usual, other = (ENTRADAS, SAIDAS) if tipo == "R" else (SAIDAS, ENTRADAS)
    return link_to_lancamentos(blocks, usual, (categoria_id,)) or link_to_lancamentos(blocks, other, (categoria_id,))


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
