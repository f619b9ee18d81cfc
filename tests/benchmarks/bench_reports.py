"""How long a company takes from landed pages to workbook; not collected by pytest.

`python -m tests.benchmarks.bench_reports [entries] [--each] [--antes] [--xlsx]`; `--each` measures every report by
itself instead of the whole catalogue, `--antes` records a run of a month before, so that R13 and R14 have something to
compare, `--xlsx` also writes the workbook. Another process builds a synthetic company (composites, transfers, charges,
people, overdue entries, four accounts), the same at every call, and lands it as an extraction would; this one does what
a run does from there and prints the seconds of each stage and, after it, its own memory and the peak so far. Times of a
machine shared with others swing: compare the CPU seconds.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from lastro import catalogue
from lastro.analysis.changes import compare_reports
from lastro.analysis.forecast_accuracy import plan_forecasts
from lastro.calendar import build_calendar
from lastro.export.xlsx import render_workbook
from lastro.grid.model import Report
from lastro.grid.workbook import Stamp, Workbook
from lastro.quality.evidence import Checked, CheckInputs
from lastro.quality.findings import find_findings, lay_out_noticed
from lastro.quality.registry import About, judge
from lastro.reports.registry import REPORTS
from lastro.reports.spec import Phase
from lastro.reports.view import View
from lastro.settings import Empresa
from lastro.transform.core import build_core
from lastro.transform.position import Core, Position, build_position
from lastro.warehouse.file.macros import create_macros
from lastro.warehouse.file.report_tables import write_report_table
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.loading.conformer import conform_run
from lastro.warehouse.loading.control import read_control_totals
from lastro.warehouse.loading.due_dates import read_due_dates
from lastro.warehouse.loading.history import read_forecast_core, record_history
from lastro.warehouse.loading.runs import write_parameters
from tests import books
from tests.golden import dataset
from tests.unit.quality.checked_books import take_control, take_reading

T = TypeVar("T")
DATA_BASE = date(2026, 3, 16)
BEFORE = date(2026, 2, 16)
"""Day of the run before, with `--antes`."""
FIRST_DAY = date(2023, 1, 2)
DAYS = 1_300
PEOPLE, CATEGORIES = 2_000, 120
PAGE = 500
ACCOUNTS = [
    {"conta_id": 101, "descricao": "Banco", "data_saldo_inicial": "2023-01-01", "valor_saldo_inicial": "10000.00"},
    {"conta_id": 102, "descricao": "Poupança", "data_saldo_inicial": "2024-01-01", "valor_saldo_inicial": "500.00"},
    {"conta_id": 103, "descricao": "Cartão", "tipo": "cartao"},
]
"""Account 104 is seen in the entries only."""
CALENDARIO = build_calendar(())


def make_entries(count: int, rng: random.Random, day: date) -> Iterator[dict[str, Any]]:
    """Make entries as of a day: 6% transfers, 10% heads or rows of composites, about 12% open, a third of it late."""
    entry_id = 0
    while entry_id < count:
        entry_id += 1
        due = FIRST_DAY + timedelta(days=rng.randrange(DAYS))
        paid = due + timedelta(days=rng.choice((0, 0, 0, 1, 3, 40))) if rng.random() < 0.96 else None
        if paid is not None and paid > day:
            paid = None
        competence = due.replace(day=1) - timedelta(days=rng.choice((0, 0, 15)))
        entry = dataset._lancamento(
            entry_id,
            rng.choice((101, 101, 101, 102, 103, 104)),
            1 + rng.randrange(CATEGORIES),
            1 + rng.randrange(PEOPLE) if rng.random() < 0.9 else None,
            f"{rng.choice((-1, 1)) * rng.randrange(100, 2_000_000) / 100:.2f}",
            due.isoformat(),
            None if paid is None else paid.isoformat(),
            None if rng.random() < 0.1 else competence.isoformat(),
            descricao=f"Fornecimento {rng.randrange(3_000)} de material",
            documento=f"NF {entry_id}",
            centro_custo_lucro_id=rng.choice((None, 201, 202, 203)),
            forma_pagamento_id=rng.choice((301, 302, 303)),
            tags=[{"id": rng.randrange(1, 9)}] if rng.random() < 0.2 else [],
            pagamento_automatico=rng.random() < 0.05,
        )
        chance = rng.random()
        if chance < 0.03:
            value = entry["valor"].lstrip("-")
            entry.update(conta_id=101, categoria_id=None, pessoa_id=None, valor=f"-{value}", tags=[])
            other = dict(entry, id=entry_id + 1, conta_id=102, valor=value, lancamento_transferencia_id=entry_id)
            entry["lancamento_transferencia_id"] = entry_id + 1
            yield entry
            yield other
            entry_id += 1
            continue
        if chance < 0.08:
            entry["lancamento_composto_id"] = 10_000_000 + entry_id
            entry["itens_adicionais"] = [
                {
                    "id": 20_000_000 + 10 * entry_id + place,
                    "descricao": "Item",
                    "valor": f"{rng.randrange(-90_000, 90_000) / 100:.2f}",
                    "categoria_id": 1 + rng.randrange(CATEGORIES),
                    "lancamento_composto_id": 10_000_000 + entry_id,
                    "tags": [],
                }
                for place in range(rng.choice((1, 2, 3)))
            ]
        elif chance < 0.13:
            group = 30_000_000 + rng.randrange(max(count // 200, 1))
            entry.update(
                grupo_id=group, numero_repeticao=1 + rng.randrange(12), total_repeticoes=12, periodicidade="M1"
            )
        yield entry


def make_charges(entries: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    """Make one charge for every fifth receivable."""
    charges = []
    for entry in entries:
        if entry["valor"].startswith("-") or entry["lancamento_transferencia_id"] or rng.random() > 0.2:
            continue
        paid = entry["data_pagamento"]
        state = {"status_id": 1, "status_descricao": "Pendente"}
        if paid is not None:
            state = {"status_id": 4, "status_descricao": "Transferido", "valor_pago": entry["valor"],
                     "data_a_transferir": paid, "data_transferindo": paid, "data_transferido": paid}  # fmt: skip
        elif rng.random() < 0.1:
            state["data_cancelamento"] = "2026-03-01"
        key, payer = entry["id"], entry["pessoa_id"] or 1
        charge = dataset._cobranca(
            40_000_000 + key, entry["valor"], str(key), 301, payer, entry["data_vencimento"], valor_taxa="-3.50"
        )
        charges.append({**charge, **state})
    return charges


def make_company(count: int, day: date) -> dict[str, Any]:
    """Make a company of so many entries as of a day, the same at every call; another day only changes payments."""
    rng = random.Random(count)  # noqa: S311 - not a secret
    entries = list(make_entries(count, rng, day))
    people = [
        dataset._pessoa(number, f"Pessoa {number}", f"{number:014d}", cliente=True, fornecedor=number % 2 == 0)
        for number in range(1, PEOPLE + 1)
    ]
    roots = [dataset._categoria(number, f"Grupo {number}", 1 + number % 2, None) for number in range(1, 11)]
    for number in range(11, CATEGORIES + 1):
        root = roots[number % 10]
        child = dataset._categoria(number, f"Categoria {number}", root["tipo_categoria_id"], root["id"])
        root["categorias_filhas"].append(child)
    return {
        "lancamentos": entries,
        "cobrancas": make_charges(entries, rng),
        "categorias": roots,
        "clientes": people,
        "fornecedores": [person for person in people if person["fornecedor"]],
    }


def land(folder: Path, count: int, day: date) -> None:
    """Write the lists of a company of so many entries as an extraction lands them."""
    folder.mkdir()
    for lista, rows in make_company(count, day).items():
        with gzip.open(folder / f"{lista}.jsonl.gz", "wt", encoding="utf-8", compresslevel=1) as lines:
            for number, start in enumerate(range(0, max(len(rows), 1), PAGE), 1):
                page = {"no": number, "origem": f"/v1/{lista}", "extraido_em": "2026-03-16T09:05:00Z"}
                lines.write(json.dumps({**page, "rows": rows[start : start + PAGE]}) + "\n")


def tell(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def measure(name: str, work: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Run a stage and print what it took."""
    start, cpu = time.perf_counter(), time.process_time()
    result = work(*args, **kwargs)
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    held = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20
    tell(f"{name:22}{wall:8.2f} s {cpu:8.2f} s CPU {held:8.0f} MB held {peak:8.0f} MB peak")
    return result


