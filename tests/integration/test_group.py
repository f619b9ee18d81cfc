"""The group view of two small companies, by hand, through their published warehouses (D = 16/03/2026).

Acme sells services of 100.00 to Beta (paid 10/03 in both books), and has an invoice of 40.00 open, due 20/03, which
Beta booked as 30.00. Acme also sold 500.00 to somebody else; Beta owes 7.00 to somebody else since 01/03.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from click.testing import CliRunner

from lastro.cli import main
from lastro.errors import EXIT_CHECK_FAILED, ConfigError, StorageError
from lastro.grid.sections import Style
from lastro.grid.workbook import Sheet
from lastro.group.company_books import read_company_books
from lastro.group.job import build_group_stamp, run_group
from lastro.group.report import build_group
from lastro.group.update import update_group
from lastro.reports.registry import REPORTS
from lastro.settings import Conta, Empresa, Grupo, GrupoTransferencia, Settings
from lastro.warehouse.file.report_tables import write_report_table
from lastro.warehouse.file.store import Warehouse
from lastro.warehouse.publication.copies import publish
from tests.unit.reports.positions import make_position
from tests.unit.reports.readers import assert_well_formed, record, records, section
from tests.views import view_of

D = date(2026, 3, 16)
RULE = GrupoTransferencia("acme", "beta", de_pessoas=(502,), para_pessoas=(601,))
MARCH, APRIL = date(2026, 3, 1), date(2026, 4, 1)


def entry(number: int, valor: str, due: str, paid: str | None, pessoa: int, categoria: int) -> dict[str, Any]:
    return {
        "id": number, "conta_id": 101, "categoria_id": categoria, "pessoa_id": pessoa, "valor": valor,
        "data_vencimento": due, "data_pagamento": paid, "data_competencia": due,
    }  # fmt: skip


ACME = [
    entry(1, "100.00", "2026-03-10", "2026-03-10", 502, 11),
    entry(2, "40.00", "2026-03-20", None, 502, 11),
    entry(3, "500.00", "2026-03-05", "2026-03-05", 501, 11),
]
BETA = [
    entry(1, "-100.00", "2026-03-10", "2026-03-10", 601, 21),
    entry(2, "-30.00", "2026-03-20", None, 601, 21),
    entry(3, "-7.00", "2026-03-01", None, 602, 21),
    entry(4, "-8.00", "2026-04-10", None, 601, 23),
]


READ = ("R01", "R02", "R04", "R06", "R08", "R09", "R16")
"""Reports that the group reads."""


def publish_company(
    settings: Settings, number: int, entries: Sequence[dict[str, Any]], *, data_base: date = D, erros: int = 0
) -> None:
    """Publish what a run would have published, as far as the group reads it."""
    empresa = settings.empresas[number]
    position = make_position(entries, contas=empresa.contas, parametros=empresa.parametros, data_base=data_base)
    with Warehouse(settings.pasta(empresa)) as warehouse:
        with warehouse.transaction():
            warehouse.replace("core.categorias", position.categorias)
            warehouse.replace("core.contas", position.contas)
            view = view_of(position)
            for spec in REPORTS:
                for report in [spec.build(view)] if spec.code in READ else ():
                    for found in report.tables:
                        write_report_table(warehouse, found)
            run = {
                "execucao_id": 7 + number,
                "situacao": "completa",
                "data_base": data_base,
                "data_extracao": data_base,
                "iniciada_em": datetime.fromisoformat("2026-03-16T09:05:00"),
            }
            warehouse.insert("ops.execucoes", [run])
            failed = {"execucao_id": 7 + number, "verificacao": "V01", "severidade": "erro", "situacao": "falhou"}
            warehouse.insert("ops.verificacoes", [failed] * erros)
        publish(warehouse, 7 + number)


def settings_in(folder: Path) -> Settings:
    opening: dict[str, Any] = {"valor_saldo_inicial": Decimal("1000.00"), "data_saldo_inicial": date(2026, 1, 1)}
    empresas = tuple(
        Empresa(
            name, name.title(), "https://servico.exemplo", "TOKEN", contas=(Conta(101, f"Banco {name}", **opening),)
        )
        for name in ("acme", "beta")
    )
    return Settings(folder, "America/Sao_Paulo", empresas, "lastro.toml", Grupo("Acme e Beta", (RULE,)))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_in(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both companies, published once: copied, never changed."""
    settings = settings_in(tmp_path_factory.mktemp("duas"))
    publish_company(settings, 0, ACME)
    publish_company(settings, 1, BETA)
    return settings.dir


