"""Companies at the edge: whatever a service may hold runs from pages to workbook, bounded and without an exception."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from lastro.catalogue import Catalogue, build_catalogue
from lastro.errors import AmountsTooLarge
from lastro.export.xlsx import render_workbook
from lastro.grid.tables import Table
from lastro.grid.workbook import Report, Stamp, Workbook, tables_of
from lastro.reports.view import View
from lastro.transform.position import Position
from lastro.warehouse.file.report_tables import write_report_table
from lastro.warehouse.loading.control import read_control_totals
from tests import books
from tests.golden import dataset
from tests.marks import thinned
from tests.unit.quality.checked_books import take_control, take_reading

Payload = dict[str, Any]
LISTS = ("lancamentos", "cobrancas", "categorias", "clientes", "fornecedores")
DAY = dataset.DATA_BASE
BIG = 10**17


@dataclass(frozen=True)
class Outcome:
    """What a company became: its position, its catalogue, and what SQL and the workbook hold of it."""

    position: Position
    catalogue: Catalogue
    stored: dict[str, list[tuple[Any, ...]]]
    balances: list[tuple[Any, ...]]
    workbook: Path

    @property
    def reports(self) -> dict[str, Report]:
        return {report.code: report for report in self.catalogue.reports}

    def table(self, name: str) -> Table:
        return next(table for table in tables_of(self.catalogue.reports) if table.name == name)


def golden(**changes: Any) -> dict[str, Any]:
    payloads = dataset.payloads()
    return {name: changes.get(name, payloads[name]) for name in LISTS}


def entries(*ids: int, **changes: Any) -> list[Payload]:
    """Golden entries, all or those named, with the changes."""
    return [{**entry, **changes} for entry in dataset.lancamentos() if not ids or entry["id"] in ids]


def run_through(
    folder: Path,
    payloads: Mapping[str, Any],
    *,
    contas: Sequence[Mapping[str, Any]] = dataset.CONTAS,
    day: date = DAY,
    extraction: date | None = None,
    workbook: bool = True,
    **parametros: Any,
) -> Outcome:
    """Load, report, check, store every table and write the workbook, as a run does."""
    empresa = books.make_empresa(contas, parametros)
    warehouse, built, position = books.load_books(
        folder, payloads, empresa, data_base=day, data_extracao=extraction or day
    )
    with warehouse:
        controle = read_control_totals(
            warehouse.con,
            modo=position.composto_modo,
            saldo_inicial_lancamentos=empresa.parametros.saldo_inicial_lancamentos,
            saldo_inicial_categorias=(),
        )
        assert built.core.composto_modo == position.composto_modo
        received = {"controle": take_control(controle), "leitura": take_reading()}
        catalogue = build_catalogue(View(position, empresa), received)
        stored = {}
        for table in tables_of(catalogue.reports):
            write_report_table(warehouse, table)
            stored[table.name] = warehouse.query(f"FROM mart.{table.name}")
        for macro in ("linhas_em", "titulos_em"):
            warehouse.query(f"FROM mart.{macro}(DATE '{day}')")
        balances = [row[:3] for row in warehouse.query(f"FROM mart.saldos_em(DATE '{day}') ORDER BY conta_id")]
    stamp = Stamp("Ouro", day, datetime(2026, 3, 16, 6), "BRT", 1, 2, 2)  # noqa: DTZ001 - naive local
    path = folder / "livro.xlsx"
    if workbook:
        render_workbook(Workbook("gerencial", stamp, catalogue.sheets), path)
        assert len(load_workbook(path, read_only=True).sheetnames) >= len(catalogue.sheets)
    assert stored.keys() == {table.name for table in tables_of(catalogue.reports)}
    assert all(len(stored[table.name]) == len(table.rows) for table in tables_of(catalogue.reports))
    assert [check.id for check in catalogue.errors] == []
    return Outcome(position, catalogue, stored, balances, path)


def category(number: int, tipo: int, parent: int | None = None, **changes: Any) -> Payload:
    return {**dataset._categoria(number, f"Categoria {number}", tipo, parent), **changes}


ONE = entries(1001)
CASES: dict[str, dict[str, Any]] = {
    "everything empty, no account": {"payloads": dict.fromkeys(LISTS, ()), "contas": ()},
    **{f"no {name}": {"payloads": golden(**{name: []})} for name in LISTS},
    "no people": {"payloads": golden(clientes=[], fornecedores=[])},
    "only transfers": {"payloads": golden(lancamentos=entries(1005, 1006))},
    "only zero values": {"payloads": golden(lancamentos=entries(1001, 1013, 1015, valor="0.00"), cobrancas=[])},
    "only paid": {"payloads": golden(lancamentos=[row for row in entries() if row["data_pagamento"]])},
    "only open": {"payloads": golden(lancamentos=[row for row in entries() if not row["data_pagamento"]])},
    "one paid entry": {"payloads": {**dict.fromkeys(LISTS, ()), "lancamentos": ONE}},
    "one open entry": {"payloads": {**dict.fromkeys(LISTS, ()), "lancamentos": entries(1001, data_pagamento=None)}},
    "nenhuma conta configurada": {"payloads": golden(), "contas": ()},
    "accounts without opening balance": {"payloads": golden(), "contas": ({"conta_id": 101}, {"conta_id": 102})},
    "control begins after D": {
        "payloads": golden(),
        "contas": ({"conta_id": 101, "data_saldo_inicial": "2026-12-01", "valor_saldo_inicial": "10.00"},),
    },
    "D before all data": {"payloads": golden(), "day": date(2020, 1, 1), "extraction": DAY},
    "D on 29 February": {"payloads": golden(), "day": date(2024, 2, 29), "extraction": DAY},
    "D on 31 December": {"payloads": golden(), "day": date(2026, 12, 31)},
}


@pytest.mark.longo
@pytest.mark.parametrize("name", CASES)
def test_any_company_runs_through(tmp_path: Path, name: str) -> None:
    run_through(tmp_path, **CASES[name])


@pytest.mark.longo
def test_an_empty_company_says_so(tmp_path: Path) -> None:
    outcome = run_through(tmp_path, dict.fromkeys(LISTS, ()))
    assert [row[0] for row in outcome.stored["lancamentos"]] == []
    assert outcome.stored["a_pagar"] == []
    assert outcome.stored["a_receber"] == []
    # The opening balances are all that exists.
    assert [row[-1] for row in outcome.balances] == [Decimal("10000.00"), Decimal("2000.00")]


TYPOS = tuple(
    product(("data_vencimento", "data_pagamento", "data_competencia"), ("1900-01-05", "2199-12-31")),
)


@pytest.mark.parametrize(
    ("field", "typo"),
    thinned(TYPOS, default=()),
)
def test_a_typo_of_a_date_stays_one_odd_entry(tmp_path: Path, field: str, typo: str) -> None:
    rows = [{**row, field: typo} if row["id"] in (1004, 1011, 1010) else row for row in entries()]
    outcome = run_through(tmp_path, golden(lancamentos=rows), workbook=False)
    # 300 years are 3,600 months and 110,000 days: neither may become a row or a column of a report.
    plain = sum(len(table.rows) for table in tables_of(outcome.catalogue.reports))
    assert plain < 4_000
    assert max(len(section.columns) for report in outcome.catalogue.reports for section in report.sections) < 100
    paid = sum(row["valor_centavos"] for row in outcome.position.linhas.to_dict("records") if row["caixa"])
    total = sum(Decimal(str(row[-1])) for row in outcome.balances if row[-1] is not None)
    assert total == Decimal(12_000) + Decimal(int(paid)).scaleb(-2)


@pytest.mark.parametrize("used", thinned((60, 625), default=()))
def test_thousands_of_categories_eight_levels_deep(tmp_path: Path, used: int) -> None:
    roots, number = [], count(1)
    for root in range(625):
        node = category(next(number), 1 + root % 2)
        roots.append(node)
        for _ in range(7):
            child = category(next(number), 1 + root % 2, node["id"])
            node["categorias_filhas"] = [child]
            node = child
    rows = [
        dataset._lancamento(5000 + i, 101, 8 * i + 8, 501, f"{i + 1}.10", "2026-03-10", "2026-03-10", "2026-03-01")
        for i in range(used)
    ]
    outcome = run_through(tmp_path, golden(lancamentos=rows, categorias=roots, cobrancas=[]), workbook=False)
    assert len(outcome.position.categorias) == 5000
    assert outcome.position.categorias["nivel"].max() == 7
    # 1.10 + 2.10 + ..., whatever the tree does with it
    assert outcome.position.linhas["valor_centavos"].sum() == 100 * (used * (used + 1) // 2) + used * 10


TEXTS = ("=1+1", "+2", "-3", "@x", "x" * 40_000, "a\x00b\x07\x0b\u2028", "🎉 ok", "_x0041_", "'", "\t=x", "\uffff")


def demand_no_live_formula(workbook: Path) -> None:
    found = set()
    for sheet in load_workbook(workbook, read_only=True):
        for cells in sheet.iter_rows():
            for cell in cells:
                if isinstance(cell.value, str) and cell.value in TEXTS:
                    assert cell.data_type != "f", f"{sheet.title}!{cell.coordinate} is a live formula"
                    found.add(cell.value)
    assert {"=1+1", "+2", "-3", "@x"} <= found


@pytest.mark.longo
def test_entries_without_account_and_names_of_categories_that_nobody_would_give(tmp_path: Path) -> None:
    tree = [category(11, 2, descricao="=x"), category(21, 1, descricao="y" * 40_000), category(20, 1, descricao="")]
    run_through(tmp_path, golden(lancamentos=entries(conta_id=None), categorias=tree))


IDS = ("id", "grupo_id", "lancamento_transferencia_id", "categoria_id", "centro_custo_lucro_id", "conta_id",
       "pessoa_id", "lancamento_composto_id", "parent_id", "cliente_id")  # fmt: skip


def enlarge(record: Payload) -> Payload:
    """Move every id of a record near 10^17, where a float has gaps of 16."""
    moved = {name: value + BIG if name in IDS and value else value for name, value in record.items()}
    if "lancamento_ids" in moved:
        moved["lancamento_ids"] = str(int(moved["lancamento_ids"]) + BIG)
    for nested in ("itens_adicionais", "categorias_filhas"):
        if nested in moved:
            moved[nested] = [enlarge(child) for child in moved[nested]]
    return moved


def shrink(value: Any) -> Any:
    """Undo `enlarge` in a cell: ids as numbers, and ids inside texts."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > BIG // 2:
        return value - BIG if value > 0 else value + BIG
    if isinstance(value, str):
        return re.sub(r"(?<!\d)1\d{17}\b", lambda found: str(int(found[0]) - BIG), value)
    return value


