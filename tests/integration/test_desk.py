"""What desks and spreadsheets get of a run: whom to call, links, folders, and the flat tables of `dados`.

What comes of words typed at the desks: `test_payments.py`, `test_hostile_desk.py`, and `tests/unit/desk`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
import openpyxl
import pandas as pd
import pytest

from lastro.errors import ConfigError, LastroError
from lastro.grid.sections import SheetRows
from lastro.operation.retention import plan_removals
from lastro.run.datasets import export_tables, write_dados
from lastro.run.delivery import build_stamp, publish_run
from lastro.run.order import RunOrder, RunResult
from lastro.run.stages import STAGES, run_stage
from lastro.schema.run_kinds import Modo
from lastro.settings import Excel, Settings, load_settings
from lastro.warehouse.file.dataset_views import DATASETS
from lastro.warehouse.publication.datasets import DatasetReader
from tests.desk_sheets import header_of, put, row_with, rows_of
from tests.golden import expected
from tests.marks import thinned
from tests.served import copy_golden, open_session, run_served

D = date(2026, 11, 23)
SHEETS = {"cobranca": ("Fila", "pessoa_id"), "pagamentos": ("Decidir", "titulo_id")}
"""Of each desk a sheet that is typed into, and its key."""


@dataclass
class Desk:
    """The company after its first run, and where its files are."""

    settings: Settings

    @property
    def warehouse(self) -> Path:
        return self.settings.pasta(self.settings.empresas[0]) / "lastro.duckdb"

    @property
    def folder(self) -> Path:
        return self.warehouse.parent / "relatorios"

    def workbook(self, name: str, result: RunResult | None = None) -> Path:
        if result is None:
            return self.folder / f"{name}_{D}.xlsx"
        return next(path for path in result.workbooks if path.name.startswith(name))

    def again(self, day: date = D) -> RunResult:
        return run_served(self.settings, day, modo=Modo.RECALCULO)


@pytest.fixture(scope="module")
def desk(demo_run: Path) -> Desk:
    return Desk(load_settings(demo_run / "lastro.toml", {}, demo_run))


def test_the_queue_holds_whoever_has_something_overdue_or_due_today(desk: Desk) -> None:
    with closing(duckdb.connect(str(desk.warehouse), read_only=True)) as con:
        wanted = con.execute(
            """SELECT coalesce(r.pessoa_id, 0), sum(r.valor) FILTER (WHERE r.situacao = 'Vencido'
                AND (r.cobranca IS NULL OR r.cobranca NOT LIKE 'cobrança consta paga%'))
            FROM mart.a_receber r JOIN core.titulos t USING (titulo_id)
            WHERE r.dias_de_atraso >= 0 AND NOT t.fora_resultado GROUP BY 1"""
        ).fetchall()
    found = rows_of(openpyxl.load_workbook(desk.workbook("cobranca"))["Fila"], "pessoa_id")
    assert {
        number: Decimal(str(row["Vencido efetivo"])).quantize(Decimal("0.01")) for number, row in found.items()
    } == {number: amount or Decimal("0.00") for number, amount in wanted}
    assert [row["Prioridade"] for row in found.values()] == list(range(1, len(found) + 1))


def test_links_call_write_and_open(desk: Desk) -> None:
    ws = openpyxl.load_workbook(desk.workbook("cobranca"))["Fila"]
    headers = header_of(ws)
    links = {
        name: [ws.cell(row, place).hyperlink for row in range(5, ws.max_row + 1)] for name, place in headers.items()
    }
    for name, scheme in (("Telefone", "tel:+55"), ("WhatsApp", "https://wa.me/55"), ("E-mail", "mailto:")):
        targets = [str(link.target) for link in links[name] if link is not None]
        assert targets, name
        assert all(target.startswith(scheme) and len(target) <= 2079 for target in targets)
    assert all(link is not None and str(link.location).startswith("'Títulos'!A") for link in links["Títulos"])
    letters = [unquote(str(link.target)) for link in links["E-mail"] if link is not None]
    assert any("http" in letter for letter in letters)  # which of several títulos: tests/unit/desk/test_collections.py
    spoken = [str(link.target) for link in links["WhatsApp"] if link is not None]
    assert all(re.match(r"https://wa\.me/55\d\d9\d{8}\?text=", target) for target in spoken)
    assert not ws.protection.sheet


def centavos(values: pd.Series) -> int:
    return sum(int(Decimal(str(value)).scaleb(2).to_integral_exact()) for value in values.dropna())


@pytest.fixture(scope="module")
def dados_book(desk: Desk) -> Any:
    return openpyxl.load_workbook(desk.workbook("dados"))


@pytest.fixture(scope="module")
def dados(dados_book: Any) -> dict[str, pd.DataFrame]:
    sheets = {sheet.title: [*sheet.values] for sheet in dados_book if sheet.title != "LEIA-ME"}
    return {name: pd.DataFrame(rows, columns=header, dtype=object) for name, (header, *rows) in sheets.items()}


def read_by_pandas(path: Path) -> dict[str, pd.DataFrame]:
    return pd.read_excel(path, sheet_name=None, engine="openpyxl")


def read_by_polars(path: Path) -> dict[str, pd.DataFrame]:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    pytest.importorskip("fastexcel", reason="fastexcel, by which polars reads, is not installed")
    sheets = polars.read_excel(path, sheet_id=0, infer_schema_length=None)
    return {name: pd.DataFrame(list(sheet.iter_rows()), columns=sheet.columns) for name, sheet in sheets.items()}


def read_by_calamine(path: Path) -> dict[str, pd.DataFrame]:
    calamine = pytest.importorskip("python_calamine", reason="python-calamine is not installed")
    with calamine.CalamineWorkbook.from_path(path) as book:
        sheets = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    return {
        name: pd.DataFrame([[None if value == "" else value for value in row] for row in rows], columns=header)
        for name, (header, *rows) in sheets.items()
        if name.startswith("tbl_")
    }


READERS = (None, read_by_pandas, read_by_polars, read_by_calamine)
"""None is openpyxl, which has read all of it for the test below."""


@pytest.mark.parametrize("read", thinned(READERS, default=(None,)))
def test_dados_add_up_to_the_warehouse_to_the_centavo(
    desk: Desk, dados: dict[str, pd.DataFrame], read: Callable[[Path], dict[str, pd.DataFrame]] | None
) -> None:
    if read is not None:
        dados = read(desk.workbook("dados"))
    with closing(duckdb.connect(str(desk.warehouse), read_only=True)) as con:

        def ask(sql: str, asked: list[Any] | None = None) -> Any:
            return con.execute(sql, asked).fetchall()[0]

        linhas, titulos = dados["tbl_linhas"], dados["tbl_titulos"]
        count, total, cash = ask("SELECT count(*), sum(valor), sum(valor) FILTER (caixa) FROM mart.linhas_em(?)", [D])
        assert (len(linhas), centavos(linhas["valor"])) == (count, int(total * 100))
        assert centavos(linhas["entrada"]) + centavos(linhas["saida"]) == int(total * 100)
        assert centavos(linhas.loc[linhas["mes_caixa"].notna(), "valor"]) == int(cash * 100)
        for tipo, view in (("R", "a_receber"), ("P", "a_pagar")):
            wanted, fine = ask(f"SELECT sum(valor), sum(multa_est + juros_est) FROM mart.{view}")  # noqa: S608
            chosen = titulos[
                (titulos["tipo"] == tipo) & ~titulos["pago"].astype(bool) & ~titulos["transferencia"].astype(bool)
            ]
            assert centavos(chosen["valor"]) == int(wanted * 100)
            assert centavos(chosen["multa_est"]) + centavos(chosen["juros_est"]) == int(fine * 100)
        saldos = dados["tbl_saldos_diarios"]
        for when in (D, date(2026, 6, 30), date(2025, 12, 31)):
            wanted = ask("SELECT sum(saldo) FROM mart.saldos_em(?)", [when])[0]
            assert centavos(saldos.loc[pd.to_datetime(saldos["dia"]) == pd.Timestamp(when), "saldo"]) == int(
                wanted * 100
            )
        assert centavos(dados["tbl_cobrancas"]["valor"]) == int(ask("SELECT sum(valor) FROM core.cobrancas")[0] * 100)
        assert len(dados["tbl_pessoas"]) == ask("SELECT count(*) FROM core.pessoas")[0]


def test_dados_are_flat_keyed_and_joined(dados_book: Any, dados: dict[str, pd.DataFrame]) -> None:
    """As Power Query takes a sheet: all that is used, its first row the names, and one type for each column.

    A total below the rows would be one more row, and a text among numbers an error.
    """
    assert dados_book.sheetnames[0] == "LEIA-ME"
    for name, frame in dados.items():
        (table,) = dados_book[name].tables.values()
        assert table.name == name
        assert table.ref.startswith("A1:")
        assert list(frame.columns) == [column.name for column in table.tableColumns]
        assert not frame.isna().all(axis=1).any(), name
        for column in frame:
            kinds = {"number" if type(value) in (int, float) else type(value).__name__ for value in frame[column]}
            assert len(kinds - {"NoneType"}) <= 1, (name, column, kinds)
    keys = {"linhas": ["origem", "linha_id"], "titulos": ["titulo_id"], "pessoas": ["pessoa_id"],
            "saldos_diarios": ["conta_id", "dia"], "kpis": ["execucao_id", "kpi"]}  # fmt: skip
    for name, key in keys.items():
        assert not dados[f"tbl_{name}"].duplicated(key).any(), name
    for column, other in (("titulo_id", "titulos"), ("conta_id", "contas"), ("categoria_id", "categorias")):
        assert set(dados["tbl_linhas"][column].dropna()) <= set(dados[f"tbl_{other}"][column])
    linhas = dados["tbl_linhas"]
    levels = linhas[["nivel_1", "nivel_2", "nivel_3", "nivel_4"]].apply(lambda row: " > ".join(row.dropna()), axis=1)
    named = linhas["categoria_id"].notna()
    assert (levels[named] == linhas.loc[named, "categoria_caminho"]).all()
    assert {type(value) for value in linhas["competencia_presumida"]} == {bool}
    assert all(value.day == 1 for value in linhas["mes_competencia"].dropna())


def test_parquet_and_csv_hold_what_the_workbook_holds(
    desk: Desk, dados: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    for formato in ("parquet", "csv"):
        export_tables(desk.settings, desk.settings.empresas[0], [], formato, tmp_path / formato)
    with closing(duckdb.connect()) as con:
        for name, frame in dados.items():
            for suffix in ("parquet", "csv"):
                source = f"'{tmp_path}/{suffix}/dados_{D}/{name}.{suffix}'"
                assert con.execute(f"FROM {source} SELECT count(*)").fetchall() == [(len(frame),)], (name, suffix)
        linhas = f"'{tmp_path}/parquet/dados_{D}/tbl_linhas.parquet'"
        total = con.execute(f"FROM {linhas} SELECT sum(valor)").fetchall()[0][0]
        assert int(total * 100) == centavos(dados["tbl_linhas"]["valor"])
        assert ("valor", "DECIMAL(18,2)") in {row[:2] for row in con.execute(f"DESCRIBE FROM {linhas}").fetchall()}


@pytest.mark.longo
def test_without_personal_data_there_is_no_desk_and_dados_have_no_contacts(first_run: Path, tmp_path: Path) -> None:
    settings = copy_golden(first_run, tmp_path, "https://sem.servico.example.com")
    empresa = replace(settings.empresas[0], dados_pessoais=False)
    result = run_served(replace(settings, empresas=(empresa,)), expected.D, modo=Modo.RECALCULO)
    assert [path.name for path in result.workbooks] == ["gerencial_2026-03-16_r2.xlsx", "dados_2026-03-16_r2.xlsx"]
    book = openpyxl.load_workbook(result.workbooks[1])
    headers = {str(cell.value) for cell in book["tbl_pessoas"][1]}
    assert "nome" in headers
    assert not headers & {"documento", "email", "telefone"}
    with closing(duckdb.connect(str(result.warehouse), read_only=True)) as con:
        private = {
            text
            for row in con.execute("SELECT email, telefone, documento FROM core.pessoas").fetchall()
            for text in row
            if text
        }
    assert private
    cells = {str(cell) for ws in book for row in ws.iter_rows(values_only=True) for cell in row if cell is not None}
    assert not cells & private
    page = next(path for path in result.paginas if path.suffix == ".html").read_text(encoding="utf-8")
    assert not [text for text in private if text in page]


@pytest.mark.longo
def test_desks_of_their_own_get_the_files_and_are_read(first_run: Path, tmp_path: Path) -> None:
    settings = copy_golden(first_run, tmp_path, "https://sem.servico.example.com")
    place = tmp_path / "mesa"
    place.mkdir(mode=0o770)
    place.chmod(0o770)
    empresa = replace(settings.empresas[0], pasta_cobranca=str(place))
    settings = replace(settings, empresas=(empresa,))
    own = Desk(settings)
    first = own.again(expected.D)
    assert set(place.iterdir()) == {own.workbook(name, first) for name in SHEETS}
    typed = {}
    for name, (sheet, key) in SHEETS.items():
        path = own.workbook(name, first)
        assert (path.stat().st_mode & 0o777, place.stat().st_mode & 0o777) == (0o660, 0o770)
        book = openpyxl.load_workbook(path)
        typed[name] = next(iter(rows_of(book[sheet], key)))
        put(book[sheet], row_with(book[sheet], key, typed[name]), Anotação="amanhã às 9h")
        book.save(path)
    own.again(expected.D)
    shutil.rmtree(place)
    third = own.again(expected.D)
    for name, (sheet, key) in SHEETS.items():
        fallen = own.workbook(name, third)
        assert fallen.parent.name == "relatorios"
        book = openpyxl.load_workbook(fallen)
        assert rows_of(book[sheet], key)[typed[name]]["Anotação"] == "amanhã às 9h"
        assert "mesa: a pasta não existe ou não está acessível" in {
            cell for row in book["Histórico"].iter_rows(values_only=True) for cell in row
        }


BY_MONTH = ["2026_01", "2026_02", "2026_03", "2026_04"]


@pytest.mark.parametrize(
    ("most", "parts"), [(100, ["2025", "2026"]), (16, ["2025", *BY_MONTH]), (5, ["2025", *BY_MONTH])]
)
def test_a_table_too_long_is_in_parts_and_a_repeated_key_is_refused(
    first_run: Path, most: int, parts: list[str]
) -> None:
    link = first_run / "dados" / "ouro" / "lastro.duckdb"
    with closing(duckdb.connect(str(link), read_only=True)) as con:
        reader = DatasetReader(con)
        split = {}
        for table in reader.tables(SheetRows(5, most)):
            assert table.fits is (table.length <= most)
            if table.name.startswith("tbl_linhas"):
                split[table.name] = [
                    (str(day), valor)
                    for block in table.read()
                    for day, valor in zip(
                        *(block.data[key].cells() for key in ("data_movimento", "valor")), strict=True
                    )
                ]
                assert len(split[table.name]) == table.length
        assert [*split] == [f"tbl_linhas_{part}" for part in parts]
        for part, rows in zip(parts, split.values(), strict=True):
            assert {day[: len(part)] for day, _ in rows} == {part.replace("_", "-")}
        total, count = con.execute("SELECT sum(valor), count(*) FROM core.linhas").fetchall()[0]
        assert sum(valor for rows in split.values() for _, valor in rows) == total
        assert sum(map(len, split.values())) == count
        linhas = next(dataset for dataset in DATASETS if dataset.name == "linhas")
        with pytest.raises(LastroError, match="tbl_linhas: natureza está em mais de uma linha: D, R"):
            reader.load(replace(linhas, key=("natureza",)))


def test_what_no_sheet_has_room_for_goes_to_parquet_beside_and_the_first_sheet_says_so(
    first_run: Path, tmp_path: Path
) -> None:
    """Of 18 linhas 8 are of February and 7 of March, and a sheet has room for 7; so has it for no table of more."""
    settings = copy_golden(first_run, tmp_path, "https://sem.servico.example.com")
    with open_session(settings, expected.D, order=RunOrder(modo=Modo.RECALCULO)) as session:
        for stage in STAGES[1:-1]:
            run_stage(session, stage)
        assert write_dados(session, build_stamp(session), SheetRows(5, 7)) > 18
        result = publish_run(session)
        total = session.warehouse.query("SELECT sum(valor), count(*) FROM core.linhas")
    folder = result.workbooks[0].parent
    name = "dados_tbl_linhas_2026_02_2026-03-16.parquet"
    assert name in {path.name for path in folder.iterdir()}
    book = openpyxl.load_workbook(next(path for path in result.workbooks if path.name.startswith("dados_")))
    told = {row[0]: row[1:3] for row in book["LEIA-ME"].iter_rows(values_only=True)}
    assert told["tbl_linhas_2026_02"] == (
        f"Mais linhas do que cabe numa folha: em Parquet, {name}, ao lado. S1: uma linha, com rótulos e situação em D",
        "8",
    )
    assert told["tbl_linhas_2026_03"] == ("S1: uma linha, com rótulos e situação em D", "7")
    assert "tbl_linhas_2026_02" not in book.sheetnames
    sheets = [book[one] for one in book.sheetnames if one.startswith("tbl_linhas")]
    amounts = [row["valor"] for ws in sheets for row in (dict(zip([c.value for c in ws[1]], r, strict=True))
               for r in ws.iter_rows(min_row=2, values_only=True))]  # fmt: skip
    amounts += [valor for (valor,) in duckdb.read_parquet(str(folder / name)).select("valor").fetchall()]
    assert [(sum(Decimal(str(valor)) for valor in amounts), len(amounts))] == total
    plan = plan_removals(settings, datetime(2026, 3, 16, 12, tzinfo=UTC))
    assert [one.porque for one in plan.kept if one.caminho.endswith(name)] == ["a mais nova"]


def test_without_the_workbook_the_views_are_there_and_are_exported(first_run: Path, tmp_path: Path) -> None:
    settings = replace(copy_golden(first_run, tmp_path, "https://sem.servico.example.com"), excel=Excel(dados=False))
    shutil.rmtree(tmp_path / "dados" / "ouro" / "relatorios")
    with open_session(settings, expected.D, order=RunOrder(modo=Modo.RECALCULO)) as session:
        for stage in STAGES[1:]:
            run_stage(session, stage)
    reports = tmp_path / "dados" / "ouro" / "relatorios"
    assert [path.name.partition("_")[0] for path in sorted(reports.glob("*.xlsx"))] == [
        "cobranca", "gerencial", "pagamentos",
    ]  # fmt: skip
    with closing(duckdb.connect(str(tmp_path / "dados" / "ouro" / "lastro.duckdb"), read_only=True)) as con:
        assert con.execute("SELECT count(*), sum(valor), sum(entrada + saida) FROM dados.linhas").fetchall() == (
            con.execute("SELECT count(*), sum(valor), sum(valor) FROM core.linhas").fetchall()
        )
        assert con.execute(
            "SELECT comment FROM duckdb_columns() WHERE schema_name = 'dados' AND table_name = 'titulos' "
            "AND column_name IN ('cobranca_id', 'data_efetiva') ORDER BY 1"
        ).fetchall() == [
            ("S3: vencimento levado ao dia útil em que se liquida (S8)",),
            ("cobrança viva de menor id (S9)",),
        ]
    _, names = export_tables(settings, settings.empresas[0], [], "csv", tmp_path / "fora")
    assert {"tbl_linhas.csv", "tbl_kpis.csv"} <= {*names}


def test_reports_and_views_are_copied_whole_or_not_at_all(first_run: Path, tmp_path: Path) -> None:
    settings = copy_golden(first_run, tmp_path, "https://sem.servico.example.com")
    empresa = settings.empresas[0]
    folder, names = export_tables(settings, empresa, ["R09", "mart.ponte"], "csv", tmp_path / "fora")
    assert folder == tmp_path / "fora" / "R09_ponte_2026-03-16"
    assert set(names) == {"a_receber.csv", "a_receber_faixas.csv", "a_receber_faixas_total.csv",
                          "a_receber_a_vencer.csv", "a_receber_pessoas.csv", "ponte.csv"}  # fmt: skip
    assert export_tables(settings, empresa, ["r09", "ponte"], "csv", tmp_path / "fora")[0].name.endswith("2026-03-16")
    assert export_tables(settings, empresa, [], "json")[0].name == "dados_2026-03-16"
    _, names = export_tables(settings, empresa, ["R15"], "csv", tmp_path / "qualidade")
    assert set(names) == {"achados.csv", "achados_itens.csv", "verificacoes.csv", "conferencias.csv", "rejeitados.csv",
                          "esquema.csv"}  # fmt: skip
    with pytest.raises(ConfigError, match="não há «R99»"):
        export_tables(settings, empresa, ["dados", "R99"], "csv", tmp_path / "nada")
    assert not (tmp_path / "nada").exists()
    assert {path.name for path in (tmp_path / "fora").iterdir()} == {"R09_ponte_2026-03-16", "r09_ponte_2026-03-16"}