@pytest.fixture
def published(made: Path, settings: Settings) -> Settings:
    shutil.copytree(made, settings.dir, symlinks=True, dirs_exist_ok=True)
    return settings


def publish_other(made: Path, settings: Settings, **more: Any) -> Settings:
    """Beta otherwise."""
    shutil.copytree(made / "acme", settings.dir / "acme", symlinks=True)
    publish_company(settings, 1, BETA, **more)
    return settings


def read_sheets(settings: Settings, grupo: Grupo) -> dict[str, Sheet]:
    rules = grupo.transferencias
    books = [read_company_books(settings.pasta(empresa), empresa, rules) for empresa in settings.empresas]
    sheets = build_group(books, grupo)
    for sheet in sheets:
        assert_well_formed(sheet)
    return {sheet.name: sheet for sheet in sheets}


def amounts(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("Acme", "Beta", "Soma", "Entre empresas", "Grupo"))


def test_a_balance_without_an_opening_is_called_a_variation_wherever_it_stands(made: Path, settings: Settings) -> None:
    acme, beta = settings.empresas
    settings = replace(settings, empresas=(acme, replace(beta, contas=(Conta(101, "Banco beta"),))))
    sheets = read_sheets(publish_other(made, settings), settings.grupo)
    today = record(section(sheets["Saldos"], "grupo_saldos"), saldo="Saldo na data-base")
    assert (today["Acme"], today["Beta (variação, não saldo)"]) == (Decimal("1600.00"), Decimal("-100.00"))
    assert today["Grupo (variação, não saldo)"] == Decimal("1500.00")
    names = [row.cells[1] for row in section(sheets["Saldos"], "grupo_contas").rows]
    assert names == ["Banco acme", "Banco beta (variação, não saldo)"]
    assert section(sheets["Fluxo mensal"], "grupo_fluxo").notes[-1] == "Saldos de Beta e do grupo: variação, não saldo."


