"""Rules the golden set does not reach, each with a figure worked by hand."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests import oracle
from tests.golden import dataset
from tests.oracle.charges import charge_status, split_ids
from tests.oracle.context import aging_bucket
from tests.oracle.days import BusinessDays, add_months, bank_holidays, easter, iso_week
from tests.oracle.flow import projected
from tests.oracle.open_items import ETAPAS, stage
from tests.oracle.people import abc
from tests.oracle.values import growth, one_decimal, parse_money, parse_reference, percent, round_money

Dec = Decimal
D = date(2026, 3, 16)


def _row(row_id: int, valor: str, due: str, paid: str | None = None, **fields: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": row_id, "conta_id": 1, "categoria_id": None, "pessoa_id": None, "valor": valor, "data_vencimento": due,
        "data_pagamento": paid, "data_competencia": due, "descricao": f"e{row_id}", "itens_adicionais": [], "tags": [],
    }  # fmt: skip
    row.update(fields)
    return row


def _ctx(rows: list[dict[str, Any]], *, start: str | None = None, opening: str = "0.00", **others: Any):
    extraction = others.pop("data_extracao", D)
    charges = others.pop("cobrancas", [])
    account = {"conta_id": 1, "data_saldo_inicial": start, "valor_saldo_inicial": opening}
    payload = {
        "lancamentos": rows,
        "cobrancas": charges,
        "categorias": dataset.categorias(),
        "clientes": dataset.pessoas(),
        "fornecedores": [],
        "contas": others.pop("contas", [account]),
        "parametros": {},
        "data_extracao": extraction,
    }
    return oracle.build_context(payload, data_base=others.pop("data_base", D), **others)


# --- values and calendar ---


def test_reading():
    assert parse_money("10.0") == Dec("10.00")
    assert str(parse_money("-0.5")) == "-0.50"
    assert [parse_reference(value) for value in (0, "", None, "0", "7", 7)] == [None, None, None, None, 7, 7]
    for wrong in ("1.005", "1e2", "abc"):
        with pytest.raises(ValueError, match=r"amount|two places"):
            parse_money(wrong)
    with pytest.raises(TypeError):
        parse_money(1.5)


def test_rounding():
    assert [round_money(Dec(text)) for text in ("0.005", "-0.005", "1.004")] == [Dec("0.01"), Dec("-0.01"), Dec("1.00")]
    assert (percent(Dec(1), Dec(3)), percent(Dec(1), Dec(0))) == (Dec("33.33"), None)
    assert (growth(Dec(150), Dec(100)), growth(Dec(1), Dec(0))) == (Dec("50.00"), None)
    assert (one_decimal(3400, 5800, 90), one_decimal(1, 4), one_decimal(-1, 4)) == (
        Dec("52.8"),
        Dec("0.3"),
        Dec("-0.3"),
    )


@pytest.mark.parametrize(
    ("year", "sunday"),
    [
        (2008, date(2008, 3, 23)),
        (2019, date(2019, 4, 21)),
        (2024, date(2024, 3, 31)),
        (2025, date(2025, 4, 20)),
        (2026, date(2026, 4, 5)),
        (2038, date(2038, 4, 25)),
        (2049, date(2049, 4, 18)),
        (2076, date(2076, 4, 19)),
    ],
)
def test_easter(year, sunday):
    assert easter(year) == sunday


def test_bank_holidays_of_2026():
    assert sorted(bank_holidays(2026)) == [
        date(2026, 1, 1), date(2026, 2, 16), date(2026, 2, 17), date(2026, 4, 3), date(2026, 4, 21), date(2026, 5, 1),
        date(2026, 6, 4), date(2026, 9, 7), date(2026, 10, 12), date(2026, 11, 2), date(2026, 11, 15),
        date(2026, 11, 20), date(2026, 12, 25),
    ]  # fmt: skip
    assert date(2023, 11, 20) not in bank_holidays(2023)


def test_business_days():
    days = BusinessDays()
    assert days.is_business_day(date(2026, 2, 18))  # Ash Wednesday
    assert days.adjust(date(2026, 2, 14)) == date(2026, 2, 18)  # Carnival weekend, Monday and Tuesday
    assert days.adjust(date(2026, 2, 17), earlier=True) == date(2026, 2, 13)
    assert days.is_business_day(date(2026, 12, 31))
    assert not BusinessDays(last_day_counts=False).is_business_day(date(2026, 12, 31))
    assert BusinessDays(last_day_counts=False).is_business_day(date(2026, 12, 30))
    assert not BusinessDays(last_day_counts=False).is_business_day(date(2027, 12, 31))  # a Friday
    assert not BusinessDays([D]).is_business_day(D)


def test_periods():
    assert add_months(date(2026, 1, 31), 1) == date(2026, 2, 28)
    assert add_months(date(2025, 11, 30), 15) == date(2027, 2, 28)
    assert iso_week(date(2027, 1, 1)) == (2026, 53)


def test_aging_limits():
    limits = (0, 1, 30, 31, 60, 61, 90, 91, 180, 181)
    assert [aging_bucket(days) for days in limits] == [
        "A vencer", "1-30", "1-30", "31-60", "31-60", "61-90", "61-90", "91-180", "91-180", ">180",
    ]  # fmt: skip


# --- S1, S2 ---


def _item(item_id: int, valor: str, **fields: Any) -> dict[str, Any]:
    return {"id": item_id, "descricao": "i", "valor": valor, "categoria_id": 21, "tags": [], **fields}


def test_the_row_fetched_last_wins():
    ctx = _ctx([_row(5, "1.00", "2026-03-20"), _row(5, "2.00", "2026-03-20")])
    assert [linha["valor"] for linha in ctx.linhas] == [Dec("2.00")]


def test_an_item_with_the_id_of_a_simple_entry_is_another_thing():
    rows = [
        _row(1, "10.00", "2026-03-20", lancamento_composto_id=80, itens_adicionais=[_item(2, "3.00")]),
        _row(2, "7.00", "2026-03-21"),
    ]
    ctx = _ctx(rows, cobrancas=[_charge(1, "7.00", "2")])
    keys = [(x["origem"], x["linha_id"], x["titulo_id"], x["valor"]) for x in ctx.linhas]
    assert sorted(keys) == [
        ("item", 2, 1, Dec("3.00")),
        ("lancamento", 1, 1, Dec("10.00")),
        ("lancamento", 2, 2, Dec("7.00")),
    ]
    assert ctx.cobrancas[1]["titulos"] == [2]  # a row before an item of equal id


def test_an_item_with_the_id_of_a_row_of_another_composite_is_kept():
    rows = [
        _row(1, "10.00", "2026-03-20", lancamento_composto_id=80, itens_adicionais=[_item(3, "3.00")]),
        _row(2, "7.00", "2026-03-21", lancamento_composto_id=81, itens_adicionais=[_item(3, "5.00")]),
        _row(3, "5.00", "2026-03-21", lancamento_composto_id=81),
    ]
    ctx = _ctx(rows)
    assert {key: titulo["valor"] for key, titulo in ctx.titulos.items()} == {1: Dec("13.00"), 2: Dec("12.00")}


def test_what_a_nested_item_inherits():
    row = _row(1, "10.00", "2026-03-20", "2026-03-16", lancamento_composto_id=0, pessoa_id=501, forma_pagamento_id=301,
               centro_custo_lucro_id=201, grupo_id=9, tags=[{"id": 1}],
               itens_adicionais=[_item(2, "3.00", centro_custo_lucro_id=0)])  # fmt: skip
    ctx = _ctx([row])
    item = next(linha for linha in ctx.linhas if linha["origem"] == "item")
    assert (item["composto"], item["centro_custo_lucro_id"], item["pessoa_id"], item["grupo_id"]) == (-1, None, 501, 9)
    assert (item["data_pagamento"], item["tags"], item["forma_pagamento_id"]) == (D, [], 301)


def test_one_composite_in_two_titulos():
    rows = [
        _row(1, "10.00", "2026-03-20", lancamento_composto_id=80),
        _row(2, "5.00", "2026-03-20", lancamento_composto_id=80, itens_adicionais=[_item(3, "1.00")]),
        _row(4, "7.00", "2026-04-20", lancamento_composto_id=80),
    ]
    ctx = _ctx(rows)
    # the row with items is the carrier although its id is higher; item 3 shares its dates
    assert {key: titulo["valor"] for key, titulo in ctx.titulos.items()} == {2: Dec("16.00"), 4: Dec("7.00")}
    assert ctx.modo["n0"] == 1


def test_mode_evidence():
    equal_pair = _row(1, "10.00", "2026-03-20", itens_adicionais=[_item(2, "10.00")])
    ctx = _ctx([equal_pair])
    assert (ctx.modo["modo"], ctx.modo["n0"], ctx.modo["n1"]) == ("parcela", 0, 0)  # one equal item proves nothing
    total_row = _row(5, "10.00", "2026-03-20", itens_adicionais=[_item(6, "4.00"), _item(7, "6.00")])
    ctx = _ctx([equal_pair, total_row])
    assert ctx.modo["modo"] == "total"
    assert sum(linha["valor"] for linha in ctx.linhas) == Dec("20.00")
    against = _row(8, "10.00", "2026-03-20", itens_adicionais=[_item(9, "4.00"), _item(10, "7.00")])
    ctx = _ctx([equal_pair, total_row, against])
    assert (ctx.modo["modo"], ctx.modo["v14"]) == ("parcela", "erro")  # n1 is half of the evidence


def test_total_mode_adds_the_missing_difference():
    row = _row(5, "10.00", "2026-03-20", categoria_id=12, itens_adicionais=[_item(6, "4.00"), _item(7, "5.50")])
    ctx = _ctx([row], composto_valor_pai="total")
    assert [(x["origem"], x["linha_id"], x["categoria_id"], x["valor"]) for x in ctx.linhas] == [
        ("item", 6, 21, Dec("4.00")),
        ("item", 7, 21, Dec("5.50")),
        ("diferenca", 5, 12, Dec("0.50")),
    ]
    assert oracle.data_checks(ctx)["V14"]


# --- S3 to S8 ---


def test_a_payment_after_d_is_open_and_one_after_the_extraction_is_scheduled():
    rows = [_row(1, "-10.00", "2026-03-10", "2026-03-18"), _row(2, "-20.00", "2026-03-10", "2026-03-25")]
    ctx = _ctx(rows, data_extracao=date(2026, 3, 20))
    assert {t: ctx.titulos[t]["data_prevista"] for t in (1, 2)} == {1: date(2026, 3, 10), 2: date(2026, 3, 25)}
    assert {t: ctx.titulos[t]["situacao"] for t in (1, 2)} == {1: "Vencido", 2: "Agendado"}
    flows = {row["data"]: row["saidas_previstas"] for row in oracle.r02(ctx)}
    assert (flows[date(2026, 3, 25)], sum(flows.values())) == (Dec("-20.00"), Dec("-20.00"))


@pytest.mark.parametrize(
    ("rule", "today", "memo"),
    [
        ("separado", Dec("0.00"), (Dec("30.00"), Dec("-10.00"))),
        ("data_base", Dec("20.00"), (Dec("0.00"), Dec("0.00"))),
        ("conservador", Dec("-10.00"), (Dec("30.00"), Dec("0.00"))),
    ],
)
def test_overdue_in_the_projection(rule, today, memo):
    rows = [_row(1, "-10.00", "2026-03-10"), _row(2, "30.00", "2026-03-10")]
    ctx = _ctx(rows, vencidos_na_projecao=rule)
    row = next(row for row in oracle.r02(ctx) if row["data"] == D)
    assert row["liquido_do_dia"] == today
    found = oracle.r02_memo(ctx)
    assert (found["vencidos_a_receber"], found["vencidos_a_pagar"]) == memo
    assert found["saldo_final_com_vencidos"] == Dec("20.00")


def test_projection_on_business_days():
    # 04/04/2026 is Saturday after Good Friday; 21/04 (Tuesday) is a holiday
    rows = [
        _row(1, "-10.00", "2026-04-04"),
        _row(2, "-5.00", "2026-04-04", categoria_id=23),
        _row(3, "-7.00", "2026-03-15", categoria_id=23),
    ]
    ctx = _ctx(rows, proj_dia_util=True, categorias_antecipam=[23])
    days = {linha["linha_id"]: linha["data_projetada"] for linha in projected(ctx, D, date(2026, 12, 31))}
    assert days == {1: date(2026, 4, 6), 2: date(2026, 4, 2)}  # 3 is overdue (Sunday, due the Friday before)
    assert ctx.titulos[3]["data_efetiva"] == date(2026, 3, 13)
    assert not ctx.titulos[3]["em_carencia"]


def test_overdue_by_business_day_with_an_earlier_effective_date():
    # due on Sunday 22/03, payable on Friday 20/03, D is Saturday 21/03
    row = _row(1, "-7.00", "2026-03-22", categoria_id=23)
    for rule, late in (("corrido", False), ("dia_util", True)):
        ctx = _ctx([row], data_base=date(2026, 3, 21), data_extracao=date(2026, 3, 21), venc_regra=rule,
                   categorias_antecipam=[23])  # fmt: skip
        assert ctx.titulos[1]["vencido"] is late
        assert ctx.titulos[1]["dias"] == (1 if late else -1)
        assert ctx.titulos[1]["dias_mora"] == 1


@pytest.mark.parametrize(("ref", "closing"), [("abertura", "170.00"), ("fechamento", "150.00")])
def test_opening_balance_reference(ref, closing):
    rows = [
        _row(1, "20.00", "2026-03-01", "2026-03-01"),
        _row(2, "50.00", "2026-03-02", "2026-03-02"),
        _row(3, "9.00", "2026-02-02", "2026-02-28"),  # before the control
    ]
    ctx = _ctx(rows, start="2026-03-01", opening="100.00", saldo_inicial_ref=ref)
    assert oracle.balance(ctx, 1, date(2026, 2, 28)) is None
    assert oracle.balance(ctx, 1, D) == Dec(closing)
    assert oracle.r15(ctx)["Q10"] == ({3} if ref == "abertura" else {1, 3})
    row = oracle.r04(ctx)[((2026, 3), "total")]
    assert (row["saldo_inicial"], row["saldos_implantados"], row["saldo_final"]) == (0, Dec("100.00"), Dec(closing))


def test_an_account_without_start_is_in_every_opening():
    rows = [_row(1, "20.00", "2020-03-01", "2020-03-01")]
    ctx = _ctx(rows, start=None, opening="100.00")
    row = oracle.r04(ctx)[((2025, 3), "total")]
    assert (row["saldo_inicial"], row["saldos_implantados"]) == (Dec("120.00"), Dec("0.00"))
    assert oracle.balance(ctx, 1, date(2019, 1, 1)) == Dec("100.00")


def test_an_opening_entry_sets_the_account():
    rows = [
        _row(1, "500.00", "2026-02-01", "2026-02-01", descricao="Saldo inicial"),
        _row(2, "-30.00", "2026-02-02", "2026-02-02"),
    ]
    ctx = _ctx(rows, start="2026-01-01", opening="400.00", saldo_inicial_lancamentos=[1])
    assert len(ctx.linhas) == 1
    assert oracle.balance(ctx, 1, D) == Dec("470.00")
    assert oracle.balance(ctx, 1, date(2026, 1, 15)) is None
    assert oracle.data_checks(ctx)["V21"] == {1}


@pytest.mark.parametrize(("rule", "month"), [("vencimento", (2026, 2)), ("caixa", (2026, 3)), ("excluir", None)])
def test_null_competence(rule, month):
    row = _row(1, "20.00", "2026-02-10", "2026-03-02", data_competencia=None)
    ctx = _ctx([row], competencia_nula=rule)
    table = oracle.r06(ctx)
    booked = [key for key, value in table.items() if value["receitas"]]
    assert booked == ([month] if month else [])
    march = oracle.r07(ctx, [(2026, 3)])[(2026, 3)]
    assert march["l"] == Dec("20.00")
    assert march["g"] == (Dec("0.00") if rule == "caixa" else Dec("20.00"))  # no competence counts as earlier


def test_natureza_by_sign():
    row = _row(1, "-20.00", "2026-03-10", "2026-03-10", categoria_id=11)
    assert _ctx([row]).linhas[0]["classe"] == "Entradas"
    assert _ctx([row], natureza_por="sinal").linhas[0]["classe"] == "Saídas"


def test_the_nearest_mapped_ancestor_wins():
    rows = [_row(1, "-20.00", "2026-03-10", categoria_id=21), _row(2, "-5.00", "2026-03-10", categoria_id=22)]
    ctx = _ctx(rows, dre_mapa={20: "pessoal", 22: "fora"})
    assert [linha["dre_grupo"] for linha in ctx.linhas] == ["pessoal", "fora"]
    assert oracle.r06(ctx)[(2026, 3)]["total"]["resultado"] == Dec("-20.00")


def test_an_unpaid_transfer_is_projected_today_and_never_overdue():
    rows = [_row(1, "-20.00", "2026-03-01", lancamento_transferencia_id=2)]
    ctx = _ctx(rows)
    assert oracle.r08(ctx) == []
    today = next(row for row in oracle.r02(ctx) if row["data"] == D)
    assert (today["transferencias"], today["saidas_previstas"]) == (Dec("-20.00"), Dec("0.00"))
    assert (oracle.r15(ctx)["Q08"], oracle.r15(ctx)["Q09"]) == ({1}, {1})


def _charge(charge_id: int, valor: str, ids: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": charge_id, "valor": valor, "valor_taxa": "-1.00", "percentual_multa": "2.00", "cobrar_juros": 1,
        "valor_multa_juros": "0.00", "valor_pago": None, "lancamento_ids": ids, "cliente_id": 501, "conta_id": 1,
        "data_vencimento": "2026-03-01", "status_descricao": "Pendente", **fields,
    }  # fmt: skip


def test_delay_charges_follow_the_live_charge():
    rows = [_row(1, "1000.00", "2026-03-10", pessoa_id=501)]
    # without charge: due Tuesday 10/03, 6 days late: fine 20.00, interest 1000 x 1% x 6 / 30 = 2.00
    plain = oracle.r09(_ctx(rows))[0]
    assert (plain["dias_mora"], plain["multa_est"], plain["juros_est"]) == (6, Dec("20.00"), Dec("2.00"))
    # the charge fell due on Sunday 01/03, payable on Monday 02/03: 14 days; fine 10%; no interest
    charge = _charge(1, "1000.00", "1", percentual_multa="10", cobrar_juros=0)
    row = oracle.r09(_ctx(rows, cobrancas=[charge]))[0]
    assert (row["dias_de_atraso"], row["dias_mora"]) == (6, 14)
    assert (row["multa_est"], row["juros_est"], row["valor_atualizado"]) == (Dec("100.00"), Dec("0.00"), Dec("1100.00"))
    cancelled = _charge(1, "1000.00", "1", percentual_multa="10", data_cancelamento="2026-03-05")
    assert oracle.r09(_ctx(rows, cobrancas=[cancelled]))[0]["multa_est"] == Dec("20.00")


# --- R10 to R12 ---


def test_stages():
    dues = {
        "2026-03-20": "", "2026-03-19": "Lembrete", "2026-03-17": "Lembrete", "2026-03-16": "Vence hoje/carência",
        "2026-03-14": "Vence hoje/carência", "2026-03-13": "1º aviso", "2026-03-11": "1º aviso",
        "2026-03-10": "2º aviso", "2026-02-28": "2º aviso", "2026-02-27": "Contato", "2026-02-12": "Negociação",
        "2026-01-09": "Negativação", "2025-12-16": "Negativação", "2025-12-15": "Protesto/jurídico",
    }  # fmt: skip
    rows = [_row(number, "10.00", due) for number, due in enumerate(dues, start=1)]
    ctx = _ctx(rows)
    found = {str(titulo["data_vencimento"]): stage(ctx, titulo) for titulo in ctx.titulos.values()}
    assert found == dues
    assert oracle.r10(ctx)[0]["etapa"] == ETAPAS[-1]


def test_charge_status_and_ids():
    assert charge_status(" Cliente  pagou".replace("  ", " "), False) == "cliente_pagou"
    assert charge_status("TRANSFERIDO", False) == "transferido"
    assert charge_status("Em análise", False) == "desconhecido: Em análise"
    assert charge_status("Transferido", True) == "cancelado"
    assert split_ids(" 1, ,2 ,") == ["1", "2"]


def test_divergences():
    rows = [
        _row(1, "100.00", "2026-03-10", "2026-03-12", pessoa_id=501),
        _row(2, "50.00", "2026-05-01", pessoa_id=502, conta_id=9),
        _row(3, "30.00", "2026-03-10", pessoa_id=501, lancamento_composto_id=80),
        _row(4, "-2.00", "2026-03-10", pessoa_id=501, lancamento_composto_id=80),
    ]
    charges = [
        _charge(1, "100.00", "1"),  # entry paid, charge pending
        _charge(2, "50.00", "2, 99", status_descricao="Cliente pagou"),  # many
        _charge(3, "30.00", "3,4", status_descricao="Em análise"),  # the fee line is no difference
        _charge(4, "30.00", "4", data_cancelamento="2026-03-01"),
        _charge(5, "29.00", "3", data_vencimento="2026-03-11"),
    ]
    ctx = _ctx(rows, cobrancas=charges)
    found = [(row["tipo"], row["cobranca_id"], row["lancamentos"]) for row in oracle.r11_divergencias(ctx)]
    assert found == [
        ("M1", 2, [2]),
        ("M2", 1, [1]),
        ("M3", 5, [3]),
        ("M4", 2, ["99"]),
        ("M5", 4, [3]),
        ("M6", 2, [2]),  # 61 days after 01/03
        ("M6", 5, [3]),  # due the day before the charge
        ("M7", 2, [2]),
        ("M8", 2, [2]),
        ("M9", 2, [2]),
        ("M10", 3, [3]),
        ("M10", 5, [3]),
        ("M11", 3, [3]),
    ]


def test_abc_classes():
    # competences in the 12 closed months before March 2026: shares 80, 15, 4, 1; a negative one is last
    rows = [
        _row(1, "8000.00", "2026-02-10", pessoa_id=501, categoria_id=11),
        _row(2, "1500.00", "2025-03-01", pessoa_id=502, categoria_id=11),
        _row(3, "400.00", "2026-02-10", pessoa_id=601, categoria_id=11),
        _row(4, "100.00", "2026-02-10", pessoa_id=602, categoria_id=11),
        _row(5, "-10.00", "2026-02-10", pessoa_id=603, categoria_id=11),
        _row(6, "9999.00", "2025-02-28", pessoa_id=603, categoria_id=11),  # before the window
        _row(7, "9999.00", "2026-03-01", pessoa_id=603, categoria_id=11),  # D's month is not closed
    ]
    found = {person: (row["pct_acumulado"], row["classe"]) for person, row in abc(_ctx(rows)).items()}
    assert found == {
        501: (Dec("80.00"), "A"),
        502: (Dec("95.00"), "B"),
        601: (Dec("99.00"), "C"),
        602: (Dec("100.00"), "C"),
        603: (None, "C"),
    }


def test_windows_are_open_at_the_start_and_closed_at_the_end():
    # D-365 = 16/03/2025, D-90 = 16/12/2025
    rows = [
        _row(1, "1.00", "2025-03-16", "2025-03-16", pessoa_id=501),
        _row(2, "2.00", "2025-03-17", "2025-03-17", pessoa_id=501),
        _row(3, "4.00", "2026-03-16", "2026-03-16", pessoa_id=501),
        _row(4, "-8.00", "2025-12-16", "2025-12-16"),
        _row(5, "-16.00", "2025-12-17", "2025-12-17"),
        _row(6, "32.00", "2026-03-16"),
        _row(7, "64.00", "2025-03-16"),
    ]
    ctx = _ctx(rows)
    person = next(row for row in oracle.r12(ctx) if row["pessoa_id"] == 501)
    assert person["recebido_12m"] == Dec("6.00")
    assert oracle.r12_prazos(ctx)["saidas_90"] == Dec("16.00")
    # receivables due in (D-365, D]: 2, 3 and 6; open for more than 90 days: 7
    assert oracle.r10_indices(ctx)["acima_90"][:2] == (Dec("64.00"), Dec("38.00"))


# --- S10 ---


def test_endless_series():
    rows = [
        _row(1, "-10.00", "2025-12-31", "2025-12-31", grupo_id=7, periodicidade="M1", numero_repeticao=1),
        _row(2, "-12.00", "2026-01-31", "2026-01-31", grupo_id=7, periodicidade="M1", numero_repeticao=2),
        _row(3, "-99.00", "2026-01-31", grupo_id=8, periodicidade="D1", numero_repeticao=1),  # unknown code
    ]
    ctx = _ctx(rows)
    found = oracle.missing_recurrences(ctx, date(2026, 4, 30))
    assert [(row["data"], row["valor"]) for row in found] == [
        (date(2026, 2, 28), Dec("-12.00")),
        (date(2026, 3, 31), Dec("-12.00")),
        (date(2026, 4, 30), Dec("-12.00")),
    ]
    # 30/04 is beyond D+44 = 29/04 and 28/02 is past
    assert oracle.r02_memo(ctx)["recorrencias_nao_geradas"] == Dec("-12.00")
    assert oracle.r15(ctx)["Q12"] == {7, 8}  # no estimate for 8, but it is told
    row = next(row for row in oracle.r17(ctx) if row["grupo_id"] == 7)
    assert (row["parcelas"], row["pagas"], row["variacao_pct"]) == ("sem fim", 2, Dec("20.00"))
    closing = oracle.r02(ctx)[-1]["saldo_final"]
    with_them = oracle.r02(_ctx(rows, projetar_infinitos=True))[-1]["saldo_final"]
    assert closing - with_them == Dec("12.00")
