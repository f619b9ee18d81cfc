"""Golden books with everything the checks need: position, all reports, control totals, PA/RA, passes, details."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from itertools import chain
from typing import Any, cast

import pandas as pd

from lastro.analysis.forecast_accuracy import plan_forecasts
from lastro.grid.verdict import Verification
from lastro.grid.workbook import Report, tables_of
from lastro.money import to_centavos
from lastro.quality.queries import About, read_prelude, read_queries
from lastro.quality.runner import open_room, run_checks, run_query
from lastro.reports.facts import Facts
from lastro.reports.registry import REPORTS
from lastro.reports.spec import Phase
from lastro.reports.view import View
from lastro.schema.tables.raw import SIGNATURES
from lastro.transform.composites import CompositeEvidence, compare_composites
from lastro.transform.openings import CONFIG, Statement
from lastro.transform.position import Core, Position, build_position
from lastro.warehouse.file.check_room import CheckRoom, Relation
from lastro.warehouse.loading.control import read_control_totals
from tests.bare import lay_out_noticed, list_noticed, store_statements
from tests.books import ReadBooks, read_books, read_position
from tests.compared import compare_positions
from tests.golden import dataset
from tests.views import view_of

Payload = dict[str, Any]
PASS_TYPES = {
    "lista": "VARCHAR",
    "conta_id": "BIGINT",
    "passada": "INTEGER",
    "contagem_antes": "BIGINT",
    "ids_distintos": "BIGINT",
    "rejeitadas": "BIGINT",
    "contagem_depois": "BIGINT",
    "veredito": "VARCHAR",
}
LIDOS = {"lista": "VARCHAR", "conta_id": "BIGINT", "lidos": "BIGINT"}
REJEITADOS = {"lista": "VARCHAR", "id": "VARCHAR"}
LEITURA = {
    "execucao_id": "BIGINT",
    "hoje": "BOOLEAN",
    "desvio_relogio": "BIGINT",
    "recebidos": "BIGINT",
    "mudou": "VARCHAR",
}
CONFLITOS = {"conta_id": "BIGINT", "motivo": "VARCHAR", "lancamentos": "BIGINT[]"}
COMPOSTOS = {
    "n0": "BIGINT",
    "n1": "BIGINT",
    "decidido": "VARCHAR",
    "modo": "VARCHAR",
    "fonte": "VARCHAR",
    "diferencas": "BIGINT[]",
}
COMPONENTES = {
    "lancamento_id": "BIGINT",
    "linha_id": "BIGINT",
    "valor_lista": "DECIMAL(18,2)",
    "valor_detalhe": "DECIMAL(18,2)",
    "detalhe_com_itens": "BOOLEAN",
}
"""The columns of the views of the prelude that rest on what was received."""


@dataclass(frozen=True)
class Books:
    """A loaded company: what a run would hand to the checks."""

    core: Core
    position: Position
    before: Position | None
    recebido: Mapping[str, Relation]
    reports: Mapping[str, Report]

    @cached_property
    def room(self) -> CheckRoom:
        """The records laid out, for the checks of many reports of one position."""
        return open_room(self.position, self.recebido)


_SPECS = {spec.code: spec for spec in REPORTS if spec.phase is not Phase.VERDICT}


class Reports(Mapping[str, Report]):
    """The reports of a position that the checks look at, by code, each built when somebody looks at it.

    Without settings, so without scenarios.
    """

    def __init__(self, position: Position, before: Position | None) -> None:
        self._position, self._before = position, before
        self._built: dict[str, Report] = {}

    @cached_property
    def _view(self) -> View:
        runs = {} if self._before is None else {1: self._before}
        days = {number: position.data_extracao for number, position in runs.items()}
        forecasts = plan_forecasts(self._position.data_base, days)
        return view_of(self._position, before=self._before, forecasts=forecasts, runs=runs)

    def __getitem__(self, code: str) -> Report:
        if code not in self._built:
            self._built[code] = _SPECS[code].build(self._view)
        return self._built[code]

    def __iter__(self) -> Iterator[str]:
        return iter(_SPECS)

    def __len__(self) -> int:
        return len(_SPECS)


@cache
def list_asked(rule: str) -> frozenset[str]:
    """List the reports whose tables a rule names: their names begin with the report's; all where one has another."""
    names = {name for select in read_queries()[rule].selects for name in re.findall(r"\bmart\.(\w+)", select)}
    owners = {name: [code for code, spec in _SPECS.items() if f"{name}_".startswith(f"{spec.name}_")] for name in names}
    return frozenset(chain(*owners.values()) if all(owners.values()) else _SPECS)


@cache
def load_golden(forma: str) -> Books:
    """Load the golden company in one shape of the composite, with its detail and the run before, of 27/02/2026."""
    payloads = dataset.payloads(forma)
    payloads["detalhes"] = [_detail(payloads["lancamentos"], forma)]
    return load_company(payloads, before=read_position(dataset.payloads(anterior=True)))