def test_two_companies_side_by_side_and_without_what_they_book_together(published: Settings) -> None:
    sheets = read_sheets(published, published.grupo)
    balances = section(sheets["Saldos"], "grupo_saldos")
    today = record(balances, saldo="Saldo na data-base")  # 1000 + 100 + 500; 1000 - 100
    assert (today["Acme"], today["Beta"], today["Grupo"]) == (
        Decimal("1600.00"), Decimal("900.00"), Decimal("2500.00"),
    )  # fmt: skip
    assert "variação" not in str(sheets)
    ahead = record(balances, saldo="Saldo em D+7")  # + 40; - 30
    assert ahead["Grupo"] == Decimal("2510.00")
    flow = section(sheets["Fluxo mensal"], "grupo_fluxo")

    def line(month: date, momento: str, linha: str) -> tuple[str, ...]:
        return amounts(record(flow, mes=month, momento=momento, linha=linha))

    assert line(MARCH, "Realizado", "Entradas") == ("600.00", "0.00", "600.00", "-100.00", "500.00")
    assert line(MARCH, "Realizado", "Saídas") == ("0.00", "-100.00", "-100.00", "100.00", "0.00")
    assert line(MARCH, "Realizado", "= Geração de caixa") == ("600.00", "-100.00", "500.00", "0.00", "500.00")
    assert line(MARCH, "Realizado", "Entre empresas") == ("0.00", "0.00", "0.00", "0.00", "0.00")
    assert line(MARCH, "A realizar", "Entradas") == ("40.00", "0.00", "40.00", "-40.00", "0.00")
    assert line(MARCH, "A realizar", "Saídas") == ("0.00", "-30.00", "-30.00", "30.00", "0.00")
    # the 10.00 on which the companies do not agree stays visible and the balance stays the sum
    assert line(MARCH, "A realizar", "Entre empresas") == ("0.00", "0.00", "0.00", "10.00", "10.00")
    assert line(MARCH, "A realizar", "Saldo final") == ("1640.00", "870.00", "2510.00", "0.00", "2510.00")
    assert line(APRIL, "Previsto", "Saídas") == ("0.00", "-8.00", "-8.00", "8.00", "0.00")
    dre = section(sheets["DRE"], "grupo_dre")
    result = record(dre, mes=MARCH, linha="Resultado")  # 640 - 137; group 500 - 7
    assert amounts(result) == ("640.00", "-137.00", "503.00", "-10.00", "493.00")
    revenue = record(dre, mes=MARCH, linha="Receitas")
    assert amounts(revenue) == ("640.00", "0.00", "640.00", "-140.00", "500.00")
    pay = section(sheets["Pagar"], "grupo_pagar")
    assert amounts(record(pay, faixa="Total")) == ("0.00", "-45.00", "-45.00", "38.00", "-7.00")
    assert amounts(record(pay, faixa="1-30")) == ("0.00", "-7.00", "-7.00", "0.00", "-7.00")
    assert amounts(record(pay, faixa="Atrasado")) == ("0.00", "-7.00", "-7.00", "0.00", "-7.00")
    receive = section(sheets["Receber"], "grupo_receber")
    assert amounts(record(receive, faixa="Total")) == ("40.00", "0.00", "40.00", "-40.00", "0.00")
    (rule,) = records(section(sheets["Resumo"], "grupo_conciliacao"))
    assert (rule["Linhas de"], rule["Linhas para"], rule["Caixa diferença"], rule["Situação"]) == (
        2, 3, Decimal("0.00"), "Não concilia",
    )  # fmt: skip
    assert (rule["Em aberto de"], rule["Em aberto para"], rule["Em aberto diferença"]) == (
        Decimal("40.00"), Decimal("-38.00"), Decimal("2.00"),
    )  # fmt: skip
    assert rule["Competência diferença"] == Decimal("2.00")


def test_the_first_page_has_amounts_and_headlines_of_each_and_of_all(published: Settings) -> None:
    first = read_sheets(published, published.grupo)["Resumo"]
    found = {row["Posição"]: amounts(row) for row in records(section(first, "grupo_posicao"))}
    assert found == {
        "Saldo na data-base": ("1600.00", "900.00", "2500.00", "0.00", "2500.00"),
        "A realizar 7 dias": ("40.00", "-30.00", "10.00", "0.00", "10.00"),
        "Atrasado a receber": ("0.00", "0.00", "0.00", "0.00", "0.00"),
        "Atrasado a pagar": ("0.00", "-7.00", "-7.00", "0.00", "-7.00"),
        "Resultado de mar/26": ("640.00", "-137.00", "503.00", "-10.00", "493.00"),
    }
    # Acme only receives; Beta pays 30.00 and 8.00; together the 40.00 comes with the 30.00, and 2,500.00 is the least.
    assert [row.cells for row in section(first, "grupo_manchetes").rows] == [
        ("Acme", "✔ Nunca negativo; menor em 16/03: 1.600"),
        ("Beta", "✔ Nunca negativo; menor em 10/04: 862"),
        ("Grupo", "✔ Nunca negativo; menor em 16/03: 2.500"),
    ]


