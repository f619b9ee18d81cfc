"""The stack that a data engineer would build for the same reports: dlt, dbt, Dagster, XlsxWriter, in one job.

`python -m tests.tools.benchmarks.stack BASE_URL FOLDER` asks for what a run of lastro asked (`asked.json` beside the
folder), loads it with dlt (flat resources, Parquet), builds and tests its models with dbt within the process, and
writes as many cells as `gerencial` and `dados` of that run have, sheet by sheet, with header, formats, filter and two
charts. Dagster runs it as one job of assets and checks and keeps its records in SQLite, as it does of a run. Each is as
one tunes it. It needs nothing of lastro, and does less: no proof of completeness, history, desks, page, closing, group,
publication, nor an explanation of a figure.

It runs in an environment of its own: `pip install "dlt[duckdb,parquet]" "dbt-core<1.12" dbt-duckdb dagster XlsxWriter
httpx`. A second call with the same folder is its second morning: what dbt parsed is there.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import httpx

from tests.tools.benchmarks.peers import ask_again, count_cells, find_asked, name_list, take_rows

NEEDED: Final = {
    "dlt": '"dlt[duckdb,parquet]"',
    "dbt": '"dbt-core<1.12"',
    "dbt.adapters.duckdb": "dbt-duckdb",
    "dagster": "dagster",
    "xlsxwriter": "XlsxWriter",
}
"""What is imported -> what pip calls it."""
DAY: Final = "2026-11-20"
LISTS: Final = ("lancamentos", "cobrancas", "categorias", "clientes", "fornecedores", "classificacoes")
SQL: Final = {
    name: text.strip()
    for name, text in re.findall(
        r"^-- (\w+)\n(.*?)(?=^-- \w+\n|\Z)",
        Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
}
"""Name -> what dbt builds under it."""
VIEWS: Final = tuple(name for name in SQL if name.startswith("stg_") or name in ("pagos", "abertos"))
MODELS: Final = tuple(name for name in SQL if name not in VIEWS)
UNIQUE: Final = {
    "linhas": "id", "calendario": "dia", "fluxo_diario": "dia", "fluxo_total": "mes", "treze_semanas": "semana",
    "resultado": "mes", "a_receber": "id", "a_pagar": "id", "faixas_receber": "faixa", "faixas_pagar": "faixa",
    "cobrancas": "id", "saldos": "conta_id", "recorrentes": "grupo_id",
}  # fmt: skip
"""Keys: each is tested to be unique and not null."""
SUMS: Final = {
    "fluxo_diario": ("{fluxo_diario}", "{pagos}"),
    "fluxo_semanal": ("{fluxo_semanal}", "{pagos}"),
    "fluxo_mensal": ("{fluxo_mensal}", "{fluxo_total}"),
    "fluxo_contas": ("{fluxo_contas}", "{fluxo_total}"),
    "saldos": ("(SELECT saldo AS valor FROM {saldos})", "{pagos}"),
    "dre": ("{dre}", "{competencia}"),
    "resultado": ("{resultado}", "{dre}"),
    "faixas_receber": ("{faixas_receber}", "{a_receber}"),
    "faixas_pagar": ("{faixas_pagar}", "{a_pagar}"),
    "receber_pessoas": ("{receber_pessoas}", "{a_receber}"),
    "cobrancas": ("{cobrancas_status}", "{cobrancas}"),
}
"""Sums that must be equal to the centavo."""

EQUAL: Final = "SELECT 1 WHERE (SELECT coalesce(sum(valor), 0) FROM {}) <> (SELECT coalesce(sum(valor), 0) FROM {})"


def load(base_url: str, folder: Path) -> None:
    """Load what was asked for with dlt: a flat resource of each list, replaced at each load."""
    import dlt  # type: ignore[import-not-found] # a peer, not a dependency

    targets: dict[str, list[str]] = {name: [] for name in LISTS}
    for target in find_asked(folder):
        name = name_list(target)
        if name in targets and not re.search(r"/[0-9]+\?|tipo=", target):
            targets[name].append(target)
    with httpx.Client(base_url=base_url, timeout=120) as client:

        def read(own: list[str]) -> Iterator[list[dict[str, Any]]]:
            for target in own:
                yield take_rows(ask_again(client, target))

        pipeline = dlt.pipeline(
            "pilha",
            pipelines_dir=str(folder / "dlt"),
            destination=dlt.destinations.duckdb(str(folder / "pilha.duckdb")),
            dataset_name="livros",
        )
        resources = [
            dlt.resource(read(own), name=name, write_disposition="replace", max_table_nesting=0, columns=COLUMNS)
            for name, own in targets.items()
        ]
        pipeline.run(resources, loader_file_format="parquet")


COLUMNS: Final = {
    name: {"data_type": "text", "nullable": True}
    for name in (
        "data_pagamento", "data_vencimento", "data_competencia", "data_transferido", "observacao", "documento",
        "periodicidade", "email", "telefone", "link_publico", "lancamento_ids",
    )
}  # fmt: skip
"""Columns that a small company may have nothing in."""


def write_project(folder: Path) -> Path:
    """Write the project of dbt; files that stand there already as they should be are left."""
    project = folder / "dbt"
    names = {"D": DAY, **{name: f"{{{{ ref('{name}') }}}}" for name in SQL}}
    files = {
        "dbt_project.yml": "name: pilha\nversion: 1.0.0\nprofile: pilha\n",
        "profiles.yml": "pilha: {target: um, outputs: {um: {type: duckdb, threads: 2, path: "
        + json.dumps(str(folder / "pilha.duckdb"))
        + "}}}\n",
        "models/chaves.yml": "models:\n"
        + "".join(
            f"- name: {model}\n  columns: [{{name: {key}, data_tests: [unique, not_null]}}]\n"
            for model, key in UNIQUE.items()
        ),
        **{
            f"models/{name}.sql": f"{{{{ config(materialized='{'view' if name in VIEWS else 'table'}') }}}}\n"
            + sql.format(**names)
            for name, sql in SQL.items()
        },
        **{
            f"tests/soma_{name}.sql": EQUAL.format(*(side.format(**names) for side in sides))
            for name, sides in SUMS.items()
        },
    }
    for name, text in files.items():
        path = project / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return project


def build(folder: Path) -> dict[str, bool]:
    """Build and test all models with dbt, within this process: node -> whether it went well."""
    from dbt.cli.main import dbtRunner  # type: ignore[import-not-found] # a peer, not a dependency

    project = write_project(folder)
    asked = ["build", "--quiet", "--project-dir", str(project), "--profiles-dir", str(project)]
    answer = dbtRunner().invoke(asked)
    if answer.exception is not None:
        raise answer.exception
    failed = [f"{one.node.name}: {one.message}" for one in answer.result if one.status not in ("success", "pass")]
    if failed:
        raise RuntimeError("; ".join(failed))
    return {one.node.name: True for one in answer.result}


def write_workbook(folder: Path) -> int:
    """Write a sheet of each model, and of the entries again until there are as many cells as in lastro's workbooks."""
    import duckdb
    import xlsxwriter  # type: ignore[import-not-found] # a peer, not a dependency

    found = [sorted((folder.parent / "dados").glob(f"*/relatorios/{kind}_*")) for kind in ("gerencial", "dados")]
    wanted = sum(rows * columns for paths in found for path in paths[-1:] for rows, columns in count_cells(path))
    options = {"constant_memory": True, "default_date_format": "dd/mm/yyyy", "remove_timezone": True}
    written = 0
    with (
        duckdb.connect(str(folder / "pilha.duckdb")) as con,
        xlsxwriter.Workbook(str(folder / "pilha.xlsx"), options) as book,
    ):
        looks = {
            "head": book.add_format({"bold": True, "bg_color": "#1F4E78", "font_color": "white", "text_wrap": True}),
            "money": book.add_format({"num_format": '#,##0.00;[Red]-#,##0.00;"–"'}),
        }
        for name in MODELS:
            written += _write_sheet(book, looks, name, con.execute(f"FROM {name}"))
        for number, kind in enumerate(("line", "column")):
            chart = book.add_chart({"type": kind})
            chart.add_series({"categories": "=fluxo_total!$A$2:$A$25", "values": "=fluxo_total!$D$2:$D$25"})
            book.get_worksheet_by_name("indicadores").insert_chart(5 + 20 * number, 1, chart)
        columns = len(con.execute("FROM linhas LIMIT 0").description or ())
        for number in range(1, 1_000):
            if (rows := (wanted - written) // columns) <= 0:
                break
            entries = con.execute(f"FROM linhas LIMIT {min(rows, 1_000_000)}")
            written += _write_sheet(book, looks, f"linhas_{number}", entries)
    return written


def _write_sheet(book: Any, looks: dict[str, Any], name: str, answer: Any) -> int:
    """Write what a statement returns as a table with a filter, and count its cells."""
    headers = [column[0] for column in answer.description]
    formats = [looks["money"] if "DECIMAL" in str(column[1]) else None for column in answer.description]
    sheet = book.add_worksheet(name)
    sheet.freeze_panes(1, 1)
    sheet.set_column(0, len(headers) - 1, 16)
    sheet.write_row(0, 0, headers, looks["head"])
    rows = 0
    while block := answer.fetchmany(10_000):
        for row, values in enumerate(block, rows + 1):
            for column, value in enumerate(values):
                if value is not None:
                    sheet.write(row, column, value, formats[column])
        rows += len(block)
    sheet.autofilter(0, 0, max(rows, 1), len(headers) - 1)
    return (rows + 1) * len(headers)


def run(base_url: str, folder: Path) -> int:
    """Make a morning: one job of assets and checks, with records in SQLite. Returns the cells written."""
    import dagster as dg

    tests = [*(f"soma_{name}" for name in SUMS), *(f"chave_{name}" for name in UNIQUE)]

    @dg.multi_asset(specs=[dg.AssetSpec(f"livros_{name}") for name in LISTS], name="carga")
    def loaded():
        load(base_url, folder)
        for name in LISTS:
            yield dg.MaterializeResult(f"livros_{name}")

    @dg.multi_asset(
        specs=[dg.AssetSpec(name, deps=[f"livros_{one}" for one in LISTS]) for name in MODELS],
        check_specs=[dg.AssetCheckSpec(test, asset=test.partition("_")[2]) for test in tests],
        name="modelos",
    )
    def models():
        built = build(folder)
        for name in MODELS:
            yield dg.MaterializeResult(name, metadata={"ok": built[name]})
        for test in tests:
            asset = test.partition("_")[2]
            yield dg.AssetCheckResult(passed=True, asset_key=asset, check_name=test)

    @dg.asset(deps=[*MODELS], name="planilha")
    def workbook():
        return dg.MaterializeResult(metadata={"cells": write_workbook(folder)})

    home = Path(os.environ["DAGSTER_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    with dg.DagsterInstance.get() as instance:
        done = dg.materialize([loaded, models, workbook], instance=instance)
        (told,) = done.asset_materializations_for_node("planilha")
    return int(str(told.metadata["cells"].value))


def find_missing() -> list[str]:
    """Name the packages that are not there, as pip calls them."""
    missing = []
    for module, package in NEEDED.items():
        try:
            found = find_spec(module) is not None
        except ModuleNotFoundError:
            found = False
        missing += [] if found else [package]
    return missing


def main() -> None:
    """Make a morning, or say what it needs."""
    if missing := find_missing():
        raise SystemExit(f"this environment lacks {', '.join(missing)}: pip install {' '.join(missing)}")
    base_url, folder = sys.argv[1], Path(sys.argv[2])
    os.environ |= {
        "DAGSTER_HOME": str(folder / "dagster"),
        "RUNTIME__DLTHUB_TELEMETRY": "false",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    print(run(base_url, folder))  # noqa: T201 - what it is for


if __name__ == "__main__":
    main()
