"""R14 Mudanças: what moved since the previous report, and whether anyone touched a closed month."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.changes import (
    BRIDGE,
    FIELDS,
    TYPES,
    compare_runs,
    compute_bridge,
    explain_closed,
    sort_changes,
    sum_closed,
)
from lastro.analysis.drill_down import link_linha
from lastro.analysis.frames import records_of
from lastro.analysis.versions import KEY
from lastro.grid.cells import Kind, Link, Value
from lastro.grid.model import Column, Family, Report, Row, Section, Style, Table, id_columns, table_of
from lastro.grid.words import format_date
from lastro.money import format_brl, to_decimal
from lastro.reports.spec import ReportSpec
from lastro.transform.closing import find_closing
from lastro.transform.position import Position, as_date

if TYPE_CHECKING:
    from lastro.reports.view import View
    from lastro.transform.names import Labels

NO_HISTORY: Final = "Disponível a partir da segunda execução"
NO_CLOSING: Final = "Sem data_fechamento nem fechamento: vale como fechado o que é anterior ao mês do último relatório."

SITUATION: Final = "Situação"
VALUE_COLUMNS: Final = (
    Column("Valor antes", Kind.MONEY, shown=False),
    Column("Valor depois", Kind.MONEY, shown=False),
    Column("Data antes", Kind.DATE, shown=False),
    Column("Data depois", Kind.DATE, shown=False),
)
"""What SQL compares with: the change of an amount or of a day, which the sheet prints as text."""


_BATCH: Final = 5_000


def build_r14(view: View) -> Report:
    """Build R14.

    Run B is the position as of D, run A the previous complete run as of its own day; there is none on the first run.

    Returns:
        Tables `mudancas` changes (one row per linha and field; the impact stands on the first row of a linha),
        `mudancas_ponte` portfolio bridge, `mudancas_cobrancas` charges whose status changed, `mudancas_meses` closed
        months restated, `mudancas_meses_linhas` the entries that explain them, `mudancas_tipos` changes by type.
    """
    position, before = view.position, view.facts.posicao_anterior
    both = None if before is None else compare_runs(position, before)
    changes = _build_changes(view, before, both)
    bridge = _build_bridge(both)
    charges = _build_charges(position, before)
    months, entries = _build_closed_months(view, before, both)
    types = _build_types(both)
    sections = (bridge, types, *((months, entries) if months.rows else ()), charges, changes)
    return SPEC.report(
        sections=sections if before is not None else (_notice(changes),),
        tables=(
            _with_id(changes, "R14: uma linha e um campo que mudaram desde a execução anterior"),
            table_of(bridge, "R14, V17: ponte da carteira em aberto; valores com o sinal com que somam", skip=()),
            table_of(charges, "R14: cobranças que mudaram de situação ou foram canceladas"),
            table_of(months, "R14, V32: meses fechados cujo resultado ou caixa mudou"),
            _with_id(entries, "R14: as linhas que explicam a mudança de cada mês fechado, ao centavo"),
            table_of(types, "R14: linhas que mudaram, por tipo; cada uma conta uma vez"),
        ),
    )


def _notice(section: Section) -> Section:
    return Section(section.name, section.columns, (), notes=(NO_HISTORY,))


def _with_id(section: Section, comment: str) -> Table:
    """Turn a section into its table with the id of the entry as a number."""
    table = table_of(section, comment)
    place = section.place("linha_id")
    columns = tuple(
        replace(column, kind=Kind.INTEGER) if position == place else column
        for position, column in enumerate(section.columns)
    )
    rows = tuple((*row[:place], int(str(row[place])), *row[place + 1 :]) for row in table.rows)
    return Table(table.name, columns, rows, comment)


def _build_changes(view: View, before: Position | None, both: pd.DataFrame | None) -> Section:
    columns = (
        Column("Tipo", Kind.TEXT, width=14),
        Column("Lançamento", Kind.LINK, width=12, key="linha_id"),
        Column("Descrição", Kind.TEXT, width=40),
        Column("Pessoa", Kind.TEXT, width=30),
        Column("Campo", Kind.TEXT, width=20),
        Column("Antes", Kind.TEXT, width=24),
        Column("Depois", Kind.TEXT, width=24),
        Column("Impacto no aberto", Kind.MONEY, total=True),
        Column("Impacto no resultado", Kind.MONEY, total=True),
        Column("Mês afetado", Kind.MONTH),
        Column("Mês fechado?", Kind.BOOLEAN, width=12),
        Column("Alterado em", Kind.TIMESTAMP),
        *VALUE_COLUMNS,
        *id_columns("titulo_id", "pessoa_id", "categoria_id", "conta_id"),
    )
    if before is None or both is None:
        return Section("mudancas", columns, (), detail=True)
    changed = sort_changes(both[both["tipo"].notna()])
    position, blocks = view.position, view.blocks
    writers_a, writers_b = _writers(before.rotulos), _writers(position.rotulos)
    compared = [f"{name}_{side}" for name in FIELDS for side in ("a", "b")]
    flags = [f"mudou_{name}" for name in FIELDS]
    state = [f"{name}_{side}" for name in ("em", "pago", "classe", "modified", "titulo_id") for side in ("a", "b")]
    kept = [*KEY, "tipo", "impacto_aberto_centavos", "impacto_resultado_centavos", "mes_fechado", "mes_afetado"]
    rows: list[Row] = []
    for record in _iter_records(changed[[*kept, *compared, *flags, *state]]):
        side = "b" if record["em_b"] else "a"
        number, labels = record["linha_id"], (position if record["em_b"] else before).rotulos
        entry = (
            link_linha(blocks, number, record["classe_b"], _number(record["categoria_id_b"]))
            if record["em_b"]
            else str(number)
        )
        moved = record[f"modified_{side}"]
        head: tuple[Value, ...] = (
            record["tipo"],
            entry,
            record[f"descricao_{side}"] or None,
            labels.pessoa(record[f"pessoa_id_{side}"]),
        )
        tail: tuple[Value, ...] = (
            as_date(record["mes_afetado"]),
            bool(record["mes_fechado"]),
            None if pd.isna(moved) else moved.to_pydatetime(),
        )
        impact: tuple[Value, ...] = (
            to_decimal(record["impacto_aberto_centavos"]),
            to_decimal(record["impacto_resultado_centavos"]),
        )
        ids = tuple(
            _number(record[f"{name}_{side}"]) for name in ("titulo_id", "pessoa_id", "categoria_id", "conta_id")
        )
        for field in _list_fields(record, writers_a, writers_b):
            rows.append(Row((*head, *field, *impact, *tail, *_typed(record, field[0]), *ids)))
            # An entry counts once: its impact stands on its first row.
            impact = (None, None)
    return Section("mudancas", columns, tuple(rows), title="Lançamentos que mudaram", detail=True)


def _iter_records(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield wide rows as dicts, a few thousand at a time: a mass edit may change every linha."""
    for start in range(0, len(frame), _BATCH):
        for record in frame.iloc[start : start + _BATCH].to_dict("records"):
            yield {str(name): value for name, value in record.items()}


