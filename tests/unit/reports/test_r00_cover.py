"""R00: the golden KPIs (section 5), comparison with the previous run, states, lists of the cover."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.export.cover import PAGE_POINTS, find_heights, paint_cover
from lastro.grid.cells import Link
from lastro.grid.sections import SCREEN_ONLY, Mark, Style
from lastro.grid.verdict import FALHOU, Finding, Verification
from lastro.reports.facts import EarlierReport
from lastro.reports.r00_cover import SPEC as R00
from lastro.reports.r14_changes import NO_HISTORY
from lastro.reports.shared.kpis import list_kpis
from lastro.settings import Conta, Parametros, SaldoConferido
from lastro.transform.openings import list_configured
from tests.bare import store_statements
from tests.golden import expected
from tests.unit.reports.positions import entry, make_golden, make_position
from tests.unit.reports.readers import record, records, section, table
from tests.views import view_of

ZERO = Decimal("0.00")


GOLDEN_KPIS = {
    "saldo_ontem": Decimal("15980.00"),
    "saldo_atual": expected.R01["saldo_total"],
    # 9003 is in transit and its entry open: the balance does not hold it.
    "saldo_estimado_banco": Decimal("15980.00"),
    "menor_saldo_contratual": expected.R02["menor_saldo"],
    # The customer's money comes before the 900.00 of 31/03 leave; the overdue rent leaves on no day.
    "menor_saldo_habitos": Decimal("15980.00"),
    "menor_saldo_conservador": Decimal("13580.00"),  # 15980 - 1500 - 900
    "data_menor_saldo": date(2026, 3, 31),
    **{
        f"primeiro_{what}_{name}": None
        for what in ("negativo", "abaixo_minimo")
        for name in ("contratual", "habitos", "conservador")
    },
    "atrasado_a_pagar": Decimal("-1500.00"),  # 1004
    "atrasado_a_receber": ZERO,  # the charge of 1011 is paid, 1012 comes on 13/04 by habit
    "a_receber_hoje": ZERO,
    "a_receber_7": ZERO,
    "a_receber_30": Decimal("3500.00"),
    "a_pagar_hoje": ZERO,
    "a_pagar_7": ZERO,
    "a_pagar_30": Decimal("-900.00"),
    "vencido_efetivo_a_receber": Decimal("2400.00"),
    "em_carencia_a_receber": expected.R09["em_carencia"],
    "vencido_a_receber": expected.R09["vencido"],
    "vencido_efetivo_a_pagar": Decimal("-1500.00"),
    "em_carencia_a_pagar": ZERO,
    "vencido_a_pagar": Decimal("-1500.00"),
    "pct_carteira_vencida": expected.R10["carteira"][2],
    "inadimplencia_90": expected.R10["acima_90"][2],
    "pmr": expected.PRAZOS["pmr"],
    "pmp_fornecedores": None,
    # 1 to 16 March: 1012; -1500 rent and -120. 1 to 16 February: rent and the payroll of 01/02.
    "receita_ate_dia": Decimal("1000.00"),
    "receita_ate_dia_mes_anterior": ZERO,
    "receita_ate_dia_ano_anterior": ZERO,
    "resultado_ate_dia": Decimal("-620.00"),
    "resultado_ate_dia_mes_anterior": Decimal("-4600.00"),
    "resultado_ate_dia_ano_anterior": ZERO,
    "mapa_estado": 1,
    "mapa_sem_grupo": Decimal("16620.00"),  # all that is no Aporte, from 1011 to 1012
    "saldos_que_faltam": 0,
    "fluxo_operacional_mes": Decimal("-720.00"),
    "em_transito_no_saldo": ZERO,
    "em_transito_fora": expected.R11["em_transito"],
    "taxas_nao_lancadas": Decimal("104.68"),
    "cobrancas_pagas_em_aberto_qtde": 1,
    "cobrancas_pagas_em_aberto_valor": Decimal("2400.00"),
    # 1011 and 1012 have a live charge; 1015 is due later.
    "sem_cobranca_vencidos_qtde": 0,
    "sem_cobranca_vencidos_valor": ZERO,
    "sem_cobranca_7_dias_qtde": 0,
    "sem_cobranca_7_dias_valor": ZERO,
    "dias_de_caixa": expected.PRAZOS["dias_de_caixa"],
    "verificacoes_com_falha": 0,
}
"""In the order in which they stand."""


def test_golden_kpis() -> None:
    kpis = {kpi.slug: kpi.valor for kpi in list_kpis(view_of(make_golden()))}
    assert kpis == GOLDEN_KPIS


def test_margin_and_ebitda_are_there_only_with_a_map() -> None:
    mapa = {10: "receita_bruta", 20: "administrativas", 22: "pessoal", 23: "custos_variaveis", 24: "comerciais",
            30: "fora"}  # fmt: skip
    kpis = {kpi.slug: kpi.valor for kpi in list_kpis(view_of(make_golden(dre_mapa=mapa)))}
    # 1000 - 120; less the rent.
    assert (kpis["margem_contribuicao"], kpis["ebitda"]) == (Decimal("880.00"), Decimal("-620.00"))
    assert (kpis["mapa_estado"], kpis["resultado_ate_dia"]) == (2, Decimal("-620.00"))
    for partial in ({}, {30: "fora"}, {10: "receita_bruta", 30: "fora"}):
        slugs = {kpi.slug for kpi in list_kpis(view_of(make_golden(dre_mapa=partial)))}
        assert not slugs & {"margem_contribuicao", "ebitda"}


def test_the_line_of_the_headline_alone_has_a_state() -> None:
    """15080.00 are left on 31/03; with the overdue rent paid today it would be 13580.00."""
    names = ("contratual", "habitos", "conservador")
    for minimum, state in (("14000.00", "OK"), ("15080.01", "Atenção")):
        kpis = {kpi.slug: kpi for kpi in list_kpis(view_of(make_golden(saldo_minimo=Decimal(minimum))))}
        assert [kpis[f"menor_saldo_{name}"].situacao for name in names] == [state, None, None]


@pytest.mark.parametrize(
    ("late", "state"), [("9.99", "OK"), ("10.00", "Atenção"), ("24.99", "Atenção"), ("25.00", "Crítico")]
)
def test_overdue_is_graded_by_its_share(late: str, state: str) -> None:
    entries = [entry(1, late, "2026-03-02"), entry(2, str(Decimal(100) - Decimal(late)), "2026-04-02")]
    kpis = list_kpis(view_of(make_position(entries)))
    assert {kpi.slug: kpi.situacao for kpi in kpis}["vencido_efetivo_a_receber"] == state


def test_charges_that_the_bank_still_holds_are_not_in_its_balance() -> None:
    # 80.00 settled here, its charge (79.00 net) not passed on yet.
    charge = {"id": 1, "valor": "80.00", "valor_taxa": "-1.00", "valor_pago": "80.00", "lancamento_ids": "1",
              "status_descricao": "Transferindo", "data_vencimento": "2026-03-12"}  # fmt: skip
    position = make_position([entry(1, "80.00", "2026-03-12", "2026-03-12")], cobrancas=[charge])
    kpis = {kpi.slug: kpi.valor for kpi in list_kpis(view_of(position))}
    assert (kpis["em_transito_no_saldo"], kpis["em_transito_fora"]) == (Decimal("79.00"), ZERO)
    assert kpis["saldo_estimado_banco"] == kpis["saldo_atual"] - Decimal("80.00")  # type: ignore[operator]
    assert kpis["taxas_nao_lancadas"] == Decimal("-1.00")
    cover = R00.build(view_of(position)).cover
    assert cover is not None
    assert cover.tiles[0].lines[1] == "no banco (estimado): R$ 0,00"


def test_the_larger_difference_is_told_with_its_account_and_a_variation_tells_none() -> None:
    contas = [
        Conta(101, "Banco do Comércio Exterior", Decimal("0.00"), saldos_conferidos=(_said("2026-03-12", "79.00"),)),
        Conta(102, "Caixinha", Decimal("0.00"), saldos_conferidos=(_said("2026-03-10", "9000.00"),)),
        Conta(103, "Nova"),
    ]
    charge = {"id": 1, "valor": "80.00", "valor_pago": "80.00", "lancamento_ids": "2", "data_vencimento": "2026-03-14",
              "status_descricao": "Transferindo"}  # fmt: skip
    entries = [entry(1, "80.00", "2026-03-12", "2026-03-12"), entry(2, "80.00", "2026-03-14", "2026-03-14")]
    # The bank's statement is newer, the other account differs by more.
    for known, said in ((2, "Caixinha em 10/03: 9.000,00 · o livro tem 9.000,00 a menos"), (3, "")):
        minimum = Parametros(saldo_minimo=Decimal("50.00"))
        position = make_position(entries, contas=contas[:known], cobrancas=[charge], parametros=minimum)
        statements = store_statements(list_configured(contas[:2]), set())
        report = R00.build(view_of(replace(position, extrato_saldos=statements)))
        assert report.cover is not None
        assert report.cover.tiles[0].lines[1] == said
        assert ("Saldo mínimo" in {line.name for line in report.charts[0].series}) is bool(said)


def _said(day: str, valor: str) -> SaldoConferido:
    return SaldoConferido(date.fromisoformat(day), Decimal(valor))


def test_receivables_that_nobody_asks_for_are_counted() -> None:
    entries = [entry(1, "10.00", "2026-03-10"), entry(2, "20.00", "2026-03-23"), entry(3, "40.00", "2026-03-24")]
    kpis = {kpi.slug: kpi.valor for kpi in list_kpis(view_of(make_position(entries)))}
    names = ("vencidos_qtde", "vencidos_valor", "7_dias_qtde", "7_dias_valor")
    assert [kpis[f"sem_cobranca_{name}"] for name in names] == [1, Decimal("10.00"), 1, Decimal("20.00")]


def test_other_parameters_leave_no_variation() -> None:
    kpis = {"saldo_atual": Decimal("10700.00"), "pmr": Decimal("50.00")}
    told = EarlierReport(date(2026, 2, 27), kpis, mudados=("dre_mapa",))
    report = R00.build(view_of(make_golden(), anteriores=[told]))
    row = record(table(report, "resumo"), kpi="pmr")
    assert (row["Relatório anterior"], row["Variação"]) == (Decimal("50.00"), None)
    # Of a balance the books of now tell both sides.
    assert record(table(report, "resumo"), kpi="saldo_atual")["Variação"] == Decimal("5280.00")
    assert {row["Kpi"] for row in records(table(report, "kpis_tendencia")) if row["Ordem"] == 1} == {"saldo_atual"}
    sheet = section(report, "indicadores")
    assert sheet.columns[2].header == "Relatório anterior (27/02/2026)"
    assert "Variação em branco: parâmetros mudaram desde o relatório anterior (dre_mapa)." in sheet.notes


def test_the_trend_ends_with_this_report() -> None:
    past = [EarlierReport(date(2026, *day), {"pmr": Decimal(pmr)}) for day, pmr in (((2, 27), 50), ((3, 9), 51))]
    rows = records(table(R00.build(view_of(make_golden(), anteriores=past)), "kpis_tendencia"))
    assert [(row["Ordem"], row["Data-base"], row["Valor"]) for row in rows if row["Kpi"] == "pmr"] == [
        (1, date(2026, 2, 27), Decimal("50.00")), (2, date(2026, 3, 9), Decimal("51.00")),
        (3, date(2026, 3, 16), Decimal("52.80")),
    ]  # fmt: skip


SUMMED = "saldo_estimado_banco"


@pytest.mark.parametrize(
    ("told", "compared"),
    [
        ({}, {"saldo_atual", "saldo_ontem", SUMMED, "pmr"}),
        # Another statement moves every balance, and no money: of a past day the books of now say what it was.
        ({"mesmas_aberturas": False}, {"saldo_atual", "saldo_ontem", "pmr"}),
        ({"so_variacao": frozenset({"saldo_atual", "saldo_ontem", SUMMED})}, {"saldo_atual", "saldo_ontem", "pmr"}),
        ({"mudados": ("dre_mapa",)}, {"saldo_atual", "saldo_ontem"}),
    ],
)
def test_one_rule_says_what_is_compared_wherever_it_is_printed(told: dict[str, Any], compared: set[str]) -> None:
    names = ("saldo_atual", "saldo_ontem", SUMMED, "pmr")
    earlier = EarlierReport(date(2026, 2, 27), dict.fromkeys(names, Decimal("1.00")), **told)
    report = R00.build(view_of(make_golden(), anteriores=[earlier]))
    for name in ("resumo", "indicadores"):
        rows = [row for row in records(table(report, name)) if row["Relatório anterior"] is not None]
        assert {row["Kpi"] for row in rows} == set(names)
        assert {row["Kpi"] for row in rows if row["Variação"] is not None} == compared
        # By hand: on 27/02 the payroll of 3,100.00 was paid, whatever the report of that day said.
        assert {row["Kpi"]: row["Relatório anterior"] for row in rows} == {
            "saldo_atual": Decimal("10700.00"), "saldo_ontem": Decimal("13800.00"),
            SUMMED: Decimal("1.00"), "pmr": Decimal("1.00"),
        }  # fmt: skip
    assert {row["Kpi"] for row in records(table(report, "kpis_tendencia")) if row["Ordem"] == 1} == compared
    assert report.cover is not None
    assert report.cover.tiles[0].lines[0] == "▲ R$ 5.280,00 desde o relatório anterior"
    said = "Saldo de 27/02/2026 pelos livros de hoje: R$ 10.700,00. O relatório daquele dia disse R$ 1,00."
    assert said in section(report, "indicadores").notes


def test_rows_carry_their_key_and_lead_to_their_sheet() -> None:
    position = make_golden()
    report = R00.build(view_of(position))
    rows = section(report, "indicadores").rows
    # A day that does not come is in SQL alone.
    told = {row.key for row in rows if row.key} - {SCREEN_ONLY}
    assert told == {f"kpi_{slug}" for slug in GOLDEN_KPIS if not slug.startswith("primeiro_")}
    blocks = [row.cells[0] for row in rows if row.style is Style.SECTION]
    assert blocks == ["Caixa", "Resultado", "Receber", "Pagar", "Prazos", "Confiança"]
    assert [row.cells[0] for row in rows if row.key == SCREEN_ONLY] == ["Receber"]  # paper has the blocks above it
    links = {row.key: row.cells[-1] for row in rows}
    assert links["kpi_menor_saldo_contratual"] == Link("Fluxo diário »", sheet="Fluxo diário", key="dia_2026-03-31")
    assert links["kpi_resultado_ate_dia"] == Link("DRE »", sheet="DRE")


def test_previous_report_is_compared_not_recomputed() -> None:
    anterior = {
        "saldo_atual": Decimal("10700.00"),
        "pmr": Decimal("50.00"),
        "cobrancas_pagas_em_aberto_qtde": Decimal(3),
    }
    report = R00.build(view_of(make_golden(), anteriores=[EarlierReport(date(2026, 2, 27), anterior)]))
    cells = {row.key: row.cells for row in section(report, "indicadores").rows}
    values = [[cell.value for cell in cells[f"kpi_{slug}"][2:4]] for slug in anterior]  # type: ignore[union-attr]
    assert values == [
        [Decimal("10700.00"), Decimal("5280.00")], [Decimal("50.0"), Decimal("2.8")], [3, -2],
    ]  # fmt: skip
    assert cells["kpi_pmp_fornecedores"][2].value is None  # type: ignore[union-attr]
    row = record(table(report, "resumo"), kpi="saldo_atual")
    assert (row["Relatório anterior"], row["Variação"]) == (Decimal("10700.00"), Decimal("5280.00"))


def test_first_run_says_that_history_comes_later() -> None:
    report = R00.build(view_of(make_golden()))
    assert section(report, "resumo_mudancas").rows[0].cells[0] == f"{NO_HISTORY}."
    assert report.cover is not None
    assert report.cover.before == "Primeiro relatório: ainda não há com o que comparar."
    assert report.cover.check is None  # nothing is added again without Qualidade


@pytest.mark.parametrize(
    ("balance", "minimum", "state"),
    [("-0.01", "0.00", "Crítico"), ("99.99", "100.00", "Atenção"), ("100.00", "100.00", "OK")],
)
def test_state_of_the_lowest_balance(balance: str, minimum: str, state: str) -> None:
    position = make_position(
        [entry(1, balance, "2026-03-10", "2026-03-10")], parametros=Parametros(saldo_minimo=Decimal(minimum))
    )
    kpis = {kpi.slug: kpi for kpi in list_kpis(view_of(position))}
    assert kpis["menor_saldo_contratual"].situacao == state
    assert kpis["data_menor_saldo"].valor == date(2026, 3, 16)


def test_the_first_day_of_a_shortage_is_told_of_each_projection() -> None:
    """100.00; -150.00 due on 20/03 and 90.00 on 24/03; 60.00 of 02/03 is overdue, to be paid."""
    entries = [
        entry(1, "100.00", "2026-03-10", "2026-03-10"), entry(2, "-150.00", "2026-03-20"),
        entry(3, "90.00", "2026-03-24"), entry(4, "-60.00", "2026-03-02"),
    ]  # fmt: skip
    position = make_position(entries, parametros=Parametros(saldo_minimo=Decimal("50.00")))
    kpis = {kpi.slug: kpi for kpi in list_kpis(view_of(position))}
    names = [f"{what}_{name}" for what in ("negativo", "abaixo_minimo") for name in ("contratual", "conservador")]
    days = {name: kpis[f"primeiro_{name}"].valor for name in names}
    # As booked 100 until the 20th, then -50; with what is overdue 40 from today on, -110 on the 20th.
    assert days == {
        "negativo_contratual": date(2026, 3, 20), "negativo_conservador": date(2026, 3, 20),
        "abaixo_minimo_contratual": date(2026, 3, 20), "abaixo_minimo_conservador": date(2026, 3, 16),
    }  # fmt: skip


def test_failed_checks_colour_the_cover() -> None:
    checks = [Verification("V19", "", "alerta", FALHOU, resumo="falhou"), Verification("V01", "", "erro", "ok")]
    kpis = {kpi.slug: kpi for kpi in list_kpis(view_of(make_golden(), verifications=checks))}
    assert (kpis["verificacoes_com_falha"].valor, kpis["verificacoes_com_falha"].situacao) == (1, "Atenção")
    checks.append(Verification("V02", "o fluxo fecha", "erro", FALHOU))
    checks += [
        Verification("V11", "existem", "alerta", FALHOU),
        Verification("V32", "", "alerta", FALHOU, resumo="mês"),
    ]
    checks[0] = replace(checks[0], peso=2)
    finding = Finding("Q01", "sem categoria", "alerta", 4, None, (), "", "")
    graver = replace(finding, regra="Q41", titulo="risco", peso=1)
    report = R00.build(view_of(make_golden(), verifications=checks, findings=[finding, graver]))
    assert [row.cells[0] for row in section(report, "resumo_alertas").rows] == [
        "Erro: não confere: o fluxo fecha", "Alerta: risco", "Alerta: falhou", "Alerta: não confere: existem",
        "Alerta: sem categoria",
    ]  # fmt: skip
    # A closed month that changed is told once, among the changes, as the alert that the badge counts.
    assert section(report, "resumo_mudancas").rows[0].cells[0] == "Alerta: mês"
    assert report.cover is not None
    alerts = next(part for part in report.cover.parts if part.section.name == "resumo_alertas")
    many = replace(alerts, section=replace(alerts.section, rows=(*alerts.section.rows,) * 20))
    parts = tuple(many if part is alerts else part for part in report.cover.parts)
    painted = paint_cover(replace(report.cover, parts=parts))
    told = [str(one.value) for one in painted if str(one.value).startswith(("Erro", "Alerta: "))]
    assert len(told) > 20
    # What changed of closed months is told above, and is none of the hundred.
    assert f"e mais {101 - len(told)} em Qualidade" in [one.value for one in painted]
    assert "Nada vence nos próximos 7 dias" in [one.value for one in painted]
    assert PAGE_POINTS - 30 < sum(find_heights(painted).values()) <= PAGE_POINTS
    assert section(report, "indicadores").rows[-1].cells[4] == "Crítico"


def test_a_long_alert_is_told_whole_in_a_row_that_is_as_high() -> None:
    check = Verification("V19", "", "alerta", FALHOU, resumo="palavra " * 30)
    cover = R00.build(view_of(make_golden(), verifications=[check])).cover
    assert cover is not None
    (cell,) = [one for one in paint_cover(cover) if str(one.value).startswith("Alerta: palavra")]
    # 248 letters, 115 in a line of the first five columns.
    assert (str(cell.value), cell.last, cell.look.wrap, cell.points) == ("Alerta: " + "palavra " * 30, 5, True, 45)
    second = "Banco do Comércio Exterior em 12/03: 79,00 · o livro tem 1,00 a mais (sem 80,00 em trânsito)"
    long = paint_cover(replace(cover, tiles=(replace(cover.tiles[0], lines=("", second)), *cover.tiles[1:])))
    (line,) = [one for one in long if one.value == second]
    # 93 letters of the small type in the first column, which has room for 53: two lines, and the row is as high.
    assert (line.look.wrap, round(line.points), round(find_heights(long)[line.row])) == (True, 30, 30)


def test_the_five_largest_of_the_next_seven_days() -> None:
    entries = [entry(number, f"{number}.00", "2026-03-20") for number in range(1, 7)]
    entries += [
        entry(7, "-50.00", "2026-03-23", categoria_id=21),
        entry(8, "99.00", "2026-03-24"),  # eighth day
        entry(9, "77.00", "2026-03-15"),  # overdue
        entry(10, "88.00", "2026-03-18", categoria_id=None, lancamento_transferencia_id=11),
    ]
    rows = section(R00.build(view_of(make_position(entries))), "resumo_proximos").rows
    assert [row.cells[1] for row in rows] == [Decimal(f"{value}.00") for value in (-50, 6, 5, 4, 3)]
    assert rows[0].cells[3] == Link("Pagar títulos »", sheet="Pagar títulos", key="titulo_id=7")


def test_receivable_of_today_is_counted_once_in_each_window() -> None:
    entries = [entry(1, "10.00", "2026-03-16"), entry(2, "5.00", "2026-03-23"), entry(3, "1.00", "2026-04-15")]
    kpis = {kpi.slug: kpi.valor for kpi in list_kpis(view_of(make_position(entries)))}
    assert [kpis[f"a_receber_{name}"] for name in ("hoje", "7", "30")] == [
        Decimal("10.00"), Decimal("15.00"), Decimal("16.00"),
    ]  # fmt: skip


def test_account_without_opening_balance_flags_the_balances() -> None:
    position = make_position([entry(1, "10.00", "2026-03-10", "2026-03-10")], contas=[Conta(101)])
    rows = {row.key: row for row in section(R00.build(view_of(position)), "indicadores").rows}
    assert Mark.PROVISIONAL in rows["kpi_saldo_atual"].marks
    assert Mark.PROVISIONAL not in rows["kpi_pmr"].marks
    # A variation has no state, and no day on which it falls short.
    assert rows["kpi_saldo_atual"].cells[4] is None
    kpis = {kpi.slug: kpi for kpi in list_kpis(view_of(position))}
    assert (kpis["menor_saldo_contratual"].situacao, kpis["primeiro_negativo_contratual"].ausente) == (
        None, "saldo desconhecido",
    )  # fmt: skip
    cover = R00.build(view_of(position)).cover
    assert cover is not None
    assert (cover.tiles[0].title, cover.verdict.text) == ("CAIXA HOJE (variação)", "Variação, não saldo")
    assert cover.verdict.detail == "sem saldo inicial: Conta #101"
    assert cover.tiles[2].lines[0] == "sem saldo conhecido que os cubra"
    assert R00.build(view_of(position)).charts[0].title == "Variação desde o início dos lançamentos"
    told = {row["Kpi"]: row["Só variação"] for row in records(table(R00.build(view_of(position)), "resumo"))}
    assert (told["saldo_atual"], told["pmr"]) == (True, False)


def test_what_cannot_be_divided_is_blank() -> None:
    position = make_position([entry(1, "10.00", "2026-03-10", "2026-03-10")])
    kpis = {kpi.slug: kpi for kpi in list_kpis(view_of(replace(position, cobrancas=position.cobrancas.head(0))))}
    assert kpis["dias_de_caixa"].valor is None
    assert kpis["pct_carteira_vencida"].valor is None
    assert kpis["em_transito_fora"].valor == Decimal("0.00")


def test_sources() -> None:
    report = R00.build(view_of(make_golden(), fontes=[("Lançamentos", "18 linhas")]))
    assert section(report, "resumo_fontes").rows[0].cells == ("Lançamentos", "18 linhas")
    kinds = {row["Kpi"]: row["Unidade"] for row in records(table(report, "resumo"))}
    assert (kinds["pmr"], kinds["saldo_atual"], kinds["data_menor_saldo"]) == ("dias", "R$", "data")