def load(warehouse: Warehouse, pages: Path, number: int, day: date, empresa: Empresa) -> None:
    """Load the landed pages of a run and record them."""
    warehouse.insert(
        "ops.execucoes",
        [{"execucao_id": number, "data_base": day, "data_extracao": day, "situacao": "completa"}],
    )
    with warehouse.transaction() as con:
        conformed = measure("conform_run", conform_run, con, [pages], number)
        built = measure("build_core", build_core, conformed, empresa)
        measure("write_core", warehouse.write_core, built.core, number, CALENDARIO)
        write_parameters(warehouse, number, {}, empresa.parametros, built.evidence)
        measure("record_history", record_history, warehouse, number)
        create_macros(warehouse, empresa.id)
    warehouse.release_memory()


def take_position(core: Core, day: date, empresa: Empresa) -> Position:
    """Take the position of a run as of its own day."""
    return build_position(core, data_base=day, data_extracao=day, parametros=empresa.parametros, calendario=CALENDARIO)


def gather_facts(warehouse: Warehouse, position: Position, empresa: Empresa, *, with_past: bool) -> catalogue.RunFacts:
    """Gather what a run gives the catalogue beside the position."""
    control = read_control_totals(warehouse.con, modo=position.composto_modo)
    inputs = CheckInputs(recebido={"controle": take_control(control), "leitura": take_reading()})
    if not with_past:
        return catalogue.RunFacts(inputs=inputs)
    forecasts = plan_forecasts(DATA_BASE, {1: BEFORE})
    since = min(forecast.period.first for forecast in forecasts)
    return catalogue.RunFacts(
        inputs=inputs,
        comparacao=compare_reports(position, take_position(warehouse.read_core(1), BEFORE, empresa)),
        previsoes=forecasts,
        posicoes={1: take_position(read_forecast_core(warehouse, 1, since), BEFORE, empresa)},
        vencimentos=read_due_dates(warehouse, 2, DATA_BASE),
    )


