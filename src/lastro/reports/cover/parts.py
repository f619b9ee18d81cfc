"""The parts of the first page below its figures, in order: one list for workbook, PDF, HTML, mail and terminal.

What is to be done, what changed, how things stand, what failed, what falls due. What is to be done and what changed
gives way to nothing; where a page is full, alerts beyond the third go first, then charts, then how things stand but for
its first line, and each part counts what it lost. A fact stands on the page once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from lastro.analysis.changes import VENCEU_PAGAR, VENCEU_RECEBER
from lastro.analysis.charges import DAYS_AHEAD
from lastro.analysis.frames import records_of
from lastro.grid.cells import Kind, Link, Value, link_sheet, row_key
from lastro.grid.cover import ALERTS, CoverPart
from lastro.grid.pivot import list_dicts, list_rows
from lastro.grid.sections import Section
from lastro.grid.tables import Table, describe_column
from lastro.grid.verdict import CLOSED_MONTHS, Verification, state_word
from lastro.grid.words import count_text, format_date
from lastro.grid.workbook import tables_of
from lastro.money import format_centavos, format_reais, to_decimal
from lastro.reports.cover.budget import tell_budget
from lastro.reports.cover.lines import VALUE, build_lines
from lastro.reports.cover.to_do import NAMED, SHEET, block_key, find_changed
from lastro.reports.r14_changes import NO_HISTORY, PAGO, RECEBIDO, RESUMO
from lastro.reports.r21_taxes import tell_taxes
from lastro.reports.shared.alerts import list_alerts
from lastro.reports.shared.drill_down import find_entries
from lastro.reports.shared.forecast_words import tell_forecast
from lastro.reports.shared.kpis import find_due_within, list_kpis
from lastro.reports.shared.resilience import tell_dominant, tell_resilience
from lastro.transform.double_entries import REPEATED
from lastro.transform.position import Position, as_date, is_open

if TYPE_CHECKING:
    from lastro.reports.view import Judged

TOP: Final = 5
LEAST_ALERTS: Final = 3
OCCURRENCES: Final = describe_column("ocorrencias", header="Ocorrências", kind=Kind.INTEGER)
STANDING: Final = ("TRIBUTOS", "ORÇAMENTO", "FÔLEGO", "CLIENTES", "BANCO", "RESPOSTAS", "PREVISÃO")
"""What the page says of how things stand, a line each, in this order; what options say besides stands below."""
MOST_CHANGES: Final = 5
SUMMED_ON: Final = {
    RECEBIDO: "Mudanças", PAGO: "Mudanças", VENCEU_RECEBER: "Receber títulos", VENCEU_PAGAR: "Pagar títulos",
}  # fmt: skip
"""The rows that add all entries of a kind, and where these stand."""
CALL: Final = "F1"
_COMMAND: Final = re.compile(r"\s*(?:[·—(]\s*)?(?:rode )?`?lastro [a-z].*$")
"""What a sentence tells whoever types commands, at its end."""
Line = tuple[str, Value, Link]
"""What a line of the page says, its amount, and where it leads."""


def build_parts(view: Judged, to_do: Table) -> tuple[CoverPart, ...]:
    """List them.

    Args:
        view: everything else is built.
        to_do: the table `fazer_hoje`.
    """
    return (
        CoverPart(build_actions(to_do, tell_promises_broken(view), tell_changed(view))),
        CoverPart(_build_changes(view, tell_closed_months(view))),
        *_list_standing(view),
        _list_alerts(view),
        _list_next_due(view.position),
    )


def build_actions(to_do: Table, broken: str = "", changed: Sequence[Line] = ()) -> Section:
    """Turn the table `fazer_hoje` into the part of the page: each line leads to the first row of its rule.

    Args:
        broken: what is said of promises that were not kept, which stands below the calls.
        changed: what is said of approved payments that are others now, which stands above all.
    """
    rows: list[Line] = [
        (str(frase), valor or None, link_sheet(SHEET, block_key(str(regra))))
        for regra, frase, valor in list_rows(to_do, ("regra", "frase", "valor"))
    ]
    if broken:
        place = next((at for at, row in enumerate(rows, 1) if row[2].key == block_key(CALL)), 0)
        rows.insert(place, (broken, None, link_sheet("Inadimplência")))
    rows = [*changed, *rows]
    told = [(f"{number}  {text}", *rest) for number, (text, *rest) in enumerate(rows, 1)]
    return build_lines(
        "resumo_fazer_hoje", "FAZER HOJE", "O que fazer hoje", told, "Nada acima do limite pede ação hoje"
    )


def tell_changed(view: Judged) -> list[Line]:
    """Say which approved payments are others now, the largest first, each from what it was approved as (Q42)."""
    changed, titulos = find_changed(view), view.position.titulos
    own = titulos[titulos["titulo_id"].isin([*changed])]
    rows = sorted(records_of(own, "titulo_id", "pessoa_id", "valor_centavos"), key=lambda row: (row[2], row[0]))
    said = []
    for titulo_id, person, now in rows:
        before, other = changed[titulo_id].antes, changed[titulo_id].outros
        write = format_reais if format_reais(before) != format_reais(now) or before == now else format_centavos
        amounts = " → ".join(write(-value) for value in dict.fromkeys((before, now)))
        said.append(f"{view.position.rotulos.pessoa(person)} {amounts}{f' ({other})' if other else ''}")
    if not said:
        return []
    words = count_text(len(said), "pagamento aprovado mudou", "pagamentos aprovados mudaram")
    more = f" e mais {len(said) - NAMED}" if said[NAMED:] else ""
    link = link_sheet("Pagar títulos", row_key("titulo_id", rows[0][0]))
    return [(f"{words}: {', '.join(said[:NAMED])}{more}", None, link)]


def tell_promises_broken(view: Judged) -> str:
    """Say which customers promised to pay, have not, and still owe: the most first; empty where nobody did."""
    broken = view.facts.mesas.quebradas
    if not broken:
        return ""
    owed: dict[int, int] = {}
    for person, centavos in broken:
        owed[person] = owed.get(person, 0) + centavos
    names = [view.position.rotulos.pessoa(person) for person in sorted(owed, key=lambda one: (-owed[one], one))]
    said = count_text(len(broken), "promessa quebrada", "promessas quebradas")
    return f"{said} ({format_reais(sum(owed.values()))}): {', '.join(names)}"


def tell_answers(view: Judged) -> str:
    """Say what answers of the payments desk take out of all figures (S26.4); empty where they take nothing."""
    titulos = view.position.titulos
    answered = titulos[titulos["titulo_id"].isin([*view.facts.mesas.respondidos])]
    if answered.empty:
        return ""
    said = count_text(len(answered), "título", "títulos")
    summed = format_reais(abs(int(answered["valor_centavos"].sum())))
    return f"{said} fora das contas por resposta em Já pagos: {summed}"


def tell_closed_months(view: Judged) -> list[str]:
    """List what became of months that were closed: their closings, what changed now, what earlier reports found."""
    changed = [
        f"{state_word(check.severidade)}: {check.resumo}" for check in view.verifications if _is_closed_month(check)
    ]
    return [
        *(_COMMAND.sub("", text) for text in view.facts.recados),
        *filter(None, changed),
        *(f"Em {day:%d/%m}: {text}" for day, text in view.facts.reabertos),
    ]


def _is_closed_month(check: Verification) -> bool:
    """Tell whether a check says what changed in closed months: that stands among the changes, and is no alert below."""
    return check.id == CLOSED_MONTHS and check.failed


def _list_standing(view: Judged) -> tuple[CoverPart, ...]:
    """Say how things stand in a line each; nothing where nothing is said."""
    said = [
        ("TRIBUTOS", tell_taxes(view), link_sheet("Pagar")),
        (f"ORÇAMENTO {view.budget.ano.year}", tell_budget(view), link_sheet("Orçado")),
        ("FÔLEGO", tell_resilience(list_kpis(view)), link_sheet("Indicadores", "kpi_custo_fixo_mensal")),
        ("CLIENTES", tell_dominant(view), link_sheet("Inadimplência")),
        ("PREVISÃO 13 SEMANAS", tell_forecast(view), link_sheet("Previsão")),
        ("RESPOSTAS", tell_answers(view), link_sheet("Pagar títulos")),
        *((heading, line, link_sheet(sheet)) for heading, line, sheet in view.facts.linhas_da_capa),
    ]
    rows = [(f"{heading}: {line}", None, link) for heading, line, link in sorted(said, key=_place) if line]
    return (CoverPart(build_lines("resumo_situacao", "SITUAÇÃO", "Situação", rows), 1, 2),) if rows else ()


def _place(said: tuple[str, str, Link]) -> int:
    word = said[0].partition(" ")[0]
    return STANDING.index(word) if word in STANDING else len(STANDING)


def _list_alerts(view: Judged) -> CoverPart:
    """List what the stamp counts; the number of each stands on Qualidade, where it leads."""
    told = list_alerts(view.verifications, view.findings, view.position.rotulos)
    kept = told[: sum(alert.ocorrencias is None for alert in told) + TOP]
    rows = [(alert.texto, alert.ocorrencias, _link_rule(alert.regra)) for alert in kept]
    section = build_lines(ALERTS, "ALERTAS", "Alerta", rows, "Nenhuma verificação falhou", (OCCURRENCES,))
    return CoverPart(section, LEAST_ALERTS, 1, len(told) - len(kept), "Qualidade")


def _link_rule(name: str) -> Link:
    """Lead to the row of a check or finding."""
    return link_sheet("Qualidade", f"{'regra' if name.startswith('Q') else 'verificacao'}-{name}")


def _list_next_due(position: Position) -> CoverPart:
    """List the largest open títulos of the next seven days, receipts and payments alike."""
    titulos = position.titulos
    live = titulos[is_open(titulos)]
    chosen = find_due_within(position, live, DAYS_AHEAD)
    chosen = chosen.assign(tamanho=chosen["valor_centavos"].abs()).sort_values(
        ["tamanho", "data_projetada", "titulo_id"], ascending=[False, True, True], kind="stable"
    )
    rows = []
    for row in chosen.head(TOP).to_dict("records"):
        text, day = describe_due(position, row)
        sheet = "Receber títulos" if row["tipo"] == "R" else "Pagar títulos"
        link = link_sheet(sheet, row_key("titulo_id", int(row["titulo_id"])))
        rows.append((text, to_decimal(row["valor_centavos"]), day, link))
    title = f"O QUE VENCE NOS PRÓXIMOS {DAYS_AHEAD} DIAS (OS {TOP} MAIORES)"
    nothing = f"Nada vence nos próximos {DAYS_AHEAD} dias"
    return CoverPart(build_lines("resumo_proximos", title, "Descrição", rows, nothing, (VALUE, describe_column("dia"))))


def describe_due(position: Position, row: Mapping[Any, Any]) -> tuple[str, date | None]:
    """Say whom a título that falls due is from or for, and when."""
    labels = position.rotulos
    text = str(row["descricao"] or labels.categoria(row["categoria_id"]))
    twice = f" ({REPEATED})" if row["titulo_id"] in position.repetidos else ""
    return f"{labels.pessoa(row['pessoa_id'])}: {text}{twice}", as_date(row["data_projetada"])


def _build_changes(view: Judged, closed: Sequence[str]) -> Section:
    """Build the changes: what became of closed months, series inside the horizon first, then the rest (R14).

    The sums always have their place; what lies beyond the horizon stands there only if nothing lies inside.

    Args:
        view: R14 is built.
        closed: what is said of closed months.
    """
    before, changes = view.facts.comparacao, _read_changes(view)
    said: list[tuple[Value, ...]] = [(text, None, link_sheet("Mudanças")) for text in closed]
    if before is None or changes is None:
        return build_lines("resumo_mudancas", "O QUE MUDOU", "O que mudou", said, f"{NO_HISTORY}.")
    sums = [row for row in changes if row["tipo"] in SUMMED_ON]
    single = [row for row in changes if row["linha_id"] is not None]
    near = [row for row in single if row["no_horizonte"]]
    chosen = (near or single)[: MOST_CHANGES - len(sums)]
    kept = sorted([*chosen, *sums], key=lambda row: int(row["ordem"])) or changes[:MOST_CHANGES]
    rows = [(row["frase"], row["valor"], _link_change(view, row)) for row in kept]
    title = f"O QUE MUDOU DESDE {format_date(before.data_base)}"
    return build_lines("resumo_mudancas", title, "O que mudou", [*said, *rows], "Nada mudou desde o último relatório")


def _read_changes(view: Judged) -> list[dict[str, Any]] | None:
    tables = {table.name: table for table in tables_of(view.reports)}
    return list_dicts(tables[RESUMO]) if RESUMO in tables else None


def _link_change(view: Judged, row: dict[str, Any]) -> Link | None:
    sheet = SUMMED_ON.get(row["tipo"])
    if sheet is None and row["titulo_id"] is not None:
        return view.books.once(find_entries).link_titulo(row["titulo_id"], "Lançamentos »") or link_sheet("Mudanças")
    return link_sheet(sheet or "Mudanças")