def know_before(books: Books) -> Facts:
    """What a run knows of books held against those before: what changed, what was forecast."""
    assert books.before is not None
    return Facts(
        comparacao=compare_positions(books.position, books.before),
        previsoes=plan_forecasts(books.position.data_base, {1: books.before.data_extracao}),
        posicoes={1: books.before},
    )


_LOADED: dict[tuple[str, int], Books] = {}


def load_company(payloads: Payload, *, before: Position | None = None) -> Books:
    """Load a company; the same one again is what it was, with its room."""
    key = (repr(payloads), id(before))
    if key not in _LOADED:
        _LOADED[key] = _load_company(payloads, before)
    return _LOADED[key]


def _load_company(payloads: Payload, before: Position | None) -> Books:
    with read_books(payloads) as read:
        control = read_control(read)
        received = receive(payloads, read)
    built = read.built
    received |= {"controle": take_control(control), "vencidos": list_overdue(payloads)}
    return Books(built.core, read.position, before, received, Reports(read.position, before))


def read_control(read: ReadBooks) -> pd.DataFrame:
    """The control totals of what was received."""
    parametros = read.position.parametros
    return read_control_totals(
        read.con,
        modo=read.built.evidence.mode,
        saldo_inicial_lancamentos=parametros.saldo_inicial_lancamentos,
        saldo_inicial_categorias=parametros.saldo_inicial_categorias,
    )


def receive(payloads: Payload, read: ReadBooks) -> dict[str, Relation]:
    """What a run would be told by the views of the prelude that rest on what was received."""
    passes, built = list_passes(payloads), read.built
    conflicts = [(conta, reason, ids) for conta, reason, ids in rows_in(built.conflitos_saldo_inicial)]
    components = [
        (number, linha, take_money(listed), take_money(shown), nested)
        for _, number, linha, listed, shown, nested in rows_in(compare_composites(read.conformed))
    ]
    # The records of the fixture stand in one file: those of accounts that no listing is for would not be there.
    listings = {(row[0], row[1]) for row in passes}
    loaded = [row for row in read.con.execute(read_prelude()["lidos"]).fetchall() if row[:2] in listings]
    return {
        "passadas": Relation(PASS_TYPES, passes),
        "lidos": Relation(LIDOS, loaded),
        "rejeitados": Relation(REJEITADOS, []),
        "leitura": take_reading(
            hoje=payloads["data_base"] == payloads["data_extracao"],
            recebidos=len(payloads["lancamentos"]) + len(payloads["cobrancas"]),
        ),
        "compostos": Relation(COMPOSTOS, [decision(built.evidence, built.diferencas)]),
        "componentes": Relation(COMPONENTES, components),
        "conflitos": Relation(CONFLITOS, conflicts),
        **lay_out_noticed(list_noticed(read.position)),
    }


def take_reading(
    *, hoje: bool = True, desvio_relogio: int | None = 0, recebidos: int = 0, mudou: str | None = ""
) -> Relation:
    """What the run noticed of the reading."""
    return Relation(LEITURA, [(1, hoje, desvio_relogio, recebidos, mudou)])


def decision(evidence: CompositeEvidence, diferencas: Sequence[int] = ()) -> tuple[Any, ...]:
    """How the mode was decided, as a row of `prova.compostos`."""
    return evidence.n0, evidence.n1, evidence.decided, evidence.mode, evidence.source, list(diferencas)