def measure_each(position: Position, facts: catalogue.RunFacts) -> None:
    """Measure every report, the checks and the findings, one by one."""
    view = View(position, facts=facts)
    for name in ("series", "blocks", "habits"):
        measure(name, getattr, view, name)
    figures = [
        sheet for spec in REPORTS if spec.phase is Phase.FIGURES for sheet in measure(spec.code, spec.sheets, view)
    ]
    checked = Checked(position, facts.inputs, {report.sheet: report for report in figures}, lay_out_noticed([]))
    measure("checks", judge, checked, {About.RECORDS, About.FIGURES})
    measure("findings", find_findings, checked.proof)


def write_tables(warehouse: Warehouse, reports: Iterable[Report]) -> None:
    """Write the tables of all reports as a run does."""
    with warehouse.transaction():
        for report in reports:
            for table in report.tables:
                write_report_table(warehouse, table)


def main(count: int, options: Collection[str]) -> None:
    """Measure every stage for a company of so many entries."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = [(1, BEFORE), (2, DATA_BASE)] if "--antes" in options else [(2, DATA_BASE)]
        for number, day in runs:
            # In a process of its own: what the data cost is not what a run costs.
            maker = multiprocessing.get_context("spawn").Process(target=land, args=(folder / str(number), count, day))
            maker.start()
            maker.join()
        empresa = books.make_empresa(ACCOUNTS, {"dre_mapa": {9: "fora"}})
        with Warehouse(folder) as warehouse:
            for number, day in runs:
                load(warehouse, folder / str(number), number, day, empresa)
            core = measure("read_core", warehouse.read_core)
            position = measure("build_position", take_position, core, DATA_BASE, empresa)
            tell(f"{'':22}{len(position.linhas)} linhas, {len(position.titulos)} títulos")
            facts = measure("facts", gather_facts, warehouse, position, empresa, with_past=len(runs) > 1)
            warehouse.release_memory()
            if "--each" in options:
                measure_each(position, facts)
                return
            built = measure("whole catalogue", catalogue.build_catalogue, position, empresa, facts)
            del core, position, facts
            measure("mart tables", write_tables, warehouse, built.reports)
            warehouse.release_memory()
            tell(f"{'':22}{sum(built.count_rows().values())} rows; failed: {[check.id for check in built.errors]}")
        if "--xlsx" in options:
            stamp = Stamp("Empresa", DATA_BASE, datetime(2026, 3, 16, 6, 5), "BRT", 2, 3, 4)  # noqa: DTZ001 - local
            workbook = Workbook("gerencial", stamp, built.reports)
            measure("workbook", render_workbook, workbook, folder / "livro.xlsx")


if __name__ == "__main__":
    numbers = [argument for argument in sys.argv[1:] if argument.isdecimal()]
    main(int(numbers[0]) if numbers else 300_000, set(sys.argv[1:]))
