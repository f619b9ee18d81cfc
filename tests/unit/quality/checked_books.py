"""Golden books with everything the checks need: position, all reports, control totals, PA/RA, passes, details."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd

from lastro.analysis.forecast_accuracy import plan_forecasts
from lastro.grid.model import Report
from lastro.grid.verdict import Verification
from lastro.quality.evidence import Checked, CheckInputs, open_proof
from lastro.quality.registry import RECORD_RULES, RULES, About, run_checks
from lastro.reports.registry import REPORTS
from lastro.reports.spec import Stage
from lastro.settings import Empresa
from lastro.transform.composite_details import compare_composites
from lastro.transform.position import Core, Position, build_position
from lastro.warehouse.control import read_control_totals
from lastro.warehouse.proof import Proof
from lastro.warehouse.received import read_loaded_ids
from tests.books import make_empresa, read_books
from tests.golden import dataset
from tests.oracle.charges import charge_status
from tests.views import view_of

Payload = dict[str, Any]
PASS_COLUMNS = (
    "lista",
    "conta_id",
    "passada",
    "contagem_antes",
    "ids_distintos",
    "rejeitadas",
    "contagem_depois",
    "veredito",
)


@dataclass(frozen=True)
class Books:
    """A loaded company: what a run would hand to the checks."""

    core: Core
    position: Position
    before: Position | None
    inputs: CheckInputs
    reports: Mapping[str, Report]

    @cached_property
    def proof(self) -> Proof:
        """The records laid out, for the checks of many reports of one position."""
        return open_proof(self.position)


class _Reports(Mapping[str, Report]):
    """The reports of a position, built when somebody looks at one."""

    def __init__(self, position: Position, before: Position | None) -> None:
        self._build = partial(build_reports, position, before)

    @cached_property
    def _built(self) -> dict[str, Report]:
        return self._build()

    def __getitem__(self, code: str) -> Report:
        return self._built[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._built)

    def __len__(self) -> int:
        return len(self._built)


def load_earlier(pasta: Path) -> Position:
    """Load the golden company's previous complete run, of 27/02/2026."""
    earlier = dataset.payloads(anterior=True)
    days = {name: earlier[name] for name in ("data_base", "data_extracao")}
    with read_books(pasta, earlier, make_empresa(earlier["contas"], earlier["parametros"]), **days) as read:
        return read.position


def load_golden(pasta: Path, forma: str, before: Position) -> Books:
    """Load the golden company in one shape of the composite, with its detail and the previous run."""
    payloads = dataset.payloads(forma)
    payloads["detalhes"] = [_detail(payloads["lancamentos"], forma)]
    return load_company(pasta, payloads, before=before)


def load_company(pasta: Path, payloads: Payload, *, before: Position | None = None) -> Books:
    empresa = make_empresa(payloads["contas"], payloads["parametros"])
    days = {name: payloads[name] for name in ("data_base", "data_extracao")}
    with read_books(pasta, payloads, empresa, **days) as read:
        control = read_control_totals(
            read.con,
            modo=read.built.evidence.mode,
            saldo_inicial_lancamentos=empresa.parametros.saldo_inicial_lancamentos,
            saldo_inicial_categorias=empresa.parametros.saldo_inicial_categorias,
        )
        lidos = read_loaded_ids(read.con)
    built = read.built
    current = payloads["data_base"] == payloads["data_extracao"]
    passadas = make_passes(payloads)
    inputs = CheckInputs(
        # The records of the fixture stand in one file: those of accounts that no listing is for would not be there.
        lidos=lidos[(lidos["lista"] == "cobrancas") | lidos["conta_id"].isin(passadas["conta_id"].dropna())],
        rejeitados=pd.DataFrame({"lista": [], "id": []}),
        desvio_relogio=0,
        dialeto=(),
        controle_raw=control,
        passadas=passadas,
        vencidos=list_overdue(payloads) if current else None,
        composto_evidence=built.evidence,
        diferencas=built.diferencas,
        compostos=compare_composites(read.conformed),
        conflitos_saldo_inicial=built.conflitos_saldo_inicial,
    )
    return Books(built.core, read.position, before, inputs, _Reports(read.position, before))


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


def with_linhas(books: Books, linhas: pd.DataFrame) -> Books:
    """Exchange `core.linhas` and build everything that follows from it; the raw records' control totals stay."""
    core = replace(books.core, linhas=linhas.reset_index(drop=True))
    position = take_position(books, core)
    return replace(books, core=core, position=position, reports=_Reports(position, books.before))


def check_books(books: Books, **evidence: Any) -> dict[str, Verification]:
    results = run_checks(books.position, replace(books.inputs, **evidence), books.reports.values())
    return {result.id: result for result in results}


def check_rule(books: Books, rule: str, **evidence: Any) -> Verification:
    """Check one rule alone; the reports are built only for those that look at them."""
    return RULES[rule].verify(_see(books, evidence, with_reports=RULES[rule].about is About.FIGURES))


