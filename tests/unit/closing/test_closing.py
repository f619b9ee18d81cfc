"""S25 by hand: the golden February, its eight sheets, the identity, what V40 must see, which month is closed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import openpyxl
import pandas as pd
import pytest

from lastro.closing.comments import find_next_steps, read_comment
from lastro.closing.content import Change, Closing
from lastro.closing.figures import ClosedMonth, MonthFigures, find_changes, find_last_closed
from lastro.closing.sheets import build_sheets
from lastro.closing.storage import Edition, keep_edition
from lastro.export.xlsx import render_workbook
from lastro.grid.cells import Kind
from lastro.grid.sections import Style
from lastro.grid.tables import Table, describe_column
from lastro.grid.workbook import Report, Sheet, Stamp, Workbook
from lastro.quality.queries import read_queries
from lastro.quality.runner import open_room, run_query
from lastro.run.closing import ROOM, check_closing, find_map_reason, list_findings, tell_bridge, tell_changes
from lastro.settings import Parametros
from lastro.transform.openings import Statement
from lastro.transform.position import Position, build_position
from tests.bare import store_statements
from tests.books import open_warehouse
from tests.budget import frame_golden_budget
from tests.damages import judge_damaged, list_damages
from tests.paper import areas_of, count_pages
from tests.unit.reports.positions import MAPA, make_golden, make_position
from tests.unit.reports.readers import records, section
from tests.views import view_of

FEBRUARY, F = date(2026, 2, 1), date(2026, 2, 28)


def at_end(position: Position, day: date = F) -> Position:
    return build_position(
        position,
        data_base=day,
        data_extracao=position.data_extracao,
        parametros=position.parametros,
        calendario=position.calendario,
    )


_FEBRUARIES: dict[str, ClosedMonth] = {}


def february(**parametros: Any) -> ClosedMonth:
    """The golden February; the same one for the same parameters, to be read only."""
    key = repr(parametros)
    if key not in _FEBRUARIES:
        golden = replace(make_golden(**parametros), orcamento=frame_golden_budget())
        _FEBRUARIES[key] = ClosedMonth(view_of(at_end(golden)), FEBRUARY)
    return _FEBRUARIES[key]


def amounts(month: ClosedMonth) -> dict[str, Decimal]:
    return {f"{block} {key}": value for block, key, _, value in month.list_all()}


def rows_of(sheets: tuple[Sheet, ...], name: str, part: str) -> list[dict[str, Any]]:
    """Read the rows of a section of a sheet by their headers."""
    return records(section(sheet(sheets, name), part))


def sheet(sheets: tuple[Sheet, ...], name: str) -> Sheet:
    return next(one for one in sheets if one.name == name)


def test_each_account_says_what_its_statements_prove() -> None:
    """101 has 7900.00 at the end of February and was 0.23 off on the 27th; 102 has a statement of 31/01 or none."""

    def tell(*shown: tuple[int, date, int]) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
        golden = make_golden()
        statements = store_statements([Statement(*each, "arquivo") for each in shown], set())
        position = replace(at_end(golden), extrato_saldos=statements)
        sheets = build_sheets(Closing(ClosedMonth(view_of(position), FEBRUARY), 1))
        rows = rows_of(sheets, "Saldos", "saldos")[:2]
        notes = section(sheet(sheets, "Capa"), "capa").notes
        return [(row["Extrato"], row["Diferença"], row["Conferência"]) for row in rows], notes

    rows, notes = tell((101, F, 790_000), (102, date(2026, 1, 31), 1))
    assert rows[0] == (Decimal("7900.00"), Decimal("0.00"), "confere")
    assert rows[1][2].startswith("sem extrato em 28/02; em 31/01 ")
    assert notes[0] == "Saldos conferidos com o extrato: 1 de 2."
    rows, notes = tell((101, date(2026, 2, 27), 790_023), (101, date(2026, 2, 20), 1))
    assert rows == [
        (Decimal("7900.23"), Decimal("-0.23"), "sem extrato em 28/02; em 27/02 não confere"),
        (None, None, "sem extrato em 28/02"),
    ]
    assert notes == (
        "Saldos conferidos com o extrato: 0 de 2.",
        "Banco Alfa: sem extrato em 28/02; em 27/02 não confere, difere -0,23.",
        "Poupança: sem extrato em 28/02.",
    )


def test_the_golden_february() -> None:
    found = amounts(february())
    wanted = {
        "dre resultado": "-4800.00", "dre_ano resultado": "-1300.00", "saldo 101": "7900.00", "saldo 102": "2800.00",
        "a_receber faixa_61_90": "2400.00", "a_receber posterior": "10500.00", "a_pagar posterior": "-3120.00",
        "identidade resultado": "1100.00", "identidade em_aberto": "2400.00", "identidade adiantamentos": "0.00",
        "identidade nao_operacional": "0.00", "identidade caixa": "-1300.00",
    }  # fmt: skip
    assert {key: str(found[key]) for key in wanted} == wanted
    ageing = {key: value for key, value in found.items() if key.split()[0] in ("a_receber", "a_pagar")}
    assert {key for key, value in ageing.items() if value} == {
        "a_receber faixa_61_90", "a_receber posterior", "a_pagar posterior",
    }  # fmt: skip


def test_a_payment_typed_for_a_year_to_come_leaves_what_is_late_where_it_was() -> None:
    entry = {"id": 1, "conta_id": 101, "categoria_id": 10, "pessoa_id": 501, "valor": "26350.00",
             "data_vencimento": "2026-02-15", "data_competencia": "2026-02-15"}  # fmt: skip
    found = [
        amounts(ClosedMonth(view_of(at_end(make_position([{**entry, "data_pagamento": paid}]))), FEBRUARY))
        for paid in ("2027-02-16", None)
    ]
    assert found[0] == found[1]
    assert found[0]["a_receber faixa_1_30"] == Decimal("26350.00")


def test_later_days_say_the_same_of_the_month() -> None:
    golden = make_golden()
    assert (
        MonthFigures(view_of(golden), FEBRUARY).list_values()
        == ClosedMonth(view_of(at_end(golden)), FEBRUARY).list_values()
    )


def test_every_sheet_names_the_month_and_none_of_what_followed() -> None:
    month = february(extensao=True)
    reports = build_sheets(Closing(month, 1))
    assert [one.name for one in reports] == [
        "Capa", "DRE", "Fluxo do mês", "Saldos", "A receber e a pagar", "Ponte", "Indicadores", "Notas",
    ]  # fmt: skip
    assert {one.title.partition(" · ")[0] for one in reports} == {"Fechamento fev/26"}
    headers = {column.header for one in reports for part in one.sections for column in part.columns}
    assert not {header for header in headers if "mar/26" in header}
    cover = {row["Indicador"]: row for row in rows_of(reports, "Capa", "capa")}
    assert (cover["Resultado"]["fev/26"], cover["Resultado"]["jan/26"], cover["Resultado"]["fev/25"]) == (
        Decimal("-4800.00"), Decimal("3500.00"), Decimal("100.00"),
    )  # fmt: skip
    assert cover["Resultado"]["Orçado"] == Decimal("300.00")
    dre = {row["Linha"]: row for row in rows_of(reports, "DRE", "dre")}
    assert (dre["Resultado"]["Ano até fev/26"], dre["Resultado"]["Desvio"]) == (
        Decimal("-1300.00"),
        Decimal("-5100.00"),
    )
    assert section(reports[0], "capa_comentario").rows[0].cells == ("Sem comentário: escreva comentarios/2026-02.txt",)
    flow = {row["Categoria"]: row["fev/26"] for row in rows_of(reports, "Fluxo do mês", "fluxo")}
    assert (flow["Saldo final"], flow["Saídas"]) == (Decimal("25400.00"), Decimal("-4600.00"))  # with the 14,700 of E
    balances = {row["Conta"]: row for row in rows_of(reports, "Saldos", "saldos")}
    assert (balances["Banco Alfa"]["Saldo inicial"], balances["Banco Alfa"]["Saldo em 28/02"]) == (
        Decimal("8500.00"), Decimal("7900.00"),
    )  # fmt: skip
    bridge = {row["Linha"]: row["fev/26"] for row in rows_of(reports, "Ponte", "ponte")}
    assert bridge["Resultado por competência"] == Decimal("-4800.00")


def test_v40_knows_an_opening_that_was_there_always() -> None:
    golden = make_golden()
    # As one computed from a statement (S23).
    always = replace(golden, contas=golden.contas.assign(data_saldo_inicial=pd.Timestamp("NaT")))
    assert check_closing(ClosedMonth(view_of(at_end(always)), FEBRUARY)).situacao == "ok"


def test_no_figure_is_of_what_followed_but_the_memo_of_what_is_booked_ahead() -> None:
    """Everything that is of March alone comes to seven times as much: only the memo rows of February see it."""
    golden = replace(make_golden(extensao=True, dre_mapa=MAPA), orcamento=frame_golden_budget())
    days = golden.linhas[["data_competencia_ef", "data_vencimento", "data_pagamento"]]
    single = golden.linhas["titulo_id"].map(golden.titulos.set_index("titulo_id")["grupo_id"]).isna()
    march = ((days >= pd.Timestamp("2026-03-01")) | days.isna()).all(axis=1) & single
    own = golden.titulos["titulo_id"].isin(golden.linhas.loc[march, "titulo_id"])
    assert march.sum() > 3
    other = replace(
        golden,
        linhas=golden.linhas.assign(valor_centavos=golden.linhas["valor_centavos"].mask(march, lambda one: one * 7)),
        titulos=golden.titulos.assign(valor_centavos=golden.titulos["valor_centavos"].mask(own, lambda one: one * 7)),
    )
    before, after = (build_sheets(Closing(ClosedMonth(view_of(at_end(one)), FEBRUARY), 1)) for one in (golden, other))
    changed = [
        (now.style, now.cells[0])
        for then_sheet, now_sheet in zip(before, after, strict=True)
        for then_part, now_part in zip(then_sheet.sections, now_sheet.sections, strict=True)
        for then, now in zip(then_part.rows, now_part.rows, strict=True)
        if then.cells != now.cells
    ]
    assert changed == [(Style.MEMO, "Já lançado, de competência posterior (memo)")]


def test_the_month_itself_is_the_last_closed_one_of_its_indicators() -> None:
    """As every report of March has it: mar/25 to fev/26; balances of 28/02, outflows of dez 0, jan 1500, fev 4600."""

    def found(**given: Any) -> dict[str, Any]:
        reports = build_sheets(Closing(february(dre_mapa=MAPA, **given), 1))
        return {row["Indicador"]: row["Valor"] for row in rows_of(reports, "Indicadores", "indicadores")}

    year, short = found(extensao=True), found()
    assert (year["Ponto de equilíbrio mensal"], year["Receita líquida média por mês"]) == (
        Decimal("937.82"), Decimal("2258.33"),
    )  # fmt: skip
    assert (short["Fôlego com custos fixos (meses)"], short["Fôlego pela média das saídas (meses)"]) == (
        Decimal("5.3"), Decimal("5.3"),
    )  # fmt: skip


def test_a_closing_written_twice_has_the_same_bytes(tmp_path: Path) -> None:
    stamp = Stamp("Empresa Ouro Ltda", F, datetime(2026, 3, 16, 6), "BRT", 1, 2, 2)  # noqa: DTZ001
    written = [
        render_workbook(Workbook("fechamento", stamp, build_sheets(Closing(february(), edition))), tmp_path / name)
        for edition, name in ((1, "um.xlsx"), (1, "outra_vez.xlsx"), (2, "dois.xlsx"))
    ]
    first, again, second = (path.read_bytes() for path in written)
    assert first == again
    assert first != second


def test_v40_holds_and_sees_every_damage() -> None:
    month = february()
    assert check_closing(month).situacao == "ok"
    room, query = open_room(month.view.position), read_queries(ROOM)["V40"]
    room.show([month.table()])
    assert not run_query(query, room).failed
    for block, key in (
        ("dre", "resultado"), ("dre_ano", "resultado"), ("caixa", "Saídas"), ("saldo", "101"),
        ("a_receber", "faixa_61_90"), ("a_pagar", "posterior"), ("identidade", "caixa"),
    ):  # fmt: skip
        rows = f"mart.fechamento WHERE bloco = '{block}' AND chave = '{key}'"
        for damage in list_damages(room, rows, "valor", of_rows=True):
            assert judge_damaged(query, room, damage).failed, damage


def test_an_edition_is_compared_figure_by_figure() -> None:
    golden = make_golden()
    linhas = golden.linhas.assign(
        valor_centavos=golden.linhas["valor_centavos"].where(golden.linhas["linha_id"] != 1003, -160000)
    )
    titulos = golden.titulos.assign(
        valor_centavos=golden.titulos["valor_centavos"].where(golden.titulos["titulo_id"] != 1003, -160000)
    )
    contas = golden.contas.assign(  # the statement of 28/02 holds: the opening follows it (S23)
        valor_saldo_inicial_centavos=golden.contas["valor_saldo_inicial_centavos"].where(
            golden.contas["conta_id"] != 101, 1010000
        )
    )
    before = ClosedMonth(view_of(at_end(golden)), FEBRUARY)
    now = ClosedMonth(view_of(at_end(replace(golden, linhas=linhas, titulos=titulos, contas=contas))), FEBRUARY)
    changed = find_changes([(block, key, value) for block, key, _, value in before.list_all()], now.list_all())
    found = {f"{block} {key}": (str(then), str(after)) for block, key, _, then, after in changed}
    assert found["dre resultado"] == ("-4800.00", "-4900.00")
    assert found["dre_ano resultado"] == ("-1300.00", "-1400.00")
    assert found["identidade resultado"] == ("1100.00", "1000.00")
    assert found["identidade caixa"] == ("-1300.00", "-1400.00")
    assert not [key for key in found if key.startswith("saldo")]
    assert now.realised_balance(0, date(2026, 1, 31)) == 860000
    assert check_closing(now).situacao == "ok"
    changes = (Change("Resultado", Decimal("-4800.00"), Decimal("-4900.00")),)
    entries = ((1003, "Aluguel", Decimal("-1500.00"), Decimal("-1600.00")),)
    notes = sheet(build_sheets(Closing(now, 2, mudancas=changes, lancamentos=entries)), "Notas")
    assert section(notes, "notas_edicoes").rows[0].cells[3] == Decimal("-100.00")
    assert section(notes, "notas_lancamentos").rows[0].cells[0] == 1003


def test_what_an_edition_alone_has_is_told_too() -> None:
    before = [("dre", "pessoal", "-100.00"), ("dre", "nao_classificadas", "-500.00"), ("saldo", "103", "70.00")]
    kept = [*((block, key, Decimal(value)) for block, key, value in before), ("dre", "outras", Decimal("0.00"))]
    assert find_changes(kept, [("dre", "pessoal", "6 Pessoal", Decimal("-600.00"))]) == [
        ("dre", "pessoal", "6 Pessoal", Decimal("-100.00"), Decimal("-600.00")),
        ("dre", "nao_classificadas", "Não classificadas", Decimal("-500.00"), Decimal("0.00")),
        ("saldo", "103", "conta 103", Decimal("70.00"), Decimal("0.00")),
    ]


def test_the_cover_tells_what_moved_and_not_that_the_map_came(tmp_path: Path) -> None:
    """Without a map an edition says *Receitas* and *Despesas*; with one the same result has other lines."""
    kept, view = february(dre_mapa={}).list_values(), view_of(make_golden())
    first = Edition(FEBRUARY, 1, 1, 1, datetime(2026, 3, 3, 6, tzinfo=UTC))
    with open_warehouse(tmp_path) as warehouse:
        session = cast("Any", SimpleNamespace(order=SimpleNamespace(fechamento=None), warehouse=warehouse))
        keep_edition(warehouse, first, kept)
        assert tell_changes(session, view, [first]) == []
        second = replace(first, edicao=2)
        keep_edition(
            warehouse, second, [(block, key, text, value - (key == "102") * 9) for block, key, text, value in kept]
        )
        (told,) = tell_changes(session, view, [second])
    assert told == (
        "fev/26 mudou depois do fechamento de 03/03: saldo de Poupança 9,00 · lastro run --fechamento 2026-02"
    )


@pytest.mark.parametrize(
    ("fechamento", "day", "closed"),
    [
        (None, date(2026, 3, 16), None),
        (date(2026, 2, 28), date(2026, 3, 16), FEBRUARY),
        (date(2026, 2, 27), date(2026, 3, 16), date(2026, 1, 1)),
        ("dia_util:3", date(2026, 3, 16), FEBRUARY),
        ("dia_util:3", date(2026, 3, 3), date(2026, 1, 1)),  # 02, 03 and 04/03 are the first business days
        ("dia_util:3", date(2026, 3, 4), FEBRUARY),
    ],
)
def test_which_month_is_closed(fechamento: Any, day: date, closed: date | None) -> None:
    golden = make_golden(fechamento=fechamento)
    assert find_last_closed(view_of(replace(golden, data_base=day))) == closed


def test_without_a_map_no_month_closes_by_itself() -> None:
    assert find_map_reason(view_of(make_golden())) == "DRE sem mapa"
    assert find_map_reason(view_of(make_golden(dre_mapa={10: "receita_bruta"}))) == "mapa da DRE parcial"
    assert find_map_reason(view_of(make_golden(fechamento_sem_mapa=True))) == ""


def test_a_comment_is_typed_once(tmp_path: Path) -> None:
    folder = tmp_path / "Comentarios"
    assert read_comment(tmp_path, FEBRUARY) == ()
    folder.mkdir()
    (folder / "2026-02.TXT").write_bytes("# O mês\nFechou.\n# Próximos passos\nCobrar a Ipê.\n".encode("cp1252"))
    found = read_comment(tmp_path, FEBRUARY)
    assert found == (("O mês", True), ("Fechou.", False), ("Próximos passos", True), ("Cobrar a Ipê.", False))
    assert find_next_steps(found) == ("Cobrar a Ipê.",)
    assert read_comment(tmp_path, date(2026, 3, 1)) == ()


def test_the_bridge_in_five_lines_stands_on_cover_and_bridge_and_is_told() -> None:
    """February: result -4,800.00, 5,000.00 of January came in, and 2,000.00 of an account begin their control."""
    closing = Closing(february(), 1)
    wanted = [
        ("Resultado por competência", "-4800.00"), ("Clientes pagaram mais do que se faturou", "5000.00"),
        ("Pagamos o que se gastou", "0.00"), ("Empréstimos, sócios, impostos parcelados", "0.00"),
        ("Transferências e saldos implantados", "2000.00"), ("= Caixa: variação do saldo", "2200.00"),
    ]  # fmt: skip
    sheets = build_sheets(closing)
    for name, part in (("Capa", "capa_ponte"), ("Ponte", "ponte_resumo")):
        found = rows_of(sheets, name, part)
        assert [(row["Linha"], str(row["fev/26"])) for row in found] == wanted
    head, *lines = tell_bridge(closing).splitlines()
    assert head == "fechamento de fev/26, do resultado ao caixa:"
    assert [line.rsplit("  ", 1)[1].strip() for line in lines] == [
        "-4.800,00", "5.000,00", "0,00", "0,00", "2.000,00", "2.200,00"
    ]  # fmt: skip


def with_unnamed() -> ClosedMonth:
    """A February with a map: 500.00 of sales, 9,800.00 without a category, 30.00 of interest that is no revenue."""
    day = {"conta_id": 101, "data_competencia": "2026-02-10", "data_vencimento": "2026-02-10"}
    entries = [
        {**day, "id": number, "categoria_id": categoria, "valor": valor}
        for number, (categoria, valor) in enumerate([(11, "500.00"), (None, "9800.00"), (30, "30.00")], 1)
    ]
    mapa = Parametros(dre_mapa={10: "receita_bruta", 30: "financeiro"})
    return ClosedMonth(view_of(at_end(make_position(entries, parametros=mapa))), FEBRUARY)


def test_there_is_one_revenue_and_what_has_no_category_is_a_line_of_it() -> None:
    sheets = build_sheets(Closing(with_unnamed(), 1))
    cover = rows_of(sheets, "Capa", "capa")
    dre = rows_of(sheets, "DRE", "dre")
    first, unnamed, gross = dre[:3]
    assert (cover[0]["Indicador"], cover[0]["fev/26"]) == (first["Linha"], first["fev/26"])
    assert (cover[1]["fev/26"], unnamed["fev/26"]) == (Decimal("9800.00"), Decimal("9800.00"))
    assert gross["Linha"] == "1 Receita bruta"
    assert (str(first["fev/26"]), str(gross["fev/26"])) == ("10300.00", "500.00")
    whole = rows_of(build_sheets(Closing(february(dre_mapa=MAPA), 1)), "Capa", "capa")
    assert [row["Indicador"] for row in whole][:2] == ["Receita", "Resultado"]


def test_the_notes_have_the_findings_that_move_the_month() -> None:
    """A título of February, open at its end, whose payment is typed as of a year later: its day is of no month."""
    month = february()
    opened = int(month.open_items.loc[~month.open_items["depois"], "linha_id"].iloc[0])
    rows = (
        ("Q15", "linha", opened, date(2027, 10, 16)), ("Q15", "linha", 99_999, date(2027, 10, 16)),
        ("Q11", "conta", 101, None), ("Q06", "titulo", 99_999, date(2026, 2, 3)), ("Q05", "linha", 99_999, None),
    )  # fmt: skip
    columns = [describe_column(key) for key in ("regra", "tipo", "id", "dia")]
    kinds = (Kind.TEXT, Kind.TEXT, Kind.INTEGER, Kind.DATE)
    items = Table("achados_itens", tuple(replace(c, kind=k) for c, k in zip(columns, kinds, strict=True)), rows, "")
    named = [SimpleNamespace(regra=regra) for regra in ("Q05", "Q06", "Q11", "Q15")]
    catalogue = cast("Any", SimpleNamespace(reports=[Report("R15", "", (), (items,))], findings=named))
    assert [(finding.regra, many) for finding, many in list_findings(catalogue, month)] == [
        ("Q06", 1), ("Q11", 1), ("Q15", 1),
    ]  # fmt: skip


def test_the_pack_fits_ten_pages_each_as_wide_as_its_sheet(tmp_path: Path) -> None:
    """Whoever prints makes each sheet fit, however many categories, centres and notes: 1, 2 for DRE and Notas."""
    stamp = Stamp("Empresa Ouro Ltda", F, datetime(2026, 3, 16, 6), "BRT", 1, 2, 2)  # noqa: DTZ001
    long = tuple((f"Lançamento {number}", False) for number in range(200))
    entries = tuple((number, "Aluguel", Decimal("-1.00"), Decimal("-2.00")) for number in range(300))
    sheets = build_sheets(Closing(february(), 2, comentario=long, lancamentos=entries))
    path = render_workbook(Workbook("fechamento", stamp, sheets), tmp_path / "um.xlsx")
    book: Any = openpyxl.load_workbook(path)
    shown = [one for one in book.worksheets if one.sheet_state == "visible"]
    assert [one.page_setup.fitToWidth for one in shown] == [1] * 8
    assert all(one.sheet_properties.pageSetUpPr.fitToPage and len(areas_of(one)) == 1 for one in shown)
    pages = {one.title: one.page_setup.fitToHeight or count_pages(one) for one in shown}
    assert sum(pages.values()) <= 10, pages
    assert (pages["Capa"], pages["Saldos"], pages["Notas"]) == (1, 1, 2)
    cover = book["Capa"]
    assert len(cover._charts) == 2
    texts = [cell.value for row in cover.iter_rows() for cell in row if isinstance(cell.value, str)]
    assert "Texto" not in texts
    assert any(text.startswith("Responsável: ____") for text in texts)
    reason = next(cell for row in cover.iter_rows() for cell in row if cell.value == "Comentário")
    assert any(reason.coordinate in merged for merged in cover.merged_cells.ranges)


def test_result_and_cash_are_drawn_of_twelve_months() -> None:
    """January 3,500.00 and February -4,800.00 of result; of the balance the month's end."""
    result, cash = build_sheets(Closing(february(), 1))[0].charts
    assert (len(result.categories), result.categories[-1]) == (12, "fev/26")
    assert [str(value) for value in result.series[0].values[-2:]] == ["3500.00", "-4800.00"]
    moved, balance = cash.series
    assert str(balance.values[-1]) == "10700.00"
    assert [str(value) for value in moved.values[-2:]] == ["-1500.00", "200.00"]