def rows_in(frame: pd.DataFrame) -> list[list[Any]]:
    """The rows of a frame with None for null and integers as Python has them."""
    columns = [
        [None if not isinstance(value, list) and pd.isna(value) else value for value in frame[name].tolist()]
        for name in frame.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def take_money(centavos: int | None) -> Decimal | None:
    return None if centavos is None else Decimal(centavos).scaleb(-2)


def check_received(rule: str, **received: Relation) -> Verification:
    """Run one check of what was received alone, on evidence made by hand."""
    return run_query(read_queries()[rule], open_room(cast("Position", None), received))


def take_position(books: Books, core: Core) -> Position:
    """Take the position again from changed core tables, as a run does after they were written."""
    old = books.position
    return build_position(
        core,
        data_base=old.data_base,
        data_extracao=old.data_extracao,
        parametros=old.parametros,
        calendario=old.calendario,
    )


def with_statements(books: Books, saldos: Iterable[tuple[int, str, str]]) -> Books:
    """The same records held against statements that the settings tell: account, day, balance."""
    told = [
        Statement(conta, date.fromisoformat(day), to_centavos(Decimal(value)), CONFIG) for conta, day, value in saldos
    ]
    core = replace(books.core, extrato_saldos=store_statements(told, set()))
    return replace(books, core=core, position=take_position(books, core))


def check_books(books: Books, like: Books | None = None) -> dict[str, Verification]:
    """Run every check; `like` are books of the same position, whose records are laid out already."""
    return {result.id: result for result in run_checks(_see_laid_out(books, like or books), tuple(About), ())}


def check_rule(books: Books, rule: str, **evidence: Any) -> Verification:
    """Check one rule alone; of the reports only those are built that it looks at."""
    asked = list_asked(rule)
    room = _see(books, evidence, asked) if evidence else _see_laid_out(books, books, asked)
    return run_query(read_queries()[rule], room)


def _list_asked(books: Books, codes: Container[str]) -> list[Report]:
    return [books.reports[code] for code in books.reports if code in codes or code not in _SPECS]


def _see(books: Books, evidence: Mapping[str, Any], codes: Container[str] = _SPECS) -> CheckRoom:
    return open_room(books.position, evidence.get("recebido", books.recebido), _list_asked(books, codes))


def _see_laid_out(books: Books, like: Books, codes: Container[str] = _SPECS) -> CheckRoom:
    assert like.position is books.position
    like.room.show(tables_of(_list_asked(books, codes)))
    return like.room


def failing(results: Mapping[str, Verification]) -> set[str]:
    """What fails beside V13, which the golden data fail on purpose (9003)."""
    return {name for name, result in results.items() if result.failed} - {"V13"}


def _detail(lancamentos: list[Payload], forma: str) -> Payload:
    """The composite's row as `GET /v1/lancamentos/1007` shows it: shape B nests the siblings only in the detail."""
    rows = {row["id"]: row for row in lancamentos}
    if forma != "B":
        return rows[1007]
    nested = [{name: rows[key][name] for name in ("id", "valor", "categoria_id", "descricao")} for key in (1008, 1009)]
    return {**rows[1007], "itens_adicionais": nested}


def list_overdue(payloads: Payload) -> Relation:
    """The rows of `tipo=PA` and `tipo=RA`, by sign, zero values too, as a service would filter them."""
    day = payloads["data_base"]
    rows = [
        (
            "PA" if row["valor"].startswith("-") else "RA",
            row["conta_id"],
            row["id"],
            Decimal(row["valor"]),
            row["lancamento_transferencia_id"] or None,
        )
        for row in payloads["lancamentos"]
        if row["conta_id"] and not row["data_pagamento"] and date.fromisoformat(row["data_vencimento"]) < day
    ]
    return take_overdue(rows)


def take_overdue(rows: Sequence[tuple[Any, ...]]) -> Relation:
    """Take rows of the two filters: filter, account, entry, value, other leg."""
    types = ("VARCHAR", "BIGINT", "BIGINT", "DECIMAL(18,2)", "BIGINT")
    names = ("tipo", "conta_id", "lancamento_id", "valor", "lancamento_transferencia_id")
    return Relation(dict(zip(names, types, strict=True)), rows)


def take_control(control: pd.DataFrame) -> Relation:
    """Take control totals, as `read_control_totals` gives them."""
    types = {"conta_id": "BIGINT", "linhas": "BIGINT", "valor": "DECIMAL(18,2)", **dict.fromkeys(SIGNATURES, "BIGINT")}
    rows = [
        (None if pd.isna(conta) else int(conta), int(linhas), Decimal(int(centavos)).scaleb(-2), *map(int, signatures))
        for conta, linhas, centavos, *signatures in control.itertuples(index=False)
    ]
    return Relation(types, rows)


def check_control(position: Position, control: pd.DataFrame) -> Verification:
    """Check V10 with control totals alone."""
    received = {"controle": take_control(control), "leitura": take_reading()}
    return run_query(read_queries()["V10"], open_room(position, received))


def list_passes(payloads: Payload) -> list[tuple[Any, ...]]:
    """Proved passes of every listing, and the service's count of charges per status."""
    accounts = [conta["conta_id"] for conta in payloads["contas"]]
    rows: list[tuple[Any, ...]] = [("lancamentos", conta_id, 1, *_counts(payloads, conta_id)) for conta_id in accounts]
    total = len(payloads["cobrancas"])
    rows.append(("cobrancas", None, 1, total, total, 0, total, "provada"))
    for slug in ("pendente", "cliente_pagou", "transferido"):
        count = sum(row["status_descricao"].strip().lower().replace(" ", "_") == slug for row in payloads["cobrancas"])
        rows.append((f"cobrancas:status={slug}", None, 1, count, 0, 0, count, "provada"))
    return rows


def _counts(payloads: Payload, conta_id: int) -> tuple[int, int, int, int, str]:
    count = sum(row["conta_id"] == conta_id for row in payloads["lancamentos"])
    return count, count, 0, count, "provada"
