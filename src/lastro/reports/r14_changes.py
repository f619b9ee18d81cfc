"""R14 Mudanças: what moved since the previous report, and whether anyone touched a closed month.

Run B is the position as of D, run A the previous complete run as of its own day; on the first run there is none, and
all tables are empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from lastro.analysis.changed_fields import find_values, iter_records, list_fields, make_writers, take_side
from lastro.analysis.changes import (
    BRIDGE,
    FIELDS,
    REGIMES,
    compute_bridge,
    explain_closed,
    sort_changes,
    split_by_type,
    sum_closed,
)
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind
from lastro.grid.prints import Columns, Print, list_columns
from lastro.grid.sections import Row, Section, Style
from lastro.grid.storage import store_texts
from lastro.grid.table_rows import Leads
from lastro.grid.tables import Table
from lastro.grid.words import format_date
from lastro.grid.workbook import Family
from lastro.money import to_decimal
from lastro.reports.prints import Tables, print_section
from lastro.reports.shared.charge_detail import status_label
from lastro.reports.shared.condensed_changes import SENTENCES, print_sentences
from lastro.reports.shared.drill_down import find_entries
from lastro.reports.spec import ReportSpec
from lastro.transform.position import as_date

if TYPE_CHECKING:
    from lastro.reports.view import View

NO_CLOSING: Final = "Sem fechamento: vale como fechado o que é anterior ao mês do último relatório."
REGIMES_NOTE: Final = "Competência: resultado sem categorias fora. Caixa: realizado sem transferências."
BRIDGE_NOTE: Final = "Sem transferências. Cada valor tem o sinal com que soma: um pagável excluído aumenta o saldo."
COMPARED: Final = [
    *(f"{name}_{side}" for name in (*FIELDS, "em", "pago") for side in ("a", "b")),
    *(f"mudou_{name}" for name in FIELDS),
]
"""What is looked at of a changed linha, field by field."""
TOLD: Final = ("campo", "antes", "depois", "valor_antes", "valor_depois", "data_antes", "data_depois")
"""What is said of each field that changed."""
IDS: Final = ("titulo_id", "pessoa_id", "categoria_id", "conta_id")
CHANGED: Final = (
    "tipo", "linha_id", "descricao", "pessoa", *TOLD[:3], "impacto_no_aberto", "impacto_no_resultado", "mes_afetado",
    "mes_fechado", "modified", *TOLD[3:], *IDS,
)  # fmt: skip


MONTHS_OF: Final = ("mes", "regime", "antes", "depois", "diferenca", "explicado", "linhas")
EXPLAINED: Final = ("mes", "regime", "tipo", "linha_id", "descricao", "antes", "depois", "diferenca")


def list_moved(view: View) -> Columns:
    """List a row per linha and field; an entry counts once, so that its impact stands on its first row.

    Closed months first, then the larger impact, then the id; what went is told as it was.
    """
    compared = view.facts.comparacao
    if compared is None:
        return list_columns(CHANGED, ())
    changed = sort_changes(compared.mudadas[compared.mudadas["tipo"].notna()])
    writers = make_writers(compared.rotulos), make_writers(view.position.rotulos)
    fields = [
        (place, *field, *find_values(record, field[0]))
        for place, record in enumerate(iter_records(changed[COMPARED]))
        for field in list_fields(record, *writers)
    ]
    told = list_columns(("lugar", *TOLD), fields)
    places = pd.Series(told["lugar"], dtype="int64")
    rows, first = changed.iloc[places.to_numpy()].reset_index(drop=True), ~places.duplicated()
    labels = {True: view.position.rotulos, False: compared.rotulos}
    people = pd.DataFrame({"em_b": rows["em_b"], "pessoa_id": take_side(rows, "pessoa_id")})
    columns = {
        "tipo": rows["tipo"],
        "linha_id": rows["linha_id"],
        "descricao": store_texts(take_side(rows, "descricao")),
        "pessoa": [labels[there].pessoa(pessoa_id) for there, pessoa_id in records_of(people, "em_b", "pessoa_id")],
        "impacto_no_aberto": rows["impacto_aberto_centavos"].astype("Int64").where(first),
        "impacto_no_resultado": rows["impacto_resultado_centavos"].astype("Int64").where(first),
        "mes_afetado": rows["mes_afetado"],
        "mes_fechado": rows["mes_fechado"].astype("bool"),
        "modified": take_side(rows, "modified"),
        **told,
        **{key: take_side(rows, key).astype("Int64") for key in IDS},
    }
    return {key: columns[key] for key in CHANGED}


def list_bridge(view: View) -> Columns:
    """Lead from the open portfolio of A to that of B (V17), signed as it adds."""
    compared = view.facts.comparacao
    bridge = {} if compared is None else compute_bridge(compared, view.position)
    return {
        "item": [BRIDGE[name] for name in bridge],
        "valor": [to_decimal(centavos) for centavos in bridge.values()],
    }


def _show_bridge(view: View, table: Table) -> Sequence[Row]:  # noqa: ARG001 - as every function of a `Print`
    styles = {"aberto_a": Style.SECTION, "aberto_b": Style.TOTAL}
    return [
        Row(cells, styles.get(name, Style.NORMAL), key=f"carteira-{name}")
        for name, cells in zip(BRIDGE, table.rows, strict=False)  # without a comparison it has no rows
    ]


def list_types(view: View) -> Columns:
    """List how many linhas changed, by type; each counts once."""
    compared = view.facts.comparacao
    parts = {} if compared is None else dict(split_by_type(compared.mudadas))
    return {
        "tipo": list(parts),
        "linhas": [len(part) for part in parts.values()],
        "em_mes_fechado": [int(part["mes_fechado"].sum()) for part in parts.values()],
        "impacto_no_aberto": [to_decimal(int(part["impacto_aberto_centavos"].sum())) for part in parts.values()],
        "impacto_no_resultado": [to_decimal(int(part["impacto_resultado_centavos"].sum())) for part in parts.values()],
    }


def list_statuses(view: View) -> Columns:
    """List the charges whose status changed, by id."""
    compared, label = view.facts.comparacao, view.position.rotulos.pessoa
    fields = ("cobranca_id", "cliente_id", "data_vencimento", "valor_centavos", "status_antes", "status")
    rows = [
        (number, label(payer), as_date(due), to_decimal(valor), status_label(old), status_label(new), old, new, payer)
        for number, payer, due, valor, old, new in (records_of(compared.cobrancas, *fields) if compared else ())
    ]
    return list_columns(
        (
            "cobranca_id", "cliente", "data_vencimento", "valor", "antes", "depois", "codigo_antes", "codigo_depois",
            "cliente_id",
        ),
        rows,
    )  # fmt: skip


def explain_months(view: View) -> pd.DataFrame | None:
    """List by regime what each linha adds otherwise to a closed month (`explain_closed`); None where none does."""
    compared = view.facts.comparacao
    if compared is None:
        return None
    found = {name: explain_closed(compared.mudadas, *dates, compared.fechado_ate) for name, dates in REGIMES.items()}
    parts = [entries.assign(regime=regime) for regime, entries in found.items() if len(entries)]
    return pd.concat(parts, ignore_index=True) if parts else None


def list_closed_months(view: View) -> Columns:
    """List closed months with changed figures by month and regime, and how much of the change linhas explain (V32)."""
    return list_columns(MONTHS_OF, sorted(_sum_months(view), key=itemgetter(0)))


def _sum_months(view: View) -> Iterator[tuple[Any, ...]]:
    compared, entries = view.facts.comparacao, view.once(explain_months)
    if compared is None:
        return
    explained: dict[tuple[str, date], tuple[int, int]] = {}
    if entries is not None:
        sums = entries.groupby(["regime", "mes"], as_index=False)["diferenca"].agg(["sum", "size"])
        explained = {(regime, mes.date()): (delta, count) for regime, mes, delta, count in records_of(sums, *sums)}
    for regime, was in compared.fechados.items():
        now = sum_closed(view.position, *REGIMES[regime], compared.fechado_ate)
        for month in {*was, *now, *(month for own, month in explained if own == regime)}:
            old, new = was.get(month, 0), now.get(month, 0)
            delta, count = explained.get((regime, month), (0, 0))
            if old != new or count:
                yield month, regime, *map(to_decimal, (old, new, new - old, delta)), count


def list_explaining(view: View) -> Columns:
    """List the linhas that explain the closed months, to the centavo."""
    rows = view.once(explain_months)
    if rows is None:
        return list_columns(EXPLAINED, ())
    return {
        **{key: rows[key] for key in EXPLAINED[:4]},
        "descricao": store_texts(take_side(rows, "descricao")),
        "antes": rows["a"],
        "depois": rows["b"],
        "diferenca": rows["diferenca"],
    }


def _link_explaining(view: View) -> Mapping[str, Leads]:
    """Lead from what still exists to its row in Lançamentos."""
    rows = view.once(explain_months)
    there = None if rows is None else rows["linha_id"].astype("Int64").where(rows["em_b"])
    return {} if there is None else {"linha_id": view.kept(find_entries).lead("linha_id", there)}


def print_explaining(view: View, tables: Tables) -> Section | None:
    """Print the linhas below the months; where no month changed, neither."""
    return print_section(EXPLAINING, tables, view) if tables[MONTHS.name].rows else None


def _since(view: View, text: str) -> str:
    """Say since when, where there is an earlier report."""
    compared = view.facts.comparacao
    return "" if compared is None else text.format(format_date(compared.data_base), format_date(compared.fechado_ate))


_AMOUNTS: Final = {"antes": Kind.MONEY, "depois": Kind.MONEY}
CHANGES: Final = Print(
    "mudancas",
    "R14: uma linha e um campo que mudaram desde a execução anterior",
    list_moved,
    about={
        "tipo": "o primeiro que vale de EXCLUIDO, NOVO, ESTORNADO, LIQUIDADO, VALOR, VENCIMENTO, PAGAMENTO, "
        "COMPETENCIA, CATEGORIA, CONTA, PESSOA, CENTRO, OUTROS (R14)"
    },
    headers={"titulo_id": "Titulo id"},
    shown=("linha_id",),
)
BRIDGE_TABLE: Final = Print(
    "mudancas_ponte",
    "R14, V17: ponte da carteira em aberto; valores com o sinal com que somam",
    list_bridge,
    keys=("item",),
    about={"valor": "com o sinal com que soma: do em aberto de antes ao de agora"},
    widths={"item": 48},
    title="Ponte da carteira em aberto",
    rows=_show_bridge,
    notes=(BRIDGE_NOTE,),
    optional=True,
)
CHARGES: Final = Print(
    "mudancas_cobrancas",
    "R14: cobranças que mudaram de situação ou foram canceladas",
    list_statuses,
    shown=("cobranca_id",),
)
MONTHS: Final = Print(
    "mudancas_meses",
    "R14, V32: meses fechados cujo resultado ou caixa mudou",
    list_closed_months,
    kinds=_AMOUNTS,
    widths={"regime": 14},
    title=partial(_since, text="Meses fechados até {1} que mudaram"),
    notes=(REGIMES_NOTE, lambda view: () if view.position.parametros.fechamento else (NO_CLOSING,)),
    optional=True,
)
EXPLAINING: Final = Print(
    "mudancas_meses_linhas",
    "R14: as linhas que explicam a mudança de cada mês fechado, ao centavo",
    list_explaining,
    about={"tipo": "como mudancas.tipo"},
    kinds=_AMOUNTS,
    widths={"regime": 14, "tipo": 14, "linha_id": 12, "descricao": 40},
    shown=("linha_id",),
    title="Lançamentos que explicam os meses fechados",
    links=_link_explaining,
)
BY_TYPE: Final = Print(
    "mudancas_tipos",
    "R14: linhas que mudaram, por tipo; cada uma conta uma vez",
    list_types,
    keys=("tipo",),
    about={"tipo": "como mudancas.tipo"},
)
SPEC: Final = ReportSpec(
    code="R14",
    name="mudancas",
    title="Mudanças desde o último relatório",
    question="O que mudou, e alguém mexeu em mês fechado?",
    family=Family.HISTORY,
    tables=(CHANGES, BRIDGE_TABLE, CHARGES, MONTHS, EXPLAINING, BY_TYPE, SENTENCES),
    sections=(print_sentences, BRIDGE_TABLE, MONTHS, print_explaining),
    heading=partial(_since, text="Mudanças desde {0}"),
)