def is_noticed(books: Books, *, code: str = "R15", like: Books | None = None, **evidence: Any) -> bool:
    """Tell whether any rule but V13 (9003 fails it on purpose) fails, asking those of one report first.

    Args:
        books: what is judged.
        code: the report that is damaged; R15 for the records.
        like: books of the same position, whose records are laid out already.
        evidence: other evidence than the books hold.
    """
    if code == "R15" and any(not _holds(rule, _see(books, evidence, with_reports=False)) for rule in RECORD_RULES):
        return True
    checked = _see(books, evidence)
    if like is not None:
        assert like.position is books.position
        like.proof.show(table for report in checked.reports.values() for table in report.tables)
        vars(checked)["proof"] = like.proof
    return any(not _holds(rule.id, checked) for rule in sorted(RULES.values(), key=lambda rule: rule.report != code))


def _see(books: Books, evidence: Mapping[str, Any], *, with_reports: bool = True) -> Checked:
    reports = {report.sheet: report for report in books.reports.values()} if with_reports else {}
    return Checked(books.position, replace(books.inputs, **evidence), reports)


def _holds(rule: str, checked: Checked) -> bool:
    return rule == "V13" or not RULES[rule].verify(checked).failed


def failing(results: Mapping[str, Verification]) -> set[str]:
    """What fails beside V13, which the golden data fail on purpose (9003)."""
    return {name for name, result in results.items() if result.failed} - {"V13"}


def build_reports(position: Position, before: Position | None) -> dict[str, Report]:
    """Build every report that the checks look at, by code; without settings, so without scenarios."""
    runs = {} if before is None else {1: before.data_extracao}
    view = view_of(
        position,
        before=before,
        forecasts=plan_forecasts(position.data_base, runs),
        runs={} if before is None else {1: before},
    )
    whole = {spec.code: spec.build(view) for spec in REPORTS if spec.stage is not Stage.VERDICT}
    return {code: built if isinstance(built, Report) else built[0] for code, built in whole.items()}


def _detail(lancamentos: list[Payload], forma: str) -> Payload:
    """The composite's row as `GET /v1/lancamentos/1007` shows it: shape B nests the siblings only in the detail."""
    rows = {row["id"]: row for row in lancamentos}
    if forma != "B":
        return rows[1007]
    nested = [{name: rows[key][name] for name in ("id", "valor", "categoria_id", "descricao")} for key in (1008, 1009)]
    return {**rows[1007], "itens_adicionais": nested}


def list_overdue(payloads: Payload) -> pd.DataFrame:
    """The rows of `tipo=PA` and `tipo=RA`, by sign, zero values too, as a service would filter them."""
    day = payloads["data_base"]
    rows = [
        (
            "PA" if row["valor"].startswith("-") else "RA",
            row["conta_id"],
            row["id"],
            int(Decimal(row["valor"]).scaleb(2)),
            row["lancamento_transferencia_id"] or None,
        )
        for row in payloads["lancamentos"]
        if row["conta_id"] and not row["data_pagamento"] and date.fromisoformat(row["data_vencimento"]) < day
    ]
    return overdue_frame(rows)


def overdue_frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    names = ["tipo", "conta_id", "lancamento_id", "valor_centavos", "lancamento_transferencia_id"]
    types = {"conta_id": "Int64", "lancamento_id": "int64", "valor_centavos": "int64"}
    return pd.DataFrame(rows, columns=names).astype({**types, "lancamento_transferencia_id": "Int64"})


def make_passes(payloads: Payload) -> pd.DataFrame:
    """Proved passes of every listing, and the service's count of charges per status."""
    rows = [(f"{'lancamentos'}", conta["conta_id"], 1, *_counts(payloads, conta["conta_id"])) for conta in
            payloads["contas"]]  # fmt: skip
    total = len(payloads["cobrancas"])
    rows.append(("cobrancas", None, 1, total, total, 0, total, "provada"))
    for slug in ("pendente", "cliente_pagou", "transferido"):
        count = sum(charge_status(row["status_descricao"], cancelled=False) == slug for row in payloads["cobrancas"])
        rows.append((f"cobrancas:status={slug}", None, 1, count, 0, 0, count, "provada"))
    return passes_frame(rows)


def _counts(payloads: Payload, conta_id: int) -> tuple[int, int, int, int, str]:
    count = sum(row["conta_id"] == conta_id for row in payloads["lancamentos"])
    return count, count, 0, count, "provada"


def passes_frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(PASS_COLUMNS))
    return frame.astype({"conta_id": "Int64", "contagem_antes": "Int64", "contagem_depois": "Int64"})


def golden_empresa(payloads: Payload) -> Empresa:
    return make_empresa(payloads["contas"], payloads["parametros"])