def _list_fields(
    record: Mapping[str, Any],
    writers_a: Mapping[str, Callable[[Any], str]],
    writers_b: Mapping[str, Callable[[Any], str]],
) -> list[tuple[str, str | None, str | None]]:
    """List what changed in one linha: printed field, before, after."""
    if not record["em_b"]:
        return [(FIELDS["valor_centavos"][1], writers_a["valor_centavos"](record["valor_centavos_a"]), None)]
    if not record["em_a"]:
        return [(FIELDS["valor_centavos"][1], None, writers_b["valor_centavos"](record["valor_centavos_b"]))]
    fields: list[tuple[str, str | None, str | None]] = [
        (label, writers_a[name](record[f"{name}_a"]), writers_b[name](record[f"{name}_b"]))
        for name, (_, label) in FIELDS.items()
        if record[f"mudou_{name}"]
    ]
    if record["pago_a"] != record["pago_b"]:
        # The payment is what the type speaks of: its row comes first. A post-dated one changes with the day alone.
        paid = FIELDS["data_pagamento"][1]
        fields.sort(key=lambda field: field[0] != paid)
        if not record["mudou_data_pagamento"]:
            names = {True: "Pago", False: "Em aberto"}
            fields.insert(0, (SITUATION, names[record["pago_a"]], names[record["pago_b"]]))
    return fields


def _typed(record: Mapping[str, Any], label: str) -> tuple[Value, ...]:
    """Return the amounts and the days before and after, where the field is one (`VALUE_COLUMNS`)."""
    name = next((name for name, (_, text) in FIELDS.items() if text == label), "")
    present = [record[f"em_{side}"] for side in ("a", "b")]
    values = [record[f"{name}_{side}"] if there and name else None for side, there in zip("ab", present, strict=True)]
    if name == "valor_centavos":
        return (*(None if value is None else to_decimal(int(value)) for value in values), None, None)
    return (None, None, *(as_date(value) if name.startswith("data_") else None for value in values))