def test_every_line_of_the_group_closes(published: Settings) -> None:
    """V02 for the group: opening, implanted, cash generated, what went between companies and transfers give the end."""
    rows = records(section(read_sheets(published, published.grupo)["Fluxo mensal"], "grupo_fluxo"))
    parts = (
        "Saldo inicial",
        "Saldos implantados",
        "= Geração de caixa",
        "Entre empresas",
        "Transferências entre contas",
    )
    periods = {(row["Mês"], row["Momento"]) for row in rows}
    assert len(periods) == 12 + 2 + 6
    for period in periods:
        lines = {row["Linha"]: row["Grupo"] for row in rows if (row["Mês"], row["Momento"]) == period}
        assert sum(lines[part] for part in parts) == lines["Saldo final"], period


def test_without_a_rule_nothing_is_taken_out(published: Settings) -> None:
    sheets = read_sheets(published, Grupo())
    flow = section(sheets["Fluxo mensal"], "grupo_fluxo")
    assert {row["Entre empresas"] for row in records(flow)} == {Decimal("0.00")}
    assert section(sheets["Resumo"], "grupo_conciliacao").rows == ()


def test_a_rule_may_name_categories_and_the_first_that_names_a_linha_has_it(published: Settings) -> None:
    rule = GrupoTransferencia("acme", "beta", de_pessoas=(501,), para_pessoas=(601,), para_categorias=(21,))
    twice = replace(rule, de_pessoas=(501, 502))
    sheets = read_sheets(published, Grupo("G", (rule, twice)))
    first, second = records(section(sheets["Resumo"], "grupo_conciliacao"))
    assert (first["Linhas de"], first["Linhas para"], first["Caixa de"]) == (1, 2, Decimal("500.00"))
    assert (second["Linhas de"], second["Linhas para"]) == (2, 0)


def test_the_workbook_is_written_and_says_what_it_holds(published: Settings) -> None:
    result = run_group(published)
    assert result.workbook == published.dir / "grupo" / "relatorios" / "grupo_2026-03-16.xlsx"
    assert result.unreliable == ()
    book = openpyxl.load_workbook(result.workbook)
    assert book.sheetnames == ["Resumo", "Saldos", "Fluxo mensal", "DRE", "Pagar", "Receber"]
    stamp = " ".join(str(cell) for row in book["Saldos"].iter_rows(max_row=2, values_only=True) for cell in row if cell)
    assert "16/03/2026 06:05 BRT" in stamp
    assert "Acme 7, Beta 8" in stamp
    assert "Extração COMPLETA" in stamp
    book.close()
    assert run_group(published).workbook.name == "grupo_2026-03-16_r2.xlsx"
    assert sorted(path.name for path in (published.dir / "grupo").iterdir()) == ["relatorios"]


def test_an_unreliable_company_makes_the_group_unreliable(made: Path, settings: Settings) -> None:
    both = publish_other(made, settings, erros=1)
    result = run_group(both)
    assert result.unreliable == ("beta",)
    book = openpyxl.load_workbook(result.workbook)
    stamp = " ".join(str(cell) for row in book["DRE"].iter_rows(max_row=2, values_only=True) for cell in row if cell)
    assert "NÃO CONFIÁVEL" in stamp
    book.close()
    (_, beta) = records(section(read_sheets(both, Grupo("G"))["Resumo"], "grupo_empresas"))
    assert (beta["Situação"], beta["Erros"]) == ("NÃO CONFIÁVEL", 1)


def test_one_hot_run_makes_the_stamp_hot(published: Settings) -> None:
    with Warehouse(published.pasta(published.empresas[1])) as warehouse:
        warehouse.con.execute("UPDATE ops.execucoes SET tipo_execucao = 'quente'")
        publish(warehouse, 9)
    books = [read_company_books(published.pasta(empresa), empresa, ()) for empresa in published.empresas]
    assert [book.tipo for book in books] == ["completa", "quente"]
    assert build_group_stamp(published, books).extracao == "QUENTE"