def test_ids_near_ten_to_the_seventeenth_are_exact_whatever_texts_stand_beside_them(tmp_path: Path) -> None:
    """The texts are those that spreadsheets and SQL choke on."""
    rows = entries()
    for row, text in zip(rows, TEXTS * 2, strict=False):
        # What the client lands holds no NUL: `lastro.api.bodies` drops it.
        clean = text.replace("\x00", "")
        row.update(descricao=clean, observacao=clean, documento=clean)
    people = [{**person, "nome": text} for person, text in zip(dataset.pessoas(), TEXTS[:1] + TEXTS[4:], strict=False)]
    people[2]["nome"] = "a\x07b"
    given = golden(lancamentos=rows, clientes=people, fornecedores=[])
    small = run_through(tmp_path / "a", given, workbook=False)
    moved = {name: [enlarge(record) for record in records] for name, records in given.items()}
    large = run_through(tmp_path / "b", moved, contas=[enlarge(dict(conta)) for conta in dataset.CONTAS])
    demand_no_live_formula(large.workbook)
    for name, wanted in small.stored.items():
        if name.startswith(("resumo", "achados", "verificacoes", "conferencias")):
            continue  # widths of printed ids differ
        assert [tuple(map(shrink, row)) for row in large.stored[name]] == wanted, name


