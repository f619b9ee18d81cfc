"""What R08 and R09 share: open títulos with their aging, by band, by due date, by person and one by one (S8).

Amounts keep their sign: payables are negative in every column, estimates of fines and interest included, so that
`Valor` + `Multa est.` + `Juros est.` = `Valor atualizado` on both sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import pandas as pd

from lastro.analysis.frames import ByKey, records_of
from lastro.grid.cells import Kind, Value
from lastro.grid.charts import BALANCE_TINT, OUT_COLOUR, Chart, ChartKind, Series, keep_drawable, shorten
from lastro.grid.pivot import build_section, build_total, list_rows, show_totals, total_columns
from lastro.grid.sections import Mark, Row, Section
from lastro.grid.storage import store_labels, store_texts
from lastro.grid.table_rows import Leads, TableRows
from lastro.grid.tables import Column, Table, TableColumn, id_columns
from lastro.grid.words import count_text
from lastro.money import ratio_pct, to_decimal
from lastro.reports.shared.drill_down import Entries
from lastro.transform.labels import Labels
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
SEM_COBRANCA = "sem cobrança"
PAID_CHARGE = "cobrança consta paga"
LATE_DAYS = 90
ESTIMATE_NOTE = (
    "Multa e juros são estimativa contratual (juros simples por dia de mora); não entram em nenhum fluxo de caixa."
)

ANCHORS = (("titulo_id", "titulo_id"), ("pessoa_id", "pessoa_id"))
"""How other sheets find a row of the detail: the título, the most overdue one of a person."""
PARENT_COLUMNS = id_columns("pessoa_id", "conta_id", "categoria_id", "centro_id", "forma_id", "grupo_id")
PARENT_FIELDS = (
    "pessoa_id", "conta_id", "categoria_id", "centro_custo_lucro_id", "forma_pagamento_id", "grupo_id",
)  # fmt: skip
CHARGE_COLUMN = Column("Cobrança", Kind.LINK, "situação da cobrança do título, ou «sem cobrança»")


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


def build_faixas(
    abertos: pd.DataFrame, name: str, comment: str, of_totals: str, *, receivable: bool
) -> tuple[Section, Table, Table]:
    """Build the summary by aging band; the sheet has the total below it and the overdue split as memo rows.

    Args:
        abertos: result of `select_open`.
        name: of section and table; the table of its totals is `<name>_total`.
        comment: of the table.
        of_totals: comment of the table of totals.
        receivable: also tell how much of the overdue has a charge that the customer already paid (R09).
    """
    abertos = abertos[[*_SUMMED, "faixa", "vencido", "em_carencia", "cobranca_paga"]]
    total = int(abertos["valor_centavos"].sum())
    rows = [(faixa, *_summarize(abertos[abertos["faixa"] == faixa], total)) for faixa in FAIXAS]
    band = Column("Faixa", Kind.TEXT, width=30)
    columns = _summary_columns(band, "" if receivable else "soma dos títulos da faixa, negativa")
    table = Table(name, columns, rows, comment)
    vencido, carencia = abertos["vencido"], abertos["em_carencia"]
    parts = [
        ("total", "Total", abertos),
        ("vencido", "Vencido", abertos[vencido]),
        ("em_carencia", "Em carência", abertos[carencia]),
        ("vencido_efetivo", "Vencido efetivo", abertos[vencido & ~carencia]),
    ]
    notes = ["Vencido efetivo = vencido menos em carência (pode ser pago hoje sem encargos, Lei 7.089/1983)."]
    if receivable:
        paid = abertos["cobranca_paga"]
        parts.append(("com_cobranca_paga", "Vencido com cobrança paga", abertos[vencido & paid]))
        parts.append(("sem_explicacao", "Vencido sem explicação", abertos[vencido & ~carencia & ~paid]))
        notes.append(
            "Vencido com cobrança paga: o cliente pagou e o lançamento segue aberto; o dinheiro está a caminho, "
            "não é inadimplência. Vencido sem explicação: vencido efetivo sem cobrança paga."
        )
    summed = [(key, text, *_summarize(part, total)) for key, text, part in parts]
    columns = total_columns(_summary_columns(band, "" if receivable else "soma dos títulos da linha, negativa"))
    totals = Table(f"{name}_total", columns, summed, of_totals)
    below = [
        replace(row, key=f"{name}-{key}")
        for row, (key, *_) in zip(show_totals(totals, table.columns), parts, strict=True)
    ]
    return build_section(table, below, title="Resumo por faixa de atraso", notes=tuple(notes)), table, totals


def _summary_columns(first: Column, amount: str) -> tuple[Column, ...]:
    """Return the columns of a summary; `amount` is what SQL is told of its amounts."""
    return (
        first,
        Column("Qtde", Kind.INTEGER),
        Column("Valor", Kind.MONEY, amount),
        Column("% do total", Kind.PERCENT, "parte do total da carteira"),
        Column("Pessoas", Kind.INTEGER, "quantas pessoas diferentes"),
    )


def build_forward(abertos: pd.DataFrame, name: str, comment: str, *, receivable: bool) -> tuple[Section, Table]:
    """Build the summary of what is not late by days to the reference date (S8).

    A person may stand in several of its rows: how many there are in all, no table has.
    """
    ahead = abertos.loc[~abertos["vencido"], [*_SUMMED, "dias"]]
    total = int(ahead["valor_centavos"].sum())
    days = -ahead["dias"].astype("int64")
    rows = [(label, *_summarize(ahead[(days >= first) & (days <= last)], total)) for label, first, last in FORWARD]
    rows.append((BEYOND, *_summarize(ahead[days > FORWARD[-1][2]], total)))
    about = "prazo até o vencimento: Hoje, 1-7, 8-15, 16-30, 31-60, 61-90 ou >90 dias"
    amount = "" if receivable else "soma dos títulos do prazo, negativa"
    columns = _summary_columns(Column("Vence em (dias)", Kind.TEXT, about, width=30), amount)
    table = Table(name, columns, rows, comment)
    printed = [Row(cells) for cells in table.rows]
    summed = build_total(columns, printed, "Total", only=("qtde", "valor"))
    _, _, share, people = _summarize(ahead, total)
    below = replace(summed, cells=(*summed.cells[:3], share, people))
    return build_section(table, (below,), title="A vencer por prazo"), table


def _summarize(part: pd.DataFrame, total: int) -> tuple[Value, Value, Value, Value]:
    """Return count, sum, share of the total and number of people of a summary row."""
    valor = int(part["valor_centavos"].sum())
    return len(part), to_decimal(valor), ratio_pct(valor, total), int(part["pessoa_id"].nunique())


def build_people(position: Position, abertos: pd.DataFrame, name: str, comment: str) -> Table:
    """Build person x band: the 20 largest by |open value| (ties by id), the others together, "Sem pessoa" last."""
    columns = (
        Column("Pessoa", Kind.TEXT),
        *(Column(faixa, Kind.MONEY, dense=True, key=key) for faixa, key in zip(FAIXAS, FAIXA_KEYS, strict=True)),
        Column(
            "Total",
            Kind.MONEY,
            "soma da linha; com o sinal do título: a receber positivo, a pagar negativo",
            dense=True,
        ),
        *id_columns("pessoa_id"),
    )
    sums = (
        abertos.groupby(["pessoa_id", "faixa"], dropna=False)["valor_centavos"]
        .sum()
        .unstack("faixa", fill_value=0)
        .reindex(columns=list(FAIXAS), fill_value=0)
    )
    people = [
        (None if pd.isna(key) else int(key), [int(value) for value in values])
        for key, values in zip(sums.index, sums.to_numpy().tolist(), strict=True)
    ]
    nobody = [values for pessoa_id, values in people if pessoa_id is None]
    people = [(pessoa_id, values) for pessoa_id, values in people if pessoa_id is not None]
    people.sort(key=lambda item: (-abs(sum(item[1])), item[0]))
    largest, rest = people[:TOP_PEOPLE], people[TOP_PEOPLE:]
    rows = [_list_bands(position.rotulos.pessoa(pessoa_id), values, pessoa_id) for pessoa_id, values in largest]
    if rest:
        label = f"Demais ({count_text(len(rest), 'pessoa', 'pessoas')})"
        rows.append(_list_bands(label, [sum(band) for band in zip(*(values for _, values in rest), strict=True)]))
    rows += [_list_bands(position.rotulos.pessoa(None), values) for values in nobody]
    return Table(name, columns, rows, comment)


def build_charts(people: Table, title: str, *, after: str) -> tuple[Chart, ...]:
    """Draw the largest people, one bar each, stacked by aging band; a band that nobody of them has is left out.

    Args:
        people: result of `build_people`; amounts are drawn as positive ones.
        title: whose bars they are.
        after: name of the section beside which it stands.

    Returns:
        One chart, none when nothing is open.
    """
    rows = list_rows(people, ("pessoa_id", "pessoa", *FAIXA_KEYS))
    rows = [cells for cells in rows if cells[0] is not None][:CHART_PEOPLE]
    series = []
    for place, (faixa, colour) in enumerate(zip(FAIXAS, FAIXA_COLOURS, strict=True), 2):
        values = tuple(abs(value) for cells in rows if isinstance(value := cells[place], Decimal))
        if any(values):
            series.append(Series(faixa, values, colour))
    labels = tuple(shorten(str(cells[1])) for cells in rows)
    heading = f"{title} por pessoa e faixa de atraso: {CHART_PEOPLE} maiores"
    return keep_drawable(Chart(heading, ChartKind.STACKED_BAR, labels, tuple(series), after=after))


def _list_bands(label: str, values: Sequence[int], pessoa_id: int | None = None) -> tuple[Value, ...]:
    return (label, *map(to_decimal, values), to_decimal(sum(values)), pessoa_id)


def build_detail(
    position: Position,
    entries: Entries,
    abertos: pd.DataFrame,
    name: str,
    comment: str,
    decided: Mapping[int, str] | None = None,
) -> tuple[Section, Table]:
    """Build the detail: one row per open título, which leads to its row in Lançamentos.

    Args:
        position: the position.
        entries: where each título stands in Lançamentos.
        abertos: result of `select_open`.
        name: of section and table.
        comment: of the table.
        decided: titulo_id -> what was decided of it (R08); the sheet has the column Decisão where there is any. None:
            receivables, which have the column Cobrança (R09).
    """
    if decided is None:
        own: TableColumn = (CHARGE_COLUMN, list(_name_charges(position, abertos)))
        amount = "o que falta receber do título, positivo; juros estimados fora"
    else:
        amount = "o que falta pagar do título, negativo; juros estimados fora"
        told = [decided.get(titulo_id) for titulo_id in abertos["titulo_id"].tolist()]
        own = (
            Column(
                "Decisão",
                Kind.TEXT,
                "o que a mesa de pagamentos decidiu e como isso está; nulo sem nada decidido",
                width=30,
                shown=any(told),
            ),
            told,
        )
    last = id_columns("cobranca_id") if decided is None else ()
    labels = position.rotulos
    sign = abertos["tipo"].map({"R": 1}).fillna(-1).astype("int64")
    valor, multa, juros = abertos["valor_centavos"], sign * abertos["multa_centavos"], sign * abertos["juros_centavos"]
    categoria = abertos["categoria_id"].astype(object).where(abertos["categorias_distintas"] <= 1, VARIAS)
    table = Table.of(
        name,
        (
            (Column("Título", Kind.INTEGER, key="titulo_id"), abertos["titulo_id"]),
            (Column("Pessoa", Kind.TEXT), store_labels(abertos["pessoa_id"], labels.pessoa)),
            (Column("Vencimento", Kind.DATE), abertos["data_vencimento"]),
            (
                Column(
                    "Dias de atraso", Kind.INTEGER, "dias da data-base além do vencimento; negativo = ainda por vencer"
                ),
                abertos["dias"],
            ),
            (
                Column(
                    "Situação",
                    Kind.TEXT,
                    "na data-base: A vencer, Vence hoje, Em carência, Vencido ou Agendado (com pagamento futuro)",
                    width=14,
                ),
                abertos["situacao"],
            ),
            (Column("Valor", Kind.MONEY, amount, dense=True, total=True), valor),
            (
                Column("Descrição", Kind.TEXT),
                [describe_titulo(*values) for values in records_of(abertos, "descricao", "qtde_linhas")],
            ),
            (
                Column("Parcela", Kind.TEXT, width=10),
                [format_installment(*pair) for pair in records_of(abertos, "numero_repeticao", "total_repeticoes")],
            ),
            (Column("Faixa", Kind.TEXT, width=11), abertos["faixa"]),
            (Column("Data efetiva", Kind.DATE), abertos["data_efetiva"]),
            (
                Column(
                    "Multa est.",
                    Kind.MONEY,
                    "multa estimada na data-base (S8), com o sinal do título; 0 sem atraso",
                    dense=True,
                    total=True,
                ),
                multa,
            ),
            (
                Column(
                    "Juros est.",
                    Kind.MONEY,
                    "juros estimados até a data-base (S8), com o sinal do título; 0 sem atraso",
                    dense=True,
                    total=True,
                ),
                juros,
            ),
            (Column("Valor atualizado", Kind.MONEY, dense=True, total=True), valor + multa + juros),
            (Column("Documento", Kind.TEXT), store_texts(abertos["documento"], "")),
            (
                Column("Categoria", Kind.TEXT),
                store_labels(
                    categoria,
                    lambda categoria_id: VARIAS if categoria_id == VARIAS else labels.categoria_caminho(categoria_id),
                ),
            ),
            (Column("Conta", Kind.TEXT), store_labels(abertos["conta_id"], labels.conta)),
            (Column("Forma", Kind.TEXT), store_labels(abertos["forma_pagamento_id"], labels.forma)),
            (Column("Centro", Kind.TEXT), store_labels(abertos["centro_custo_lucro_id"], labels.centro)),
            (
                Column("Bruto", Kind.MONEY, "soma das linhas com o sinal do título", dense=True, total=True),
                abertos["bruto_centavos"],
            ),
            (
                Column(
                    "Deduções",
                    Kind.MONEY,
                    "soma das linhas com o sinal contrário ao do título (descontos, retenções)",
                    dense=True,
                    total=True,
                ),
                abertos["deducoes_centavos"],
            ),
            (Column("Automático", Kind.BOOLEAN, width=12), abertos["pagamento_automatico"].astype(bool)),
            own,
            *zip(PARENT_COLUMNS, (abertos[field] for field in PARENT_FIELDS), strict=True),
            *((column, abertos[column.key]) for column in last),
        ),
        comment,
    )
    rows = TableRows(
        table,
        label=entries.lead("titulo_id", abertos["titulo_id"]),
        links={CHARGE_COLUMN.key: Leads(store_texts(abertos["cobranca_link"]))} if decided is None else {},
        marks=(Mark.LATE_90, (abertos["dias"] > LATE_DAYS).fillna(value=False).to_numpy(dtype=bool)),
    )
    title = "Títulos em aberto"
    section = Section(name, table.columns, rows, title=title, detail=True, notes=(ESTIMATE_NOTE,), anchors=ANCHORS)
    return section, table


def _name_charges(position: Position, abertos: pd.DataFrame) -> Iterator[str]:
    """Name the live charge of each título, or say that there is none; a late título whose charge is paid says so."""
    texts = dict(records_of(position.cobrancas, "cobranca_id", "status_descricao"))
    for cobranca_id, paid, late in records_of(abertos, "cobranca_id", "cobranca_paga", "vencido"):
        if cobranca_id is None:
            yield SEM_COBRANCA
            continue
        status = _or_blank(texts.get(cobranca_id)) or f"Cobrança {cobranca_id}"
        yield f"{PAID_CHARGE} ({status})" if paid and late else status


def label_titulos(titulos: pd.DataFrame, rotulos: Labels) -> Mapping[int, str]:
    """Tell what every título is called: its person, and its document or description; made when it is asked for."""
    ordered = titulos.sort_values("titulo_id")
    people = ordered["pessoa_id"].fillna(0).to_numpy("int64")
    texts = ordered["documento"].where(ordered["documento"].astype(bool), ordered["descricao"]).to_numpy(object)

    def make(place: int) -> str:
        return f"{rotulos.pessoa(int(people[place]) or None)} · {texts[place] or ''}"

    return ByKey(ordered["titulo_id"].to_numpy(), make)


def describe_titulo(descricao: object, qtde_linhas: int) -> str:
    """Write a título's description: its carrier's, and how many more linhas it has.

    >>> describe_titulo("Folha", 3), describe_titulo("Aluguel", 1)
    ('Folha + 2 itens', 'Aluguel')
    """
    extra = qtde_linhas - 1
    text = _or_blank(descricao)
    return f"{text} + {count_text(extra, 'item', 'itens')}".strip() if extra > 0 else text


def format_installment(parcela: int | None, total: int | None) -> str:
    """Write which repetition an entry is (S10); an endless series has no total.

    >>> format_installment(2, 3), format_installment(5, None), format_installment(None, None)
    ('2/3', '5', '')
    """
    if parcela is None:
        return ""
    return f"{parcela}/{total}" if total else f"{parcela}"


def _or_blank(value: object) -> str:
    return "" if value is None or pd.isna(value) else str(value)  # type: ignore[call-overload]