def test_accounts_that_a_hot_run_proved_count_in_the_stamp(published: Settings) -> None:
    for number, empresa in enumerate(published.empresas):
        with Warehouse(published.pasta(empresa)) as warehouse:
            warehouse.insert(
                "ops.passadas",
                [
                    {"execucao_id": 7 + number, "lista": lista, "conta_id": 101, "passada": 1, "veredito": "provada"}
                    for lista in (("lancamentos",), ("lancamentos:janela", "cobrancas:janela"))[number]
                ],
            )
            publish(warehouse, 9)
    books = [read_company_books(published.pasta(empresa), empresa, ()) for empresa in published.empresas]
    stamp = build_group_stamp(published, books)
    assert (stamp.contas_lidas, stamp.contas_total) == (2, 2)


def test_refusals_say_what_to_do(made: Path, settings: Settings) -> None:
    with pytest.raises(StorageError, match="lastro run --empresa acme"):
        run_group(settings)
    with pytest.raises(ConfigError, match="precisa de duas empresas"):
        run_group(replace(settings, empresas=settings.empresas[:1]))
    publish_other(made, settings, data_base=date(2026, 3, 15))
    with pytest.raises(ConfigError, match=r"acme 16/03/2026, beta 15/03/2026.*--data-base"):
        run_group(settings)
    assert not (settings.dir / "grupo").exists()


def test_a_file_of_another_version_is_told(settings: Settings) -> None:
    with Warehouse(settings.pasta(settings.empresas[0])) as warehouse:
        publish(warehouse, 1)
    with pytest.raises(StorageError, match="outra versão do lastro"):
        read_company_books(settings.pasta(settings.empresas[0]), settings.empresas[0], ())


def test_totals_have_their_looks(published: Settings) -> None:
    rows = section(read_sheets(published, published.grupo)["Fluxo mensal"], "grupo_fluxo").rows
    assert {row.cells[2] for row in rows if row.style is Style.TOTAL} == {"Saldo final"}


def test_the_command_writes_the_file_and_tells_who_is_not_reliable(made: Path, settings: Settings) -> None:
    publish_other(made, settings, erros=1)
    path = settings.dir / "lastro.toml"
    head = '[[empresa]]\nid = "{0}"\nnome = "{1}"\nbase_url = "https://servico.exemplo"\ntoken_env = "TOKEN"\n'
    companies = head.format("acme", "Acme") + head.format("beta", "Beta")
    path.write_text(f'dir = "."\n{companies}[grupo]\nnome = "Acme e Beta"\n', encoding="utf-8")
    result = CliRunner().invoke(main, ["grupo", "--config", str(path)])
    assert result.exit_code == EXIT_CHECK_FAILED, result.output
    assert (settings.dir / "grupo" / "relatorios" / "grupo_2026-03-16.xlsx").exists()
    assert not (settings.dir / "grupo" / "lastro.duckdb").exists(), "only questions need the group's database"


def test_questions_of_the_group_are_asked_of_all_companies(published: Settings) -> None:
    folder = published.dir / "grupo" / "entrada" / "consultas"
    folder.mkdir(parents=True)
    head, count = "-- Título: Contas\n-- Pergunta: Quantas?\n", "SELECT empresa, count(*) AS n FROM {} GROUP BY ALL"
    (folder / "contas.sql").write_text(head + count.format("core.contas"), encoding="utf-8")
    (folder / "nada.sql").write_text(head + count.format("core.nada"), encoding="utf-8")
    result = run_group(published)
    assert result.consultas is not None
    assert result.consultas.name == "consultas_2026-03-16.xlsx"
    assert [(cell[0].value, cell[1].value) for cell in openpyxl.load_workbook(result.consultas)["contas"]["A5:B6"]] == [
        ("acme", 1), ("beta", 1),
    ]  # fmt: skip
    ((arquivo, why),) = result.recusadas
    assert (arquivo, "linha 3: o DuckDB diz: Catalog Error: Table with name nada" in why) == (
        "entrada/consultas/nada.sql", True,
    )  # fmt: skip
    for path in folder.iterdir():
        path.unlink()
    assert run_group(published).consultas is None
    update_group(published)
    with duckdb.connect(str(published.dir / "grupo" / "lastro.duckdb"), read_only=True) as con:
        assert con.execute("SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'minhas'").fetchall() == [(0,)]