def _number(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def _writers(labels: Labels) -> dict[str, Callable[[Any], str]]:
    """Say how each compared field is printed; a null prints as its dimension's "Sem ...", else "–"."""

    def day(value: Any) -> str:
        found = as_date(value)
        return "–" if found is None else format_date(found)

    def plain(value: Any) -> str:
        return "–" if pd.isna(value) or value == "" else str(value)

    named: dict[str, Callable[[Any], str]] = {
        "valor_centavos": lambda value: format_brl(to_decimal(value)),
        "categoria_id": labels.categoria_caminho,
        "conta_id": labels.conta,
        "pessoa_id": labels.pessoa,
        "centro_custo_lucro_id": labels.centro,
        "forma_pagamento_id": labels.forma,
        "tipo_documento_id": labels.tipo_documento,
        "pagamento_automatico": lambda value: "Sim" if value else "Não",
        "tags": lambda tags: ", ".join(labels.tag(tag) for tag in sorted(tags)) or "–",
        **dict.fromkeys(("data_vencimento", "data_pagamento", "data_competencia"), day),
    }
    return {name: named.get(name, plain) for name in FIELDS}


def _build_bridge(both: pd.DataFrame | None) -> Section:
    columns = (Column("Item", Kind.TEXT, width=48), Column("Valor", Kind.MONEY))
    if both is None:
        return Section("mudancas_ponte", columns, ())
    bridge = compute_bridge(both)
    styles = {"aberto_a": Style.SECTION, "aberto_b": Style.TOTAL}
    rows = tuple(
        Row((text, to_decimal(bridge[name])), style=styles.get(name, Style.NORMAL), key=f"carteira-{name}")
        for name, text in BRIDGE.items()
    )
    return Section(
        "mudancas_ponte",
        columns,
        rows,
        title="Ponte da carteira em aberto",
        notes=("Sem transferências. Cada valor tem o sinal com que soma: um pagável excluído aumenta o saldo.",),
    )


def _build_types(both: pd.DataFrame | None) -> Section:
    columns = (
        Column("Tipo", Kind.TEXT, width=14),
        Column("Linhas", Kind.INTEGER),
        Column("Em mês fechado", Kind.INTEGER),
        Column("Impacto no aberto", Kind.MONEY),
        Column("Impacto no resultado", Kind.MONEY),
    )
    if both is None:
        return Section("mudancas_tipos", columns, ())
    changed = both[both["tipo"].notna()]
    figures = ["mes_fechado", "impacto_aberto_centavos", "impacto_resultado_centavos"]
    sums = changed.groupby("tipo")[figures].sum()
    counts = changed.groupby("tipo").size()
    rows = []
    for tipo in TYPES:
        if tipo in counts.index:
            closed, opened, result = (int(sums[name][tipo]) for name in figures)
            rows.append(Row((tipo, int(counts[tipo]), closed, to_decimal(opened), to_decimal(result))))
    rows.append(
        Row(
            (
                "Total",
                len(changed),
                int(changed["mes_fechado"].sum()),
                to_decimal(int(changed["impacto_aberto_centavos"].sum())),
                to_decimal(int(changed["impacto_resultado_centavos"].sum())),
            ),
            style=Style.TOTAL,
        )
    )
    return Section("mudancas_tipos", columns, tuple(rows), title="Por tipo de mudança")


def _build_charges(position: Position, before: Position | None) -> Section:
    columns = (
        Column("Cobrança", Kind.INTEGER, key="cobranca_id"),
        Column("Cliente", Kind.TEXT, width=30),
        Column("Vencimento", Kind.DATE),
        Column("Valor", Kind.MONEY),
        Column("Antes", Kind.TEXT, width=20),
        Column("Depois", Kind.TEXT, width=20),
        *id_columns("pessoa_id"),
    )
    title = "Cobranças que mudaram de situação"
    if before is None:
        return Section("mudancas_cobrancas", columns, (), title=title)
    old = before.cobrancas[["cobranca_id", "status"]]
    both = position.cobrancas.merge(old, on="cobranca_id", suffixes=("", "_antes"), validate="1:1")
    both = both[both["status"] != both["status_antes"]].sort_values("cobranca_id")
    rows = tuple(
        Row((number, position.rotulos.pessoa(cliente), as_date(due), to_decimal(value), was, now, cliente))
        for number, cliente, due, value, was, now in records_of(
            both, "cobranca_id", "cliente_id", "data_vencimento", "valor_centavos", "status_antes", "status"
        )
    )
    return Section("mudancas_cobrancas", columns, rows, title=title)


_VIEWS: Final = {
    "Competência": ("data_competencia_ef", "mes_competencia"),
    "Caixa": ("data_pagamento", "mes_caixa"),
}
"""How a closed month is read: date that must lie up to the closing, and month it counts in."""


def _build_closed_months(view: View, before: Position | None, both: pd.DataFrame | None) -> tuple[Section, Section]:
    """Build the closed months whose figures changed, and the entries that explain each difference to the centavo."""
    month_columns = (
        Column("Mês", Kind.MONTH),
        Column("Regime", Kind.TEXT, width=14),
        Column("Antes", Kind.MONEY),
        Column("Depois", Kind.MONEY),
        Column("Diferença", Kind.MONEY),
        Column("Explicado", Kind.MONEY),
        Column("Linhas", Kind.INTEGER),
    )
    entry_columns = (
        Column("Mês", Kind.MONTH),
        Column("Regime", Kind.TEXT, width=14),
        Column("Tipo", Kind.TEXT, width=14),
        Column("Lançamento", Kind.LINK, width=12, key="linha_id"),
        Column("Descrição", Kind.TEXT, width=40),
        Column("Antes", Kind.MONEY),
        Column("Depois", Kind.MONEY),
        Column("Diferença", Kind.MONEY),
    )
    if before is None or both is None:
        return Section("mudancas_meses", month_columns, ()), Section("mudancas_meses_linhas", entry_columns, ())
    position, blocks = view.position, view.blocks
    closed_on = find_closing(position, before)
    month_rows: list[tuple[date, int, Row]] = []
    entry_rows: list[Row] = []
    for order, (regime, (day, month)) in enumerate(_VIEWS.items()):
        was, now = (sum_closed(side, day, month, closed_on) for side in (before, position))
        entries = explain_closed(both, day, month, closed_on)
        explained = entries.groupby("mes")["diferenca"].sum()
        counts = entries.groupby("mes").size()
        for changed in sorted({*was, *now, *(stamp.date() for stamp in explained.index)}):
            stamp = pd.Timestamp(changed)
            old, new = was.get(changed, 0), now.get(changed, 0)
            if old == new and not counts.get(stamp, 0):
                continue
            cells = (to_decimal(old), to_decimal(new), to_decimal(new - old), to_decimal(int(explained.get(stamp, 0))))
            month_rows.append((changed, order, Row((changed, regime, *cells, int(counts.get(stamp, 0))))))
        entry_rows += _list_closed_entries(entries, regime, blocks)
    month_rows.sort(key=lambda found: found[:2])
    parametros = position.parametros
    unset = (NO_CLOSING,) if parametros.data_fechamento is None and parametros.fechamento is None else ()
    return (
        Section(
            "mudancas_meses",
            month_columns,
            tuple(row for _, _, row in month_rows),
            title=f"Meses fechados até {format_date(closed_on)} que mudaram",
            notes=("Competência: resultado sem categorias fora. Caixa: realizado sem transferências.", *unset),
        ),
        Section(
            "mudancas_meses_linhas",
            entry_columns,
            tuple(entry_rows),
            title="Lançamentos que explicam os meses fechados",
        ),
    )


def _list_closed_entries(entries: pd.DataFrame, regime: str, blocks: Any) -> list[Row]:
    rows = []
    for month, tipo, number, old_text, new_text, old, new, delta, exists, classe, categoria in records_of(
        entries,
        "mes",
        "tipo",
        "linha_id",
        "descricao_a",
        "descricao_b",
        "a",
        "b",
        "diferenca",
        "em_b",
        "classe_b",
        "categoria_id_b",
    ):
        entry: Link | str = link_linha(blocks, number, classe, categoria) if exists else str(number)
        text = (new_text if exists else old_text) or None
        amounts = (to_decimal(old), to_decimal(new), to_decimal(delta))
        rows.append(Row((as_date(month), regime, tipo, entry, text, *amounts)))
    return rows


def list_top_changes(reports: Sequence[Report]) -> tuple[tuple[str, int, str | None, Decimal, Decimal], ...] | None:
    """List the changed linhas for the cover: tipo, id, description, impact on the open portfolio and on the result.

    Args:
        reports: R14 as built, among others.

    Returns:
        In the order of the sheet, once per linha; None without an earlier run.
    """
    tables = {table.name: table for report in reports for table in report.tables if report.code == "R14"}
    if not tables or not tables["mudancas_ponte"].rows:
        return None
    table = tables["mudancas"]
    keys = ("tipo", "linha_id", "descricao", "impacto_no_aberto", "impacto_no_resultado")
    chosen = itemgetter(*map(table.place, keys))
    # An entry has a row per field; its impact stands on the first.
    impact = table.place("impacto_no_aberto")
    return tuple(chosen(row) for row in table.rows if row[impact] is not None)


SPEC: Final = ReportSpec(
    code="R14",
    name="mudancas",
    sheet="Mudanças",
    title="Mudanças desde o último relatório",
    question="O que mudou, e alguém mexeu em mês fechado?",
    family=Family.HISTORY,
    build=build_r14,
    keys={
        "mudancas_ponte": ("item",),
        "mudancas_tipos": ("tipo",),
    },
    lengths={"mudancas_ponte": 7},
    totalled=frozenset({"mudancas_tipos"}),
    summed=frozenset({"mudancas_tipos"}),
)