def test_an_amount_at_the_limit_of_the_column_is_refused_by_name(tmp_path: Path) -> None:
    rows = [{**row, "valor": "9999999999999999.99"} if row["id"] == 1001 else row for row in entries()]
    with pytest.raises(AmountsTooLarge, match=r"lançamentos somam .* ids 1001, "):
        run_through(tmp_path, golden(lancamentos=rows))


def test_sums_beyond_int64_never_wrap(tmp_path: Path) -> None:
    # Ten of them are 10^20 centavos: int64 would wrap to a plausible figure.
    rows = [
        dataset._lancamento(5000 + i, 101, 11, 501, "9999999999999999.99", "2026-03-10", None, None) for i in range(10)
    ]
    with pytest.raises(AmountsTooLarge, match="Nada foi trocado"):
        run_through(tmp_path, golden(lancamentos=rows))


@pytest.mark.longo
def test_the_largest_amounts_that_are_let_in_are_exact(tmp_path: Path) -> None:
    # Just below R$ 100 trillion in all, a century overdue: fees of 1,500% still fit.
    rows = entries(1011, valor="99999999999998.99", data_vencimento="1900-01-05")
    outcome = run_through(tmp_path, golden(lancamentos=rows, cobrancas=[]), workbook=False)
    titulo = outcome.position.titulos.iloc[0]
    assert titulo["valor_centavos"] == 9_999_999_999_999_899
    # 2% of it, half up; 1% a month over 30 days, for each day since the due date (5 January 1900, a Friday)
    days = (DAY - date(1900, 1, 5)).days
    assert titulo["multa_centavos"] == (9_999_999_999_999_899 * 2 + 50) // 100
    assert titulo["juros_centavos"] == (2 * 9_999_999_999_999_899 * days + 3000) // 6000
