"""The first page of the cover: what it says today, what changed, and the check that tells an edited file (V33)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from lastro.export.cover import paint_cover
from lastro.grid.cells import Formula, Kind, Link
from lastro.grid.cover import Judgement
from lastro.grid.printed_page import write_lines
from lastro.grid.prints import list_columns
from lastro.reports.cover.parts import build_actions, tell_answers
from lastro.reports.cover.to_do import LINES
from lastro.reports.facts import Changed, DeskFacts, EarlierReport
from lastro.reports.r00_cover import SPEC as R00
from lastro.reports.r14_changes import SPEC as R14
from lastro.reports.r19_comparatives import SPEC as R19
from lastro.reports.shared.kpis import list_kpis
from lastro.settings import Conta, Parametros, Recorte
from lastro.transform.scenarios import Decided
from lastro.transform.scope import narrow_position
from tests.books import make_empresa
from tests.unit.reports.compared_runs import golden_runs
from tests.unit.reports.positions import golden_catalogue, make_golden, make_position
from tests.unit.reports.readers import plain_value, records, section, table
from tests.views import view_of

BOOKED = {"conta_id": 101, "categoria_id": 11}


def cover_of(position: Any, **facts: Any) -> Any:
    return R00.build(view_of(position, **facts)).cover


def test_tiles_of_the_golden_company() -> None:
    cash, overdue, leaving, _ = cover_of(make_golden()).tiles
    assert (cash.title, cash.value) == ("CAIXA HOJE", Decimal("15980.00"))
    # 1012 (1000.00) is overdue but can still be paid without charges: 1011 alone is owed, by one customer
    assert (overdue.value, overdue.lines[1]) == (Decimal("2400.00"), "1 título · 1 cliente")
    assert (leaving.value, leaving.lines) == (
        Decimal("0.00"), ("✔ coberto pelo saldo projetado", "e R$ 1.500,00 já vencidos"),
    )  # fmt: skip


def test_what_answers_take_out_is_one_line_with_its_sum() -> None:
    said = tell_answers(view_of(make_golden(com_mesa=True), mesas=DeskFacts(respostas={1004: "pago", 3004: "devo"})))
    assert said == "1 título fora das contas por resposta em Já pagos: 1.500"
    both = DeskFacts(respostas={1004: "pago", 3004: "em parcelamento"})
    assert tell_answers(view_of(make_golden(com_mesa=True), mesas=both)).endswith(": 10.500")
    assert tell_answers(view_of(make_golden())) == ""


def test_the_result_of_the_month_stands_beside_the_same_days_of_the_one_before() -> None:
    def entry(number: int, valor: str, day: str) -> dict[str, Any]:
        return {"id": number, "valor": valor, "data_vencimento": day, "data_competencia": day, **BOOKED}

    rows = [
        entry(1, "100.00", "2026-03-16"),
        entry(2, "7.00", "2026-03-17"),  # after D
        entry(3, "30.00", "2026-02-16"),
        entry(4, "500.00", "2026-02-17"),  # after the 16th
    ]
    tile = cover_of(make_position(rows, parametros=Parametros(dre_mapa={11: "receita_bruta"}))).tiles[3]
    assert (tile.title, tile.value, tile.tone) == ("RESULTADO MAR (até dia 16)", Decimal("100.00"), "bom")
    assert tile.lines == ("▲ R$ 70,00 sobre fev", "fev até dia 16: R$ 30,00")
    # Without a map nobody knows what of it is a result: 100.00, 30.00 and 500.00 have no group.
    unmapped = cover_of(make_position(rows)).tiles[3]
    assert unmapped.lines == ("▲ R$ 70,00 sobre fev", "falta o mapa da DRE: R$ 630,00 sem grupo")


def test_the_reason_of_the_result_stands_below_it() -> None:
    """Sales of 300.00 in the place of 100.00 in the first 16 days of March; the rent is as it was."""
    rows = [
        {"id": n, "valor": valor, "data_vencimento": day, "data_competencia": day, "descricao": "x", **BOOKED, **more}
        for n, valor, day, more in (
            (1, "100.00", "2025-03-05", {}), (2, "300.00", "2026-03-05", {}),
            (3, "-50.00", "2025-03-06", {"categoria_id": 21}), (5, "10.00", "2025-04-05", {}),
            (4, "-50.00", "2026-03-06", {"categoria_id": 21}),
        )
    ]  # fmt: skip
    position = make_position(rows)
    assert cover_of(position).reason == ""
    cover = cover_of(position, reports=(R19.build(view_of(position)),))
    assert cover.reason.startswith("Resultado contra os mesmos dias de mar/25: ")
    assert cover.reason.endswith(" subiu 200,00.")


def test_the_verdict_is_that_of_the_line_of_the_headline() -> None:
    late = {"id": 3, "valor": "-900.00", "data_vencimento": "2026-03-02", **BOOKED}
    paid = {"id": 1, "valor": "100.00", "data_vencimento": "2026-03-10", "data_pagamento": "2026-03-10", **BOOKED}
    due = {"id": 2, "valor": "-150.00", "data_vencimento": "2026-03-20", **BOOKED}
    minimum = Parametros(saldo_minimo=Decimal("120.00"))
    bad = cover_of(make_position([paid, due, late]))
    beside = "além disso 900 atrasados a pagar sem decisão"
    assert bad.verdict == Judgement("✖ Negativo em 20/03 (−50)", f"No vencimento · {beside}", "ruim")
    assert [(low.title, low.value, low.lines) for low in bad.lows] == [
        ("Como os clientes pagam", Decimal("-50.00"), ("em 20/03/2026", "sem 900 atrasados a pagar")),
        (
            "Pagando já o atrasado",
            Decimal("-950.00"),
            ("em 20/03/2026", "negativo hoje", "já com 900 atrasados a pagar"),
        ),
    ]
    assert bad.tiles[2].lines[0] == "✖ o saldo projetado não cobre"
    low = cover_of(make_position([paid], parametros=minimum))
    assert (low.verdict.text, low.verdict.tone) == ("▲ Abaixo do mínimo hoje (100)", "atenção")
    assert (low.tiles[2].lines[0], low.tiles[2].tone) == ("▲ coberto pelo saldo projetado, abaixo do mínimo", "atenção")
    # What is late is paid by nobody's plan: it makes nothing red.
    assert cover_of(make_position([paid, late])).verdict == Judgement(
        "✔ Nunca negativo; menor em 16/03: 100", f"No vencimento · {beside}", "bom"
    )


def test_a_decision_makes_the_plan_the_headline_and_takes_what_was_late_out_of_the_arrears() -> None:
    """100.00; 60.00 due on the 20th, 90.00 and 30.00 late: by the plan 90.00 leave on the 19th."""
    entries = [
        {"id": 1, "valor": "100.00", "data_vencimento": "2026-03-10", "data_pagamento": "2026-03-10", **BOOKED},
        *({"id": n, "valor": valor, "data_vencimento": due, **BOOKED}
          for n, valor, due in ((2, "-60.00", "2026-03-20"), (3, "-90.00", "2026-03-02"), (4, "-30.00", "2026-03-03"))),
    ]  # fmt: skip
    position, desk = make_position(entries), DeskFacts(decisoes=[Decided(3, date(2026, 3, 19))])
    plain, decided = cover_of(position), cover_of(position, mesas=desk)
    assert plain.verdict == Judgement(
        "✔ Nunca negativo; menor em 20/03: 40", "No vencimento · além disso 120 atrasados a pagar sem decisão", "bom"
    )
    assert decided.verdict == Judgement(
        "✖ Negativo em 20/03 (−50)", "Plano · além disso 30 atrasados a pagar sem decisão", "ruim"
    )
    # The low less the arrears beside it, on every page, is what it was: -80.
    assert [low.title for low in decided.lows] == ["No vencimento", "Como os clientes pagam", "Pagando já o atrasado"]
    assert [cover.tiles[2].lines[0] for cover in (plain, decided)] == [
        "✔ coberto pelo saldo projetado", "✖ o plano não cobre",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("limite", "text", "tone", "covered", "days"),
    [
        (None, "✖ Negativo em 20/03 (−50); pior em 24/03: −70", "ruim", False, (20, None)),
        ("70.00", "▲ Usa o limite em 20/03 (−50 de 70); pior em 24/03: −70", "atenção", True, (20, None)),
        ("69.99", "✖ Usa o limite em 20/03 (−50 de 70); além dele em 24/03 (−70)", "ruim", True, (20, 24)),
        ("50.00", "✖ Usa o limite em 20/03 (−50 de 50); além dele em 24/03 (−70)", "ruim", True, (20, 24)),
        ("40.00", "✖ Além do limite em 20/03 (−50 de 40); pior em 24/03: −70", "ruim", False, (20, 20)),
    ],
)
def test_what_the_bank_lends_is_asked_before_a_balance_is_red(
    limite: str | None, text: str, tone: str, covered: bool, days: tuple[int, int | None]
) -> None:
    """100.00; 150.00 leave on the 20th, 20.00 on the 24th, the day after the next seven."""
    entries = [
        {"id": 1, "valor": "100.00", "data_vencimento": "2026-03-10", "data_pagamento": "2026-03-10", **BOOKED},
        {"id": 2, "valor": "-150.00", "data_vencimento": "2026-03-20", **BOOKED},
        {"id": 3, "valor": "-20.00", "data_vencimento": "2026-03-24", **BOOKED},
    ]
    lent = None if limite is None else Decimal(limite)
    empresa = replace(make_empresa([], {}), contas=(Conta(101, limite=lent), Conta(999, limite=Decimal(5000))))
    view = view_of(make_position(entries), empresa=empresa)
    cover = R00.build(view).cover
    assert cover is not None
    assert (cover.verdict.text, cover.verdict.tone) == (text, tone)
    leaving = ("▲ coberto com 50 do limite", "atenção") if covered else ("✖ o saldo projetado não cobre", "ruim")
    assert (cover.tiles[2].lines[0], cover.tiles[2].tone) == leaving
    assert view.payments["titulo_id"].tolist() == ([] if covered else [2])
    kpis = {kpi.slug: kpi for kpi in list_kpis(view)}
    assert kpis["saldo_atual"].number == Decimal(100)  # balances stay what they are
    assert kpis["menor_saldo_contratual"].number == Decimal(-70)
    assert kpis["menor_saldo_contratual"].situacao == {"ruim": "Crítico", "atenção": "Atenção"}[tone]
    firsts = (kpis["primeiro_negativo_contratual"], kpis.get("primeiro_alem_limite_contratual"))
    assert tuple(each.valor.day if each and isinstance(each.valor, date) else None for each in firsts) == days
    spare = kpis.get("folga_com_limite")
    assert (None if spare is None else spare.number) == (None if lent is None else 100 + lent)
    told = () if limite is None else (f"folga com o limite: R$ {100 + Decimal(limite)}".replace(".", ","),)
    assert cover.tiles[0].lines[2:] == told


def test_each_small_line_says_since_when_it_is_short() -> None:
    """100.00 and a limit of 60.00: as booked 120.00 leave on the 18th and 50.00 on the 24th, 10.00 on the 27th.

    What 501 owes on the 17th comes ten days later by habit: -20.00 from the 18th on, -70.00 from the 24th on. With what
    is late, 90.00, paid today: 75.00, -45.00, -95.00, -105.00.
    """
    habit = [
        {"id": n, "valor": "10.00", "data_vencimento": "2026-02-02", "data_pagamento": "2026-02-12", "pessoa_id": 501,
         **BOOKED}
        for n in (90, 91, 92)
    ]  # fmt: skip
    entries = [
        {"id": n, "valor": valor, "data_vencimento": due, **BOOKED}
        for n, valor, due in (
            (1, "-120.00", "2026-03-18"), (2, "-50.00", "2026-03-24"), (3, "-10.00", "2026-03-27"),
            (4, "-90.00", "2026-03-02"),
        )
    ]  # fmt: skip
    paid = {"id": 9, "valor": "70.00", "data_vencimento": "2026-03-10", "data_pagamento": "2026-03-10", **BOOKED}
    due = {"id": 5, "valor": "65.00", "data_vencimento": "2026-03-17", "pessoa_id": 501, **BOOKED}
    empresa = replace(make_empresa([], {}), contas=(Conta(101, limite=Decimal(60)),))
    cover = R00.build(view_of(make_position([*habit, *entries, paid, due]), empresa=empresa)).cover
    assert cover is not None
    assert cover.verdict.text == "▲ Usa o limite em 24/03 (−5 de 60); pior em 27/03: −15"
    assert [(low.title, low.value, low.lines[:2]) for low in cover.lows] == [
        ("Como os clientes pagam", Decimal(-70), ("em 24/03/2026", "usa o limite em 18/03")),
        ("Pagando já o atrasado", Decimal(-105), ("em 27/03/2026", "usa o limite em 18/03, além dele em 24/03")),
    ]


def test_what_is_overdue_is_told_apart_from_the_seven_days_that_cash_covers() -> None:
    """100.00 in cash; 30.00 to pay on the 20th, 250.00 overdue: the week is covered, of the overdue 40 %."""
    entries = [
        {"id": 1, "valor": "100.00", "data_vencimento": "2026-03-10", "data_pagamento": "2026-03-10", **BOOKED},
        {"id": 2, "valor": "-30.00", "data_vencimento": "2026-03-20", **BOOKED},
        {"id": 3, "valor": "-250.00", "data_vencimento": "2026-03-02", **BOOKED},
    ]
    leaving = cover_of(make_position(entries)).tiles[2]
    assert leaving.lines == (
        "✔ coberto pelo saldo projetado", "e R$ 250,00 já vencidos: o caixa cobre 40 %",
    )  # fmt: skip


def test_what_changed_is_told_in_sentences() -> None:
    now, before = golden_runs()
    changes = R14.build(view_of(now, before=before))
    rows = section(R00.build(view_of(now, before=before, reports=(changes,))), "resumo_mudancas").rows
    # 1012 was moved, and can still be paid without charges; 1018 (-450.00) is gone; 1014 came paid; 1010 (-120.00, it
    # was -110.00) and 1019 (-600.00) were paid; 1004 fell due. 1013 is of 0.00.
    assert [row.cells[:2] for row in rows] == [
        ("Lançamento 1012: vencimento de 10/03/2026 para 14/03/2026", Decimal("1000.00")),
        ("Lançamento 1018: lançamento excluído, vencia em 20/03/2026", Decimal("450.00")),
        ("Recebido: 1 lançamento novo", Decimal("6000.00")),
        ("Pago: 2 lançamentos", Decimal("-720.00")),
        ("Venceu e não foi pago: 1 título", Decimal("-1500.00")),
    ]
    assert [row.cells[2] for row in rows][:3] == [
        Link("Lançamentos »", sheet="Lançamentos", key="titulo_id=1012"),
        Link("Mudanças »", sheet="Mudanças"),  # what is gone has no row
        Link("Mudanças »", sheet="Mudanças"),
    ]


def test_a_new_series_is_one_sentence_and_what_is_near_comes_first() -> None:
    def entry(number: int, valor: str, day: str, **more: Any) -> dict[str, Any]:
        return {"id": number, "valor": valor, "data_vencimento": day, "descricao": f"Série {number}", **BOOKED, **more}

    far = [entry(10 + n, "-900.00", f"2027-0{n}-05", grupo_id=5, descricao="Retirada") for n in range(1, 8)]
    near = entry(30, "-20.00", "2026-03-25", descricao="Frete")
    kept = entry(1, "1.00", "2026-04-01")
    before, now = make_position([kept]), make_position([kept, *far, near])
    reports = (R14.build(view_of(now, before=before)),)
    told = [
        ("Frete: lançamento novo, vence em 25/03/2026", Decimal("-20.00")),
        ("Retirada: 7 parcelas novas, jan/27 a jul/27", Decimal("-6300.00")),
    ]
    assert [(row["O que mudou"], row["Valor"]) for row in records(table(reports[0], "mudancas_resumo"))] == told
    rows = section(R00.build(view_of(now, before=before, reports=reports)), "resumo_mudancas").rows
    # What is beyond the horizon stands on the cover only where nothing is inside it.
    assert [row.cells[:2] for row in rows] == told[:1]
    now = make_position([kept, *far])
    reports = (R14.build(view_of(now, before=before)),)
    rows = section(R00.build(view_of(now, before=before, reports=reports)), "resumo_mudancas").rows
    assert [row.cells[:2] for row in rows] == told[1:]
    assert rows[0].cells[2] == Link("Lançamentos »", sheet="Lançamentos", key="titulo_id=11")


def test_actions_are_rows_of_the_table() -> None:
    nil = Decimal("0.00")
    lines = (
        (1, "F7", "Informar o saldo de 1 conta", 1, nil, nil, nil),
        (2, "F3", "Conferir folha", 1, nil, Decimal("18.00"), Decimal("18.00")),
    )
    keys = ("ordem", "regra", "frase", "qtde", "a_receber", "a_pagar", "valor")
    block = build_actions(LINES.table(list_columns(keys, lines), view_of(make_golden())))
    assert [row.cells for row in block.rows] == [
        ("1  Informar o saldo de 1 conta", None, Link("Fazer »", sheet="Fazer", key="fazer=7")),
        ("2  Conferir folha", Decimal("18.00"), Link("Fazer »", sheet="Fazer", key="fazer=3")),
    ]
    nothing = build_actions(LINES.table(list_columns(keys, ()), view_of(make_golden())))
    assert nothing.rows[0].cells[0] == "Nada acima do limite pede ação hoje"


def test_the_first_lines_name_who_must_be_called_and_who_broke_a_promise() -> None:
    """Five customers are late; Azul (501) owes 2.000,60 in two títulos."""
    people = [
        {"id": 501 + n, "nome": name, "cliente": True} for n, name in enumerate(("Azul", "Bela", "Cor", "Dom", "Eco"))
    ]
    owed = {501: ("1000.30", "1000.30"), 502: ("900.49",), 503: ("4000.00",), 504: ("1500.00",), 505: ("1400.00",)}
    rows = [
        {"id": 10 * person + n, "valor": valor, "data_vencimento": "2026-02-02", "pessoa_id": person, **BOOKED}
        for person, valores in owed.items()
        for n, valor in enumerate(valores)
    ]
    promised = DeskFacts(quebradas=((502, 7_619_524), (501, 6_000_000)))
    position = make_position(
        rows, clientes=people, fornecedores=[], parametros=Parametros(fazer_minimo=Decimal("1.00"))
    )
    cover = cover_of(position, mesas=promised)
    (part, *_) = cover.parts
    said = [str(row.cells[0]) for row in part.section.rows]
    assert said[:2] == [
        "1  Ligar para 4 clientes: Cor 4.000, Azul 2.001, Dom 1.500 e mais 1",
        "2  2 promessas quebradas (136.195): Bela, Azul",
    ]
    assert (part.least, [part.section.name for part in cover.parts][:2]) == (
        None,
        ["resumo_fazer_hoje", "resumo_mudancas"],
    )


def test_an_approved_payment_that_changed_stands_above_all() -> None:
    """The largest first, three by name: who is paid more, who is another one, who changed by centavos."""
    people = [{"id": 600 + n, "nome": name} for n, name in enumerate(("Med", "Sol", "Luz", "Mar"))]
    owed = ("-15565.01", "-2000.00", "-100.02", "-90.00")
    rows = [
        {"id": 10 + n, "valor": valor, "data_vencimento": "2026-04-02", "pessoa_id": 600 + n, **BOOKED}
        for n, valor in enumerate(owed)
    ]
    changed = {10: (1461501, ""), 11: (200000, "outro vencimento"), 12: (10001, "outra conta"), 13: (8000, "")}
    position = make_position(rows, clientes=[], fornecedores=people)
    told = {number: Changed("mudou", -before, other) for number, (before, other) in changed.items()}
    cover = cover_of(position, mesas=DeskFacts(mudados=told))
    assert cover.parts[0].section.rows[0].cells == (
        (
            "1  4 pagamentos aprovados mudaram: Med 14.615 → 15.565, Sol 2.000 (outro vencimento), "
            "Luz 100,01 → 100,02 (outra conta) e mais 1"
        ),
        None,
        Link("Pagar títulos »", sheet="Pagar títulos", key="titulo_id=10"),
    )
    answered = cover_of(position, mesas=DeskFacts(mudados=told, respostas=dict.fromkeys(told, "pago")))
    assert "aprovado" not in str(answered.parts[0].section.rows[0].cells[0])


def test_closed_months_stand_first_of_what_changed_and_tell_no_command() -> None:
    told = ("out/26 mudou depois do fechamento de 05/11: resultado -100,00 · lastro run --fechamento 2026-10",
            "fechamento de nov/26 à espera: DRE não mapeada — rode `lastro mapa`")  # fmt: skip
    now, before = golden_runs()
    reports = (R14.build(view_of(now, before=before)),)
    reopened = [(date(2026, 3, 9), "1 mês fechado alterado")]
    cover = cover_of(now, before=before, reports=reports, recados=told, reabertos=reopened)
    said = [str(row.cells[0]) for row in cover.parts[1].section.rows]
    assert said[:4] == [
        "out/26 mudou depois do fechamento de 05/11: resultado -100,00",
        "fechamento de nov/26 à espera: DRE não mapeada",
        "Em 09/03: 1 mês fechado alterado",
        "Lançamento 1012: vencimento de 10/03/2026 para 14/03/2026",
    ]


def test_the_page_is_painted_in_the_order_in_which_it_is_told() -> None:
    cover = cover_of(make_golden())
    painted = paint_cover(cover)
    rows = [next(cell.row for cell in painted if cell.value == value or getattr(cell.value, "text", "") == value)
            for value in (cover.verdict.text, cover.lows[0].title, cover.tiles[0].title,
                          *(part.section.title for part in cover.parts))]  # fmt: skip
    assert rows == sorted(rows)
    assert [text for _, (text, *_) in write_lines(cover)][-len(cover.parts) :] == [
        part.section.title for part in cover.parts
    ]


def test_the_master_check_adds_every_difference_of_qualidade() -> None:
    catalogue = golden_catalogue()
    cover = catalogue.reports[0].cover
    assert cover is not None
    assert cover.check == Formula(
        'IF(SUMPRODUCT(ABS({conferencias:diferenca}))>0.004,"PLANILHA ALTERADA","Planilha íntegra")', "Planilha íntegra"
    )
    (sums,) = [one for report in catalogue.reports for one in report.sections if one.name == "conferencias"]
    texts = {row.cells[0]: row.cells[2] for row in sums.rows}
    bridge = texts["Ponte: geração de caixa de mar/26"]
    assert isinstance(bridge, Formula)
    assert "2026_03" in bridge.text  # D's month: one of the future would compare 0 with 0
    assert bridge.cached == Decimal("5280.00")
    held = {f"Capa: {tile.title}" for tile in (*cover.tiles, *cover.lows)}
    assert len(held) == 6  # four tiles, and the lines beside that of the headline
    assert {label for label in texts if str(label).startswith("Capa: ")} == held


def test_every_sheet_with_amounts_names_its_period() -> None:
    """A day, a month or days of rows, heads, notes or title: nobody must ask of when an amount is (N13)."""
    catalogue = golden_catalogue()
    named = re.compile(r"\d\d/\d\d|[a-z]{3}/\d\d|\b20\d\d\b|12m|365 dias")
    unnamed = []
    for sheet in catalogue.sheets:
        columns = [column for one in sheet.sections for column in one.printed]
        kinds = {column.kind for column in columns}
        heads = [f"{column.group} {column.header}" for column in columns]
        rest = [(one.title, one.notes, [plain_value(row.cells[0]) for row in one.rows[:9]]) for one in sheet.sections]
        dated = kinds & {Kind.DATE, Kind.MONTH} or named.search(f"{sheet.title} {sheet.hint} {heads} {rest}")
        if Kind.MONEY in kinds and not dated:
            unnamed.append(sheet.name)
    assert unnamed == []


def test_no_re_adding_check_compares_nothing_with_nothing() -> None:
    """Every row of `conferencias` of books with amounts in each place adds an amount."""
    catalogue = golden_catalogue()
    (sums,) = [one for report in catalogue.reports for one in report.sections if one.name == "conferencias"]
    # A figure of the cover may be zero: what is compared is that nobody changed it.
    nothing = [str(row.cells[0]) for row in sums.rows if row.cells[1] == 0]
    assert [label for label in nothing if not label.startswith("Capa: ")] == []


def test_a_change_is_coloured_by_what_it_means() -> None:
    anterior = {"saldo_atual": Decimal("20000.00"), "vencido_a_receber": Decimal("1000.00")}
    anterior |= {"vencido_a_pagar": Decimal("-2000.00"), "a_pagar_7": Decimal("-10.00")}
    report = R00.build(view_of(make_golden(), anteriores=[EarlierReport(date(2026, 3, 2), anterior)]))
    rows = {row.key: row for row in section(report, "indicadores").rows}
    tones = {slug: rows[f"kpi_{slug}"].cells[3].tone for slug in anterior}  # type: ignore[union-attr]
    # less cash; more overdue; 500.00 less to pay that is overdue; neither good nor bad
    assert tones == {
        "saldo_atual": "ruim", "vencido_a_receber": "ruim", "vencido_a_pagar": "bom", "a_pagar_7": "neutro",
    }  # fmt: skip


def test_a_part_of_an_account_claims_no_balance() -> None:
    """A scope by person: 40.00 received in March by the 16th, 30.00 in February by the 16th, 7.00 overdue."""
    rows = [
        {"id": n, "valor": valor, "data_vencimento": day, "data_pagamento": paid, "pessoa_id": 501, **BOOKED}
        for n, valor, day, paid in (
            (1, "40.00", "2026-03-02", "2026-03-02"), (2, "30.00", "2026-02-16", "2026-02-16"),
            (3, "50.00", "2026-02-17", "2026-02-17"), (4, "7.00", "2026-03-02", None),
            (5, "-9.00", "2026-03-18", None),
        )
    ]  # fmt: skip
    position = narrow_position(make_position(rows), Recorte("Loja", pessoas=(501,)))
    cover = cover_of(position)
    assert [(tile.title, tile.value) for tile in cover.tiles[:3]] == [
        ("RECEBIDO NO MÊS", Decimal("40.00")), ("VENCIDO A RECEBER", Decimal("7.00")),
        ("A PAGAR EM 7 DIAS", Decimal("9.00")),
    ]  # fmt: skip
    assert cover.tiles[0].lines == ("▲ R$ 10,00 sobre fev (até dia 16)",)
    assert cover.tiles[3].title == "RESULTADO MAR (até dia 16)"
    assert (cover.lows, cover.verdict.tone) == ((), "")
    slugs = {kpi.slug for kpi in list_kpis(view_of(position))}
    assert not [slug for slug in slugs if "saldo" in slug or slug.startswith("primeiro_") or slug == "dias_de_caixa"]
    assert [chart.title for chart in R00.build(view_of(position)).charts] == ["Entradas e saídas por mês"]
